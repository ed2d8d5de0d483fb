"""The import wizard: preview, columns, faults by row and column, all or nothing."""

import base64
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.actors import Role
from accounts.models import Project
from evaluations.models import Dataset, DatasetItem
from tests.evaluations.conftest import MemberClient
from tests.scoring.web.profile_forms import FRAGMENT, HOSTILE, words

pytestmark = pytest.mark.django_db
CSV = "question,answer,kind,id\nDo you ship to Canada?,Yes,question,q1\nMoney back!,No,refund,r1\n"


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return Dataset.objects.create(project=project, name="cases")


def send(client: Client, dataset: Dataset, act: str, /, file: tuple[str, bytes] | None = None, **fields: Any) -> Any:
    """The answer to the form, as htmx sends it where `act` ends in a star."""
    data: dict[str, Any] = {"act": act.rstrip("*"), **fields}
    if file is not None:
        data["file"] = SimpleUploadedFile(*file)
    return client.post(f"/datasets/{dataset.public_id}/import", data, headers=FRAGMENT if act.endswith("*") else {})


def at_column(name: str, target: str) -> dict[str, Any]:
    """What says where the first column goes."""
    return {"column-0": name, "target-0": target}


def test_a_preview_says_what_would_happen_and_stores_nothing(editing: Client, dataset: Dataset) -> None:
    answer = send(editing, dataset, "preview", text=CSV)
    assert answer.status_code == 200
    page = words(answer.text)
    assert "Rows 2 CSV Added 2 Changed 0 Unchanged 0" in page
    assert "Import 2 items" in page
    assert "2 Do you ship to Canada? Yes q1" in page
    assert DatasetItem.objects.count() == 0
    assert [(row["name"], row["value"]) for row in answer.context["columns"]] == [
        ("question", "input"),
        ("answer", "expected_output"),
        ("kind", "metadata.kind"),
        ("id", "key"),
    ]


def test_the_fragment_is_the_preview_alone(editing: Client, dataset: Dataset) -> None:
    answer = send(editing, dataset, "preview*", ("a.csv", CSV.encode()))
    assert "<html" not in answer.text
    assert "What would happen" in answer.text
    assert "carried" not in answer.text


def test_all_rows_are_imported_and_told(editing: Client, dataset: Dataset) -> None:
    answer = send(editing, dataset, "import", ("a.csv", CSV.encode()))
    assert answer["Location"] == f"/datasets/{dataset.public_id}"
    assert "Imported 2 rows: 2 added." in editing.get(answer["Location"]).text
    assert list(DatasetItem.objects.values_list("key", "expected_output")) == [("q1", "Yes"), ("r1", "No")]
    changed = CSV.replace("No", "Perhaps")
    assert send(editing, dataset, "import", text=changed).status_code == 422
    assert send(editing, dataset, "import", text=changed, mode="upsert").status_code == 302
    assert list(DatasetItem.objects.values_list("key", "expected_output")) == [("q1", "Yes"), ("r1", "Perhaps")]
    assert "1 changed, 1 unchanged" in editing.get(f"/datasets/{dataset.public_id}").text


def test_faults_stand_at_their_row_and_column_and_nothing_is_imported(editing: Client, dataset: Dataset) -> None:
    bad = 'question,answer,id\nfine,Yes,1\n,No,2\nalso fine,"{""a"": ",3\nagain,x,1\n'
    answer = send(editing, dataset, "preview", text=bad)
    page = words(answer.text)
    assert "3 faults in 4 rows: nothing can be imported." in page
    assert "Line 3" in page
    assert "Line 4 answer This is not valid JSON" in page
    assert "Line 5 id" in page
    assert 'value="import"' not in answer.text
    answer = send(editing, dataset, "import", text=bad)
    assert answer.status_code == 422
    assert "Nothing was imported" in answer.text
    assert "also fine" in answer.text
    assert DatasetItem.objects.count() == 0


def test_columns_go_where_the_form_says(editing: Client, dataset: Dataset) -> None:
    chosen: dict[str, Any] = {
        "column-0": "question",
        "target-0": "metadata.question",
        "column-1": "answer",
        "target-1": "input",
        "column-2": "kind",
        "target-2": "-",
        "column-3": "id",
        "target-3": "",
    }
    answer = send(editing, dataset, "preview", text=CSV, **chosen)
    assert [row["value"] for row in answer.context["columns"]] == ["metadata.question", "input", "-", "key"]
    assert send(editing, dataset, "import", text=CSV, **chosen).status_code == 302
    item = DatasetItem.objects.get(key="q1")
    assert (item.input[0]["content"], item.metadata) == ("Yes", {"question": "Do you ship to Canada?"})


def test_columns_of_another_file_are_forgotten(editing: Client, dataset: Dataset) -> None:
    answer = send(editing, dataset, "preview", text=CSV, **at_column("gone", "input"))
    assert answer.context["report"].fault_count == 0
    assert "Import 2 items" in words(answer.text)


