"""PURE: what a part of the form is made of: a field, a list of rows, or whatever else stands in an object."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scoring.forms.observation_form.cells import Cell, Unshowable
from scoring.forms.widgets import Unreadable
from scoring.kit.paths import ABSENT

MOST_ROWS: Final = 100
Path = tuple[str, ...]


def control_id(path: Path) -> str:
    """The name of the control of a member: `expected-answer`."""
    return "-".join(path)


@dataclass(frozen=True, slots=True)
class FieldEntry:
    """One member with one control. With `empty`, a box says that it was recorded and held nothing."""

    path: Path
    cell: Cell
    empty: Any = ABSENT
    empty_words: str = ""

    @property
    def id(self) -> str:
        """The name of its control."""
        return control_id(self.path)


def _members(row: Mapping[str, Any]) -> Any:
    return dict(row)


def _item(item: Any, names: Sequence[str]) -> Mapping[str, Any]:
    """The members of an item by cell; what has no cell is under `more`, where there is one."""
    if not isinstance(item, dict):
        raise Unshowable
    known = {name: value for name, value in item.items() if name in names and name != MORE}
    rest = {name: value for name, value in item.items() if name not in known}
    if rest and MORE not in names:
        raise Unshowable
    return {**known, MORE: rest} if rest else known


def _listed(items: list[Any], flag: bool) -> Any:  # noqa: FBT001 - the box as it was ticked
    return items if items or flag else ABSENT


def _unlisted(value: Any) -> tuple[list[Any], bool]:
    if not isinstance(value, list):
        raise Unshowable
    return value, not value


MORE: Final = "more"


class RowFault(Exception):
    """What is wrong with the items together, told at a cell of the item at `place`."""

    def __init__(self, place: int, cell: str, message: str) -> None:
        self.place, self.cell, self.message = place, cell, message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class RowsEntry:
    """A list with a row of controls for each item, in order.

    `to_item` makes an item of a row's values by cell; `from_item` the reverse, or raises Unshowable.
    `to_value` makes the member of all items, or raises RowFault; `to_items` the reverse. Both look at
    one box besides, which by default says that the list was recorded and is empty.
    """

    path: Path
    title: str
    one: str
    cells: tuple[Cell, ...]
    help: str = ""
    flag_words: str = ""
    flag_quiet: bool = False
    compact: bool = True
    to_item: Callable[[Mapping[str, Any]], Any] = _members
    from_item: Callable[[Any, Sequence[str]], Mapping[str, Any]] = _item
    to_value: Callable[[list[Any], bool], Any] = _listed
    to_items: Callable[[Any], tuple[list[Any], bool]] = _unlisted

    @property
    def id(self) -> str:
        """The beginning of the names of its controls."""
        return control_id(self.path)

    def show(self, value: Any) -> tuple[list[dict[str, str]], bool]:
        """The texts of each row and the box; Unshowable when some item does not fit a row."""
        items, flag = self.to_items(value)
        if len(items) > MOST_ROWS:
            raise Unshowable
        names = [cell.name for cell in self.cells]
        return [self._show_row(self.from_item(item, names)) for item in items], flag

    def _show_row(self, values: Mapping[str, Any]) -> dict[str, str]:
        return {cell.name: cell.show(values.get(cell.name, ABSENT)) for cell in self.cells}

    def read_row(self, texts: Mapping[str, str]) -> tuple[Any, dict[str, str]]:
        """(the item, {}) or (None, what is wrong by cell)."""
        values, faults = {}, {}
        for cell in self.cells:
            try:
                value = cell.read(texts.get(cell.name, ""))
            except Unreadable as fault:
                faults[cell.name] = str(fault)
            else:
                if value is not ABSENT:
                    values[cell.name] = value
        if faults:
            return None, faults
        more = values.pop(MORE, {})
        twice = sorted(more.keys() & {cell.name for cell in self.cells})
        if twice:
            return None, {MORE: f"{', '.join(twice)} has a field of its own."}
        return self.to_item({**values, **more}), {}


@dataclass(frozen=True, slots=True)
class RestEntry:
    """Whatever an object holds that has no field of its own, as JSON."""

    path: Path
    cell: Cell

    @property
    def id(self) -> str:
        """The name of its control."""
        return control_id((*self.path, MORE))


Entry = FieldEntry | RowsEntry | RestEntry


@dataclass(frozen=True, slots=True)
class Part:
    """What belongs together and is folded together. `tokens` are what scorers say when they read it."""

    name: str
    title: str
    help: str
    tokens: tuple[str, ...]
    entries: tuple[Entry, ...]


def value_at(document: Any, path: Path) -> Any:
    """The member at a path, or ABSENT."""
    for step in path:
        if not isinstance(document, dict) or step not in document:
            return ABSENT
        document = document[step]
    return document


def put(document: dict[str, Any], path: Path, value: Any) -> None:
    """Set the member at a path, making the objects on the way."""
    for step in path[:-1]:
        document = document.setdefault(step, {})
    document[path[-1]] = value


def own_names(entries: Iterator[Entry], path: Path) -> set[str]:
    """The members of the object at `path` that have controls of their own."""
    depth = len(path)
    found = set()
    for entry in entries:
        owned = (*entry.path, "") if isinstance(entry, RestEntry) else entry.path
        if owned[:depth] == path and len(owned) > depth and owned[depth]:
            found.add(owned[depth])
    return found
