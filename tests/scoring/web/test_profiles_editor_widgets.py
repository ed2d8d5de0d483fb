"""The editor's controls with parts over HTTP: every button by plain submits, and what the live answer brings."""

import html
import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from scoring.models import Profile
from scoring.queries.profiles import ProfileAt, profile_at
from tests.people import ClientFor
from tests.scoring.web.profile_forms import FRAGMENT, HOSTILE, controls, evaluated, form_of, made, words

pytestmark = pytest.mark.django_db
CASE: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "lines": {"type": "array", "items": {"type": "object"}}},
    "required": ["id"],
}
SCHEMA = {"id": "schema", "type": "OutputSchema", "schema": CASE}
RULE = {"id": "rule", "type": "JsonLogic", "expression": {"==": [{"var": "output"}, "yes"]}}
TOOLS = {"id": "tools", "type": "ToolTrajectory", "toolArguments": {"search": "superset", "fetch": "ignore"}}
TOKENS = {"id": "itl", "type": "ITL", "kinds": ["reasoning", "text"]}
STATE = {"id": "state", "type": "StateChange", "ignore": []}


@pytest.fixture
def editing(editor: User, client_for: ClientFor) -> Client:
    return client_for(editor)


def address(at: ProfileAt) -> str:
    return f"/profiles/{at.row.pk}"


def scorers(at: ProfileAt) -> list[dict[str, Any]]:
    return list(profile_at(at.row.pk).content.as_document()["scorers"])


def pressed(client: Client, where: str, form: dict[str, str], act: str) -> dict[str, str]:
    """The form after a button was pressed without script."""
    answer = client.post(where, {**form, "act": act})
    assert answer.status_code == 200
    return controls(answer.text)


def test_a_form_nobody_touched_makes_no_version(editing: Client) -> None:
    hostile = {**CASE, "title": HOSTILE, "properties": {HOSTILE: {"description": HOSTILE}}, "required": []}
    boolean = {**SCHEMA, "id": "boolean", "schema": True}
    at = made("All", SCHEMA, RULE, TOOLS, TOKENS, STATE, boolean, {**SCHEMA, "id": "h", "schema": hostile})
    form = form_of(editing, address(at))
    assert not any(name.endswith("-mode") for name in form)
    assert editing.post(address(at), form).status_code == 302
    assert profile_at(at.row.pk).version.number == 1


def test_a_schema_is_built_row_by_row(editing: Client) -> None:
    where = "/profiles/new"
    form = pressed(editing, where, {**form_of(editing, where), "name": "Built"}, "add:OutputSchema")
    form = pressed(editing, where, form, "add-row:0-schema")
    form |= {"scorers-0-schema-0-name": "total", "scorers-0-schema-0-type": "number"}
    form |= {"scorers-0-schema-0-required": "true", "scorers-0-schema-0-null": "true"}
    form = pressed(editing, where, form, "add-row:0-schema")
    assert (form["name"], form["scorers-0-schema-0-name"]) == ("Built", "total")
    form |= {
        "scorers-0-schema-1-name": "state",
        "scorers-0-schema-1-values": "open\r\ndone",
        "scorers-0-schema-closed": "true",
    }
    form = pressed(editing, where, form, "add-row:0-schema")
    form = pressed(editing, where, {**form, "scorers-0-schema-2-name": "gone"}, "remove-row:0-schema-2")
    assert editing.post(where, {**form, "act": "save"}).status_code == 302
    (scorer,) = scorers(profile_at(Profile.objects.get(built_in=False).pk))
    assert scorer["schema"] == {
        "type": "object",
        "properties": {
            "total": {"type": ["number", "null"]},
            "state": {"type": "string", "enum": ["open", "done"]},
        },
        "required": ["total"],
        "additionalProperties": False,
    }


