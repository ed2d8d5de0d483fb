"""Exports over HTTP: what comes out goes in again as the same dataset."""

import csv
import io
import json
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.actors import Role
from accounts.models import Project
from evaluations.exporters import export_pieces
from evaluations.importers import read_options, read_rows
from evaluations.item_documents import ItemContent, read_item
from evaluations.models import Dataset, DatasetItem
from tests.evaluations.cases import API, call, code_of, dataset_of
from tests.evaluations.conftest import MemberClient

KINDS = ("jsonl", "json", "csv")
MEDIA = {"jsonl": "application/x-ndjson", "json": "application/json", "csv": "text/csv"}
FORMULAS = ["=1+1", "+1", "-1", "@a", "\tx", "\rx", "\n=x", "＝1", "'=1", "''=1", "'plain", "=cmd|' /C calc'!A0", "-"]
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12) | st.sampled_from(
    [
        *FORMULAS,
        "",
        "[]",
        "{}",
        "null",
        "42",
        '"x"',
        "[urgent] x",
        '{"a":',
        '[{"role":"user","content":"x"}]',
        ' {"a":1}',
    ]
)
NUMBERS = (
    st.integers(-(10**19), 10**19)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.just(Decimal("0.10000000000000000001"))
)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
MESSAGES = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": TEXTS}),
    min_size=1, max_size=3,
) | TEXTS.map(lambda text: [{"role": "user", "content": text}])  # fmt: skip
ITEMS = st.lists(
    st.builds(
        ItemContent,
        input=MESSAGES,
        expected_output=JSON,
        metadata=st.dictionaries(TEXTS, JSON, max_size=3),
        key=st.none() | TEXTS.filter(str.strip),
        expected=st.none() | st.dictionaries(TEXTS, JSON, max_size=2),
        scorers=st.none() | st.lists(TEXTS.filter(bool), min_size=1, max_size=2, unique=True),
    ),
    min_size=1, max_size=4, unique_by=lambda item: item.key or id(item),
)  # fmt: skip


def fingerprint(item: ItemContent) -> tuple[Any, ...]:
    return item.content_hash(), item.labels_hash(), item.key


@given(ITEMS, st.sampled_from(KINDS))
@settings(max_examples=400, deadline=None)
def test_an_export_is_imported_as_the_same_items(items: list[ItemContent], kind: str) -> None:
    data = b"".join(export_pieces(kind, items))
    rows = list(read_rows(io.BytesIO(data), read_options({"format": kind}), {}))
    assert [fault.sentence() for row in rows for fault in row.faults] == []
    assert [fingerprint(row.content) for row in rows if row.content] == [fingerprint(item) for item in items]


@given(ITEMS)
@settings(max_examples=200, deadline=None)
def test_no_text_of_a_csv_file_is_a_formula(items: list[ItemContent]) -> None:
    text = b"".join(export_pieces("csv", items)).decode("utf-8-sig")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    for row in rows:
        cells = dict(zip(header, row, strict=True))
        number = cells.pop("expected_output:json")
        assert number[:1] in {"", '"', "t", "f", "-", *"0123456789"}
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝")) for cell in cells.values())


def test_an_apostrophe_is_taken_off_only_where_an_export_put_it() -> None:
    foreign = "input,answer\n'=1,'+2\n"
    for guarded, wanted in ((None, "'=1"), (False, "'=1"), (True, "=1")):
        (row,) = read_rows(io.BytesIO(foreign.encode()), read_options({"format": "csv", "guarded": guarded}), {})
        assert row.content is not None
        assert row.content.input[0]["content"] == wanted


