"""PURE: what the buttons of a field with parts do to its card: rows come and go, table and JSON change places."""

from collections.abc import Callable, Mapping
from typing import Any

from scoring.forms.cards import Card
from scoring.forms.fields import Field
from scoring.forms.profile_form import Draft, whole_number
from scoring.forms.tables import table_of
from scoring.forms.widgets import OMITTED, Unreadable, read_json, show_json
from scoring.kit.json_schema.inference import inferred_schema

# A blank text that is edited as JSON; "" would be an empty table.
_BLANK_JSON = "\n"


class _Place:
    """One field of one card, with what was typed into it."""

    def __init__(self, card: Card, item: Field, argument: str) -> None:
        self.card, self.item, self.argument = card, item, argument
        self.control = f"scorers-{card.key}-{item.name}"

    @property
    def text(self) -> str:
        return self.card.values.get(self.item.name, "")

    @text.setter
    def text(self, text: str) -> None:
        self.card.values[self.item.name] = text

    def beside(self, name: str) -> str:
        return self.card.values.get(f"{self.item.name}-{name}", "")

    def say(self, message: str, part: str = "") -> None:
        """A message that stands at the field, or at a part of it, in the answer to this button."""
        self.card.said[f"{self.item.name}-{part}" if part else self.item.name] = message

    def value(self) -> Any:
        value = self.item.read(self.text)
        return None if value is OMITTED else value


def _add_row(place: _Place) -> str:
    table, blank = table_of(place.text), place.item.widget.blank
    if table is None or blank is None:
        return place.control
    place.text = table.with_row(blank(place.item)).text
    return f"{place.control}-{len(table.rows)}-{next(iter(place.item.columns))}"


def _remove_row(place: _Place) -> str:
    table, number = table_of(place.text), whole_number(place.argument)
    if table is None or number is None or number >= len(table.rows):
        return place.control
    left = table.without_row(number)
    place.text = left.text
    next_to = min(number, len(left.rows) - 1)
    return f"{place.control}-{next_to}-remove-row" if left.rows else f"{place.control}-add-row"


def _to_json(place: _Place) -> str:
    if table_of(place.text) is not None:
        try:
            value = place.value()
        except Unreadable:
            place.say("Mend the rows first: as JSON they would be lost.")
            return f"{place.control}-to-json"
        place.text = _BLANK_JSON if value is None or place.text == "" else show_json(place.item, value)
    return place.control


def _to_table(place: _Place) -> str:
    if table_of(place.text) is None:
        try:
            value = place.value() if place.text.strip() else None
        except Unreadable as fault:
            place.say(str(fault))
            return place.control
        text = place.item.show(value)
        if table_of(text) is None:
            place.say("Rows cannot say this exactly, so it stays JSON.")
            return place.control
        place.text = text
    return f"{place.control}-add-row"


def _infer(place: _Place) -> str:
    """The schema of the examples in place of the one that stood there, which is kept to go back to."""
    try:
        examples = read_examples(place.beside("example"))
    except Unreadable as fault:
        place.say(str(fault), "example")
        return f"{place.control}-example"
    schema = inferred_schema(examples, closed=bool(place.beside("narrow")))
    name = place.item.name
    place.card.values[f"{name}-previous"] = place.text or _BLANK_JSON
    place.card.values[f"{name}-example"] = ""
    place.text = place.item.show(schema)
    return f"{place.control}-restore"


def _restore(place: _Place) -> str:
    previous = place.beside("previous")
    if previous:
        place.text = "" if previous == _BLANK_JSON else previous
        place.card.values[f"{place.item.name}-previous"] = ""
    return f"{place.control}-example"


def read_examples(text: str) -> list[Any]:
    """The values that somebody pasted: one JSON document, or one on each line. Raises Unreadable."""
    try:
        return [read_json(text)]
    except Unreadable as fault:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2:
            raise
        try:
            return [read_json(line) for line in lines]
        except Unreadable:
            # What was meant is more likely one document with a mistake.
            raise fault from None


FIELD_ACTS: Mapping[str, Callable[[_Place], str]] = {
    "add-row": _add_row,
    "remove-row": _remove_row,
    "to-json": _to_json,
    "to-table": _to_table,
    "infer": _infer,
    "restore": _restore,
}


def act_on_field(draft: Draft, act: str, argument: str) -> str:
    """Do to `draft` what a field's button says (`add-row:0-schema`); the id of the control to go on at, "" for none."""
    key, _, rest = argument.partition("-")
    name, _, more = rest.partition("-")
    number = whole_number(key)
    place = draft.place(number) if number is not None else None
    if act not in FIELD_ACTS or place is None:
        return ""
    card = draft.cards[place]
    item = next((item for item in card.fields if item.name == name and item.widget.control == "table"), None)
    if item is None or (act in {"infer", "restore"} and not item.widget.beside):
        return ""
    card.open = True
    return FIELD_ACTS[act](_Place(card, item, more))
