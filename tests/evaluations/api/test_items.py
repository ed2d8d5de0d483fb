"""Items over HTTP: read strictly, in dataset order, filtered, edited with what was before kept."""

import hashlib
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import AuditEntry, Project
from evaluations.models import Dataset, DatasetItem, ItemRevision
from tests.evaluations.cases import call, code_of, dataset_of, paths_of
from tests.evaluations.conftest import MemberClient

pytestmark = pytest.mark.django_db
ASKED = [{"role": "user", "content": "Do you ship to Canada?"}]


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return dataset_of(project)


@pytest.fixture
def items(dataset: Dataset) -> str:
    """The address of its items."""
    return f"/datasets/{dataset.public_id}/items"


def added(client: Client, items: str, **body: Any) -> dict[str, Any]:
    response = call(client, "POST", items, {"input": ASKED, **body})
    assert response.status_code == 201, response.content
    return dict(response.json())


def test_the_item_of_the_tutorial(editing: Client, items: str, dataset: Dataset) -> None:
    metadata = {"kind": "refund", "expected_category": "refund", "order_total": 40}
    document = added(editing, items, metadata=metadata)
    assert document["id"].startswith("dsit_")
    assert document | {"id": "", "created_at": "", "updated_at": "", "content_hash": ""} == {
        "id": "", "dataset_id": dataset.public_id, "position": 0, "key": None, "input": ASKED,
        "expected_output": None, "metadata": metadata, "expected": None, "scorers": None,
        "content_hash": "", "created_at": "", "updated_at": "",
    }  # fmt: skip
    assert call(editing, "GET", f"{items}/{document['id']}").json() == document
    assert call(editing, "GET", f"/datasets/{dataset.public_id}").json()["item_count"] == 1


def test_what_the_caller_owns_comes_back_exactly(editing: Client, items: str) -> None:
    body = (
        b'{"input":[{"role":"user","content":"x"}],"expected_output":[1.50,12345678901234567890,0.1e-7],'
        b'"metadata":{"b":1.10,"a":{"z":null,"y":[]}},"expected":{"answer":["4.20"],"chunks":{"c#1":2.0}}}'
    )
    response = call(editing, "POST", items, body)
    assert response.status_code == 201
    assert b'"expected_output":[1.5,12345678901234567890,1e-08]' in response.content
    assert b'"metadata":{"b":1.1,"a":{"z":null,"y":[]}}' in response.content
    again = call(editing, "GET", f"{items}/{response.json()['id']}")
    assert again.content == response.content


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({}, ["input"]),
        ([], [""]),
        ({"input": "Do you ship?"}, ["input"]),
        ({"input": []}, ["input"]),
        ({"input": [{"role": "user"}]}, ["input.0.content"]),
        ({"input": [*ASKED, {"role": "robot", "content": "x"}]}, ["input.1.role"]),
        ({"input": [{"role": "user", "content": 3}]}, ["input.0.content"]),
        ({"input": [{"role": "user", "content": "x", "name": "y"}]}, ["input.0.name"]),
        ({"input": [{"role": "user", "content": "\x00"}]}, ["input.0.content"]),
        ({"input": ASKED, "metadata": []}, ["metadata"]),
        ({"input": ASKED, "metadata": None}, ["metadata"]),
        ({"input": ASKED, "metadata": {"k": "x" * 64_000}}, ["metadata"]),
        ({"input": ASKED, "key": ""}, ["key"]),
        ({"input": ASKED, "key": " "}, ["key"]),
        ({"input": ASKED, "key": "k" * 257}, ["key"]),
        ({"input": ASKED, "key": 7}, ["key"]),
        ({"input": ASKED, "expected": "yes"}, ["expected"]),
        ({"input": ASKED, "scorers": "contains"}, ["scorers"]),
        ({"input": ASKED, "scorers": []}, ["scorers"]),
        ({"input": ASKED, "scorers": ["a", "a"]}, ["scorers"]),
        ({"input": ASKED, "scorers": ["a", 1]}, ["scorers.1"]),
        ({"input": ASKED, "colour": "red", "position": 3}, ["colour", "position"]),
    ],
)
def test_a_bad_body_is_refused_by_path(editing: Client, items: str, body: Any, paths: list[str]) -> None:
    refused = call(editing, "POST", items, body)
    assert (refused.status_code, paths_of(refused)) == (400, paths)
    assert not DatasetItem.objects.exists()


