"""The editor's way from an empty project to a dataset: made, imported, looked through, one item mended."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Page, expect

from accounts.actors import COMMAND_LINE, Role
from accounts.models import Project, User
from evaluations.models import Dataset, DatasetItem
from evaluations.services.items import item_create
from tests.browser.conftest import PageFor
from tests.evaluations.cases import member

CSV = "question,answer,kind,id\nDo you ship to Canada?,Yes,question,q1\nMoney back!,No,refund,r1\n"


@pytest.fixture
def project(editor: User) -> Project:
    project = Project.objects.create(name="Refunds")
    member(project, editor, Role.EDITOR)
    return project


@pytest.fixture
def dataset(project: Project) -> Dataset:
    dataset = Dataset.objects.create(project=project, name="cases")
    body = {"input": [{"role": "user", "content": "Money back!"}], "metadata": {"kind": "refund"}}
    for number in range(3):
        item_create(actor=COMMAND_LINE, dataset=dataset, body={**body, "key": f"r{number}"})
    return dataset


def test_a_dataset_is_made_and_filled_from_a_file(
    editor_page: Page, project: Project, tmp_path: Path, assert_accessible: Callable[[Page], None]
) -> None:
    page = editor_page
    page.goto(f"/projects/{project.public_id}/datasets")
    assert_accessible(page)
    page.get_by_label("Name").fill("Refund requests")
    page.get_by_role("button", name="Create dataset").click()
    expect(page.get_by_role("heading", name="Refund requests")).to_be_visible()
    page.get_by_role("link", name="Import a file").click()
    bad, good = tmp_path / "bad.csv", tmp_path / "good.csv"
    bad.write_text("question,answer\n,Yes\n", encoding="utf-8")
    good.write_text(CSV, encoding="utf-8")
    page.get_by_label("File", exact=True).set_input_files(bad)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("nothing can be imported")).to_be_visible()
    expect(page.get_by_role("button", name="Import 1")).to_have_count(0)
    assert_accessible(page)
    page.get_by_label("File", exact=True).set_input_files(good)
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_role("button", name="Import 2 items")).to_be_visible()
    page.get_by_label("answer").select_option("metadata.answer")
    page.get_by_role("button", name="Preview again").click()
    expect(page.get_by_text('{"answer": "Yes", "kind": "question"}')).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Import 2 items").click()
    expect(page.get_by_text("Imported 2 rows: 2 added.")).to_be_visible()
    assert DatasetItem.objects.get(key="q1").metadata == {"answer": "Yes", "kind": "question"}


def test_items_are_found_and_one_is_mended(
    editor_page: Page, dataset: Dataset, assert_accessible: Callable[[Page], None]
) -> None:
    page = editor_page
    page.goto(f"/datasets/{dataset.public_id}")
    assert_accessible(page)
    page.get_by_role("link", name="refund", exact=True).click()
    expect(page).to_have_url(f"/datasets/{dataset.public_id}?kind=refund")
    page.wait_for_load_state("load")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What the agent is sent")).to_be_visible()
    assert_accessible(page)
    page.get_by_role("button", name="Add message").click()
    page.get_by_label("Text of message 2").fill("Which order?")
    page.get_by_label("Metadata").fill("{")
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("This is not valid JSON")).to_be_visible()
    assert_accessible(page)
    page.get_by_label("Metadata").fill('{"kind": "question"}')
    page.get_by_role("button", name="Save", exact=True).last.click()
    expect(page.get_by_text("Saved. What it was before")).to_be_visible()
    page.get_by_role("navigation", name="Views of the item").get_by_role("link", name="History").click()
    expect(page.locator("ins").first).to_contain_text("Which order?")
    assert_accessible(page)


def test_leaving_with_unsaved_words_is_asked_about(editor_page: Page, dataset: Dataset) -> None:
    page, asked = editor_page, []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leave)
    page.goto(f"/datasets/{dataset.public_id}/items/new")
    page.get_by_label("Text of message 1").fill("Hello")
    page.get_by_role("link", name="cases").click()
    expect(page.get_by_role("heading", name="cases")).to_be_visible()
    assert asked == ["beforeunload"]


def test_deleting_an_item_asks_first(editor_page: Page, dataset: Dataset) -> None:
    page = editor_page
    item = DatasetItem.objects.get(key="r1")
    page.goto(f"/datasets/{dataset.public_id}/items/{item.public_id}")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Cancel").last.click()
    assert DatasetItem.objects.count() == 3
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete item").click()
    expect(page.get_by_text("Deleted the item.")).to_be_visible()
    assert DatasetItem.objects.count() == 2


def test_everything_works_without_scripts(page_for: PageFor, editor: User, dataset: Dataset, tmp_path: Path) -> None:
    page = page_for(editor, java_script_enabled=False)
    file = tmp_path / "good.csv"
    file.write_text(CSV, encoding="utf-8")
    page.goto(f"/datasets/{dataset.public_id}/import")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_text("Change items by key, add the others").click()
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Import 2 items").click()
    expect(page.get_by_text("Imported 2 rows: 1 added, 1 changed.")).to_be_visible()
    page.goto(f"/datasets/{dataset.public_id}/items/new")
    page.get_by_label("Text of message 1").fill("Hello")
    page.get_by_role("button", name="Add message").click()
    page.get_by_label("Text of message 2").fill("How can I help?")
    page.get_by_role("button", name="Add item").click()
    expect(page.get_by_role("heading", name="Hello")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1440])
def test_no_page_is_wider_than_the_window(editor_page: Page, dataset: Dataset, width: int) -> None:
    item = DatasetItem.objects.get(key="r1")
    DatasetItem.objects.filter(pk=item.pk).update(metadata={"kind": "k" * 300})
    editor_page.set_viewport_size({"width": width, "height": 900})
    base = f"/datasets/{dataset.public_id}"
    for address in (base, f"{base}/edit", f"{base}/import", f"{base}/items/new", f"{base}/items/{item.public_id}"):
        editor_page.goto(address)
        assert editor_page.evaluate("document.documentElement.scrollWidth") <= width, address
