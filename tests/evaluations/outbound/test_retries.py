"""Which calls are made again, when, and how often."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.outbound.errors import BadAnswer, Canceled, HttpError, OutboundError, TimedOut, Unreachable
from evaluations.outbound.retries import NO_RETRIES, RetryPolicy, attempted, retry_after_s
from tests.evaluations.outbound.stubs import TestClock

NOW = datetime(2026, 3, 21, 14, 0, tzinfo=UTC)


def http_error(status: int, retry_after: float | None = None) -> HttpError:
    return HttpError("x.", status=status, body="", retry_after_s=retry_after)


def failing(*failures: OutboundError) -> Callable[[], str]:
    remaining = list(failures)

    def call() -> str:
        if remaining:
            raise remaining.pop(0)
        return "done"

    return call


@pytest.mark.parametrize(
    "failure",
    [*(http_error(status) for status in (429, 502, 503, 504)), Unreachable("x."), TimedOut("x.", stage="connect")],
)
def test_what_may_pass_is_tried_twice_more(failure: OutboundError) -> None:
    clock = TestClock()
    assert attempted(failing(failure, failure), RetryPolicy(), clock, jitter=lambda: 1.0) == ("done", 3)
    assert clock.waits == [0.5, 1.0]
    with pytest.raises(OutboundError) as raised:
        attempted(failing(failure, failure, failure), RetryPolicy(), clock)
    assert raised.value.attempts == 3
    assert raised.value.as_dict()["attempts"] == 3


@pytest.mark.parametrize(
    "failure",
    [
        *(http_error(status) for status in (400, 401, 403, 404, 408, 409, 422, 500, 501)),
        BadAnswer("x."),
        TimedOut("x.", stage="read"),
        TimedOut("x.", stage="total"),
        Unreachable("x.", retryable=False),
    ],
)
def test_what_stays_wrong_is_not(failure: OutboundError) -> None:
    clock = TestClock()
    with pytest.raises(type(failure)):
        attempted(failing(failure), RetryPolicy(), clock)
    assert clock.waits == []


def test_retry_after_is_waited_for_and_not_more_than_a_minute() -> None:
    clock = TestClock()
    attempted(failing(http_error(429, 7), http_error(503, 0)), RetryPolicy(), clock, jitter=lambda: 0.0)
    assert clock.waits == [7, 0.5]
    with pytest.raises(HttpError) as raised:
        attempted(failing(http_error(429, 61)), RetryPolicy(), clock)
    assert raised.value.retry_after_s == 61
    assert len(clock.waits) == 2


def test_without_retries_there_are_none() -> None:
    clock = TestClock()
    with pytest.raises(HttpError):
        attempted(failing(http_error(503)), NO_RETRIES, clock)
    assert clock.waits == []


def test_a_canceled_run_stops_waiting() -> None:
    clock = TestClock(cancel_after=1)
    with pytest.raises(Canceled):
        attempted(failing(http_error(503)), RetryPolicy(), clock)


@given(st.integers(1, 12), st.floats(0, 1))
def test_waits_grow_and_stay_within_bounds(attempt: int, jitter: float) -> None:
    policy = RetryPolicy(most=12)
    wait = policy.wait_s(http_error(503), attempt, jitter)
    assert wait is not None
    whole = min(60.0, 0.5 * 2 ** (attempt - 1))
    assert whole / 2 <= wait <= whole


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        (" 12 ", 12),
        ("999999999999999999999", 86_400),
        (format_datetime(NOW + timedelta(seconds=30), usegmt=True), 30),
        (format_datetime(NOW - timedelta(seconds=30), usegmt=True), 0),
        ("Sat, 21 Mar 2026 14:00:10 -0000", 10),
        ("-1", None),
        ("1.5", None),
        ("", None),
        (None, None),
        ("soon", None),
        ("²", None),
        ("Sat, 99 Mar 2026 14:00:10 GMT", None),
    ],
)
def test_what_a_retry_after_header_says(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header, NOW) == seconds


@given(st.text(max_size=40))
def test_any_header_is_a_time_or_nothing(header: str) -> None:
    seconds = retry_after_s(header, NOW)
    assert seconds is None or 0 <= seconds <= 86_400
