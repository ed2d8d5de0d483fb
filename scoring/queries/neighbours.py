"""What stands around one evaluation: the next ones of a filtered history, and what it was scored again as."""

from dataclasses import dataclass

from scoring.history_filters import HistoryFilter
from scoring.models import Evaluation
from scoring.queries.history import LISTED_COLUMNS, filtered, newer_than, older_than

MOST_RESCORED = 20


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The public ids of the evaluations right before and after one; None at the ends."""

    newer: str | None
    older: str | None


def neighbours(row: Evaluation, wanted: HistoryFilter) -> Neighbours:
    """The nearest evaluations on either side that the filter means, whether or not it means this one."""
    rows, place = filtered(wanted), (row.created_at, row.pk)
    newer = newer_than(rows, place).order_by("created_at", "id")
    older = older_than(rows, place).order_by("-created_at", "-id")
    return Neighbours(
        newer=newer.values_list("public_id", flat=True).first(),
        older=older.values_list("public_id", flat=True).first(),
    )


def rescored_as(row: Evaluation) -> list[Evaluation]:
    """The evaluations made by scoring this one again, oldest first, at most twenty."""
    return list(Evaluation.objects.filter(rescored_from=row).only(*LISTED_COLUMNS).order_by("id")[:MOST_RESCORED])


def rescored_from(row: Evaluation) -> Evaluation | None:
    """The evaluation that this one is a new score of, if any."""
    if row.rescored_from_id is None:
        return None
    return Evaluation.objects.filter(pk=row.rescored_from_id).only(*LISTED_COLUMNS).first()
