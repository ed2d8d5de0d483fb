"""The keywords that apply schemas: to the value itself, to its members, to its items."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from referencing.jsonschema import lookup_recursive_ref

from scoring.kit.json_schema.keywords import NEVER, dependent_required, names, run_of
from scoring.kit.json_shown import json_path, shown

_STEPS_A_REFERENCE: Final = 4


def is_never(schema: Any) -> bool:
    """Whether it is the schema `false`."""
    return schema is False or (isinstance(schema, dict) and NEVER in schema)


def holds(validator: Any, instance: Any, schema: Any) -> bool:
    """Whether a schema allows the value."""
    return next(iter(validator.descend(instance, schema)), None) is None


def _nearest(branches: list[list[ValidationError]]) -> str:
    """The first complaint of the branch that complains least."""
    error = min(branches, key=len)[0]
    place = json_path(error.path)
    return error.message if place == "$" else f"{place}: {error.message}"


def reference(validator: Any, value: str, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`$ref` and `$dynamicRef`, which take longer than other keywords."""
    run_of(validator).budget.spend(_STEPS_A_REFERENCE)
    resolved = validator._resolver.lookup(value)  # noqa: SLF001 - validators show it to keywords, and to nobody else
    if resolved.contents is False:
        yield ValidationError("nothing is allowed here")
    else:
        yield from validator.descend(instance, resolved.contents, resolver=resolved.resolver)


