"""JSON values compared as the contract compares them: by value, exactly, true apart from 1."""

import json
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened

_PLAIN = (str, int, bool, type(None))


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
    if isinstance(value, int | Decimal):
        return ("number", value)
    if isinstance(value, float):
        # The shortest text that gives this double is what the document said.
        return ("number", Decimal(repr(value)))
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, dict):
        return ("object", frozenset((name, fingerprint(member)) for name, member in value.items()))
    return ("list", tuple(fingerprint(item) for item in value))


class Catalogue:
    """Gives each JSON value a number, the same for the same value: comparing is then one step, whatever the size."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def number(self, value: Any) -> int:
        """The number of `value`."""
        return self._numbers.setdefault(fingerprint(value), len(self._numbers))


def shown(value: Any, limit: int = 40) -> str:
    """`value` as JSON for a sentence, on one line and cut after `limit` characters; `absent` for ABSENT."""
    return "absent" if value is ABSENT else shortened(json.dumps(value, ensure_ascii=False, default=str), limit)
