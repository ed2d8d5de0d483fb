"""The Reviewer's day in a real browser: find what failed, read why, score it again, take it along."""

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from tests.browser.conftest import PageFor
from tests.people import ApiKeyFor, bearer

pytestmark = pytest.mark.browser
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><svg onload=alert(3)> {{ 7|add:7 }} \u202eRTL"
LONG_NAME = "Answers that name the order, the amount and the date in the customer's own words " * 3
GOOD = "Verified by tests. " + "word " * 50

Evaluate = Callable[..., str]


@pytest.fixture
def evaluate(reviewer_page: Page, reviewer: User, api_key_for: ApiKeyFor, server: str) -> Evaluate:
    """Evaluates through the API, as an agent's harness does; gives the evaluation's id."""
    headers = bearer(api_key_for(reviewer))

    def send(**body: Any) -> str:
        data = {"profileId": "code-quality", "output": GOOD} | body
        answer = reviewer_page.request.post(
            f"{server}/api/scoring/evaluate",
            data=json.dumps(data),
            headers={**headers, "Content-Type": "application/json"},
        )
        assert answer.status == 201, answer.text()
        return str(answer.json()["id"])

    return send


@pytest.fixture
def profile_with(owner: User, api_key_for: ApiKeyFor, reviewer_page: Page, server: str) -> Callable[..., str]:
    """Makes a profile through the API; gives its id."""
    headers = {**bearer(api_key_for(owner)), "Content-Type": "application/json"}

    def make(*scorers: dict[str, Any], **head: Any) -> str:
        body = {"name": "Ours", "scorers": list(scorers), **head}
        answer = reviewer_page.request.post(f"{server}/api/scoring/profiles", data=json.dumps(body), headers=headers)
        assert answer.status == 201, answer.text()
        return str(answer.json()["id"])

    return make


def charts_drawn(page: Page) -> None:
    expect(page.locator("figure[data-chart] .main-svg").first).to_be_visible(timeout=15_000)


def test_the_reviewers_story(
    reviewer_page: Page, evaluate: Evaluate, assert_accessible: Callable[[Page], None]
) -> None:
    page = reviewer_page
    for agent in ("coder", "writer"):
        evaluate(agent=agent)
    failed = evaluate(agent="coder", output="🎉 TODO: the lint", action="Fix the parser")

    page.goto("/history")
    expect(page.get_by_role("heading", name="History", level=1)).to_be_visible()
    expect(page.locator("tbody [data-row]")).to_have_count(3)
    charts_drawn(page)
    assert_accessible(page)

    page.get_by_label("Agent").fill("coder")
    page.get_by_label("Text", exact=True).fill("todo")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page).to_have_url(re.compile(r"/history\?(q=todo&agent=coder|agent=coder&q=todo)$"))
    expect(page.get_by_text("Agent: coder", exact=True)).to_be_visible()
    expect(page.locator("tbody [data-row]")).to_have_count(1)

    page.locator("a.row-link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"0\.350\s+failed"))
    opened = page.locator("details.breakdown-row[open]")
    expect(opened).to_have_count(1)
    page.locator("#scorer-avoids-todo > summary").click()
    expect(page.locator("#scorer-avoids-todo mark")).to_have_text("TODO")
    expect(page).to_have_url(re.compile("#scorer-avoids-todo$"))
    assert_accessible(page)

    page.get_by_label("Profile", exact=True).select_option("task-efficiency")
    page.get_by_role("button", name="Re-score", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Scored again with Task Efficiency: 0.350 → 0.000.")
    assert failed not in page.url
    again = page.get_by_role("region", name="Scores of the same answer")
    expect(again.get_by_role("row")).to_have_count(3)
    again.get_by_role("link").click()
    assert failed in page.url

    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="History").click()
    expect(page.locator("tbody [data-row]")).to_have_count(4)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(rows) == 4
    assert {row["profileId"] for row in rows} == {"code-quality", "task-efficiency"}
    assert re.fullmatch(r"plumbline-history-[\d-]{10}\.csv", download.value.suggested_filename)


def test_hostile_outputs_are_read_and_never_run(
    reviewer_page: Page, evaluate: Evaluate, profile_with: Callable[..., str], assert_accessible: Callable[[Page], None]
) -> None:
    page = reviewer_page
    profile = profile_with(
        {"id": "k", "name": HOSTILE, "type": "KeywordContains", "keywords": [HOSTILE, "absent"], "matchMode": "all"},
        {"id": "n", "name": LONG_NAME[:250], "type": "NumericRange", "valuePath": "metadata.n", "min": 1, "weight": 0},
        name=HOSTILE,
    )
    evaluation = evaluate(
        profileId=profile,
        output=f"{HOSTILE}\n{LONG_NAME}",
        action=HOSTILE,
        agent=HOSTILE[:128],
        taskId=HOSTILE[:128],
        metadata={HOSTILE: [HOSTILE]},
        expected=HOSTILE,
    )
    for address in ("/history", f"/history?profileId={profile}&charts=1", f"/history/{evaluation}"):
        page.goto(address)
        if "eval_" not in address:
            charts_drawn(page)
        expect(page.locator("main td, main .text").filter(has_text="onerror=alert(1)").first).to_be_visible()
        assert page.locator("img, svg[onload], main script:not([type='application/json'])").count() == 0
        assert_accessible(page)
    page.locator("#scorer-k > summary").click()
    assert page.locator("mark").first.text_content() == HOSTILE
    page.goto(f"/history/{evaluation}/text/output")
    expect(page.locator("main .text")).to_contain_text("onload=alert(3)")


def test_charts_follow_the_theme_and_hold_their_numbers_as_a_table(reviewer_page: Page, evaluate: Evaluate) -> None:
    page = reviewer_page
    for output in (GOOD, "TODO", GOOD):
        evaluate(output=output, agent="a")
    page.goto("/history")
    charts_drawn(page)
    expect(page.locator("figure[data-chart] .main-svg").nth(6)).to_be_attached()
    expect(page.get_by_text("3 of 3 scored", exact=True)).to_be_visible()
    figure = page.locator("#score-by-scorer")
    figure.get_by_text("Data").first.click()
    row = figure.get_by_role("row", name=re.compile("Leaves no TODO"))
    expect(row).to_contain_text("0.667")
    bars = page.locator("#score-distribution .bars path").first
    light = bars.evaluate("bar => getComputedStyle(bar).fill")
    page.get_by_role("button", name="Dark theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.wait_for_function(
        "light => getComputedStyle(document.querySelector('#score-distribution .bars path')).fill !== light", arg=light
    )
    with page.expect_download() as download:
        page.locator("#score-over-time").get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == "score-over-time.png"


def test_the_keyboard_walks_through_the_failures(reviewer_page: Page, evaluate: Evaluate) -> None:
    page = reviewer_page
    first = evaluate(output="TODO one")
    evaluate(output=GOOD)
    second = evaluate(output="TODO two")

    def press(*keys: str, then: str) -> None:
        for key in keys:
            page.keyboard.press(key)
        expect(page).to_have_url(re.compile(then))
        page.wait_for_load_state()  # the address is there before the script that listens

    page.goto("/history")
    press("f", then="passed=false")
    press("j", "j", "Enter", then=f"/history/{first}")
    press("[", then=f"/history/{second}")
    press("]", then=f"/history/{first}")


def test_a_long_output_is_fetched_when_it_is_asked_for(reviewer_page: Page, evaluate: Evaluate) -> None:
    page = reviewer_page
    evaluation = evaluate(output="Donaudampfschiff 🎉 " * 4_900 + "THE END", agent="a" * 128)
    page.goto(f"/history/{evaluation}")
    expect(page.get_by_text("more characters")).to_be_visible()
    assert "THE END" not in page.content()
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_text("THE END")).to_be_attached()
    expect(page).to_have_url(re.compile(f"/history/{evaluation}$"))


