"""One evaluation: why it scored as it did, what it was given, and scoring it again."""

import shlex
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.permissions import actor_of
from foundation import exact_json
from foundation.errors import NotFound, Problem
from foundation.figures import score_text
from foundation.http.toasts import toast
from scoring.breakdowns import breakdown_of
from scoring.channels.citations import cited_pieces
from scoring.channels.recorded import value_at, value_text
from scoring.channels.sheet import Sheet, sheet_of
from scoring.composites import METHOD_WORDS
from scoring.evidence.parts import members_of
from scoring.forms.history import RescoreForm, address, read_form, read_rescore
from scoring.history_filters import HistoryFilter
from scoring.kit.observation import counted_metadata
from scoring.kit.paths import ABSENT
from scoring.permissions import Act, may, permit
from scoring.queries.documents import evaluation_document
from scoring.queries.history import evaluation_get
from scoring.queries.listing import profile_choices
from scoring.queries.neighbours import neighbours, rescored_as, rescored_from
from scoring.queries.previews import observation_of_row
from scoring.queries.profiles import ProfileAt, profile_at
from scoring.services.evaluations import evaluation_rescore

_COUNTED = frozenset(counted_metadata({}, "", ""))
# A command line longer than this is refused by shells, and read by nobody.
_LONGEST_COMMAND = 20_000
_TEXTS = {"output": "Output", "action": "Action"}
_INPUTS = {"object": "Object", "expected": "Expected", "observation": "Observation"}
# What the address of the page adds to the history's filter: which channel's list begins at which row.
_PAGING = frozenset({"channel", "from"})
_SHOWN_OUTPUT = 1_500


@require_safe
def evaluation(request: HttpRequest, evaluation_id: str) -> HttpResponse:
    """The evaluation; a filter in the address is the history that previous and next move in."""
    permit(actor_of(request), Act.READ)
    return _page(request, _found(evaluation_id))


@require_safe
def text(request: HttpRequest, evaluation_id: str, part: str) -> HttpResponse:
    """One of its texts, whole: what "Show all" fetches. `at` is a JSON pointer to a value within it."""
    permit(actor_of(request), Act.READ)
    row = _found(evaluation_id)
    at = request.GET.get("at", "")
    whole = _text_of(row, part, at)
    if whole is None:
        raise NotFound(f"This evaluation has no {part}{at[:100]}.", hint="Go back to the evaluation.")
    context: dict[str, Any] = {"evaluation": row, "words": (_TEXTS | _INPUTS)[part], "text": whole, "at": at}
    if part == "output" and "observation" in row.inputs:
        sheet = sheet_of(observation_of_row(row), row.inputs)
        context |= {"pieces": cited_pieces(whole, sheet.citations), "page": _page_address(row, "")}
    if getattr(request, "htmx", False):
        fragment = "scoring/channels/cited_text.html" if "pieces" in context else "components/folded_whole.html"
        return render(request, fragment, context)
    return render(request, "scoring/evaluation_text.html", context)


@require_POST
def rescore(request: HttpRequest, evaluation_id: str) -> HttpResponse:
    """A new evaluation of the same answer with another profile or version, opened; the old one stays."""
    actor = permit(actor_of(request), Act.EVALUATE)
    row = _found(evaluation_id)
    form = read_rescore(request.POST.dict())
    if form.faults:
        return _page(request, row, rescore=form, status=422)
    try:
        new = evaluation_rescore(
            actor=actor, evaluation_id=evaluation_id, profile_id=form.profile_id, number=form.number
        )
    except NotFound as refusal:
        at = "profileId" if form.number is None else "version"
        refused = RescoreForm(form.profile_id, form.version, form.number, {at: refusal.message})
        return _page(request, row, rescore=refused, status=422)
    except Problem as problem:
        refused = RescoreForm(form.profile_id, form.version, form.number, {"": f"{problem.message} {problem.hint}"})
        return _page(request, row, rescore=refused, status=problem.status)
    toast(request, f"Scored again with {new.profile_name}: {_result(row)} → {_result(new)}.")
    return redirect("evaluation", evaluation_id=new.public_id)


def _found(evaluation_id: str) -> Any:
    try:
        return evaluation_get(evaluation_id)
    except NotFound as missing:
        raise NotFound(missing.message, hint="The history lists those that are stored.") from missing


