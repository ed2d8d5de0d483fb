"""JSON values compared as the contract compares them: by value, exactly, true apart from 1."""

import json
import math
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

from foundation import exact_json
from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened

_PLAIN = (str, int, bool, type(None))
_WHOLE_DOUBLES = 2**53


def json_equal(left: Any, right: Any) -> bool:
    """Whether two JSON values are the same.

    Numbers compare by exact decimal value (5 = 5.0, 9007199254740992 ≠ 9007199254740993), true is
    not 1, lists are ordered, members of objects are not.
    """
    if type(left) is type(right) and isinstance(left, _PLAIN):
        return bool(left == right)
    return fingerprint(left) == fingerprint(right)


def fingerprint(value: Any) -> Hashable:
    """Something hashable that two JSON values share exactly when they are the same."""
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    if isinstance(value, int):
        return ("number", value)
    if isinstance(value, float | Decimal):
        return _fingerprint_of_number(value)
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, dict):
        return ("object", frozenset((name, fingerprint(member)) for name, member in value.items()))
    return ("list", tuple(fingerprint(item) for item in value))


def number_text(number: float | Decimal) -> str:
    """A number as JavaScript writes it: 1.0 is "1", 1e21 is "1e+21", 0.0000001 is "1e-7"."""
    exact = number if isinstance(number, Decimal) else Decimal(repr(number))
    if not exact.is_finite():
        return "NaN" if exact.is_nan() else f"{'-' if exact < 0 else ''}Infinity"
    sign, digits, exponent = exact.as_tuple()
    written = "".join(map(str, digits)).lstrip("0")
    kept = written.rstrip("0")
    if not kept:
        return "0"
    point = len(written) + int(exponent)
    minus = "-" if sign else ""
    if len(kept) <= point <= 21:
        return f"{minus}{kept.ljust(point, '0')}"
    if 0 < point <= 21:
        return f"{minus}{kept[:point]}.{kept[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{kept}"
    mantissa = kept if len(kept) == 1 else f"{kept[0]}.{kept[1:]}"
    return f"{minus}{mantissa}e{point - 1:+d}"


def canonical_text(value: Any) -> str:
    """The one JSON text of a value: members sorted, no spaces, numbers of the same value written the same."""
    if isinstance(value, dict):
        members = [f"{json.dumps(name, ensure_ascii=False)}:{canonical_text(value[name])}" for name in sorted(value)]
        return f"{{{','.join(members)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(canonical_text, value))}]"
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return number_text(value)
    return json.dumps(value, ensure_ascii=False)


def _fingerprint_of_number(value: float | Decimal) -> Hashable:
    double = float(value)
    if isinstance(value, Decimal) and (not math.isfinite(double) or Decimal(repr(double)) != value):
        return ("number", value)
    if not double.is_integer():
        # Apart from exact numbers, to which Python would compare it as the nearest power of two.
        return ("double", double)
    # The shortest text that gives this double is what the document said.
    return ("number", int(double) if abs(double) <= _WHOLE_DOUBLES else Decimal(repr(double)))


class Catalogue:
    """Gives each JSON value a number, the same for the same value: comparing is then one step, whatever the size."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Any) -> int:
        """The number of `value`."""
        return self._numbers.setdefault(fingerprint(value), len(self._numbers))


def shown(value: Any, limit: int = 40) -> str:
    """`value` as JSON for a sentence, on one line and cut after `limit` characters; `absent` for ABSENT."""
    return "absent" if value is ABSENT else shortened(exact_json.dumps(value, spaced=True), limit)
