"""Reads of runs and their results."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.actors import Actor
from evaluations.models import Eval, Result, Run
from evaluations.permissions import Act
from evaluations.queries.things import thing_for
from foundation.errors import NotFound

_PROJECT = "eval__project"
_RELATED = ("eval__project", "agent_version__agent", "baseline_run", "rescore_of")


def run_for(actor: Actor | None, eval_id: str, run_id: str, act: Act = Act.READ) -> Run:
    """The run of that eval. Raises NotFound or Forbidden."""
    runs = Run.objects.select_related(*_RELATED).filter(eval__public_id=eval_id)
    return thing_for(actor, runs, run_id, act, project=_PROJECT)


def runs_of(row: Eval) -> QuerySet[Run]:
    """The runs of an eval, newest first, with what they refer to."""
    return row.runs.select_related(*_RELATED)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, in results (items times trials): each is counted from the rows, never kept."""

    total: int
    completed: int
    errored: int

    @property
    def pending(self) -> int:
        """Results that are neither done nor errored yet."""
        return self.total - self.completed - self.errored


def progress_of(runs: list[Run]) -> dict[int, Progress]:
    """The progress of each run by its database key; one query for all of them."""
    errored = Count("pk", filter=Q(status=Result.Status.ERRORED))
    done = Count("pk", filter=Q(state=Result.State.DONE) & ~Q(status=Result.Status.ERRORED))
    rows = Result.objects.filter(run__in=runs).order_by().values("run_id")
    counted = rows.annotate(total=Count("pk"), completed=done, errored=errored)
    found = {row["run_id"]: Progress(row["total"], row["completed"], row["errored"]) for row in counted}
    return {run.pk: found.get(run.pk, Progress(0, 0, 0)) for run in runs}


def results_of(run: Run, filters: Mapping[str, Any]) -> QuerySet[Result]:
    """The results of a run in dataset order, narrowed by all of `filters` (read by evaluations.result_filters)."""
    rows = run.results.select_related("item")
    for narrow in filters.items():
        rows = rows.filter(_condition(run, *narrow))
    return rows.order_by("position", "trial")


def _condition(run: Run, name: str, value: Any) -> Q:
    match name:
        case "scorer_failed":
            return Q(failed_scorers__contains=f"\n{value}\n")
        case "scorer_passed":
            unfinished = Q(errored_scorers__contains=f"\n{value}\n") | ~Q(state=Result.State.DONE) | Q(outcomes=[])
            return ~(unfinished | Q(failed_scorers__contains=f"\n{value}\n"))
        case "scorer_errored":
            return Q(errored_scorers__contains=f"\n{value}\n")
        case "changed":
            return _changed(run, changed=value)
        case "q":
            return Q(search_text__contains=value)
        case "ungrouped":
            return Q(group=None)
        case _:
            return Q(**{name: value})


def _changed(run: Run, *, changed: bool) -> Q:
    """Whether the verdict differs from that of the same item and trial in the baseline run."""
    if run.baseline_run_id is None:
        return Q(pk__in=[]) if changed else Q()
    before = Result.objects.filter(
        run_id=run.baseline_run_id, item_public_id=OuterRef("item_public_id"), trial=OuterRef("trial")
    )
    same = Exists(before.filter(passed=OuterRef("passed"))) | Q(Exists(before.filter(passed=None)), passed=None)
    differs = Q(Exists(before)) & ~Q(same)
    return differs if changed else ~differs


def status_of(result: Result) -> str:
    """What there is to say of a result: its status once it is done, else whether it still waits."""
    if result.status:
        return result.status
    return "canceled" if result.state == Result.State.CANCELED else "pending"


def results_in_brief(run: Run, filters: Mapping[str, Any], offset: int, limit: int) -> list[Result]:
    """Some of `results_of`, without what only the page of one result shows."""
    rows = results_of(run, filters).defer("scores", "recorded", "search_text")
    return list(rows[offset : offset + limit])


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The identifiers of the results before and after one in a filtered list; None at its ends."""

    before: str | None
    after: str | None


def neighbours_of(result: Result, filters: Mapping[str, Any]) -> Neighbours:
    """The nearest results that the filters let through, whether or not they let this one through."""
    rows = results_of(result.run, filters)
    place, trial = result.position, result.trial
    before = rows.filter(Q(position__lt=place) | Q(position=place, trial__lt=trial)).order_by("-position", "-trial")
    after = rows.filter(Q(position__gt=place) | Q(position=place, trial__gt=trial))
    names = (found.values_list("public_id", flat=True).first() for found in (before, after))
    return Neighbours(*names)


def result_in_baseline(result: Result) -> Result | None:
    """What the baseline run says of the same item and trial; None without one."""
    if result.run.baseline_run is None:
        return None
    same = result.run.baseline_run.results.filter(item_public_id=result.item_public_id, trial=result.trial)
    return same.defer("recorded", "search_text").first()


def completed_runs(row: Eval, most: int) -> list[Run]:
    """The newest completed runs of an eval, newest first, without their specifications."""
    found = row.runs.filter(status=Run.Status.COMPLETED).select_related("agent_version")
    return list(found.defer("specification", "metadata")[:most])


def result_for(actor: Actor | None, eval_id: str, run_id: str, result_id: str, act: Act = Act.READ) -> Result:
    """One result of that run. Raises NotFound or Forbidden."""
    run = run_for(actor, eval_id, run_id, act)
    result = run.results.select_related("item").filter(public_id=result_id).first()
    if result is None:
        raise NotFound("There is no result with this identifier in the run.")
    result.run = run
    return result
