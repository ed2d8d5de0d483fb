"""The list of a project's datasets, and one of them: its kinds, its items, its filters."""

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import Project
from evaluations.models import Dataset, DatasetItem, Eval
from tests.evaluations.cases import dataset_of, eval_of
from tests.evaluations.conftest import MemberClient
from tests.scoring.web.profile_forms import HOSTILE, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


def kinds_dataset(project: Project) -> Dataset:
    """Six items: three refunds, two questions, one without a kind."""
    return dataset_of(
        project,
        {"input": "I want my money back\nnow", "key": "r1", "metadata": {"kind": "refund"}, "expected_output": "yes"},
        {"input": "Refund please", "metadata": {"kind": "refund"}, "expected_output": {"category": "refund"}},
        {"input": "Refund order 3", "metadata": {"kind": "refund", "region": "EU"}},
        {"input": "Do you ship to Canada?", "key": "q1", "metadata": {"kind": "question"}},
        {"input": "Where is my order?", "metadata": {"kind": "question"}, "expected": {"state": {"a": 1}}},
        {"input": "Hello", "metadata": {}},
    )


def search(dataset: Dataset) -> None:
    """Give the rows the text that a search looks in."""
    for item in DatasetItem.objects.filter(dataset=dataset):
        DatasetItem.objects.filter(pk=item.pk).update(search_text=item.input[0]["content"].casefold())


# The list


def test_the_list_says_what_each_dataset_is(client_of: MemberClient, project: Project) -> None:
    kinds_dataset(project)
    Dataset.objects.create(project=project, name="empty", description="Nothing yet")
    page = words(client_of(Role.VIEWER).get(f"/projects/{project.public_id}/datasets").text)
    assert "empty Nothing yet 0 just now cases – 6 just now" in page


@pytest.mark.parametrize(("role", "offered"), [(Role.VIEWER, 0), (Role.REVIEWER, 0), (Role.EDITOR, 1), (Role.OWNER, 1)])
def test_a_new_dataset_is_offered_to_those_who_may(
    role: Role, offered: int, client_of: MemberClient, project: Project
) -> None:
    address = f"/projects/{project.public_id}/datasets"
    client = client_of(role)
    assert client.get(address).text.count("Create dataset") == offered
    answer = client.post(address, {"name": "Refunds"})
    assert answer.status_code == (302 if offered else 403)
    assert Dataset.objects.filter(name="Refunds").count() == offered


def test_a_refused_dataset_keeps_what_was_typed(editing: Client, project: Project) -> None:
    dataset_of(project, name="taken")
    address = f"/projects/{project.public_id}/datasets"
    answer = editing.post(address, {"name": "taken", "description": "my words"})
    assert answer.status_code == 422
    assert "The project has a dataset with the name &quot;taken&quot; already." in answer.text
    assert "my words" in answer.text
    for name in ("", "   ", "x" * 257, "a\x00b"):
        assert editing.post(address, {"name": name}).status_code == 422, name
    assert Dataset.objects.count() == 1


def test_strangers_and_nobody_find_nothing(stranger: Client, client: Client, project: Project) -> None:
    dataset = kinds_dataset(project)
    item = dataset.items.first()
    assert item is not None
    for address in (
        f"/projects/{project.public_id}/datasets",
        f"/datasets/{dataset.public_id}",
        f"/datasets/{dataset.public_id}/edit",
        f"/datasets/{dataset.public_id}/import",
        f"/datasets/{dataset.public_id}/items/new",
        f"/datasets/{dataset.public_id}/items/{item.public_id}",
        f"/datasets/{dataset.public_id}/items/{item.public_id}/history",
    ):
        assert stranger.get(address).status_code == 404, address
        assert client.get(address).status_code == 302, address
    for act in ("delete", f"items/{item.public_id}/delete", f"items/{item.public_id}/duplicate"):
        assert stranger.post(f"/datasets/{dataset.public_id}/{act}").status_code == 404
    assert DatasetItem.objects.count() == 6


# One dataset


def test_items_stand_in_order_with_what_is_expected(client_of: MemberClient, project: Project) -> None:
    dataset = kinds_dataset(project)
    page = words(client_of(Role.VIEWER).get(f"/datasets/{dataset.public_id}").text)
    assert "I want my money back r1 refund yes just now" in page
    assert 'Refund please – refund {"category": "refund"} just now' in html.unescape(page)
    assert "Do you ship to Canada? q1 question – just now" in page
    assert "6 items" in page
    assert page.index("I want my money") < page.index("Refund please") < page.index("Hello")


def test_kinds_are_counted_with_their_share(client_of: MemberClient, project: Project) -> None:
    dataset = kinds_dataset(project)
    client = client_of(Role.VIEWER)
    page = words(client.get(f"/datasets/{dataset.public_id}").text)
    assert "2 values in 6 items · 1 without it" in page
    assert re.search(r"refund 3 50.? ?% question 2 33.? ?%", page), page
    page = words(client.get(f"/datasets/{dataset.public_id}?by=region").text)
    assert "1 value in 6 items · 5 without it EU 1" in page
    assert "No item has a text under nothing" in words(client.get(f"/datasets/{dataset.public_id}?by=nothing").text)


