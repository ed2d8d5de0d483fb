"""Try it in a real browser: the observation filled in by hand, scored while somebody types, and stored."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.actors import COMMAND_LINE
from accounts.models import User
from scoring.models import Evaluation
from scoring.services.profiles import profile_create

pytestmark = pytest.mark.browser
DESK = (
    {"id": "state", "name": "State change", "type": "StateChange"},
    {"id": "calls", "name": "Tool calls", "type": "ToolCallCount"},
)
BEFORE = {"tickets": {"t1": {"status": "open", "owner": "ann"}}}
AFTER = {"tickets": {"t1": {"status": "closed", "owner": "ann"}}}


def made(*scorers: dict[str, Any], name: str = "Help desk") -> str:
    return str(profile_create(actor=COMMAND_LINE, body={"name": name, "scorers": list(scorers or DESK)}).row.pk)


def pressed(page: Page, name: str) -> None:
    """Press a button of the form, and wait for what it changes to be on the page."""
    with page.expect_response(lambda response: "act=check" not in (response.request.post_data or "act=check")):
        page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator(".htmx-request")).to_have_count(0)


def call(page: Page, row: int, tool: str, arguments: str, result: str) -> None:
    if row > 1:
        pressed(page, "Add call")
        expect(page.get_by_label(f"Call {row}: Tool")).to_be_focused()
    page.get_by_label(f"Call {row}: Tool").fill(tool)
    page.get_by_label(f"Call {row}: Arguments").fill(arguments)
    page.get_by_label(f"Call {row}: Result").fill(result)


def change(page: Page, kind: str, **typed: str) -> None:
    for label, text in typed.items():
        page.get_by_label(f"{kind.capitalize()} 1: {label}", exact=False).first.fill(text)


def test_a_help_desk_attempt_is_filled_in_scored_and_stored(reviewer_page: Page) -> None:
    page = reviewer_page
    page.goto(f"/profiles/{made()}/try")
    expect(page.locator("#try-form")).to_contain_text(
        "This profile reads: tool calls, state task, state before and after."
    )
    expect(page.get_by_label("Output", exact=True)).to_be_hidden()

    call(page, 1, "update_ticket", '{"id": "t1", "status": "closed"}', '{"ok": true}')
    change(page, "required change", Entity="tickets", Id="t1", Field="status", Value="closed")
    change(page, "allowed change", Entity="tickets", Id="t1", Field="status")
    page.get_by_label("Read before write").select_option("yes")
    page.get_by_label("Before", exact=True).fill(json.dumps(BEFORE))
    page.get_by_label("After", exact=True).fill(json.dumps(AFTER))
    # The write came before any read, and the page says so while the form is still being filled in.
    expect(page.locator("#try-result")).to_contain_text("without reading it first")
    expect(page.locator("#try-summary")).to_contain_text("failed")

    # The missing read is added and moved up; what was typed goes along.
    call(page, 2, "get_ticket", '{"id": "t1"', '{"id": "t1", "status": "open"}')
    expect(page.locator("#tool_calls-1-arguments-error")).to_contain_text("not valid JSON")
    page.get_by_label("Call 2: Arguments").fill('{"id": "t1"}')
    expect(page.locator("#tool_calls-1-arguments-error")).to_have_count(0)
    pressed(page, "Move up call 2")
    expect(page.get_by_label("Call 1: Tool")).to_have_value("get_ticket")
    expect(page.get_by_label("Call 2: Tool")).to_have_value("update_ticket")
    expect(page.locator("#try-summary")).to_contain_text("1.000")

    # The JSON is the same document; back in the form nothing is lost.
    pressed(page, "JSON")
    assert page.url.endswith("?view=json")
    document = json.loads(page.get_by_label("The observation as JSON").input_value())
    assert [call["name"] for call in document["tool_calls"]] == ["get_ticket", "update_ticket"]
    pressed(page, "Form")
    expect(page.get_by_label("Call 2: Tool")).to_have_value("update_ticket")
    page.get_by_role("button", name="Save evaluation").click()
    page.wait_for_url("**/history/eval_*")
    assert Evaluation.objects.get().inputs["observation"] == document


def test_an_example_asks_before_it_replaces(reviewer_page: Page) -> None:
    page = reviewer_page
    page.goto(f"/profiles/{made()}/try")
    page.get_by_label("Example").select_option("helpdesk.G03")
    pressed(page, "Load an example")
    expect(page.locator("#try-summary")).to_contain_text("failed")
    page.get_by_label("Output", exact=True).fill("mine")
    page.get_by_label("Example").select_option("helpdesk.G01")
    pressed(page, "Load an example")
    expect(page.get_by_label("Output", exact=True)).to_have_value("mine")
    expect(page.get_by_role("button", name="Replace it")).to_be_focused()
    pressed(page, "Replace it")
    expect(page.get_by_label("Output", exact=True)).to_have_value("Stock set to 5.")
    expect(page.locator("#try-summary")).to_contain_text("1.000")


def test_without_script_the_form_is_filled_row_by_row(page_for: Callable[..., Page], reviewer: User) -> None:
    page = page_for(reviewer, java_script_enabled=False)
    page.goto(f"/profiles/{made({'id': 'mrr', 'type': 'MRR'}, name='Ranked')}/try")
    page.locator("#expected-chunks-0-id").fill("a")
    page.locator("#retrieval-chunks-0-id").fill("b")
    page.locator("#retrieval-chunks-add").click()
    page.locator("#retrieval-chunks-1-id").fill("a")
    page.get_by_role("button", name="Score").last.click()
    expect(page.locator("#try-result")).to_contain_text("0.500")
    page.get_by_role("button", name="Move up chunk 2").click()
    expect(page.locator("#try-result")).to_contain_text("1.000")


@pytest.mark.parametrize("state", ["blank", "json", "example", "refused", "asked"])
def test_the_page_is_accessible(state: str, reviewer_page: Page, assert_accessible: Callable[[Page], None]) -> None:
    page = reviewer_page
    address = f"/profiles/{made()}/try"
    page.goto(address + {"json": "?view=json", "blank": ""}.get(state, "?example=helpdesk.G09"))
    if state == "refused":
        page.locator("#tool_calls-0-arguments").fill("{")
        expect(page.locator("#tool_calls-0-arguments-error")).to_be_visible()
    elif state == "asked":
        page.get_by_label("Example").select_option("helpdesk.G01")
        page.locator("#tool_calls-0-name").fill("mine")
        pressed(page, "Load an example")
    assert_accessible(page)


@pytest.mark.parametrize("view", ["", "&view=json"])
def test_a_phone_shows_everything_without_scrolling_sideways(
    view: str, page_for: Callable[..., Page], reviewer: User
) -> None:
    page = page_for(reviewer, viewport={"width": 390, "height": 844})
    page.goto(f"/profiles/{made()}/try?example=helpdesk.G09{view}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.get_by_role("button", name=re.compile("Save evaluation"))).to_be_in_viewport()


def test_the_proof_takes_ground_truth(editor_page: Page, assert_accessible: Callable[[Page], None]) -> None:
    page = editor_page
    page.goto(f"/profiles/{made({'id': 'mrr', 'type': 'MRR'}, name='Ranked')}")
    page.locator("label", has_text="A text").click()
    page.get_by_text("Ground truth and other channels").click()
    observation = page.get_by_label("Observation as JSON")
    observation.fill("{bad")
    expect(page.locator("#proof-observation-error")).to_contain_text("not valid JSON")
    page.get_by_role("button", name="Load an example").click()
    expect(page.locator("#proof-channels")).to_contain_text("it would replace what you typed")
    expect(observation).to_have_value("{bad")
    observation.fill("")
    page.get_by_role("button", name="Load an example").click()
    expect(observation).to_have_value(re.compile("retrieval"))
    expect(page.locator(".proof-verdict")).to_be_visible()
    assert_accessible(page)