@pytest.mark.parametrize("target", ["nonsense", "metadata.", "x" * 600, "a\x00b"])
def test_a_place_that_is_none_is_refused(target: str, editing: Client, dataset: Dataset) -> None:
    answer = send(editing, dataset, "import", text=CSV, **at_column("question", target))
    assert answer.status_code == 422
    assert DatasetItem.objects.count() == 0


@pytest.mark.parametrize(
    "fields", [{}, {"text": "  \n"}, {"carried": "%%%"}, {"carried": ""}, {"text": CSV, "mode": "x"}, {"format": "xml"}]
)
def test_what_cannot_be_read_is_told(fields: dict[str, Any], editing: Client, dataset: Dataset) -> None:
    for act in ("preview", "preview*", "import"):
        answer = send(editing, dataset, act, **fields)
        assert answer.status_code == 422
        assert "notice-bad" in answer.text


@pytest.mark.parametrize(
    ("name", "content", "read_as"),
    [
        ("a.json", b'[{"input": [{"role": "user", "content": "hi"}]}]', "JSON list"),
        ("a.jsonl", b'{"question": "hi"}\n', "JSON Lines"),
        ("a.txt", b' [{"question": "hi"}]', "JSON list"),
        ("a.txt", b'\xef\xbb\xbf{"question": "hi"}', "JSON Lines"),
        ("a.txt", b"question\nhi\n", "CSV"),
        ("A.CSV", b"question\nhi\n", "CSV"),
    ],
)
def test_what_a_file_is_is_seen(name: str, content: bytes, read_as: str, editing: Client, dataset: Dataset) -> None:
    answer = send(editing, dataset, "preview", (name, content))
    assert answer.context["read_as"] == read_as
    assert answer.context["report"].added == 1


def test_a_small_file_goes_along_for_browsers_without_scripts(editing: Client, dataset: Dataset) -> None:
    content = b'question,answer\n"two\nlines","a\r\nb"\n'
    answer = send(editing, dataset, "preview", ("a.csv", content))
    carried = answer.context["carried"]
    assert base64.b64decode(carried) == content
    answer = send(editing, dataset, "import", carried=carried, carried_name="a.csv")
    assert answer.status_code == 302
    item = DatasetItem.objects.get()
    assert (item.input[0]["content"], item.expected_output) == ("two\nlines", "a\r\nb")


def test_a_large_file_must_be_chosen_again(editing: Client, dataset: Dataset) -> None:
    content = b"question\n" + b"0123456789\n" * 100_001
    answer = send(editing, dataset, "preview", ("a.csv", content[:1_000_100]))
    assert answer.context["carried"] == ""
    assert "choose it again before you import" in answer.text


def test_a_file_of_nothing_but_copies_is_asked_about(editing: Client, dataset: Dataset) -> None:
    rows = "question\nhi\nho\n"
    assert send(editing, dataset, "import", text=rows).status_code == 302
    answer = send(editing, dataset, "preview", text=rows)
    assert "Every row of this file stands in the dataset already" in answer.text
    assert 'value="import"' not in answer.text
    assert send(editing, dataset, "import", text=rows).status_code == 422
    assert send(editing, dataset, "import", text=rows, allow_duplicates="true").status_code == 302
    assert DatasetItem.objects.count() == 4


def test_only_editors_import(client_of: MemberClient, dataset: Dataset) -> None:
    for role in (Role.VIEWER, Role.REVIEWER):
        assert client_of(role).get(f"/datasets/{dataset.public_id}/import").status_code == 403
        assert send(client_of(role), dataset, "import", text=CSV).status_code == 403
    assert DatasetItem.objects.count() == 0


def test_twenty_rows_are_shown_of_many(editing: Client, dataset: Dataset) -> None:
    answer = send(editing, dataset, "preview", text="question\n" + "".join(f"row {n}\n" for n in range(200)))
    assert "The first 20 rows" in answer.text
    assert "row 19<" in answer.text
    assert "row 20<" not in answer.text
    assert "Import 200 items" in words(answer.text)


def test_hostile_files_are_text(editing: Client, dataset: Dataset) -> None:
    quoted = HOSTILE.replace('"', '""')
    rows = f'question,"{quoted}",answer\n"{quoted}","{quoted}","{quoted}"\n'
    page = send(editing, dataset, "preview", (f"{HOSTILE}.csv", rows.encode())).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;" in page


def test_what_is_exported_is_unchanged_when_it_is_imported(editing: Client, dataset: Dataset) -> None:
    send(editing, dataset, "import", text=CSV)
    page = editing.get(f"/datasets/{dataset.public_id}").text
    for kind in ("csv", "jsonl", "json"):
        address = f"/api/v1/datasets/{dataset.public_id}/items/export?format={kind}"
        assert f'href="{address}"' in page
        content = b"".join(editing.get(address))
        answer = send(editing, dataset, "preview", (f"cases.{kind}", content), mode="upsert")
        assert (answer.context["report"].unchanged, answer.context["report"].row_count) == (2, 2)
