"""An eval: its runs over time, what judges them, and the forms that make, change and run it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.actors import Actor
from accounts.permissions import actor_of
from evaluations.charts.trend import TrendPoint, trend_chart
from evaluations.findings import detection_words
from evaluations.forms.evals import EXAMPLE, EvalForm, eval_initial
from evaluations.forms.runs import RECORDED, RunForm
from evaluations.permissions import Act, may
from evaluations.queries.agents import agents_listed
from evaluations.queries.datasets import datasets_listed, item_count
from evaluations.queries.evals import eval_for, scorers_of
from evaluations.queries.projects import project_at
from evaluations.queries.runs import completed_runs, progress_of, runs_of
from evaluations.services.evals import eval_create, eval_delete, eval_update
from evaluations.services.runs import RunOrder, run_start
from evaluations.web.paging import Paging, page_from
from evaluations.web.runs_figures import delta_of, run_rate
from foundation import exact_json
from foundation.errors import Problem
from foundation.http.toasts import toast
from scoring.queries.listing import profile_choices

RUNS_A_PAGE = 25
MOST_IN_TREND = 50
_MOST_CHOICES = 200
_MOST_BASELINES = 50
_LONGEST_LABEL = 80


@require_safe
def eval_page(request: HttpRequest, eval_id: str) -> HttpResponse:
    """Its runs, newest first, the trend of their pass rates, and its settings."""
    actor = actor_of(request)
    row = eval_for(actor, eval_id)
    runs = runs_of(row).defer("specification", "metadata")
    paging = Paging(request.GET, RUNS_A_PAGE)
    shown = page_from(runs, paging)
    progress = progress_of(shown) if shown else {}
    count = item_count(row.dataset)
    context = {
        "eval": row,
        "project": row.project,
        "rows": [_run_row(run, progress[run.pk]) for run in shown],
        "paging": paging.counted(len(shown), runs.count, "runs"),
        "chart": None if paging.offset else _trend(row),
        "scorers": [_scorer(keyed) for keyed in scorers_of(row)],
        "item_count": count,
        "detects": detection_words(count) if count else "",
        "may_run": may(actor, row.project, Act.RUN),
        "may_write": may(actor, row.project, Act.WRITE),
        "may_delete": may(actor, row.project, Act.DELETE),
    }
    return render(request, "evaluations/eval.html", context)


def _run_row(run: Any, progress: Any) -> dict[str, Any]:
    aggregates = run.aggregates
    return {
        "run": run,
        "progress": progress,
        "done": progress.completed + progress.errored,
        "rate": run_rate(aggregates, run.trials) if aggregates else None,
        "delta": delta_of(aggregates.get("baseline")) if aggregates else None,
    }


def _scorer(keyed: Any) -> dict[str, str]:
    settings = {name: value for name, value in keyed.document.items() if name not in {"type", "name", "id"}}
    return {"key": keyed.key, "type": keyed.type, "settings": exact_json.dumps(settings, spaced=True)}


def _trend(row: Any) -> Any:
    points = []
    for run in reversed(completed_runs(row, MOST_IN_TREND)):
        if run.finished_at is None:
            continue
        rate = run_rate(run.aggregates, run.trials)
        label = run.name or (f"version {run.agent_version.number}" if run.agent_version else run.public_id)
        label = label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"
        points.append(TrendPoint(label, run.finished_at, rate.value, rate.low, rate.high, rate.judged, rate.errored))
    return trend_chart(points)


def _choices(actor: Actor | None, project_id: str) -> dict[str, Any]:
    def named(rows: Any) -> list[tuple[str, str]]:
        return [(row.public_id, row.name[:_LONGEST_LABEL]) for row in rows.order_by("name", "id")[:_MOST_CHOICES]]

    return {
        "datasets": named(datasets_listed(actor, project_id)),
        "agents": named(agents_listed(actor, project_id)),
        "profiles": [(choice.id, choice.name[:_LONGEST_LABEL]) for choice in profile_choices()],
    }


@require_http_methods(["GET", "HEAD", "POST"])
def eval_new(request: HttpRequest, project_id: str) -> HttpResponse:
    """The form of a new eval; sent, the eval, opened."""
    actor = actor_of(request)
    project = project_at(actor, project_id, Act.WRITE)
    choices = _choices(actor, project_id)
    posted = request.POST if request.method == "POST" else None
    form = EvalForm(posted, **choices, initial={"dataset": request.GET.get("dataset", "")})
    if form.is_bound and form.is_valid():
        try:
            made = eval_create(actor=actor, project=project, body=form.body())
        except Problem as problem:
            form.refuse(problem)
        else:
            toast(request, f"Created the eval “{made.name}”. Now start a run of it.")
            return redirect("eval", made.public_id)
    context = {"project": project, "form": form, "example": EXAMPLE, "no_datasets": not choices["datasets"]}
    return render(request, "evaluations/eval_form.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def eval_edit(request: HttpRequest, eval_id: str) -> HttpResponse:
    """The form of an eval as it is; sent, the eval as it is now. Runs keep what they froze."""
    actor = actor_of(request)
    row = eval_for(actor, eval_id, Act.WRITE)
    posted = request.POST if request.method == "POST" else None
    form = EvalForm(posted, **_choices(actor, row.project.public_id), initial=eval_initial(row))
    project, name = row.project, row.name
    if form.is_bound and form.is_valid():
        try:
            eval_update(actor=actor, row=row, changes=form.body())
        except Problem as problem:
            form.refuse(problem)
        else:
            toast(request, "Saved. Runs that were started before keep the settings they had.")
            return redirect("eval", eval_id)
    context = {"project": project, "editing": row, "was_called": name, "form": form, "example": EXAMPLE}
    return render(request, "evaluations/eval_form.html", context, status=422 if form.errors else 200)


@require_POST
def eval_remove(request: HttpRequest, eval_id: str) -> HttpResponse:
    """The project, without the eval and its runs."""
    actor = actor_of(request)
    row = eval_for(actor, eval_id, Act.DELETE)
    eval_delete(actor=actor, row=row)
    toast(request, f"Deleted the eval “{row.name}” with its runs.")
    return redirect("project", row.project.public_id)


@require_http_methods(["GET", "HEAD", "POST"])
def run_new(request: HttpRequest, eval_id: str) -> HttpResponse:
    """The form that starts a run; sent, the run, opened."""
    actor = actor_of(request)
    row = eval_for(actor, eval_id, Act.RUN)
    baselines = [(run.public_id, _run_label(run)) for run in completed_runs(row, _MOST_BASELINES)]
    posted, files = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = RunForm(posted, files, has_agent=row.agent is not None, baselines=baselines)
    if form.is_bound and form.is_valid():
        try:
            run = run_start(actor=actor, row=row, order=_order(form.cleaned_data))
        except Problem as problem:
            form.refuse(problem)
        else:
            toast(request, f"Started a run over {run.item_count:,} items.")
            return redirect("run", eval_id, run.public_id)
    count = item_count(row.dataset)
    context = {
        "eval": row,
        "project": row.project,
        "form": form,
        "item_count": count,
        "detects": detection_words(count) if count else "",
        "api": request.build_absolute_uri(reverse("api-eval-runs", args=[eval_id])),
    }
    return render(request, "evaluations/eval_run.html", context, status=422 if form.errors else 200)


def _run_label(run: Any) -> str:
    name = (run.name or run.public_id)[:_LONGEST_LABEL]
    return f"{name}, {run.finished_at:%Y-%m-%d %H:%M}"


def _order(given: Mapping[str, Any]) -> RunOrder:
    return RunOrder(
        name=given["name"],
        trials=given["trials"],
        baseline_run_id=given["baseline"] or None,
        outputs=given["answers"] if given["source"] == RECORDED else None,
    )
