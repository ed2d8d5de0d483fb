"""PURE: one scorer of a profile while it is edited: what was typed, and the document that it means."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from foundation import exact_json
from foundation.errors import FieldError, ValidationFailed
from scoring.forms.fields import Field, own_fields, scorer_fields
from scoring.forms.tables import table_of
from scoring.forms.widgets import OMITTED, Unreadable, read_json, show_json
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.kit.spelling import snake_case
from scoring.kit.text import shortened
from scoring.profile_documents import read_scorer

NEEDS_JSON = "The form cannot show everything that stands in this scorer, so it is edited as JSON."
PART = "part:"
"""How the step of a path begins that names a part of a control instead of a member of the value."""
_SHOWN = 40
_MOST_ROWS = 500
_MOST_LISTED = 3
# Kinds whose text is a value and no quotation.
_BARE = frozenset({"number", "segmented", "select", "path", "choices", "pairs", "schema", "logic", "json"})


@dataclass(slots=True)
class Card:
    """One scorer in the form. `values` is the text of each field; `text` the JSON when it is edited as JSON.

    `key` stays while the form is open, whatever the order: controls are named by it.
    """

    key: int
    kind: str
    values: dict[str, str] = field(default_factory=dict)
    as_json: bool = False
    text: str = ""
    open: bool = True
    note: str = ""
    said: dict[str, str] = field(default_factory=dict)
    """What the answer to a button says at a control, by its name in the card."""

    @property
    def declared(self) -> type[Scorer] | None:
        """The declaration of its type, None when there is none (any more)."""
        return registry.find(self.kind)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields it is edited with; none as JSON."""
        return () if self.as_json or self.declared is None else scorer_fields(self.declared)

    @property
    def title(self) -> str:
        """What people call it: its name, else its id, else its type."""
        if not self.as_json:
            return self.values.get("name") or self.values.get("id") or self.kind
        known = self.known()
        return next((str(known[name]) for name in ("name", "id") if known.get(name)), self.kind) or "Scorer"

    @property
    def id(self) -> str:
        """Its id as typed."""
        return str(self.known().get("id", "")) if self.as_json else self.values.get("id", "")

    @property
    def weight(self) -> float | None:
        """Its weight, None while that is no number."""
        value = self.known().get("weight", 1) if self.as_json else self._read_weight()
        known = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        return float(value) if known and 0 <= value <= 1e6 else None

    def _read_weight(self) -> Any:
        for item in self.fields:
            if item.name == "weight":
                return item.read(self.values.get("weight", ""))
        return None

    def known(self) -> Mapping[str, Any]:
        """What its JSON says, as far as it can be read."""
        try:
            document = read_json(self.text)
        except Unreadable:
            return {}
        return document if isinstance(document, dict) else {}

    def document(self) -> tuple[Any, list[FieldError]]:
        """The scorer's document as the API takes it, and what could not be read, by field name."""
        if self.as_json:
            try:
                return read_json(self.text), []
            except Unreadable as fault:
                return {}, [FieldError("", "malformed", str(fault))]
        document: dict[str, Any] = {"type": self.kind}
        faults = []
        for item in self.fields:
            try:
                value = item.read(self.values.get(item.name, ""))
            except Unreadable as fault:
                parts = fault.faults or {"": str(fault)}
                faults += [
                    FieldError(f"{item.name}.{PART}{part}" if part else item.name, "malformed", words)
                    for part, words in parts.items()
                ]
            else:
                if value is not OMITTED:
                    document[item.name] = value
        return document, faults

    def words(self) -> str:
        """What is set otherwise than by default, in words: `Pattern “TODO” · Invert`."""
        if self.as_json or self.declared is None:
            return "Edited as JSON"
        own = {item.name for item in own_fields(self.declared)}
        said = [
            words
            for item in self.fields
            if (item.name in own or item.name in {"target", "negate", "required"})
            and (words := _words(item, self.values.get(item.name, "")))
        ]
        return " · ".join(said) or "Nothing set yet"