def test_a_key_stands_once_in_a_dataset(editing: Client, items: str, project: Project) -> None:
    first = added(editing, items, key="a")
    second = added(editing, items)
    added(editing, items)
    other = dataset_of(project, name="other")
    added(editing, f"/datasets/{other.public_id}/items", key="a")
    assert code_of(call(editing, "POST", items, {"input": ASKED, "key": "a"})) == (409, "NAME_CONFLICT")
    assert code_of(call(editing, "PUT", f"{items}/{second['id']}", {"key": "a"})) == (409, "NAME_CONFLICT")
    assert call(editing, "PUT", f"{items}/{first['id']}", {"key": "a"}).status_code == 200
    assert call(editing, "PUT", f"{items}/{first['id']}", {"key": None}).json()["key"] is None
    assert call(editing, "PUT", f"{items}/{second['id']}", {"key": "a"}).json()["key"] == "a"


def test_the_order_is_the_dataset_s(editing: Client, items: str) -> None:
    made = [added(editing, items, key=str(number)) for number in range(5)]
    assert call(editing, "DELETE", f"{items}/{made[2]['id']}").status_code == 204
    added(editing, items, key="last")
    listed = call(editing, "GET", f"{items}?limit=4").json()
    assert ([row["key"] for row in listed["data"]], listed["total"]) == (["0", "1", "3", "4"], 5)
    rest = call(editing, "GET", f"{items}?limit=4&offset=4").json()
    assert [(row["key"], row["position"]) for row in rest["data"]] == [("last", 5)]
    assert code_of(call(editing, "GET", f"{items}/{made[2]['id']}")) == (404, "RESOURCE_NOT_FOUND")


def test_filters_narrow_the_list(editing: Client, items: str) -> None:
    added(editing, items, key="a", metadata={"kind": "refund", "lang": "en"})
    added(editing, items, key="b", metadata={"kind": "refund", "lang": "de"}, expected_output="STRASSE 100% _x")
    added(editing, items, key="c", metadata={"kind": 7, "a.b": "x"})
    for query, keys in (
        ("metadata.kind=refund", "ab"),
        ("metadata.kind=refund&metadata.lang=de", "b"),
        ("metadata.kind=7", ""),
        ("metadata.a.b=x", "c"),
        ("metadata.%22=x", ""),
        ("q=CANADA", "abc"),
        ("q=stra%C3%9Fe", "b"),
        ("q=100%25", "b"),
        ("q=%25_", ""),
        ("key=c", "c"),
        ("key=C", ""),
        ("q=canada&metadata.lang=en", "a"),
    ):
        listed = call(editing, "GET", f"{items}?{query}").json()
        assert ("".join(row["key"] for row in listed["data"]), listed["total"]) == (keys, len(keys)), query


@pytest.mark.parametrize(
    "query",
    ["colour=red", "q=%00", "key=%00", "metadata.=x", "metadata.kind=%00", "metadata.%00=x", f"q={'q' * 1001}",
     "limit=0", "limit=x", "&".join(f"metadata.k{n}=x" for n in range(11)), "metadata__kind=x", "input=x"],
)  # fmt: skip
def test_a_filter_that_cannot_be_asked_for_is_refused(editing: Client, items: str, query: str) -> None:
    assert code_of(call(editing, "GET", f"{items}?{query}")) == (400, "VALIDATION_FAILED")


