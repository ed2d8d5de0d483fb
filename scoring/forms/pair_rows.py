"""PURE: the widget of an object whose members all have values of one kind: a row for each name and its value."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scoring.forms.tables import MOST_ROWS, Table, gathered, table_of
from scoring.forms.widgets import Unreadable, Widget, read_json, show_json

if TYPE_CHECKING:
    from scoring.forms.fields import Field

_COLUMNS = ("key", "value")


def _show(field: "Field", value: Any) -> str:
    if not isinstance(value, dict) or len(value) > MOST_ROWS:
        return show_json(field, value)
    cells = field.columns["value"]
    # A row without a name is one that is still empty, and an input of one line keeps no line ends.
    if not all(name and not {"\n", "\r"} & set(name) and cells.keeps(member) for name, member in value.items()):
        return show_json(field, value)
    return Table(tuple({"key": name, "value": cells.show(member)} for name, member in value.items())).text


def _read(field: "Field", text: str) -> Any:
    if not text.strip():
        return None if field.nullable else {}
    table = table_of(text)
    return read_json(text) if table is None else _read_rows(field, table)


def _read_rows(field: "Field", table: Table) -> dict[str, Any]:
    cells = field.columns["value"]
    found: dict[str, Any] = {}
    faults: dict[str, str] = {}
    for number, row in enumerate(table.rows):
        name, text = row.get("key", ""), row.get("value", "")
        if not name:
            if text != cells.first():
                faults[f"{number}-key"] = "Give it a name, or remove the row."
        elif name in found:
            faults[f"{number}-key"] = "This name stands above already."
        else:
            try:
                found[name] = cells.read(text)
            except Unreadable as fault:
                faults[f"{number}-value"] = str(fault)
    if faults:
        raise Unreadable(faults=faults)
    return found


def _place(field: "Field", text: str, steps: Sequence[str]) -> str:
    """The cell of the member that the steps name: its value, or its name where the value is one of the choices."""
    table, path = table_of(text), ".".join(steps)
    choices = {option.value for option in field.columns["value"].options}
    for number, row in enumerate(table.rows if table else ()):
        if row.get("key") == path:
            return f"{number}-{'key' if row.get('value') in choices else 'value'}"
    return ""


def _tell(field: "Field", text: str) -> str:
    table = table_of(text)
    if table is None:
        return text
    options = {option.value: option.label for option in field.columns["value"].options}
    lines = (
        f"{row.get('key', '')}: {options.get(row.get('value', ''), row.get('value', ''))}"
        for row in table.rows
        if row.get("key")
    )
    return "\n".join(lines)


def _collect(_field: "Field", control: str, post: Mapping[str, str]) -> str:
    return gathered(control, post, _COLUMNS)


def _blank(field: "Field") -> Mapping[str, str]:
    return {"key": "", "value": field.columns["value"].first()}


PAIRS = Widget(
    "table",
    _show,
    _read,
    template="scoring/fields/pairs.html",
    mono=True,
    rows=6,
    newlines=True,
    collect=_collect,
    place=_place,
    tell=_tell,
    blank=_blank,
)
