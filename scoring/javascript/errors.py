"""What can go wrong with a JavaScript regular expression, told apart by whose fault it is."""

from __future__ import annotations

from typing import Literal

LimitKind = Literal["time", "memory", "too_large"]

LIMIT_SENTENCES: dict[LimitKind, str] = {
    "time": "Regex evaluation exceeded the 100 ms limit",
    "memory": "Regex evaluation exceeded its memory limit",
    "too_large": "The regular expression is too large to compile",
}


class JavaScriptError(Exception):
    """Any failure to get an answer; its text is one sentence for a person to read."""


class InvalidPattern(JavaScriptError):
    """The pattern or its flags are not a JavaScript regular expression, or cannot be compiled."""


class PatternLimit(JavaScriptError):
    """The pattern is valid, but on this text it needs more than it may have.

    `kind` is "time" (100 ms of matching), "memory" or "too_large" (once compiled).
    """

    def __init__(self, kind: LimitKind) -> None:
        super().__init__(LIMIT_SENTENCES[kind])
        self.kind: LimitKind = kind

    def __reduce__(self) -> tuple[type[PatternLimit], tuple[LimitKind]]:
        """Survive pickling (task queues do it), where Exception would pass the sentence as kind."""
        return type(self), (self.kind,)


class EngineFailed(JavaScriptError):
    """The engine could not be started, crashed or was shut down: not the pattern's fault."""


class PoolBusy(JavaScriptError):
    """All workers are busy and the queue is full; try again in `retry_after` seconds."""

    def __init__(self, retry_after: int = 1) -> None:
        super().__init__("Too many regular expressions are being evaluated; try again shortly")
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[PoolBusy], tuple[int]]:
        """Survive pickling, as PatternLimit does."""
        return type(self), (self.retry_after,)
