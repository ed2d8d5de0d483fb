"""PURE: rows as files, piece by piece: CSV for spreadsheets, JSON and JSON Lines for programs.

Each holds one row at a time. CSV begins with a byte order mark, without which spreadsheets take
UTF-8 for something else, and no text in it is taken for a formula.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from foundation import exact_json

BYTE_ORDER_MARK = "\ufeff"
CSV = "text/csv; charset=utf-8"
JSON = "application/json; charset=utf-8"
JSON_LINES = "application/x-ndjson; charset=utf-8"
# What makes a spreadsheet take a text for a formula, in any of its languages' widths.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_PIECE_BYTES = 65_536


def guarded(text: str) -> str:
    """`text` that no spreadsheet takes for a formula: an apostrophe stands before one that would be."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_pieces(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    """A CSV file with a row of column names. Texts are guarded; numbers stay numbers; None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    buffer.write(BYTE_ORDER_MARK)
    writer.writerow(columns)
    yield _taken(buffer)
    for row in rows:
        writer.writerow([_cell(value) for value in row])
        yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    piece = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return piece


def _cell(value: Any) -> str:
    """Numbers and truth as they are in JSON, nothing for null, text guarded."""
    if value is None:
        return ""
    return guarded(value) if isinstance(value, str) else exact_json.dumps(value)


def json_lines_pieces(documents: Iterable[Any]) -> Iterator[bytes]:
    """One document a line."""
    for document in documents:
        yield exact_json.dumps(document).encode() + b"\n"


def json_pieces(documents: Iterable[Any]) -> Iterator[bytes]:
    """A list of the documents, one a line."""
    before = b"[\n"
    for document in documents:
        yield before + exact_json.dumps(document).encode()
        before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"


def joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in larger pieces: each piece costs the server a write."""
    held = bytearray()
    for piece in pieces:
        held += piece
        if len(held) >= _PIECE_BYTES:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)
