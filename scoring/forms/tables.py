"""PURE: rows typed into a table, kept as one text until they are read, so that nothing half typed is lost."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from scoring.forms.widgets import typed

MOST_ROWS: Final = 64
# No JSON begins so: the text of a table is never taken for the JSON that somebody typed instead.
_MARK: Final = "rows:"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells by column, and the controls `beside` them. A cell is the text typed into it."""

    rows: tuple[Mapping[str, str], ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The table as one text; "" when nothing stands in it."""
        if not self.rows and not any(self.beside.values()):
            return ""
        return _MARK + json.dumps([list(self.rows), self.beside], ensure_ascii=False)

    @property
    def full(self) -> bool:
        """Whether it has as many rows as a table may have, 64."""
        return len(self.rows) >= MOST_ROWS

    def with_row(self, row: Mapping[str, str]) -> "Table":
        """The table with one more row, unless it is full."""
        return self if self.full else Table((*self.rows, row), self.beside)

    def without_row(self, number: int) -> "Table":
        """The table without the row at this place, counted from 0."""
        return Table(self.rows[:number] + self.rows[number + 1 :], self.beside)


def table_of(text: str) -> Table | None:
    """The table that a text holds (an empty one for ""), or None when it holds JSON instead."""
    if not text:
        return Table()
    if not text.startswith(_MARK):
        return None
    try:
        rows, beside = json.loads(text.removeprefix(_MARK))
        cells = [cell for part in (*rows, beside) for cell in part.values()]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return Table(tuple(rows), beside) if all(isinstance(cell, str) for cell in cells) else None


def gathered(control: str, post: Mapping[str, str], columns: Sequence[str], beside: Sequence[str] = ()) -> str:
    """The text of what was posted: of a table when its rows came, else the JSON under the control's own name."""
    count = post.get(f"{control}-rows", "")
    if control in post or not (count.isascii() and count.isdigit()):
        return typed(post, control)
    rows = tuple(
        {column: typed(post, f"{control}-{number}-{column}") for column in columns}
        for number in range(min(int(count[:4]), MOST_ROWS))
    )
    return Table(rows, {name: typed(post, f"{control}-{name}") for name in beside}).text
