"""The editor's controls with parts in a real browser: a schema out of an example, a rule beside its value."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from accounts.models import User
from scoring.models import Profile
from scoring.queries.profiles import profile_at
from tests.browser.test_profiles import answered, made

pytestmark = pytest.mark.browser
TOOLS = {"id": "tools", "type": "ToolTrajectory", "toolArguments": {"search": "superset", "fetch": "ignore"}}
TOKENS = {"id": "itl", "type": "ITL", "kinds": ["reasoning", "text"]}
STATE = {"id": "state", "type": "StateChange", "ignore": []}
LINES = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}
CASE = {
    "type": "object",
    "properties": {"id": {"type": "string", "enum": ["a", "b"], "description": "Which"}, "lines": LINES},
    "required": ["id"],
    "title": "Case",
}


def test_a_schema_by_example_and_a_rule_with_its_value(
    editor_page: Page, assert_accessible: Callable[[Page], None]
) -> None:
    page = editor_page
    page.goto("/profiles/new")
    page.get_by_label("Name").fill("Structured")
    answered(page, page.get_by_role("button", name=re.compile("^OutputSchema")).click)

    # A schema out of two examples; what was typed elsewhere stays.
    page.get_by_text("Paste an example, get a schema").click()
    examples = ['{"total": 12, "note": null}', '{"total": 9.5, "note": "late", "extra": [1]}']
    page.get_by_role("textbox", name="Example").fill("\n".join(examples))
    answered(page, page.get_by_role("button", name="Make the schema").click)
    expect(page.get_by_label("Name").first).to_have_value("Structured")
    rows = page.locator(".property")
    expect(rows).to_have_count(3)
    expect(rows.nth(0).get_by_label("Property", exact=True)).to_have_value("total")
    expect(rows.nth(0).get_by_label("Type")).to_have_value("number")
    expect(rows.nth(0).get_by_label("Required")).to_be_checked()
    expect(rows.nth(1).get_by_label("May be null")).to_be_checked()
    expect(rows.nth(2).get_by_label("Required")).not_to_be_checked()

    # A row more by keyboard: its name has the focus. Its type decides which of its parts are there.
    add = page.get_by_role("button", name="Add a property")
    add.focus()
    answered(page, lambda: page.keyboard.press("Enter"))
    expect(rows.nth(3).get_by_label("Property", exact=True)).to_be_focused()
    page.keyboard.type("state")
    rows.nth(3).get_by_label("Allowed values").fill("open\ndone")
    rows.nth(2).get_by_label("Type").select_option("other")
    expect(rows.nth(2).get_by_label("Description")).to_be_hidden()
    rows.nth(2).get_by_label("Schema of the property").fill('{"type": "text"}')
    error = page.locator("#scorers-0-schema-2-definition-error")
    expect(error).to_contain_text("text")
    rows.nth(2).get_by_label("Schema of the property").fill('{"minItems": 1}')
    expect(error).to_have_count(0)

    # A rule: a variable at the cursor, its value at once, its fault at once.
    page.get_by_text("Add a scorer").click()
    answered(page, page.get_by_role("button", name=re.compile("^JsonLogic")).click)
    rule = page.get_by_label("Expression")
    value = page.locator("#scorers-1-expression-data .rule-value")
    rule.fill('{"==": [, 3]}')
    expect(value).to_contain_text("not valid JSON")
    rule.evaluate("(field) => field.setSelectionRange(8, 8)")
    page.locator("label", has_text="A text").click()
    page.get_by_role("textbox", name="Output").fill("Yes")
    page.get_by_role("button", name="output.length").or_(page.get_by_role("button", name="outputLength")).first.click()
    expect(rule).to_have_value('{"==": [{"var": "item.metadata.outputLength"}, 3]}')
    expect(value).to_contain_text("true")
    expect(value).to_contain_text("item.metadata.outputLength is 3, as expected.")
    page.get_by_role("textbox", name="Output").fill("No")
    expect(value).to_contain_text("false")
    rule.fill('{"=": [1, 1]}')
    expect(page.locator("#scorers-1-expression-error")).to_contain_text('There is no operator "="')
    assert_accessible(page)
    rule.fill('{"==": [{"var": "output"}, "No"]}')
    expect(page.locator("#scorers-1-expression-error")).to_have_count(0)

    page.get_by_role("button", name="Create profile").click()
    expect(page.locator(".toast")).to_contain_text("Created “Structured”.")
    schema, logic = profile_at(Profile.objects.get(name="Structured").pk).content.as_document()["scorers"]
    assert logic["expression"] == {"==": [{"var": "output"}, "No"]}
    assert schema["schema"] == {
        "type": "object",
        "properties": {
            "total": {"type": "number"},
            "note": {"type": ["string", "null"]},
            "extra": {"minItems": 1},
            "state": {"type": "string", "enum": ["open", "done"]},
        },
        "required": ["total", "note"],
    }


def test_rows_choices_and_json_change_places(editor_page: Page, assert_accessible: Callable[[Page], None]) -> None:
    page, profile_id = editor_page, made(TOOLS, TOKENS, STATE, {"id": "case", "type": "OutputSchema", "schema": CASE})
    page.goto(f"/profiles/{profile_id}")
    tools = page.locator("#scorers-0-toolArguments")
    answered(page, tools.get_by_role("button", name="Remove Row 1").click)
    expect(tools.get_by_label("Name")).to_have_value("fetch")
    expect(tools.get_by_role("button", name="Remove Row 1")).to_be_focused()
    answered(page, tools.get_by_role("button", name="Add a row").click)
    tools.get_by_label("Name").nth(1).fill("open")
    tools.get_by_label("Value").nth(1).select_option("subset")
    page.get_by_role("checkbox", name="tool_call").check()
    page.get_by_role("checkbox", name="reasoning").uncheck()
    expect(page.get_by_role("checkbox", name="Empty on purpose: a list without lines")).to_be_checked()

    views = page.get_by_role("group", name="Schema: edit as")
    answered(page, views.get_by_role("button", name="JSON").click)
    text = page.get_by_label("Schema as JSON")
    expect(text).to_be_focused()
    assert json.loads(text.input_value()) == CASE
    assert_accessible(page)
    answered(page, views.get_by_role("button", name="Rows").click)
    expect(page.get_by_label("Other keywords")).to_have_value('{\n  "title": "Case"\n}')
    assert_accessible(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("Saved version 2")
    tools_stored, tokens, state, case = profile_at(profile_id).content.as_document()["scorers"]
    assert tools_stored["toolArguments"] == {"fetch": "ignore", "open": "subset"}
    assert tokens["kinds"] == ["text", "tool_call"]
    assert (state["ignore"], case["schema"]) == ([], CASE)


def test_without_script_rows_come_and_go(page_for: Callable[..., Page], editor: User) -> None:
    page, profile_id = page_for(editor, java_script_enabled=False), made(TOOLS)
    page.goto(f"/profiles/{profile_id}")
    page.get_by_role("button", name="Add a row").click()
    page.locator("#scorers-0-toolArguments").get_by_label("Name").nth(2).fill("open")
    page.get_by_role("button", name="Remove Row 1").click()
    page.get_by_role("button", name="Save", exact=True).last.click()
    assert profile_at(profile_id).content.as_document()["scorers"][0]["toolArguments"] == {
        "fetch": "ignore",
        "open": "exact",
    }


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_scrolls_sideways(width: int, page_for: Callable[..., Page], editor: User) -> None:
    rule = {"id": "rule", "type": "JsonLogic", "expression": {"!": {"var": "object." + "long" * 40}}}
    page = page_for(editor, viewport={"width": width, "height": 900})
    page.goto(f"/profiles/{made(TOOLS, TOKENS, rule, {'id': 'case', 'type': 'OutputSchema', 'schema': CASE})}")
    page.get_by_text("Every operator").click()
    page.get_by_text("Paste an example, get a schema").click()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
