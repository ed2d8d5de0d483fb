"""JSON as it came, made ready to be read: digits stay, and nothing in it moves a terminal's cursor."""

import json
import re
from typing import Any

from commandline.failures import Failure

_INDENT = "  "
_OPENING, _CLOSING = {"[", "{"}, {"]", "}"}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+')
# Beyond those that JSON itself demands to be escaped.
_CONTROLS = re.compile(r"[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def indented(text: str) -> str:
    """The JSON document `text` indented by two; every number and string is as it was written."""
    pieces: list[str] = []
    depth, previous = 0, ""
    for token in _TOKEN.findall(text):
        opened, closes = previous in _OPENING, token in _CLOSING
        depth -= closes
        if (opened or previous == "," or closes) and not (opened and closes):
            pieces.append("\n" + _INDENT * depth)
        pieces.append(": " if token == ":" else token)
        depth += token in _OPENING
        previous = token
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", "".join(pieces))


class _Number(str):
    """A number with the digits it was written with."""

    __slots__ = ()


def picked(text: str, path: str) -> str:
    """The member of the JSON document `text` at the dotted `path`: a text as it is, everything else as JSON.

    Raises Failure when there is none.
    """
    try:
        value: Any = json.loads(text, parse_float=_Number, parse_int=_Number)
    except ValueError as error:
        raise Failure("NOTHING_PICKED", "The answer is not JSON.") from error
    for step in path.split("."):
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isascii() and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            raise Failure("NOTHING_PICKED", f"The answer has no {path}.")
    return str(value) if isinstance(value, str) else indented(_written(value))


def _written(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_written(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
