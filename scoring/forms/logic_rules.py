"""PURE: the widget of a rule in JsonLogic, and what stands beside it: the data it can see and what it gives now."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from foundation import exact_json
from scoring.forms.logic_words import OPERATOR_GROUPS, VARIABLE_WORDS, OperatorGroup
from scoring.forms.widgets import Unreadable, Widget, read_json, read_json_field, show_json
from scoring.kit.json_logic import Evaluation, RuleFault, check_rule, explain, variables_of
from scoring.kit.json_logic.coercion import truthy
from scoring.kit.json_shown import shown
from scoring.kit.observation import Observation
from scoring.kit.outcome import Unmeasurable
from scoring.kit.paths import ABSENT, resolve
from scoring.kit.text import shortened

_MOST_MEMBERS: Final = 12
_DEEPEST: Final = 3
_MOST_PATHS: Final = 60

LOGIC = Widget(
    "logic",
    show_json,
    read_json_field,
    template="scoring/fields/logic.html",
    mono=True,
    rows=10,
    newlines=True,
)


@dataclass(frozen=True, slots=True)
class Seen:
    """The observation that is looked at beside the form, and in words where it is from."""

    observation: Observation
    source: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A path that a rule may read: what it means, its value now as JSON on one line, and the rule that reads it."""

    path: str
    meaning: str
    value: str
    recorded: bool
    depth: int

    @property
    def rule(self) -> str:
        """`{"var": "object.total"}`."""
        return exact_json.dumps({"var": self.path}, spaced=True)


@dataclass(frozen=True, slots=True)
class RuleView:
    """What stands beside a rule. `verdict` is yes, no, error or none (no rule to evaluate)."""

    source: str
    variables: tuple[Variable, ...]
    verdict: str
    value: str
    sentence: str

    @property
    def groups(self) -> tuple[OperatorGroup, ...]:
        """Every operator, by what it is for."""
        return OPERATOR_GROUPS


def rule_view(text: str, seen: Seen) -> RuleView:
    """The data of an observation with what the rule that was typed makes of it. Never raises."""
    data = variables_of(seen.observation)
    verdict, value, sentence = _outcome(text, data)
    return RuleView(seen.source, tuple(_variables(data)), verdict, value, sentence)


def _outcome(text: str, data: Mapping[str, Any]) -> tuple[str, str, str]:
    if not text.strip():
        return "none", "", "Type a rule, or insert a variable."
    try:
        rule = read_json(text)
        check_rule(rule)
    except Unreadable as fault:
        return "none", "", str(fault)
    except RuleFault as fault:
        return "none", "", f"At {fault.path}: {fault.message}" if fault.path else fault.message
    run = Evaluation(data)
    try:
        value = run.run(rule)
        sentence = explain(run, rule)
    except Unmeasurable as reason:
        return "error", "", reason.message
    return "yes" if truthy(value) else "no", shown(value, 120), sentence


def _variables(data: Mapping[str, Any]) -> Iterator[Variable]:
    """The names a rule knows, recorded or not, each with the members under it."""
    left = _MOST_PATHS
    for path, meaning in VARIABLE_WORDS.items():
        found = resolve(data, path)
        yield Variable(path, meaning, "" if found is ABSENT else shown(found, 80), found is not ABSENT, 0)
        for member in _members(path, found, 1):
            if left <= 0:
                return
            left -= 1
            yield member


def _members(path: str, value: Any, depth: int) -> Iterator[Variable]:
    """What can be read under a path: members by name, and of a list its first item and its length."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list) and value:
        yield Variable(f"{path}.length", "", str(len(value)), recorded=True, depth=depth)
        members: Mapping[str, Any] = {"0": value[0]}
    elif isinstance(value, Mapping):
        # A name with a dot is no step of a path, and a very long one is no help.
        names = [name for name in value if name and "." not in name and shortened(name, 80) == name]
        members = {name: value[name] for name in names[:_MOST_MEMBERS] if f"{path}.{name}" not in VARIABLE_WORDS}
    else:
        return
    for name, member in members.items():
        yield Variable(f"{path}.{name}", "", shown(member, 80), recorded=True, depth=depth)
        yield from _members(f"{path}.{name}", member, depth + 1)
