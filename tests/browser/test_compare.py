"""The lead's question in a real browser: is the newest run better, where, and which items say so."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.actors import Role
from accounts.models import Project, User
from evaluations.models import Eval
from tests.browser.conftest import PageFor
from tests.evaluations.cases import PASSES, dataset_of, eval_of, member
from tests.evaluations.web.comparisons import WORDS, completed, labelled

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"' {{ 7|add:7 }} \u202eRTL"
COUNT = 36


@pytest.fixture
def compared(server: str, viewer: User) -> Eval:
    """An eval whose newest run lost one kind, with hostile names wherever somebody may type one."""
    project = Project.objects.create(name=HOSTILE)
    member(project, viewer, Role.VIEWER)
    items = labelled(COUNT, input=f"May I have my money back? {HOSTILE}")
    for item in items[1::3]:
        item["metadata"] = {"kind": HOSTILE * 2}
    row = eval_of(
        project, dataset_of(project, *items), PASSES, WORDS, name=HOSTILE, pass_threshold=0.5, group_by="kind"
    )
    completed(row, [f"yes, {HOSTILE} of course we refund order {number} today" for number in range(COUNT)])
    answers = [f"yes, {HOSTILE} of course we refund order {number} tomorrow, not today" for number in range(COUNT)]
    answers[0:27:3] = [f"no, {HOSTILE} we never refund anything ({number})" for number in range(0, 27, 3)]
    completed(row, [*answers[:-1], None], name=HOSTILE)
    return row


def test_the_leads_question(
    page_for: PageFor, viewer: User, compared: Eval, assert_accessible: Callable[..., None]
) -> None:
    page = page_for(viewer)
    page.goto(f"/evals/{compared.public_id}/compare")
    expect(page).to_have_url(re.compile(r"/compare\?run=evrun_\w+&baseline=evrun_\w+$"))
    expect(page.locator(".lede")).to_contain_text("refund is worse")
    expect(page.locator("figure[data-chart] .main-svg").first).to_be_visible(timeout=15_000)
    expect(page.get_by_role("heading", name="How far scores moved")).to_be_visible()
    assert_accessible(page)

    page.locator(".flip summary").first.focus()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    second = page.locator(".flip").nth(1)
    expect(second.locator("del").first).to_be_visible()
    expect(second.locator("ins").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"#flip-evres_\w+$"))
    page.keyboard.press("k")
    expect(page.locator(".flip summary").first).to_be_focused()
    assert_accessible(page)

    page.get_by_role("link", name="refund", exact=True).click()
    expect(page.get_by_role("heading", name="Item by item: refund")).to_be_visible()
    page.get_by_role("navigation", name="Kinds of change").get_by_text("Changed text").click()
    expect(page).to_have_url(re.compile(r"kind=refund&tab=reworded"))


def test_it_reads_and_submits_without_a_script(page_for: PageFor, viewer: User, compared: Eval) -> None:
    page = page_for(viewer, java_script_enabled=False)
    page.goto(f"/evals/{compared.public_id}/compare")
    page.locator(".flip").nth(2).locator("summary").click()
    page.locator(".flip").nth(2).get_by_role("link", name="Show both answers").click()
    expect(page.locator(".flip").nth(2).locator("del").first).to_be_visible()
    page.get_by_role("link", name="Show how far scores moved").click()
    expect(page.get_by_role("heading", name="How far scores moved")).to_be_visible()
    page.get_by_role("link", name="Swap the runs").click()
    expect(page.locator(".lede")).to_contain_text("refund is better")
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.locator(".lede")).to_contain_text("refund is better")


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_is_wider_than_the_window(page_for: PageFor, viewer: User, compared: Eval, width: int) -> None:
    page: Page = page_for(viewer, viewport={"width": width, "height": 900})
    page.goto(f"/evals/{compared.public_id}/compare")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
