"""The editor of a profile: the form, its buttons, the proof as somebody types, and saving."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.actors import Actor
from accounts.permissions import actor_of
from foundation.errors import FieldError, NotFound, StaleVersion
from foundation.http.toasts import toast
from scoring.differences import Difference, differences
from scoring.forms.bound import Faults, bind_cards, bind_head, families
from scoring.forms.cards import within_room
from scoring.forms.field_acts import FIELD_ACTS, act_on_field
from scoring.forms.logic_rules import Seen
from scoring.forms.observation_form.examples import example_groups
from scoring.forms.profile_form import (
    Checked,
    Draft,
    act_on_card,
    check_draft,
    draft_from_post,
    draft_of,
    empty_draft,
    turn_to_form,
    turn_to_json,
)
from scoring.kit.observation import counted_metadata
from scoring.kit.scorer import Scorer
from scoring.permissions import Act, may, permit, refuse_built_in
from scoring.queries.profiles import ProfileAt, profile_at
from scoring.services.profiles import profile_create, profile_update
from scoring.web.profile_pages import change_rows, profile_tabs, read_page, told_changes
from scoring.web.proof import Proof, observed, proof_input, prove, sample_of

_METHODS = ["GET", "HEAD", "POST"]
_TOLD = 3
# What a path most often names: the text's own measures, and what the server counts of every answer.
_PATHS = ("length", "wordCount", "lineCount", *(f"metadata.{name}" for name in counted_metadata({}, "", "")))


class _Editing:
    """One request to the editor: who, which profile (None for a new one), and the draft as it stands."""

    def __init__(self, request: HttpRequest, actor: Actor, at: ProfileAt | None, draft: Draft) -> None:
        self.request, self.actor, self.at, self.draft = request, actor, at, draft
        self.base = _base_of(at, draft)
        self.focus = ""
        self.quiet: int | None = None
        self.extra: tuple[FieldError, ...] = ()
        self.conflict: Mapping[str, Any] | None = None
        self.proof: Proof | None = None
        self.in_proof: tuple[Seen | None] | None = None
        self.lint: object = None

    @property
    def stored(self) -> Mapping[str, Any] | None:
        """The document that the changes were begun on."""
        return self.base.content.as_document() if self.base else None

    @property
    def address(self) -> str:
        return reverse("profile", args=[self.at.row.pk]) if self.at else reverse("profile-new")

    def checked(self) -> Checked:
        return check_draft(self.draft, self.stored)

    def prove(self, checked: Checked) -> Proof:
        asked = proof_input(self.request, stored=self.at is not None)
        return prove(checked.profile, asked, self.at.row.pk if self.at else None)

    def answer(self, template: str = "scoring/profile_editor.html", status: int = 200) -> HttpResponse:
        """The page, or with the form's template the form alone."""
        untouched = self.request.method != "POST"
        within_room(self.draft.cards)
        # A new profile is not wrong before anybody typed; a stored scorer that no longer works is.
        checked = Checked(None, None) if untouched and self.at is None else self.checked()
        if not untouched and self.proof is None:
            self.proof = self.prove(checked)
        faults = Faults(self.draft, self._shown(checked))
        changes = self._changes(checked)
        context = {
            "profile": self.at,
            "draft": self.draft,
            "address": self.address,
            "head": bind_head(self.draft, faults),
            "cards": bind_cards(self.draft, faults, self._seen),
            "order": ",".join(str(card.key) for card in self.draft.cards),
            "faults": faults,
            "families": families(),
            "paths": _PATHS,
            "changes": changes,
            "changed": bool(changes) or checked.profile is None or self.at is None,
            "untouched": untouched,
            "valid": checked.profile is not None,
            "focus": self.focus,
            "conflict": self.conflict,
            "proof": self.proof,
            "lint": self.lint,
            "asked": proof_input(self.request, stored=self.at is not None),
            "examples": example_groups(card.kind for card in self.draft.cards),
            "newer": self.at is not None and self.base is not None and not self.base.is_newest,
            "tabs": profile_tabs(self.at, "edit") if self.at else [],
            "may_delete": may(self.actor, Act.DELETE_PROFILE),
        }
        return render(self.request, template, context, status=status)

    def _shown(self, checked: Checked) -> list[FieldError]:
        """The faults to show: not those of a card that was added just now."""
        quiet = self.draft.place(self.quiet) if self.quiet is not None else None
        shown = [*checked.shown, *self.extra]
        return shown if quiet is None else [item for item in shown if not item.path.startswith(f"scorers.{quiet}.")]

    def _seen(self, declared: type[Scorer]) -> Seen:
        """What a rule is shown beside: what the proof looks at, else the type's own example."""
        if self.in_proof is None:
            asked = proof_input(self.request, stored=self.at is not None)
            self.in_proof = (observed(asked, self.at.row.pk if self.at else None),)
        return self.in_proof[0] or sample_of(declared)

    def _changes(self, checked: Checked) -> Sequence[Difference]:
        if checked.profile is None:
            return ()
        return differences(self.stored or {}, checked.profile.as_document()) if self.stored is not None else ()


