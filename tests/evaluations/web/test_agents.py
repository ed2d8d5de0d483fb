"""Agents and providers: lists, forms, versions, and Try it."""

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from accounts.actors import Role
from accounts.models import Project
from evaluations.encryption import decrypt, encrypt
from evaluations.models import Agent, AgentVersion, AiProvider
from evaluations.queries.agents import newest_version
from tests.evaluations.api.calls import CANARY, chat_answer, database_text
from tests.evaluations.cases import agent_of, dataset_of, eval_of, provider_of, tool_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.outbound.stubs import Stub, saying, saying_json, serving
from tests.scoring.web.profile_forms import HOSTILE, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def provider(project: Project) -> AiProvider:
    return provider_of(project)


@pytest.fixture
def agent(project: Project, provider: AiProvider) -> Agent:
    return agent_of(project, provider, instructions="Be kind.\nBe short.", temperature=0.5)


def sent(client: Client, address: str, **changes: str) -> dict[str, str]:
    """The page's form as a browser would send it back, with some fields changed."""
    form = client.get(address).context["form"]
    values = {name: form[name].value() for name in form.fields if name != "remove_key"}
    shown = {name: "" if value is None else str(value) for name, value in values.items()}
    return {name: re.sub(r"\r?\n", "\r\n", value) for name, value in (shown | changes).items()}


# The list


def test_the_list_says_what_there_is(client_of: MemberClient, project: Project, agent: Agent) -> None:
    tool_of(project)
    page = words(client_of(Role.VIEWER).get(f"/projects/{project.public_id}/agents").text)
    assert "triage local small v1 text just now" in page
    assert "local OpenAI-compatible small usual none" in page
    assert "policy – POST http://127.0.0.1:1/score" in page
    assert "New agent" not in page


def test_the_list_costs_the_same_for_many(client_of: MemberClient, project: Project, provider: AiProvider) -> None:
    client, counts = client_of(Role.VIEWER), []
    for number in range(12):
        agent_of(project, provider, name=f"agent {number}")
        tool_of(project, name=f"tool {number}")
        if number in {0, 11}:
            with CaptureQueriesContext(connection) as queries:
                assert f"agent {number}" in client.get(f"/projects/{project.public_id}/agents").text
            counts.append(len(queries))
    assert counts[0] == counts[1] <= 16


def test_strangers_and_nobody_find_nothing(stranger: Client, client: Client, project: Project, agent: Agent) -> None:
    tool = tool_of(project)
    provider = AiProvider.objects.get()
    for address in (
        f"/projects/{project.public_id}/agents",
        f"/projects/{project.public_id}/agents/new",
        f"/projects/{project.public_id}/agents/providers/new",
        f"/projects/{project.public_id}/agents/tools/new",
        f"/agents/{agent.public_id}",
        f"/agents/{agent.public_id}/try",
        f"/agents/{agent.public_id}/versions",
        f"/agents/{agent.public_id}/versions/1",
        f"/providers/{provider.public_id}",
        f"/tools/{tool.public_id}",
        f"/tools/{tool.public_id}/try",
    ):
        assert stranger.get(address).status_code == 404, address
        assert client.get(address).status_code == 302, address


def test_viewers_read_and_may_not_write(client_of: MemberClient, project: Project, agent: Agent) -> None:
    client, provider, tool = client_of(Role.VIEWER), AiProvider.objects.get(), tool_of(project)
    for address in (f"/agents/{agent.public_id}", f"/providers/{provider.public_id}", f"/tools/{tool.public_id}"):
        page = client.get(address).text
        assert "<textarea" not in page
        assert "Try it" not in page
        assert client.post(address, {}).status_code == 403
        assert client.post(f"{address}/delete").status_code == 403
    for page in ("new", "providers/new", "tools/new"):
        assert client.get(f"/projects/{project.public_id}/agents/{page}").status_code == 403
    assert client.get(f"/agents/{agent.public_id}/try").status_code == 403
    assert client.get(f"/tools/{tool.public_id}/try").status_code == 403
    assert client.post(f"/agents/{agent.public_id}/versions/1/restore").status_code == 403
    assert "Be kind." in client.get(f"/agents/{agent.public_id}").text


