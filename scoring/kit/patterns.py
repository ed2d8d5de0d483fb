"""JavaScript patterns in a scorer: checked when saved, run under the bounds, their faults as outcomes."""

from collections.abc import Callable
from typing import TypeVar

from pydantic import ValidationInfo
from pydantic_core import PydanticCustomError

from scoring import javascript
from scoring.kit.outcome import ErrorCode, Unmeasurable

_MOST_MATCHES = 1_000
Answer = TypeVar("Answer")


def check_pattern(pattern: str, flags: str, info: ValidationInfo, field: str = "pattern") -> None:
    """Raise a validation error at `field` when the pattern does not compile.

    What is stored was checked when it was saved; checking it again would cost each load a match.
    """
    if (info.context or {}).get("stored"):
        return
    try:
        javascript.check(pattern, flags)
    except javascript.InvalidPattern as error:
        raise PydanticCustomError("invalid_pattern", "{reason}", {"reason": str(error), "field": field}) from error


def measured(work: Callable[[], Answer]) -> Answer:
    """What `work` gives, the engine's faults turned into outcomes (config, limit, scorer_failed)."""
    try:
        return work()
    except javascript.InvalidPattern as error:
        raise Unmeasurable(ErrorCode.CONFIG, str(error)) from error
    except javascript.PatternLimit as error:
        raise Unmeasurable(ErrorCode.LIMIT, str(error)) from error
    except javascript.EngineFailed as error:
        raise Unmeasurable(ErrorCode.SCORER_FAILED, str(error)) from error


def first_match(pattern: str, flags: str, text: str) -> javascript.Match | None:
    """The first match, or None."""
    return measured(lambda: javascript.search(pattern, flags, text))


def matches(pattern: str, flags: str, text: str, *, every: bool) -> list[javascript.Match]:
    """The first match, or with `every` all of them, from the left; empty when there is none.

    Raises Unmeasurable: limit beyond 1,000 matches, and what `measured` says.
    """
    if not every:
        match = first_match(pattern, flags, text)
        return [] if match is None else [match]
    found = measured(lambda: javascript.search_all(pattern, flags, text, _MOST_MATCHES + 1))
    if len(found) > _MOST_MATCHES:
        raise Unmeasurable(ErrorCode.LIMIT, f"The pattern was found more than {_MOST_MATCHES:,} times.")
    return found
