"""PURE: items as files, piece by piece; an import of the file gives the same items.

JSON Lines holds one item a line, JSON a list of them, with the members of an item that it has. CSV
has the columns of `evaluations.item_cells`; it begins with a byte order mark, without which
spreadsheets take UTF-8 for something else, and no cell of it is taken for a formula.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from evaluations import item_cells
from evaluations.item_documents import ItemContent
from foundation import exact_json
from foundation.table_files import CSV, JSON, JSON_LINES, json_lines_pieces, json_pieces

MEDIA_TYPES: Mapping[str, str] = {"jsonl": JSON_LINES, "json": JSON, "csv": CSV}


def export_pieces(kind: str, items: Iterable[ItemContent]) -> Iterator[bytes]:
    """The file, one item a piece; `kind` is one of MEDIA_TYPES. Holds one item at a time."""
    return _KINDS[kind](items)


def _documents(items: Iterable[ItemContent]) -> Iterator[dict[str, Any]]:
    for item in items:
        yield {name: value for name, value in item.as_document().items() if value is not None}


def _csv_pieces(items: Iterable[ItemContent]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    buffer.write(item_cells.BYTE_ORDER_MARK)
    writer.writerow(item_cells.COLUMNS)
    yield _taken(buffer)
    for item in items:
        writer.writerow(_cells(item))
        yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    piece = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return piece


def _cells(item: ItemContent) -> list[str]:
    output, output_json = _output_cells(item.expected_output)
    return [
        item_cells.guarded_cell(item.key or ""),
        item_cells.guarded_cell(_input_cell(item.input)),
        item_cells.guarded_cell(output),
        output_json,
        _json_cell(item.metadata or None),
        _json_cell(item.expected),
        _json_cell(item.scorers),
    ]


def _input_cell(messages: list[dict[str, str]]) -> str:
    text = messages[0]["content"]
    plain = messages == item_cells.user_message(text) and item_cells.is_plain_input(text)
    return text if plain else exact_json.dumps(messages)


def _output_cells(value: Any) -> tuple[str, str]:
    """The cells `expected_output` and `expected_output:json`, of which at most one is filled."""
    if isinstance(value, str) and value and not item_cells.looks_like_json(value):
        return value, ""
    if isinstance(value, dict | list):
        return exact_json.dumps(value), ""
    return "", _json_cell(value)


def _json_cell(value: Any) -> str:
    return "" if value is None else exact_json.dumps(value)


_KINDS: Mapping[str, Callable[[Iterable[ItemContent]], Iterator[bytes]]] = {
    "jsonl": lambda items: json_lines_pieces(_documents(items)),
    "json": lambda items: json_pieces(_documents(items)),
    "csv": _csv_pieces,
}
