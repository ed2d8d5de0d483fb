"""One item: its form, its history, and adding, duplicating, deleting it."""

import html
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import COMMAND_LINE, Role
from accounts.models import Project
from evaluations.models import Dataset, DatasetItem, ItemRevision
from evaluations.services.items import item_create, item_update
from tests.evaluations.conftest import MemberClient
from tests.scoring.web.profile_forms import HOSTILE, words

pytestmark = pytest.mark.django_db
BODY: dict[str, Any] = {
    "key": "r1",
    "input": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "I want my money back"},
    ],
    "expected_output": "yes",
    "metadata": {"kind": "refund"},
    "scorers": ["a", "b"],
}


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return Dataset.objects.create(project=project, name="cases")


@pytest.fixture
def item(dataset: Dataset) -> DatasetItem:
    return item_create(actor=COMMAND_LINE, dataset=dataset, body=BODY)


def at(item: DatasetItem, act: str = "") -> str:
    """The address of the item, or of something done to it."""
    return f"/datasets/{item.dataset.public_id}/items/{item.public_id}" + (f"/{act}" if act else "")


def shown(client: Client, address: str) -> dict[str, str]:
    """The fields of the item's form as a browser would send them back."""
    context = client.get(address).context
    draft = context["draft"]
    sent = {name: draft.form[name].value() or "" for name in draft.form.fields}
    sent |= {"messages": str(len(draft.messages)), "seen": draft.seen, "act": "save"}
    for index, row in enumerate(draft.messages):
        sent |= {f"message-{index}-role": row.role, f"message-{index}-content": row.content}
    return {name: re.sub(r"\r\n?|\n", "\r\n", str(value)) for name, value in sent.items()}


def test_saving_what_is_shown_changes_nothing(editing: Client, dataset: Dataset) -> None:
    exact = {
        **BODY,
        "input": [{"role": "user", "content": "a\r\nb\rc\nd\n"}, {"role": "tool", "content": " \n"}],
        "expected_output": [1, 1.50, {"b": 1, "a": 12345678901234567890}],
        "expected": {"state": {"price": 0.1}},
        "metadata": {"n": 1.0, "text": "x\ny"},
    }
    for body in (BODY, exact, {**BODY, "key": "r3", "expected_output": "  "}, {**BODY, "key": None, "scorers": None}):
        DatasetItem.objects.all().delete()
        item = item_create(actor=COMMAND_LINE, dataset=dataset, body=body)
        assert editing.post(at(item), shown(editing, at(item))).status_code == 302
        assert not ItemRevision.objects.exists()


def test_an_edit_is_saved_and_stands_in_the_history(editing: Client, item: DatasetItem, dataset: Dataset) -> None:
    sent = shown(editing, at(item)) | {
        "message-1-content": "I want my money back\r\nnow",
        "output": '{"refund": true}',
        "output_kind": "json",
        "metadata": '{"kind": "refund", "amount": 12.50}',
        "expected": '{"state": {"a": 1}}',
        "scorers": "a\r\n\r\nc\r\n",
        "key": "r2",
    }
    assert editing.post(at(item), sent)["Location"] == at(item)
    item.refresh_from_db()
    assert item.input[1] == {"role": "user", "content": "I want my money back\nnow"}
    assert (item.key, item.expected_output, item.scorers) == ("r2", {"refund": True}, ["a", "c"])
    assert item.metadata == {"kind": "refund", "amount": 12.5}
    page = editing.get(at(item, "history")).text
    assert "editor-of-project" in page
    assert re.search(r"<ins>\s*now</ins>", page)
    assert "<del>r1</del><ins>r2</ins>" in page.replace("\n", "")
    assert "Ground truth" in page


def test_rows_are_added_moved_and_removed_without_a_script(editing: Client, item: DatasetItem) -> None:
    sent = shown(editing, at(item))

    def rows_after(act: str) -> list[tuple[str, str]]:
        answer = editing.post(at(item), sent | {"act": act, "key": "typed"})
        assert answer.status_code == 200
        assert answer.context["draft"].form["key"].value() == "typed"
        return [(row.role, row.content) for row in answer.context["draft"].messages]

    first, second = ("system", "Be kind."), ("user", "I want my money back")
    assert rows_after("add") == [first, second, ("assistant", "")]
    assert rows_after("up:1") == [second, first]
    assert rows_after("down:0") == [second, first]
    assert rows_after("remove:0") == [second]
    item.refresh_from_db()
    assert item.key == "r1"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"metadata": "{"}, "This is not valid JSON"),
        ({"metadata": "[1]"}, "Must be a JSON object"),
        ({"metadata": '{"a": "\\u0000"}'}, "NUL"),
        ({"expected": "[1]"}, "Must be a JSON object"),
        ({"output_kind": "json", "output": "yes"}, "This is not valid JSON"),
        ({"output_kind": "xml"}, "Select a valid choice"),
        ({"message-0-role": "robot"}, "Must be"),
        ({"message-0-content": "a\x00b"}, "This contains a NUL character"),
        ({"messages": "0"}, ""),
        ({"messages": "x"}, ""),
        ({"key": "x" * 257}, ""),
        ({"key": "   "}, ""),
        ({"key": "taken"}, "has the key"),
        ({"scorers": "a\r\na"}, "Each scorer may be named once"),
    ],
)
def test_a_refused_edit_says_why_and_keeps_what_was_typed(
    changes: dict[str, str], told: str, editing: Client, item: DatasetItem, dataset: Dataset
) -> None:
    item_create(actor=COMMAND_LINE, dataset=dataset, body={**BODY, "key": "taken"})
    answer = editing.post(at(item), shown(editing, at(item)) | {"message-1-content": "typed <b>words</b>"} | changes)
    assert answer.status_code == 422, answer.text
    assert "field-error" in answer.text or "notice-bad" in answer.text
    assert told in html.unescape(answer.text)
    if "messages" not in changes:
        assert "typed &lt;b&gt;words&lt;/b&gt;" in answer.text
    item.refresh_from_db()
    assert item.input == BODY["input"]


