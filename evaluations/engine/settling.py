"""Settling a run: once its last result is done, its aggregates are written and it is closed, once."""

import logging
from typing import Any

from django.db import transaction

from evaluations.aggregates import aggregate, run_passed
from evaluations.events import run_ended
from evaluations.models import OPEN_RESULT, OPEN_RUN, Result, Run
from evaluations.queries.comparisons import comparison_of
from evaluations.queries.run_results import run_results
from evaluations.specification import Specification
from foundation import times

logger = logging.getLogger(__name__)


def run_settle(run_id: int) -> bool:
    """Whether the run is closed now. Closes it when all its results are done; of two callers one does."""
    run = Run.objects.select_related("baseline_run").filter(pk=run_id, status__in=OPEN_RUN).first()
    if run is None:
        return True
    if Result.objects.filter(run_id=run_id, state__in=OPEN_RESULT).exists():
        return False
    try:
        document = aggregates_of(run)
    except Exception:
        logger.exception("run %s cannot be settled", run.public_id)
        run_fail(run_id, code="cannot_settle", message="The results could not be put together; see the server's log.")
        return True
    specification = Specification(run.specification)
    passed = run_passed(document, pass_threshold=specification.pass_threshold, min_coverage=specification.min_coverage)
    now = times.now()
    with transaction.atomic():
        closed = Run.objects.filter(pk=run_id, status__in=OPEN_RUN).update(
            status=Run.Status.COMPLETED,
            aggregates=document,
            passed=passed,
            pass_rate=document["pass_rate"],
            finished_at=now,
            updated_at=now,
        )
        if closed:
            run_ended(run_id)
    return True


def aggregates_of(run: Run) -> dict[str, Any]:
    """The aggregate document of the run's results as they are now, with the comparison if it has a baseline."""
    group_by = Specification(run.specification).group_by
    document = aggregate(run_results(run.pk), item_count=run.item_count, trials=run.trials, group_by=group_by)
    if run.baseline_run is not None:
        document["baseline"] = comparison_of(run, run.baseline_run)
    return document


def run_fail(run_id: int, *, code: str, message: str) -> None:
    """Close the run as failed, with the reason: the engine itself could not go on."""
    now = times.now()
    with transaction.atomic():
        closed = Run.objects.filter(pk=run_id, status__in=OPEN_RUN).update(
            status=Run.Status.FAILED, error={"code": code, "message": message}, finished_at=now, updated_at=now
        )
        Result.objects.filter(run_id=run_id, state__in=OPEN_RESULT).update(state=Result.State.CANCELED, owner="")
        if closed:
            run_ended(run_id)
