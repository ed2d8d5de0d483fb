"""PURE: rows as items, or what is wrong with them, in the order of the file."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from evaluations import item_cells
from evaluations.importers.columns import MAX_COLUMNS, Target, column_of, targets_of
from evaluations.importers.csv_rows import csv_rows
from evaluations.importers.json_rows import ITEM, json_rows, jsonl_rows
from evaluations.importers.options import ImportOptions
from evaluations.importers.rows import MAX_ROWS, FileFault, Row, RowFault, json_faults
from evaluations.item_documents import ItemContent, read_item_text
from foundation import strict_json
from foundation.errors import MalformedJson, ValidationFailed

_READERS: Mapping[str, Callable[[IO[bytes]], Iterator[Row | RowFault]]] = {
    "csv": csv_rows,
    "json": json_rows,
    "jsonl": jsonl_rows,
}
_LARGEST_NUMBER_KEY = 10**20
_EMPTY = object()
"""What an empty cell holds: not even null."""


@dataclass(frozen=True, slots=True)
class ItemRow:
    """A row of the file: its item, or (never both) what is wrong with it."""

    line: int
    content: ItemContent | None
    faults: tuple[RowFault, ...] = ()
    text: str = ""
    """The item's document as JSON."""


def read_rows(stream: IO[bytes], options: ImportOptions, columns: dict[str, str | None]) -> Iterator[ItemRow]:
    """Each row of the file, read when it is asked for.

    `stream` is read from its start and must be seekable. `columns` is filled with each column that
    appears and where it goes (`question` → `input`, None for nowhere). A fault of the file as a
    whole is the last row. A key that stands twice in the file is a fault of the second row.
    """
    try:
        yield from _rows(stream, options, columns)
    except FileFault as error:
        yield ItemRow(error.fault.line, None, (error.fault,))


def _rows(stream: IO[bytes], options: ImportOptions, columns: dict[str, str | None]) -> Iterator[ItemRow]:
    reader = _Reader(options, columns)
    count = 0
    for count, row in enumerate(_READERS[options.format](stream), start=1):
        if count > MAX_ROWS:
            raise FileFault(row.line, "", "too_many_rows", f"There are more than {MAX_ROWS:,} rows.")
        yield ItemRow(row.line, None, (row,)) if isinstance(row, RowFault) else reader.item(row)
    _check_mapping(options, columns)
    if count == 0:
        raise FileFault(0, "", "no_rows", "The file has no rows.")


def _check_mapping(options: ImportOptions, columns: Mapping[str, str | None]) -> None:
    missing = next((name for name in options.mapping if columns and name not in columns), None)
    if missing is not None:
        raise FileFault(0, missing, "unknown_column", "The mapping names this column, and the file does not have it.")