def filled(project: Project) -> Dataset:
    dataset = dataset_of(project, name="テスト/..\\\n<b>.csv")
    bodies: list[dict[str, Any]] = [
        {"input": [{"role": "user", "content": text}], "expected_output": text, "key": f"k{index}"}
        for index, text in enumerate(FORMULAS)
    ]
    bodies += [
        {"input": [{"role": "system", "content": "s"}, {"role": "user", "content": "a\r\nb"}], "expected_output": 42},
        {"input": [{"role": "user", "content": ""}], "expected_output": "42", "metadata": {"kind": 7, "n": 1.50}},
        {"input": [{"role": "user", "content": "x"}], "expected_output": [{"a": "1,2"}, {"b": '"'}], "scorers": ["s"]},
        {"input": [{"role": "user", "content": "x"}], "expected": {"answer": ["y"], "chunks": {"c": 2}}},
    ]
    for position, body in enumerate(bodies):
        content = read_item(body)
        DatasetItem.objects.create(
            dataset=dataset, position=position, content_hash=content.content_hash(),
            search_text=content.search_text(), **content.as_document(),
        )  # fmt: skip
    return dataset


def contents(dataset: Dataset) -> list[tuple[Any, ...]]:
    names = ("key", "input", "expected_output", "metadata", "expected", "scorers", "content_hash")
    return list(DatasetItem.objects.filter(dataset=dataset).values_list(*names))


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_a_dataset_exported_and_imported_is_the_same(
    client_of: MemberClient, project: Project, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluations.queries.items._AT_ONCE", 5)
    source, target = filled(project), dataset_of(project, name="copy")
    export = client_of(Role.VIEWER).get(f"{API}/datasets/{source.public_id}/items/export?format={kind}")
    assert export.status_code == 200
    data = export.getvalue()
    path = f"{API}/datasets/{target.public_id}/items/import?format={kind}"
    assert client_of(Role.EDITOR).generic("POST", path, data, content_type=MEDIA[kind]).json()["added"] == 17
    assert contents(target) == contents(source)
    again = client_of(Role.EDITOR).generic("POST", f"{path}&mode=upsert", data, content_type=MEDIA[kind]).json()
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 17)


@pytest.mark.django_db
def test_the_list_of_the_api_is_imported_too(client_of: MemberClient, project: Project) -> None:
    source, target = filled(project), dataset_of(project, name="copy")
    listed = call(client_of(Role.VIEWER), "GET", f"/datasets/{source.public_id}/items?limit=100").content
    path = f"{API}/datasets/{target.public_id}/items/import?format=json"
    answer = client_of(Role.EDITOR).generic("POST", path, listed, content_type="application/json")
    assert answer.json()["added"] == 17
    assert contents(target) == contents(source)


@pytest.mark.django_db
def test_the_file_has_a_type_and_a_safe_name(client_of: MemberClient, project: Project) -> None:
    path = f"{API}/datasets/{filled(project).public_id}/items/export"
    viewing = client_of(Role.VIEWER)
    response = viewing.get(f"{path}?format=csv")
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    disposition = response["Content-Disposition"]
    assert disposition.startswith("attachment; filename*=utf-8''%E3%83%86%E3%82%B9%E3%83%88_..")
    assert not set("\n\\<>/") & set(disposition)
    assert disposition.endswith(".csv")
    assert disposition.count(".csv") == 1
    lines = viewing.get(path).getvalue().splitlines()
    assert json.loads(lines[0]) == {
        "key": "k0", "input": [{"role": "user", "content": "=1+1"}], "expected_output": "=1+1", "metadata": {},
    }  # fmt: skip
    for bad in ("format=xml", "colour=red"):
        assert code_of(viewing.get(f"{path}?{bad}")) == (400, "VALIDATION_FAILED")


@pytest.mark.django_db
@pytest.mark.parametrize(("kind", "empty"), [("jsonl", b""), ("json", b"[]\n")])
def test_an_empty_dataset_is_an_empty_file(client_of: MemberClient, project: Project, kind: str, empty: bytes) -> None:
    path = f"{API}/datasets/{dataset_of(project).public_id}/items/export?format={kind}"
    assert client_of(Role.VIEWER).get(path).getvalue() == empty


@pytest.mark.django_db
def test_an_export_takes_one_query_for_five_hundred_items(client_of: MemberClient, project: Project) -> None:
    path = f"{API}/datasets/{filled(project).public_id}/items/export"
    viewing: Client = client_of(Role.VIEWER)
    with CaptureQueriesContext(connection) as seen:
        viewing.get(path).getvalue()
    assert sum("evaluations_datasetitem" in query["sql"] for query in seen) == 1