def any_of(validator: Any, value: list[Any], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`anyOf`."""
    branches = []
    for branch in value:
        errors = list(validator.descend(instance, branch))
        if not errors:
            return
        branches.append(errors)
    yield ValidationError(f"fits none of the {len(value)} forms of anyOf; the nearest: {_nearest(branches)}")


def one_of(validator: Any, value: list[Any], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`oneOf`."""
    branches = [list(validator.descend(instance, branch)) for branch in value]
    fitting = [index for index, errors in enumerate(branches) if not errors]
    if not fitting:
        yield ValidationError(f"fits none of the {len(value)} forms of oneOf; the nearest: {_nearest(branches)}")
    elif len(fitting) > 1:
        numbers = ", ".join(str(index) for index in fitting[:5]) + (", …" if len(fitting) > 5 else "")
        yield ValidationError(f"fits {len(fitting)} forms of oneOf ({numbers}) and must fit exactly one")


def negated(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`not`."""
    if holds(validator, instance, value):
        yield ValidationError("is of the form that not rules out")


def property_names(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`propertyNames`."""
    for name in instance if isinstance(instance, dict) else ():
        for error in validator.descend(name, value):
            yield ValidationError(f"the name {shown(name)}: {error.message}")


def pattern_properties(validator: Any, value: dict[str, Any], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`patternProperties`, as JavaScript has the patterns."""
    for pattern, subschema in value.items() if isinstance(instance, dict) else ():
        for name, member in instance.items():
            if run_of(validator).matches(pattern, name):
                yield from validator.descend(member, subschema, path=name, schema_path=pattern)


def _named(validator: Any, instance: dict[str, Any], schema: Any) -> set[str]:
    """The members that `properties` and `patternProperties` speak of."""
    patterns = schema.get("patternProperties", {})
    named: set[str] = instance.keys() & schema.get("properties", {}).keys()
    rest = instance.keys() - named if patterns else ()
    return named | {name for name in rest if any(run_of(validator).matches(pattern, name) for pattern in patterns)}


def additional_properties(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`additionalProperties`."""
    if not isinstance(instance, dict):
        return
    named = _named(validator, instance, schema)
    extra = [name for name in instance if name not in named]
    if extra and is_never(value):
        yield ValidationError(f"has members that are not allowed: {names(extra)}")
        return
    for name in extra:
        yield from validator.descend(instance[name], value, path=name)


def items(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`items` of 2020-12: those after `prefixItems`."""
    if isinstance(instance, list):
        yield from _rest(validator, value, instance, len(schema.get("prefixItems", ())))


def additional_items(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`additionalItems` of the drafts before: those after a list of `items`, and nothing without one."""
    first = schema.get("items")
    if isinstance(instance, list) and isinstance(first, list):
        yield from _rest(validator, value, instance, len(first))


def _rest(validator: Any, value: Any, instance: list[Any], start: int) -> Iterator[ValidationError]:
    if is_never(value) and len(instance) > start:
        yield ValidationError(f"expected at most {start} item{'' if start == 1 else 's'}, got {len(instance)}")
        return
    for index in range(start, len(instance)):
        yield from validator.descend(instance[index], value, path=index)


def contains(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`contains`, with `minContains` and `maxContains` from 2019-09 on."""
    if not isinstance(instance, list):
        return
    # Drafts 6 and 7 have contains without its bounds.
    bounded = "dependentRequired" in validator.VALIDATORS
    low, high = (schema.get("minContains", 1), schema.get("maxContains")) if bounded else (1, None)
    found = 0
    for item in instance:
        found += holds(validator, item, value)
        if found >= low and high is None:
            return
    if found < low:
        yield ValidationError(f"expected at least {low} of its items to fit contains, got {found}")
    elif high is not None and found > high:
        yield ValidationError(f"expected at most {high} of its items to fit contains, got {found}")


def dependencies(validator: Any, value: dict[str, Any], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`dependencies` of the drafts up to 7: a name, a list of names, or a schema for each."""
    for name, dependency in value.items() if isinstance(instance, dict) else ():
        if name not in instance:
            continue
        if isinstance(dependency, str | list):
            others = [dependency] if isinstance(dependency, str) else dependency
            yield from dependent_required(validator, {name: others}, instance, schema)
        else:
            yield from validator.descend(instance, dependency, schema_path=name)


def properties_draft3(validator: Any, value: dict[str, Any], instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Draft 3's `properties`, whose schemas say themselves whether they are required."""
    for name, subschema in value.items() if isinstance(instance, dict) else ():
        if name in instance:
            yield from validator.descend(instance[name], subschema, path=name, schema_path=name)
        elif isinstance(subschema, dict) and subschema.get("required") is True:
            yield ValidationError(f"missing required {shown(name)}", validator="required")


def _is_of(validator: Any, instance: Any, kind: Any) -> bool:
    return validator.is_type(instance, kind) if isinstance(kind, str) else holds(validator, instance, kind)


def type_draft3(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Draft 3's `type`: names and schemas."""
    kinds = value if isinstance(value, list) else [value]
    if not any(_is_of(validator, instance, kind) for kind in kinds):
        wanted = " or ".join(kind if isinstance(kind, str) else "a form of its own" for kind in kinds)
        yield ValidationError(f"expected {wanted}, got {shown(instance)}")


def disallow(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """Draft 3's `disallow`."""
    if any(_is_of(validator, instance, kind) for kind in (value if isinstance(value, list) else [value])):
        yield ValidationError(f"{shown(instance)} is of a type that disallow rules out")


def unevaluated_properties(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`unevaluatedProperties`."""
    if not isinstance(instance, dict):
        return
    seen = _evaluated(
        validator, instance, {name: part for name, part in schema.items() if name != "unevaluatedProperties"}
    )
    rest = [name for name in instance if name not in seen]
    if rest and is_never(value):
        yield ValidationError(f"has members that no schema speaks of: {names(rest)}")
        return
    for name in rest:
        yield from validator.descend(instance[name], value, path=name)


def unevaluated_items(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    """`unevaluatedItems`."""
    if not isinstance(instance, list):
        return
    seen = _evaluated(validator, instance, {name: part for name, part in schema.items() if name != "unevaluatedItems"})
    rest = [index for index in range(len(instance)) if index not in seen]
    if rest and is_never(value):
        yield ValidationError(
            f"has items that no schema speaks of: {', '.join(map(str, rest[:5]))}{', …' if len(rest) > 5 else ''}"
        )
        return
    for index in rest:
        yield from validator.descend(instance[index], value, path=index)


def _evaluated(validator: Any, instance: Any, schema: Any) -> set[Any]:
    """The members, or items, that the schema and those it applies to the same value speak of.

    For what the schema itself demands it is taken as met: where it is not, that is an error already.
    """
    if not isinstance(schema, dict):
        return set()
    run = run_of(validator)
    run.budget.spend(1 + len(instance) // 16)
    run.enter()
    try:
        seen = (
            _named_members(validator, instance, schema)
            if isinstance(instance, dict)
            else _named_items(validator, instance, schema)
        )
        for inner, part in _applied(validator, instance, schema):
            seen |= _evaluated(inner, instance, part)
    finally:
        run.leave()
    return seen


def _named_members(validator: Any, instance: dict[str, Any], schema: dict[str, Any]) -> set[Any]:
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return set(instance)
    return set(_named(validator, instance, schema))


def _named_items(validator: Any, instance: list[Any], schema: dict[str, Any]) -> set[Any]:
    everything = set(range(len(instance)))
    first = schema.get("items")
    if "unevaluatedItems" in schema or (first is not None and not isinstance(first, list)):
        return everything
    if isinstance(first, list):  # before 2020-12
        return everything if "additionalItems" in schema else set(range(min(len(first), len(instance))))
    seen = set(range(min(len(schema.get("prefixItems", ())), len(instance))))
    if "contains" in schema and "prefixItems" in validator.VALIDATORS:
        seen |= {index for index in everything - seen if holds(validator, instance[index], schema["contains"])}
    return seen


def _applied(validator: Any, instance: Any, schema: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """The schemas that this one applies to the same value and that it meets, with their validators."""
    for resolved in _references(validator, schema):
        yield validator.evolve(schema=resolved.contents, _resolver=resolved.resolver), resolved.contents
    for part in schema.get("allOf", ()):
        yield validator, part
    for part in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if holds(validator, instance, part):
            yield validator, part
    for name, part in schema.get("dependentSchemas", {}).items() if isinstance(instance, dict) else ():
        if name in instance:
            yield validator, part
    if "if" in schema:
        met = holds(validator, instance, schema["if"])
        yield from ((validator, part) for part in ([schema["if"]] if met else []))
        taken = schema.get("then" if met else "else")
        yield from ((validator, part) for part in ([taken] if taken is not None else []))


def _references(validator: Any, schema: dict[str, Any]) -> Iterable[Any]:
    resolver = validator._resolver  # noqa: SLF001 - as in reference
    for keyword in ("$ref", "$dynamicRef"):
        if keyword in schema and keyword in validator.VALIDATORS:
            yield resolver.lookup(schema[keyword])
    if "$recursiveRef" in schema and "$recursiveRef" in validator.VALIDATORS:
        yield lookup_recursive_ref(resolver)
