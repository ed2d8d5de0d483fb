"""Tools: the form, and Try it."""

import html
import json

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.actors import Role
from accounts.models import Project
from evaluations.models import Tool
from tests.evaluations.cases import dataset_of, eval_of, tool_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.outbound.stubs import saying, saying_json, serving
from tests.evaluations.web.test_agents import sent
from tests.scoring.web.profile_forms import words

pytestmark = pytest.mark.django_db
GIVEN = {
    "name": "policy",
    "method": "POST",
    "url": "https://policy.example.org/score/{id}",
    "timeout_s": "5",
    "headers": '{"X-Team": "refunds"}',
    "preset_parameters": '{"limit": 10.50}',
    "parameters": '{"type": "object"}',
}


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


def test_a_tool_is_made_and_saved_as_it_was(editing: Client, project: Project) -> None:
    assert editing.post(f"/projects/{project.public_id}/agents/tools/new", GIVEN).status_code == 302
    tool = Tool.objects.get()
    stored = (tool.execute, tool.preset_parameters, tool.parameters)
    assert stored == (
        {
            "url": "https://policy.example.org/score/{id}",
            "method": "POST",
            "headers": {"X-Team": "refunds"},
            "timeout_s": 5,
        },
        {"limit": 10.5},
        {"type": "object"},
    )
    address = f"/tools/{tool.public_id}"
    assert editing.post(address, sent(editing, address)).status_code == 302
    tool.refresh_from_db()
    assert (tool.execute, tool.preset_parameters, tool.parameters) == stored


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": ""}, "This field is required"),
        ({"url": ""}, "This field is required"),
        ({"url": "nonsense"}, ""),
        ({"url": "https://{host}/"}, "not in the host"),
        ({"method": "HEAD"}, "Select a valid choice"),
        ({"timeout_s": "301"}, "less than or equal to 300"),
        ({"headers": "[]"}, "Must be a JSON object"),
        ({"headers": '{"a b": "c"}'}, "a b"),
        ({"headers": '{"Authorization": "{{secret:KEY}}"}'}, "Only an owner"),
        ({"preset_parameters": "{"}, "This is not valid JSON"),
    ],
)
def test_a_refused_tool_says_where_and_keeps_what_was_typed(
    changes: dict[str, str], told: str, editing: Client, project: Project
) -> None:
    answer = editing.post(
        f"/projects/{project.public_id}/agents/tools/new", GIVEN | {"description": "my words"} | changes
    )
    assert answer.status_code == 422
    assert told in html.unescape(answer.text)
    assert "field-error" in answer.text
    assert "my words" in answer.text
    assert not Tool.objects.exists()


def test_an_answer_is_shown_with_what_was_sent(editing: Client, project: Project, settings: Settings) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ("127.0.0.1",)
    with serving(saying_json({"score": 0.5, "reasoning": "<b>half</b>"})) as stub:
        tool = tool_of(project, stub.url("/score"))
        Tool.objects.update(preset_parameters={"limit": 1})
        address = f"/tools/{tool.public_id}/try"
        assert editing.get(address).status_code == 200
        assert stub.connections == 0
        answer = editing.post(address, {"input": '{"a": [1, 2.50]}'})
        assert json.loads(stub.last.body) == {"limit": 1, "a": [1, 2.5]}
    assert answer.status_code == 200
    page = html.unescape(words(answer.text))
    assert "Status 200" in page
    assert '"score": 0.5' in page
    assert '"limit": 1' in page
    assert "<b>half" not in answer.text


def test_a_failure_says_why(editing: Client, project: Project, settings: Settings) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ("127.0.0.1",)
    with serving(saying(500, "<b>broken</b>")) as stub:
        answer = editing.post(f"/tools/{tool_of(project, stub.url('/')).public_id}/try", {"input": '{"typed": 1}'})
    assert answer.status_code == 200
    assert "No answer" in answer.text
    assert "500" in answer.text
    assert "<b>broken" not in answer.text
    assert "typed" in answer.text


@pytest.mark.parametrize("given", ["{", "[]", "1", '{"a": NaN}', "a\x00b"])
def test_what_is_no_object_calls_nobody(given: str, editing: Client, project: Project, settings: Settings) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ("127.0.0.1",)
    with serving(saying(200)) as stub:
        answer = editing.post(f"/tools/{tool_of(project, stub.url('/')).public_id}/try", {"input": given})
        assert stub.connections == 0
    assert answer.status_code == 422
    assert "field-error" in answer.text


def test_a_parameter_that_the_address_needs_is_asked_for(editing: Client, project: Project) -> None:
    tool = tool_of(project, "https://policy.example.org/{id}")
    answer = editing.post(f"/tools/{tool.public_id}/try", {"input": "{}"})
    assert answer.status_code == 422
    assert "id: The tool's URL needs id" in html.unescape(answer.text)


def test_only_what_no_scorer_asks_can_be_deleted(client_of: MemberClient, project: Project) -> None:
    tool, owner = tool_of(project), client_of(Role.OWNER)
    scorer = {"type": "tool", "name": "policy", "tool_id": tool.public_id}
    row = eval_of(project, dataset_of(project, {}), scorer, name="uses it")
    assert "Scorers of the eval uses it ask it" in words(owner.get(f"/tools/{tool.public_id}").text)
    assert owner.post(f"/tools/{tool.public_id}/delete").status_code == 409
    row.delete()
    assert owner.post(f"/tools/{tool.public_id}/delete").status_code == 302
    assert not Tool.objects.exists()
