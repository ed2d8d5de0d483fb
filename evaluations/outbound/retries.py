"""Which failed calls are made again, and after how long."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from evaluations.outbound.clock import Clock
from evaluations.outbound.errors import OutboundError

Result = TypeVar("Result")
LONGEST_RETRY_AFTER_S = 86_400.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Up to `most` further calls after failures that may pass: 429, 502, 503, 504, and no connection.

    Before the n-th further call there is a wait of `first_wait_s` · 2ⁿ⁻¹, of which a random half is
    taken off, at most `longest_wait_s`; never less than the other side's Retry-After.
    """

    most: int = 2
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0

    def wait_s(self, failure: OutboundError, attempt: int, jitter: float) -> float | None:
        """How long to wait after the `attempt`-th call (from 1) failed; None when it is not made again.

        `jitter` is from 0 to 1. A Retry-After that is longer than the longest wait is not waited for.
        """
        if not failure.retryable or attempt > self.most:
            return None
        asked = failure.retry_after_s or 0.0
        if asked > self.longest_wait_s:
            return None
        backoff = min(self.longest_wait_s, self.first_wait_s * 2.0 ** (attempt - 1))
        return max(asked, backoff * (0.5 + jitter / 2))


NO_RETRIES = RetryPolicy(most=0)


def attempted(
    call: Callable[[], Result], policy: RetryPolicy, clock: Clock, *, jitter: Callable[[], float] = random.random
) -> tuple[Result, int]:
    """What `call` gives, and how often it was made.

    Raises the last failure, which knows the number too, and Canceled while waiting.
    """
    attempt = 1
    while True:
        try:
            return call(), attempt
        except OutboundError as failure:
            failure.attempts = attempt
            wait_s = policy.wait_s(failure, attempt, jitter())
            if wait_s is None:
                raise
        clock.wait(wait_s)
        attempt += 1


def retry_after_s(header: str | None, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for, as a number or an HTTP date; None when it says neither.

    From 0 to a day.
    """
    text = (header or "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text[:12]), LONGEST_RETRY_AFTER_S)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return min(max(0.0, (moment - now).total_seconds()), LONGEST_RETRY_AFTER_S)
