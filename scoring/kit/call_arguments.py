"""The arguments of tool calls compared: each value is read once, however often its call is compared."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scoring.kit.json_values import Catalogue, shown
from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened
from scoring.kit.tool_calls import ToolCall

Arguments = Literal["exact", "superset", "subset", "ignore"]
_NONE: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call with its arguments as numbers: `whole` for all, `members` for each, or None where they are no object."""

    call: ToolCall
    whole: int
    members: frozenset[tuple[str, int]] | None

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.call.name

    @property
    def size(self) -> int:
        """How many steps one comparison may take."""
        return 1 + len(self.members or _NONE)

    def fits(self, expected: "ReadCall", mode: Arguments) -> bool:
        """Whether this call's arguments are what the expected call asks for; names are not looked at."""
        if mode == "ignore" or self.whole == expected.whole:
            return True
        if mode == "exact" or self.members is None or expected.members is None:
            return False
        return expected.members <= self.members if mode == "superset" else self.members <= expected.members

    def key(self, mode: Arguments) -> int:
        """What the calls that fit each other share, where the mode is exact or ignore."""
        return -1 if mode == "ignore" else self.whole


def read_calls(calls: list[ToolCall], catalogue: Catalogue) -> list[ReadCall]:
    """The calls, comparable with all that are read with the same catalogue."""
    return [_read(call, catalogue) for call in calls]


def _read(call: ToolCall, catalogue: Catalogue) -> ReadCall:
    if not isinstance(call.arguments, dict):
        return ReadCall(call, catalogue.number(call.arguments), None)
    numbers = {name: catalogue.number(value) for name, value in call.arguments.items()}
    # The members' numbers stand for the object: nothing large is read twice.
    return ReadCall(call, catalogue.number({"arguments": numbers}), frozenset(numbers.items()))


def argument_difference(actual: ReadCall, expected: ReadCall, mode: Arguments) -> str:
    """What is wrong with the arguments, in words: `n is true, expected 1`; at most two of the differences."""
    if actual.members is None or expected.members is None:
        return f"arguments {shown(actual.call.arguments)}, expected {shown(expected.call.arguments)}"
    found = list(
        _differences(dict(actual.call.arguments), dict(expected.call.arguments), mode, _same(actual, expected))
    )
    return ", ".join(found[:2]) + (f" and {len(found) - 2} more" if len(found) > 2 else "")


def _same(actual: ReadCall, expected: ReadCall) -> set[str]:
    return {name for name, _ in (actual.members or _NONE) & (expected.members or _NONE)}


def _differences(actual: dict[str, Any], expected: dict[str, Any], mode: Arguments, same: set[str]) -> Iterator[str]:
    for name in sorted({*actual, *expected} - same):
        given, wanted = actual.get(name, ABSENT), expected.get(name, ABSENT)
        if wanted is ABSENT:
            if mode != "superset":
                yield f"{shortened(name)} {shown(given)} was not expected"
        elif given is ABSENT:
            if mode != "subset":
                yield f"{shortened(name)} is missing, expected {shown(wanted)}"
        else:
            yield f"{shortened(name)} is {shown(given)}, expected {shown(wanted)}"


def unmatched_names(calls: Sequence[ReadCall], others: Sequence[ReadCall]) -> list[ReadCall]:
    """The calls whose names the others do not have as often."""
    left = Counter(call.name for call in others)
    missing = []
    for call in calls:
        if left[call.name] > 0:
            left[call.name] -= 1
        else:
            missing.append(call)
    return missing
