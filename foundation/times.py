"""Times as the product prints them: ISO 8601, UTC, milliseconds, `Z`."""

from datetime import UTC, datetime


def now() -> datetime:
    """The present in UTC, cut to whole milliseconds, so that what is stored is what is printed."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def iso(moment: datetime) -> str:
    """`2026-03-21T14:00:00.000Z` for an aware datetime of any zone."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_iso(text: str) -> datetime:
    """The aware datetime that `text` names.

    Accepts an ISO 8601 date (`2026-03-21`, midnight UTC) or date and time, with or without an
    offset (UTC when there is none). Raises ValueError for anything else, and for moments that
    fall outside years 1 to 9999 once in UTC.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from error
