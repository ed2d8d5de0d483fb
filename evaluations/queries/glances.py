"""What a project's first page shows of each eval: its newest runs, read for all evals together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from accounts.actors import Actor
from accounts.models import Project
from accounts.queries import projects_of
from evaluations.models import OPEN_RUN, Eval, Run
from evaluations.queries.runs import Progress, progress_of

RUNS_IN_A_SPARK = 20
MOST_RUNNING = 20
# What a table of runs never shows, and what may be large.
_LARGE = ("specification", "metadata")


@dataclass(slots=True)
class EvalGlance:
    """An eval with its newest completed run, and the pass rates of its last completed runs, oldest first."""

    eval: Eval
    newest: Run | None = None
    spark: list[float | None] = field(default_factory=list)
    open_count: int = 0
    """How many of its last twenty runs are not finished."""


def projects_listed(actor: Actor) -> QuerySet[Project]:
    """The projects that the actor may know of, newest first, each with `dataset_count` and `eval_count`."""
    counted = {
        "dataset_count": Count("datasets", distinct=True),
        "eval_count": Count("evals", distinct=True),
    }
    return projects_of(actor).annotate(**counted).order_by("-created_at", "-id")


def evals_in(project: Project) -> QuerySet[Eval]:
    """The evals of the project, newest first, each with its dataset and agent."""
    return project.evals.select_related("dataset", "agent")


def eval_glances(rows: Sequence[Eval]) -> list[EvalGlance]:
    """Each eval at a glance; two queries for all of them."""
    newest_first = Window(RowNumber(), partition_by=F("eval_id"), order_by=(F("created_at").desc(), F("id").desc()))
    ranked = Run.objects.filter(eval__in=rows).order_by().annotate(place=newest_first)
    columns = ("pk", "eval_id", "status", "pass_rate", "place")
    found = sorted(ranked.filter(place__lte=RUNS_IN_A_SPARK).values_list(*columns), key=lambda row: row[-1])
    glances = {row.pk: EvalGlance(row) for row in rows}
    newest: dict[int, int] = {}
    for pk, eval_pk, status, pass_rate, _ in found:
        if status == Run.Status.COMPLETED:
            newest.setdefault(eval_pk, pk)
            glances[eval_pk].spark.insert(0, pass_rate)
        elif status in OPEN_RUN:
            glances[eval_pk].open_count += 1
    runs = Run.objects.defer(*_LARGE).in_bulk(list(newest.values())) if newest else {}
    for eval_pk, pk in newest.items():
        glances[eval_pk].newest = runs[pk]
    return [glances[row.pk] for row in rows]


def running_in(project: Project) -> list[tuple[Run, Progress]]:
    """The project's runs that are not finished, newest first, twenty at most, with how far each is."""
    open_runs = Run.objects.filter(eval__project=project, status__in=OPEN_RUN).select_related("eval").defer(*_LARGE)
    runs = list(open_runs[:MOST_RUNNING])
    progress = progress_of(runs) if runs else {}
    return [(run, progress[run.pk]) for run in runs]
