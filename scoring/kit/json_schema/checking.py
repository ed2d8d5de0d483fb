"""A schema looked through before it is used: what cannot be checked is refused, and never ignored."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import lookup_recursive_ref

from foundation import exact_json
from scoring import javascript
from scoring.kit.json_schema.drafts import ANNOTATIONS, EVERY_KEYWORD, LATEST, UNCHECKED, Draft, draft_of, subschemas
from scoring.kit.json_schema.faults import SchemaFault, Steps
from scoring.kit.json_schema.keywords import NEVER, type_name
from scoring.kit.json_schema.run import PATTERN_FLAGS
from scoring.kit.json_shown import shown

MOST_BYTES: Final = 65_536
MOST_LEVELS: Final = 32
MOST_SCHEMAS: Final = 2_500
_MOST_PATTERNS: Final = 200
_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")


@dataclass(slots=True)
class Examined:
    """What was found in a schema: its draft, and every schema in it by identity."""

    draft: Draft
    schemas: dict[int, dict[str, Any]] = field(default_factory=dict)


def examine(schema: Any) -> Examined:
    """Look `schema` through; raise SchemaFault at the first thing that cannot stand.

    At most 64 KiB, 32 levels and 2,500 objects and booleans; a known draft; valid by that draft's own
    schema; every `$ref` within the schema itself; every pattern a JavaScript pattern; every keyword
    and format one that is checked here.
    """
    if not isinstance(schema, dict | bool):
        raise SchemaFault((), f"A schema is an object, true or false; this is {type_name(schema)}.")
    _check_size(schema)
    if isinstance(schema, bool):
        return Examined(LATEST)
    draft = _draft_named(schema)
    _check_form(schema, draft)
    examined = Examined(draft)
    patterns: dict[str, Steps] = {}
    for steps, part, resolver in _every_schema(schema, examined):
        _check_keywords(steps, part, draft)
        _check_references(steps, part, resolver)
        for where, pattern in _patterns(steps, part):
            patterns.setdefault(pattern, where)
    _check_patterns(patterns)
    return examined


def _check_size(schema: Any) -> None:
    level, schemas = [schema], 0
    for _ in range(MOST_LEVELS):
        schemas += sum(isinstance(item, dict | bool) for item in level)
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
    if any(isinstance(item, dict | list) for item in level):
        raise SchemaFault((), f"A schema may be nested at most {MOST_LEVELS} levels deep.")
    if schemas > MOST_SCHEMAS:
        raise SchemaFault((), f"A schema may hold at most {MOST_SCHEMAS:,} objects and booleans; this has {schemas:,}.")
    size = len(exact_json.dumps(schema).encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise SchemaFault((), f"A schema may have at most {MOST_BYTES:,} bytes as JSON; this has {size:,}.")


def _draft_named(schema: dict[str, Any]) -> Draft:
    if "$schema" not in schema:
        return LATEST
    named = schema["$schema"]
    draft = draft_of(named) if isinstance(named, str) else None
    if draft is None:
        raise SchemaFault(("$schema",), f"{shown(named, 100)} is no known draft of JSON Schema.")
    return draft


def _check_form(schema: dict[str, Any], draft: Draft, place: Steps = ()) -> None:
    """Hold the schema against the draft's own schema, whose patterns are its authors'."""
    stock = draft.meta_validator
    errors = list(stock(stock.META_SCHEMA, format_checker=None).iter_errors(schema))
    if errors:
        error = min(errors, key=lambda error: (-len(error.absolute_path), [str(step) for step in error.absolute_path]))
        steps = tuple(error.absolute_path)
        raise SchemaFault((*place, *steps), _what_is_wrong(steps, error))


def _what_is_wrong(steps: Steps, error: Any) -> str:
    found, keyword = error.instance, error.validator
    if steps and steps[-1] == "type":
        return f"{shown(found)} is no type; the types are array, boolean, integer, null, number, object and string."
    if keyword == "type":
        kinds = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
        return f"Must be {' or '.join(kinds)}; this is {type_name(found)}."
    bounds = {
        "minimum": "Must be at least",
        "exclusiveMinimum": "Must be more than",
        "minItems": "Must have items, at least",
    }
    if keyword in bounds:
        return f"{bounds[keyword]} {shown(error.validator_value)}."
    if keyword == "uniqueItems":
        return "Must not hold the same item twice."
    return f"{shown(found)} cannot stand here in a schema."


def _every_schema(schema: dict[str, Any], examined: Examined) -> Iterator[tuple[Steps, dict[str, Any], Any]]:
    """The schema, every one inside it, and every one that a reference leads to, with its resolver.

    What is no schema until a reference makes it one is looked through when that reference is met.
    """
    specification = examined.draft.specification
    registry: Registry[Any] = Registry()
    root = registry.resolver_with_root(specification.create_resource(schema))
    pending: list[tuple[Steps, Any, Any]] = [((), schema, root)]
    formed = _inside(schema)
    while pending:
        steps, part, resolver = pending.pop()
        if not isinstance(part, dict) or id(part) in examined.schemas:
            continue
        examined.schemas[id(part)] = part
        yield steps, part, resolver
        for keyword, resolved in _resolved(part, resolver):
            target = resolved.contents
            if isinstance(target, dict) and id(target) not in formed:
                _check_form(target, examined.draft, (*steps, keyword))
                formed |= _inside(target)
            pending.append(((*steps, keyword), target, resolved.resolver))
        for inner, child in reversed(list(subschemas(part))):
            within = resolver
            if isinstance(child, dict):
                within = resolver.in_subresource(specification.create_resource(child))
            pending.append(((*steps, *inner), child, within))


def _inside(schema: dict[str, Any]) -> set[int]:
    """The identities of a schema and of those that stand where schemas stand in it."""
    found: set[int] = set()
    pending: list[Any] = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict) and id(part) not in found:
            found.add(id(part))
            pending += [child for _, child in subschemas(part)]
    return found


def _resolved(part: dict[str, Any], resolver: Any) -> Iterator[tuple[str, Any]]:
    for keyword in _REFERENCES:
        if isinstance(part.get(keyword), str):
            found = lookup_recursive_ref(resolver) if keyword == "$recursiveRef" else resolver.lookup(part[keyword])
            yield keyword, found


def _check_references(steps: Steps, part: dict[str, Any], resolver: Any) -> None:
    for keyword in _REFERENCES:
        try:
            found = list(_resolved({keyword: part.get(keyword)}, resolver))
        except Unresolvable as error:
            message = f"{shown(part[keyword], 100)} leads nowhere in this schema, and nothing is fetched."
            raise SchemaFault((*steps, keyword), message) from error
        except (ValueError, TypeError, LookupError) as error:
            raise SchemaFault((*steps, keyword), f"{shown(part[keyword], 100)} is no reference.") from error
        if found and not isinstance(found[0][1].contents, dict | bool):
            raise SchemaFault((*steps, keyword), f"{shown(part[keyword], 100)} leads to what is no schema.")


def _check_keywords(steps: Steps, part: dict[str, Any], draft: Draft) -> None:
    if steps and "$schema" in part and (not isinstance(part["$schema"], str) or draft_of(part["$schema"]) is not draft):
        raise SchemaFault((*steps, "$schema"), f"All of a schema is of one draft; this one is of {draft.name}.")
    for keyword in part:
        if keyword in draft.keywords or keyword in ANNOTATIONS:
            continue
        if keyword in UNCHECKED:
            raise SchemaFault((*steps, keyword), f"{keyword} is not checked here; leave it out.")
        if keyword in EVERY_KEYWORD:
            raise SchemaFault((*steps, keyword), f"{draft.name.capitalize()} has no {keyword}, so it would be ignored.")
        near = difflib.get_close_matches(keyword[:40], sorted(draft.keywords), 1, 0.82)
        if near or keyword == NEVER:
            hint = f' Did you mean "{near[0]}"?' if near else ""
            raise SchemaFault((*steps, keyword), f"There is no keyword {shown(keyword, 40)}.{hint}")
    name = part.get("format")
    if isinstance(name, str) and name != "regex" and name not in draft.formats:
        known = ", ".join(sorted({*draft.formats, "regex"}))
        raise SchemaFault((*steps, "format"), f"The format {shown(name, 40)} cannot be checked; those are {known}.")


def _patterns(steps: Steps, part: dict[str, Any]) -> Iterator[tuple[Steps, str]]:
    if isinstance(part.get("pattern"), str):
        yield (*steps, "pattern"), part["pattern"]
    for pattern in part.get("patternProperties", {}):
        yield (*steps, "patternProperties", pattern), pattern


def _check_patterns(patterns: dict[str, Steps]) -> None:
    if len(patterns) > _MOST_PATTERNS:
        raise SchemaFault((), f"A schema may have at most {_MOST_PATTERNS} different patterns.")
    for pattern, steps in patterns.items():
        try:
            javascript.check(pattern, PATTERN_FLAGS)
        except (javascript.InvalidPattern, ValueError) as error:
            raise SchemaFault(steps, f"{error} (flag u).") from error