class _Reader:
    def __init__(self, options: ImportOptions, columns: dict[str, str | None]) -> None:
        self.options = options
        self.columns = columns
        self.is_csv = options.format == "csv"
        self.unit = ITEM if options.format == "json" else "Line"
        self.targets: dict[tuple[str, ...], dict[str, Target | None]] = {}
        self.lines: dict[str, int] = {}

    def item(self, row: Row) -> ItemRow:
        """The item of a row, or its faults."""
        targets = self._targets(row)
        assembly = _Assembly(row, targets, self._value)
        body = assembly.body()
        if assembly.faults:
            return self._refused(row, targets, assembly.faults)
        try:
            content, text = read_item_text(body)
        except ValidationFailed as error:
            return self._refused(row, targets, [(fault.path, fault.code, fault.message) for fault in error.fields])
        if content.key is not None:
            first = self.lines.setdefault(content.key, row.line)
            if first != row.line:
                reason = f'The key "{content.key[:64]}" stands on {self.unit.lower()} {first} already.'
                return self._refused(row, targets, [("key", "repeated", reason)])
        return ItemRow(row.line, content, text=text)

    def _refused(
        self, row: Row, targets: Mapping[str, Target | None], faults: Sequence[tuple[str, str, str]]
    ) -> ItemRow:
        told = []
        for path, code, message in faults:
            column, inside = column_of(path, targets)
            sentence = f"{inside}: {message}" if inside else message
            told.append(RowFault(row.line, column, code, sentence, self.unit))
        return ItemRow(row.line, None, tuple(told))

    def _targets(self, row: Row) -> dict[str, Target | None]:
        names = tuple(row.values)
        if names not in self.targets:
            if len(self.targets) >= MAX_COLUMNS:
                self.targets.clear()
            targets = self.targets[names] = targets_of(names, self.options.mapping)
            for name, target in targets.items():
                if name in self.columns or len(self.columns) < MAX_COLUMNS:
                    self.columns[name] = None if target is None else str(target)
            if self.is_csv and not any(target and target.part == "input" for target in targets.values()):
                listed = ", ".join(names[:20])
                raise FileFault(1, "", "no_input", f"No column is the input. There are: {listed}. Map one to input.")
        return self.targets[names]

    def _value(self, target: Target, given: Any) -> Any:
        """What a cell or member holds, _EMPTY for an empty cell. Raises MalformedJson or ValidationFailed."""
        if isinstance(given, str) and self.is_csv:
            return self._cell(target, given)
        if isinstance(given, str) and target.json:
            return strict_json.loads(given)
        if target.part == "input" and isinstance(given, str):
            return item_cells.user_message(given)
        is_number = isinstance(given, int) and not isinstance(given, bool) and abs(given) < _LARGEST_NUMBER_KEY
        return str(given) if target.part == "key" and is_number else given

    def _cell(self, target: Target, cell: str) -> Any:
        cell = cell.strip() if self.options.trim else cell
        if not cell:
            return _EMPTY
        as_json = target.json or (target.member is None and target.part in ("metadata", "scorers"))
        if as_json:
            return strict_json.loads(cell)
        guarded = self.options.guarded
        if guarded or (guarded is None and item_cells.OUTPUT_AS_JSON in self.columns):
            cell = item_cells.bare_cell(cell)
        if target.part == "key":
            return cell
        return item_cells.input_of_cell(cell) if target.part == "input" else item_cells.value_of_cell(cell)


class _Assembly:
    """Puts the values of one row where they belong."""

    def __init__(
        self,
        row: Row,
        targets: Mapping[str, Target | None],
        value: Callable[[Target, Any], Any],
    ) -> None:
        self.row = row
        self.targets = targets
        self.value = value
        self.faults: list[tuple[str, str, str]] = []
        """(path in the item, code, sentence)."""
        self.parts: dict[str, Any] = {}
        self.members: dict[str, dict[str, Any]] = {}

    def body(self) -> dict[str, Any]:
        """The item as the API would take it; what cannot be read is in the faults."""
        for name, given in self.row.values.items():
            target = self.targets[name]
            if target is not None:
                self._take(target, given)
        expected = self.parts.get("expected")
        if expected is not None and not isinstance(expected, dict) and "expected_output" not in self.parts:
            # A column "expected" that holds no object is the answer that is hoped for.
            self.parts["expected_output"] = self.parts.pop("expected")
        for part, members in self.members.items():
            self._merge(part, members)
        return self.parts

    def _take(self, target: Target, given: Any) -> None:
        try:
            value = self.value(target, given)
        except (MalformedJson, ValidationFailed) as error:
            for path, code, message in json_faults(error):
                self.faults.append((f"{target.place}.{path}" if path else target.place, code, message))
            return
        if value is _EMPTY:
            return
        if target.member is not None:
            self.members.setdefault(target.part, {})[target.member] = value
        elif value is None:
            return
        elif target.part in self.parts:
            self._refuse(target.part, f"Two columns of this row say {target.part}.")
        else:
            self.parts[target.part] = value

    def _merge(self, part: str, members: dict[str, Any]) -> None:
        whole = self.parts.get(part, {})
        if not isinstance(whole, dict):
            return
        for member in members:
            if member in whole:
                self._refuse(f"{part}.{member}", f"The column {part} holds this too.")
        self.parts[part] = {**whole, **members}

    def _refuse(self, path: str, message: str) -> None:
        self.faults.append((path, "repeated", message))
