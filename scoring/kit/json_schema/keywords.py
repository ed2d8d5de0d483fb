"""The keywords that say something of one value: its type, its bounds, its form.

Each is called as `jsonschema` calls keywords, `(validator, value, instance, schema)`, and gives the
errors. The run of the validation stands where the validator keeps its format checker.
"""

from collections.abc import Callable, Iterable, Iterator
from decimal import Context, Decimal
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from scoring.kit.json_schema.run import Run
from scoring.kit.json_shown import shown
from scoring.kit.json_values import fingerprint
from scoring.kit.text import listed

Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]
NEVER: Final = "\0never"
"""The keyword of our own that stands for the schema `false`."""
_CHILDREN_A_STEP: Final = 16
_CHARACTERS_A_STEP: Final = 4_096
# More digits than the quotient of two numbers of 400 digits on either side of the point has.
_EXACTLY: Final = Context(prec=2_000)


def run_of(validator: Any) -> Run:
    """The run that a validator is part of."""
    run: Run = validator.format_checker
    return run


def _weight(value: Any) -> int:
    if isinstance(value, dict | list):
        return len(value) // _CHILDREN_A_STEP
    return len(value) // _CHARACTERS_A_STEP if isinstance(value, str) else 0


def counted(keyword: Keyword) -> Keyword:
    """The keyword, each application of it taken off the budget by the size of what it looks at."""

    def applied(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[ValidationError] | None:
        run_of(validator).budget.spend(1 + _weight(value) + _weight(instance))
        return keyword(validator, value, instance, schema)

    return applied


def nesting(keyword: Keyword) -> Keyword:
    """The keyword, which applies schemas inside its own: counted, and one level deeper."""

    def applied(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
        run = run_of(validator)
        run.budget.spend(2 + _weight(value) + _weight(instance))
        run.enter()
        try:
            yield from keyword(validator, value, instance, schema) or ()
        finally:
            run.leave()

    return applied


def is_number(value: Any) -> bool:
    """Whether it is a JSON number; true is not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether it is a number without a fractional part."""
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return is_number(value) and (isinstance(value, int) or value.is_integer())


def exact(number: Any) -> Any:
    """A number with the value that the document gave it."""
    return Decimal(repr(number)) if isinstance(number, float) else number


def type_name(value: Any) -> str:
    """What a value is, as schemas call it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def _failed(message: str) -> list[ValidationError]:
    return [ValidationError(message)]


def never(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """The schema `false`."""
    return _failed("nothing is allowed here")


def of_type(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`type`."""
    types = [value] if isinstance(value, str) else value
    if any(validator.is_type(instance, name) for name in types):
        return []
    got = shown(instance, 40) if is_number(instance) and "integer" in types else type_name(instance)
    return _failed(f"expected {' or '.join(types)}, got {got}")


def _set_of(validator: Any, values: list[Any]) -> frozenset[Any]:
    sets = run_of(validator).sets
    if id(values) not in sets:
        for value in values:
            run_of(validator).budget.spend_on(value)
        sets[id(values)] = frozenset(fingerprint(value) for value in values)
    return sets[id(values)]


def in_enum(validator: Any, value: list[Any], instance: Any, schema: Any) -> list[ValidationError]:
    """`enum`."""
    if not isinstance(instance, dict | list) or any(type(item) is type(instance) for item in value):
        run_of(validator).budget.spend_on(instance)
        if fingerprint(instance) in _set_of(validator, value):
            return []
    choices = ", ".join(shown(item, 40) for item in value[:6]) + (", …" if len(value) > 6 else "")
    return _failed(f"expected one of {choices}; got {shown(instance)}")


def is_const(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`const`."""
    if not isinstance(instance, dict | list) or (type(value) is type(instance) and len(value) == len(instance)):
        run_of(validator).budget.spend_on(instance)
        run_of(validator).budget.spend_on(value)
        if fingerprint(instance) == fingerprint(value):
            return []
    return _failed(f"expected {shown(value)}, got {shown(instance)}")


def minimum(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`minimum`, with the boolean `exclusiveMinimum` of drafts 3 and 4."""
    if schema.get("exclusiveMinimum") is True:
        return above(validator, value, instance, schema)
    if not is_number(instance) or exact(instance) >= exact(value):
        return []
    return _failed(f"expected at least {shown(value)}, got {shown(instance)}")


def maximum(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`maximum`, with the boolean `exclusiveMaximum` of drafts 3 and 4."""
    if schema.get("exclusiveMaximum") is True:
        return below(validator, value, instance, schema)
    if not is_number(instance) or exact(instance) <= exact(value):
        return []
    return _failed(f"expected at most {shown(value)}, got {shown(instance)}")


def above(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`exclusiveMinimum` as a number."""
    if not is_number(instance) or exact(instance) > exact(value):
        return []
    return _failed(f"expected more than {shown(value)}, got {shown(instance)}")


def below(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`exclusiveMaximum` as a number."""
    if not is_number(instance) or exact(instance) < exact(value):
        return []
    return _failed(f"expected less than {shown(value)}, got {shown(instance)}")


def multiple_of(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`multipleOf` and draft 3's `divisibleBy`, exactly: 0.3 is a multiple of 0.1."""
    if not is_number(instance) or _EXACTLY.remainder(Decimal(exact(instance)), Decimal(exact(value))) == 0:
        return []
    return _failed(f"expected a multiple of {shown(value)}, got {shown(instance)}")


def _size(noun: str, many: str, kind: type, low: bool) -> Keyword:  # noqa: FBT001 - two of each
    """MinItems and its like: a bound of how many there are in a value of one type."""

    def bound(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
        if not isinstance(instance, kind):
            return []
        size = len(instance)  # type: ignore[arg-type] # the kinds are those that have a length
        if size >= value if low else size <= value:
            return []
        return _failed(f"expected at {'least' if low else 'most'} {value} {noun if value == 1 else many}, got {size}")

    return bound


min_items, max_items = (_size("item", "items", list, low) for low in (True, False))
min_length, max_length = (_size("character", "characters", str, low) for low in (True, False))
min_properties, max_properties = (_size("member", "members", dict, low) for low in (True, False))


def unique_items(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`uniqueItems`."""
    if value is not True or not isinstance(instance, list):
        return []
    run_of(validator).budget.spend_on(instance)
    first: dict[Any, int] = {}
    for index, item in enumerate(instance):
        place = first.setdefault(fingerprint(item), index)
        if place != index:
            return _failed(f"items {place} and {index} are the same")
    return []


def pattern(validator: Any, value: str, instance: Any, schema: Any) -> list[ValidationError]:
    """`pattern`, as JavaScript has it."""
    if not isinstance(instance, str) or run_of(validator).matches(value, instance):
        return []
    return _failed(f"{shown(instance)} does not match the pattern {shown(value, 80)}")


def has_format(validator: Any, value: str, instance: Any, schema: Any) -> list[ValidationError]:
    """`format`, which is asserted."""
    if not isinstance(instance, str) or run_of(validator).has_format(value, instance):
        return []
    return _failed(f"{shown(instance)} is no {value}")


def required(validator: Any, value: Any, instance: Any, schema: Any) -> list[ValidationError]:
    """`required` as a list of names."""
    if not isinstance(instance, dict) or not isinstance(value, list):
        return []
    return [ValidationError(f"missing required {shown(name)}") for name in value if name not in instance]


def dependent_required(validator: Any, value: dict[str, Any], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`dependentRequired`."""
    for name, others in value.items() if isinstance(instance, dict) else ():
        for other in others if name in instance else ():
            if other not in instance:
                yield ValidationError(f"missing {shown(other)}, which {shown(name)} requires")


def names(some: Iterable[str]) -> str:
    """Names in quotes, in order, a few of them."""
    return listed(sorted(some))
