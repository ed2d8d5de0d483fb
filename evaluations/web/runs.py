"""A run: how far it is, what it says, its results; and what is done with it."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.permissions import actor_of
from evaluations.charts.comparison_table import TONES
from evaluations.charts.kinds import kind_chart
from evaluations.findings import finding
from evaluations.forms.results import ResultsForm, address, chips, fields, read_results
from evaluations.permissions import Act, may
from evaluations.queries.runs import Progress, progress_of, results_in_brief, results_of, run_for, status_of
from evaluations.services.evals import eval_update
from evaluations.services.runs import RunOrder, run_cancel, run_retry_errored, run_start
from evaluations.specification import Specification
from evaluations.web.paging import Paging
from evaluations.web.runs_figures import delta_of, kind_lines, run_rate, scorer_lines
from foundation import times
from foundation.errors import Problem, ValidationFailed
from foundation.figures import duration_text, number_text
from foundation.http.toasts import toast
from scoring.channels.recorded import value_text
from scoring.kit.text import shortened

RESULTS_A_PAGE = 50
_OPEN = ("queued", "running")
# To htmx's poll: nothing more will come.
_STOP_POLLING = 286
_FEW_KINDS, _MANY_KINDS = 4, 12
_FORMATS = (("csv", "CSV"), ("jsonl", "JSON Lines"), ("json", "JSON"))


@require_safe
def run(request: HttpRequest, eval_id: str, run_id: str) -> HttpResponse:
    """The run's figures, and one page of the results that the address means."""
    actor = actor_of(request)
    row = run_for(actor, eval_id, run_id)
    given = request.GET.dict()
    if any(value == "" for value in given.values()):
        # A form sends its empty fields too; the address without them is the one to pass on.
        return redirect(request.path + address(read_results(given).given) + "#results")
    form = read_results(given)
    progress = progress_of([row])[row.pk]
    context = {
        "run": row,
        "eval": row.eval,
        "project": row.eval.project,
        "may_run": may(actor, row.eval.project, Act.RUN),
        "may_write": may(actor, row.eval.project, Act.WRITE),
        "is_baseline": row.eval.baseline_run_id == row.pk,
        **_progress_context(row, progress),
        **(_figures(row) if row.aggregates else {}),
        **_results(request, row, form),
    }
    return render(request, "evaluations/run.html", context, status=200 if form.wanted is not None else 422)


@require_safe
def run_progress(request: HttpRequest, eval_id: str, run_id: str) -> HttpResponse:
    """How far the run is, which the page asks every two seconds; the last answer loads the page again."""
    row = run_for(actor_of(request), eval_id, run_id)
    context = {"run": row, "eval": row.eval, **_progress_context(row, progress_of([row])[row.pk])}
    if row.status in _OPEN:
        return render(request, "evaluations/run_progress.html", context)
    response = render(request, "evaluations/run_progress.html", context, status=_STOP_POLLING)
    response["HX-Refresh"] = "true"
    return response


@require_POST
def cancel(request: HttpRequest, eval_id: str, run_id: str) -> HttpResponse:
    """The run, canceled; what is done stays."""
    return _acted(request, eval_id, run_id, lambda actor, row: run_cancel(actor=actor, run=row), "Canceled the run.")


@require_POST
def retry(request: HttpRequest, eval_id: str, run_id: str) -> HttpResponse:
    """The run, open again for what erred."""
    words = "Its errored results are tried again."
    return _acted(request, eval_id, run_id, lambda actor, row: run_retry_errored(actor=actor, run=row), words)


@require_POST
def rescore(request: HttpRequest, eval_id: str, run_id: str) -> HttpResponse:
    """A new run, opened: the answers of this one, judged by the eval's scorers as they are today."""
    actor = actor_of(request)
    row = run_for(actor, eval_id, run_id, Act.RUN)
    try:
        new = run_start(actor=actor, row=row.eval, order=RunOrder(name=row.name, rescore_of=row.public_id))
    except ValidationFailed as problem:
        toast(request, problem.fields[0].message, level=40)
        return redirect("run", eval_id, run_id)
    toast(request, "Today's scorers judge the same answers again, in a run of its own.")
    return redirect("run", eval_id, new.public_id)


@require_POST
def baseline(request: HttpRequest, eval_id: str, run_id: str) -> HttpResponse:
    """The run, as what new runs of its eval are compared with."""

    def set_baseline(actor: Any, row: Any) -> None:
        eval_update(actor=actor, row=row.eval, changes={"baseline_run_id": row.public_id})

    return _acted(request, eval_id, run_id, set_baseline, "New runs are compared with this one.", act=Act.WRITE)


