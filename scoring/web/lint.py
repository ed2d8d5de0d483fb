"""Lint before spend, beside the editor and on the profile's page: what a profile says nothing by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.permissions import actor_of
from foundation.errors import Problem
from scoring.forms.profile_form import Draft, check_draft, draft_from_post
from scoring.kit.text import shortened
from scoring.lint import CODES, Finding, Report, lint
from scoring.permissions import Act, may, permit
from scoring.profile_documents import Profile
from scoring.queries.lint_samples import StoredSamples, stored_samples
from scoring.queries.profiles import profile_at
from scoring.web.profile_editor import edit_page
from scoring.web.profile_pages import read_page
from scoring.web.proof import OWN, TEXT, ProofInput, observed, proof_input

_METHODS = ["GET", "HEAD", "POST"]
_FRAGMENT = "scoring/lint_result.html"


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding as the panel lists it: the scorer's name, the id of its card, "" for none, evaluations that show it."""

    finding: Finding
    name: str
    card: str
    evaluation_ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class LintResult:
    """What the panel shows: a refusal in words, or the report with its findings and what their codes mean."""

    problem: str = ""
    hint: str = ""
    report: Report | None = None
    rows: Sequence[FindingRow] = ()
    meanings: Mapping[str, str] | None = None


def lint_result(profile: Profile | None, cards: Sequence[str], asked: ProofInput, profile_id: str | None) -> LintResult:
    """Lint of a profile over what the proof looks at; `cards` are the ids of its scorers' cards. Raises no refusal."""
    if profile is None:
        return LintResult(
            problem="Nothing is checked: the profile is not valid.", hint="The faults stand at their fields."
        )
    try:
        samples = _samples(asked, profile_id)
        report = lint(profile, samples.observations)
    except Problem as refusal:
        return LintResult(problem=refusal.message, hint=refusal.hint)
    places = {scorer.id: index for index, scorer in enumerate(profile.scorers)}
    rows = [_row(finding, profile, cards, places, samples.evaluation_ids) for finding in report.findings]
    meanings = {code: CODES[code] for code in CODES if any(code == finding.code for finding in report.findings)}
    return LintResult(report=report, rows=rows, meanings=meanings)


def _samples(asked: ProofInput, profile_id: str | None) -> StoredSamples:
    if asked.source == TEXT:
        seen = observed(asked, profile_id)
        return StoredSamples((seen.observation,) if seen else ())
    return stored_samples(profile_id if asked.source == OWN else None, asked.count)


def _row(
    finding: Finding, profile: Profile, cards: Sequence[str], places: Mapping[str, int], evaluation_ids: Sequence[str]
) -> FindingRow:
    # Of what all samples show, the first of them prove no more than any.
    shown = finding.indices if finding.certain and evaluation_ids else ()
    ids = [evaluation_ids[index] for index in shown]
    if finding.scorer_id is None:
        return FindingRow(finding, "", "", ids)
    index = places[finding.scorer_id]
    name = shortened(profile.scorers[index].name, 80)
    return FindingRow(finding, name, cards[index] if index < len(cards) else "", ids)


def _cards(draft: Draft) -> list[str]:
    return [] if draft.as_json else [f"card-{card.key}" for card in draft.cards]


@require_http_methods(_METHODS)
def new_profile_lint(request: HttpRequest) -> HttpResponse:
    """Lint of a profile that does not exist yet, as it stands in the form."""
    actor = permit(actor_of(request), Act.WRITE_PROFILE)
    if request.method != "POST":
        return redirect("profile-new")
    draft = draft_from_post(request.POST)
    asked = proof_input(request, stored=False)
    result = lint_result(check_draft(draft).profile, _cards(draft), asked, None)
    if getattr(request, "htmx", False):
        return render(request, _FRAGMENT, {"lint": result})
    return edit_page(request, actor, None, draft, lint=result)


@require_http_methods(_METHODS)
def profile_lint(request: HttpRequest, profile_id: str) -> HttpResponse:
    """Lint of a profile: as it stands in the form for those who may change it, else as it is stored."""
    actor = permit(actor_of(request), Act.PREVIEW)
    at = profile_at(profile_id)
    if request.method != "POST":
        return redirect("profile", profile_id)
    asked = proof_input(request, stored=True)
    stored = at.content.as_document()
    if at.row.built_in or not may(actor, Act.WRITE_PROFILE):
        cards = [f"card-{index}" for index in range(len(at.content.scorers))]
        result = lint_result(at.content, cards, asked, profile_id)
        if getattr(request, "htmx", False):
            return render(request, _FRAGMENT, {"lint": result})
        return read_page(request, actor, at, lint=result, address=reverse("profile", args=[profile_id]))
    draft = draft_from_post(request.POST)
    result = lint_result(check_draft(draft, stored).profile, _cards(draft), asked, profile_id)
    if getattr(request, "htmx", False):
        return render(request, _FRAGMENT, {"lint": result})
    return edit_page(request, actor, at, draft, lint=result)
