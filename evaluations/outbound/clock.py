"""The time as calls see it, and the waiting that ends when a run is canceled."""

import threading
import time
from datetime import UTC, datetime
from typing import Protocol

from evaluations.outbound.errors import Canceled


class Clock(Protocol):
    """What calls ask of time; tests bring their own."""

    def monotonic(self) -> float:
        """Seconds that never run backwards."""

    def now(self) -> datetime:
        """The present, with its zone."""

    def wait(self, seconds: float) -> None:
        """Come back after so many seconds; raises Canceled as soon as the run is."""

    def check(self) -> None:
        """Raise Canceled when the run is."""


class SystemClock:
    """The machine's time. `cancel`, once set, ends every wait and every call that asks."""

    def __init__(self, cancel: threading.Event | None = None) -> None:
        self._cancel = cancel or threading.Event()

    def monotonic(self) -> float:
        """Seconds that never run backwards."""
        return time.monotonic()

    def now(self) -> datetime:
        """The present in UTC."""
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        """Come back after so many seconds; raises Canceled as soon as the event is set."""
        if self._cancel.wait(max(0.0, seconds)):
            raise Canceled

    def check(self) -> None:
        """Raise Canceled when the event is set."""
        if self._cancel.is_set():
            raise Canceled