def _acted(
    request: HttpRequest, eval_id: str, run_id: str, do: Callable[[Any, Any], Any], words: str, *, act: Act = Act.RUN
) -> HttpResponse:
    actor = actor_of(request)
    row = run_for(actor, eval_id, run_id, act)
    try:
        do(actor, row)
    except Problem as problem:
        if problem.status in {401, 403, 404}:
            raise
        # It ended or began meanwhile: the page shows how it stands now.
        toast(request, problem.message, level=40)
    else:
        toast(request, words)
    return redirect("run", eval_id, run_id)


def _progress_context(row: Any, progress: Progress) -> dict[str, Any]:
    done = progress.completed + progress.errored
    return {
        "progress": progress,
        "done": done,
        "open": row.status in _OPEN,
        "pace": _pace(row, done, progress.total),
    }


def _pace(row: Any, done: int, total: int) -> str:
    if row.status == "queued":
        return "waiting for a worker"
    if row.started_at is None or row.finished_at is not None or not done:
        return ""
    seconds = (times.now() - row.started_at).total_seconds()
    rate = done / seconds if seconds > 0 else 0
    left = f" · about {duration_text((total - done) / rate)} left" if rate else ""
    return f"{number_text(rate, 1)} a second{left}"


def _figures(row: Any) -> dict[str, Any]:
    aggregates = row.aggregates
    specification = Specification(row.specification)
    types = {keyed.key: keyed.type for keyed in specification.scorers}
    compared = aggregates.get("baseline")
    kinds = kind_lines(aggregates, row.trials)
    scorers = scorer_lines(aggregates, types, row.trials)
    return {
        "aggregates": aggregates,
        "rate": run_rate(aggregates, row.trials),
        "delta": delta_of(compared),
        **(_answer(compared) if compared else {}),
        "threshold": specification.pass_threshold,
        "min_coverage": specification.min_coverage,
        "scorers": scorers,
        "measured": [line for line in scorers if line.values],
        "kinds": kinds,
        "kind_name": specification.group_by,
        "ungrouped": aggregates.get("grouping", {}).get("ungrouped_item_count", 0),
        "chart": kind_chart(aggregates),
        "chart_height": "short" if len(kinds) <= _FEW_KINDS else "tall" if len(kinds) > _MANY_KINDS else "",
    }


def _answer(comparison: Mapping[str, Any]) -> dict[str, Any]:
    """The answer in words, as compare_answer.html shows it."""
    found = finding(comparison)
    parts = [(TONES[part.verdict], part) for part in found.parts]
    return {"found": found, "tone": TONES[found.overall.verdict], "parts": parts}


def _results(request: HttpRequest, row: Any, form: ResultsForm) -> dict[str, Any]:
    kinds = list((row.aggregates or {}).get("grouping", {}).get("groups", {}))
    scorers = list(Specification(row.specification).identities)
    compared = row.baseline_run is not None
    query = address(form.given)
    failing = form.given.get("passed") == "false"
    context: dict[str, Any] = {
        "form": form,
        "fields": list(fields(form, scorers, kinds, compared=compared)),
        "chips": chips(form),
        "failing": failing,
        "failures": address(form.given, passed=None if failing else "false") or "?",
    }
    if form.wanted is None:
        return context
    paging = Paging(request.GET, RESULTS_A_PAGE)
    found = results_in_brief(row, form.wanted, paging.offset, RESULTS_A_PAGE)
    base = reverse("api-eval-run-export", args=[row.eval.public_id, row.public_id])
    return context | {
        "results": [_result(result, row, query) for result in found],
        "paging": paging.counted(len(found), results_of(row, form.wanted).count, "results"),
        "exports": [{"words": words, "href": base + address(form.given, format=kind)} for kind, words in _FORMATS],
    }


def _result(result: Any, row: Any, query: str) -> dict[str, Any]:
    answer = (result.observation or {}).get("output") or {}
    said = answer.get("text") if answer.get("text") is not None else answer.get("object")
    return {
        "row": result,
        "address": reverse("result", args=[row.eval.public_id, row.public_id, result.public_id]) + query,
        "status": status_of(result),
        "failed": [key for key in result.failed_scorers.split("\n") if key],
        "asked": shortened(asked_text(result.frozen)),
        "said": shortened(value_text(said)) if said is not None else "",
    }


def asked_text(frozen: Mapping[str, Any]) -> str:
    """The last message of the question, as text."""
    messages = frozen.get("input") or []
    last = messages[-1] if isinstance(messages, list) and messages else {}
    return value_text(last.get("content", "")) if isinstance(last, dict) else value_text(last)
