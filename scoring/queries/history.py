"""Reads of evaluations: one, a page of them, those that hold a text. As quick at a million as at a hundred."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Q, QuerySet
from django.db.models.functions import Substr

from foundation.cursors import encode_cursor
from foundation.errors import NotFound
from foundation.text import unstorable_reason
from scoring.history_filters import HistoryFilter, HistoryPage
from scoring.models import Evaluation, sort_key
from scoring.queries.search import SHORTEST, found_keys

COUNT_CAP = 10_000
LISTED_COLUMNS = (
    "id",
    "public_id",
    "profile_id",
    "profile_version",
    "profile_name",
    "pass_threshold",
    "status",
    "score",
    "passed",
    "worst_scorer",
    "agent",
    "task_id",
    "created_at",
)
# What a table shows of an output, in characters.
OUTPUT_START = 200
_WITHOUT_SCORE = (Evaluation.Status.ERRORED, Evaluation.Status.MEASURED)


@dataclass(frozen=True, slots=True)
class HistoryRows:
    """A page of evaluations, newest first; `next_cursor` is None on the last one."""

    rows: list[Evaluation]
    next_cursor: str | None


def evaluation_get(evaluation_id: str) -> Evaluation:
    """One evaluation by its public id; NotFound otherwise."""
    known = len(evaluation_id) <= 64 and unstorable_reason(evaluation_id) is None
    row = Evaluation.objects.filter(public_id=evaluation_id).first() if known else None
    if row is None:
        raise NotFound("There is no evaluation with this id.", hint="GET /api/scoring/history lists them.")
    return row


def evaluations_by_id(evaluation_ids: Sequence[str]) -> list[Evaluation]:
    """These evaluations, in the order asked for; NotFound names the first that does not exist."""
    rows = {row.public_id: row for row in Evaluation.objects.filter(public_id__in=evaluation_ids)}
    for evaluation_id in evaluation_ids:
        if evaluation_id not in rows:
            raise NotFound(f"There is no evaluation {evaluation_id}.", meta={"evaluationId": evaluation_id})
    return [rows[evaluation_id] for evaluation_id in evaluation_ids]


@dataclass(frozen=True, slots=True)
class Found:
    """The evaluations that a filter means, in no order yet.

    With `common_text` each row has to be looked at for a text that many rows hold: what reads on
    until it has found so many may have to read everything.
    """

    rows: QuerySet[Evaluation]
    common_text: bool


def filtered(wanted: HistoryFilter) -> QuerySet[Evaluation]:
    """The evaluations that the filter means, in no order yet."""
    return found(wanted).rows


def found(wanted: HistoryFilter) -> Found:
    """The same, and whether a text makes them slow to count."""
    exact = {
        "profile_id": wanted.profile_id,
        "profile_version": wanted.profile_version,
        "agent": wanted.agent,
        "task_id": wanted.task_id,
        "status": wanted.status,
        "score__gte": wanted.min_score,
        "score__lte": wanted.max_score,
        "created_at__gte": wanted.since,
        "created_at__lt": wanted.until,
    }
    rows = Evaluation.objects.filter(**{name: value for name, value in exact.items() if value is not None})
    if wanted.passed is not None:
        # Only what is scored has a verdict; saying so lets one index serve both columns. It is IN because
        # Django writes an equality with false as NOT passed, for which SQLite uses no index.
        rows = rows.filter(status=Evaluation.Status.SCORED, passed__in=[wanted.passed])
    if wanted.status in _WITHOUT_SCORE and connections[DEFAULT_DB_ALIAS].vendor == "sqlite":
        # True of all of them, and what lets SQLite read an index in order. PostgreSQL, which would take the
        # three for independent and expect next to nothing, does better without.
        rows = rows.filter(passed=None, score=None)
    if wanted.q is None:
        return Found(rows, common_text=False)
    # By their keys when few rows hold the text, else by looking.
    needle = sort_key(wanted.q)
    keys = found_keys(needle) if len(needle) >= SHORTEST else None
    held = Q(search_text__contains=needle) if keys is None else Q(pk__in=keys)
    return Found(rows.filter(held), common_text=keys is None)


def history_page(wanted: HistoryFilter, page: HistoryPage, *, listed: bool = False) -> HistoryRows:
    """One page, newest first (time, then key).

    With `listed` only the columns that a table shows, and `output_start`, the output's beginning.
    """
    return page_of(filtered(wanted), page, listed=listed)


def page_of(rows: QuerySet[Evaluation], page: HistoryPage, *, listed: bool = False) -> HistoryRows:
    """One page of evaluations that are filtered already, as `history_page` gives it."""
    ordered = older_than(rows, page.after).order_by("-created_at", "-id")
    if listed:
        ordered = ordered.only(*LISTED_COLUMNS).annotate(output_start=Substr("output", 1, OUTPUT_START))
    else:
        ordered = ordered.defer("search_text")  # as large as output and action together
    taken = list(ordered[: page.limit + 1])
    more = len(taken) > page.limit
    taken = taken[: page.limit]
    return HistoryRows(taken, encode_cursor(taken[-1].created_at, taken[-1].pk) if more else None)


def older_than(rows: QuerySet[Evaluation], place: tuple[datetime, int] | None) -> QuerySet[Evaluation]:
    """Those after this place of the newest-first order; all of them for None."""
    if place is None:
        return rows
    moment, key = place
    # The first condition is what an index can begin at; the second leaves out those of the same moment.
    return rows.filter(Q(created_at__lt=moment) | Q(created_at=moment, id__lt=key), created_at__lte=moment)


def newer_than(rows: QuerySet[Evaluation], place: tuple[datetime, int]) -> QuerySet[Evaluation]:
    """Those before this place of the newest-first order."""
    moment, key = place
    return rows.filter(Q(created_at__gt=moment) | Q(created_at=moment, id__gt=key), created_at__gte=moment)


def history_count(wanted: HistoryFilter, *, cap: int | None = None) -> int:
    """How many evaluations the filter means; with `cap`, counted up to one more than that."""
    return count_of(filtered(wanted), cap=cap)


def count_of(rows: QuerySet[Evaluation], *, cap: int | None = None) -> int:
    """How many evaluations that are filtered already; with `cap`, counted up to one more than that."""
    return rows.count() if cap is None else rows.order_by()[: cap + 1].count()


def history_stream(wanted: HistoryFilter, size: int = 100) -> Iterator[Evaluation]:
    """Every evaluation the filter means, newest first, read `size` at a time and held no longer."""
    rows = filtered(wanted)
    place: tuple[datetime, int] | None = None
    more = True
    while more:
        batch = page_of(rows, HistoryPage(limit=size, after=place))
        more = batch.next_cursor is not None
        if batch.rows:
            place = (batch.rows[-1].created_at, batch.rows[-1].pk)
        yield from batch.rows
        del batch  # or two would be held while the next is read
