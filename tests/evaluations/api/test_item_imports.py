"""Imports over HTTP: every way to send a file, all of it or nothing, and what each fault says."""

import gzip
import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.actors import Role
from accounts.models import AuditEntry, Project
from evaluations.importers import rows as importing
from evaluations.models import Dataset, DatasetItem, ItemRevision
from evaluations.queries.items import items_by_key
from tests.evaluations.cases import API, call, code_of, dataset_of, paths_of
from tests.evaluations.conftest import MemberClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return dataset_of(project)


@pytest.fixture
def path(dataset: Dataset) -> str:
    return f"/datasets/{dataset.public_id}/items/import"


def sent(client: Client, path: str, content: str, kind: str = "csv", **options: Any) -> Any:
    """The answer to a file inside a JSON body."""
    return call(client, "POST", path, {"format": kind, "content": content, **options})


def uploaded(client: Client, path: str, data: bytes, query: str, content_type: str = "text/csv") -> Any:
    """The answer to a file that is the body itself."""
    return client.generic("POST", f"{API}{path}?{query}", data, content_type=content_type)


def counts(response: Any) -> tuple[int, int, int]:
    assert response.status_code == 201, response.content
    document = response.json()
    return document["added"], document["changed"], document["unchanged"]


def refusal(response: Any) -> dict[str, Any]:
    assert response.status_code == 400, response.content
    return dict(response.json()["error"])


def keys() -> list[str | None]:
    return list(DatasetItem.objects.values_list("key", flat=True))


def test_f22_an_unquoted_object_is_refused_with_line_and_column(editing: Client, path: str) -> None:
    error = refusal(sent(editing, path, 'question,expected,tag\nok,"{}",y\nq1,{"answer":""},x\n'))
    assert error["message"].startswith('Line 3, column "expected": ')
    assert [(fault["path"], fault["line"], fault["column"]) for fault in error["meta"]["fields"]] == [
        ("lines.3.expected", "3", "expected")
    ]
    assert not DatasetItem.objects.exists()
    only = refusal(sent(editing, path, 'question,answer,tag\nq1,{"answer":""},x\n'))
    assert only["message"].startswith('Line 2, column "answer": ')
    assert not DatasetItem.objects.exists()


@pytest.mark.parametrize(("column", "member"), [("expected", "expected"), ("expected_output", "expected_output")])
def test_f22_a_quoted_object_is_read_as_an_object(editing: Client, path: str, column: str, member: str) -> None:
    assert counts(sent(editing, path, f'question,{column},tag\nq1,"{{""answer"":""""}}",x\n')) == (1, 0, 0)
    item = DatasetItem.objects.get()
    assert getattr(item, member) == {"answer": ""}
    assert (item.input, item.metadata) == ([{"role": "user", "content": "q1"}], {"tag": "x"})


def test_f23_the_ways_of_spreadsheets(editing: Client, path: str) -> None:
    long = "x" * 200_000
    data = f'\ufeffquestion;answer;kind\r\n"two\nlines";  spaced ;a\r\n{long};;b\r\n'.encode()
    file = SimpleUploadedFile("テスト.csv", data, content_type="text/csv")
    response = editing.post(f"{API}{path}", {"file": file, "mode": "append"})
    assert counts(response) == (2, 0, 0)
    assert [column["field"] for column in response.json()["columns"]] == ["input", "expected_output", "metadata.kind"]
    first, second = DatasetItem.objects.all()
    assert (first.input[0]["content"], first.expected_output) == ("two\nlines", "  spaced ")
    assert (second.input[0]["content"], second.expected_output) == (long, None)
    error = refusal(sent(editing, path, "question,answer,kind\na,b,c\na,b\n"))
    assert [fault["path"] for fault in error["meta"]["fields"]] == ["lines.3.kind"]
    assert sent(editing, path, "question,answer\n a , b \n", trim=True).status_code == 201
    trimmed = DatasetItem.objects.last()
    assert trimmed is not None
    assert (trimmed.input[0]["content"], trimmed.expected_output) == ("a", "b")


LIST = [{"question": "q", "key": "a", "n": 1.5}, {"input": [{"role": "system", "content": "s"}], "kind": "k"}]


@pytest.mark.parametrize("wrapped", [LIST, {"items": LIST}, {"data": LIST, "total": 2}])
def test_json_is_a_list_or_an_object_that_holds_one(editing: Client, path: str, wrapped: Any) -> None:
    response = uploaded(editing, path, json.dumps(wrapped).encode(), "format=json", "application/json")
    assert counts(response) == (2, 0, 0)
    assert list(DatasetItem.objects.values_list("key", "metadata")) == [("a", {"n": 1.5}), (None, {"kind": "k"})]


