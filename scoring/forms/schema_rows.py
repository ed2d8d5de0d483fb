"""PURE: the widget of a JSON Schema: a row for each property of an object, or JSON for what no row can say."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from foundation import exact_json
from scoring.forms.schema_cells import BLANK, COLUMNS, Wrong, cells_of, property_of
from scoring.forms.tables import MOST_ROWS, Table, gathered, table_of
from scoring.forms.widgets import OMITTED, Unreadable, Widget, read_json, show_json
from scoring.kit.json_values import json_equal

if TYPE_CHECKING:
    from scoring.forms.fields import Field

_BESIDE: Final = ("closed", "rest")
_TAKEN: Final = ("type", "properties", "required", "additionalProperties")


def _show(field: "Field", value: Any) -> str:
    """The table where it gives the schema back exactly, else the JSON."""
    table = _table(value)
    if table is not None:
        try:
            if json_equal(_read(field, table.text), value):
                return table.text
        except Unreadable:
            pass
    return show_json(field, value)


def _table(schema: Any) -> Table | None:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        return None
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or len(properties) > MOST_ROWS or not isinstance(required, list):
        return None
    if not set(map(str, required)) <= properties.keys() or len(set(map(str, required))) < len(required):
        return None
    rows = tuple(_row(name, properties[name], required=name in required) for name in _ordered(properties, required))
    rest = {name: member for name, member in schema.items() if name not in _TAKEN}
    rest |= {} if schema.get("additionalProperties", False) is False else {"additionalProperties": None}
    rest = {name: schema[name] for name in rest}
    closed = "true" if schema.get("additionalProperties") is False else ""
    return Table(rows, {"closed": closed, "rest": exact_json.dumps(rest, indent=2) if rest else ""})


def _row(name: str, schema: Any, *, required: bool) -> Mapping[str, str]:
    cells = {**cells_of(schema), "name": name, "required": "true" if required else ""}
    return {column: cells[column] for column in COLUMNS}


def _ordered(properties: Mapping[str, Any], required: Sequence[str]) -> list[str]:
    """The names in the order of the schema, but the required ones in the order in which it requires them."""
    rest = iter(required)
    return [next(rest) if name in required else name for name in properties]


def _read(field: "Field", text: str) -> Any:
    table = table_of(text)
    if table is None and text.strip():
        return read_json(text)
    rows = [row for row in (table.rows if table else ()) if dict(row) != BLANK]
    if table is None or not (rows or any(table.beside.values())):
        if field.nullable:
            return None
        return OMITTED if field.has_default else read_json("")
    return _read_table(table)


def _read_table(table: Table) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required: list[str] = []
    faults: dict[str, str] = {}
    for number, row in enumerate(table.rows):
        name = row.get("name", "")
        if dict(row) == BLANK:
            continue
        if not name:
            faults[f"{number}-name"] = "Give the property a name, or remove the row."
        elif name in properties:
            faults[f"{number}-name"] = "This property stands above already."
        try:
            properties.setdefault(name, property_of(row))
        except Wrong as fault:
            faults[f"{number}-{fault.column}"] = str(fault)
        required += [name] if row.get("required") else []
    rest = _read_rest(table.beside.get("rest", ""), faults)
    if faults:
        raise Unreadable(faults=faults)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    schema |= {"required": required} if required else {}
    schema |= {"additionalProperties": False} if table.beside.get("closed") else {}
    return {**schema, **rest}


def _read_rest(text: str, faults: dict[str, str]) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        rest = read_json(text)
    except Unreadable as fault:
        faults["rest"] = str(fault)
        return {}
    if not isinstance(rest, dict):
        faults["rest"] = "This must be an object: keywords of the schema beside its properties."
        return {}
    for name in ("type", "properties", "required"):
        if name in rest:
            faults["rest"] = f"{name} is what the table above says."
    return rest


def _place(_field: "Field", text: str, steps: Sequence[str]) -> str:
    """The row of the property that the steps lead into, or the keywords beside the table."""
    table = table_of(text)
    if table is None or not steps:
        return ""
    if steps[0] != "properties":
        return "rest" if table.beside.get("rest") and steps[0] not in _TAKEN else ""
    path = ".".join(steps[1:])
    found, longest = "", -1
    for number, row in enumerate(table.rows):
        name = row.get("name", "")
        if (path == name or path.startswith(f"{name}.")) and len(name) > longest:
            found, longest = f"{number}-{'definition' if row.get('type') == 'other' else 'name'}", len(name)
    return found


def _tell(field: "Field", text: str) -> str:
    if table_of(text) is None:
        return text
    try:
        value = _read(field, text)
    except Unreadable:
        return ""
    return "" if value is None or value is OMITTED else exact_json.dumps(value, indent=2)


def _collect(_field: "Field", control: str, post: Mapping[str, str]) -> str:
    return gathered(control, post, COLUMNS, _BESIDE)


def _blank(_field: "Field") -> Mapping[str, str]:
    return BLANK


SCHEMA = Widget(
    "table",
    _show,
    _read,
    template="scoring/fields/schema.html",
    mono=True,
    rows=12,
    newlines=True,
    collect=_collect,
    place=_place,
    tell=_tell,
    blank=_blank,
    beside=("example", "narrow", "previous"),
)
