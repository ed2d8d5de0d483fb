"""Why a rule came out as it did: the comparison that decided, in a clause for a person."""

from collections.abc import Mapping
from typing import Any, Final

from scoring.kit.json_logic.coercion import truthy
from scoring.kit.json_logic.evaluation import Evaluation
from scoring.kit.json_logic.rules import COMPARISONS
from scoring.kit.json_shown import clean, shown
from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened

_DEEPEST: Final = 40
_MOST_ALTERNATIVES: Final = 3
_WORDS: Final[Mapping[str, str]] = {"<": "under", "<=": "at most", ">": "over", ">=": "at least"}
_EQUAL: Final = frozenset({"==", "==="})


def explain(run: Evaluation, rule: Any) -> str:
    """One sentence on the value of `rule`, which `run` has evaluated."""
    clause = _clause(run, rule, 0)
    value = run.values.get(id(rule))
    return f"{clause}." if clause else f"The expression gives {shown(None if value is ABSENT else value)}."


def _clause(run: Evaluation, rule: Any, depth: int) -> str | None:
    """Why this part came out as it did; None where its value says it all."""
    if not isinstance(rule, dict) or id(rule) not in run.values or depth > _DEEPEST:
        return None
    operator, raw = next(iter(rule.items()))
    arguments = raw if isinstance(raw, list) else [raw]
    value = run.values[id(rule)]
    if operator in COMPARISONS and len(arguments) > 1:
        return _comparison(run, operator, arguments, holds=bool(value))
    if operator == "in" and len(arguments) > 1:
        left, right = (_named(run, argument) for argument in arguments[:2])
        return f"{left} is {'in' if value else 'not in'} {right}"
    if operator in {"missing", "missing_some"} and isinstance(value, list):
        return f"missing: {', '.join(shown(name, 40) for name in value[:5])}" if value else "nothing is missing"
    if operator in {"all", "some", "none"}:
        return _over_items(run, operator, rule, arguments, holds=bool(value))
    if operator == "var":
        return _named(run, rule)
    return _of_parts(run, operator, arguments, truthy(value), depth)


def _of_parts(run: Evaluation, operator: str, arguments: list[Any], holds: bool, depth: int) -> str | None:  # noqa: FBT001
    """The clause of the part that decided, for operators that hand on what a part gives."""
    if operator in {"and", "or"}:
        return _decided(run, operator, arguments, holds, depth)
    if operator in {"if", "?:"}:
        return _branch(run, arguments, depth)
    if operator in {"!", "!!"} and arguments:
        return _clause(run, arguments[0], depth + 1) or _is(run, arguments[0])
    return None


def _path(argument: Any) -> str | None:
    """The path of a variable that is named outright."""
    path = argument.get("var", ABSENT) if isinstance(argument, dict) else ABSENT
    path = path[0] if isinstance(path, list) and path else path
    if isinstance(path, str | int) and not isinstance(path, bool):
        return clean(shortened(str(path), 80)) or "the data"
    return None


def _value(run: Evaluation, argument: Any) -> Any:
    """The value of an argument: a constant, or what was found for a rule."""
    if isinstance(argument, dict):
        value = run.values.get(id(argument))
        return None if value is ABSENT else value
    if isinstance(argument, list):
        return [_value(run, item) for item in argument[:10]] + (["…"] if len(argument) > 10 else [])
    return argument


def _named(run: Evaluation, argument: Any) -> str:
    """`object.total (5)` for a variable, the value for anything else."""
    path, value = _path(argument), shown(_value(run, argument))
    return f"{path} ({value})" if path else value


def _is(run: Evaluation, argument: Any) -> str:
    """`object.total is 5`; `"+" gives 5` for the result of an operator."""
    path, value = _path(argument), shown(_value(run, argument))
    if path:
        return f"{path} is {value}"
    return f'"{next(iter(argument), "")}" gives {value}' if isinstance(argument, dict) else value


def _other(run: Evaluation, argument: Any) -> str:
    """The side that is compared with: its value, and where it came from."""
    path, value = _path(argument), shown(_value(run, argument))
    return f"{value} ({path})" if path else value


def _comparison(run: Evaluation, operator: str, arguments: list[Any], *, holds: bool) -> str:
    verb = "is" if holds else "is not"
    if operator in {"<", "<="} and len(arguments) > 2:
        bounds = f"{_other(run, arguments[0])} and {_other(run, arguments[2])}"
        inclusive = "" if operator == "<=" else " (both left out)"
        return f"{_is(run, arguments[1])}, which {verb} between {bounds}{inclusive}"
    left, right = arguments[:2]
    if operator in _WORDS:
        which = ", which" if isinstance(left, dict) else ""
        return f"{_is(run, left)}{which} {verb} {_WORDS[operator]} {_other(run, right)}"
    if not isinstance(left, dict) and isinstance(right, dict):
        left, right = right, left
    if not isinstance(left, dict):
        return f"{_is(run, left)} {'is' if holds is (operator in _EQUAL) else 'is not'} {_other(run, right)}"
    if operator in _EQUAL:
        return f"{_is(run, left)}, {'as expected' if holds else f'expected {_other(run, right)}'}"
    return f"{_is(run, left)}, {f'not {_other(run, right)}' if holds else 'which it must not be'}"


def _decided(run: Evaluation, operator: str, arguments: list[Any], holds: bool, depth: int) -> str | None:  # noqa: FBT001
    """The part that settled an and or an or; how many there were when it took all of them."""
    if not arguments:
        return None
    settled = holds is (operator == "or")
    if settled:
        for argument in arguments:
            if truthy(_value(run, argument)) is holds:
                return (
                    _clause(run, argument, depth + 1) or f"{_named(run, argument)} {'is' if holds else 'is not'} true"
                )
    if len(arguments) == 1:
        return _clause(run, arguments[0], depth + 1)
    if operator == "and":
        return f"all {len(arguments)} conditions hold"
    reasons = [
        _clause(run, argument, depth + 1) or _named(run, argument) for argument in arguments[:_MOST_ALTERNATIVES]
    ]
    more = f"; and {len(arguments) - _MOST_ALTERNATIVES} more" if len(arguments) > _MOST_ALTERNATIVES else ""
    return f"none of {len(arguments)} conditions holds: {'; '.join(reasons)}{more}"


def _branch(run: Evaluation, arguments: list[Any], depth: int) -> str | None:
    """The branch that was taken, or what was asked when the branch is a plain value."""
    last = None
    for index in range(0, len(arguments) - 1, 2):
        last = arguments[index]
        if truthy(_value(run, last)):
            taken = _clause(run, arguments[index + 1], depth + 1)
            return (
                taken or f"{_clause(run, last, depth + 1) or _named(run, last)}, so {_named(run, arguments[index + 1])}"
            )
    if len(arguments) % 2 == 0 or last is None:
        return None
    taken = _clause(run, arguments[-1], depth + 1)
    return taken or f"{_clause(run, last, depth + 1) or _named(run, last)}, so {_named(run, arguments[-1])}"


def _over_items(run: Evaluation, operator: str, rule: Mapping[str, Any], arguments: list[Any], *, holds: bool) -> str:
    items = _value(run, arguments[0]) if arguments else None
    if not isinstance(items, list) or not items:
        return f"{_path(arguments[0]) if arguments else 'the list'} has no items"
    name = _path(arguments[0]) or "the list"
    at = run.decided.get(id(rule))
    if at is None:
        return f"{'every' if operator == 'all' else 'no'} item of {name} meets the condition"
    return f"item {at} of {name} {'does not meet' if operator == 'all' else 'meets'} the condition"
