"""The check before anything is spent, in a real browser: what it finds, where it leads, and when it is out of date."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.actors import COMMAND_LINE
from accounts.models import User
from scoring.evaluate_bodies import EvaluateBody
from scoring.queries.profiles import profile_at
from scoring.services.evaluations import evaluation_create
from scoring.services.profiles import profile_create
from tests.browser.conftest import PageFor

pytestmark = pytest.mark.browser
FIXED = {"id": "fixed", "name": "Says what was fixed", "type": "Contains", "value": "fixed"}
TODO = {"id": "todo", "name": "No TODO", "type": "RegexMatch", "pattern": "TODO", "invert": True}
ALIKE = {"id": "alike", "name": "The word fixed", "type": "KeywordContains", "keywords": ["fixed"]}
FAST = {"id": "fast", "name": "Fast enough", "type": "Latency"}
PRECISE = {"id": "precise", "name": "Right chunks first", "type": "PrecisionAtK", "k": 5}


def made(*scorers: dict[str, Any]) -> str:
    return str(profile_create(actor=COMMAND_LINE, body={"name": "Support", "scorers": list(scorers)}).row.pk)


def evaluated(profile_id: str, *outputs: str, **given: Any) -> None:
    for output in outputs:
        evaluation_create(actor=COMMAND_LINE, body=EvaluateBody(profile_id=profile_id, output=output, **given))


def check(page: Page) -> None:
    """Press the button and wait for the answer to it."""
    with page.expect_response(lambda response: response.url.endswith("/lint")):
        page.get_by_role("button", name="Check it").click()
    expect(page.locator(".htmx-request")).to_have_count(0)


def test_what_it_finds_is_mended(editor_page: Page) -> None:
    page, profile_id = editor_page, made(FIXED, TODO, FAST)
    evaluated(profile_id, "fixed it", "TODO", "nothing")
    page.goto(f"/profiles/{profile_id}")
    result = page.locator("#lint-result")
    expect(result).to_have_text(re.compile(r"^\s*$"))
    check(page)
    expect(result).to_contain_text("Without a limit it only measures.")
    expect(result).to_contain_text("could measure none of 3 samples")

    # Its name leads to its card; a change to the form says that what was found is about the profile before.
    result.get_by_role("link", name="Fast enough").first.click()
    expect(page).to_have_url(re.compile("#card-2$"))
    assert page.locator("#card-2").evaluate("card => card.getBoundingClientRect().top < innerHeight")
    stale = "() => getComputedStyle(document.getElementById('lint-result'), '::before').content"
    assert page.evaluate(stale) == "none"
    page.get_by_label("Name", exact=True).first.fill("Help desk")
    assert "Changed since" in page.evaluate(stale)

    # Without the scorer at fault nothing is left, and nothing was saved.
    page.get_by_role("button", name="Remove Fast enough").click()
    expect(page.locator("#card-2")).to_have_count(0)
    check(page)
    expect(result).to_contain_text("each of the 2 scorers both passed and failed at least once in 3 samples")
    assert page.evaluate(stale) == "none"
    assert profile_at(profile_id).row.version == 1
    expect(page.get_by_label("Name", exact=True).first).to_have_value("Help desk")


def test_the_proof_goes_on_while_it_checks(editor_page: Page) -> None:
    page, profile_id = editor_page, made(FIXED)
    page.goto(f"/profiles/{profile_id}")
    page.locator("label", has_text="A text").click()
    page.get_by_role("textbox", name="Output").fill("fixed it")
    expect(page.locator(".proof-verdict")).to_contain_text("1.000")
    check(page)
    expect(page.locator("#lint-result")).to_contain_text("What a scorer really does shows in 2 samples.")
    expect(page.locator(".proof-verdict")).to_contain_text("1.000")
    page.get_by_role("textbox", name="Output").fill("nothing")
    expect(page.locator(".proof-verdict")).to_contain_text("0.000")


def test_without_javascript(page_for: PageFor, editor: User) -> None:
    page, profile_id = page_for(editor, java_script_enabled=False), made(FIXED, ALIKE)
    evaluated(profile_id, "fixed", "nothing")
    page.goto(f"/profiles/{profile_id}")
    page.get_by_label("Name", exact=True).first.fill("Help desk")
    page.get_by_role("button", name="Check it").click()
    told = "It gave the same score as “Says what was fixed” on both samples."
    expect(page.locator("#lint-result")).to_contain_text(told)
    expect(page.get_by_label("Name", exact=True).first).to_have_value("Help desk")
    page.get_by_role("button", name="Save", exact=True).click()
    assert profile_at(profile_id).content.name == "Help desk"


@pytest.mark.parametrize("width", [1440, 390])
def test_it_is_accessible(
    page_for: PageFor, editor: User, viewer: User, assert_accessible: Callable[[Page], None], width: int
) -> None:
    profile_id = made(FIXED, TODO, ALIKE, FAST, PRECISE)
    truth = {"expected": {"chunks": ["a"]}, "observation": {"retrieval": {"chunks": [{"id": "a"}]}}}
    evaluated(profile_id, "fixed", "TODO", "x", **truth)
    for person in (editor, viewer):
        page = page_for(person, viewport={"width": width, "height": 900})
        page.goto(f"/profiles/{profile_id}")
        check(page)
        expect(page.locator("#lint-result")).to_contain_text("Of 5 places at most 1 can hold a relevant chunk.")
        page.get_by_text("What these mean").click()
        expect(page.get_by_text("malformed, or no answer could meet it")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert_accessible(page)
