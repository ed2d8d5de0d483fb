"""JSON whose numbers keep the value that the document gave them, in both directions.

A number is a float where the shortest text of that float is the same decimal value, as it is for
nearly all that is written; elsewhere it is a Decimal, which `dumps` writes as the number it was.
"""

import json
import math
import re
import secrets
from decimal import Decimal, InvalidOperation
from typing import Any, Final

MOST_DIGITS: Final = 400
# Making an encoder costs as much as a small document: this one is for what has no Decimal in it.
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class NumberTooLong(ValueError):
    """The number has more than 400 digits, or would have when written out."""


def exact_number(literal: str) -> float | Decimal:
    """The value of a JSON number that has a fraction or an exponent.

    A finite float where that is the same decimal value, else a Decimal. Raises NumberTooLong for
    more than 400 characters, and for more than 400 digits before or after the point.
    """
    double = float(literal)
    if repr(double) == literal:
        return double
    try:
        exact = Decimal(literal)
    except InvalidOperation as error:
        raise NumberTooLong from error
    if len(literal) > MOST_DIGITS or (exact and not -MOST_DIGITS <= exact.adjusted() <= MOST_DIGITS):
        raise NumberTooLong
    return double if math.isfinite(double) and Decimal(repr(double)) == exact else exact


_EXACT = json.JSONDecoder(parse_float=exact_number)


def loads(text: str) -> Any:
    """The value of a JSON text that `dumps` wrote; for what others wrote there is `strict_json`."""
    return _EXACT.decode(text)


def dumps(
    value: Any, *, spaced: bool = False, indent: int | None = None, sort_keys: bool = False, allow_nan: bool = False
) -> str:
    """The JSON text of a value: compact unless `spaced` or indented, letters of every script as they are.

    A Decimal is written as the exact number it is. Raises TypeError for what is no JSON value, and
    ValueError for NaN and Infinity unless they are allowed.
    """
    if not (spaced or indent is not None or sort_keys or allow_nan):
        try:
            return _COMPACT.encode(value)
        except TypeError:
            pass  # a Decimal, or no JSON value: the long way knows which
    numbers: list[str] = []
    mark = ""

    def holding_place(item: Any) -> str:
        nonlocal mark
        if not isinstance(item, Decimal) or not item.is_finite():
            message = f"{type(item).__name__} is no JSON value."
            raise TypeError(message)
        # The package can write no number of another's making: a text that nobody can guess stands there first.
        mark = mark or secrets.token_hex(16)
        numbers.append(str(item))
        return f"{mark}{len(numbers) - 1}"

    text = json.dumps(
        value,
        ensure_ascii=False,
        allow_nan=allow_nan,
        separators=None if spaced or indent is not None else (",", ":"),
        indent=indent,
        sort_keys=sort_keys,
        default=holding_place,
    )
    return re.sub(f'"{mark}([0-9]+)"', lambda match: numbers[int(match[1])], text) if numbers else text
