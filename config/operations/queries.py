"""Whether the worker is alive, and how the periodic jobs went."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import BooleanField, Case, QuerySet, Value, When
from django.db.models.functions import Now

from config.operations.jobs import HEARTBEAT
from config.operations.models import PeriodicJob
from foundation.times import iso

# Six beats missed. With Celery a beat travels through the broker, so a worker that is up and
# hears nothing counts as silent too.
SILENT_AFTER = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class WorkerState:
    """`alive` is whether a worker ran the heartbeat in the last minute; `last_seen` when (ISO), if ever."""

    alive: bool
    last_seen: str | None


def worker_state() -> WorkerState:
    """The worker's sign of life, judged by the database's clock; one query."""
    recent = Case(
        When(finished_at__gte=Now() - SILENT_AFTER, then=Value(value=True)),
        default=Value(value=False),
        output_field=BooleanField(),
    )
    row = PeriodicJob.objects.filter(name=HEARTBEAT).values_list(recent, "finished_at").first()
    if row is None or row[1] is None:
        return WorkerState(alive=False, last_seen=None)
    return WorkerState(alive=row[0], last_seen=iso(row[1]))


def periodic_jobs() -> QuerySet[PeriodicJob]:
    """Every periodic job that a worker has seen, by name."""
    return PeriodicJob.objects.order_by("name")
