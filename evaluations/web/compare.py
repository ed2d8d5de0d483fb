"""Two runs of an eval side by side: the answer in words, where it comes from, and the flips behind it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.permissions import actor_of
from evaluations.charts.comparison_table import TONES, cell_count, compared_rows, measured_rows
from evaluations.charts.differences import differences
from evaluations.charts.dumbbell import dumbbell
from evaluations.charts.heat_map import heat_map
from evaluations.charts.run_matrix import run_matrix
from evaluations.comparison.changes import NO_CLEAR_DIFFERENCE, TOO_FEW_ITEMS
from evaluations.findings import detection_words, finding
from evaluations.queries.comparisons import differences_of_judgement, kept_comparison, kept_spreads
from evaluations.queries.evals import eval_for
from evaluations.web.compare_choice import Choice, addable, chips, fields, read_choice, run_words, with_defaults
from evaluations.web.compare_flips import flips_context, opened_flip
from foundation.errors import FieldError, ValidationFailed

MOST_CELLS = 300
"""Scorers of kinds that the table lists at once; beyond, it lists those of one kind."""
_MOST_SPREADS = 6
_FEW_KINDS, _MANY_KINDS = 5, 12


@require_safe
def compare(request: HttpRequest, eval_id: str) -> HttpResponse:
    """The comparison that the address asks for; without runs in it, the newest against its baseline."""
    actor = actor_of(request)
    row = eval_for(actor, eval_id)
    choice = read_choice(actor, row, request.GET)
    if not choice.faults and (choice.candidate is None or choice.baseline is None):
        settled = with_defaults(row, choice)
        if settled.baseline is not None:
            return redirect(reverse("compare", args=[eval_id]) + settled.address())
    context: dict[str, Any] = {"eval": row, "choice": choice, "fields": fields(row, choice)}
    context["other_faults"] = [
        f"{name}: {fault}" for name, fault in choice.faults.items() if name not in {"run", "baseline"}
    ]
    if choice.faults:
        return render(request, "evaluations/compare.html", context, status=422)
    if choice.baseline is None:
        return render(request, "evaluations/compare.html", context)
    warnings = differences_of_judgement(choice.candidate, choice.baseline)
    context |= {
        "warnings": warnings,
        "accept": choice.address(accept="1"),
        "chips": chips(choice),
        "swapped": choice.address(
            run=choice.baseline.public_id, baseline=choice.candidate.public_id, page=None, flip=None
        ),
        "runs": [("Candidate", choice.candidate), ("Baseline", choice.baseline)],
    }
    if not warnings or choice.accepted:
        context |= {"answered": True, **_figures(choice), **flips_context(row, choice), "addable": addable(row, choice)}
    return render(request, "evaluations/compare.html", context)


@require_safe
def flip(request: HttpRequest, eval_id: str) -> HttpResponse:
    """One flip opened, which the page fetches when its row is opened."""
    choice = _pair(request, eval_id)
    if choice.flip is None:
        raise ValidationFailed.one("flip", "missing", "Name the result to open.")
    context = {"opened": opened_flip(choice.candidate.eval, choice, choice.flip)}
    return render(request, "evaluations/compare_flip.html", context)


@require_safe
def spreads(request: HttpRequest, eval_id: str) -> HttpResponse:
    """The charts of how far scores moved, which the page fetches once it stands."""
    choice = _pair(request, eval_id)
    return render(request, "evaluations/compare_spreads.html", _spreads(choice, read=True))


def _pair(request: HttpRequest, eval_id: str) -> Choice:
    """The choice of a part of the page. Raises ValidationFailed unless it names two runs that can be compared."""
    actor = actor_of(request)
    choice = read_choice(actor, eval_for(actor, eval_id), request.GET)
    if choice.faults:
        raise ValidationFailed([FieldError(name, "invalid", fault) for name, fault in choice.faults.items()])
    for name, run in (("run", choice.candidate), ("baseline", choice.baseline)):
        if run is None:
            raise ValidationFailed.one(name, "missing", "Name the two runs to compare.")
    return choice


def _figures(choice: Choice) -> dict[str, Any]:
    """The answer, the tables and the charts."""
    document = kept_comparison(choice.candidate, choice.baseline)
    found = finding(document)
    every = cell_count(document) <= MOST_CELLS
    kinds = dumbbell(document)
    return {
        "found": found,
        "tone": TONES[found.overall.verdict],
        "parts": [(TONES[part.verdict], part) for part in found.parts],
        "document": document,
        "counts": _counts(document),
        "overall": compared_rows(document, cells=False)[0],
        "detection": _detection(document),
        "heat": _heat(choice, document),
        "rows": compared_rows(document, group=choice.kind, cells=every),
        "cells_left_out": not every and choice.kind is None,
        "all_kinds": choice.address(kind=None, page=None, flip=None) + "#figures",
        "measured": measured_rows(document),
        "kinds": kinds,
        "kinds_height": _height(len(kinds.rows)) if kinds else "",
        **_spreads(choice, read="charts" in choice.given),
        "matrix": run_matrix([(run_words(run), run.aggregates or {}) for run in _side_by_side(choice)])
        if choice.others
        else None,
    }


def _spreads(choice: Choice, *, read: bool) -> dict[str, Any]:
    """The charts of how far scores moved; without them an address to fetch them from, and one to go to."""
    kept = kept_spreads(choice.candidate, choice.baseline, read=read)
    if kept is None:
        fragment = reverse("compare-spreads", args=[choice.candidate.eval.public_id])
        pair = choice.address(tab=None, page=None, kind=None, flip=None)
        return {"spreads_fragment": fragment + pair, "with_charts": choice.address(charts="1") + "#spreads"}
    drawn = list(kept.items())[:_MOST_SPREADS]
    return {
        "spreads": [differences(key, counts, place) for place, (key, counts) in enumerate(drawn)],
        "spreads_left_out": max(0, len(kept) - _MOST_SPREADS),
    }


def _side_by_side(choice: Choice) -> list[Any]:
    runs = [choice.candidate, choice.baseline, *choice.others]
    return list({run.pk: run for run in runs}.values())


def _heat(choice: Choice, document: Any) -> dict[str, Any] | None:
    """The heat map, where each kind leads to its flips."""
    found = heat_map(document)
    if found is None:
        return None
    rows = [
        {
            "label": row.label,
            "group": row.group,
            "cells": row.cells,
            "address": choice.address(kind=row.group, page=None, flip=None) + "#flips",
        }
        for row in found.rows
    ]
    return {"columns": found.columns, "rows": rows}


def _detection(document: Any) -> str:
    """What so many items can show; empty where the notes say it already."""
    detectable = document.get("detectable_change")
    if detectable is None or document["verdict"] in {NO_CLEAR_DIFFERENCE, TOO_FEW_ITEMS}:
        return ""
    return detection_words(document["compared_item_count"], detectable["discordant_share"])


def _height(rows: int) -> str:
    """The height of a chart with so many kinds, as components/figure.html names it."""
    return "short" if rows <= _FEW_KINDS else "tall" if rows >= _MANY_KINDS else ""


def _counts(document: Any) -> list[tuple[str, int, str]]:
    """How many items are in the comparison, and how many are not and why."""
    return [
        ("Shared", document["compared_item_count"], "in both runs, unedited, scored in both"),
        ("Edited", document["edited_item_count"], "question or expectation changed since"),
        ("Added", document["added_item_count"], "only in the candidate"),
        ("Removed", document["removed_item_count"], "only in the baseline"),
        ("Excluded", document["excluded_item_count"], "errored or without a verdict in either run"),
    ]
