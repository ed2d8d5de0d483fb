"""PURE: one property of a JSON Schema as the cells of a row: its name, its type, its values."""

from collections.abc import Mapping
from typing import Any, Final

from foundation import exact_json
from scoring.forms.widgets import Unreadable, read_json, read_number_text
from scoring.kit.json_values import json_equal

COLUMNS: Final = ("name", "type", "required", "null", "values", "description", "definition")
BLANK: Final[Mapping[str, str]] = {
    "name": "",
    "type": "string",
    "required": "",
    "null": "",
    "values": "",
    "description": "",
    "definition": "",
}
OTHER: Final = "other"
TYPES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "string": ("string", {"type": "string"}),
    "number": ("number", {"type": "number"}),
    "integer": ("integer", {"type": "integer"}),
    "boolean": ("boolean", {"type": "boolean"}),
    "object": ("object", {"type": "object"}),
    "array": ("array", {"type": "array"}),
    "strings": ("array of strings", {"type": "array", "items": {"type": "string"}}),
    "numbers": ("array of numbers", {"type": "array", "items": {"type": "number"}}),
    "integers": ("array of integers", {"type": "array", "items": {"type": "integer"}}),
    "any": ("anything", {}),
    OTHER: ("other, as JSON", {}),
}
"""The types a row may choose, each with its words and what it is in the schema."""
_LISTED = frozenset({"string", "number", "integer", "any"})


class Wrong(Exception):
    """A cell cannot be read; `column` says which."""

    def __init__(self, column: str, message: str) -> None:
        super().__init__(message)
        self.column = column


def property_of(cells: Mapping[str, str]) -> Any:
    """The schema of the property that a row describes; raises Wrong at the cell that it cannot be read from."""
    kind = cells.get("type", "")
    if kind not in TYPES:
        raise Wrong("type", "There is no such type.")
    if kind == OTHER:
        return _definition(cells.get("definition", ""))
    schema: dict[str, Any] = dict(TYPES[kind][1])
    or_null = bool(cells.get("null")) and "type" in schema
    if or_null:
        schema["type"] = [schema["type"], "null"]
    values = [line for line in cells.get("values", "").split("\n") if line]
    if values:
        schema["enum"] = [*_listed(kind, values), *([None] if or_null else [])]
    description = cells.get("description", "")
    return {**schema, "description": description} if description else schema


def _definition(text: str) -> Any:
    try:
        schema = read_json(text)
    except Unreadable as fault:
        raise Wrong("definition", str(fault)) from fault
    if not isinstance(schema, dict | bool):
        raise Wrong("definition", "A schema is an object, true or false.")
    return schema


def _listed(kind: str, lines: list[str]) -> list[Any]:
    if kind not in _LISTED:
        message = f"Only texts and numbers are listed here; of {TYPES[kind][0]}, write it as other, as JSON."
        raise Wrong("values", message)
    if kind in {"string", "any"}:
        return list(lines)
    numbers = [read_number_text(line) for line in lines]
    wrong = next((line for line, number in zip(lines, numbers, strict=True) if isinstance(number, str)), None)
    if wrong is not None:
        raise Wrong("values", f"“{wrong[:40]}” is no number.")
    return numbers


def cells_of(schema: Any) -> dict[str, str]:
    """The cells of a property but its name and whether it is required: as JSON when they cannot say it exactly."""
    plain = _plain(schema) if isinstance(schema, dict) else None
    if plain is not None and not any("\r" in cell for cell in plain.values()) and "\n" not in plain["description"]:
        try:
            if json_equal(property_of(plain), schema):
                return plain
        except Wrong:
            pass
    return {**_without_name(BLANK), "type": OTHER, "definition": exact_json.dumps(schema, indent=2)}


def _plain(schema: Mapping[str, Any]) -> dict[str, str] | None:
    types, values, description = schema.get("type"), schema.get("enum", []), schema.get("description", "")
    if not isinstance(values, list) or not isinstance(description, str):
        return None
    or_null = isinstance(types, list) and len(types) == 2 and types[1] == "null"
    one: dict[str, Any] = {} if types is None else {"type": types[0] if or_null else types}
    one |= {"items": schema["items"]} if "items" in schema else {}
    kind = next((name for name, (_, means) in TYPES.items() if name != OTHER and json_equal(means, one)), None)
    if kind is None:
        return None
    listed = [value for value in values if value is not None]
    texts = [value if isinstance(value, str) else exact_json.dumps(value) for value in listed]
    return {
        **_without_name(BLANK),
        "type": kind,
        "null": "true" if or_null else "",
        "values": "\n".join(texts),
        "description": description,
    }


def _without_name(cells: Mapping[str, str]) -> dict[str, str]:
    return {column: cell for column, cell in cells.items() if column not in {"name", "required"}}
