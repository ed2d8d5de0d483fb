"""Whether a value is valid, asked without a word of why: most answers are, and this is far quicker.

Each schema becomes a function of the value. It says yes only where the validator would find nothing
wrong; where it says no, or cannot say, the validator is asked, which finds the words as well.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from scoring.kit.json_schema.drafts import Draft, subschemas
from scoring.kit.json_schema.keywords import NEVER, is_whole
from scoring.kit.json_schema.run import Check, Run, Unsure
from scoring.kit.json_values import fingerprint

Maker = Callable[["_Maker", Any, dict[str, Any]], Check]
_LOCAL: Final = re.compile(r"#(?:/(\$defs|definitions)/([A-Za-z0-9_.-]+))?")
_NAMING: Final = frozenset({"$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"})
_TYPES: Final[Mapping[str, frozenset[type]]] = {
    "array": frozenset({list}),
    "boolean": frozenset({bool}),
    "integer": frozenset({int}),
    "null": frozenset({type(None)}),
    "number": frozenset({int, float, Decimal}),
    "object": frozenset({dict}),
    "string": frozenset({str}),
}
_FRACTIONAL: Final = frozenset({float, Decimal})
# Up to here every whole number is a double, so that a double compares with it as its decimal text does.
_WHOLE_DOUBLES: Final = 2**53


def quick_checks(schema: Any, draft: Draft) -> Mapping[int, Check]:
    """The functions of a schema and of those inside it, by identity; none for what cannot be asked so.

    `schema` must outlive them. A function raises Unsure where it cannot say, and Unmeasurable where
    the run has nothing left to spend.
    """
    if "if" not in draft.keywords:
        return {}  # Before draft 7 schemas are rare, and differ in many ways.
    maker = _Maker(schema, draft)
    return {identity: check for identity, check in maker.checks.items() if check is not _unsure}


def _always(_value: Any, _run: Run) -> bool:
    return True


def _never(_value: Any, _run: Run) -> bool:
    return False


def _unsure(_value: Any, _run: Run) -> bool:
    raise Unsure


class _Maker:
    """Makes the functions of one schema, each once."""

    def __init__(self, root: Any, draft: Draft) -> None:
        self.root = root
        self.validators: Mapping[str, Any] = draft.validator.VALIDATORS
        self.references_alone = "dependentRequired" not in self.validators
        self.checks: dict[int, Check] = {}
        self.named = False
        pending = [root]
        parts = []
        while pending:
            part = pending.pop()
            if isinstance(part, dict):
                parts.append(part)
                self.named = self.named or (part is not root and not _NAMING.isdisjoint(part))
                pending += [child for _, child in subschemas(part)]
        for part in parts:
            self.check(part)

    def check(self, schema: Any) -> Check:
        """The function of one schema."""
        if schema is True:
            return _always
        if not isinstance(schema, dict) or NEVER in schema:
            return _never
        if id(schema) not in self.checks:
            self.checks[id(schema)] = _unsure  # A schema that holds itself is reached by a reference alone.
            self.checks[id(schema)] = _all_of(list(self._demands(schema)))
        return self.checks[id(schema)]

    def _demands(self, schema: dict[str, Any]) -> Iterator[Check]:
        alone = self.references_alone and "$ref" in schema
        keywords = {"$ref"} if alone else {keyword for keyword in schema if keyword in self.validators}
        if not keywords <= _MAKERS.keys() | _VALUES.keys():
            yield _unsure
            return
        for keyword in (*_MAKERS, *sorted(_VALUES)):
            if keyword in keywords:
                value = schema[keyword]
                yield _MAKERS[keyword](self, value, schema) if keyword in _MAKERS else self.value(keyword, schema)

    def value(self, keyword: str, schema: dict[str, Any]) -> Check:
        """The function of a keyword that looks at one value: the validator's own, for the values it is about."""
        function, value, kinds = self.validators[keyword], schema[keyword], _VALUES.get(keyword, _NUMBERS)

        def check(instance: Any, run: Run) -> bool:
            return type(instance) not in kinds or not list(function(run, value, instance, schema))

        return check


def _all_of(demands: list[Check]) -> Check:
    if _unsure in demands:
        return _unsure
    if len(demands) < 2:
        return demands[0] if demands else _always
    if len(demands) == 2:
        first, second = demands
        return lambda value, run: first(value, run) and second(value, run)

    def check(value: Any, run: Run) -> bool:
        for demand in demands:  # noqa: SIM110 - with all() it takes half as long again
            if not demand(value, run):
                return False
        return True

    return check


def _of_type(_maker: _Maker, value: Any, _schema: dict[str, Any]) -> Check:
    names = [value] if isinstance(value, str) else value
    kinds = frozenset().union(*(_TYPES[name] for name in names))
    if "integer" in names and "number" not in names:
        return lambda value, _: type(value) in kinds or (type(value) in _FRACTIONAL and is_whole(value))
    return lambda value, _: type(value) in kinds


def _required(_maker: _Maker, value: list[str], _schema: dict[str, Any]) -> Check:
    wanted = frozenset(value)
    return lambda value, _: type(value) is not dict or wanted <= value.keys()


def _members(maker: _Maker, value: dict[str, Any], _schema: dict[str, Any]) -> Check:
    pairs = [(name, demand) for name, part in value.items() if (demand := maker.check(part)) is not _always]

    def check(value: Any, run: Run) -> bool:
        if type(value) is dict:
            run.quick.spend(1 + len(pairs))
            for name, demand in pairs:
                if name in value and not demand(value[name], run):
                    return False
        return True

    return check