def test_filters_stand_in_the_address(client_of: MemberClient, project: Project) -> None:
    dataset = kinds_dataset(project)
    search(dataset)
    client = client_of(Role.VIEWER)
    base = f"/datasets/{dataset.public_id}"
    page = words(client.get(f"{base}?kind=question").text)
    assert "Canada" in page
    assert "Refund please" not in page
    assert "2 items that match; 6 in all" in page
    assert "Remove filter: kind: question" in page
    page = words(client.get(f"{base}?kind=refund&q=ORDER").text)
    assert "Refund order 3" in page
    assert "1 item that matches; 6 in all" in page
    assert "No item matches" in client.get(f"{base}?q=nothing-has-this").text
    answer = client.get(f"{base}?q=&kind=refund&by=")
    assert (answer.status_code, answer["Location"]) == (302, f"{base}?kind=refund")


@pytest.mark.parametrize("query", ["q=a%00b", "kind=a%00b", "by=a%00b", "by=a%00b&kind=x", "q=" + "x" * 1001])
def test_filters_that_cannot_be_asked_for_are_told(query: str, client_of: MemberClient, project: Project) -> None:
    answer = client_of(Role.VIEWER).get(f"/datasets/{kinds_dataset(project).public_id}?{query}")
    assert answer.status_code == 422
    assert "Mend the filter" in answer.text


@pytest.mark.parametrize("page", ["0", "-1", "x", "9" * 40, "٣", "99"])
def test_a_page_that_is_none_is_no_error(page: str, client_of: MemberClient, project: Project) -> None:
    assert client_of(Role.VIEWER).get(f"/datasets/{kinds_dataset(project).public_id}?offset={page}").status_code == 200


def test_pages_cost_the_same_for_many(client_of: MemberClient, project: Project) -> None:
    few = kinds_dataset(project)
    many = dataset_of(project, *({"metadata": {"kind": f"kind {n % 20}"}} for n in range(120)), name="many")
    client, counts, page = client_of(Role.VIEWER), [], ""
    for dataset in (few, many):
        with CaptureQueriesContext(connection) as queries:
            page = client.get(f"/datasets/{dataset.public_id}").text
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8
    assert "1 to 50 of 120 items" in page
    assert "8 more" in words(page)
    assert "51 to 100 of 120 items" in client.get(f"/datasets/{many.public_id}?offset=50").text
    last = client.get(f"/datasets/{many.public_id}?offset=100").text
    assert "101 to 120 of 120 items" in last
    assert 'rel="next"' not in last
    assert 'rel="prev"' in last


def test_hostile_names_and_items_are_text(client_of: MemberClient, project: Project) -> None:
    project.name = HOSTILE
    project.save()
    dataset = dataset_of(
        project,
        {"input": HOSTILE, "key": HOSTILE, "metadata": {"kind": HOSTILE, HOSTILE: HOSTILE}, "expected_output": HOSTILE},
        name=HOSTILE,
    )
    Dataset.objects.update(description=HOSTILE)
    client = client_of(Role.OWNER)
    item = dataset.items.get()
    for address in (
        f"/projects/{project.public_id}/datasets",
        f"/datasets/{dataset.public_id}",
        f"/datasets/{dataset.public_id}/edit",
        f"/datasets/{dataset.public_id}/items/{item.public_id}",
    ):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<img src=x" not in answer.text
    assert "alert(1)" in client.get(f"/datasets/{dataset.public_id}").text


# Edit, delete


def test_a_dataset_is_renamed(editing: Client, project: Project) -> None:
    dataset = kinds_dataset(project)
    dataset_of(project, name="taken")
    address = f"/datasets/{dataset.public_id}/edit"
    assert 'value="cases"' in editing.get(address).text
    assert editing.post(address, {"name": "better", "description": "line\r\nline"})["Location"] == (
        f"/datasets/{dataset.public_id}"
    )
    dataset.refresh_from_db()
    assert (dataset.name, dataset.description) == ("better", "line\nline")
    answer = editing.post(address, {"name": "taken"})
    assert answer.status_code == 422
    assert "<h1>Edit the dataset</h1>" in answer.text


def test_only_owners_delete_and_evals_go_only_when_that_was_said(client_of: MemberClient, project: Project) -> None:
    dataset = kinds_dataset(project)
    address = f"/datasets/{dataset.public_id}"
    assert "Delete dataset" not in client_of(Role.EDITOR).get(f"{address}/edit").text
    assert client_of(Role.EDITOR).post(f"{address}/delete", {"evals": "0"}).status_code == 403
    owner = client_of(Role.OWNER)
    assert "No eval uses the dataset" in owner.get(f"{address}/edit").text
    eval_of(project, dataset, name="triage")
    assert owner.post(f"{address}/delete", {"evals": "0"}).status_code == 409
    assert owner.post(f"{address}/delete").status_code == 409
    page = words(owner.get(f"{address}/edit").text)
    assert "6 items would go, and with them the eval triage and all runs of it" in page
    assert owner.post(f"{address}/delete", {"evals": "1"})["Location"] == f"/projects/{project.public_id}/datasets"
    assert (Dataset.objects.count(), Eval.objects.count()) == (0, 0)
