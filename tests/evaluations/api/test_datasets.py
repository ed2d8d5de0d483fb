"""Datasets over HTTP: made, named once, counted, deleted with what depends on them said."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import AuditEntry, Project
from evaluations.models import Dataset, DatasetItem, Eval
from tests.evaluations.cases import call, code_of, dataset_of, eval_of, paths_of
from tests.evaluations.conftest import MemberClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


def made(client: Client, project: Project, **body: Any) -> dict[str, Any]:
    response = call(client, "POST", "/datasets", {"project_id": project.public_id, "name": "cases", **body})
    assert response.status_code == 201, response.content
    return dict(response.json())


def test_made_read_changed_and_recorded(editing: Client, project: Project) -> None:
    document = made(editing, project, name=" refund-requests ", description="By kind.")
    assert document["id"].startswith("dset_")
    assert (document["name"], document["item_count"]) == ("refund-requests", 0)
    assert document["project_id"] == project.public_id
    assert call(editing, "GET", f"/datasets/{document['id']}").json() == document
    for method, name in (("PUT", "one"), ("PATCH", "two")):
        answer = call(editing, method, f"/datasets/{document['id']}", {"name": name}).json()
        assert (answer["name"], answer["description"]) == (name, "By kind.")
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "dataset.created", "dataset.updated", "dataset.updated",
    ]  # fmt: skip
    assert call(editing, "PUT", f"/datasets/{document['id']}", {"name": "two"}).json()["name"] == "two"
    assert AuditEntry.objects.count() == 3


@pytest.mark.parametrize(
    ("change", "path"),
    [({"name": ""}, "name"), ({"name": None}, "name"), ({"name": "n" * 257}, "name"), ({"colour": 1}, "colour"),
     ({"description": 3}, "description"), ({"description": "\x00"}, "description")],
)  # fmt: skip
def test_a_bad_body_is_refused_by_path(editing: Client, project: Project, change: dict[str, Any], path: str) -> None:
    refused = call(editing, "POST", "/datasets", {"project_id": project.public_id, "name": "cases", **change})
    assert (refused.status_code, paths_of(refused)) == (400, [path])
    dataset = dataset_of(project)
    refused = call(editing, "PUT", f"/datasets/{dataset.public_id}", change)
    assert (refused.status_code, paths_of(refused)) == (400, [path])


def test_a_name_stands_once_in_a_project(editing: Client, project: Project, other_project: Project) -> None:
    made(editing, project)
    dataset_of(other_project, name="elsewhere")
    again = call(editing, "POST", "/datasets", {"project_id": project.public_id, "name": "cases"})
    assert code_of(again) == (409, "NAME_CONFLICT")
    second = made(editing, project, name="elsewhere")
    assert code_of(call(editing, "PUT", f"/datasets/{second['id']}", {"name": "cases"})) == (409, "NAME_CONFLICT")
    assert Dataset.objects.get(public_id=second["id"]).name == "elsewhere"


def test_a_project_that_cannot_be_written_is_forbidden(
    editing: Client, client_of: MemberClient, project: Project, other_project: Project
) -> None:
    for project_id in (other_project.public_id, "proj_0123456789abcdef"):
        refused = call(editing, "POST", "/datasets", {"project_id": project_id, "name": "cases"})
        assert code_of(refused) == (403, "FORBIDDEN")
    body = {"project_id": project.public_id, "name": "cases"}
    assert code_of(call(client_of(Role.REVIEWER), "POST", "/datasets", body)) == (403, "FORBIDDEN")
    assert not Dataset.objects.exists()


def test_the_list_counts_items_in_as_many_queries_whatever_its_length(
    editing: Client, project: Project, other_project: Project
) -> None:
    dataset_of(project, {}, {}, name="one")
    dataset_of(other_project, {}, name="not ours")
    queries = []
    for number in (1, 6):
        for extra in range(2, number + 1):
            dataset_of(project, *({} for _ in range(extra)), name=f"n{extra}")
        with CaptureQueriesContext(
            connection,
        ) as seen:
            answer = call(editing, "GET", f"/datasets?project_id={project.public_id}").json()
        queries.append(len(seen))
        assert answer["total"] == len(answer["data"]) == number
    assert queries[0] == queries[1]
    assert queries[0] <= 6
    assert [row["item_count"] for row in answer["data"]] == [6, 5, 4, 3, 2, 2]
    assert code_of(call(editing, "GET", f"/datasets?project_id={other_project.public_id}")) == (
        400,
        "VALIDATION_FAILED",
    )
    assert code_of(call(editing, "GET", "/datasets?colour=red")) == (400, "VALIDATION_FAILED")


def test_deleting_what_an_eval_uses_takes_force(client_of: MemberClient, project: Project) -> None:
    dataset = dataset_of(project, {}, {})
    eval_of(project, dataset)
    path = f"/datasets/{dataset.public_id}"
    assert code_of(call(client_of(Role.EDITOR), "DELETE", path)) == (403, "FORBIDDEN")
    refused = call(client_of(Role.OWNER), "DELETE", path)
    assert code_of(refused) == (409, "HAS_DEPENDENTS")
    assert refused.json()["error"]["meta"]["holds"] == {"evals": 1}
    assert DatasetItem.objects.count() == 2
    assert call(client_of(Role.OWNER), "DELETE", f"{path}?force=true").status_code == 204
    assert not Dataset.objects.exists()
    assert not DatasetItem.objects.exists()
    assert not Eval.objects.exists()
    assert AuditEntry.objects.get(action="dataset.deleted").changes == {"items": 2, "evals": 1}
    assert code_of(call(client_of(Role.OWNER), "DELETE", path)) == (404, "RESOURCE_NOT_FOUND")


def test_kinds_are_texts_counted_by_value(editing: Client, project: Project) -> None:
    labels: list[Any] = ["refund", "refund", "question", 7, None, "", "__proto__", ["refund"], {"a": 1}, True]
    items = [{"metadata": {"kind": label}} for label in labels]
    dataset = dataset_of(project, *items, {"metadata": {}}, {"metadata": {'ki"nd.\\é': "x"}})
    dataset_of(project, {"metadata": {"kind": "refund"}}, name="another")
    path = f"/datasets/{dataset.public_id}/kinds"
    assert call(editing, "GET", path).json() == {
        "by": "kind",
        "kinds": [
            {"value": "", "count": 1},
            {"value": "__proto__", "count": 1},
            {"value": "question", "count": 1},
            {"value": "refund", "count": 2},
        ],
        "kind_count": 4,
        "ungrouped": 7,
        "total": 12,
    }
    by_odd_name = call(editing, "GET", f"{path}?by=ki%22nd.%5C%C3%A9").json()
    assert (by_odd_name["kinds"], by_odd_name["ungrouped"]) == ([{"value": "x", "count": 1}], 11)
    for bad in ("by=", "by=%00", f"by={'k' * 256}"):
        assert paths_of(call(editing, "GET", f"{path}?{bad}")) == ["by"]
    with CaptureQueriesContext(connection) as seen:
        call(editing, "GET", path)
    assert len(seen) <= 5