def _words(item: Field, text: str) -> str:
    if text == item.initial() or not text:
        return ""
    if item.kind == "checkbox":
        return item.label
    if item.kind == "lines":
        lines = [_quoted(line) for line in text.split("\n") if line]
        return f"{item.label} {_listed(lines)}"
    table = table_of(text) if item.columns else None
    if table is not None:
        names = [shortened(row.get(next(iter(item.columns)), ""), _SHOWN) for row in table.rows]
        return f"{item.label} {_listed([name for name in names if name])}"
    if item.kind in _BARE:
        return f"{item.label} {shortened(item.widget.tell(item, text), _SHOWN)}"
    return f"{item.label} {_quoted(text)}"


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _MOST_LISTED} more" if len(words) > _MOST_LISTED else ""
    return f"{', '.join(words[:_MOST_LISTED])}{more}" if words else "none"


def _quoted(text: str) -> str:
    return f"“{shortened(text, _SHOWN)}”"


def card_of(key: int, document: Any, *, opened: bool = True) -> Card:
    """The card of a stored or typed document; as JSON when the form could not give it back whole."""
    kind = str(document.get("type", "")) if isinstance(document, dict) else ""
    declared = registry.find(kind)
    if declared is not None:
        kind = declared.type_name() or ""
        fields = {item.name: item for item in scorer_fields(declared)}
        members = {name: value for name, value in document.items() if name != "type"}
        if all(name in fields and fields[name].keeps(value) for name, value in members.items()):
            values = {
                name: item.show(members[name]) if name in members else item.initial() for name, item in fields.items()
            }
            return Card(key, kind, values, open=opened)
    note = NEEDS_JSON if declared is not None else ""
    return Card(key, kind, as_json=True, text=json_text(document), open=opened, note=note)


def within_room(cards: Iterable[Card]) -> None:
    """Show the tables beyond the first 500 rows of a form as JSON: a request holds no more controls than that."""
    rows = 0
    for card in cards:
        for item in card.fields:
            text = card.values.get(item.name, "")
            table = table_of(text) if item.widget.control == "table" else None
            rows += len(table.rows) if table else 0
            if table and rows > _MOST_ROWS:
                rows -= len(table.rows)
                with suppress(Unreadable):  # What cannot be read stays as it was typed.
                    card.values[item.name] = show_json(item, item.read(text))


def json_text(document: Any) -> str:
    """A document as people read and edit it."""
    return exact_json.dumps(document, indent=2)


def fresh_card(key: int, kind: str, taken: Iterable[str]) -> Card | None:
    """A new card of a type with its defaults and an id of its own; None when there is no such type."""
    declared = registry.find(kind)
    if declared is None:
        return None
    name = declared.type_name() or ""
    values = {item.name: item.initial() for item in scorer_fields(declared)}
    values["id"] = free_id(snake_case(name).replace("_", "-"), taken)
    return Card(key, name, values)


def free_id(wanted: str, taken: Iterable[str]) -> str:
    """`wanted`, or the first of wanted-2, wanted-3, … that is not taken."""
    used = set(taken)
    number, found = 2, wanted
    while found in used:
        found, number = f"{wanted[:120]}-{number}", number + 1
    return found


def copied_card(card: Card, key: int, taken: Iterable[str]) -> Card:
    """The same scorer again under another id."""
    if card.as_json:
        document = {**card.known()}
        if not document:
            return Card(key, card.kind, as_json=True, text=card.text, note=card.note)
        document["id"] = free_id(str(document.get("id", "scorer")), taken)
        return Card(key, card.kind, as_json=True, text=json_text(document), note=card.note)
    values = {**card.values, "id": free_id(card.values.get("id", "") or "scorer", taken)}
    if values.get("name"):
        values["name"] = f"{values['name'][:240]} (copy)"
    return Card(key, card.kind, values)


def card_as_json(card: Card) -> Card:
    """The card with its JSON to edit. Null and left-out settings are left out."""
    if card.as_json:
        return card
    document, _ = card.document()
    kept = {name: value for name, value in document.items() if value is not None}
    return Card(card.key, card.kind, as_json=True, text=json_text(kept), open=True)


def card_as_fields(card: Card) -> Card:
    """The card with its fields to fill in, or, when the JSON does not fit them, as it was with a note."""
    if not card.as_json:
        return card
    try:
        document = read_json(card.text)
    except Unreadable as fault:
        return Card(card.key, card.kind, as_json=True, text=card.text, open=True, note=str(fault))
    with suppress(ValidationFailed):  # Its faults are shown at its fields, when it fits them at all.
        document = read_scorer(document, "").as_document()
    return card_of(card.key, document)
