"""What the history's charts are drawn from: the newest of the filtered evaluations, so many and no more."""

from dataclasses import dataclass

from django.db.models import QuerySet

from scoring.charts.points import Point
from scoring.charts.scorers import ScorerTallies
from scoring.history_filters import HistoryFilter
from scoring.models import Evaluation
from scoring.queries.history import found

MOST_ROWS = 20_000
# A profile may have 64 scorers: then fewer evaluations give as many entries to read.
MOST_ENTRIES = 120_000
# A text that many rows hold is looked for in so many of the newest rows.
MOST_LOOKED_AT = 100_000
_POINT_COLUMNS = (
    "created_at",
    "profile_id",
    "profile_name",
    "profile_version",
    "agent",
    "status",
    "score",
    "passed",
    "pass_threshold",
)


@dataclass(frozen=True, slots=True)
class HistoryFigures:
    """The evaluations that the charts show, newest first.

    `more` says that there are older ones which the filter means and the charts leave out;
    `looked_at` is how many of the newest evaluations a common text was looked for in, else None.
    """

    points: list[Point]
    scorers: ScorerTallies
    more: bool
    looked_at: int | None


def history_figures(wanted: HistoryFilter) -> HistoryFigures:
    """The newest 20,000 evaluations that the filter means. Three or four queries."""
    matching = found(wanted)
    rows, looked_at = matching.rows, None
    if matching.common_text:
        rows, looked_at = _among_newest(rows)
    newest = rows.order_by("-created_at", "-id")
    points = [Point(*row) for row in newest.values_list(*_POINT_COLUMNS)[: MOST_ROWS + 1]]
    scorers = ScorerTallies()
    breakdowns = newest.values_list("profile_id", "profile_name", "breakdown")[:MOST_ROWS]
    for profile_id, profile_name, breakdown in breakdowns.iterator(chunk_size=200):
        scorers.add(profile_id, profile_name, breakdown)
        if scorers.entries >= MOST_ENTRIES:
            break
    return HistoryFigures(points[:MOST_ROWS], scorers, more=len(points) > MOST_ROWS, looked_at=looked_at)


def _among_newest(rows: QuerySet[Evaluation]) -> tuple[QuerySet[Evaluation], int | None]:
    """Those among the newest 100,000 evaluations of all; all of them when there are no more."""
    moments = Evaluation.objects.order_by("-created_at", "-id").values_list("created_at", flat=True)
    oldest = moments[MOST_LOOKED_AT : MOST_LOOKED_AT + 1].first()
    return (rows, None) if oldest is None else (rows.filter(created_at__gt=oldest), MOST_LOOKED_AT)
