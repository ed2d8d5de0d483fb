"""PURE: the filters of the history, read from an address. The API and the page take the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from foundation.cursors import decode_cursor
from foundation.errors import FieldError, ValidationFailed
from foundation.text import unstorable_reason
from foundation.times import parse_iso
from scoring.kit.numbers import as_number

STATUSES = ("scored", "errored", "measured")
DEFAULT_LIMIT, MAX_LIMIT = 50, 500
PARAMETERS: Mapping[str, str] = {
    "profileId": "Only evaluations of this profile.",
    "profileVersion": "Only of this version of it.",
    "agent": "Only of this agent.",
    "taskId": "Only of this task.",
    "passed": "true or false: only evaluations with this verdict.",
    "status": "scored, errored or measured.",
    "minScore": "Only scores from this, 0 to 1.",
    "maxScore": "Only scores up to this, 0 to 1.",
    "since": "Only made at or after this ISO 8601 time or date.",
    "until": "Only made before this ISO 8601 time, or up to the end of this date.",
    "q": "Only where the action or the output holds this text, whatever its case; at most 200 characters.",
}
_LONGEST = {"profileId": 64, "agent": 128, "taskId": 128, "q": 200}


@dataclass(frozen=True, slots=True)
class HistoryFilter:
    """Which evaluations are meant; a field that is None filters nothing."""

    profile_id: str | None = None
    profile_version: int | None = None
    agent: str | None = None
    task_id: str | None = None
    passed: bool | None = None
    status: str | None = None
    min_score: float | None = None
    max_score: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    q: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Which stretch of them: at most `limit`, after the place that `after` names."""

    limit: int = DEFAULT_LIMIT
    after: tuple[datetime, int] | None = None
    counted: bool = False


class _Reader:
    """Reads parameters one by one and keeps every fault, so that all are told at once."""

    def __init__(self, parameters: Mapping[str, str]) -> None:
        self.parameters = parameters
        self.faults: list[FieldError] = []

    def fault(self, name: str, message: str) -> None:
        self.faults.append(FieldError(name, "invalid_parameter", message))

    def raw(self, name: str) -> str | None:
        """The value, or None when it is not given or empty."""
        value = self.parameters.get(name) or None
        reason = unstorable_reason(value) if value else None
        if reason:
            self.fault(name, f"The text {reason}.")
            return None
        return value

    def text(self, name: str) -> str | None:
        value = self.raw(name)
        if value is not None and len(value) > _LONGEST[name]:
            self.fault(name, f"Must have at most {_LONGEST[name]} characters.")
            return None
        return value

    def whole(self, name: str, low: int, high: int) -> int | None:
        value = self.raw(name)
        if value is None:
            return None
        if not (value.isascii() and value.isdigit() and len(value) <= 10 and low <= int(value) <= high):
            self.fault(name, f"Must be a whole number from {low} to {high}.")
            return None
        return int(value)

    def one_of(self, name: str, allowed: tuple[str, ...]) -> str | None:
        value = self.raw(name)
        if value is not None and value not in allowed:
            self.fault(name, f"Must be one of {', '.join(allowed)}.")
            return None
        return value

    def fraction(self, name: str) -> float | None:
        value = self.raw(name)
        number = as_number(value) if value is not None else None
        if value is not None and (number is None or not 0 <= number <= 1):
            self.fault(name, "Must be a number from 0 to 1.")
            return None
        return number

    def moment(self, name: str, *, end_of_day: bool = False) -> datetime | None:
        value = self.raw(name)
        if value is None:
            return None
        try:
            moment = parse_iso(value)
            return moment + timedelta(days=1) if end_of_day and len(value) == len("2026-03-21") else moment
        except (ValueError, OverflowError):
            self.fault(name, "Must be an ISO 8601 date or time, such as 2026-03-21 or 2026-03-21T14:00:00Z.")
            return None


def read_history(parameters: Mapping[str, str]) -> tuple[HistoryFilter, HistoryPage]:
    """The filter and the page that the parameters ask for; ValidationFailed names every wrong one.

    An empty value filters nothing. A parameter that does not exist is refused: a misspelt filter
    would otherwise show everything, as if it had been applied.
    """
    reader = _Reader(parameters)
    for name in parameters:
        if name not in PARAMETERS and name not in {"limit", "cursor", "count"}:
            reader.fault(name, "There is no such parameter here.")
    wanted = HistoryFilter(
        profile_id=reader.text("profileId"),
        profile_version=reader.whole("profileVersion", 1, 2**31 - 1),
        agent=reader.text("agent"),
        task_id=reader.text("taskId"),
        passed={"true": True, "false": False, None: None}[reader.one_of("passed", ("true", "false"))],
        status=reader.one_of("status", STATUSES),
        min_score=reader.fraction("minScore"),
        max_score=reader.fraction("maxScore"),
        since=reader.moment("since"),
        until=reader.moment("until", end_of_day=True),
        q=reader.text("q"),
    )
    page = HistoryPage(
        limit=reader.whole("limit", 1, MAX_LIMIT) or DEFAULT_LIMIT,
        after=_place(reader),
        counted=reader.one_of("count", ("true", "false")) == "true",
    )
    if reader.faults:
        raise ValidationFailed(reader.faults)
    return wanted, page


def _place(reader: _Reader) -> tuple[datetime, int] | None:
    cursor: Any = reader.raw("cursor")
    try:
        return decode_cursor(cursor) if cursor is not None else None
    except ValidationFailed as error:
        reader.faults.extend(error.fields)
        return None