def _base_of(at: ProfileAt | None, draft: Draft) -> ProfileAt | None:
    """The version that the draft was begun on; the newest when it names none that exists."""
    if at is None or draft.version is None or draft.version == at.version.number:
        return at
    try:
        return profile_at(at.row.pk, draft.version)
    except NotFound:
        return at


@require_http_methods(_METHODS)
def profile_new(request: HttpRequest) -> HttpResponse:
    """The editor of a profile that does not exist yet."""
    actor = permit(actor_of(request), Act.WRITE_PROFILE)
    draft = draft_from_post(request.POST) if request.method == "POST" else empty_draft()
    return _respond(_Editing(request, actor, None, draft))


@require_http_methods(_METHODS)
def profile(request: HttpRequest, profile_id: str) -> HttpResponse:
    """The editor of a profile, or the profile to read for those who may not change it."""
    actor = permit(actor_of(request), Act.READ)
    at = profile_at(profile_id)
    posted = request.method == "POST"
    if at.row.built_in or not may(actor, Act.WRITE_PROFILE):
        if posted and request.POST.get("act") != "check":
            permit(actor, Act.WRITE_PROFILE)
            refuse_built_in(built_in=at.row.built_in)
        return read_page(request, actor, at)
    if posted:
        return _respond(_Editing(request, actor, at, draft_from_post(request.POST)))
    return _respond(_Editing(request, actor, at, draft_of(at.content.as_document(), at.version.number)))


def edit_page(request: HttpRequest, actor: Actor, at: ProfileAt | None, draft: Draft, *, lint: object) -> HttpResponse:
    """The editor with a draft as it was posted, and what lint says of it."""
    editing = _Editing(request, actor, at, draft)
    editing.lint = lint
    return editing.answer()


def _respond(editing: _Editing) -> HttpResponse:
    request = editing.request
    if request.method != "POST":
        if request.GET.get("view") == "json":
            editing.draft = turn_to_json(editing.draft)
        return editing.answer()
    act, _, argument = request.POST.get("act", "save").partition(":")
    if act == "save":
        return _save(editing, argument)
    if act == "take-theirs":
        return redirect(editing.address)
    fragment = "scoring/profile_form.html" if _is_fragment(request) else "scoring/profile_editor.html"
    if act == "check":
        return editing.answer("scoring/profile_live.html" if _is_fragment(request) else fragment)
    if act == "view":
        return _turn(editing, argument, fragment)
    if act in FIELD_ACTS:
        editing.focus = act_on_field(editing.draft, act, argument)
        return editing.answer(fragment)
    key = act_on_card(editing.draft, act, argument)
    editing.focus = "add-scorer" if key is None else f"card-{key}"
    editing.quiet = key if act == "add" else None
    return editing.answer(fragment)


def _is_fragment(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def _turn(editing: _Editing, view: str, fragment: str) -> HttpResponse:
    """The same draft as JSON or as a form; 422 when the JSON does not fit a form."""
    if view == "json":
        editing.draft = turn_to_json(editing.draft)
        return editing.answer(fragment)
    editing.draft, faults = turn_to_form(editing.draft)
    known = {(fault.path, fault.message) for fault in editing.checked().faults}
    editing.extra = tuple(fault for fault in faults if (fault.path, fault.message) not in known)
    return editing.answer(fragment, 422 if editing.draft.as_json else 200)


def _save(editing: _Editing, argument: str) -> HttpResponse:
    """The stored profile's page, or the form again: 422 with faults, 412 when somebody else saved meanwhile."""
    at, request = editing.at, editing.request
    if at is None:
        checked = editing.checked()
        if checked.profile is None:
            return editing.answer(status=422)
        created = profile_create(actor=editing.actor, body=checked.body())
        toast(request, f"Created “{created.content.name}”.")
        return redirect("profile", created.row.pk)
    base = editing.base or at
    # The button of the conflict says which newer version was seen and is to be replaced.
    number = int(argument) if argument.isascii() and argument.isdigit() and len(argument) <= 9 else base.version.number
    if number == at.version.number:
        editing.base = at
    checked = editing.checked()
    if checked.profile is None:
        editing.base = base
        return editing.answer(status=422)
    try:
        saved = profile_update(actor=editing.actor, profile_id=at.row.pk, body=checked.body(), if_match=number)
    except StaleVersion:
        return _conflict(editing, base, checked)
    if saved.version.number == at.version.number:
        toast(request, "Nothing changed, so no version was made.")
    else:
        told = told_changes(differences(at.content.as_document(), saved.content.as_document()), _TOLD)
        toast(request, f"Saved version {saved.version.number}: {told}.")
    return redirect("profile", saved.row.pk)


def _conflict(editing: _Editing, base: ProfileAt, checked: Checked) -> HttpResponse:
    """Both sides in words over the form, in which everything typed still stands."""
    newest = profile_at(base.row.pk)
    editing.at, editing.base = newest, base
    document = checked.profile.as_document() if checked.profile else {}
    editing.conflict = {
        "newest": newest,
        "theirs": change_rows(differences(base.content.as_document(), newest.content.as_document())),
        "mine": change_rows(differences(base.content.as_document(), document)),
    }
    return editing.answer(status=412)
