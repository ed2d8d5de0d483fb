"""The drafts of JSON Schema: which there are, what each one's keywords are, how each is validated."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jsonschema import validators
from jsonschema.exceptions import ValidationError
from referencing import Specification
from referencing.jsonschema import DRAFT3, DRAFT4, DRAFT6, DRAFT7, DRAFT201909, DRAFT202012

from scoring.kit.json_schema import applicators, keywords
from scoring.kit.json_schema.formats import DRAFT3_FORMATS, FORMATS
from scoring.kit.json_schema.keywords import Keyword, counted, nesting

_VALUES: Final[Mapping[str, Keyword]] = {
    "const": keywords.is_const,
    "dependentRequired": keywords.dependent_required,
    "divisibleBy": keywords.multiple_of,
    "enum": keywords.in_enum,
    "exclusiveMaximum": keywords.below,
    "exclusiveMinimum": keywords.above,
    "format": keywords.has_format,
    "maxItems": keywords.max_items,
    "maxLength": keywords.max_length,
    "maxProperties": keywords.max_properties,
    "maximum": keywords.maximum,
    "minItems": keywords.min_items,
    "minLength": keywords.min_length,
    "minProperties": keywords.min_properties,
    "minimum": keywords.minimum,
    "multipleOf": keywords.multiple_of,
    "pattern": keywords.pattern,
    "required": keywords.required,
    "type": keywords.of_type,
    "uniqueItems": keywords.unique_items,
}
_APPLICATORS: Final[Mapping[str, Keyword]] = {
    "$dynamicRef": applicators.reference,
    "$ref": applicators.reference,
    "additionalItems": applicators.additional_items,
    "additionalProperties": applicators.additional_properties,
    "anyOf": applicators.any_of,
    "contains": applicators.contains,
    "dependencies": applicators.dependencies,
    "disallow": applicators.disallow,
    "not": applicators.negated,
    "oneOf": applicators.one_of,
    "patternProperties": applicators.pattern_properties,
    "propertyNames": applicators.property_names,
    "unevaluatedItems": applicators.unevaluated_items,
    "unevaluatedProperties": applicators.unevaluated_properties,
}
# What a schema may hold that applies no other schema; draft 3 has those in `type`, which is no other's.
_OF_ONE_VALUE: Final = frozenset({*_VALUES, "title", "description", "default", "examples"})
_DRAFT3: Final[Mapping[str, Keyword]] = {
    "properties": nesting(applicators.properties_draft3),
    "type": nesting(applicators.type_draft3),
}
_DRAFT202012: Final[Mapping[str, Keyword]] = {"items": nesting(applicators.items)}

# What goes with another keyword, which reads it.
_COMPANIONS: Final = {
    "if": ("then", "else"),
    "contains": ("minContains", "maxContains"),
}
ANNOTATIONS: Final = frozenset(
    {
        *("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment"),
        *("$defs", "definitions", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
        *("then", "else", "minContains", "maxContains"),
    }
)
"""What asserts nothing by itself."""
UNCHECKED: Final = frozenset({"contentEncoding", "contentMediaType", "contentSchema"})
"""What drafts define and nothing here checks: refused, so that a schema does not promise it."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft: its name, its keywords, its formats, and the class that validates by it."""

    name: str
    keywords: frozenset[str]
    formats: Mapping[str, Callable[[str], bool]]
    specification: Specification[Any]
    validator: Any
    meta_validator: Any


def _draft(name: str, stock: Any, specification: Specification[Any], special: Mapping[str, Keyword]) -> Draft:
    """The draft with the keywords that are ours in the place of the package's."""
    ours: dict[str, Keyword] = {keywords.NEVER: counted(keywords.never)}
    for keyword, function in stock.VALIDATORS.items():
        if keyword in special:
            ours[keyword] = special[keyword]
        elif keyword in _VALUES:
            ours[keyword] = counted(_VALUES[keyword])
        else:
            ours[keyword] = nesting(_APPLICATORS.get(keyword, function))
    integer_by_value = stock not in (validators.Draft3Validator, validators.Draft4Validator)
    is_integer = keywords.is_whole if integer_by_value else _written_whole
    types = stock.TYPE_CHECKER.redefine("integer", lambda _, value: is_integer(value)).redefine(
        "number", lambda _, value: keywords.is_number(value)
    )
    companions = {other for keyword, others in _COMPANIONS.items() if keyword in stock.VALIDATORS for other in others}
    if "dependentRequired" not in stock.VALIDATORS:
        companions -= {"minContains", "maxContains"}
    if integer_by_value is False:
        companions |= {"exclusiveMinimum", "exclusiveMaximum"}
    validator = validators.extend(stock, ours, type_checker=types)
    validator.descend = _descend_where_needed(validator.descend)
    return Draft(
        name,
        frozenset(stock.VALIDATORS) | companions | ({"required"} if "required" not in stock.VALIDATORS else set()),
        DRAFT3_FORMATS if stock is validators.Draft3Validator else FORMATS,
        specification,
        validator,
        stock,
    )


