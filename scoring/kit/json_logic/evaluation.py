"""The value of a rule over some data, under bounds of steps, of size and of depth."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from scoring.kit.budget import Budget
from scoring.kit.json_logic.coercion import truthy
from scoring.kit.json_logic.operators import OPERATIONS, order_of, text_of
from scoring.kit.json_logic.rules import MOST_LEVELS, OPERATORS
from scoring.kit.json_shown import shown
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT, resolve
from scoring.kit.text import utf16_length

MOST_STEPS: Final = 200_000
MOST_SIZE: Final = 1_000_000


class Evaluation:
    """One evaluation, and what it saw on the way: for the explanation and the evidence.

    `values` holds the value of each rule (by identity) that was evaluated over the whole data,
    `read` what each variable of it was, `decided` the item at which all, some or none was decided.
    """

    def __init__(self, data: Any, steps: int = MOST_STEPS, size: int = MOST_SIZE) -> None:
        self.data = data
        self.steps = Budget(steps, f"The expression needs more than {steps:,} steps.")
        self.size = Budget(size, f"The expression makes values of more than {size:,} items and characters.")
        self.values: dict[int, Any] = {}
        self.read: dict[str, Any] = {}
        self.decided: dict[int, int] = {}
        self._depth = 0

    def run(self, rule: Any) -> Any:
        """The value of `rule`, null when it has none.

        Raises Unmeasurable: config for what is no rule, bad_input for arithmetic on what is no
        number, undefined for a division by zero, limit.
        """
        value = self.value(rule, self.data)
        return None if value is ABSENT else value

    def value(self, rule: Any, data: Any) -> Any:
        """The value of a part of the rule where `data` is what its variables read."""
        self.steps.spend()
        if not isinstance(rule, dict | list):
            return rule
        self._depth += 1
        if self._depth > MOST_LEVELS:
            raise Unmeasurable(ErrorCode.LIMIT, f"The expression is nested more than {MOST_LEVELS} levels deep.")
        try:
            return self._listed(rule, data) if isinstance(rule, list) else self._applied(rule, data)
        finally:
            self._depth -= 1

    def _listed(self, items: list[Any], data: Any) -> list[Any]:
        self.size.spend(len(items))
        values = []
        for item in items:
            value = self.value(item, data)
            values.append(None if value is ABSENT else value)
        return values

    def _applied(self, rule: Mapping[str, Any], data: Any) -> Any:
        operator = next(iter(rule), "")
        raw = rule.get(operator)
        arguments = raw if isinstance(raw, list) else [raw]
        if len(rule) != 1 or operator not in OPERATORS:
            raise Unmeasurable(ErrorCode.CONFIG, f"{shown(rule)} is no rule: one known operator is.")
        control = _CONTROLS.get(operator)
        if control is not None:
            value = control(self, rule, arguments, data)
        else:
            value = OPERATIONS[operator](self, [self.value(argument, data) for argument in arguments])
        if data is self.data:
            self.values[id(rule)] = value
        return value

    def variable(self, path: Any, data: Any, fallback: Any = None) -> Any:
        """What stands at `path` (text or number, dots between steps) in `data`, else `fallback`.

        A list and a text have a `length`; nothing else has members that are not its own.
        """
        if path is ABSENT or path is None or path == "":
            return data
        steps = text_of(self, path)
        self.steps.spend(len(steps) // 50)
        found = resolve(data, steps)
        if found is ABSENT and (steps == "length" or steps.endswith(".length")):
            holder = resolve(data, steps[: -len(".length")]) if steps != "length" else data
            if isinstance(holder, list):
                found = len(holder)
            elif isinstance(holder, str):
                self.steps.spend(len(holder) // 1_000)
                found = utf16_length(holder)
        if data is self.data:
            self.read.setdefault(steps, found)
        return fallback if found is ABSENT else found

    def truth(self, rule: Any, data: Any) -> bool:
        """Whether the value of a part is true as JsonLogic has it."""
        return truthy(self.value(rule, data))


Control = Callable[[Evaluation, Mapping[str, Any], list[Any], Any], Any]


def _argument(arguments: list[Any], index: int) -> Any:
    return arguments[index] if index < len(arguments) else ABSENT


def _if(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    for index in range(0, len(arguments) - 1, 2):
        if run.truth(arguments[index], data):
            return run.value(arguments[index + 1], data)
    return run.value(arguments[-1], data) if len(arguments) % 2 else None


def _and(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    value: Any = None
    for argument in arguments:
        value = run.value(argument, data)
        if not truthy(value):
            return value
    return value


def _or(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    value: Any = None
    for argument in arguments:
        value = run.value(argument, data)
        if truthy(value):
            return value
    return value


def _variable(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    path = run.value(_argument(arguments, 0), data)
    fallback = run.value(arguments[1], data) if len(arguments) > 1 else None
    return run.variable(path, data, fallback)


def _missing_of(run: Evaluation, names: list[Any], data: Any) -> list[Any]:
    run.size.spend(len(names))
    run.steps.spend(len(names))
    return [name for name in names if (found := run.variable(name, data)) is None or found == ""]


def _missing(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    names = [run.value(argument, data) for argument in arguments]
    return _missing_of(run, names[0] if names and isinstance(names[0], list) else names, data)


def _missing_some(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    needed, names = (run.value(_argument(arguments, index), data) for index in (0, 1))
    names = names if isinstance(names, list) else [names]
    missing = _missing_of(run, names, data)
    enough = order_of(run, len(names) - len(missing), needed)
    return [] if enough is not None and enough >= 0 else missing


def _items(run: Evaluation, arguments: list[Any], data: Any) -> list[Any]:
    items = run.value(_argument(arguments, 0), data)
    return items if isinstance(items, list) else []


def _map(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    items = _items(run, arguments, data)
    run.size.spend(len(items))
    values = (run.value(_argument(arguments, 1), item) for item in items)
    return [None if value is ABSENT else value for value in values]


def _filter(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    items = _items(run, arguments, data)
    run.size.spend(len(items))
    return [item for item in items if run.truth(_argument(arguments, 1), item)]


def _reduce(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    items = run.value(_argument(arguments, 0), data)
    accumulated = run.value(arguments[2], data) if len(arguments) > 2 else None
    for item in items if isinstance(items, list) else []:
        accumulated = run.value(_argument(arguments, 1), {"current": item, "accumulator": accumulated})
    return accumulated


def _first(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any, *, wanted: bool) -> int | None:
    """The place of the first item whose truth is `wanted`; -1 when there are no items, None when no item is so."""
    items = _items(run, arguments, data)
    for index, item in enumerate(items):
        if run.truth(_argument(arguments, 1), item) is wanted:
            if data is run.data:
                run.decided[id(rule)] = index
            return index
    return None if items else -1


def _all(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    # All of nothing is false, unlike in logic.
    return _first(run, rule, arguments, data, wanted=False) is None


def _some(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    return _first(run, rule, arguments, data, wanted=True) not in (None, -1)


def _none(run: Evaluation, rule: Mapping[str, Any], arguments: list[Any], data: Any) -> Any:
    return _first(run, rule, arguments, data, wanted=True) in (None, -1)


_CONTROLS: Final[Mapping[str, Control]] = {
    "if": _if,
    "?:": _if,
    "and": _and,
    "or": _or,
    "var": _variable,
    "missing": _missing,
    "missing_some": _missing_some,
    "map": _map,
    "filter": _filter,
    "reduce": _reduce,
    "all": _all,
    "some": _some,
    "none": _none,
}
