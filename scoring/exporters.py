"""PURE: evaluations as files, piece by piece: CSV for spreadsheets, JSON Lines for programs.

JSON Lines holds the documents of `/api/scoring/history`, one a line. CSV holds the columns of
COLUMNS; it begins with a byte order mark, without which spreadsheets take UTF-8 for something else.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from foundation import exact_json

COLUMNS: Mapping[str, str] = {
    "id": "The evaluation.",
    "createdAt": "When it was made: ISO 8601, UTC.",
    "profileId": "The profile it was made with,",
    "profileName": "its name then,",
    "profileVersion": "and its version.",
    "compositeMethod": "weightedAvg, minimum or geometricMean.",
    "passThreshold": "The score from which it passes; empty when nothing was asked for.",
    "status": "scored, errored or measured.",
    "score": "The composite, 0 to 1, in full precision; empty unless scored.",
    "passed": "true or false; empty unless scored against a threshold.",
    "scorersErrored": "How many scorers could not measure.",
    "agent": "As given.",
    "taskId": "As given.",
    "action": "As given.",
    "output": "As given, whole.",
    "scorers": "JSON: each scorer's score by its id; null when it has none.",
    "metadata": "JSON: as given, with the counts the server adds.",
}
MEDIA_TYPES: Mapping[str, str] = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson; charset=utf-8",
}
_BYTE_ORDER_MARK = "\ufeff"
# What makes a spreadsheet take a text for a formula, in any of its languages' widths.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def export_pieces(kind: str, documents: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The file, one row a piece; `kind` is csv or jsonl. Holds one document at a time."""
    return _csv_pieces(documents) if kind == "csv" else _jsonl_pieces(documents)


def guarded(text: str) -> str:
    """`text` that no spreadsheet takes for a formula: an apostrophe stands before one that would be."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def _jsonl_pieces(documents: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    for document in documents:
        yield _json(document).encode() + b"\n"


def _csv_pieces(documents: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    buffer.write(_BYTE_ORDER_MARK)
    writer.writerow(COLUMNS)
    yield _taken(buffer)
    for document in documents:
        writer.writerow([_cell(value) for value in _row(document)])
        yield _taken(buffer)


def _taken(buffer: io.StringIO) -> bytes:
    piece = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return piece


def _row(document: Mapping[str, Any]) -> Iterator[Any]:
    breakdown = document["breakdown"]
    own = {
        "scorersErrored": sum(entry["status"] == "error" for entry in breakdown),
        "scorers": _json({entry["scorerId"]: entry["score"] for entry in breakdown}),
        "metadata": _json(document["metadata"]),
    }
    for name in COLUMNS:
        yield own[name] if name in own else document[name]


def _cell(value: Any) -> str:
    """A cell: numbers and truth as they are in JSON, nothing for null, text guarded."""
    if value is None:
        return ""
    return guarded(value) if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return exact_json.dumps(value)
