"""What makes every lost message and every killed process harmless: a look at the rows, every few seconds."""

from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from evaluations import jobs
from evaluations.engine.leases import LEASE, MOST_ATTEMPTS
from evaluations.engine.settling import run_settle
from evaluations.engine.storing import fail_row
from evaluations.models import OPEN_RESULT, OPEN_RUN, Result, Run
from foundation import times

_MOST_AT_ONCE = 500
_CRASHED = {
    "code": "worker_crashed",
    "message": f"The worker ended {MOST_ATTEMPTS} times while it worked on this item; it is not tried again.",
}


def sweep() -> None:
    """End what was tried too often, settle runs that are done, wake a worker for runs that nobody works on."""
    give_up()
    for run_id in open_runs():
        run_settle(run_id)
    for run_id in runs_to_wake():
        Run.objects.filter(pk=run_id).update(woken_at=Now())
        jobs.wake(run_id)


def open_runs() -> list[int]:
    """The runs that are not closed, oldest first: which is fair, as each worker takes the next."""
    return list(Run.objects.filter(status__in=OPEN_RUN).order_by("id").values_list("pk", flat=True))


def give_up() -> int:
    """How many results were made errors now, because worker after worker died of them."""
    free = Q(lease_until=None) | Q(lease_until__lt=Now())
    worn = Result.objects.filter(free, attempts__gte=MOST_ATTEMPTS, state__in=OPEN_RESULT, run__status__in=OPEN_RUN)
    rows = list(worn.order_by("pk")[:_MOST_AT_ONCE])
    for row in rows:
        fail_row(row, dict(_CRASHED))
        changed = {
            "state": Result.State.DONE, "status": row.status, "error": row.error, "search_text": row.search_text,
            "owner": "", "lease_until": None, "finished_at": times.now(),
        }  # fmt: skip
        # Conditional, as a slow worker may have come back since.
        worn.filter(pk=row.pk).update(**changed)
    return len(rows)


def runs_to_wake() -> list[int]:
    """The open runs that have something to do now and that no living worker holds."""
    mine = Result.objects.filter(run=OuterRef("pk"), state__in=OPEN_RESULT)
    due = Q(next_at=None) | Q(next_at__lte=Now())
    idle = ~Exists(mine.filter(lease_until__gt=Now()))
    waiting = Exists(mine.filter(due, attempts__lt=MOST_ATTEMPTS))
    unwoken = Q(woken_at=None) | Q(woken_at__lt=Now() - LEASE / 4)
    return list(Run.objects.filter(idle, waiting, unwoken, status__in=OPEN_RUN).values_list("pk", flat=True))
