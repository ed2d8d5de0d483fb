"""Try a profile on an answer, and store the evaluation."""

import html
import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from scoring.forms.observation_form.examples import help_desk
from scoring.models import Evaluation
from tests.people import ClientFor
from tests.scoring.web.profile_forms import (
    FRAGMENT,
    HOSTILE,
    KEYWORDS,
    LEGACY,
    REGEX,
    controls,
    holding,
    made,
    words,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def trying(reviewer: User, client_for: ClientFor) -> Client:
    return client_for(reviewer)


@pytest.fixture
def where() -> str:
    return f"/profiles/{made('Support', REGEX, KEYWORDS).row.pk}/try"


def form_at(client: Client, address: str) -> dict[str, str]:
    """The untouched form at an address."""
    return controls(client.get(address).text, "try-form")


def stored_document(client: Client, where: str, **typed: str) -> Any:
    """The observation that is stored when this is typed."""
    answer = client.post(
        where, {"act": "save", "view": "form", **{name.replace("__", "-"): text for name, text in typed.items()}}
    )
    assert answer.status_code == 302, words(answer.text)
    return Evaluation.objects.latest("id").inputs.get("observation")


def test_the_breakdown_comes_at_once_and_stores_nothing(where: str, trying: Client) -> None:
    assert "its breakdown appears here" in trying.get(where).text
    with CaptureQueriesContext(connection) as queries:
        page = trying.post(where, {"act": "check", "output-text": "TODO fixed"}, headers=FRAGMENT).text
    assert len(queries) <= 3
    assert "<html" not in page
    told = words(page)
    assert "0.333" in told
    assert "/TODO/ was found in the output" in told
    assert "<mark>TODO</mark>" in page
    assert 'hx-target="#try-summary"' in page
    assert Evaluation.objects.count() == 0
    whole = trying.post(where, {"act": "check", "output-text": "TODO fixed"})
    assert (whole.status_code, "0.333" in whole.text, "<html" in whole.text) == (200, True, True)


def test_everything_given_is_stored_and_opened(where: str, trying: Client) -> None:
    form = {
        "act": "save",
        "output-text": "fixed\r\nit",
        "action": "mending",
        "agent": "claude",
        "taskId": "t-1",
        "metadata": '{"tokens": 5}',
        "expected-answer-0-text": "yes",
        "output-object": "[1, 2]",
    }
    answer = trying.post(where, form)
    row = Evaluation.objects.get()
    assert answer["Location"] == f"/history/{row.public_id}"
    assert (row.output, row.action, row.agent, row.task_id) == ("fixed\nit", "mending", "claude", "t-1")
    assert row.metadata["tokens"] == 5
    assert row.inputs == {
        "observation": {"output": {"text": "fixed\nit", "object": [1, 2]}, "expected": {"answer": "yes"}}
    }
    assert row.created_by_name == "rita"


@pytest.mark.parametrize(
    ("form", "inputs", "output"),
    [
        ({"output-text": ""}, {}, ""),
        ({"output-text": "x"}, {}, "x"),
        ({"output-text-empty": "true"}, {}, ""),
        ({"output-object": "null"}, {"observation": {"output": {"object": None}}, "output": None}, ""),
        (
            {"view": "json", "observation": '{"output": {"text": "fixed"}, "tool_calls": []}'},
            {"observation": {"output": {"text": "fixed"}, "tool_calls": []}},
            "fixed",
        ),
    ],
)
def test_blank_is_not_given(
    form: dict[str, str], inputs: dict[str, object], output: str, where: str, trying: Client
) -> None:
    assert trying.post(where, {"act": "save", **form}).status_code == 302
    row = Evaluation.objects.get()
    assert (row.inputs, row.output) == (inputs, output)


@pytest.mark.parametrize(
    ("typed", "document"),
    [
        (
            {"expected-answer-0-text": "yes", "expected-answer-1-text": "ja"},
            {"expected": {"answer": ["yes", "ja"]}},
        ),
        ({"expected-pattern": "^yes$"}, {"expected": {"pattern": "^yes$"}}),
        (
            {"expected-chunks-0-id": "a", "expected-chunks-0-grade": "2", "expected-chunks-1-id": "b"},
            {"expected": {"chunks": {"a": 2, "b": 1}}},
        ),
        (
            {"retrieval-chunks-0-id": "b", "retrieval-chunks-1-id": "a", "retrieval-chunks-1-score": "0.5"},
            {"retrieval": {"chunks": [{"id": "b"}, {"id": "a", "score": 0.5}]}},
        ),
        ({"expected-tool": "search"}, {"expected": {"tool": "search"}}),
        (
            {"expected-tool_calls-0-name": "get", "expected-tool_calls-0-arguments": '{"id": "t1"}'},
            {"expected": {"tool_calls": [{"name": "get", "arguments": {"id": "t1"}}]}},
        ),
        ({"expected-tool_calls-empty": "true"}, {"expected": {"tool_calls": []}}),
        (
            {
                "tool_calls-0-name": "get",
                "tool_calls-0-verdict": "allow",
                "tool_calls-0-arguments": "{}",
                "tool_calls-0-result": '[{"id": "t1"}]',
                "tool_calls-0-error": "null",
                "tool_calls-1-name": "put",
                "tool_calls-1-error": "timed out",
            },
            {
                "tool_calls": [
                    {"name": "get", "verdict": "allow", "arguments": {}, "result": [{"id": "t1"}], "error": None},
                    {"name": "put", "error": "timed out"},
                ]
            },
        ),
        (
            {"citations-ledger-0-n": "1", "citations-ledger-0-chunk_id": "pol#3"},
            {"citations": {"ledger": [{"n": 1, "chunk_id": "pol#3"}]}},
        ),
        (
            {
                "expected-state-required-0-entity": "tickets",
                "expected-state-required-0-id": "t1",
                "expected-state-required-0-field": "status",
                "expected-state-required-0-value": "closed",
                "expected-state-required-1-entity": "tickets",
                "expected-state-required-1-id": "t2",
                "expected-state-required-1-change": "deleted",
                "expected-state-allowed-0-entity": "tickets",
                "expected-state-allowed-0-id": "*",
                "expected-state-allowed-0-field": "*",
                "expected-state-allowed-0-where": '{"owner": "ann"}',
                "expected-state-read_before_write": "yes",
                "state-before": "{}",
                "state-after": '{"tickets": {}}',
            },
            {
                "expected": {
                    "state": {
                        "required": [
                            {"entity": "tickets", "id": "t1", "field": "status", "value": "closed"},
                            {"entity": "tickets", "id": "t2", "deleted": True},
                        ],
                        "allowed": [{"entity": "tickets", "id": "*", "field": "*", "where": {"owner": "ann"}}],
                        "read_before_write": True,
                    }
                },
                "state": {"before": {}, "after": {"tickets": {}}},
            },
        ),
        (
            {"stream-start": "0", "stream-end": "215.5", "stream-events": "120 text 3\r\n150 text 4"},
            {
                "stream": {
                    "start": 0,
                    "end": 215.5,
                    "events": [{"t": 120, "kind": "text", "tokens": 3}, {"t": 150, "kind": "text", "tokens": 4}],
                }
            },
        ),
        (
            {"usage-input_tokens": "812", "usage-cost-amount": "0.00123", "usage-cost-currency": "USD"},
            {"usage": {"input_tokens": 812, "cost": {"amount": "0.00123", "currency": "USD"}}},
        ),
        ({"input": "Why?", "more": '{"case_id": "c-1"}'}, {"input": "Why?", "case_id": "c-1"}),
    ],
)
def test_each_part_is_stored_as_the_document_says_it(
    typed: dict[str, str], document: dict[str, Any], where: str, trying: Client
) -> None:
    assert stored_document(trying, where, **typed) == document
    # The same through JSON and back.
    as_json = controls(trying.post(where, {"act": "view:json", "view": "form", **typed}).text, "try-form")
    assert json.loads(as_json["observation"]) == document
    back = controls(trying.post(where, {**as_json, "act": "view:form"}).text, "try-form")
    assert back["view"] == "form"
    assert stored_document(trying, where, **back | {"act": "save"}) == document


@pytest.mark.parametrize(
    ("form", "field", "message"),
    [
        ({"output-text": "x" * 100_001}, "output-text", "Must have at most 100,000 characters"),
        ({"output-text": "x", "metadata": "{bad"}, "metadata", "This is not valid JSON"),
        ({"output-text": "x", "metadata": "[1]"}, "metadata", "Must be an object."),
        ({"output-text": "x", "metadata": '{"a": "' + "x" * 64_000 + '"}'}, "metadata", "at most 64,000 bytes"),
        ({"output-object": "{"}, "output-object", "This is not valid JSON"),
        ({"output-text": "x", "agent": "a" * 129}, "agent", "at most 128"),
        ({"output-text": "x", "agent": "a\x00b"}, "agent", "contains a NUL"),
        ({"output-text": "a\x00b"}, "output-text", "contains a NUL"),
        ({"tool_calls-0-name": "a", "tool_calls-1-name": "b\x00"}, "tool_calls-1-name", "contains a NUL"),
        ({"tool_calls-0-name": "a", "tool_calls-0-arguments": "{"}, "tool_calls-0-arguments", "This is not valid JSON"),
        ({"expected-chunks-0-id": "a", "expected-chunks-0-grade": "b"}, "expected-chunks-0-grade", "Must be a number"),
        ({"stream-events": "soon"}, "stream-events", "Line 1"),
        ({"more": '{"nope": 1}'}, "more", "nope: There is no such field here"),
        (
            {"more": '{"sample": -1, "case_id": ""}'},
            "more",
            "case_id: Must have 1 to 512 bytes. sample: Must be at least 0.",
        ),
        ({"more": "[" * 70 + "]" * 70}, "more", "nested more than 64 levels"),
        ({"view": "json", "observation": '{"nope": 1}'}, "observation", "nope: There is no such field here"),
        ({"view": "json", "observation": '{"a": 1, "a": 2}'}, "observation", "stands twice"),
        ({"view": "json", "observation": "[1]"}, "observation", "Must be an object."),
    ],
)
def test_faults_stand_at_their_fields(
    form: dict[str, str], field: str, message: str, where: str, trying: Client
) -> None:
    saved = trying.post(where, {"act": "save", **form})
    assert saved.status_code == 422
    assert f'id="{field}-error"' in saved.text
    assert message in html.unescape(saved.text)
    kept = controls(saved.text, "try-form")
    assert all(kept[name] == text or "\x00" in text for name, text in form.items())
    live = html.unescape(trying.post(where, {"act": "check", **form}, headers=FRAGMENT).text)
    assert f'data-fault="{field}"' in live
    assert message in live
    assert Evaluation.objects.count() == 0


def test_all_faults_are_told_at_once(where: str, trying: Client) -> None:
    form = {"tool_calls-0-arguments": "{", "metadata": "{", "usage-input_tokens": "few", "agent": "a" * 129}
    page = trying.post(where, {"act": "save", **form}).text
    for field in form:
        assert f'id="{field}-error"' in page


def test_rows_come_and_go_without_script(where: str, trying: Client) -> None:
    page = trying.post(where, {**form_at(trying, where), "act": "add:tool_calls"}).text
    form = {**controls(page, "try-form"), "tool_calls-0-name": "first"}
    form = controls(trying.post(where, {**form, "act": "add:tool_calls"}).text, "try-form")
    form["tool_calls-1-name"] = "second"
    moved = trying.post(where, {**form, "act": "up:tool_calls:1"})
    form = controls(moved.text, "try-form")
    assert (form["tool_calls-0-name"], form["tool_calls-1-name"]) == ("second", "first")
    form = controls(trying.post(where, {**form, "act": "remove:tool_calls:0"}).text, "try-form")
    assert form["tool_calls-0-name"] == "first"
    assert "tool_calls-1-name" not in form
    fragment = trying.post(where, {**form, "act": "add:tool_calls"}, headers=FRAGMENT).text
    assert "<html" not in fragment
    assert 'data-focus="tool_calls-1-name"' in fragment
    for act in ("add:nothing", "up:tool_calls:77", "remove:tool_calls", "view:", "nonsense", "example:nope"):
        assert trying.post(where, {**form, "act": act}).status_code == 200


def test_only_what_the_profile_reads_is_open(trying: Client) -> None:
    ranked = {"id": "ndcg", "type": "NDCG", "k": 3}
    page = trying.get(f"/profiles/{made('Ranked', ranked).row.pk}/try").text
    assert "This profile reads: relevant chunks, retrieved chunks." in words(page)
    opened = re.findall(r'id="part-([a-z-]+)" open', page)
    assert opened == ["expected-chunks", "retrieved"]
    assert len(re.findall(r'id="part-', page)) > len(opened)


def test_json_that_the_form_cannot_show_stays_json(where: str, trying: Client) -> None:
    text = '{"output": {"text": "fixed"}, "retrieval": null}'
    answer = trying.post(where, {"act": "view:form", "view": "json", "observation": text, "action": "mending"})
    assert answer.status_code == 422
    assert "The form cannot show retrieval" in answer.text
    form = controls(answer.text, "try-form")
    assert (form["view"], form["observation"], form["action"]) == ("json", text, "mending")
    broken = trying.post(where, {"act": "view:form", "view": "json", "observation": "{"})
    assert (broken.status_code, controls(broken.text, "try-form")["observation"]) == (422, "{")
    unread = trying.post(where, {"act": "view:json", "view": "form", "usage-input_tokens": "few"})
    assert unread.status_code == 422
    assert controls(unread.text, "try-form")["usage-input_tokens"] == "few"
    assert 'id="usage-input_tokens-error"' in unread.text


def test_an_address_opens_json_or_an_example(where: str, trying: Client) -> None:
    assert form_at(trying, f"{where}?view=json")["view"] == "json"
    form = form_at(trying, f"{where}?example=RegexMatch.1")
    assert form["output-text"]
    assert form_at(trying, f"{where}?example=nope")["output-text"] == ""
    assert "helpdesk-restock" in form_at(trying, f"{where}?example=helpdesk.G01&view=json")["observation"]


def test_an_example_fills_the_form_and_never_replaces_what_was_typed(trying: Client) -> None:
    desk = [{"id": "state", "type": "StateChange"}, {"id": "calls", "type": "ToolCallCount"}]
    where = f"/profiles/{made('Help desk', *desk).row.pk}/try"
    page = trying.get(where).text
    assert '<optgroup label="StateChange">' in page
    assert '<optgroup label="Help desk">' in page
    filled = trying.post(where, {**form_at(trying, where), "act": "example", "example": "helpdesk.G03"})
    assert "failed" in words(filled.text)
    form = controls(filled.text, "try-form")
    assert form["tool_calls-0-name"] == "list_items"
    assert form["taskId"] == "helpdesk-restock"
    # An example in place of another loses nothing.
    other = controls(trying.post(where, {**form, "act": "example", "example": "helpdesk.G12"}).text, "try-form")
    assert other["expected-state-required-0-change"] == "absent"
    # What was typed is asked about, and stands as it was.
    other["output-text"] = "mine"
    asked = trying.post(where, {**other, "act": "example", "example": "helpdesk.G01"})
    assert "would replace what you typed" in asked.text
    kept = controls(asked.text, "try-form")
    differing = {name for name in other if kept[name] != other[name]}
    assert differing <= {"csrfmiddlewaretoken", "example"}
    assert kept["example"] == "helpdesk.G01"
    replaced = controls(trying.post(where, {**kept, "act": "replace:helpdesk.G01"}).text, "try-form")
    assert replaced["output-text"] == "Stock set to 5."
    as_json = controls(trying.post(where, {**replaced, "act": "view:json"}).text, "try-form")
    assert json.loads(as_json["observation"]) == help_desk()[0].document
    answer = trying.post(where, {**as_json, "act": "save"})
    assert answer.status_code == 302
    row = Evaluation.objects.get()
    assert (row.passed, row.inputs["observation"]) == (True, help_desk()[0].document)


def test_a_viewer_tries_and_does_not_store(where: str, viewer: User, client_for: ClientFor) -> None:
    client = client_for(viewer)
    assert "Save evaluation" not in client.get(where).text
    assert "1.000" in client.post(where, {"act": "check", "output-text": "fixed"}, headers=FRAGMENT).text
    assert client.post(where, {"act": "save", "output-text": "fixed"}).status_code == 403
    assert Evaluation.objects.count() == 0


def test_what_cannot_be_scored_says_why(trying: Client) -> None:
    where = f"/profiles/{holding('Old', LEGACY).row.pk}/try"
    assert "CustomExpression" in trying.post(where, {"act": "check", "output-text": "x"}, headers=FRAGMENT).text
    assert trying.post(where, {"act": "save", "output-text": "x"}).status_code == 422
    assert Evaluation.objects.count() == 0


def test_hostile_text_stays_text(where: str, trying: Client) -> None:
    form = {
        "act": "check",
        "output-text": HOSTILE,
        "metadata": HOSTILE,
        "tool_calls-0-name": HOSTILE,
        "tool_calls-0-verdict": HOSTILE,
        "usage-input_tokens": HOSTILE,
    }
    page = trying.post(where, form).text
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "<img" not in page