# Agents


def test_an_agent_is_made(editing: Client, project: Project) -> None:
    address = f"/projects/{project.public_id}/agents/new"
    assert "this project has no provider yet" in editing.get(address).text
    provider = provider_of(project)
    given = {
        "name": "triage",
        "ai_provider_id": provider.public_id,
        "instructions": "Classify.\r\nBriefly.",
        "temperature": "0.2",
        "output_schema": '{"type": "object"}',
    }
    assert editing.post(address, given).status_code == 302
    version = newest_version(Agent.objects.get())
    assert (version.instructions, version.temperature, version.max_tokens) == ("Classify.\nBriefly.", 0.2, None)
    assert version.output_schema == {"type": "object"}
    assert editing.post(address, given).status_code == 422


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": " "}, "This field is required"),
        ({"name": "taken"}, "taken"),
        ({"ai_provider_id": "aip_0000000000000000"}, "Select a valid choice"),
        ({"temperature": "3"}, "less than or equal to 2"),
        ({"temperature": "nan"}, "Enter a number"),
        ({"max_tokens": "0"}, "greater than or equal to 1"),
        ({"max_tokens": "9" * 30}, "less than or equal to"),
        ({"output_schema": "{"}, "This is not valid JSON"),
        ({"output_schema": '{"type": "nonsense"}'}, "nonsense"),
        ({"instructions": "a\x00b"}, "Null characters are not allowed"),
    ],
)
def test_a_refused_agent_keeps_what_was_typed(
    changes: dict[str, str], told: str, editing: Client, project: Project, agent: Agent
) -> None:
    agent_of(project, AiProvider.objects.get(), name="taken")
    address = f"/agents/{agent.public_id}"
    answer = editing.post(address, sent(editing, address, model="my model") | changes)
    assert answer.status_code == 422
    assert told in html.unescape(answer.text)
    assert "my model" in answer.text
    assert f"<h1>{agent.name}</h1>" in answer.text
    assert newest_version(Agent.objects.get(pk=agent.pk)).number == 1


def test_saving_what_is_shown_makes_no_version_and_a_change_makes_one(editing: Client, agent: Agent) -> None:
    address = f"/agents/{agent.public_id}"
    assert editing.post(address, sent(editing, address)).status_code == 302
    assert AgentVersion.objects.count() == 1
    changed = sent(editing, address, instructions="Be kind.\nBe long.", version_label="long")
    assert editing.post(address, changed).status_code == 302
    assert "Saved as version 2." in editing.get(address).text
    page = editing.get(f"{address}/versions/2").text
    assert "<del>short</del><ins>long</ins>" in page
    # What changed stands in the difference and in the content, the rest in the content alone.
    assert (page.count("<h3>Instructions</h3>"), page.count("<h3>Temperature</h3>")) == (2, 0)
    assert "<dt>Temperature</dt><dd>0.5</dd>" in page
    assert "Instructions changed." in editing.get(f"{address}/versions").text
    answer = editing.post(f"{address}/versions/1/restore")
    assert answer["Location"] == address
    agent.refresh_from_db()
    assert (agent.version, newest_version(agent).instructions) == (3, "Be kind.\nBe short.")
    assert editing.get(f"{address}/versions/9").status_code == 404


def test_versions_are_paged(editing: Client, agent: Agent) -> None:
    provider = AiProvider.objects.get()
    rows = [AgentVersion(agent=agent, number=n, ai_provider=provider, instructions=f"v{n}") for n in range(2, 61)]
    AgentVersion.objects.bulk_create(rows)
    Agent.objects.update(version=60)
    page = editing.get(f"/agents/{agent.public_id}/versions").text
    assert "?before=11" in page
    assert "Version 10<" in editing.get(f"/agents/{agent.public_id}/versions?before=11").text
    assert editing.get(f"/agents/{agent.public_id}/versions?before=x").status_code == 200


