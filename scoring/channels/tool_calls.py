"""The tool calls in order, each with what came of it, beside the calls that were expected."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.channels.recorded import Recorded, Value, Window, name_of, rest_of, value_of
from scoring.kit.call_arguments import ReadCall, argument_difference, read_calls
from scoring.kit.json_values import Catalogue
from scoring.kit.numbers import measured_number
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.tool_calls import ALLOW, ToolCall, expected_calls, read_call

_KNOWN = ("id", "name", "arguments", "verdict", "result", "error", "start_ms", "end_ms")
_VERDICTS = {"allow": "let through", "deny": "denied"}


@dataclass(frozen=True, slots=True)
class Call:
    """One call. `state` is succeeded, failed, stopped (not let through) or malformed; `duration` in ms.

    `fit` says how it stands to what was expected: matched, arguments (they differ), unexpected, or empty
    where nothing was expected or it does not count; `expected` is the number of the call it is paired with.
    """

    number: int
    name: str
    id: str
    state: str
    verdict: str
    arguments: Value
    result: Value | None
    error: Value | None
    duration: float | None
    fit: str = ""
    expected: int | None = None
    more: Value | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One expected call: `fit` is matched, arguments (with the `difference` in words) or missing."""

    number: int
    name: str
    arguments: Value
    fit: str
    made: int | None
    difference: str = ""


@dataclass(frozen=True, slots=True)
class ToolCalls:
    """The calls that are shown with the counts of all, and the expected ones.

    `truth` says in words why there are no expected calls, where there are none.
    """

    calls: tuple[Call, ...]
    window: Window
    dispatched: int
    failed: int
    stopped: int
    malformed: int
    expected: tuple[ExpectedCall, ...]
    expected_window: Window
    missing: int
    truth: str
    asked: bool


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Which made call (by its index) each expected one is paired with, and whether their arguments are the same."""

    made: dict[int, int]
    expected: dict[int, int]
    exact: frozenset[int]


def tool_calls_of(recorded: Recorded) -> ToolCalls:
    """The tool calls. Raises Unmeasurable when the channel is null or no list."""
    listed = recorded.observation.channel("tool_calls")
    if not isinstance(listed, list):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "tool_calls must be a list.")
    read = [_read(item, index) for index, item in enumerate(listed)]
    made = [(index, call) for index, call in enumerate(read) if isinstance(call, ToolCall) and call.verdict == ALLOW]
    wanted, truth = _expected(recorded)
    pairs, sides = _paired(made, wanted or [])
    window = recorded.window("tool-calls", len(listed))
    below = recorded.window("expected-calls", len(wanted or []))
    numbers = range(window.first, window.last + 1) if window.total else ()
    return ToolCalls(
        calls=tuple(
            _call(number, listed[number - 1], read[number - 1], pairs, asked=wanted is not None) for number in numbers
        ),
        window=window,
        dispatched=len(made),
        failed=sum(call.failed for _, call in made),
        stopped=sum(isinstance(call, ToolCall) and call.verdict != ALLOW for call in read),
        malformed=sum(isinstance(call, str) for call in read),
        expected=tuple(
            _expected_call(recorded, index, call, pairs, sides)
            for index, call in list(enumerate(wanted or []))[max(0, below.first - 1) : below.last]
        ),
        expected_window=below,
        missing=len(wanted or []) - len(pairs.expected),
        truth=truth,
        asked=wanted is not None,
    )


def _read(item: Any, index: int) -> ToolCall | str:
    """The call, or what is wrong with it."""
    try:
        return read_call(item, ErrorCode.BAD_INPUT, f"tool_calls.{index}")
    except Unmeasurable as fault:
        return fault.message


def _expected(recorded: Recorded) -> tuple[list[ToolCall] | None, str]:
    """The expected calls, or None and why there are none."""
    if recorded.observation.ground_truth("tool_calls") is ABSENT:
        return None, ""
    try:
        return expected_calls(recorded.observation), ""
    except Unmeasurable as fault:
        return None, fault.message


def _paired(
    made: Sequence[tuple[int, ToolCall]], wanted: Sequence[ToolCall]
) -> tuple[_Pairs, tuple[dict[int, ReadCall], list[ReadCall]]]:
    """Calls with the same arguments are paired first, then those that have the name alone in common."""
    if not wanted:
        return _Pairs({}, {}, frozenset()), ({}, [])
    catalogue = Catalogue()
    given = dict(zip((index for index, _ in made), read_calls([call for _, call in made], catalogue), strict=True))
    asked = read_calls(list(wanted), catalogue)
    pairs: dict[int, int] = {}
    _take(pairs, asked, given, lambda call: (call.name, call.whole))
    exact = frozenset(pairs)
    _take(pairs, asked, given, lambda call: call.name)
    return _Pairs({index: place for place, index in pairs.items()}, pairs, exact), (given, asked)


def _take(pairs: dict[int, int], asked: Sequence[ReadCall], given: dict[int, ReadCall], key: Any) -> None:
    """Pair each expected call that has no partner with the first free made one of the same key."""
    taken = set(pairs.values())
    free: dict[Any, list[int]] = defaultdict(list)
    for index in reversed(given):
        if index not in taken:
            free[key(given[index])].append(index)
    for place, call in enumerate(asked):
        if place not in pairs and free.get(key(call)):
            pairs[place] = free[key(call)].pop()


def _call(number: int, item: Any, call: ToolCall | str, pairs: _Pairs, *, asked: bool) -> Call:
    place = ("observation", "tool_calls", number - 1)
    if isinstance(call, str):
        return Call(number, "", "", "malformed", "", value_of(item, place), None, None, None, fault=call)
    stopped = call.verdict != ALLOW
    expected = pairs.made.get(number - 1)
    fit = "unexpected" if expected is None else "matched" if expected in pairs.exact else "arguments"
    return Call(
        number=number,
        name=name_of(call.name),
        id=name_of(item.get("id") or ""),
        state="stopped" if stopped else "failed" if call.failed else "succeeded",
        verdict=_VERDICTS.get(call.verdict, name_of(call.verdict)),
        arguments=value_of(item.get("arguments", ABSENT), (*place, "arguments")),
        result=None if item.get("result") is None else value_of(item["result"], (*place, "result")),
        error=value_of(item["error"], (*place, "error")) if call.failed else None,
        duration=_duration(item),
        fit=fit if asked and not stopped else "",
        expected=None if expected is None else expected + 1,
        more=rest_of(item, _KNOWN, place),
    )


def _duration(item: dict[str, Any]) -> float | None:
    start, end = measured_number(item.get("start_ms")), measured_number(item.get("end_ms"))
    return None if start is None or end is None else end - start


def _expected_call(
    recorded: Recorded,
    index: int,
    call: ToolCall,
    pairs: _Pairs,
    sides: tuple[dict[int, ReadCall], list[ReadCall]],
) -> ExpectedCall:
    made = pairs.expected.get(index)
    fit = "missing" if made is None else "matched" if index in pairs.exact else "arguments"
    given, asked = sides
    difference = (
        argument_difference(given[made], asked[index], "exact") if made is not None and fit == "arguments" else ""
    )
    arguments = value_of(call.arguments, recorded.expected_place("tool_calls", index, "arguments"))
    return ExpectedCall(index + 1, name_of(call.name), arguments, fit, None if made is None else made + 1, difference)