def test_an_edit_over_somebody_elses_is_asked_about(editing: Client, item: DatasetItem, dataset: Dataset) -> None:
    sent = shown(editing, at(item)) | {"output": "mine"}
    item_update(actor=COMMAND_LINE, dataset=dataset, item_id=item.public_id, body={"expected_output": "theirs"})
    answer = editing.post(at(item), sent)
    assert answer.status_code == 409
    assert "Somebody edited this item meanwhile" in answer.text
    assert "<del>mine</del><ins>theirs</ins>" in answer.text
    item.refresh_from_db()
    assert item.expected_output == "theirs"
    again = sent | {"seen": answer.context["draft"].seen}
    assert editing.post(at(item), again).status_code == 302
    item.refresh_from_db()
    assert item.expected_output == "mine"


def test_an_item_is_added_duplicated_and_deleted(editing: Client, dataset: Dataset) -> None:
    new = f"/datasets/{dataset.public_id}/items/new"
    assert "New item" in editing.get(new).text
    sent = {"messages": "1", "message-0-role": "user", "message-0-content": "Hi", "output_kind": "text", "key": "k"}
    answer = editing.post(new, sent | {"metadata": "{"})
    assert answer.status_code == 422
    assert "Hi" in answer.text
    assert editing.post(new, sent | {"act": "add"}).status_code == 200
    assert editing.post(new, sent).status_code == 302
    item = DatasetItem.objects.get()
    assert (item.input, item.key, item.expected_output, item.metadata) == (
        [{"role": "user", "content": "Hi"}],
        "k",
        None,
        {},
    )
    copy_at = editing.post(at(item, "duplicate"))["Location"]
    copy = DatasetItem.objects.exclude(pk=item.pk).get()
    assert copy_at == at(copy)
    assert (copy.key, copy.input, copy.position) == (None, item.input, 1)
    assert editing.post(at(copy, "delete"))["Location"] == f"/datasets/{dataset.public_id}"
    assert DatasetItem.objects.get() == item
    assert editing.get(at(copy)).status_code == 404


def test_viewers_read_and_may_not_write(client_of: MemberClient, item: DatasetItem) -> None:
    client = client_of(Role.VIEWER)
    page = client.get(at(item)).text
    assert "I want my money back" in page
    assert "<textarea" not in page
    assert "Duplicate" not in page
    assert client.post(at(item), {"act": "save"}).status_code == 403
    for act in ("delete", "duplicate"):
        assert client.post(at(item, act)).status_code == 403
    assert client.get(f"/datasets/{item.dataset.public_id}/items/new").status_code == 403
    assert DatasetItem.objects.count() == 1


def test_items_beside_it_are_links(editing: Client, dataset: Dataset) -> None:
    items = [item_create(actor=COMMAND_LINE, dataset=dataset, body={**BODY, "key": str(n)}) for n in range(3)]
    page = editing.get(at(items[1])).text
    assert f'href="{at(items[1], "history")}"' in page
    assert f'rel="prev" href="{at(items[0])}"' in page
    assert f'rel="next" href="{at(items[2])}"' in page
    assert 'rel="prev"' not in editing.get(at(items[0])).text
    assert 'rel="next"' not in editing.get(at(items[2])).text


def test_a_long_history_is_paged_and_each_edit_is_against_its_own_next(
    client_of: MemberClient, item: DatasetItem, dataset: Dataset
) -> None:
    for n in range(45):
        item_update(actor=COMMAND_LINE, dataset=dataset, item_id=item.public_id, body={"expected_output": f"v{n}"})
    client = client_of(Role.VIEWER)
    with CaptureQueriesContext(connection) as queries:
        first = client.get(at(item, "history")).text
    assert len(queries) <= 9
    pages = [first, client.get(at(item, "history?offset=20")).text, client.get(at(item, "history?offset=40")).text]
    told = [f"<del>v{n - 1}</del><ins>v{n}</ins>" for n in range(44, 0, -1)]
    assert [change in pages[index // 20] for index, change in enumerate(told)] == [True] * 44
    assert "<del>yes</del><ins>v0</ins>" in pages[2]
    assert 'rel="next"' not in pages[2]
    assert client.get(at(item, "history?offset=900")).status_code == 200
    assert "Nobody has edited this item" not in first


def test_hostile_text_in_the_history_is_text(editing: Client, item: DatasetItem, dataset: Dataset) -> None:
    item_update(actor=COMMAND_LINE, dataset=dataset, item_id=item.public_id, body={"metadata": {HOSTILE: HOSTILE}})
    page = editing.get(at(item, "history")).text
    assert "<script>alert" not in page
    assert "alert" in words(page)
