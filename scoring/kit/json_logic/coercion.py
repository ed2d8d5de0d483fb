"""Values as JavaScript turns them into each other, which is what JsonLogic's comparisons mean."""

import math
import re
from decimal import Decimal
from typing import Any

from scoring.kit.json_values import json_equal, number_text
from scoring.kit.paths import ABSENT
from scoring.kit.text import trim

Number = int | float | Decimal
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_INFINITY = re.compile(r"[+-]?Infinity")
_LONGEST_NUMBER = 400
_EXACT_INTEGER = 2**53


def truthy(value: Any) -> bool:
    """JsonLogic's truth: false are null, false, 0, the empty text and the empty list."""
    return not (value is ABSENT or value is None or value is False or value in ("", [], 0))


def is_number(value: Any) -> bool:
    """Whether it is a JSON number; true is not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def tidy(number: float) -> int | float:
    """A whole number as an int, so that it is shown and compared as one."""
    if float(number).is_integer() and abs(number) <= _EXACT_INTEGER:
        return int(number)
    return number


def text_number(text: str) -> Number | None:
    """The number that a text is to JavaScript ("" is 0), None for its NaN."""
    text = trim(text[: _LONGEST_NUMBER * 2])
    if not text:
        return 0
    if len(text) > _LONGEST_NUMBER:
        return None
    if _DECIMAL.fullmatch(text):
        return int(text) if text.lstrip("+-").isdigit() else tidy(float(text))
    if _RADIX.fullmatch(text):
        return int(text, 0)
    return float(text.replace("I", "i", 1)) if _INFINITY.fullmatch(text) else None


def to_number(value: Any) -> Number | None:
    """The number that a value is to JavaScript, None for its NaN."""
    if isinstance(value, bool):
        return int(value)
    if is_number(value):
        number: Number = value
        return number
    if value is None:
        return 0
    if isinstance(value, str):
        return text_number(value)
    return text_number(to_text(value)) if isinstance(value, list) else None


def to_text(value: Any) -> str:
    """A value as JavaScript's String writes it; recursive, so only for what is not too deep."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is ABSENT:
        return "undefined"
    if value is None:
        return "null"
    if isinstance(value, list):
        return joined(value, ",")
    return number_text(value) if is_number(value) else "[object Object]"


def joined(values: list[Any], separator: str) -> str:
    """Values as JavaScript's join writes them: null is nothing."""
    return separator.join("" if item is None or item is ABSENT else to_text(item) for item in values)


def strictly_equal(left: Any, right: Any) -> bool:
    """`===`; lists and objects are the same when they hold the same, which JavaScript does not say."""
    if left is ABSENT or right is ABSENT:
        return left is right
    if is_number(left) and is_number(right):
        return _order_of_numbers(left, right) == 0
    return json_equal(left, right)


def loosely_equal(left: Any, right: Any) -> bool:
    """`==`: what has the same type as in `===`, else by number or by text as JavaScript converts."""
    left, right = (None if value is ABSENT else value for value in (left, right))
    if left is None or right is None:
        return left is right
    if _kind(left) == _kind(right) or (isinstance(left, dict | list) and isinstance(right, dict | list)):
        return strictly_equal(left, right)
    left, right = (to_text(value) if isinstance(value, dict | list) else value for value in (left, right))
    if _kind(left) == _kind(right):
        return strictly_equal(left, right)
    numbers = to_number(left), to_number(right)
    return None not in numbers and order(*numbers) == 0


def order(left: Any, right: Any) -> int | None:
    """Below 0, 0 or above 0 as `left` is less, the same or more; None where both < and > are false."""
    left, right = (to_text(value) if isinstance(value, dict | list) else value for value in (left, right))
    if isinstance(left, str) and isinstance(right, str):
        return _order_of_texts(left, right)
    first, second = to_number(left), to_number(right)
    return None if first is None or second is None else _order_of_numbers(first, second)


def _order_of_texts(left: str, right: str) -> int:
    if left.isascii() and right.isascii():
        return (left > right) - (left < right)
    first, second = (text.encode("utf-16-be", "surrogatepass") for text in (left, right))
    return (first > second) - (first < second)


def _order_of_numbers(left: Number, right: Number) -> int:
    if type(left) is not type(right):
        # A double stands for the decimal it was written as, not for the nearest power of two.
        left, right = (Decimal(repr(value)) if isinstance(value, float) else value for value in (left, right))
    return (left > right) - (left < right)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if is_number(value) else type(value).__name__


def finite(number: float) -> bool:
    """Whether a result is a number at all."""
    return isinstance(number, int) or math.isfinite(number)