def test_only_what_nobody_asks_can_be_deleted(client_of: MemberClient, project: Project, agent: Agent) -> None:
    owner, address = client_of(Role.OWNER), f"/agents/{agent.public_id}"
    row = eval_of(project, dataset_of(project, {}), agent=agent, name="uses it")
    assert "Delete agent" not in owner.get(address).text
    assert "Asked by the eval uses it" in words(owner.get(address).text)
    assert owner.post(f"{address}/delete").status_code == 409
    row.delete()
    assert "Delete agent" in owner.get(address).text
    provider = f"/providers/{AiProvider.objects.get().public_id}"
    assert owner.post(f"{provider}/delete").status_code == 409
    assert owner.post(f"{address}/delete")["Location"] == f"/projects/{project.public_id}/agents"
    assert owner.post(f"{provider}/delete").status_code == 302
    assert (Agent.objects.count(), AiProvider.objects.count()) == (0, 0)


def test_hostile_names_are_text(client_of: MemberClient, project: Project) -> None:
    provider = provider_of(project, name=HOSTILE, default_model=HOSTILE)
    agent = agent_of(project, provider, name=HOSTILE, instructions=HOSTILE, label=HOSTILE, changes=[HOSTILE])
    tool = tool_of(project, name=HOSTILE)
    client = client_of(Role.OWNER)
    for address in (
        f"/projects/{project.public_id}/agents",
        f"/agents/{agent.public_id}",
        f"/agents/{agent.public_id}/versions",
        f"/agents/{agent.public_id}/versions/1",
        f"/agents/{agent.public_id}/try",
        f"/providers/{provider.public_id}",
        f"/tools/{tool.public_id}",
        f"/tools/{tool.public_id}/try",
    ):
        page = client.get(address).text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "alert(1)" in page


# Try it


@pytest.fixture
def stub(settings: Settings) -> Iterator[Stub]:
    settings.PLUMBLINE_EGRESS_ALLOW = ("127.0.0.1",)
    with serving(saying_json(chat_answer("Yes, <b>gladly</b>."))) as stub:
        yield stub


def asked(project: Project, address: str, **columns: Any) -> str:
    """The address of Try it of an agent whose provider is there."""
    provider = provider_of(project, base_url=address, config={"stream": False}, api_key_encrypted=encrypt(CANARY))
    return f"/agents/{agent_of(project, provider, **columns).public_id}/try"


def test_an_answer_is_shown_with_its_time(editing: Client, project: Project, stub: Stub) -> None:
    address = asked(project, stub.url(""))
    assert editing.get(address).status_code == 200
    assert stub.connections == 0
    answer = editing.post(address, {"message": "Do you ship\r\nto Canada?"})
    assert answer.status_code == 200
    assert "Yes, &lt;b&gt;gladly&lt;/b&gt;." in answer.text
    assert "small-1" in answer.text
    assert re.search(r"Time \S+ ?ms", words(answer.text).replace("\u202f", " ").replace("\u00a0", " ")), words(
        answer.text
    )
    assert stub.last.json()["messages"] == [{"role": "user", "content": "Do you ship\nto Canada?"}]
    assert "Do you ship" in answer.text


def test_an_answer_that_meets_a_schema_is_shown_as_json(editing: Client, project: Project, settings: Settings) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ("127.0.0.1",)
    with serving(saying_json(chat_answer('{"category": "refund"}'))) as stub:
        page = editing.post(asked(project, stub.url(""), output_schema={}), {"message": "hi"}).text
    assert "As JSON" in page


