"""The export's rows from documents alone: pure, piece by piece."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.table_files import guarded
from scoring.exporters import COLUMNS, export_pieces


def document(**changes: Any) -> dict[str, Any]:
    entry = {"scorerId": "s", "status": "scored", "score": 0.25}
    failed = {"scorerId": "t", "status": "error", "score": None}
    base = dict.fromkeys(COLUMNS) | {"id": "eval_1", "breakdown": [entry, failed], "metadata": {}}
    return base | changes


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_one_document_is_asked_for_at_a_time() -> None:
    asked = []

    def documents() -> Iterator[dict[str, Any]]:
        for number in range(3):
            asked.append(number)
            yield document()

    for kind, heads in (("csv", 1), ("jsonl", 0)):
        asked.clear()
        pieces = export_pieces(kind, documents())
        for _ in range(heads + 1):
            next(pieces)
        assert asked == [0]


def test_errors_are_null_and_counted_never_zero() -> None:
    head, row = cells(b"".join(export_pieces("csv", [document()])).decode())
    found = dict(zip(head, row, strict=True))
    assert json.loads(found["scorers"]) == {"s": 0.25, "t": None}
    assert found["scorersErrored"] == "1"
    assert found["score"] == ""


@pytest.mark.parametrize(
    ("value", "cell"), [(0.1 + 0.2, "0.30000000000000004"), (1.0, "1.0"), (0, "0"), (True, "true"), (None, "")]
)
def test_values_are_written_as_json_writes_them(value: Any, cell: str) -> None:
    _, row = cells(b"".join(export_pieces("csv", [document(score=value)])).decode())
    assert row[list(COLUMNS).index("score")] == cell


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00")))
def test_any_text_comes_back_and_none_starts_a_formula(text: str) -> None:
    _, row = cells(b"".join(export_pieces("csv", [document(output=text)])).decode())
    cell = row[list(COLUMNS).index("output")]
    assert cell == guarded(text)
    assert cell.removeprefix("'") == text.removeprefix("'")
    assert cell[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n"} or cell == ""


def test_each_column_is_explained() -> None:
    assert all(meaning.strip() for meaning in COLUMNS.values())