def test_a_schema_comes_from_an_example_and_goes_back(editing: Client) -> None:
    at = made("Example", SCHEMA)
    form = form_of(editing, address(at)) | {"name": "Unsaved", "scorers-0-schema-0-description": "Unsaved too"}
    broken = editing.post(address(at), {**form, "scorers-0-schema-example": "{a", "act": "infer:0-schema"})
    kept = controls(broken.text)
    assert (kept["scorers-0-schema-example"], kept["scorers-0-schema-0-description"]) == ("{a", "Unsaved too")
    assert 'id="scorers-0-schema-example-error"' in broken.text

    form = pressed(editing, address(at), {**kept, "scorers-0-schema-example": '{"n": 1, "s": null}'}, "infer:0-schema")
    assert (form["name"], form["scorers-0-schema-0-name"], form["scorers-0-schema-0-type"]) == (
        "Unsaved",
        "n",
        "integer",
    )
    back = pressed(editing, address(at), form, "restore:0-schema")
    assert back["scorers-0-schema-0-description"] == "Unsaved too"
    editing.post(address(at), {**form, "act": "save"})
    assert scorers(at)[0]["schema"]["required"] == ["n", "s"]


def test_rows_and_json_are_two_ways_to_the_same_schema(editing: Client) -> None:
    at = made("Two ways", SCHEMA)
    form = pressed(editing, address(at), form_of(editing, address(at)), "to-json:0-schema")
    assert json.loads(form["scorers-0-schema"]) == CASE
    assert "scorers-0-schema-rows" not in form
    typed = {**CASE, "properties": {**CASE["properties"], "n": {"type": "integer"}}}
    form = pressed(editing, address(at), {**form, "scorers-0-schema": json.dumps(typed)}, "to-table:0-schema")
    assert form["scorers-0-schema-2-name"] == "n"
    editing.post(address(at), {**form, "act": "save"})
    assert scorers(at)[0]["schema"] == typed


def test_pairs_are_edited_in_rows_and_faults_stand_there(editing: Client) -> None:
    at = made("Tools", TOOLS)
    form = form_of(editing, address(at))
    form |= {"scorers-0-toolArguments-1-key": "search", "scorers-0-toolArguments-0-value": "odd"}
    refused = editing.post(address(at), {**form, "act": "save"})
    assert refused.status_code == 422
    assert 'id="scorers-0-toolArguments-1-key-error"' in refused.text
    assert "This name stands above already." in refused.text
    again = controls(refused.text)
    assert again["scorers-0-toolArguments-1-key"] == "search"
    again |= {"scorers-0-toolArguments-1-key": "open", "scorers-0-toolArguments-0-value": "subset"}
    assert editing.post(address(at), {**again, "act": "save"}).status_code == 302
    assert scorers(at)[0]["toolArguments"] == {"search": "subset", "open": "ignore"}


def test_choices_are_ticked_and_an_empty_list_is_not_no_list(editing: Client) -> None:
    at = made("Lists", TOKENS, STATE)
    form = form_of(editing, address(at))
    assert (form["scorers-0-kinds-text"], form["scorers-1-ignore-empty"]) == ("true", "true")
    del form["scorers-0-kinds-text"], form["scorers-1-ignore-empty"]
    form["scorers-0-kinds-tool_call"] = "true"
    editing.post(address(at), {**form, "act": "save"})
    first, second = scorers(at)
    assert first["kinds"] == ["reasoning", "tool_call"]
    assert "ignore" not in second
    del form["scorers-0-kinds-reasoning"], form["scorers-0-kinds-tool_call"]
    refused = editing.post(address(at), {**form_of(editing, address(at)), **form, "act": "check"}, headers=FRAGMENT)
    assert refused.status_code == 200


def test_no_choice_is_refused_at_the_field(editing: Client) -> None:
    at = made("None", TOKENS)
    form = form_of(editing, address(at))
    del form["scorers-0-kinds-text"], form["scorers-0-kinds-reasoning"]
    refused = editing.post(address(at), {**form, "act": "save"})
    assert refused.status_code == 422
    assert 'id="scorers-0-kinds-error"' in refused.text