def test_a_wrong_filter_is_told_at_its_field(
    reviewer_page: Page, evaluate: Evaluate, assert_accessible: Callable[[Page], None]
) -> None:
    evaluate()
    page = reviewer_page
    page.goto("/history?minScore=7&q=tests")
    field = page.get_by_label("Score from")
    expect(field).to_be_visible()
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("Must be a number from 0 to 1.")).to_be_visible()
    assert_accessible(page)
    field.fill("0.7")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator("tbody [data-row]")).to_have_count(1)


def test_without_script_everything_can_still_be_read(
    reviewer: User, page_for: PageFor, evaluate: Evaluate, reviewer_page: Page
) -> None:
    evaluation = evaluate(output="tests " * 2_000 + "THE END", agent="a")
    evaluate(agent="b")
    page = page_for(reviewer, java_script_enabled=False)
    page.goto("/history")
    page.locator("#filter-agent").fill("a")
    page.get_by_role("button", name="Filter", exact=True).click()
    assert page.locator("tbody [data-row]").count() == 1
    page.get_by_role("link", name="Show charts").click()
    assert page.locator("#score-over-time table").count() == 1
    page.locator("a.row-link").click()
    assert evaluation in page.url
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_text("THE END")).to_be_attached()


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_makes_the_page_scroll_sideways(
    width: int, reviewer: User, page_for: PageFor, evaluate: Evaluate, assert_accessible: Callable[[Page], None]
) -> None:
    evaluation = evaluate(
        output="x" * 5_000, action="y" * 2_000, agent="a" * 128, taskId="t" * 128, metadata={"k" * 100: "v" * 5_000}
    )
    page = page_for(reviewer, viewport={"width": width, "height": 800})
    for address in (
        "/history",
        f"/history?agent={'a' * 128}&minScore=5",
        f"/history/{evaluation}",
        f"/history/{evaluation}/text/output",
    ):
        page.goto(address)
        if address == "/history":
            charts_drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert_accessible(page)
