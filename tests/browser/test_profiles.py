"""The Editor's pages in a real browser: what somebody does from the first profile to the second version."""

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
from scoring.services.profiles import profile_create, profile_update

pytestmark = pytest.mark.browser
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"
REGEX = {"id": "todo", "name": "No TODO", "type": "RegexMatch", "pattern": "TODO", "invert": True}
KEYWORDS = {"id": "words", "type": "KeywordContains", "keywords": ["fixed", "added"], "weight": 0.5}


def made(*scorers: dict[str, Any], name: str = "Support") -> str:
    body = {"name": name, "scorers": list(scorers or (REGEX, KEYWORDS))}
    return str(profile_create(actor=COMMAND_LINE, body=body).row.pk)


def saved(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def answered(page: Page, act: Callable[[], Any]) -> None:
    """Press a button that changes the form, and wait for the server's answer to it to be on the page."""
    with page.expect_response(lambda response: "act=check" not in (response.request.post_data or "act=check")):
        act()
    expect(page.locator(".htmx-request")).to_have_count(0)


def test_a_first_profile_from_nothing_to_its_second_version(editor_page: Page) -> None:
    page = editor_page
    page.goto("/profiles")
    page.get_by_role("link", name="New profile").click()
    expect(page.get_by_text("A profile needs at least one scorer.")).to_be_visible()
    page.get_by_label("Name").fill("No open ends")

    # Find a scorer and add it: its first field has the focus, and no error is shown for what is not filled in yet.
    page.get_by_label("Find").fill("regular expression")
    expect(page.get_by_role("button", name=re.compile("^NumericRange"))).to_be_hidden()
    page.get_by_role("button", name=re.compile("^RegexMatch")).click()
    pattern = page.get_by_label("Pattern")
    expect(pattern).to_be_focused()
    expect(page.locator(".field-error")).to_have_count(0)

    # Break the pattern: the error appears at its field while the focus stays.
    pattern.press_sequentially("TODO(")
    error = page.locator("#scorers-0-pattern-error")
    expect(error).to_contain_text("Invalid regular expression")
    expect(pattern).to_be_focused()
    expect(pattern).to_have_value("TODO(")
    expect(pattern).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#proof-result")).to_contain_text("No proof yet")

    # Mend it: the error goes, and the proof follows what is typed.
    page.locator("label", has_text="A text").click()
    page.get_by_role("textbox", name="Output").fill("Two TODOs are left.")
    pattern.press("End")
    pattern.press("Backspace")
    expect(error).to_have_count(0)
    expect(pattern).not_to_have_attribute("aria-invalid", "true")
    verdict = page.locator(".proof-verdict")
    expect(verdict).to_contain_text("1.000")
    expect(page.locator("#proof-result mark")).to_have_text("TODO")
    page.get_by_label("Invert").check()
    expect(verdict).to_contain_text("0.000")
    expect(verdict).to_contain_text("failed")
    page.get_by_role("textbox", name="Output").fill("Nothing is left.")
    expect(verdict).to_contain_text("passed")

    page.get_by_role("button", name="Create profile").click()
    expect(page.locator(".toast")).to_contain_text("Created “No open ends”.")

    # A second version, told in words before and after it is saved.
    page.get_by_label("Pattern").fill("TODO|FIXME")
    expect(page.locator("#save-bar-changes")).to_contain_text("pattern “TODO” → “TODO|FIXME”")
    saved(page)
    expect(page.locator(".toast")).to_contain_text("Saved version 2:")
    page.reload()
    expect(page.locator(".lede")).to_contain_text("Version 2")
    expect(page.get_by_label("Pattern")).to_have_value("TODO|FIXME")
    page.get_by_role("link", name="Versions").click()
    expect(page.get_by_text("pattern “TODO” → “TODO|FIXME”")).to_be_visible()


def test_a_built_in_offers_a_copy_and_nothing_to_delete(owner_page: Page) -> None:
    page = owner_page
    page.goto("/profiles")
    page.get_by_role("link", name="Code Quality").click()
    expect(page.get_by_role("button", name=re.compile("delete|save|remove", re.IGNORECASE))).to_have_count(0)
    expect(page.get_by_role("textbox", name="Pattern")).to_have_count(0)
    page.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Code Quality (copy)")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete profile").click()
    expect(page.locator(".toast")).to_contain_text("Deleted “Code Quality (copy)”.")
    expect(page.get_by_role("link", name="Code Quality (copy)")).to_have_count(0)