def test_a_rule_stands_beside_an_example_until_there_is_an_answer(editing: Client) -> None:
    at = made("Rule", RULE)
    page = words(html.unescape(editing.get(address(at)).text))
    assert "an example: the proof holds no answer" in page
    assert "expected.category" in page
    evaluated(at.row.pk, "no", "yes")
    page = words(html.unescape(editing.get(address(at)).text))
    assert "On: The newest evaluation of this profile." in page
    assert 'output is "yes", as expected.' in page


def test_a_rule_is_evaluated_while_it_is_typed(editing: Client) -> None:
    at = made("Rule", RULE)
    form = {**form_of(editing, address(at)), "proof-source": "text", "proof-output": f"no {HOSTILE}", "act": "check"}
    live = editing.post(address(at), form, headers=FRAGMENT).text
    assert 'hx-target="#scorers-0-expression-data"' in live
    assert "On: The text of the proof." in live
    assert "which is not" not in live
    assert "expected" in words(html.unescape(live))
    assert HOSTILE not in live

    form["scorers-0-expression"] = '{"!": [{"=": [1, 2]}]}'
    live = html.unescape(editing.post(address(at), form, headers=FRAGMENT).text)
    assert "At !.0.=: There is no operator" in live
    assert 'data-fault="scorers-0-expression"' in live


def test_a_closed_card_is_not_sent_while_somebody_types(editing: Client) -> None:
    at = made("Rule", RULE)
    form = {**form_of(editing, address(at)), "open-0": "", "act": "check"}
    assert "scorers-0-expression-data" not in editing.post(address(at), form, headers=FRAGMENT).text


@pytest.mark.parametrize(
    "act",
    [
        "add-row",
        "add-row:",
        "add-row:0-name",
        "remove-row:0-schema-99",
        "infer:0-nothing",
        "restore:9-schema",
        "to-json:²-schema",
    ],
)
def test_a_hostile_button_harms_nothing(act: str, editing: Client) -> None:
    at = made("Hostile", SCHEMA)
    form = form_of(editing, address(at))
    answer = editing.post(address(at), {**form, "act": act})
    assert answer.status_code == 200
    assert {name: text for name, text in controls(answer.text).items() if name.startswith("scorers")} == {
        name: text for name, text in form.items() if name.startswith("scorers")
    }


@pytest.mark.parametrize(
    "typed",
    [
        {"scorers-0-schema-rows": "-1"},
        {"scorers-0-schema-rows": "99999999999"},
        {"scorers-0-schema": "rows:[[{}], 3]"},
        {"scorers-0-schema": "rows:[[{}], {}]"},
        {"scorers-0-schema-0-type": "odd"},
        {"scorers-0-schema-0-name": "a\x00b"},
        {"scorers-0-schema-0-type": "other", "scorers-0-schema-0-definition": "[" * 9999},
        {"scorers-0-schema-previous": "rows:[", "act": "restore:0-schema"},
    ],
)
def test_a_hostile_table_is_answered(typed: dict[str, str], editing: Client) -> None:
    at = made("Hostile", SCHEMA)
    form = {**form_of(editing, address(at)), **typed}
    assert editing.post(address(at), {"act": "save", **form}).status_code in {200, 302, 422}
    assert editing.post(address(at), {"act": "check", **form}, headers=FRAGMENT).status_code == 200


def test_those_who_may_only_read_see_rows_in_words(viewer: User, client_for: ClientFor) -> None:
    at = made("Read", TOOLS, TOKENS, STATE, SCHEMA)
    page = html.unescape(client_for(viewer).get(address(at)).text)
    assert "search: superset\nfetch: ignore" in page
    assert "reasoning, text" in page
    assert "rows:" not in page
    assert '"required": [' in page