def _other_members(maker: _Maker, value: Any, schema: dict[str, Any]) -> Check:
    # patternProperties beside it would make the whole schema unsure.
    named = frozenset(schema.get("properties", ()))
    demand = maker.check(value)
    if demand is _never:
        return lambda value, _: type(value) is not dict or value.keys() <= named

    def check(value: Any, run: Run) -> bool:
        if type(value) is dict:
            run.quick.spend(1 + len(value))
            for name, member in value.items():
                if name not in named and not demand(member, run):
                    return False
        return True

    return check


def _items(maker: _Maker, value: Any, schema: dict[str, Any]) -> Check:
    if isinstance(value, list):  # before 2020-12
        return _unsure
    demand, first = maker.check(value), len(schema.get("prefixItems", ()))

    def check(value: Any, run: Run) -> bool:
        if type(value) is list:
            run.quick.spend(1 + len(value))
            for item in value[first:] if first else value:
                if not demand(item, run):
                    return False
        return True

    return check


def _first_items(maker: _Maker, value: list[Any], _schema: dict[str, Any]) -> Check:
    demands = [maker.check(part) for part in value]

    def check(value: Any, run: Run) -> bool:
        return type(value) is not list or all(demand(item, run) for item, demand in zip(value, demands, strict=False))

    return check


def _one_of_values(_maker: _Maker, value: list[Any], _schema: dict[str, Any]) -> Check:
    if all(isinstance(item, str) for item in value):
        texts = frozenset(value)
        return lambda value, _: type(value) is str and value in texts
    wanted = frozenset(map(fingerprint, value))

    def check(value: Any, run: Run) -> bool:
        if isinstance(value, dict | list):
            run.quick.spend_on(value)
        return fingerprint(value) in wanted

    return check


def _bound(compare: Callable[[Any, Any], bool], keyword: str) -> Maker:
    """Minimum and its like; what a double cannot settle is the validator's."""

    def make(maker: _Maker, bound: Any, schema: dict[str, Any]) -> Check:
        exact = maker.value(keyword, schema)
        if isinstance(bound, Decimal) or abs(bound) > _WHOLE_DOUBLES:
            return exact

        def check(value: Any, run: Run) -> bool:
            kind = type(value)
            return compare(value, bound) if kind is int or kind is float else exact(value, run)

        return check

    return make


def _size(kind: type[str | list[Any] | dict[str, Any]], compare: Callable[[int, Any], bool]) -> Maker:
    """MinItems and its like."""

    def make(_maker: _Maker, bound: Any, _schema: dict[str, Any]) -> Check:
        return lambda value, _: type(value) is not kind or compare(len(value), bound)

    return make


def _reference(maker: _Maker, value: str, _schema: dict[str, Any]) -> Check:
    found = _LOCAL.fullmatch(value)
    if found is None or maker.named:
        return _unsure
    target = maker.root if found[1] is None else maker.root.get(found[1], {}).get(found[2])
    if not isinstance(target, dict):
        return _unsure
    checks, identity = maker.checks, id(target)

    def check(value: Any, run: Run) -> bool:
        run.quick.spend(2)
        run.enter()
        try:
            return checks.get(identity, _unsure)(value, run)
        finally:
            run.leave()

    return check


def _combined(judge: Callable[[list[Check], Any, Run], bool]) -> Maker:
    def make(maker: _Maker, value: list[Any], _schema: dict[str, Any]) -> Check:
        branches = [maker.check(part) for part in value]
        if _unsure in branches:
            return _unsure

        def check(value: Any, run: Run) -> bool:
            run.quick.spend(1 + len(branches))
            return judge(branches, value, run)

        return check

    return make


def _negated(maker: _Maker, value: Any, _schema: dict[str, Any]) -> Check:
    inner = maker.check(value)
    return lambda value, run: not inner(value, run)


def _conditional(maker: _Maker, value: Any, schema: dict[str, Any]) -> Check:
    condition = maker.check(value)
    met, unmet = maker.check(schema.get("then", True)), maker.check(schema.get("else", True))
    return lambda value, run: (met if condition(value, run) else unmet)(value, run)


_MAKERS: Final[Mapping[str, Maker]] = {
    "$ref": _reference,
    "type": _of_type,
    "required": _required,
    "const": lambda maker, value, schema: _one_of_values(maker, [value], schema),
    "enum": _one_of_values,
    "minimum": _bound(operator.ge, "minimum"),
    "maximum": _bound(operator.le, "maximum"),
    "exclusiveMinimum": _bound(operator.gt, "exclusiveMinimum"),
    "exclusiveMaximum": _bound(operator.lt, "exclusiveMaximum"),
    "minLength": _size(str, operator.ge),
    "maxLength": _size(str, operator.le),
    "minItems": _size(list, operator.ge),
    "maxItems": _size(list, operator.le),
    "minProperties": _size(dict, operator.ge),
    "maxProperties": _size(dict, operator.le),
    "properties": _members,
    "additionalProperties": _other_members,
    "prefixItems": _first_items,
    "items": _items,
    "allOf": _combined(lambda branches, value, run: all(branch(value, run) for branch in branches)),
    "anyOf": _combined(lambda branches, value, run: any(branch(value, run) for branch in branches)),
    "oneOf": _combined(lambda branches, value, run: sum(branch(value, run) for branch in branches) == 1),
    "not": _negated,
    "if": _conditional,
}
_NUMBERS: Final = _TYPES["number"]
_VALUES: Final[Mapping[str, frozenset[type]]] = {
    "dependentRequired": _TYPES["object"],
    "format": _TYPES["string"],
    "multipleOf": _NUMBERS,
    "pattern": _TYPES["string"],
    "uniqueItems": _TYPES["array"],
}