def test_cards_are_moved_copied_and_removed_by_keyboard(editor_page: Page) -> None:
    page, profile_id = editor_page, made(REGEX, KEYWORDS)
    page.goto(f"/profiles/{profile_id}")
    titles = page.locator(".scorer-card h3")
    page.get_by_label("Pattern").fill("typed and not saved")
    down = page.get_by_role("button", name="Move down No TODO")
    down.focus()
    answered(page, lambda: page.keyboard.press("Enter"))
    expect(titles).to_have_text(["words", "No TODO"])
    expect(page.get_by_label("Pattern")).to_have_value("typed and not saved")
    up = page.get_by_role("button", name="Move up No TODO")
    up.focus()
    answered(page, lambda: page.keyboard.press("Enter"))
    expect(titles).to_have_text(["No TODO", "words"])

    page.get_by_role("button", name="Duplicate words").focus()
    answered(page, lambda: page.keyboard.press("Enter"))
    expect(titles).to_have_text(["No TODO", "words", "words (copy)"])
    page.get_by_role("button", name="Remove words (copy)").focus()
    answered(page, lambda: page.keyboard.press("Enter"))
    expect(titles).to_have_text(["No TODO", "words"])
    expect(page.get_by_role("button", name="Remove words")).to_be_focused()

    page.locator("#add-scorer-summary").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Find").press_sequentially("lies within a range")
    page.keyboard.press("Tab")
    answered(page, lambda: page.keyboard.press("Enter"))
    expect(page.get_by_label("Number at")).to_be_focused()
    expect(page.locator("#save-bar-changes")).to_contain_text("Fill in the new scorer.")


def test_segments_keep_their_choice_when_cards_change_places(editor_page: Page) -> None:
    page, profile_id = editor_page, made({**REGEX, "target": "combined"}, {**KEYWORDS, "target": "action"})
    page.goto(f"/profiles/{profile_id}")
    answered(page, page.get_by_role("button", name="Move down No TODO").click)
    expect(page.locator("#card-0 input[value=combined]")).to_be_checked()
    expect(page.locator("#card-1 input[value=action]")).to_be_checked()
    saved(page)
    expect(page.locator(".toast")).to_contain_text("Saved version 2: scorers put in another order.")


def test_weights_show_their_shares_while_typing(editor_page: Page) -> None:
    page = editor_page
    page.goto(f"/profiles/{made()}")
    shares = page.locator("[data-share-words]")
    expect(shares).to_have_text(["66.7\u00a0%", "33.3\u00a0%"])
    page.get_by_role("spinbutton", name="No TODO").fill("1.5")
    expect(shares).to_have_text(["75.0\u00a0%", "25.0\u00a0%"])
    page.get_by_role("spinbutton", name="words").fill("0")
    expect(shares).to_have_text(["100.0\u00a0%", "report only"])
    width = page.locator("[data-share-bar]").first.get_attribute("width")
    assert width == "100.00%"


def test_stored_evaluations_flip_in_the_proof(editor_page: Page) -> None:
    page, profile_id = editor_page, made()
    for output in ("fixed", "added", "nothing TODO"):
        evaluation_create(actor=COMMAND_LINE, body=EvaluateBody(profile_id=profile_id, output=output))
    page.goto(f"/profiles/{profile_id}")
    proof = page.locator("#proof-result")
    expect(proof).to_contain_text("None of 3 verdicts flip")
    page.get_by_label("Pattern").fill("d")
    expect(proof).to_contain_text("3 of 3 verdicts flip; mean 0.667 → 0.444 over 3 scored.")


def test_leaving_with_changes_asks(editor_page: Page) -> None:
    page, profile_id = editor_page, made()
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.goto(f"/profiles/{profile_id}")
    page.locator("label", has_text="A text").click()
    page.get_by_role("textbox", name="Output").fill("what is tried is no change of the profile")
    page.locator("#card-0-summary").click()
    page.get_by_role("link", name="Versions").click()
    page.wait_for_url("**/versions")
    assert asked == []
    page.go_back()
    page.get_by_label("Name").first.fill("Changed")
    page.get_by_role("link", name="Versions").click()
    page.wait_for_timeout(300)
    assert asked == ["beforeunload"]
    assert page.url.endswith(profile_id)
    expect(page.get_by_label("Name").first).to_have_value("Changed")


def test_two_people_save_and_the_second_sees_both(editor_page: Page) -> None:
    page, profile_id = editor_page, made()
    page.goto(f"/profiles/{profile_id}")
    profile_update(actor=COMMAND_LINE, profile_id=profile_id, body={"passThreshold": 0.9})
    page.get_by_label("Name").first.fill("Mine")
    saved(page)
    conflict = page.locator(".conflict")
    expect(conflict).to_contain_text("Somebody saved version 2 meanwhile")
    expect(conflict).to_contain_text("threshold 0.5 → 0.9")
    expect(conflict).to_contain_text("name “Support” → “Mine”")
    expect(page.get_by_label("Name").first).to_have_value("Mine")
    page.get_by_role("button", name="Save mine on top").click()
    expect(page.locator(".toast")).to_contain_text("Saved version 3:")
    assert profile_at(profile_id).content.pass_threshold == 0.5


