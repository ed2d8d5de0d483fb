"""Waiting for a run, with a bar where somebody watches."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from commandline.client import Client
from commandline.failures import Failure, Refused, misused
from commandline.transport import UNREACHABLE

OPEN = ("queued", "running")
DEFAULT_SECONDS = 600.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 2.0
_PATIENCE = 5
_BAR = 24
_PASSING = (429, 502, 503, 504)


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds that only grow, and sleeping."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Shown(Protocol):
    """Where progress is written to."""

    def isatty(self) -> bool:
        """Whether somebody watches."""

    def write(self, text: str, /) -> Any:
        """Write it."""

    def flush(self) -> None:
        """Show it."""


def seconds_of(text: str | None) -> float:
    """The seconds of a --timeout. Raises Failure for what is no number above 0."""
    if text is None:
        return DEFAULT_SECONDS
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 10_000_000:
        raise misused(f"--timeout is {text!r}; it is a number of seconds above 0.")
    return seconds


def ended_run(client: Client, path: str, *, seconds: float, clock: Clock, shown: Shown) -> str:
    """The run at `path`, as it was answered, once it has ended.

    A server that does not answer for a moment is asked again. Raises Failure TIMED_OUT when the run
    has not ended after `seconds`, and what the server refuses.
    """
    deadline = clock.now() + seconds
    pause, faults = _FIRST_PAUSE, 0
    bar = _Bar(shown)
    try:
        while True:
            try:
                text = client.text(path)
            except Failure as failure:
                faults += 1
                if faults > _PATIENCE or not _passes(failure):
                    raise
            else:
                faults = 0
                run = json.loads(text)
                bar.show(run)
                if run["status"] not in OPEN:
                    return text
            if clock.now() + pause > deadline:
                hint = "--timeout SECONDS waits longer; the run itself goes on."
                raise Failure("TIMED_OUT", f"The run had not ended after {seconds:g} s.", hint)
            clock.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
    finally:
        bar.end()


def _passes(failure: Failure) -> bool:
    """Whether the same question may be answered a moment later."""
    return failure.code == UNREACHABLE or (isinstance(failure, Refused) and failure.http_status in _PASSING)


class _Bar:
    """One line that is written over; nothing where nobody watches."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown if shown.isatty() else None

    def show(self, run: Mapping[str, Any]) -> None:
        """How far the run is."""
        if self._shown is None:
            return
        total, done, errored = (int(run[name]) for name in ("result_count", "completed_count", "errored_count"))
        full = _BAR * done // total if total else 0
        words = f"{run['status']}: {done} of {total}" + (f", {errored} errored" if errored else "")
        self._shown.write(f"\r[{'#' * full}{'.' * (_BAR - full)}] {words}\x1b[K")
        self._shown.flush()

    def end(self) -> None:
        """Leave the line."""
        if self._shown is not None:
            self._shown.write("\n")
            self._shown.flush()
