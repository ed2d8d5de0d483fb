"""PURE: the rows of a CSV file: comma, semicolon or tab; UTF-8, or UTF-16 with its mark.

Read strictly, cell by cell. The csv module of the standard library would take `q1,{"answer":""},x`
for three cells and `q1,{"a":1,"b":2},x` for four; here a quotation mark inside a cell that does not
begin with one is refused where it stands.
"""

import codecs
import io
import re
from collections.abc import Iterator
from typing import IO

from evaluations.importers.columns import MAX_COLUMNS
from evaluations.importers.rows import MAX_ROW_BYTES, FileFault, Row, RowFault

DELIMITERS = ",;\t"
_QUOTED = re.compile(r'"((?:[^"]++|"")*+)"')
_QUOTED_OR_REST = re.compile(r'"(?:[^"]++|"")*+"?')
# Before its quotation marks are taken apart a row may be longer than what it holds.
_LONGEST_TEXT = 2 * MAX_ROW_BYTES + 1024
_CHUNK = 65_536


def csv_rows(stream: IO[bytes]) -> Iterator[Row | RowFault]:
    """Each row, or what is wrong with it. Raises FileFault where the file can be read no further.

    Cells are texts as they stand; an empty cell is "". Lines without any cell filled are left out.
    """
    encoding = _encoding(stream)
    text = io.TextIOWrapper(stream, encoding=encoding, newline="")
    try:
        yield from _rows(text)
    except UnicodeDecodeError as error:
        line = _undecodable_line(stream) if encoding == "utf-8-sig" else 0
        message = "The file is not UTF-8 from here on; save it as “CSV UTF-8”."
        raise FileFault(line, "", "encoding", message) from error
    finally:
        text.detach()


def _encoding(stream: IO[bytes]) -> str:
    stream.seek(0)
    start = stream.read(2)
    stream.seek(0)
    return "utf-16" if start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else "utf-8-sig"


def _undecodable_line(stream: IO[bytes]) -> int:
    """The line of the first byte that is not UTF-8."""
    stream.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    line = 1
    while True:
        chunk = stream.read(_CHUNK)
        try:
            line += decoder.decode(chunk, final=not chunk).count("\n")
        except UnicodeDecodeError as error:
            good = bytes(error.object[: error.start])
            return line + good.count(b"\n")
        if not chunk:
            return line


def _rows(text: io.TextIOWrapper) -> Iterator[Row | RowFault]:
    records = _records(text)
    number, first = next(records, (1, ""))
    delimiter = _delimiter(first)
    if len(first) > _LONGEST_TEXT:
        _refuse_endless(number, first, [], delimiter)
    names = _header(number, first, delimiter)
    for line, record in records:
        if len(record) > _LONGEST_TEXT:
            _refuse_endless(line, record, names, delimiter)
        cells = _cells(record, delimiter)
        if isinstance(cells, _BadCell):
            yield RowFault(line, _name(names, cells.index), "bad_quotation", cells.reason)
        elif not any(cells):
            continue
        elif len(cells) != len(names):
            yield _ragged(line, names, len(cells))
        elif "\x00" in record:
            nul = next(name for name, cell in zip(names, cells, strict=True) if "\x00" in cell)
            yield RowFault(line, nul, "unstorable_text", "The cell contains a NUL character (U+0000).")
        elif sum(map(len, cells)) > MAX_ROW_BYTES // 4 and sum(len(cell.encode()) for cell in cells) > MAX_ROW_BYTES:
            yield RowFault(line, "", "too_large", f"A row may have at most {MAX_ROW_BYTES:,} bytes.")
        else:
            yield Row(line, dict(zip(names, cells, strict=True)))


def _records(text: io.TextIOWrapper) -> Iterator[tuple[int, str]]:
    """Each row with its line ends inside cells and without its own, and the line on which it begins.

    A row goes on to the next line as long as a quotation mark is open, which is so when their
    number is odd. A row of more than _LONGEST_TEXT characters is cut there.
    """
    line = 0
    while True:
        begins, pieces, length, marks = line + 1, [], 0, 0
        while True:
            piece = text.readline(_LONGEST_TEXT - length + 1)
            line += 1
            pieces.append(piece)
            length += len(piece)
            marks += piece.count('"')
            if not piece or marks % 2 == 0 or length > _LONGEST_TEXT:
                break
        record = "".join(pieces)
        if not record:
            return
        yield begins, record.removesuffix("\n").removesuffix("\r")


def _refuse_endless(line: int, record: str, names: list[str], delimiter: str) -> None:
    """Raise FileFault for a row that found no end, naming the quotation mark that took it there."""
    cells = _cells(record, delimiter)
    if isinstance(cells, _BadCell):
        raise FileFault(line, _name(names, cells.index), "bad_quotation", cells.reason)
    raise FileFault(line, "", "too_large", "The row that begins here is too large to be one.")


def _delimiter(header: str) -> str:
    """The one of DELIMITERS that stands most often outside quotation marks; a comma when none does."""
    bare = _QUOTED_OR_REST.sub("", header)
    return max(DELIMITERS, key=bare.count)


def _header(line: int, record: str, delimiter: str) -> list[str]:
    cells = _cells(record, delimiter)
    if isinstance(cells, _BadCell):
        raise FileFault(line, "", "bad_quotation", cells.reason)
    names = [cell.strip() for cell in cells]
    if not any(names):
        raise FileFault(line, "", "no_header", "The file has no line with the names of its columns.")
    if len(names) > MAX_COLUMNS:
        raise FileFault(line, "", "too_many_columns", f"There are {len(names)} columns, and at most {MAX_COLUMNS}.")
    for index, name in enumerate(names):
        if not name or "\x00" in name:
            raise FileFault(line, "", "no_header", f"Column {index + 1} has no name that can be used.")
        if name in names[:index]:
            raise FileFault(line, name, "repeated", "Two columns have this name.")
    return names


class _BadCell:
    def __init__(self, index: int, reason: str) -> None:
        self.index = index
        self.reason = reason


def _cells(record: str, delimiter: str) -> list[str] | _BadCell:
    if '"' not in record:
        return record.split(delimiter)
    cells: list[str] = []
    position = 0
    while True:
        if record.startswith('"', position):
            match = _QUOTED.match(record, position)
            if match is None:
                return _BadCell(len(cells), "A quotation mark is opened here and never closed.")
            cells.append(match[1].replace('""', '"'))
            position = match.end()
            if position < len(record) and record[position] != delimiter:
                return _BadCell(
                    len(cells) - 1, "Text follows the closing quotation mark; double the marks inside a cell."
                )
        else:
            end = record.find(delimiter, position)
            cell = record[position : end if end >= 0 else len(record)]
            if '"' in cell:
                reason = "A quotation mark stands inside a cell that does not begin with one"
                return _BadCell(len(cells), f"{reason}; put the cell in quotation marks and double those inside it.")
            cells.append(cell)
            position += len(cell)
        if position >= len(record):
            return cells
        position += 1


def _name(names: list[str], index: int) -> str:
    return names[index] if index < len(names) else ""


def _ragged(line: int, names: list[str], count: int) -> RowFault:
    place = f"The row has {count} {'cell' if count == 1 else 'cells'}, the first line {len(names)}"
    if count < len(names):
        return RowFault(line, names[count], "ragged", f"{place}; this column is missing.")
    return RowFault(line, names[-1], "ragged", f"{place}; the row goes on after this, its last column.")