def test_an_edit_keeps_what_was_before(editing: Client, items: str, members: dict[Role, Any]) -> None:
    document = added(editing, items, key="a", metadata={"kind": "refund"}, expected_output="Yes")
    path = f"{items}/{document['id']}"
    relabelled = call(editing, "PATCH", path, {"metadata": {"kind": "question"}}).json()
    assert relabelled["content_hash"] == document["content_hash"]
    assert (relabelled["key"], relabelled["expected_output"]) == ("a", "Yes")
    edited = call(editing, "PUT", path, {"expected_output": None}).json()
    assert edited["content_hash"] != document["content_hash"]
    assert edited["expected_output"] is None
    assert call(editing, "PUT", path, {"metadata": {"kind": "question"}}).json() == edited
    revisions = call(editing, "GET", f"{path}/revisions").json()
    assert revisions["total"] == 2
    assert [row["metadata"]["kind"] for row in revisions["data"]] == ["question", "refund"]
    assert {row["replaced_by"] for row in revisions["data"]} == {members[Role.EDITOR].username}
    assert [row["expected_output"] for row in revisions["data"]] == ["Yes", "Yes"]
    assert [entry.changes["fields"] for entry in AuditEntry.objects.filter(action="item.updated").order_by("pk")] == [
        ["metadata"], ["expected_output"],
    ]  # fmt: skip
    assert call(editing, "GET", f"{items}?q=question").json()["total"] == 1
    assert call(editing, "GET", f"{items}?q=refund").json()["total"] == 0


@pytest.mark.parametrize("body", [{"input": None}, {"input": []}, {"id": "x"}, {"metadata": {"k": "x" * 64_000}}, []])
def test_a_bad_change_changes_nothing(editing: Client, items: str, body: Any) -> None:
    document = added(editing, items)
    path = f"{items}/{document['id']}"
    assert code_of(call(editing, "PUT", path, body)) == (400, "VALIDATION_FAILED")
    assert call(editing, "GET", path).json() == document
    assert not ItemRevision.objects.exists()


def test_parts_that_are_small_alone_may_be_too_large_together(editing: Client, items: str) -> None:
    document = added(editing, items, expected_output="x" * 600_000)
    refused = call(editing, "PUT", f"{items}/{document['id']}", {"expected": {"answer": "x" * 600_000}})
    assert code_of(refused) == (400, "VALIDATION_FAILED")


def test_items_are_found_in_their_own_dataset_alone(editing: Client, items: str, project: Project) -> None:
    document = added(editing, items)
    other = dataset_of(project, name="other")
    for method, body in (("GET", None), ("PUT", {"key": "x"}), ("DELETE", None)):
        path = f"/datasets/{other.public_id}/items/{document['id']}"
        assert code_of(call(editing, method, path, body)) == (404, "RESOURCE_NOT_FOUND")
        assert code_of(call(editing, method, f"{items}/dsit_%00", body)) == (404, "RESOURCE_NOT_FOUND")
    assert DatasetItem.objects.count() == 1


def test_a_list_takes_as_many_queries_whatever_its_length(editing: Client, items: str) -> None:
    queries = []
    for number in (1, 20):
        for _ in range(number):
            added(editing, items)
        with CaptureQueriesContext(connection) as seen:
            assert len(call(editing, "GET", f"{items}?limit=30").json()["data"]) >= number
        queries.append(len(seen))
    assert queries[0] == queries[1]
    assert queries[0] <= 6


def test_the_hash_is_of_input_and_expectation(editing: Client, items: str) -> None:
    plain = added(editing, items)
    same = added(editing, items, key="k", metadata={"a": 1}, scorers=["x"])
    assert same["content_hash"] == plain["content_hash"]
    text = '[[{"content":"Do you ship to Canada?","role":"user"}],null,null]'
    assert plain["content_hash"] == hashlib.sha256(text.encode()).hexdigest()
    hashes = {plain["content_hash"]}
    for body in ({"expected_output": 1}, {"expected_output": "1"}, {"expected": {"answer": "1"}}, {"expected": {}}):
        hashes.add(added(editing, items, **body)["content_hash"])
    assert len(hashes) == 5
    assert added(editing, items, expected_output=1.0)["content_hash"] in hashes