def test_json_is_an_equal_way(editor_page: Page) -> None:
    page, profile_id = editor_page, made()
    page.goto(f"/profiles/{profile_id}")
    page.get_by_label("Name").first.fill("In between")
    answered(page, page.get_by_role("button", name="JSON", exact=True).click)
    text = page.get_by_label("The profile as JSON")
    expect(text).to_have_value(re.compile("In between"))
    assert page.url.endswith("?view=json")
    document = text.input_value()
    text.fill(document.replace('"TODO"', '"("'))
    expect(page.locator("#document-error")).to_contain_text("Invalid regular expression")
    text.fill(document.replace('"TODO"', '"FIXME"'))
    expect(page.locator("#save-bar-changes")).to_contain_text("pattern “TODO” → “FIXME”")
    answered(page, page.get_by_role("button", name="Profile", exact=True).click)
    expect(page.get_by_label("Pattern")).to_have_value("FIXME")
    saved(page)
    expect(page.locator(".toast")).to_contain_text("Saved version 2:")


def test_an_answer_is_tried_and_stored(page_for: Callable[..., Page], reviewer: User) -> None:
    page, profile_id = page_for(reviewer), made()
    page.goto(f"/profiles/{profile_id}/try")
    page.get_by_role("textbox", name="Output").fill("added, but TODO")
    expect(page.locator("#try-result")).to_contain_text("/TODO/ was found in the output")
    page.locator("#try-more > summary").click()
    page.get_by_label("Metadata").fill("{bad")
    expect(page.locator("#metadata-error")).to_contain_text("not valid JSON")
    page.get_by_label("Metadata").fill('{"tokens": 3}')
    expect(page.locator("#metadata-error")).to_have_count(0)
    page.get_by_role("button", name="Save evaluation").click()
    page.wait_for_url("**/history/eval_*")


def test_without_script_everything_still_works(page_for: Callable[..., Page], editor: User) -> None:
    page = page_for(editor, java_script_enabled=False)
    page.goto("/profiles/new")
    page.get_by_label("Name").fill("Plain")
    page.get_by_role("button", name=re.compile("^Contains")).click()
    page.get_by_label("Text", exact=True).fill("fixed")
    page.get_by_role("button", name="Score").click()
    expect(page.get_by_label("Text", exact=True)).to_have_value("fixed")
    page.get_by_role("button", name="Create profile").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Plain")


def test_hostile_text_and_many_scorers_are_accessible(
    editor_page: Page, assert_accessible: Callable[[Page], None]
) -> None:
    page = editor_page
    many = [{**KEYWORDS, "id": f"s{number}", "name": HOSTILE} for number in range(8)]
    profile_id = made({**REGEX, "name": HOSTILE * 3, "pattern": "script"}, *many, name=HOSTILE * 4)
    for address in ("", "?view=json", "/versions", "/difference", "/try"):
        page.goto(f"/profiles/{profile_id}{address}")
        assert_accessible(page)


@pytest.mark.parametrize(
    "address",
    [
        "/profiles",
        "/profiles?q=nothing",
        "/profiles/new",
        "/profiles/import",
        "/profiles/code-quality",
        "/profiles/code-quality/versions/1",
    ],
)
def test_pages_are_accessible(address: str, editor_page: Page, assert_accessible: Callable[[Page], None]) -> None:
    editor_page.goto(address)
    assert_accessible(editor_page)


@pytest.mark.parametrize("state", ["refused", "conflict", "proof", "tried"])
def test_states_are_accessible(state: str, editor_page: Page, assert_accessible: Callable[[Page], None]) -> None:
    page, profile_id = editor_page, made()
    page.goto(f"/profiles/{profile_id}{'/try' if state == 'tried' else ''}")
    if state == "refused":
        page.get_by_label("Pattern").fill("(")
        expect(page.locator("#scorers-0-pattern-error")).to_be_visible()
    elif state == "conflict":
        profile_update(actor=COMMAND_LINE, profile_id=profile_id, body={"passThreshold": 0.9})
        page.get_by_label("Name").first.fill("Mine")
        saved(page)
        expect(page.locator(".conflict")).to_be_visible()
    elif state == "proof":
        page.locator("label", has_text="A text").click()
        page.get_by_role("textbox", name="Output").fill("fixed TODO")
        expect(page.locator(".proof-verdict")).to_be_visible()
    else:
        page.get_by_role("textbox", name="Output").fill("fixed TODO")
        expect(page.locator("#try-result .breakdown")).to_be_visible()
    assert_accessible(page)


def test_a_phone_shows_everything_without_scrolling_sideways(page_for: Callable[..., Page], editor: User) -> None:
    profile_id = made({**REGEX, "name": "A very long name " * 10}, KEYWORDS, name="Unbroken" * 25)
    page = page_for(editor, viewport={"width": 390, "height": 844})
    for address in (
        "/profiles",
        f"/profiles/{profile_id}",
        f"/profiles/{profile_id}/versions",
        "/profiles/code-quality",
        f"/profiles/{profile_id}/try",
    ):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
    page.goto(f"/profiles/{profile_id}")
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_in_viewport()