def _descend_where_needed(descend: Any) -> Any:
    """The package's way into a schema, taken only where something is wrong and schemas lie deeper.

    Where the quick check finds nothing wrong there is nothing to say; and a schema that speaks of
    one value alone needs no validator of its own, which would take most of the time.
    """

    def errors(
        validator: Any, instance: Any, schema: Any, path: Any = None, **places: Any
    ) -> Iterable[ValidationError]:
        if keywords.run_of(validator).passes(schema, instance):
            return ()
        if isinstance(schema, dict) and schema.keys() <= _OF_ONE_VALUE:
            return _errors_of_one_value(validator, instance, schema, path)
        found: Iterable[ValidationError] = descend(validator, instance, schema, path, **places)
        return found

    return errors


def _errors_of_one_value(
    validator: Any, instance: Any, schema: Mapping[str, Any], path: Any
) -> Iterator[ValidationError]:
    for keyword, value in schema.items():
        function = validator.VALIDATORS.get(keyword)
        for error in (function(validator, value, instance, schema) or ()) if function else ():
            error.validator = keyword
            if path is not None:
                error.path.appendleft(path)
            yield error


def _written_whole(value: Any) -> bool:
    """Drafts 3 and 4 call 1.0 no integer."""
    return isinstance(value, int) and not isinstance(value, bool)


_LATEST: Final = "https://json-schema.org/draft/2020-12/schema"
DRAFTS: Final[Mapping[str, Draft]] = {
    "http://json-schema.org/draft-03/schema": _draft("draft 3", validators.Draft3Validator, DRAFT3, _DRAFT3),
    "http://json-schema.org/draft-04/schema": _draft("draft 4", validators.Draft4Validator, DRAFT4, {}),
    "http://json-schema.org/draft-06/schema": _draft("draft 6", validators.Draft6Validator, DRAFT6, {}),
    "http://json-schema.org/draft-07/schema": _draft("draft 7", validators.Draft7Validator, DRAFT7, {}),
    "https://json-schema.org/draft/2019-09/schema": _draft(
        "draft 2019-09", validators.Draft201909Validator, DRAFT201909, {}
    ),
    _LATEST: _draft("draft 2020-12", validators.Draft202012Validator, DRAFT202012, _DRAFT202012),
}
LATEST: Final = DRAFTS[_LATEST]
EVERY_KEYWORD: Final = frozenset(keyword for draft in DRAFTS.values() for keyword in draft.keywords)


def draft_of(uri: str) -> Draft | None:
    """The draft that `$schema` names, whether or not it ends with an empty fragment; None for another."""
    plain = uri.removesuffix("#")
    return (
        DRAFTS.get(plain)
        or DRAFTS.get(plain.replace("https:", "http:", 1))
        or DRAFTS.get(plain.replace("http:", "https:", 1))
    )


_IN_VALUE: Final = frozenset(
    {
        *("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "extends", "if", "items"),
        *("not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
    }
)
_IN_LIST: Final = frozenset({"allOf", "anyOf", "disallow", "extends", "items", "oneOf", "prefixItems", "type"})
_IN_MEMBERS: Final = frozenset(
    {"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)


def subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The schemas directly inside a schema (objects and booleans), each with the steps to it."""
    for keyword, value in schema.items():
        if keyword in _IN_VALUE and isinstance(value, dict | bool):
            yield (keyword,), value
        elif keyword in _IN_LIST and isinstance(value, list):
            yield from (((keyword, index), part) for index, part in enumerate(value) if isinstance(part, dict | bool))
        elif keyword in _IN_MEMBERS and isinstance(value, dict):
            yield from (((keyword, name), part) for name, part in value.items() if isinstance(part, dict | bool))