def test_rows_in_a_body_and_lines_of_json(editing: Client, path: str) -> None:
    assert counts(call(editing, "POST", path, {"rows": LIST})) == (2, 0, 0)
    lines = "\ufeff" + "\r\n".join(["", *map(json.dumps, [{"input": "x", "id": 7}, {"input": "y", "answer": 3}]), " "])
    assert counts(uploaded(editing, path, lines.encode(), "mode=upsert", "application/x-ndjson")) == (2, 0, 0)
    assert [row[0] for row in DatasetItem.objects.values_list("key")] == ["a", None, "7", None]
    assert [row.position for row in DatasetItem.objects.all()] == [0, 1, 2, 3]
    last = DatasetItem.objects.last()
    assert last is not None
    assert last.expected_output == 3


@pytest.mark.parametrize(
    ("body", "path_of_fault"),
    [
        ({}, "content"),
        ({"format": "csv", "content": "input\nx\n", "rows": []}, "content"),
        ({"format": "csv", "rows": [{"input": "x"}]}, "format"),
        ({"format": "xlsx", "content": "x"}, "format"),
        ({"content": "input\nx\n"}, "format"),
        ({"format": "csv", "content": 3}, "content"),
        ({"rows": "x"}, "rows"),
        ({"rows": [{"input": "x"}], "mode": "replace"}, "mode"),
        ({"rows": [{"input": "x"}], "preview": "yes"}, "preview"),
        ({"rows": [{"input": "x"}], "colour": 1}, "colour"),
        ({"rows": [{"input": "x"}], "mapping": {"a": "inputs"}}, "mapping"),
        ({"rows": [{"input": "x"}], "mapping": []}, "mapping"),
        ({"rows": [{"input": "x"}], "mapping": {"a": "input"}}, "a"),
        ({"rows": []}, ""),
        ([], ""),
    ],
)
def test_a_bad_request_is_refused_by_path(editing: Client, path: str, body: Any, path_of_fault: str) -> None:
    assert paths_of(call(editing, "POST", path, body)) == [path_of_fault]
    assert not DatasetItem.objects.exists()


@pytest.mark.parametrize(
    ("query", "path_of_fault"),
    [("format=csv&mode=x", "mode"), ("format=csv&trim=1", "trim"), ("format=csv&mapping=x", "mapping"),
     ("format=csv&mapping=[]", "mapping"), ("format=csv&colour=x", "colour"), ("format=x", "format"),
     ("format=csv&content=x", "content")],
)  # fmt: skip
def test_bad_options_of_an_upload_are_refused_by_path(
    editing: Client, path: str, query: str, path_of_fault: str
) -> None:
    assert paths_of(uploaded(editing, path, b"input\nx\n", query)) == [path_of_fault]
    assert not DatasetItem.objects.exists()


def test_what_is_no_file_is_refused(editing: Client, path: str) -> None:
    assert paths_of(editing.post(f"{API}{path}", {"mode": "append"})) == ["file"]
    assert paths_of(editing.post(f"{API}{path}", {"file": SimpleUploadedFile("a.xlsx", b"PK")})) == ["format"]
    assert uploaded(editing, path, b"", "format=csv").status_code == 400
    assert uploaded(editing, path, b"input\nx\n", "format=csv", "application/zip").status_code == 415
    assert paths_of(uploaded(editing, path, b'{"rows":[]}', "mode=upsert", "application/json")) == ["mode"]
    assert refusal(uploaded(editing, path, gzip.compress(b"input\nx\n"), "format=csv"))["meta"]["fields"]


