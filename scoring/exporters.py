"""PURE: evaluations as files, piece by piece: CSV for spreadsheets, JSON Lines for programs.

JSON Lines holds the documents of `/api/scoring/history`, one a line. CSV holds the columns of
COLUMNS.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from foundation import exact_json
from foundation.table_files import CSV, JSON_LINES, csv_pieces, json_lines_pieces

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
MEDIA_TYPES: Mapping[str, str] = {"csv": CSV, "jsonl": JSON_LINES}


def export_pieces(kind: str, documents: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The file, one row a piece; `kind` is csv or jsonl. Holds one document at a time."""
    if kind == "csv":
        return csv_pieces(tuple(COLUMNS), (list(_row(document)) for document in documents))
    return json_lines_pieces(documents)


def _row(document: Mapping[str, Any]) -> Iterator[Any]:
    breakdown = document["breakdown"]
    own = {
        "scorersErrored": sum(entry["status"] == "error" for entry in breakdown),
        "scorers": exact_json.dumps({entry["scorerId"]: entry["score"] for entry in breakdown}),
        "metadata": exact_json.dumps(document["metadata"]),
    }
    for name in COLUMNS:
        yield own[name] if name in own else document[name]
