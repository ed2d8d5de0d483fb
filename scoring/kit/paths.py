"""Dotted paths into JSON: own properties only, list items by their index."""

from typing import Any, Final, final


@final
class Absent:
    """The type of ABSENT: a member that is not there, which is not the same as null."""

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


ABSENT: Final = Absent()
# Names every JavaScript object answers to; a path that names one is asking for no datum.
_NEVER = frozenset({"__proto__", "constructor", "prototype"})


def resolve(document: Any, path: str) -> Any:
    """The value at `path` (steps between dots, `items.0.price`) in `document`, or ABSENT.

    A step is a member's name in an object, or an index without leading zeros in a list. Strings
    and numbers have no members.
    """
    value = document
    for step in path.split("."):
        if step in _NEVER:
            return ABSENT
        if isinstance(value, dict):
            value = value.get(step, ABSENT)
        elif isinstance(value, list | tuple) and _is_index(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
        if value is ABSENT:
            return ABSENT
    return value


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and len(step) <= 9 and (step == "0" or step[0] != "0")
