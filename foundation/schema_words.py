"""A JSON Schema in a few words, for people: what a field takes and within which bounds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the words; `refers_to` names the component schema that it stands for, else empty."""

    text: str
    refers_to: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One member of an object, as a table shows it. `name` is dotted for a member of a member."""

    name: str
    pieces: tuple[Piece, ...]
    required: bool
    default: str
    meaning: str


def words(schema: Mapping[str, Any]) -> str:
    """`number > 0`, `one of "any", "all"`, `list of 1 to 64 text of 1 to 256 characters`."""
    return "".join(piece.text for piece in pieces(schema))


def pieces(schema: Mapping[str, Any]) -> tuple[Piece, ...]:
    """The same as `words`, with what refers to another schema kept apart."""
    return tuple(_pieces(schema))


def rows(schema: Mapping[str, Any], prefix: str = "") -> tuple[Row, ...]:
    """The members of an object's schema, those of objects inside it after the member that holds them."""
    return tuple(_rows(schema, prefix))


def _rows(schema: Mapping[str, Any], prefix: str) -> Iterator[Row]:
    required = schema.get("required", ())
    for name, member in schema.get("properties", {}).items():
        default = json.dumps(member["default"], ensure_ascii=False) if "default" in member else ""
        meaning = member.get("description") or ""
        yield Row(f"{prefix}{name}", pieces(member), name in required, default, meaning)
        inner, step = (member.get("items", {}), "[].") if member.get("type") == "array" else (member, ".")
        if isinstance(inner, Mapping) and "properties" in inner:
            yield from _rows(inner, f"{prefix}{name}{step}")


def _pieces(schema: Mapping[str, Any]) -> Iterator[Piece]:
    if "$ref" in schema:
        name = str(schema["$ref"]).rsplit("/", 1)[-1]
        yield Piece(name, name)
        return
    for union in ("anyOf", "oneOf"):
        if union in schema:
            yield from _alternatives(schema[union])
            return
    if "const" in schema:
        yield Piece(json.dumps(schema["const"], ensure_ascii=False))
        return
    if "enum" in schema:
        yield Piece("one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"]))
        return
    kind = schema.get("type", "any JSON")
    if isinstance(kind, list):
        yield from _alternatives([{**schema, "type": each} if each != "null" else {"type": "null"} for each in kind])
    elif kind == "array":
        yield Piece(f"list of {_span(schema, 'minItems', 'maxItems')}")
        yield from _pieces(schema.get("items", {}))
    else:
        yield Piece(_simple(str(kind), schema))


def _alternatives(schemas: Sequence[Mapping[str, Any]]) -> Iterator[Piece]:
    for index, schema in enumerate(schemas):
        if index:
            yield Piece(" or ")
        yield from _pieces(schema)


def _simple(kind: str, schema: Mapping[str, Any]) -> str:
    if kind == "string":
        if schema.get("format") == "date-time":
            return "time (ISO 8601)"
        return f"text of {_span(schema, 'minLength', 'maxLength')}characters" if "maxLength" in schema else "text"
    limits = [f"{sign} {_number(schema[name])}" for name, sign in _SIGNS.items() if name in schema]
    return " ".join([kind, ", ".join(limits)]).strip()


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def _span(schema: Mapping[str, Any], low: str, high: str) -> str:
    if high not in schema:
        return ""
    return f"{schema[low]:,} to {schema[high]:,} " if schema.get(low) else f"up to {schema[high]:,} "
