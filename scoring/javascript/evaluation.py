"""Search and check by the pool of this process, which is made when it is first needed."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from scoring.javascript import bounds
from scoring.javascript.engines import ENGINES
from scoring.javascript.errors import (
    EngineFailed,
    InvalidPattern,
    LimitKind,
    PatternLimit,
)
from scoring.javascript.pool import Pool, PoolStatus, Settings
from scoring.javascript.process import spawning
from scoring.javascript.protocol import Operation, Request, Status, read_every_span, read_spans

if TYPE_CHECKING:
    from scoring.javascript.process import Outcome

_LIMITS: Final[dict[Status, LimitKind]] = {
    Status.TIME: "time",
    Status.MEMORY: "memory",
    Status.TOO_LARGE: "too_large",
}
_CHECK_SENTENCES: Final[dict[Status, str]] = {
    Status.TIME: "The regular expression takes too long to compile",
    Status.MEMORY: "The regular expression needs too much memory to compile",
    Status.TOO_LARGE: "The regular expression is too large to compile",
}


@dataclass(frozen=True, slots=True)
class Match:
    """Where a pattern was found. Positions are UTF-16 code units, ends exclusive.

    `groups` are the numbered groups from 1, None for one that took no part in the match.
    """

    start: int
    end: int
    groups: tuple[tuple[int, int] | None, ...]


def search(pattern: str, flags: str, text: str) -> Match | None:
    """Return the first match of the pattern in the text, None when there is none.

    What JavaScript's `new RegExp(pattern, flags).exec(text)` finds: g keeps no state, y matches
    at the start only. Pattern up to 256 UTF-16 code units and text up to 110,001, or ValueError.
    Raises InvalidPattern, PatternLimit (100 ms of matching), PoolBusy (four at once, 64 waiting)
    and EngineFailed.
    """
    request = Request(
        Operation.SEARCH,
        bounds.encode_pattern(pattern),
        bounds.encode_flags(flags),
        bounds.encode_text(text),
    )
    payload = _found(request)
    return None if payload is None else _match(read_spans(payload))


def search_all(pattern: str, flags: str, text: str, limit: int = 1_000) -> list[Match]:
    """Return every match of the pattern in the text, from the left, at most `limit` (1 to 1,001).

    What JavaScript's `text.matchAll` finds with a new RegExp of the pattern and the flags, g added
    where it is missing: an empty match is followed by the next character, y ends at the first
    place without a match. The 100 ms are for all of them together. Bounds and errors as in search.
    """
    if not 1 <= limit <= bounds.MOST_MATCHES:
        raise ValueError(f"The limit of matches must be from 1 to {bounds.MOST_MATCHES:,}")
    request = Request(
        Operation.EVERY,
        bounds.encode_pattern(pattern),
        bounds.encode_flags(flags),
        bounds.encode_text(text),
        limit,
    )
    payload = _found(request)
    return [] if payload is None else [_match(spans) for spans in read_every_span(payload)]


def _found(request: Request) -> bytes | None:
    """Return the payload of a MATCH, None when there is none; raise for every other outcome."""
    outcome = _current_pool().evaluate(request)
    if outcome.status is Status.NO_MATCH:
        return None
    if outcome.status is not Status.MATCH:
        limit = _LIMITS.get(outcome.status)
        raise PatternLimit(limit) if limit is not None else _failure(outcome)
    return outcome.payload


def _match(spans: list[tuple[int, int] | None]) -> Match:
    whole, *groups = spans
    if whole is None:
        raise EngineFailed("The regular expression engine told a match without its place")
    return Match(whole[0], whole[1], tuple(groups))


def check(pattern: str, flags: str) -> None:
    """Return when the pattern compiles; raise InvalidPattern with one sentence when not.

    Also when compiling takes more than 100 ms of processor time, or too much memory. Otherwise
    raises as search does.
    """
    request = Request(Operation.CHECK, bounds.encode_pattern(pattern), bounds.encode_flags(flags))
    outcome = _current_pool().evaluate(request)
    sentence = _CHECK_SENTENCES.get(outcome.status)
    if sentence is not None:
        raise InvalidPattern(sentence)
    if outcome.status is not Status.NO_MATCH:
        raise _failure(outcome)


def _failure(outcome: Outcome) -> InvalidPattern | EngineFailed:
    if outcome.status is Status.INVALID:
        return InvalidPattern(f"Invalid regular expression: {outcome.message}")
    return EngineFailed(f"The regular expression engine failed: {outcome.message}")


class _Process:
    """The pool of this process and what it will be made of."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.settings = Settings()
        self.pool: Pool | None = None
        self.owner = 0

    def current_pool(self) -> Pool:
        """Return the pool, made by the first who asks in this process."""
        pool = self.pool
        if pool is not None and self.owner == os.getpid():
            return pool
        with self.lock:
            if self.pool is None or self.owner != os.getpid():
                if self.owner != os.getpid():
                    _close_before_multiprocessing_exit()
                self.pool, self.owner = Pool(self.settings), os.getpid()
            return self.pool

    def replace_settings(self, settings: Settings) -> None:
        """Use these settings from the next evaluation on."""
        with self.lock:
            changed = settings != self.settings
            self.settings = settings
            pool = self.pool if changed else None
            if pool is not None:
                self.pool = None
        if pool is not None:
            pool.close()

    def close(self) -> None:
        """End the workers of this process; the next evaluation would start new ones."""
        with self.lock:
            pool, self.pool = self.pool, None
        if pool is not None and self.owner == os.getpid():
            pool.close()

    def after_fork_in_child(self) -> None:
        """Forget the parent's pool and every lock its threads may have held."""
        self.lock = threading.Lock()
        pool, self.pool = self.pool, None
        try:
            if pool is not None:
                pool.abandon()
        finally:
            spawning.release()


def _close_before_multiprocessing_exit() -> None:
    # Children of multiprocessing and of billiard (Celery) leave without the interpreter's exit
    # handlers; theirs is this one. Without it the workers still end, by the end of their input,
    # but as orphans.
    for name in ("multiprocessing.util", "billiard.util"):
        module = sys.modules.get(name)
        if module is not None:
            module.Finalize(None, _process.close, exitpriority=0)


_process = _Process()
_current_pool = _process.current_pool
atexit.register(_process.close)
os.register_at_fork(
    before=spawning.acquire,
    after_in_parent=spawning.release,
    after_in_child=_process.after_fork_in_child,
)


def configure(*, engine: str = "corvus", executable: str | None = None) -> None:
    """Choose the engine, "corvus" or "node", for this process and those it will fork.

    `executable` is the path of the Python or Node to run the workers with; None takes the Python
    of this process, or the Node on the PATH. The workers of another choice are ended.
    """
    if engine not in ENGINES:
        raise ValueError(f"The engine {engine!r} is unknown; there are {', '.join(ENGINES)}")
    _process.replace_settings(Settings(engine=engine, executable=executable))


def pool_status() -> PoolStatus:
    """Return the pool of this process at this moment; it is not started by asking."""
    pool = _process.pool
    if pool is None or _process.owner != os.getpid():
        return PoolStatus(engine=_process.settings.engine)
    return pool.status()
