"""The one door through which JSON enters: API bodies, uploads, and answers from outside.

What it lets in is stored and read back the same way on SQLite and PostgreSQL, and by every
client: UTF-8, one document, no NaN or Infinity, no repeated member names, whole numbers of 20 digits,
others within the range of a double, at most 64 levels, and no text that a database refuses. Numbers
keep their exact value: `foundation.exact_json` says how.
"""

import json
import math
import re
from collections import Counter
from decimal import Decimal
from typing import Any, Never

from foundation import exact_json
from foundation.errors import FieldError, MalformedJson, ValidationFailed
from foundation.text import unstorable_reason

MAX_DEPTH = 64
MAX_DIGITS = 20
_SUSPECT_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")


def loads(data: bytes | str) -> Any:
    """The value that the JSON document `data` holds.

    Raises MalformedJson when it is not JSON in the sense above, and ValidationFailed, naming the
    path, when a string or a member name holds text that cannot be stored.
    """
    text = _decoded(data)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique_members,
            parse_float=_finite,
            parse_int=_short_integer,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        message = f"The body is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        raise MalformedJson(message) from error
    except RecursionError as error:
        raise _too_deep() from error
    if text.count("{") + text.count("[") > MAX_DEPTH:
        _check_depth(value)
    # Bytes that decode hold no surrogate as it is; a str that came from elsewhere may.
    if _SUSPECT_ESCAPE.search(text) or (isinstance(data, str) and unstorable_reason(data)):
        check_text(value)
    return value


def _decoded(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"The body is not valid UTF-8 (byte {error.start})."
        raise MalformedJson(message) from error


def _too_deep() -> MalformedJson:
    return MalformedJson(f"The document is nested more than {MAX_DEPTH} levels deep.")


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        repeated = next(name for name, count in counts.items() if count > 1)
        shown = repeated[:64].encode("ascii", "backslashreplace").decode()
        raise MalformedJson(f'The member "{shown}" stands twice in the same object.')
    return members


def _finite(literal: str) -> float | Decimal:
    if not math.isfinite(float(literal)):
        raise MalformedJson(f"The number {literal[:32]} is too large.")
    try:
        return exact_json.exact_number(literal)
    except exact_json.NumberTooLong as error:
        message = f"The number {literal[:32]}… has more than {exact_json.MOST_DIGITS} digits."
        raise MalformedJson(message) from error


def _short_integer(literal: str) -> int:
    if len(literal.lstrip("-")) > MAX_DIGITS:
        raise MalformedJson(f"A whole number may have at most {MAX_DIGITS} digits.")
    return int(literal)


def _refuse_constant(literal: str) -> Never:
    raise MalformedJson(f"{literal} is not JSON; leave the value out or send null.")


def _check_depth(value: Any) -> None:
    level = [value]
    for depth in range(MAX_DEPTH + 1):
        containers = [item for item in level if isinstance(item, dict | list)]
        if not containers:
            return
        if depth == MAX_DEPTH:
            raise _too_deep()
        level = [child for item in containers for child in (item.values() if isinstance(item, dict) else item)]


def check_text(value: Any) -> None:
    """Raise ValidationFailed, naming each path, when `value` holds text that cannot be stored."""
    faults: list[FieldError] = []
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        path, item = pending.pop()
        if isinstance(item, str):
            reason = unstorable_reason(item)
            if reason:
                faults.append(FieldError(path, "unstorable_text", f"The text {reason}."))
        elif isinstance(item, dict):
            for name, child in item.items():
                if unstorable_reason(name):
                    faults.append(FieldError(path, "unstorable_text", "A member name is not storable text."))
                else:
                    pending.append((f"{path}.{name}" if path else name, child))
        elif isinstance(item, list):
            pending.extend((f"{path}.{index}" if path else str(index), child) for index, child in enumerate(item))
    if faults:
        raise ValidationFailed(sorted(faults, key=lambda fault: fault.path))
