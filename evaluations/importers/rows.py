"""PURE: what a file's rows are before they become items, and how a fault says where it is."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from foundation.errors import FieldError, Problem, ValidationFailed

MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_ROW_BYTES = 1024 * 1024
MAX_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class RowFault:
    """One thing wrong with a file.

    `line` counts from 1: the line on which the row begins, in a JSON list the item; 0 for the file
    as a whole. `column` is the column's or member's own name, empty for the row as a whole.
    """

    line: int
    column: str
    code: str
    message: str
    unit: str = "Line"
    """What `line` counts, as the sentence says it."""

    def as_dict(self) -> dict[str, Any]:
        """The members, as a preview lists them."""
        return {"line": self.line, "column": self.column, "code": self.code, "message": self.sentence()}

    def sentence(self) -> str:
        """`Line 2, column "answer": …`."""
        places = [f"{self.unit} {self.line}"] if self.line else []
        places += [f'column "{self.column}"'] if self.column else []
        return f"{', '.join(places)}: {self.message}" if places else self.message

    def as_field_error(self) -> FieldError:
        """The fault at the path `lines.2.answer`, with line and column beside it."""
        path = ".".join(part for part in (f"lines.{self.line}" if self.line else "", self.column) if part)
        return FieldError(path, self.code, self.sentence(), {"line": str(self.line), "column": self.column})


@dataclass(frozen=True, slots=True)
class Row:
    """One row as it stands in the file: its values by the names of its columns."""

    line: int
    values: Mapping[str, Any]


class FileFault(Exception):
    """The file cannot be read any further."""

    def __init__(self, line: int, column: str, code: str, message: str, unit: str = "Line") -> None:
        self.fault = RowFault(line, column, code, message, unit)
        super().__init__(message)


def json_faults(error: Problem) -> list[tuple[str, str, str]]:
    """(path, code, sentence) of what was wrong with a JSON text that stood in a row."""
    if isinstance(error, ValidationFailed):
        return [(fault.path, fault.code, fault.message) for fault in error.fields]
    cause = error.__cause__
    if isinstance(cause, json.JSONDecodeError):
        return [("", "malformed_json", f"This is not valid JSON: {cause.msg} at character {cause.pos + 1}.")]
    return [("", "malformed_json", error.message.replace("The body", "This"))]
