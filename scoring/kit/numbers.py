"""What counts as a number in a document, and how a number is written in a sentence."""

import json
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Never

from scoring.kit.observation import Observation, Target
from scoring.kit.paths import ABSENT, Absent, resolve
from scoring.kit.text import line_count, utf16_length, word_count

_ONE_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def as_number(value: Any) -> float | None:
    """The finite number that `value` is, or None.

    A JSON number is one; so is a string that holds one decimal number and nothing else but white
    space. True, null, "", lists and objects are not.
    """
    if isinstance(value, str) and len(value) <= 400 and _ONE_NUMBER.fullmatch(value.strip()):
        return measured_number(float(value))
    return measured_number(value)


def measured_number(value: Any) -> float | None:
    """The finite JSON number that `value` is, or None: of texts and true nothing is read into."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def whole_number(value: Any) -> int | None:
    """The whole number that a JSON number is, however it is written (5, 5.0, 5e0), or None."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    number = measured_number(value)
    # Beyond this a double no longer tells one whole number from the next.
    return int(value) if number is not None and abs(number) <= 2**53 and value == int(value) else None


def plain(number: float) -> str:
    """`number` as a person writes it: no trailing zeros, six significant digits, all those before the point."""
    if abs(number) < 1e15 and (number == int(number) or abs(number) >= 1e5):
        return str(round(number))
    return f"{number:.6g}"


@dataclass(frozen=True, slots=True)
class NumberFound:
    """A number and where it stood: object, text (the target's JSON or its measure) or observation."""

    value: float
    source: str


_MEASURES = {"length": utf16_length, "wordCount": word_count, "lineCount": line_count}


def number_at(observation: Observation, path: str, target: Target) -> NumberFound | None:
    """The number at `path`, or None when there is none.

    Looked up in the target first (the given object, or the target text when that is a JSON object
    or list), where `length`, `wordCount` and `lineCount` are the text's own unless it has such a
    member; then in the members of the observation. The first place that has the path decides,
    whether or not a number stands there.
    """
    for source, value in _candidates(observation, path, target):
        if value is not ABSENT:
            number = as_number(value)
            return None if number is None else NumberFound(number, source)
    return None


def _candidates(observation: Observation, path: str, target: Target) -> Any:
    """Each place that may have the path, in order, with what stands there."""
    if target != "action" and observation.object is not ABSENT:
        yield "object", resolve(observation.object, path)
    recorded = target == "action" or not isinstance(observation.output, Absent)
    if recorded:
        text = observation.text(target)
        yield "text", resolve(_json_container(text), path)
        if path in _MEASURES:
            yield "text", _MEASURES[path](text)
    yield "observation", resolve(observation.document(), path)


def _json_container(text: str) -> Any:
    """The object or list that `text` is as JSON, or ABSENT."""
    if text.lstrip(" \t\r\n")[:1] not in ("{", "["):
        return ABSENT
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return ABSENT


def _refuse_constant(literal: str) -> Never:
    raise ValueError(f"{literal} is not JSON")
