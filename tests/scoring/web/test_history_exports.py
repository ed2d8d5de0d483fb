"""The exports: exactly the filtered rows, as CSV that no spreadsheet runs and as the API's own documents."""

import csv
import io
import json
import re
import tracemalloc
from collections.abc import Iterable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import COMMAND_LINE
from scoring.evaluate_bodies import Answer, EvaluateBody
from scoring.exporters import COLUMNS
from scoring.models import Evaluation
from scoring.queries.profiles import profile_at
from scoring.services.evaluations import evaluation_create, evaluation_unsaved

pytestmark = pytest.mark.django_db


def evaluated(**body: Any) -> Evaluation:
    return evaluation_create(
        actor=COMMAND_LINE, body=EvaluateBody(**({"profileId": "code-quality", "output": "x"} | body))
    )


def exported(client: Client, kind: str, query: str = "") -> str:
    answer = client.get(f"/history/export.{kind}{query}")
    assert answer.status_code == 200
    assert answer.streaming
    return b"".join(answer).decode()  # type: ignore[arg-type]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_the_file_is_named_after_the_day_and_saved(api: Client) -> None:
    for kind, media_type in (("csv", "text/csv"), ("jsonl", "application/x-ndjson")):
        answer = api.get(f"/history/export.{kind}")
        assert re.fullmatch(
            rf'attachment; filename="plumbline-history-\d{{4}}-\d\d-\d\d\.{kind}"', answer["Content-Disposition"]
        )
        assert answer["Content-Type"] == f"{media_type}; charset=utf-8"


def test_json_lines_are_the_documents_of_the_api(api: Client) -> None:
    evaluated(agent="a", metadata={"b": 1, "a": [None]}, expected="yes")
    evaluated(object={"x": 1.0})
    lines = exported(api, "jsonl").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(b"".join(api.get("/api/scoring/history")))


def test_the_filter_of_the_address_holds(api: Client) -> None:
    for agent in ("a", "b", "a"):
        evaluated(agent=agent)
    assert len(rows(exported(api, "csv", "?agent=a"))) == 2
    assert len(exported(api, "jsonl", "?agent=a&passed=false").splitlines()) == 2
    assert exported(api, "jsonl", "?agent=c") == ""
    assert rows(exported(api, "csv", "?agent=c")) == []


def test_a_csv_row_keeps_numbers_as_numbers_and_text_as_it_was(api: Client) -> None:
    output = 'He said "no", twice;\r\nthen 🎉\n'
    row = evaluated(output=output, agent="a,b", metadata={"price": -3})
    (cells,) = rows(exported(api, "csv"))
    assert list(cells) == list(COLUMNS)
    assert cells["output"] == output
    assert cells["agent"] == "a,b"
    assert float(cells["score"]) == row.score
    assert cells["passed"] == "false"
    assert cells["taskId"] == ""
    assert cells["profileVersion"] == "1"
    assert json.loads(cells["scorers"]) == {entry["scorerId"]: entry["score"] for entry in row.breakdown}
    assert json.loads(cells["metadata"])["price"] == -3


def test_it_begins_with_the_mark_that_spreadsheets_need(api: Client) -> None:
    assert exported(api, "csv").encode().startswith(b"\xef\xbb\xbfid,createdAt,")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_cell_becomes_a_formula(api: Client, start: str) -> None:
    formula = f"{start}HYPERLINK(A1)"
    evaluated(output=formula, action=formula, agent=formula, taskId=formula)
    (cells,) = rows(exported(api, "csv"))
    for name in ("output", "action", "agent", "taskId"):
        assert cells[name] == f"'{formula}"


def test_wrong_filters_and_other_kinds_are_refused(api: Client) -> None:
    assert api.get("/history/export.csv?minScore=2").status_code == 400
    assert api.get("/history/export.csv?foo=1").status_code == 400
    assert api.get("/history/export.xlsx").status_code == 404


def test_every_row_comes_once_across_the_batches(api: Client) -> None:
    _fill(1_203, "x")
    ids = [json.loads(line)["id"] for line in exported(api, "jsonl").splitlines()]
    assert len(ids) == len(set(ids)) == 1_203
    newest = [row.public_id for row in Evaluation.objects.order_by("-created_at", "-id")]
    assert ids == newest


def test_memory_and_queries_do_not_grow_with_the_rows(api: Client) -> None:
    def peak(pieces: Iterable[bytes]) -> int:
        tracemalloc.start()
        size = sum(len(piece) for piece in pieces)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert size > 500 * 10_000
        return most

    def measured() -> tuple[int, int]:
        with CaptureQueriesContext(connection) as captured:
            most = peak(api.get("/history/export.csv"))  # type: ignore[arg-type]
        return most, len(captured)

    _fill(600, "word " * 2_000)
    few, few_queries = measured()
    _fill(1_200, "word " * 2_000)
    many, many_queries = measured()
    assert many < few * 1.3, f"{few:,} bytes for 600 rows, {many:,} for 1,800"
    assert many_queries - few_queries == 12, "one for each 100 rows"


def _fill(count: int, output: str) -> None:
    profile = profile_at("code-quality")
    unsaved = [
        evaluation_unsaved(actor=COMMAND_LINE, profile=profile, body=Answer(output=output)) for _ in range(count)
    ]
    Evaluation.objects.bulk_create(unsaved, batch_size=200)
