"""Agents over HTTP: versions that are only added, and answers that are an error when they are none."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.actors import COMMAND_LINE, Role
from accounts.models import AuditEntry, Project
from evaluations.encryption import encrypt
from evaluations.models import Agent, AgentVersion, AiProvider
from evaluations.services.agents import agent_update
from foundation.errors import NotFound
from tests.evaluations.api.calls import CANARY, all_logs, chat_answer, database_text
from tests.evaluations.cases import agent_of, call, code_of, dataset_of, eval_of, paths_of, provider_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.outbound.stubs import Stub, resetting, saying, saying_json, serving

pytestmark = pytest.mark.django_db
SCHEMA = {"type": "object", "required": ["category"], "properties": {"category": {"enum": ["refund", "question"]}}}
QUESTION = {"messages": [{"role": "user", "content": "Do you ship to Canada?"}]}
# The session, the person, the project for a member, the rows, their newest versions.
QUERIES = 5


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def provider(project: Project) -> AiProvider:
    return provider_of(project)


def body(project: Project, provider: AiProvider, **changes: Any) -> dict[str, Any]:
    given = {"project_id": project.public_id, "ai_provider_id": provider.public_id, "name": "Refund Triage"}
    return {**given, **changes}


@pytest.fixture
def path(editing: Client, project: Project, provider: AiProvider) -> str:
    """The address of an agent with instructions and a schema."""
    given = body(project, provider, instructions="Classify.", output_schema=SCHEMA)
    return f"/agents/{call(editing, 'POST', '/agents', given).json()['id']}"


def test_the_tutorials_agent(editing: Client, project: Project, provider: AiProvider) -> None:
    made = call(editing, "POST", "/agents", body(project, provider, instructions="Classify.", output_schema=SCHEMA))
    assert made.status_code == 201
    document = made.json()
    assert document["id"].startswith("agent_")
    assert document == call(editing, "GET", f"/agents/{document['id']}").json()
    expected = {"version": 1, "version_label": None, "model": None, "temperature": None, "output_schema": SCHEMA}
    assert {name: document[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"temperature": 2.1}, "temperature"),
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"max_tokens": 10**15}, "max_tokens"),
        ({"instructions": "\x00"}, "instructions"),
        ({"model": "m" * 257}, "model"),
        ({"name": None}, "name"),
        ({"ai_provider_id": "aip_0000000000000000"}, "ai_provider_id"),
        ({"ai_provider_id": "' OR 1=1"}, "ai_provider_id"),
        ({"ai_provider_id": "\x00"}, "ai_provider_id"),
        ({"output_schema": {"type": "objekt"}}, "output_schema.type"),
        ({"output_schema": {"properties": {"a": {"pattern": "("}}}}, "output_schema.properties.a.pattern"),
        ({"output_schema": {"$ref": "http://127.0.0.1/x"}}, "output_schema.$ref"),
        ({"output_schema": "{}"}, "output_schema"),
        ({"versionLabel": "x"}, "versionLabel"),
    ],
)
def test_a_bad_body_is_refused_by_path(
    editing: Client, project: Project, provider: AiProvider, changes: dict[str, Any], path: str
) -> None:
    refused = call(editing, "POST", "/agents", body(project, provider, **changes))
    assert refused.status_code == 400, refused.content
    assert paths_of(refused) == [path]
    assert not Agent.objects.exists()
    agent = agent_of(project, provider)
    refused = call(editing, "PUT", f"/agents/{agent.public_id}", changes)
    assert (refused.status_code, paths_of(refused)) == (400, [path])
    assert AgentVersion.objects.count() == 1


def test_a_provider_of_another_project_is_none(editing: Client, project: Project, other_project: Project) -> None:
    theirs = provider_of(other_project)
    refused = call(editing, "POST", "/agents", body(project, theirs))
    assert (refused.status_code, paths_of(refused)) == (400, ["ai_provider_id"])


def test_a_schema_keeps_its_numbers_and_its_order(editing: Client, project: Project, provider: AiProvider) -> None:
    schema = '{"properties":{"z":{"const":0.12345678901234567890123},"a":{"multipleOf":1e-3}}}'
    raw = json.dumps(body(project, provider))[:-1] + f', "output_schema": {schema}}}'
    made = call(editing, "POST", "/agents", raw.encode())
    assert made.status_code == 201
    kept = made.content.decode()
    assert kept.index('"z"') < kept.index('"a"')
    assert "0.12345678901234567890123" in kept


def test_what_changes_the_answers_makes_a_version(editing: Client, path: str) -> None:
    changed = call(editing, "PUT", path, {"instructions": "Never more.", "version_label": "caps-refund"}).json()
    assert (changed["version"], changed["version_label"], changed["output_schema"]) == (2, "caps-refund", SCHEMA)
    changed = call(editing, "PATCH", path, {"temperature": 0.5, "model": "big", "output_schema": None}).json()
    assert (changed["version"], changed["version_label"], changed["instructions"]) == (3, None, "Never more.")
    listed = call(editing, "GET", f"{path}/versions").json()
    assert [(row["number"], row["label"], row["changes"]) for row in listed["data"]] == [
        (3, None, ["Temperature: default → 0.5.", "Model: default → big.", "Output schema removed."]),
        (2, "caps-refund", ["Instructions changed."]),
        (1, None, []),
    ]
    first = call(editing, "GET", f"{path}/versions/1").json()
    assert (first["instructions"], first["output_schema"], first["created_by"]) == (
        "Classify.", SCHEMA, "editor-of-project",
    )  # fmt: skip
    assert first["id"].startswith("agver_")
    assert AuditEntry.objects.filter(action="agent.updated").count() == 2


@pytest.mark.parametrize(
    "same", [{}, {"instructions": "Classify."}, {"model": None}, {"model": ""}, {"output_schema": SCHEMA}]
)
def test_what_changes_nothing_makes_none(editing: Client, path: str, same: dict[str, Any]) -> None:
    before = call(editing, "GET", path).json()
    assert call(editing, "PUT", path, same).json() == before
    assert AgentVersion.objects.count() == 1
    assert not AuditEntry.objects.filter(action="agent.updated").exists()


def test_a_label_or_a_name_alone_makes_none(editing: Client, path: str) -> None:
    call(editing, "PUT", path, {"temperature": 1})
    changed = call(editing, "PUT", path, {"version_label": "warm", "name": "Triage"}).json()
    assert (changed["version"], changed["version_label"], changed["name"]) == (2, "warm", "Triage")
    assert AgentVersion.objects.get(number=1).label == ""
    assert call(editing, "PUT", path, {"version_label": None}).json()["version_label"] is None


def test_true_is_another_schema_than_one(editing: Client, path: str) -> None:
    assert call(editing, "PUT", path, {"output_schema": {"const": 1}}).json()["version"] == 2
    assert call(editing, "PUT", path, {"output_schema": {"const": True}}).json()["version"] == 3


def test_another_provider_is_named_in_the_changes(editing: Client, project: Project, path: str) -> None:
    second = provider_of(project, name="cloud")
    changed = call(editing, "PUT", path, {"ai_provider_id": second.public_id}).json()
    assert (changed["version"], changed["ai_provider_id"]) == (2, second.public_id)
    assert call(editing, "GET", f"{path}/versions/2").json()["changes"] == ["AI provider: local → cloud."]


def test_a_restored_version_is_a_new_one(editing: Client, path: str) -> None:
    call(editing, "PUT", path, {"instructions": "Worse."})
    restored = call(editing, "POST", f"{path}/versions/1/restore").json()
    assert (restored["version"], restored["instructions"]) == (3, "Classify.")
    said = call(editing, "GET", f"{path}/versions/3").json()["changes"]
    assert said == ["Restored from version 1.", "Instructions changed."]
    assert call(editing, "POST", f"{path}/versions/1/restore").json()["version"] == 3


@pytest.mark.parametrize("number", ["0", "2", "2147483648", "9" * 30, "9" * 5000, "-1", "x"])
def test_no_such_version(editing: Client, path: str, number: str) -> None:
    assert code_of(call(editing, "GET", f"{path}/versions/{number}")) == (404, "RESOURCE_NOT_FOUND")
    assert code_of(call(editing, "POST", f"{path}/versions/{number}/restore")) == (404, "RESOURCE_NOT_FOUND")


def test_what_an_eval_asks_is_not_deleted(client_of: MemberClient, project: Project, path: str) -> None:
    owning = client_of(Role.OWNER)
    row = eval_of(project, dataset_of(project, {}), agent=Agent.objects.get())
    refused = call(owning, "DELETE", path)
    assert code_of(refused) == (409, "HAS_DEPENDENTS")
    assert '"ours"' in refused.json()["error"]["message"]
    row.delete()
    assert call(owning, "DELETE", path).status_code == 204
    assert not AgentVersion.objects.exists()


def test_a_list_asks_the_same_number_of_times_for_one_and_for_many(
    editing: Client, project: Project, provider: AiProvider, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    call(editing, "PUT", f"/agents/{agent_of(project, provider).public_id}", {"temperature": 1})
    for count in (1, 9):
        with django_assert_num_queries(QUERIES):
            listed = call(editing, "GET", f"/agents?project_id={project.public_id}").json()
        assert listed["total"] == count
        for number in range(8 * (count == 1)):
            agent_of(project, provider, name=f"n{number}")
    assert (listed["data"][-1]["name"], listed["data"][-1]["version"]) == ("triage", 2)
    versions = f"/agents/{listed['data'][-1]['id']}/versions"
    with django_assert_num_queries(QUERIES):
        assert call(editing, "GET", versions).json()["total"] == 2


@pytest.fixture
def stub(settings: Settings) -> Iterator[Stub]:
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]
    with serving(saying_json(chat_answer('{"category": "question"}'))) as stub:
        yield stub


def asked(project: Project, stub: Stub, **columns: Any) -> str:
    provider = provider_of(project, base_url=stub.url(""), config={"stream": False}, api_key_encrypted=encrypt(CANARY))
    return f"/agents/{agent_of(project, provider, instructions='Classify.', **columns).public_id}/generate"


def test_an_answer(editing: Client, project: Project, stub: Stub) -> None:
    answer = call(editing, "POST", asked(project, stub, temperature=0.5, output_schema=SCHEMA), QUESTION)
    assert answer.status_code == 200, answer.content
    document = answer.json()
    assert document["output"] == {
        "content": '{"category": "question"}', "finish_reason": "stop", "object": {"category": "question"},
    }  # fmt: skip
    assert (document["agent_version"], document["model"]) == (1, "small-1")
    assert document["usage"] is not None
    assert document["timing"]["total_ms"] >= 0
    sent = stub.last
    assert sent.headers["authorization"] == f"Bearer {CANARY}"
    assert [message["content"] for message in sent.json()["messages"]] == ["Classify.", "Do you ship to Canada?"]
    assert (sent.json()["model"], sent.json()["temperature"]) == ("small", 0.5)
    assert AuditEntry.objects.get(action="agent.asked").changes == {"version": 1}


def test_without_a_schema_there_is_no_object(editing: Client, project: Project, stub: Stub) -> None:
    output = call(editing, "POST", asked(project, stub), QUESTION).json()["output"]
    assert set(output) == {"content", "finish_reason"}


def test_the_same_key_asks_once(editing: Client, project: Project, stub: Stub) -> None:
    path = asked(project, stub)
    answers = [call(editing, "POST", path, QUESTION, **{"Idempotency-Key": "k"}).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert len(stub.requests) == 1


def test_a_schema_violation_names_the_violations(editing: Client, project: Project, stub: Stub) -> None:
    refused = call(editing, "POST", asked(project, stub, output_schema={"required": ["x"]}), QUESTION)
    assert code_of(refused) == (502, "OUTPUT_SCHEMA_VALIDATION_FAILED")
    meta = refused.json()["error"]["meta"]
    assert [violation["keyword"] for violation in meta["violations"]] == ["required"]
    assert meta["raw"] == '{"category": "question"}'


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        (saying(401, f'{{"error": {{"message": "Incorrect API key provided: {CANARY}"}}}}'), ("http_error", 401)),
        (saying(200, "<html>"), ("bad_answer", None)),
        (saying_json({"error": {"message": f"no {CANARY}"}}), ("provider_failure", None)),
        (resetting, ("unreachable", None)),
    ],
)
def test_a_provider_that_fails(
    editing: Client, project: Project, settings: Settings, handler: Any, expected: Any
) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]
    with serving(handler) as stub, all_logs() as logs:
        refused = call(editing, "POST", asked(project, stub), QUESTION)
    assert code_of(refused) == (502, "AI_PROVIDER_ERROR")
    meta = refused.json()["error"]["meta"]
    assert (meta["cause"], meta.get("status")) == expected
    assert any("gave no answer" in line for line in logs.lines)
    assert CANARY not in "\n".join([refused.content.decode(), *logs.lines, database_text()])


def test_an_address_that_may_not_be_called(editing: Client, project: Project) -> None:
    with serving(saying(200)) as stub:
        refused = call(editing, "POST", asked(project, stub), QUESTION)
        assert stub.connections == 0
    assert code_of(refused) == (403, "TOOL_EGRESS_BLOCKED")
    assert refused.json()["error"]["meta"] == {
        "address": f"127.0.0.1:{stub.port}", "setting": "PLUMBLINE_EGRESS_ALLOW",
    }  # fmt: skip


def test_a_key_that_no_key_reads(editing: Client, project: Project, stub: Stub, settings: Settings) -> None:
    path = asked(project, stub)
    settings.PLUMBLINE_SECRETS_KEYS = ["another"]
    assert code_of(call(editing, "POST", path, QUESTION)) == (409, "SECRET_UNREADABLE")
    assert stub.connections == 0


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "messages.0.role"),
        ({"messages": [{"role": "user", "content": None}]}, "messages.0.content"),
        ({**QUESTION, "temperature": 1}, "temperature"),
    ],
)
def test_a_bad_question(editing: Client, project: Project, stub: Stub, given: dict[str, Any], where: str) -> None:
    refused = call(editing, "POST", asked(project, stub), given)
    assert (refused.status_code, paths_of(refused)) == (400, [where])
    assert stub.connections == 0


def test_two_changes_of_what_both_read_make_two_versions(project: Project, provider: AiProvider) -> None:
    agent = agent_of(project, provider)
    second = Agent.objects.get(pk=agent.pk)
    agent_update(actor=COMMAND_LINE, agent=agent, changes={"instructions": "One."})
    changed = agent_update(actor=COMMAND_LINE, agent=second, changes={"temperature": 1.0})
    assert changed.version == 3
    assert AgentVersion.objects.get(agent=agent, number=3).instructions == "One."
    Agent.objects.filter(pk=agent.pk).delete()
    with pytest.raises(NotFound):
        agent_update(actor=COMMAND_LINE, agent=second, changes={"temperature": 0.0})
