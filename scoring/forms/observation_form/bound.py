"""PURE: the form as templates show it: each control with its text and its fault, each part open or folded."""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from scoring.forms.observation_form.answer import ANSWER
from scoring.forms.observation_form.cells import Cell, Option
from scoring.forms.observation_form.entries import MOST_ROWS, Entry, FieldEntry, Part, RowsEntry
from scoring.forms.observation_form.form import ObservationForm, part_filled
from scoring.forms.observation_form.parts import ACTION, PARTS
from scoring.kit.paths import ABSENT


@dataclass(frozen=True, slots=True)
class BoundCell:
    """One control with what was typed into it and what is wrong with that."""

    cell: Cell
    id: str
    value: str
    error: str = ""
    helped: bool = True

    @property
    def help(self) -> str:
        """What is said below it: in a list, in the first row alone."""
        return self.cell.help if self.helped else ""

    @property
    def options(self) -> tuple[Option, ...]:
        """The choices, with what was typed among them whatever it is."""
        known = self.cell.options
        if self.value in {option.value for option in known}:
            return known
        return (*known, Option(self.value, self.value, self.value))

    @property
    def described(self) -> str:
        """The ids of what describes it, for screen readers."""
        notes = (("help", self.help), ("error", self.error))
        return " ".join(f"{self.id}-{name}" for name, words in notes if words)


@dataclass(frozen=True, slots=True)
class BoundRow:
    """One row, counted from 1."""

    id: str
    number: int
    place: int
    cells: list[BoundCell]
    first: bool
    last: bool


@dataclass(frozen=True, slots=True)
class BoundEntry:
    """A field or a list of rows. `flag` is the words of its box, "" when it has none just now."""

    entry: Entry
    id: str
    cell: BoundCell | None = None
    rows: list[BoundRow] = field(default_factory=list)
    flag: str = ""
    ticked: bool = False
    error: str = ""
    full: bool = False

    @property
    def described(self) -> str:
        """The ids of what describes the list, for screen readers."""
        notes = (("help", getattr(self.entry, "help", "")), ("error", self.error))
        return " ".join(f"{self.id}-{name}" for name, words in notes if words)


@dataclass(frozen=True, slots=True)
class BoundPart:
    """A part of the form. `read` says that the profile's scorers read it."""

    part: Part
    entries: list[BoundEntry]
    read: bool
    filled: bool
    failing: bool

    @property
    def opened(self) -> bool:
        """Whether the part shows its fields."""
        return self.read or self.filled or self.failing

    @property
    def alone(self) -> bool:
        """Whether it has one list, which needs no name beside the part's own."""
        return sum(isinstance(item.entry, RowsEntry) for item in self.entries) == 1


def bind_parts(form: ObservationForm, read: AbstractSet[str]) -> list[BoundPart]:
    """Every part: those that are read first, then what else is filled in, each in the order of the form."""
    # The action stands beside the answer.
    wanted = {*read, *([ANSWER.name] if ACTION in read else [])}
    bound = [_bind_part(part, form, part.name in wanted) for part in PARTS]
    return sorted(bound, key=lambda part: (not part.read, not part.opened))


def _bind_part(part: Part, form: ObservationForm, read: bool) -> BoundPart:  # noqa: FBT001 - a fact handed on
    bound = [_bind(entry, form, read) for entry in part.entries]
    shown = [item for item in bound if item.cell is None or not item.cell.cell.quiet or item.cell.value]
    failing = any(error for item in bound for error in _errors(item))
    return BoundPart(part, shown, read, part_filled(form, part), failing)


def _errors(item: BoundEntry) -> Iterator[str]:
    yield item.error
    if item.cell:
        yield item.cell.error
    yield from (cell.error for row in item.rows for cell in row.cells)


def _bind(entry: Entry, form: ObservationForm, read: bool) -> BoundEntry:  # noqa: FBT001 - a fact handed on
    if isinstance(entry, RowsEntry):
        return _bind_rows(entry, form, read)
    value, error = form.texts.get(entry.id, ""), form.faults.get(entry.id, "")
    cell = BoundCell(entry.cell, entry.id, value, error)
    blank = isinstance(entry, FieldEntry) and entry.empty is not ABSENT and not value
    words = entry.empty_words if blank and isinstance(entry, FieldEntry) else ""
    return BoundEntry(entry, entry.id, cell, flag=words, ticked=entry.id in form.flags)


def _bind_rows(entry: RowsEntry, form: ObservationForm, read: bool) -> BoundEntry:  # noqa: FBT001 - a fact handed on
    ticked = entry.id in form.flags
    # A list that is read begins with a row to type in; left blank, it is no item.
    texts = form.rows.get(entry.id) or ([{}] if read and not ticked else [])
    rows = [
        BoundRow(
            f"{entry.id}-{place}",
            place + 1,
            place,
            list(_row_cells(entry, form, place, row)),
            first=place == 0,
            last=place == len(texts) - 1,
        )
        for place, row in enumerate(texts)
    ]
    blank = not any(text.strip() for row in texts for text in row.values())
    # The box is about a list that is empty; the quiet one about a list of one that was written so.
    asked = (ticked and len(rows) == 1) if entry.flag_quiet else blank
    return BoundEntry(
        entry,
        entry.id,
        rows=rows,
        flag=entry.flag_words if asked else "",
        ticked=ticked,
        error=form.faults.get(entry.id, ""),
        full=len(rows) >= MOST_ROWS,
    )


def _row_cells(entry: RowsEntry, form: ObservationForm, place: int, row: Mapping[str, str]) -> Iterator[BoundCell]:
    for cell in entry.cells:
        control, value = f"{entry.id}-{place}-{cell.name}", row.get(cell.name, "")
        if not cell.quiet or value:
            yield BoundCell(cell, control, value, form.faults.get(control, ""), helped=place == 0)