def _page(request: HttpRequest, row: Any, *, rescore: RescoreForm | None = None, status: int = 200) -> HttpResponse:
    form = read_form({name: value for name, value in request.GET.dict().items() if name not in _PAGING})
    near = neighbours(row, form.wanted or HistoryFilter())
    query = address(form.active) if form.wanted and form.active else ""
    profile = profile_at(row.profile_id, row.profile_version, deleted=True)
    sheet = sheet_of(observation_of_row(row), row.inputs, _starts(request))
    context = {
        "evaluation": row,
        "method": METHOD_WORDS.get(row.composite_method, row.composite_method),
        "profile": profile,
        "breakdown": breakdown_of(
            row.breakdown,
            method=row.composite_method,
            action=row.action,
            output=row.output,
            thresholds=_thresholds(profile),
            open_worst=True,
        ),
        "query": query,
        "newer": _address(near.newer, query),
        "older": _address(near.older, query),
        "has_output": "output" not in row.inputs,
        "sheet": sheet,
        "index": _index(sheet),
        "page": _page_address(row, query),
        "pieces": cited_pieces(row.output[:_SHOWN_OUTPUT], sheet.citations),
        "left_out": max(0, len(row.output) - _SHOWN_OUTPUT),
        "metadata": members_of({name: value for name, value in row.metadata.items() if name not in _COUNTED}),
        "counts": members_of({name: value for name, value in row.metadata.items() if name in _COUNTED}),
        "command": _command(request, row),
        "scored_again": _scored_again(row),
    }
    if may(actor_of(request), Act.EVALUATE):
        context["rescore"] = _rescore_fields(rescore or RescoreForm(row.profile_id, "", None, {}))
    return render(request, "scoring/evaluation.html", context, status=status)


def _address(evaluation_id: str | None, query: str) -> str:
    return reverse("evaluation", args=[evaluation_id]) + query if evaluation_id else ""


def _thresholds(profile: ProfileAt) -> dict[str, float]:
    thresholds = {scorer.id: getattr(scorer, "pass_threshold", None) for scorer in profile.content.scorers}
    return {scorer_id: threshold for scorer_id, threshold in thresholds.items() if threshold is not None}


def _text_of(row: Any, part: str, at: str) -> str | None:
    if part in _TEXTS:
        given = ABSENT if part == "output" and "output" in row.inputs else getattr(row, part)
    else:
        given = row.inputs.get(part, ABSENT) if part in _INPUTS else ABSENT
    value = value_at(given, at)
    return None if value is ABSENT else value_text(value)


def _starts(request: HttpRequest) -> dict[str, int]:
    """Which row of which channel the list begins at; the first where the address says nothing usable."""
    start = request.GET.get("from", "")
    usable = start.isascii() and start.isdigit() and len(start) < 9
    return {request.GET.get("channel", ""): int(start)} if usable else {}


def _page_address(row: Any, query: str) -> str:
    """The page's address, ready for another parameter."""
    return _address(row.public_id, query) + ("&" if query else "?")


def _index(sheet: Sheet) -> list[dict[str, Any]]:
    """Links to the sections of what was recorded; empty when there is nothing but texts."""
    channels = [{"words": channel.title, "address": f"#{channel.id}", "count": channel.count} for channel in sheet.done]
    asked = [{"words": sheet.asked.title, "address": "#input", "count": sheet.asked.count}] if sheet.asked else []
    about = [{"words": "Subject", "address": "#subject"}] if sheet.subject else []
    return [*asked, {"words": "Answer", "address": "#answer"}, *channels, *about] if sheet.given else []


def _result(row: Any) -> str:
    return score_text(row.score, row.pass_threshold) if row.score is not None else str(row.status)


def _scored_again(row: Any) -> list[Any]:
    """This evaluation among those that came from it or that it came from; empty when it stands alone."""
    before, after = rescored_from(row), rescored_as(row)
    return [*([before] if before else []), row, *after] if before or after else []


def _rescore_fields(form: RescoreForm) -> dict[str, Any]:
    choices = [{"value": choice.id, "label": choice.name[:80]} for choice in profile_choices()]
    if form.profile_id not in {choice["value"] for choice in choices}:
        choices.insert(0, {"value": "", "label": "Choose a profile"})
    return {"form": form, "profiles": choices, "faults": form.faults, "fault": form.faults.get("", "")}


def _command(request: HttpRequest, row: Any) -> str:
    """The curl command that evaluates the same answer; the empty string when it would be too long."""
    sent = evaluation_document(row)
    names = ("profileId", "agent", "taskId", "action", "output", *(name for name in _INPUTS if name in row.inputs))
    body: dict[str, Any] = {name: sent[name] for name in names if sent[name] is not None or name in row.inputs}
    metadata: Mapping[str, Any] = {name: value for name, value in row.metadata.items() if name not in _COUNTED}
    if metadata:
        body["metadata"] = metadata
    lines = [f"curl -X POST {shlex.quote(request.build_absolute_uri('/api/scoring/evaluate'))}"]
    if settings.PLUMBLINE_MODE != "local":
        lines.append('-H "Authorization: Bearer $PLUMBLINE_KEY"')
    lines.append("-H 'Content-Type: application/json'")
    lines.append(f"--data-raw {shlex.quote(exact_json.dumps(body, spaced=True))}")
    command = " \\\n  ".join(lines)
    return command if len(command) <= _LONGEST_COMMAND else ""
