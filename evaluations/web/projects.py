"""Projects: the list, a new one, and the first page of one: its evals with how they did, and what is running."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.actors import Actor
from accounts.permissions import actor_of
from evaluations.forms.projects import ProjectForm
from evaluations.permissions import CREATE_PROJECT, Act, may, permit_create_project
from evaluations.queries.glances import EvalGlance, eval_glances, evals_in, projects_listed, running_in
from evaluations.queries.projects import project_at
from evaluations.services.projects import project_create
from evaluations.web.paging import Paging, page_from
from evaluations.web.runs_figures import Delta, Rate, delta_of, run_rate
from foundation.errors import Unauthorized
from foundation.figures import percent_text
from foundation.http.toasts import toast

_EVALS_A_PAGE = 25
_PROJECTS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class EvalRow:
    """A line of the project's evals. The figures are of its newest completed run; None where there is none."""

    glance: EvalGlance
    rate: Rate | None
    delta: Delta | None
    errored_share: float | None
    item_count: int
    spark_words: str


@require_safe
def project_list(request: HttpRequest) -> HttpResponse:
    """The projects that the person may know of."""
    actor = actor_of(request)
    if actor is None:
        raise Unauthorized
    rows = projects_listed(actor)
    paging = Paging(request.GET, _PROJECTS_A_PAGE)
    shown = page_from(rows, paging)
    context = {"projects": shown, "paging": paging.counted(len(shown), rows.count), "may_create": _may_create(actor)}
    return render(request, "evaluations/project_list.html", context)


def _may_create(actor: Actor) -> bool:
    return actor.may(CREATE_PROJECT)


@require_http_methods(["GET", "HEAD", "POST"])
def project_new(request: HttpRequest) -> HttpResponse:
    """The form of a new project; sent, the project, opened."""
    actor = permit_create_project(actor_of(request))
    form = ProjectForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        made = project_create(actor=actor, **form.cleaned_data)
        toast(request, f"Created the project “{made.name}”.")
        return redirect("project", made.public_id)
    return render(request, "evaluations/project_new.html", {"form": form}, status=422 if form.errors else 200)


@require_safe
def project(request: HttpRequest, project_id: str) -> HttpResponse:
    """The project's evals, each with its newest run, and what is running now."""
    actor = actor_of(request)
    row = project_at(actor, project_id)
    evals = evals_in(row)
    paging = Paging(request.GET, _EVALS_A_PAGE)
    shown = page_from(evals, paging)
    context: dict[str, Any] = {
        "project": row,
        "rows": [_eval_row(glance) for glance in eval_glances(shown)],
        "paging": paging.counted(len(shown), evals.count),
        "running": running_in(row),
        "may_write": may(actor, row, Act.WRITE),
    }
    return render(request, "evaluations/project.html", context)


def _eval_row(glance: EvalGlance) -> EvalRow:
    run = glance.newest
    aggregates = run.aggregates if run else None
    if run is None or not aggregates:
        return EvalRow(glance, None, None, None, 0, "")
    items = run.item_count
    return EvalRow(
        glance=glance,
        rate=run_rate(aggregates, run.trials),
        delta=delta_of(aggregates.get("baseline")),
        errored_share=aggregates["errored_item_count"] / items if items else None,
        item_count=items,
        spark_words=_spark_words(glance.spark),
    )


def _spark_words(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "No pass rates yet"
    return f"Pass rates of {len(known)} runs, {percent_text(min(known))} to {percent_text(max(known))}"
