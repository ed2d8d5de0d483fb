"""Claiming results under a lease, keeping the lease alive, giving it back. All times are the database's."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from evaluations.models import OPEN_RESULT, OPEN_RUN, Result

LEASE = timedelta(seconds=settings.PLUMBLINE_LEASE_SECONDS)
HEARTBEAT_SECONDS = LEASE.total_seconds() / 3
MOST_ATTEMPTS = 3


def claimable(run_id: int) -> QuerySet[Result]:
    """The results of an open run that nobody works on, and that may be worked on now."""
    free = Q(lease_until=None) | Q(lease_until__lt=Now())
    due = Q(next_at=None) | Q(next_at__lte=Now())
    return Result.objects.filter(free, due, run_id=run_id, run__status__in=OPEN_RUN, state__in=OPEN_RESULT)


def claim(run_id: int, owner: str, most: int) -> list[Result]:
    """Up to `most` results, in order, that are now `owner`'s for the length of the lease.

    Two workers never get the same one: PostgreSQL skips the rows that another locks, SQLite lets
    one transaction in at a time. What was held by a worker that died comes after all that was not,
    so that many deaths fall on many results and only what kills every time is tried three times;
    that is then left to the sweeper.
    """
    with transaction.atomic():
        ids: list[int] = []
        for tried in range(MOST_ATTEMPTS):
            rows = claimable(run_id).filter(attempts=tried).order_by("position", "trial")
            if connection.features.has_select_for_update_skip_locked:
                rows = rows.select_for_update(skip_locked=True, of=("self",))
            ids += rows.values_list("pk", flat=True)[: most - len(ids)]
            if len(ids) == most:
                break
        if not ids:
            return []
        mine = Result.objects.filter(pk__in=ids)
        mine.update(owner=owner, lease_until=Now() + LEASE, attempts=F("attempts") + 1)
        # One whose answer is stored stays `generated`: the provider is not asked again.
        mine.filter(state=Result.State.PENDING).update(state=Result.State.CLAIMED)
        return list(mine.order_by("position", "trial"))


def extend(owner: str, ids: Sequence[int]) -> None:
    """Keep the leases of `ids` for another term; those that are somebody else's by now stay theirs."""
    Result.objects.filter(pk__in=ids, owner=owner).update(lease_until=Now() + LEASE)


def release(owner: str, ids: Sequence[int], *, wait: timedelta | None = None, charge: bool = False) -> None:
    """Give results back unfinished, to be claimed again, after `wait` if that is given.

    The attempt is not counted unless `charge`: nothing is wrong with the result itself.
    """
    held = Result.objects.filter(pk__in=ids, owner=owner, state__in=OPEN_RESULT)
    back = {"owner": "", "lease_until": None, "next_at": None if wait is None else Now() + wait}
    held.update(**back, **({} if charge else {"attempts": F("attempts") - 1}))
