"""PURE: the fields of a form, derived from a settings model: nothing here knows a scorer by name."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from pydantic_core import to_jsonable_python

from foundation.figures import number_text
from scoring.composites import METHOD_WORDS
from scoring.forms.logic_rules import LOGIC
from scoring.forms.pair_rows import PAIRS
from scoring.forms.schema_cells import TYPES
from scoring.forms.schema_rows import SCHEMA
from scoring.forms.widgets import OMITTED, WIDGETS, Unreadable, Widget
from scoring.kit.scorer import Scorer
from scoring.kit.settings import Settings
from scoring.profile_documents import ProfileHead

CONTROLS: Mapping[str, Widget] = {**WIDGETS, "pairs": PAIRS, "schema": SCHEMA, "logic": LOGIC}
"""Every control a field may have, by its kind."""
# What a cell of a table may be; anything larger makes the whole field JSON.
_CELLS = frozenset({"text", "textarea", "number", "segmented", "select", "pattern", "path"})
_PLAIN = {"boolean": "checkbox", "number": "number", "integer": "number", "string": "text"}
# A bound beyond this keeps nobody from anything, and would only be read.
_FAR = 1e9
_MOST_SEGMENTS = 4
_LONGEST_SEGMENTS = 36
_HEAD_EXTRAS: Mapping[str, Mapping[str, Any]] = {
    "description": {"x-widget": "textarea", "description": "What it measures, and for whom."},
    "compositeMethod": {"x-widget": "select", "x-labels": METHOD_WORDS},
    "passThreshold": {"description": "The score from which an output passes; empty reports without a verdict."},
}
_SCORER_EXTRAS: Mapping[str, Mapping[str, Any]] = {"description": {"x-widget": "textarea"}}


@dataclass(frozen=True, slots=True)
class Option:
    """One choice: the text that is sent, what is read, and the value it means."""

    value: str
    label: str
    meaning: Any


@dataclass(frozen=True, slots=True)
class Field:
    """One setting as a form shows it. `low` and `high` are its bounds, None where there is none.

    `columns` are the cells of each row, by name, when it is a table.
    """

    name: str
    kind: str
    label: str
    help: str
    default: Any
    has_default: bool
    nullable: bool
    options: tuple[Option, ...] = ()
    low: float | None = None
    high: float | None = None
    least_length: int = 0
    escapes: bool = False
    advanced: bool = False
    columns: Mapping[str, "Field"] = field(default_factory=dict)

    @property
    def widget(self) -> Widget:
        """How it is drawn, shown and read."""
        return CONTROLS[self.kind]

    def show(self, value: Any) -> str:
        """The text of a value."""
        return "" if value is None else self.widget.show(self, value)

    def read(self, text: str) -> Any:
        """The value of a text, or OMITTED; Unreadable when it is none."""
        return self.widget.read(self, text)

    def keeps(self, value: Any) -> bool:
        """Whether the control gives `value` back just as it was put in."""
        if value is None or (value == "" and self.least_length == 0):
            return self.nullable or value == ""
        text = self.show(value)
        if "\r" in text or ("\n" in text and not self.widget.newlines):
            return False
        try:
            again = self.read(text)
        except Unreadable:
            return False
        if again is OMITTED:
            return False
        return bool(again == value) and isinstance(again, bool) == isinstance(value, bool)

    def initial(self) -> str:
        """What the control holds before anybody typed."""
        return self.show(self.default) if self.has_default else ""

    def first(self) -> str:
        """What a browser sends of a control that nobody touched: the initial text, else the first choice."""
        chosen = self.kind in {"select", "segmented"} and self.options
        return self.initial() or (self.options[0].value if chosen else "")


@cache
def beside_fields() -> Mapping[str, Field]:
    """What stands beside the rows of a schema: further properties, further keywords, and an example."""
    text = {"type": "string", "nullable": True}
    schemas: Mapping[str, Mapping[str, Any]] = {
        "closed": {"type": "boolean", "title": "No other properties"},
        "rest": {**text, "title": "Other keywords", "description": "As a JSON object.", "x-widget": "json"},
        "example": {
            **text,
            "title": "Example",
            "description": "A JSON value, or one on each line. All of them will be valid.",
            "x-widget": "json",
        },
        "narrow": {"type": "boolean", "title": "Allow no members but those of the example"},
        "previous": {**text, "title": "The schema before", "x-widget": "json"},
    }
    return {name: _field(name, schema, required=True, advanced=False) for name, schema in schemas.items()}


@cache
def scorer_fields(declared: type[Scorer]) -> tuple[Field, ...]:
    """Every field of a scorer type but `type`: the common ones first, then its own in order of declaration."""
    advanced = {declared.model_fields[name].alias for name in declared.advanced} | {"description", "negate"}
    return fields_of(declared, _SCORER_EXTRAS, frozenset(name for name in advanced if name))


def own_fields(declared: type[Scorer]) -> tuple[Field, ...]:
    """The fields of the type alone."""
    names = {info.alias for info in declared.own_fields().values()}
    return tuple(field for field in scorer_fields(declared) if field.name in names)


@cache
def head_fields() -> tuple[Field, ...]:
    """The fields of a profile beside its scorers."""
    return fields_of(ProfileHead, _HEAD_EXTRAS)


def fields_of(
    model: type[Settings], extras: Mapping[str, Mapping[str, Any]], advanced: frozenset[str] = frozenset()
) -> tuple[Field, ...]:
    """The fields of any settings model. `extras` adds to its JSON Schema what a form needs to know besides."""
    schema = model.model_json_schema(by_alias=True)
    required, definitions = set(schema.get("required", ())), schema.get("$defs", {})
    made = _made_defaults(model)
    return tuple(
        _field(
            name,
            _resolved({**made.get(name, {}), **member, **extras.get(name, {})}, definitions),
            required=name in required,
            advanced=name in advanced,
        )
        for name, member in schema["properties"].items()
        if name != "type"
    )


def _made_defaults(model: type[Settings]) -> Mapping[str, Mapping[str, Any]]:
    """The defaults that a model makes anew each time, which its JSON Schema leaves out."""
    return {
        info.alias or name: {"default": to_jsonable_python(info.get_default(call_default_factory=True))}
        for name, info in model.model_fields.items()
        if info.default_factory is not None and not info.default_factory_takes_validated_data
    }


def _resolved(member: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """The member with what it refers to in its place: `nullable` beside the one schema it may else be."""
    found = dict(member)
    reference = found.pop("$ref", None)
    if reference:
        found = {**definitions.get(str(reference).rsplit("/", 1)[-1], {}), **found}
    options = found.pop("anyOf", None)
    if options:
        others = [option for option in options if option.get("type") != "null"]
        found["nullable"] = len(others) < len(options)
        if len(others) == 1:
            found = {**_resolved(others[0], definitions), **found}
    for part in ("items", "additionalProperties"):
        if isinstance(found.get(part), dict):
            found[part] = _resolved(found[part], definitions)
    return found


def _field(name: str, schema: Mapping[str, Any], *, required: bool, advanced: bool) -> Field:
    low, high = _bounds(schema)
    nullable = bool(schema.get("nullable"))
    options = _options(schema, nullable=nullable)
    columns = _pair_columns(schema)
    kind = _kind(schema, options, has_columns=bool(columns))
    return Field(
        name=name,
        kind=kind,
        label=str(schema.get("title") or name),
        help=_help(schema),
        default=schema.get("default"),
        has_default=not required,
        nullable=nullable,
        options=options,
        low=low,
        high=high,
        least_length=int(schema.get("minLength", 0)),
        escapes=bool(schema.get("x-escapes")),
        advanced=advanced,
        columns=_schema_columns() if kind == "schema" else columns,
    )


def _pair_columns(schema: Mapping[str, Any]) -> Mapping[str, Field]:
    """The cells of an object whose members have any names and values of one kind; none of another."""
    values = schema.get("additionalProperties")
    if not isinstance(values, dict) or schema.get("properties"):
        return {}
    if values.get("type") == "boolean":
        values = {"enum": [True, False], "x-labels": {True: "yes", False: "no"}, **values}
    named = {"title": "Name", **schema.get("propertyNames", {}), "type": "string"}
    name = replace(_field("key", named, required=True, advanced=False), help="")
    value = _field("value", {"title": "Value", **values}, required=True, advanced=False)
    if value.kind not in _CELLS or value.nullable:
        return {}
    return {"key": name, "value": replace(value, kind="select") if value.options else value}


@cache
def _schema_columns() -> Mapping[str, Field]:
    """The cells of a row that describes one property of a JSON Schema."""
    types = {name: label for name, (label, _) in TYPES.items()}
    text = {"type": "string"}
    columns: Mapping[str, Mapping[str, Any]] = {
        "name": {**text, "title": "Property", "x-widget": "pattern"},
        "type": {"title": "Type", "enum": list(types), "x-labels": types, "x-widget": "select"},
        "required": {"type": "boolean", "title": "Required"},
        "null": {"type": "boolean", "title": "May be null"},
        "values": {**text, "title": "Allowed values, one a line", "x-widget": "values"},
        "description": {**text, "title": "Description"},
        "definition": {**text, "title": "Schema of the property", "x-widget": "json"},
    }
    return {name: _field(name, schema, required=True, advanced=False) for name, schema in columns.items()}


def _kind(schema: Mapping[str, Any], options: tuple[Option, ...], *, has_columns: bool) -> str:
    asked = schema.get("x-widget")
    if isinstance(asked, str) and asked in CONTROLS and (asked != "pairs" or has_columns):
        return asked
    if schema.get("type") == "array" and options:
        return "choices"
    if options:
        short = len(options) <= _MOST_SEGMENTS and sum(len(option.label) for option in options) <= _LONGEST_SEGMENTS
        return "segmented" if short else "select"
    if has_columns:
        return "pairs"
    if schema.get("type") == "array" and schema.get("items", {}).get("type") == "string":
        return "lines"
    return _PLAIN.get(str(schema.get("type")), "json")


def _options(schema: Mapping[str, Any], *, nullable: bool) -> tuple[Option, ...]:
    """The values it may have; of a list, those that its items may have."""
    listed = schema.get("type") == "array"
    one = schema.get("items", {}) if listed else schema
    labels: Mapping[Any, str] = schema.get("x-labels", one.get("x-labels", {}))
    values = one.get("enum", [one["const"]] if "const" in one else ())
    if nullable and not values and one.get("type") == "boolean":
        values, labels = (True, False), {True: "yes", False: "no"}
    found = tuple(Option(_option_text(value), str(labels.get(value, value)), value) for value in values)
    return (Option("", "not set", None), *found) if found and nullable and not listed else found


def _option_text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _bounds(schema: Mapping[str, Any]) -> tuple[float | None, float | None]:
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    return low, high


def _help(schema: Mapping[str, Any]) -> str:
    """The description, and the bounds in words: what a control refuses it should have said before."""
    signs = {
        "minimum": "at least",
        "exclusiveMinimum": "more than",
        "maximum": "at most",
        "exclusiveMaximum": "less than",
    }
    bounds = {name: number_text(schema[name]) for name in signs if name in schema and abs(schema[name]) < _FAR}
    limits = [f"{signs[name]} {bound}" for name, bound in bounds.items()]
    if {"minimum", "maximum"} <= bounds.keys():
        limits = [f"{bounds['minimum']} to {bounds['maximum']}"]
    sentence, said = str(schema.get("description", "")), ", ".join(limits)
    return f"{sentence} {said[0].upper()}{said[1:]}.".strip() if said else sentence
