"""What is a rule: found out when it is saved, so that a misspelt one passes nothing in silence."""

import difflib
from typing import Any

from scoring.kit.json_shown import clean, shown
from scoring.kit.text import shortened

MOST_LEVELS = 64
MOST_NODES = 10_000

COMPARISONS = frozenset({"==", "===", "!=", "!==", "<", "<=", ">", ">="})
OPERATORS = frozenset(
    {
        *("var", "missing", "missing_some", "if", "?:", "!", "!!", "or", "and", "max", "min", "+", "-", "*", "/", "%"),
        *("map", "filter", "reduce", "all", "none", "some", "merge", "in", "cat", "substr", "log"),
        *COMPARISONS,
    }
)
"""Every operator. `?:` is the older spelling of `if`, which the shared tests use."""


class RuleFault(Exception):
    """A rule is none: `steps` lead to the place, the text says what is wrong there."""

    def __init__(self, steps: tuple[str | int, ...], message: str) -> None:
        super().__init__(message)
        self.steps = steps
        self.message = message

    @property
    def path(self) -> str:
        """The place, with dots between the steps."""
        return ".".join(clean(shortened(str(step), 40)) for step in self.steps)


def check_rule(rule: Any) -> None:
    """Return when `rule` can be evaluated; raise RuleFault at the first place where it cannot.

    At most 64 levels and 10,000 values; every object in it must be one known operator with its
    arguments; and a rule that is a bare value would say the same of everything.
    """
    if not isinstance(rule, dict):
        raise RuleFault((), f"A rule is an object with one operator; {shown(rule)} says the same of everything.")
    nodes = 0
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), rule)]
    while pending:
        steps, value = pending.pop()
        nodes += 1
        if nodes > MOST_NODES:
            raise RuleFault((), f"A rule may hold at most {MOST_NODES:,} values.")
        if not isinstance(value, dict | list):
            continue
        if len(steps) >= MOST_LEVELS:
            raise RuleFault(steps[:3], f"A rule may be nested at most {MOST_LEVELS} levels deep.")
        if isinstance(value, list):
            pending += [((*steps, index), item) for index, item in reversed(list(enumerate(value)))]
        else:
            operator = _operator_of(value, steps)
            pending.append(((*steps, operator), value[operator]))


def _operator_of(rule: dict[str, Any], steps: tuple[str | int, ...]) -> str:
    if len(rule) != 1:
        names = ", ".join(shown(name, 40) for name in list(rule)[:4]) or "none"
        raise RuleFault(steps, f"A rule has exactly one operator; here stand {len(rule)}: {names}.")
    operator = next(iter(rule))
    if operator not in OPERATORS:
        near = difflib.get_close_matches(operator[:40], sorted(OPERATORS), 1)
        hint = f' Did you mean "{near[0]}"?' if near else f" The operators are {' '.join(sorted(OPERATORS - {'?:'}))}."
        raise RuleFault((*steps, operator), f"There is no operator {shown(operator, 40)}.{hint}")
    return operator
