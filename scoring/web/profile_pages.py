"""What the pages of a profile share: the tabs, the page for reading alone, changes in words."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from accounts.actors import Actor
from scoring.composites import METHOD_WORDS
from scoring.differences import Difference
from scoring.forms.bound import read_only
from scoring.forms.cards import json_text
from scoring.forms.observation_form.examples import example_groups
from scoring.forms.profile_form import check_draft, draft_of
from scoring.permissions import Act, may
from scoring.queries.profiles import ProfileAt
from scoring.web.proof import proof_input, prove


def profile_tabs(at: ProfileAt, current: str) -> list[dict[str, Any]]:
    """The tabs of a profile's pages; `current` is one of edit, json, try and versions."""
    pages = [
        ("edit", "Profile", reverse("profile", args=[at.row.pk])),
        ("json", "JSON", f"{reverse('profile', args=[at.row.pk])}?view=json"),
        ("try", "Try it", reverse("profile-try", args=[at.row.pk])),
        ("versions", "Versions", reverse("profile-versions", args=[at.row.pk])),
    ]
    counts = {"versions": at.row.version}
    return [
        {"words": words, "address": address, "current": name == current, "count": counts.get(name), "name": name}
        for name, words, address in pages
    ]


def told_changes(found: Sequence[Difference], most: int) -> str:
    """Changes as part of a sentence: the first `most` of them, and how many more."""
    told = "; ".join(change.sentence for change in found[:most])
    return f"{told}; and {len(found) - most} more" if len(found) > most else told


def change_rows(found: Sequence[Difference]) -> list[dict[str, str]]:
    """Changes as the `changes` component lists them."""
    return [{"kind": change.kind, "words": change.sentence} for change in found]


def read_page(request: HttpRequest, actor: Actor, at: ProfileAt, **more: Any) -> HttpResponse:
    """A version of a profile to read, with its proof on what somebody types beside it."""
    draft = draft_of(at.content.as_document(), at.version.number)
    checked = check_draft(draft)
    asked = proof_input(request, stored=True)
    posted = request.method == "POST"
    as_json = request.GET.get("view") == "json"
    context = {
        "profile": at,
        "address": request.path,
        "cards": read_only(draft, checked.faults),
        "method": METHOD_WORDS[at.content.composite_method],
        "view": "json" if as_json else "form",
        "document": json_text(at.content.as_document()) if as_json else "",
        "asked": asked,
        "examples": example_groups(scorer.type for scorer in at.content.scorers),
        "proof": prove(at.content, asked, at.row.pk) if posted else None,
        "tabs": profile_tabs(at, "json" if as_json else "edit"),
        "may_write": may(actor, Act.WRITE_PROFILE),
        "may_delete": may(actor, Act.DELETE_PROFILE),
        **more,
    }
    fragment = posted and bool(getattr(request, "htmx", False))
    return render(request, "scoring/proof_result.html" if fragment else "scoring/profile_read.html", context)
