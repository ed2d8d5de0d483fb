"""An agent's text read as one JSON document, strictly: what is not JSON is a wrong answer."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from typing import Any, Final, Never

from foundation import exact_json
from scoring.kit.budget import MOST_LEVELS
from scoring.kit.json_shown import shown
from scoring.kit.observation import Observation, Target
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened

MOST_BYTES: Final = 1_048_576
_FENCE: Final = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})[^`\n]*$")
_DEEP = f"The JSON is nested more than {MOST_LEVELS} levels deep."


class NotJson(Exception):
    """The text is no JSON document; its text says why, in a few words."""


def parse(text: str) -> Any:
    """The value that `text` is as JSON.

    Raises NotJson for anything else (a repeated member name, NaN, text after the end), and
    Unmeasurable (limit) beyond 1 MiB as UTF-8, 128 levels, or a number of more than 400 digits.
    Numbers keep their exact value: as Decimal where a double would not.
    """
    if len(text) > MOST_BYTES or (not text.isascii() and len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES):
        raise Unmeasurable(ErrorCode.LIMIT, f"The JSON is longer than {MOST_BYTES:,} bytes.")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_distinct_members,
            parse_int=_integer,
            parse_float=_fraction,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise NotJson(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise Unmeasurable(ErrorCode.LIMIT, _DEEP) from error
    check_depth(value)
    return value


def check_depth(value: Any) -> None:
    """Raise Unmeasurable (limit) when `value` is nested more than 128 levels deep."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_LEVELS):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise Unmeasurable(ErrorCode.LIMIT, _DEEP)


def without_fence(text: str) -> str:
    """What stands in the first code block of `text`; the text itself when there is none."""
    lines = text.splitlines()
    for first, line in enumerate(lines):
        opening = _FENCE.match(line)
        if opening:
            mark = opening["mark"]
            for last in range(first + 1, len(lines)):
                closing = lines[last].strip()
                if closing.startswith(mark) and not closing.strip(mark[0]):
                    return "\n".join(lines[first + 1 : last])
            return "\n".join(lines[first + 1 :])
    return text


def structured_answer(
    observation: Observation, target: Target, *, source: str = "auto", prepare: Callable[[str], str] = str
) -> Any:
    """The answer as a JSON value: the object that was recorded, else the target text, parsed.

    `source` may ask for one of the two (`object`, `text`); `prepare` makes the text ready. Only
    `output` has an object. Raises NotJson, and Unmeasurable: missing_input, limit.
    """
    recorded = observation.object if target == "output" else ABSENT
    if source != "text" and recorded is not ABSENT:
        _check_size(recorded)
        return recorded
    if source == "object":
        outcome = observation.channels.get("outcome")
        if isinstance(outcome, dict) and outcome.get("status") == "completed":
            raise NotJson("the agent completed without an object")
        raise Unmeasurable(ErrorCode.MISSING_INPUT, "No output object was recorded.")
    return parse(prepare(observation.text(target)))


def _check_size(value: Any) -> None:
    check_depth(value)
    with suppress(TypeError, RecursionError):
        # Quick, and never shorter than what is asked for; it knows no exact numbers.
        if len(json.dumps(value)) <= MOST_BYTES:
            return
    try:
        size = len(exact_json.dumps(value).encode("utf-8", "surrogatepass"))
    except RecursionError as error:
        raise Unmeasurable(ErrorCode.LIMIT, _DEEP) from error
    if size > MOST_BYTES:
        raise Unmeasurable(ErrorCode.LIMIT, f"The object is longer than {MOST_BYTES:,} bytes as JSON.")


def _distinct_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise NotJson(f"the member {shown(name, 40)} stands twice in one object")
            seen.add(name)
    return members


def _integer(literal: str) -> int:
    return int(literal if len(literal) <= exact_json.MOST_DIGITS else _too_long())


def _fraction(literal: str) -> float | Decimal:
    try:
        return exact_json.exact_number(literal)
    except exact_json.NumberTooLong:
        _too_long()


def _too_long() -> Never:
    raise Unmeasurable(ErrorCode.LIMIT, f"A number has more than {exact_json.MOST_DIGITS} digits.")


def _refuse_constant(literal: str) -> Never:
    raise NotJson(f"{shortened(literal)} is no JSON value")
