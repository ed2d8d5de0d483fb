"""PURE: the controls a setting can be edited with. One entry in WIDGETS is all that a new one takes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from foundation import exact_json, strict_json
from foundation.errors import MalformedJson, ValidationFailed

if TYPE_CHECKING:
    from scoring.forms.fields import Field

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_INPUT = "scoring/fields/input.html"
# A list with no lines that is meant to be there, where no list would be something else. A line feed alone is
# what no other list is shown as.
EMPTY_LIST: Final = "\n"


class _Omitted:
    """The mark of a setting that was left to its default."""


OMITTED: Final = _Omitted()


class Unreadable(Exception):
    """What was typed cannot even be understood as a value; the message says why.

    `faults` are the messages of a control with parts, by the part that they stand at.
    """

    def __init__(self, message: str = "", faults: Mapping[str, str] | None = None) -> None:
        super().__init__(message or " ".join((faults or {}).values()))
        self.faults = faults or {}


def typed(post: Mapping[str, str], name: str) -> str:
    """What was typed into a control, with the line ends of text files; "" when it was not sent."""
    return post.get(name, "").replace("\r\n", "\n").replace("\r", "\n")


def _collect(_field: "Field", control: str, post: Mapping[str, str]) -> str:
    return typed(post, control)


def _place(_field: "Field", _text: str, _steps: Sequence[str]) -> str:
    return ""


def _tell(_field: "Field", text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Widget:
    """How a value is shown as text and read back from it.

    `control` is the kind of input that `template` draws. `read` gives the value, OMITTED for the
    default, or the text itself when it is none, so that validation names the fault; it raises
    Unreadable when not even that can be done. `newlines` says whether the control keeps line feeds.

    A control with parts has more to say: `collect` makes its text of what was posted, `place` names the
    part that a path inside the value is about, `tell` gives the text for people who may only read,
    `blank` the cells of a new row, `beside` are the parts that help to fill it in and are no value.
    """

    control: str
    show: Callable[["Field", Any], str]
    read: Callable[["Field", str], Any]
    template: str = _INPUT
    mono: bool = False
    width: str = ""
    rows: int = 4
    newlines: bool = False
    collect: Callable[["Field", str, Mapping[str, str]], str] = _collect
    place: Callable[["Field", str, Sequence[str]], str] = _place
    tell: Callable[["Field", str], str] = _tell
    blank: Callable[["Field"], Mapping[str, str]] | None = None
    beside: tuple[str, ...] = ()


def _show_text(_field: "Field", value: Any) -> str:
    return value if isinstance(value, str) else exact_json.dumps(value, spaced=True)


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
    if not text.strip() and field.nullable:
        return None
    return read_number_text(text)


def read_number_text(text: str) -> int | float | str:
    """The number that a text is, or the text itself."""
    number = text.strip()
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
    if not value and field.nullable:
        return EMPTY_LIST
    return "\n".join(_escaped(item) for item in value) if field.escapes else "\n".join(value)


def _escaped(item: str) -> str:
    for letter, character in (("\\", "\\"), ("n", "\n"), ("t", "\t"), ("r", "\r")):
        item = item.replace(character, f"\\{letter}")
    return item


def _read_lines(field: "Field", text: str) -> Any:
    lines = [line for line in text.split("\n") if line]
    if not lines and field.nullable and text != EMPTY_LIST:
        return None
    if not field.escapes:
        return lines
    return [_ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), line) for line in lines]


def _collect_lines(field: "Field", control: str, post: Mapping[str, str]) -> str:
    text = typed(post, control)
    return EMPTY_LIST if field.nullable and f"{control}-empty" in post and not text.strip("\n") else text


def _tell_lines(_field: "Field", text: str) -> str:
    return "none" if text == EMPTY_LIST else text


def _show_choices(field: "Field", value: Any) -> str:
    if not isinstance(value, list | tuple):
        return show_json(field, value)
    texts = {option.meaning: option.value for option in field.options}
    return "\n".join(texts.get(item, str(item)) if isinstance(item, str) else str(item) for item in value)


def _read_choices(field: "Field", text: str) -> Any:
    meanings = {option.value: option.meaning for option in field.options}
    chosen = [meanings.get(line, line) for line in text.split("\n") if line]
    return None if not chosen and field.nullable else chosen


def _collect_choices(field: "Field", control: str, post: Mapping[str, str]) -> str:
    """The ticked ones: those that were ticked before in the order they had, then the others."""
    if control in post:
        return typed(post, control)
    before = typed(post, f"{control}-order").split("\n")
    names = [*before, *(option.value for option in field.options)]
    return "\n".join(dict.fromkeys(name for name in names if name and f"{control}-{name}" in post))


def _tell_choices(field: "Field", text: str) -> str:
    labels = {option.value: option.label for option in field.options}
    return ", ".join(labels.get(line, line) for line in text.split("\n") if line)


def show_json(_field: "Field", value: Any) -> str:
    """A value as the JSON that people read and edit."""
    return "" if value is None else exact_json.dumps(value, indent=2)


def read_json_field(field: "Field", text: str) -> Any:
    """The value of a field that is edited as JSON: null or its default when nothing was typed."""
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
    "values": Widget("textarea", _show_text, _read_text, mono=True, rows=1, newlines=True),
    "pattern": Widget("text", _show_text, _read_text, mono=True),
    "flags": Widget("text", _show_text, _read_text, mono=True, width="narrow"),
    "path": Widget("text", _show_text, _read_text, mono=True),
    "number": Widget("number", _show_number, _read_number),
    "checkbox": Widget("checkbox", _show_checkbox, _read_checkbox),
    "segmented": Widget("segmented", _show_text, _read_choice),
    "select": Widget("select", _show_text, _read_choice),
    "lines": Widget(
        "textarea", _show_lines, _read_lines, mono=True, rows=4, newlines=True, collect=_collect_lines, tell=_tell_lines
    ),
    "choices": Widget(
        "choices",
        _show_choices,
        _read_choices,
        newlines=True,
        collect=_collect_choices,
        tell=_tell_choices,
    ),
    "text-or-object": Widget("textarea", _show_text, _read_text_or_object, rows=2, newlines=True),
    "json": Widget("textarea", show_json, read_json_field, mono=True, rows=6, newlines=True),
}
