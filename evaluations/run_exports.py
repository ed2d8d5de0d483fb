"""PURE: the results of a run as a file: CSV, JSON or JSON Lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from foundation import exact_json
from foundation.table_files import CSV, JSON, JSON_LINES, csv_pieces, json_lines_pieces, json_pieces

MEDIA_TYPES: Mapping[str, str] = {"csv": CSV, "json": JSON, "jsonl": JSON_LINES}
COLUMNS = (
    "id", "eval_run_id", "item_key", "dataset_item_id", "position", "trial", "status", "passed", "score", "group",
    "input", "expected_output", "output", "object", "metadata", "error",
)  # fmt: skip


def export_pieces(kind: str, documents: Iterable[Mapping[str, Any]], scorers: Sequence[str]) -> Iterator[bytes]:
    """The file; `kind` is one of MEDIA_TYPES. Documents are results as the API answers them.

    CSV has COLUMNS, and for each of `scorers` `KEY.score`, `KEY.passed`, `KEY.value` and
    `KEY.reasoning`; structured values are JSON in a cell. The other two hold the documents whole.
    """
    if kind == "csv":
        return csv_pieces(_columns(scorers), (_row(document, scorers) for document in documents))
    return json_pieces(documents) if kind == "json" else json_lines_pieces(documents)


def _columns(scorers: Sequence[str]) -> list[str]:
    parts = ("score", "passed", "value", "reasoning")
    return [*COLUMNS, *(f"{key}.{part}" for key in scorers for part in parts)]


def _row(document: Mapping[str, Any], scorers: Sequence[str]) -> list[Any]:
    said = {entry["scorer"]: entry for entry in document["scores"]}
    row = [_cell(document[column]) for column in COLUMNS]
    for key in scorers:
        entry = said.get(key, {})
        row += [entry.get("score"), entry.get("passed"), entry.get("value"), entry.get("reasoning")]
    return row


def _cell(value: Any) -> Any:
    return exact_json.dumps(value) if isinstance(value, dict | list) else value
