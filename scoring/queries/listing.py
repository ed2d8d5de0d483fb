"""What the history page shows beside its rows: how many there are, the page before, the profiles to choose from."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from foundation.cursors import encode_cursor
from scoring.history_filters import HistoryFilter, HistoryPage
from scoring.models import Evaluation, Profile
from scoring.queries.history import COUNT_CAP, HistoryRows, count_of, found, newer_than, page_of


@dataclass(frozen=True, slots=True)
class HistoryListing:
    """A page of the history as a table shows it.

    `count` is how many evaluations match, one more than COUNT_CAP standing for all above it, and
    None where counting would mean reading every output. `has_newer` says whether a page stands
    before this one; it begins at `newer_cursor`, or is the first when that is None.
    """

    rows: list[Evaluation]
    older_cursor: str | None
    has_newer: bool
    newer_cursor: str | None
    count: int | None


def history_listing(wanted: HistoryFilter, page: HistoryPage) -> HistoryListing:
    """The page, its neighbours and the capped count: as many queries whatever the number of rows."""
    matching = found(wanted)
    listed = page_of(matching.rows, page, listed=True)
    has_newer, newer_cursor = _newer(matching.rows, listed, page)
    count = None if matching.common_text else _count(matching.rows, listed, page)
    return HistoryListing(listed.rows, listed.next_cursor, has_newer, newer_cursor, count)


def _count(rows: QuerySet[Evaluation], listed: HistoryRows, page: HistoryPage) -> int:
    whole = page.after is None and listed.next_cursor is None
    return len(listed.rows) if whole else count_of(rows, cap=COUNT_CAP)


def _newer(rows: QuerySet[Evaluation], listed: HistoryRows, page: HistoryPage) -> tuple[bool, str | None]:
    """Whether there are newer ones, and the cursor of the page that ends where this one begins."""
    if page.after is None:
        return False, None
    place = (listed.rows[0].created_at, listed.rows[0].pk) if listed.rows else page.after
    newer = newer_than(rows, place).order_by("created_at", "id").values_list("created_at", "id")
    before = list(newer[: page.limit + 1])
    return bool(before), encode_cursor(*before[page.limit]) if len(before) > page.limit else None


@dataclass(frozen=True, slots=True)
class ProfileChoice:
    """A profile to filter or score by."""

    id: str
    name: str
    deleted: bool


def profile_choices(*, deleted: bool = False) -> list[ProfileChoice]:
    """The profiles, built-ins first, then by name; with `deleted` also those gone that left evaluations."""
    rows = Profile.objects.all()
    alive = Q(deleted_at=None)
    wanted = alive | Exists(Evaluation.objects.filter(profile=OuterRef("pk"))) if deleted else alive
    choices = rows.filter(wanted).values_list("built_in", "name_key", "id", "name", "deleted_at")
    # Sorted here, by code point: a database sorts by a collation of its own.
    ordered = sorted(choices, key=lambda row: (row[4] is not None, not row[0], row[1], row[2]))
    return [ProfileChoice(id, name, deleted_at is not None) for _, _, id, name, deleted_at in ordered]
