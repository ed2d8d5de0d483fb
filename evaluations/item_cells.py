"""PURE: how an item stands in the cells of a CSV file; what the export writes here, the import reads back.

- `input`: the text of a single user message, else the messages as a JSON list.
- `expected_output`: a text as it is, an object or list as JSON. What would not come back as the same
  value from there (a number, true, an empty text, a text that looks like an object) stands as JSON in
  the column `expected_output:json`, which only an export of ours has.
- `metadata`, `expected`, `scorers`: JSON.
- A text that a spreadsheet would take for a formula has an apostrophe before it, and so has one that
  begins with apostrophes followed by such a text; taking one apostrophe away gives back what it was.
"""

import re
from typing import Any

from foundation import strict_json
from foundation.errors import MalformedJson, ValidationFailed
from foundation.table_files import guarded

JSON_SUFFIX = ":json"
OUTPUT_AS_JSON = f"expected_output{JSON_SUFFIX}"
COLUMNS = ("key", "input", "expected_output", OUTPUT_AS_JSON, "metadata", "expected", "scorers")
BYTE_ORDER_MARK = "\ufeff"
_APOSTROPHE = "'"
# Text may begin with a bracket ("[urgent] where is …"); what begins like this was meant as JSON.
_MEANT_AS_JSON = re.compile(r'\s*(?:\{\s*"|\[\s*[{"\[])')
_MEANT_AS_MESSAGES = re.compile(r'\s*\[\s*\{\s*"(?:role|content)"\s*:')


def looks_like_json(cell: str) -> bool:
    """Whether a cell is read as JSON where text may stand too: it begins with a brace or a bracket."""
    return cell.lstrip(" \t\r\n")[:1] in ("{", "[")


def user_message(text: str) -> list[dict[str, str]]:
    """The input that consists of this one text."""
    return [{"role": "user", "content": text}]


def input_of_cell(cell: str) -> Any:
    """The messages that an `input` cell holds: those of a JSON list of them, else one of the user's.

    Raises MalformedJson or ValidationFailed for a cell that begins as such a list and is none.
    """
    value = _value(cell, _MEANT_AS_MESSAGES)
    messages = isinstance(value, list) and any(isinstance(item, dict) and "role" in item for item in value)
    return value if messages else user_message(cell)


def value_of_cell(cell: str) -> Any:
    """What a cell holds where text may stand and JSON too: an object, a list, or the text.

    Raises MalformedJson or ValidationFailed for a cell that begins as JSON and is none.
    """
    return _value(cell, _MEANT_AS_JSON)


def _value(cell: str, meant: re.Pattern[str]) -> Any:
    if not looks_like_json(cell):
        return cell
    try:
        return strict_json.loads(cell)
    except (MalformedJson, ValidationFailed):
        if meant.match(cell):
            raise
        return cell


def is_plain_input(text: str) -> bool:
    """Whether a cell with this text is read back as one message of the user's."""
    try:
        return bool(text) and input_of_cell(text) == user_message(text)
    except (MalformedJson, ValidationFailed):
        return False


def is_formula(text: str) -> bool:
    """Whether the export puts an apostrophe before this text."""
    bare = text.lstrip(_APOSTROPHE)
    return guarded(bare) != bare


def guarded_cell(text: str) -> str:
    """The text as the export writes it."""
    return f"{_APOSTROPHE}{text}" if is_formula(text) else text


def bare_cell(cell: str) -> str:
    """The text that the export wrote as `cell`."""
    return cell[1:] if cell.startswith(_APOSTROPHE) and is_formula(cell) else cell