def test_a_file_that_is_too_large_is_refused(editing: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = editing.generic(
        "POST", f"{API}{path}?format=csv", b"input\nx\n", content_type="text/csv", CONTENT_LENGTH=str(2**30)
    )
    assert code_of(declared) == (413, "BODY_TOO_LARGE")
    monkeypatch.setattr("evaluations.api.item_files._CsvFile.limit", 5)
    assert code_of(uploaded(editing, path, b"input\nx\n", "format=csv")) == (413, "BODY_TOO_LARGE")
    monkeypatch.setattr("evaluations.api.item_files.MAX_FILE_BYTES", 5)
    large = editing.post(f"{API}{path}", {"file": SimpleUploadedFile("a.csv", b"input\nx\n")})
    assert code_of(large) == (413, "BODY_TOO_LARGE")
    assert code_of(call(editing, "POST", path, {"rows": [{"input": "x" * 1_000_000}]})) == (413, "BODY_TOO_LARGE")


def test_more_rows_than_there_may_be(editing: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert importing.MAX_ROWS == 100_000
    monkeypatch.setattr("evaluations.importers.items.MAX_ROWS", 2)
    assert counts(sent(editing, path, "input\na\nb\n")) == (2, 0, 0)
    assert paths_of(sent(editing, path, "input\na\nb\nc\n")) == ["lines.4"]


def test_all_or_nothing_with_every_fault_told(editing: Client, path: str) -> None:
    lines = ["input,expected,key,metadata,scorers"]
    lines += ["ok,,a,,", ",,b,,", 'x,"{""a"":",c,,', "y,,a,,", 'z,,d,"[1]",', 'w,,e,,"[""s"",""s""]"', "v,,f,{,"]
    error = refusal(sent(editing, path, "\n".join(lines)))
    assert [fault["path"] for fault in error["meta"]["fields"]] == [
        "lines.3.input", "lines.4.expected", "lines.5.key", "lines.6.metadata", "lines.7.scorers", "lines.8.metadata",
    ]  # fmt: skip
    assert error["message"].endswith("(and 5 more) Nothing was imported.")
    assert not DatasetItem.objects.exists()
    assert not AuditEntry.objects.filter(action="dataset.imported").exists()
    many = refusal(sent(editing, path, "input,n\n" + "x\n" * 250))
    assert (len(many["meta"]["fields"]), many["meta"]["fault_count"]) == (100, 250)


def test_a_fault_of_the_database_leaves_nothing(editing: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluations.services.item_imports.BATCH", 2)

    def failing(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr("evaluations.services.item_imports.dataset_record", failing)
    editing.raise_request_exception = False
    assert sent(editing, path, "input\na\nb\nc\nd\ne\n").status_code == 500
    assert not DatasetItem.objects.exists()


def test_upsert_changes_adds_and_leaves(editing: Client, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluations.services.item_imports.BATCH", 2)
    first = "key,input,answer,kind\na,qa,1,x\nb,qb,2,x\nc,qc,3,x\n,free,4,x\n"
    assert counts(sent(editing, path, first)) == (4, 0, 0)
    before = dict(DatasetItem.objects.values_list("key", "public_id"))
    second = "key,input,answer,kind\nc,qc,3,x\nb,qb,2,y\na,qa,9,x\nd,qd,5,x\n,free,4,x\n,other,4,x\n"
    assert counts(sent(editing, path, second, mode="upsert")) == (2, 2, 2)
    rows = {row.key or row.input[0]["content"]: row for row in DatasetItem.objects.all()}
    assert list(rows) == ["a", "b", "c", "free", "d", "other"]
    assert {key: rows[key].public_id for key in "abc"} == {key: before[key] for key in "abc"}
    assert (rows["a"].expected_output, rows["b"].metadata) == ("9", {"kind": "y"})
    revisions = ItemRevision.objects.order_by("item__key").values_list("item__key", "content")
    assert [(key, content["expected_output"], content["metadata"]) for key, content in revisions] == [
        ("a", "1", {"kind": "x"}), ("b", "2", {"kind": "x"}),
    ]  # fmt: skip
    assert rows["a"].content_hash != rows["b"].content_hash
    assert "9" in rows["a"].search_text
    assert counts(sent(editing, path, second, mode="upsert")) == (0, 0, 6)
    assert AuditEntry.objects.filter(action="dataset.imported").count() == 3
    latest = AuditEntry.objects.filter(action="dataset.imported").order_by("-pk").first()
    assert latest is not None
    assert latest.changes == {"format": "csv", "mode": "upsert", "added": 0, "changed": 0, "unchanged": 6}


def test_append_refuses_keys_that_are_there(editing: Client, path: str) -> None:
    assert counts(sent(editing, path, "id,input\na,x\n")) == (1, 0, 0)
    error = refusal(sent(editing, path, "input,id\ny,b\nx,a\n"))
    assert [fault["path"] for fault in error["meta"]["fields"]] == ["lines.3.id"]
    assert keys() == ["a"]


def test_the_same_file_twice_is_noticed(editing: Client, path: str) -> None:
    file = "input,answer\na,1\na,1\nb,2\n"
    assert counts(sent(editing, path, file)) == (3, 0, 0)
    error = refusal(sent(editing, path, file))
    assert error["meta"]["fields"][0]["code"] == "duplicate_upload"
    assert DatasetItem.objects.count() == 3
    partly = sent(editing, path, file + "c,3\n").json()
    assert (partly["added"], partly["duplicates"]) == (4, 3)
    assert counts(sent(editing, path, file, allow_duplicates=True)) == (3, 0, 0)
    assert counts(sent(editing, path, file, mode="upsert")) == (0, 0, 3)


def test_a_preview_says_what_would_happen_and_stores_nothing(editing: Client, path: str) -> None:
    sent(editing, path, "key,input\na,x\nb,y\n")
    file = "key,input,tag\na,x2,t\nb,y,\n" + "".join(f"k{n},z,\n" for n in range(30)) + "short\n"
    before = list(DatasetItem.objects.values())
    response = sent(editing, path, file, mode="upsert", preview=True)
    assert response.status_code == 200
    found = response.json()
    assert (found["preview"], found["row_count"], found["added"], found["changed"], found["unchanged"]) == (
        True, 33, 30, 1, 1,
    )  # fmt: skip
    assert found["columns"] == [
        {"name": "key", "field": "key"}, {"name": "input", "field": "input"}, {"name": "tag", "field": "metadata.tag"},
    ]  # fmt: skip
    assert (len(found["rows"]), found["rows"][0]["line"], found["error_count"]) == (20, 2, 1)
    assert found["rows"][0]["item"]["metadata"] == {"tag": "t"}
    assert found["errors"][0] | {"message": ""} == {"line": 34, "column": "input", "code": "ragged", "message": ""}
    appended = sent(editing, path, file, preview=True).json()
    assert [(fault["line"], fault["code"]) for fault in appended["errors"]] == [
        (34, "ragged"), (2, "key_taken"), (3, "key_taken"),
    ]  # fmt: skip
    assert list(DatasetItem.objects.values()) == before


def test_a_mapping_decides(editing: Client, path: str) -> None:
    file = "Frage,Antwort,n,notes,truth\nq,a,07,x,yes\n"
    mapping = {"Frage": "input", "Antwort": "expected_output", "n": "metadata.n:json", "notes": None}
    error = refusal(sent(editing, path, file, mapping=mapping))
    assert error["meta"]["fields"][0]["path"] == "lines.2.n"
    mapping |= {"n": "metadata.n", "truth": "expected.answer"}
    assert counts(uploaded(editing, path, file.encode(), f"format=csv&mapping={json.dumps(mapping)}")) == (1, 0, 0)
    item = DatasetItem.objects.get()
    assert (item.expected_output, item.metadata, item.expected) == ("a", {"n": "07"}, {"answer": "yes"})
    assert paths_of(sent(editing, path, file, mapping={"Frage": "input", "x": "key"})) == ["x"]
    assert paths_of(sent(editing, path, file)) == ["lines.1"]


def test_two_columns_of_one_place_are_a_fault(editing: Client, path: str) -> None:
    file = 'input,metadata,kind,expected_output,expected_output:json\nq,"{""kind"":1}",k,a,2\n'
    assert paths_of(sent(editing, path, file)) == ["lines.2.expected_output", "lines.2.kind"]


def test_the_queries_do_not_grow_with_the_rows_of_a_batch(editing: Client, path: str) -> None:
    numbers = []
    for count in (2, 60):
        with CaptureQueriesContext(connection) as seen:
            assert counts(sent(editing, path, "input\n" + "".join(f"{count} {n}\n" for n in range(count))))[0] == count
        numbers.append(len(seen))
    assert numbers[0] == numbers[1]
    assert numbers[0] <= 16


@given(st.binary(max_size=200), st.sampled_from(["csv", "json", "jsonl"]), st.booleans())
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_hostile_bytes_are_answered_never_a_fault_of_ours(
    editing: Client, path: str, data: bytes, kind: str, begun: bool
) -> None:
    start = {"csv": b"input,metadata,key\n", "json": b'[{"input":"x","metadata":', "jsonl": b'{"input":'}[kind]
    media = {"csv": "text/csv", "json": "application/json", "jsonl": "application/x-ndjson"}[kind]
    response = uploaded(editing, path, start + data if begun else data, f"format={kind}", media)
    assert response.status_code in (201, 400, 413), response.content
    if response.status_code != 201:
        assert response.json()["error"]["message"]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
def test_keys_are_looked_up_by_their_index(dataset: Dataset) -> None:
    with CaptureQueriesContext(connection) as seen:
        items_by_key(dataset, ["a", "b"])
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {seen[0]['sql']}")
        (step,) = cursor.fetchall()
    assert step[3].endswith("(dataset_id=? AND key=?)")
