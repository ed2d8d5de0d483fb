"""PURE: the controls a setting can be edited with. One entry in WIDGETS is all that a new one takes."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from foundation import strict_json
from foundation.errors import MalformedJson, ValidationFailed

if TYPE_CHECKING:
    from scoring.forms.fields import Field

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_INPUT = "scoring/fields/input.html"


class _Omitted:
    """The mark of a setting that was left to its default."""


OMITTED: Final = _Omitted()


class Unreadable(Exception):
    """What was typed cannot even be understood as a value; the message says why."""


@dataclass(frozen=True, slots=True)
class Widget:
    """How a value is shown as text and read back from it.

    `control` is the kind of input that `template` draws. `read` gives the value, OMITTED for the
    default, or the text itself when it is none, so that validation names the fault; it raises
    Unreadable when not even that can be done. `newlines` says whether the control keeps line feeds.
    """

    control: str
    show: Callable[["Field", Any], str]
    read: Callable[["Field", str], Any]
    template: str = _INPUT
    mono: bool = False
    width: str = ""
    rows: int = 4
    newlines: bool = False


def _show_text(_field: "Field", value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read_text(field: "Field", text: str) -> Any:
    if text:
        return text
    if field.nullable:
        return None
    return OMITTED if field.has_default and field.least_length > 0 else ""


def _show_number(_field: "Field", value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def _read_number(field: "Field", text: str) -> Any:
    number = text.strip()
    if not number and field.nullable:
        return None
    if _WHOLE.fullmatch(number):
        return int(number)
    return float(number) if _NUMBER.fullmatch(number) else text


def _show_checkbox(_field: "Field", value: Any) -> str:
    return {True: "true", False: ""}[value] if isinstance(value, bool) else _show_text(_field, value)


def _read_checkbox(_field: "Field", text: str) -> Any:
    return text == "true"


def _read_choice(field: "Field", text: str) -> Any:
    if not text and field.nullable:
        return None
    values = {option.value: option.meaning for option in field.options}
    return values.get(text, text)


def _show_lines(field: "Field", value: Any) -> str:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        return _show_text(field, value)
    return "\n".join(_escaped(item) for item in value) if field.escapes else "\n".join(value)


def _escaped(item: str) -> str:
    for letter, character in (("\\", "\\"), ("n", "\n"), ("t", "\t"), ("r", "\r")):
        item = item.replace(character, f"\\{letter}")
    return item


def _read_lines(field: "Field", text: str) -> Any:
    lines = [line for line in text.split("\n") if line]
    if not lines and field.nullable:
        return None
    if not field.escapes:
        return lines
    return [_ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), line) for line in lines]


def _show_json(_field: "Field", value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


def _read_json(field: "Field", text: str) -> Any:
    if not text.strip():
        if field.nullable:
            return None
        if field.has_default:
            return OMITTED
    return read_json(text)


def _read_text_or_object(_field: "Field", text: str) -> Any:
    if not text.lstrip().startswith("{"):
        return text or OMITTED
    try:
        value = read_json(text)
    except Unreadable:
        return text
    return value if isinstance(value, dict) else text


def read_json(text: str) -> Any:
    """The value of a JSON text that somebody typed; Unreadable says what is wrong, and where."""
    if not text.strip():
        raise Unreadable("This is required.")
    try:
        return strict_json.loads(text)
    except MalformedJson as error:
        raise Unreadable(error.message.replace("The body", "This")) from error
    except ValidationFailed as error:
        raise Unreadable(error.message) from error


WIDGETS: Mapping[str, Widget] = {
    "text": Widget("text", _show_text, _read_text),
    "textarea": Widget("textarea", _show_text, _read_text, rows=3, newlines=True),
    "pattern": Widget("text", _show_text, _read_text, mono=True),
    "flags": Widget("text", _show_text, _read_text, mono=True, width="narrow"),
    "path": Widget("text", _show_text, _read_text, mono=True),
    "number": Widget("number", _show_number, _read_number),
    "checkbox": Widget("checkbox", _show_checkbox, _read_checkbox),
    "segmented": Widget("segmented", _show_text, _read_choice),
    "select": Widget("select", _show_text, _read_choice),
    "lines": Widget("textarea", _show_lines, _read_lines, mono=True, rows=4, newlines=True),
    "text-or-object": Widget("textarea", _show_text, _read_text_or_object, rows=2, newlines=True),
    "json": Widget("textarea", _show_json, _read_json, mono=True, rows=6, newlines=True),
}
