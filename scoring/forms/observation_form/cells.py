"""PURE: one control of the form: how a JSON value is shown in it as text, and read back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from foundation import exact_json
from scoring.forms.observation_form.events import read_events, show_events
from scoring.forms.widgets import Unreadable, read_json
from scoring.kit.paths import ABSENT

_LONG = 60
_STARTS_JSON: Final = ("{", "[", '"')
LOOSE_HELP: Final = 'A word is text; 5, true, null and {…} are JSON. Write "5" for the text 5.'


class Unshowable(Exception):
    """The control cannot hold this value so that the same value is read back."""


@dataclass(frozen=True, slots=True)
class Option:
    """One choice: the text that is sent, its words, and the value it means."""

    value: str
    label: str
    meaning: Any


@dataclass(frozen=True, slots=True)
class Cell:
    """One control. `name` is the member it stands for; a `quiet` one is drawn only when it holds something."""

    name: str
    label: str
    kind: str = "text"
    help: str = ""
    options: tuple[Option, ...] = ()
    rows: int = 1
    quiet: bool = False

    @property
    def control(self) -> str:
        """The input that draws it: text, textarea or select."""
        return KINDS[self.kind].control

    @property
    def mono(self) -> bool:
        """Whether it is read by machines."""
        return KINDS[self.kind].mono

    @property
    def decimal(self) -> bool:
        """Whether it holds a number."""
        return self.kind == "number"

    def read(self, text: str) -> Any:
        """The value of a text, ABSENT for none; Unreadable when it is no value."""
        return KINDS[self.kind].read(self, text)

    def show(self, value: Any) -> str:
        """The text of a value, "" for ABSENT; Unshowable when the control cannot give it back."""
        if value is ABSENT:
            return ""
        text = KINDS[self.kind].show(self, value)
        if "\r" in text or ("\n" in text and self.control != "textarea"):
            raise Unshowable
        try:
            again = self.read(text)
        except Unreadable as fault:
            raise Unshowable from fault
        if again is ABSENT or not same(again, value):
            raise Unshowable
        return text


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values would be written alike: 1 is not 1.0, the order of members is free."""
    return exact_json.dumps(left, sort_keys=True) == exact_json.dumps(right, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Kind:
    """How values of one kind are shown and read, and by which input."""

    control: str
    show: Callable[[Cell, Any], str]
    read: Callable[[Cell, str], Any]
    mono: bool = False


def json_text(value: Any) -> str:
    """A value as JSON to read and edit: on one line when that is short."""
    line = exact_json.dumps(value, spaced=True)
    return line if len(line) <= _LONG else exact_json.dumps(value, indent=2)


def _show_text(_cell: Cell, value: Any) -> str:
    if not isinstance(value, str):
        raise Unshowable
    return value


def _read_text(_cell: Cell, text: str) -> Any:
    return text or ABSENT


def _show_json(_cell: Cell, value: Any) -> str:
    return json_text(value)


def _show_line(_cell: Cell, value: Any) -> str:
    return exact_json.dumps(value, spaced=True)


def _read_json(_cell: Cell, text: str) -> Any:
    return read_json(text) if text.strip() else ABSENT


def _read_object(cell: Cell, text: str) -> Any:
    value = _read_json(cell, text)
    if value is not ABSENT and not isinstance(value, dict):
        raise Unreadable('Must be a JSON object, such as {"id": "t1"}.')
    return value


def _read_number(cell: Cell, text: str) -> Any:
    try:
        value = _read_json(cell, text)
    except Unreadable as fault:
        raise Unreadable("Must be a number, such as 2 or 0.5.") from fault
    if value is not ABSENT and (isinstance(value, bool) or not isinstance(value, int | float | Decimal)):
        raise Unreadable("Must be a number, such as 2 or 0.5.")
    return value


def _read_loose(_cell: Cell, text: str) -> Any:
    if not text:
        return ABSENT
    try:
        return read_json(text)
    except Unreadable:
        if text.lstrip().startswith(_STARTS_JSON):
            raise
        return text


def _show_loose(cell: Cell, value: Any) -> str:
    if not isinstance(value, str):
        return json_text(value)
    try:
        plain = bool(value) and same(_read_loose(cell, value), value)
    except Unreadable:
        plain = False
    return value if plain else exact_json.dumps(value)


def _show_choice(cell: Cell, value: Any) -> str:
    known = next(
        (option.value for option in cell.options if option.meaning is not ABSENT and same(option.meaning, value)), None
    )
    return _show_text(cell, value) if known is None else known


def _read_choice(cell: Cell, text: str) -> Any:
    meanings = {option.value: option.meaning for option in cell.options}
    return meanings.get(text, text or ABSENT)


KINDS: Final[Mapping[str, Kind]] = {
    "text": Kind("text", _show_text, _read_text),
    "code": Kind("text", _show_text, _read_text, mono=True),
    "prose": Kind("textarea", _show_text, _read_text),
    "number": Kind("text", _show_line, _read_number),
    "choice": Kind("select", _show_choice, _read_choice),
    "json": Kind("textarea", _show_json, _read_json, mono=True),
    "object": Kind("textarea", _show_json, _read_object, mono=True),
    "loose": Kind("textarea", _show_loose, _read_loose, mono=True),
    "events": Kind(
        "textarea", lambda _cell, value: show_events(value), lambda _cell, text: read_events(text), mono=True
    ),
}
