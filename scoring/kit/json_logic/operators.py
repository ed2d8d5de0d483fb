"""What each operator makes of its arguments, once those have values."""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final, Protocol

from scoring.kit.budget import Budget
from scoring.kit.json_logic.coercion import (
    finite,
    is_number,
    joined,
    loosely_equal,
    order,
    strictly_equal,
    text_number,
    tidy,
    to_text,
    truthy,
)
from scoring.kit.json_logic.rules import MOST_LEVELS
from scoring.kit.json_shown import shown
from scoring.kit.numbers import as_number
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT

# Looking through so many characters, or items, takes about as long as one step.
_CHARACTERS_A_STEP: Final = 500
_ITEMS_A_STEP: Final = 8
# Beyond it whole numbers go on as doubles, so that no product grows without end.
_LARGEST_EXACT: Final = 10**30


class Run(Protocol):
    """Whose budgets are spent."""

    steps: Budget
    size: Budget


Operation = Callable[[Run, list[Any]], Any]


def _argument(arguments: list[Any], index: int) -> Any:
    return arguments[index] if index < len(arguments) else ABSENT


def _spend_on(run: Run, *values: Any) -> None:
    for value in values:
        if isinstance(value, str):
            run.steps.spend(len(value) // _CHARACTERS_A_STEP)
        elif isinstance(value, dict | list):
            run.steps.spend_on(value, MOST_LEVELS)


def text_of(run: Run, value: Any) -> str:
    """The text of a value as JavaScript has it, paid for."""
    _spend_on(run, value)
    text = to_text(value)
    if text is not value:
        run.size.spend(len(text))
    return text


def order_of(run: Run, left: Any, right: Any) -> int | None:
    """How two values compare, paid for; None where they cannot be compared."""
    _spend_on(run, left, right)
    return order(left, right)


def _loosely(run: Run, arguments: list[Any]) -> bool:
    left, right = _argument(arguments, 0), _argument(arguments, 1)
    _spend_on(run, left, right)
    return loosely_equal(left, right)


def _strictly(run: Run, arguments: list[Any]) -> bool:
    left, right = _argument(arguments, 0), _argument(arguments, 1)
    _spend_on(run, left, right)
    return strictly_equal(left, right)


def _ordered(run: Run, arguments: list[Any], accepted: frozenset[int]) -> bool:
    """Whether the first two are in one of the orders, and the second and a third too where there is one."""
    orders = [order_of(run, left, right) for left, right in pairwise(arguments[:3])]
    return bool(orders) and all(found in accepted for found in orders)


def _less(run: Run, arguments: list[Any]) -> bool:
    return _ordered(run, arguments, frozenset({-1}))


def _at_most(run: Run, arguments: list[Any]) -> bool:
    return _ordered(run, arguments, frozenset({-1, 0}))


def _more(run: Run, arguments: list[Any]) -> bool:
    return _ordered(run, arguments[:2], frozenset({1}))


def _at_least(run: Run, arguments: list[Any]) -> bool:
    return _ordered(run, arguments[:2], frozenset({0, 1}))


def _operand(operator: str, value: Any) -> int | float:
    """The number that a value is to arithmetic: a number, or a text that is one decimal number."""
    number: Any = None
    if is_number(value):
        number = tidy(float(value)) if isinstance(value, Decimal) else value
    elif isinstance(value, str) and as_number(value) is not None:
        number = text_number(value)
    if number is None or not finite(number):
        said = "nothing" if value is ABSENT else shown(value)
        raise Unmeasurable(ErrorCode.BAD_INPUT, f'"{operator}" needs numbers, and was given {said}.')
    return number if isinstance(number, int) and abs(number) <= _LARGEST_EXACT else tidy(float(number))


def _result(operator: str, number: float) -> int | float:
    if not finite(number):
        raise Unmeasurable(ErrorCode.UNDEFINED, f'"{operator}" gives no finite number.')
    if isinstance(number, int) and abs(number) > _LARGEST_EXACT:
        return float(number)
    return tidy(number)


def _sum(run: Run, arguments: list[Any]) -> Any:
    total: int | float = 0
    for value in arguments:
        total = _result("+", total + _operand("+", value))
    return total


def _product(run: Run, arguments: list[Any]) -> Any:
    product = _operand("*", _argument(arguments, 0))
    for value in arguments[1:]:
        product = _result("*", product * _operand("*", value))
    return product


def _difference(run: Run, arguments: list[Any]) -> Any:
    first = _operand("-", _argument(arguments, 0))
    return _result("-", -first if len(arguments) < 2 else first - _operand("-", arguments[1]))


def _two(operator: str, arguments: list[Any]) -> tuple[int | float, int | float]:
    first, second = _operand(operator, _argument(arguments, 0)), _operand(operator, _argument(arguments, 1))
    if second == 0:
        raise Unmeasurable(ErrorCode.UNDEFINED, f'"{operator}" divides by zero.')
    return first, second


def _quotient(run: Run, arguments: list[Any]) -> Any:
    first, second = _two("/", arguments)
    return _result("/", first / second)


def _remainder(run: Run, arguments: list[Any]) -> Any:
    first, second = _two("%", arguments)
    if isinstance(first, int) and isinstance(second, int):
        return (abs(first) % abs(second)) * (-1 if first < 0 else 1)
    return _result("%", math.fmod(first, second))


def _extreme(operator: str, arguments: list[Any], choose: Callable[[list[int | float]], int | float]) -> Any:
    numbers = [_operand(operator, value) for value in arguments]
    if not numbers:
        raise Unmeasurable(ErrorCode.BAD_INPUT, f'"{operator}" needs numbers, and was given none.')
    return choose(numbers)


def _in(run: Run, arguments: list[Any]) -> bool:
    wanted, place = _argument(arguments, 0), _argument(arguments, 1)
    if isinstance(place, str):
        if not place or wanted is None or wanted is ABSENT or isinstance(wanted, dict):
            return False
        run.steps.spend(len(place) // _CHARACTERS_A_STEP)
        return text_of(run, wanted) in place
    if not isinstance(place, list):
        return False
    run.steps.spend(len(place) // _ITEMS_A_STEP)
    if isinstance(wanted, str):
        return wanted in place
    _spend_on(run, wanted)
    # A list or an object is paid for where it is compared.
    return any(_found(run, wanted, item) for item in place)


def _found(run: Run, wanted: Any, item: Any) -> bool:
    if isinstance(wanted, dict | list):
        if type(wanted) is not type(item) or len(wanted) != len(item):
            return False
        _spend_on(run, item)
    return strictly_equal(wanted, item)


def _joined(run: Run, arguments: list[Any]) -> str:
    _spend_on(run, *arguments)
    text = joined(arguments, "")
    run.size.spend(len(text))
    return text


def _part(run: Run, arguments: list[Any]) -> str:
    """`length` characters of a text from `start`; a start below 0 counts from the end, a length stops before it."""
    text = text_of(run, _argument(arguments, 0))
    start = _whole(_argument(arguments, 1), 0)
    length = _whole(_argument(arguments, 2), len(text))
    start = max(len(text) + start, 0) if start < 0 else min(start, len(text))
    end = len(text) + length if length < 0 else start + length
    part = text[start : max(end, start)]
    run.size.spend(len(part))
    return part


def _whole(value: Any, fallback: int) -> int:
    if value is ABSENT or value is None:
        return fallback
    return math.trunc(max(-1e9, min(1e9, float(_operand("substr", value)))))


def _merged(run: Run, arguments: list[Any]) -> list[Any]:
    items: list[Any] = []
    for value in arguments:
        added = value if isinstance(value, list) else [None if value is ABSENT else value]
        run.size.spend(len(added))
        items += added
    return items


OPERATIONS: Final[Mapping[str, Operation]] = {
    "==": _loosely,
    "===": _strictly,
    "!=": lambda run, arguments: not _loosely(run, arguments),
    "!==": lambda run, arguments: not _strictly(run, arguments),
    "<": _less,
    "<=": _at_most,
    ">": _more,
    ">=": _at_least,
    "!": lambda _, arguments: not truthy(_argument(arguments, 0)),
    "!!": lambda _, arguments: truthy(_argument(arguments, 0)),
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "%": _remainder,
    "min": lambda _, arguments: _extreme("min", arguments, min),
    "max": lambda _, arguments: _extreme("max", arguments, max),
    "in": _in,
    "cat": _joined,
    "substr": _part,
    "merge": _merged,
    "log": lambda _, arguments: _argument(arguments, 0),
}
