"""PURE: the fields of a form, derived from a settings model: nothing here knows a scorer by name."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from foundation.figures import number_text
from scoring.composites import METHOD_WORDS
from scoring.forms.widgets import OMITTED, WIDGETS, Unreadable, Widget
from scoring.kit.scorer import Scorer
from scoring.kit.settings import Settings
from scoring.profile_documents import ProfileHead

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
    """One setting as a form shows it. `low` and `high` are its bounds, None where there is none."""

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

    @property
    def widget(self) -> Widget:
        """How it is drawn, shown and read."""
        return WIDGETS[self.kind]

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
    return tuple(
        _field(
            name,
            _resolved({**member, **extras.get(name, {})}, definitions),
            required=name in required,
            advanced=name in advanced,
        )
        for name, member in schema["properties"].items()
        if name != "type"
    )


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
    return found


def _field(name: str, schema: Mapping[str, Any], *, required: bool, advanced: bool) -> Field:
    low, high = _bounds(schema)
    nullable = bool(schema.get("nullable"))
    options = _options(schema, nullable=nullable)
    return Field(
        name=name,
        kind=_kind(schema, options),
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
    )


def _kind(schema: Mapping[str, Any], options: tuple[Option, ...]) -> str:
    asked = schema.get("x-widget")
    if isinstance(asked, str) and asked in WIDGETS:
        return asked
    if options:
        short = len(options) <= _MOST_SEGMENTS and sum(len(option.label) for option in options) <= _LONGEST_SEGMENTS
        return "segmented" if short else "select"
    match schema.get("type"):
        case "boolean":
            return "json" if schema.get("nullable") else "checkbox"
        case "number" | "integer":
            return "number"
        case "string":
            return "text"
        case "array" if schema.get("items", {}).get("type") == "string":
            return "lines"
    return "json"


def _options(schema: Mapping[str, Any], *, nullable: bool) -> tuple[Option, ...]:
    values = schema.get("enum", [schema["const"]] if "const" in schema else ())
    labels: Mapping[Any, str] = schema.get("x-labels", {})
    found = tuple(Option(str(value), str(labels.get(value, value)), value) for value in values)
    return (Option("", "not set", None), *found) if found and nullable else found


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
