"""One result: what was asked, what came, why it was judged so, and the same item in the baseline run."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.permissions import actor_of
from evaluations.forms.results import address, read_results
from evaluations.item_scoring import expected_of, observe
from evaluations.queries.runs import neighbours_of, result_for, result_in_baseline, status_of
from evaluations.specification import Specification
from foundation.errors import NotFound
from scoring.breakdowns import Breakdown, breakdown_of
from scoring.channels.citations import cited_pieces
from scoring.channels.recorded import Value, value_at, value_of, value_text
from scoring.channels.sheet import Sheet, sheet_of
from scoring.evidence.parts import members_of
from scoring.kit.paths import ABSENT

_SHOWN_OUTPUT = 1_500
_LONGEST_DIFFERENCE = 5_000
_PARTS = {"output": "Output", "observation": "Observation", "expected": "Expected", "raw": "Raw answer"}


@require_safe
def result(request: HttpRequest, eval_id: str, run_id: str, result_id: str) -> HttpResponse:
    """The result; filters in the address are the list that previous and next move in."""
    row = result_for(actor_of(request), eval_id, run_id, result_id)
    form = read_results(request.GET.dict())
    near = neighbours_of(row, form.wanted or {})
    query = address(form.given) if form.wanted is not None else ""
    specification = Specification(row.run.specification)
    inputs = _inputs(row)
    sheet = sheet_of(observe(row.frozen, inputs["observation"], _case(row)), inputs, _starts(request))
    output = _output(row)
    context = {
        "result": row,
        "run": row.run,
        "eval": row.run.eval,
        "project": row.run.eval.project,
        "status": status_of(row),
        "breakdown": _breakdown(row.scores, specification, output or ""),
        "sheet": sheet,
        "index": _index(sheet, answered=row.observation is not None),
        "has_output": output is not None,
        "output": output or "",
        "pieces": cited_pieces((output or "")[:_SHOWN_OUTPUT], sheet.citations),
        "left_out": max(0, len(output or "") - _SHOWN_OUTPUT),
        "raw": _raw(row),
        "metadata": members_of(row.frozen.get("metadata") or {}),
        "texts": reverse("result-text", args=[eval_id, run_id, result_id, "_"]).removesuffix("_"),
        "page": _address(row, row.public_id, query) + ("&" if query else "?"),
        "before": _address(row, near.before, query),
        "after": _address(row, near.after, query),
        "query": query,
        **_baseline(row, output),
    }
    return render(request, "evaluations/result.html", context)


@require_safe
def text(request: HttpRequest, eval_id: str, run_id: str, result_id: str, part: str) -> HttpResponse:
    """One of its texts, whole: what "Show all" fetches. `at` is a JSON pointer to a value within it."""
    row = result_for(actor_of(request), eval_id, run_id, result_id)
    at = request.GET.get("at", "")
    whole = value_at(_part(row, part), at)
    if whole is ABSENT:
        raise NotFound(f"This result has no {part}{at[:100]}.", hint="Go back to the result.")
    context: dict[str, Any] = {"result": row, "words": _PARTS[part], "text": value_text(whole), "at": at}
    if getattr(request, "htmx", False):
        return render(request, "components/folded_whole.html", context)
    context |= {"run": row.run, "eval": row.run.eval, "project": row.run.eval.project}
    return render(request, "evaluations/result_text.html", context)


def _part(row: Any, part: str) -> Any:
    if part == "output":
        output = _output(row)
        return ABSENT if output is None else output
    if part == "raw":
        return (row.error or {}).get("raw", ABSENT)
    return _inputs(row).get(part, ABSENT)


def _case(row: Any) -> str:
    return str(row.item_key or row.item_public_id)


def _output(row: Any) -> str | None:
    answer = (row.observation or {}).get("output")
    output = answer.get("text") if isinstance(answer, dict) else None
    return output if isinstance(output, str) else None


def _inputs(row: Any) -> dict[str, Any]:
    """What a sheet takes: the observation with the question of the item, and the ground truth."""
    inputs: dict[str, Any] = {"observation": {"input": {"messages": row.frozen["input"]}, **(row.observation or {})}}
    expected = expected_of(row.frozen)
    return inputs if expected is ABSENT else {**inputs, "expected": expected}


def _starts(request: HttpRequest) -> dict[str, int]:
    """Which row of which channel the list begins at; the first where the address says nothing usable."""
    start = request.GET.get("from", "")
    usable = start.isascii() and start.isdigit() and len(start) < 9
    return {request.GET.get("channel", ""): int(start)} if usable else {}


def _breakdown(scores: list[dict[str, Any]], specification: Specification, output: str) -> Breakdown | None:
    """The scores as a profile's breakdown shows them; None when no scorer said anything."""
    if not scores:
        return None
    known = {keyed.key: keyed.scorer for keyed in specification.scorers}
    entries = [_entry(score, known.get(score["scorer"])) for score in scores]
    thresholds = {key: getattr(scorer, "pass_threshold", None) for key, scorer in known.items()}
    return breakdown_of(
        entries,
        method=specification.profile.composite_method if specification.profile else "weightedAvg",
        output=output,
        thresholds={key: threshold for key, threshold in thresholds.items() if threshold is not None},
        open_worst=True,
    )


def _entry(score: Mapping[str, Any], scorer: Any) -> dict[str, Any]:
    return {
        **score,
        "scorerId": score["scorer"],
        "scorerName": getattr(scorer, "name", None) or score["scorer"],
        "explanation": score.get("reasoning") or "",
        "weight": getattr(scorer, "weight", 1),
        "required": getattr(scorer, "required", False),
    }


def _raw(row: Any) -> Value | None:
    raw = (row.error or {}).get("raw")
    return None if raw is None else value_of(raw, ("raw",))


def _index(sheet: Sheet, *, answered: bool) -> list[dict[str, Any]]:
    """Links to the sections of what was recorded; empty when there is little."""
    channels = [{"words": channel.title, "address": f"#{channel.id}", "count": channel.count} for channel in sheet.done]
    asked = [{"words": sheet.asked.title, "address": "#input", "count": sheet.asked.count}] if sheet.asked else []
    answer = [{"words": "Answer", "address": "#answer"}] if answered else []
    return [*asked, *answer, *channels] if channels else []


def _address(row: Any, result_id: str | None, query: str) -> str:
    if result_id is None:
        return ""
    return reverse("result", args=[row.run.eval.public_id, row.run.public_id, result_id]) + query


def _baseline(row: Any, output: str | None) -> dict[str, Any]:
    """The same item in the baseline run, scorer by scorer; `earlier` is None where it has none."""
    earlier = result_in_baseline(row)
    if earlier is None:
        return {"earlier": None}
    before = {entry["scorer"]: entry for entry in earlier.scores}
    after = {entry["scorer"]: entry for entry in row.scores}
    said = _output(earlier)
    short = max(len(output or ""), len(said or "")) <= _LONGEST_DIFFERENCE
    return {
        "earlier": earlier,
        "earlier_status": status_of(earlier),
        "earlier_output": said,
        "edited": earlier.content_hash != row.content_hash,
        "compared_scores": [(key, before.get(key), after.get(key)) for key in {**before, **after}],
        "same_output": said == output,
        "show_difference": short and said is not None and output is not None and said != output,
    }