def test_a_failure_says_why_and_shows_no_key(editing: Client, project: Project, settings: Settings) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ("127.0.0.1",)
    with serving(saying(401, f'{{"error": "bad key {CANARY} <b>"}}')) as stub:
        answer = editing.post(asked(project, stub.url("")), {"message": "hi there"})
    assert answer.status_code == 200
    assert "No answer" in answer.text
    assert "401" in answer.text
    assert "hi there" in answer.text
    assert CANARY not in answer.text
    assert "<b>" not in answer.text


def test_an_address_that_may_not_be_called_is_told(editing: Client, project: Project) -> None:
    with serving(saying(200)) as stub:
        answer = editing.post(asked(project, stub.url("")), {"message": "hi"})
        assert stub.connections == 0
    assert "may not be called" in answer.text


def test_an_empty_message_asks_nobody(editing: Client, project: Project, stub: Stub) -> None:
    address = asked(project, stub.url(""))
    for message in ("", "a\x00b", "x" * 100_001):
        assert editing.post(address, {"message": message}).status_code == 422
    assert stub.connections == 0


# Providers


def test_a_key_goes_in_and_never_comes_out(client_of: MemberClient, project: Project) -> None:
    owner, listed = client_of(Role.OWNER), f"/projects/{project.public_id}/agents"
    given = {
        "name": "ours",
        "provider": "openai_compatible",
        "default_model": "small",
        "base_url": "https://models.example.org",
        "api_key": CANARY,
        "config": '{"timeout_s": 20}',
    }
    assert owner.post(f"/projects/{project.public_id}/agents/providers/new", given)["Location"] == listed
    row = AiProvider.objects.get()
    assert (decrypt(row.api_key_encrypted), row.config) == (CANARY, {"timeout_s": 20})
    address = f"/providers/{row.public_id}"
    assert owner.post(address, sent(owner, address, default_model="large")).status_code == 302
    row.refresh_from_db()
    assert (decrypt(row.api_key_encrypted), row.default_model) == (CANARY, "large")
    for page in (owner.get(address).text, owner.get(listed).text, owner.post(address, {**given, "name": ""}).text):
        assert CANARY not in page
    assert CANARY not in database_text()
    answer = owner.post(address, sent(owner, address, base_url="https://other.example.org"), follow=True)
    assert "was dropped" in answer.text
    row.refresh_from_db()
    assert row.api_key_encrypted == ""


def test_a_stored_key_is_removed_when_that_is_asked(client_of: MemberClient, project: Project) -> None:
    row = provider_of(project, base_url="https://models.example.org", api_key_encrypted=encrypt(CANARY))
    owner, address = client_of(Role.OWNER), f"/providers/{row.public_id}"
    assert owner.post(address, sent(owner, address) | {"remove_key": "on"}).status_code == 302
    row.refresh_from_db()
    assert row.api_key_encrypted == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": ""}, "This field is required"),
        ({"base_url": "ftp://x"}, ""),
        ({"base_url": ""}, "Give the address of the service"),
        ({"config": '{"nonsense": 1}'}, "nonsense: There is only"),
        ({"config": "[]"}, "Must be a JSON object"),
        ({"api_key": "a\nb"}, ""),
        ({"provider": "x"}, "Select a valid choice"),
    ],
)
def test_a_refused_provider_says_where(
    changes: dict[str, str], told: str, client_of: MemberClient, project: Project
) -> None:
    row = provider_of(project, base_url="https://models.example.org")
    owner, address = client_of(Role.OWNER), f"/providers/{row.public_id}"
    answer = owner.post(address, sent(owner, address, default_model="typed") | changes)
    assert answer.status_code == 422
    assert told in html.unescape(answer.text)
    assert "field-error" in answer.text
    assert "typed" in answer.text


def test_an_editor_may_not_set_an_address(editing: Client, project: Project) -> None:
    given = {"name": "x", "provider": "openai_compatible", "default_model": "m", "base_url": "https://a.example.org"}
    answer = editing.post(f"/projects/{project.public_id}/agents/providers/new", given)
    assert answer.status_code == 422
    assert "Only an owner of the project may set base_url" in answer.text
    assert not AiProvider.objects.exists()
