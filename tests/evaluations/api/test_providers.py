"""AI providers over HTTP: who sets an address, and keys that go in and never come out."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.actors import Role
from accounts.models import AuditEntry, Project
from evaluations.encryption import decrypt
from evaluations.engine.context import load_context
from evaluations.models import AiProvider, Run
from evaluations.services.runs import RunOrder, run_start
from tests.evaluations.api.calls import CANARY, all_logs, database_text
from tests.evaluations.cases import agent_of, call, code_of, dataset_of, eval_of, paths_of, provider_of
from tests.evaluations.conftest import MemberClient
from tests.people import actor_for

pytestmark = pytest.mark.django_db
# The session, the person, the project for a member, the rows.
QUERIES = 4
HOME = "https://models.example.org"
ELSEWHERE = "https://thief.example.org"


def body(project: Project, **changes: Any) -> dict[str, Any]:
    given = {"project_id": project.public_id, "name": "Local Ollama", "provider": "ollama", "default_model": "m"}
    return {**given, **changes}


@pytest.fixture
def owning(client_of: MemberClient) -> Client:
    return client_of(Role.OWNER)


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture
def keyed(owning: Client, project: Project) -> str:
    """The path of a provider with a key, at an address of its own."""
    given = body(project, provider="openai_compatible", base_url=HOME, api_key=CANARY)
    return f"/ai-providers/{call(owning, 'POST', '/ai-providers', given).json()['id']}"


def test_the_tutorials_provider(editing: Client, project: Project) -> None:
    made = call(editing, "POST", "/ai-providers", body(project))
    assert made.status_code == 201
    document = made.json()
    assert document["id"].startswith("aip_")
    assert {name: document[name] for name in ("base_url", "api_key_set", "api_key_hint", "config", "notes")} == {
        "base_url": None, "api_key_set": False, "api_key_hint": None, "config": {}, "notes": [],
    }  # fmt: skip
    assert call(editing, "GET", f"/ai-providers/{document['id']}").json() == document


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"provider": "pigeon"}, "provider"),
        ({"default_model": " "}, "default_model"),
        ({"name": "\x00"}, "name"),
        ({"provider": "openai_compatible"}, "base_url"),
        ({"base_url": "ftp://models.example.org"}, "base_url"),
        ({"base_url": "https://user:pw@models.example.org"}, "base_url"),
        ({"base_url": "https://models.example.org/?key=1"}, "base_url"),
        ({"api_key": "two\nlines"}, "api_key"),
        ({"api_key": "k" * 8001}, "api_key"),
        ({"config": []}, "config"),
        ({"config": {"proxy": "x"}}, "config.proxy"),
        ({"config": {"timeout_s": 601}}, "config.timeout_s"),
        ({"config": {"headers": {"Host": "x"}}}, "config.headers.Host"),
        ({"config": {"parameters": {"messages": []}}}, "config.parameters.messages"),
        ({"apikey": CANARY}, "apikey"),
    ],
)
def test_a_bad_body_is_refused_by_path(owning: Client, project: Project, changes: dict[str, Any], path: str) -> None:
    refused = call(owning, "POST", "/ai-providers", body(project, **changes))
    assert refused.status_code == 400
    assert paths_of(refused) == [path]
    assert CANARY not in refused.content.decode()
    assert not AiProvider.objects.exists()


def test_a_name_stands_once_in_a_project(owning: Client, project: Project, other_project: Project) -> None:
    provider_of(other_project, name="Local Ollama")
    assert call(owning, "POST", "/ai-providers", body(project)).status_code == 201
    assert code_of(call(owning, "POST", "/ai-providers", body(project))) == (409, "NAME_CONFLICT")
    second = call(owning, "POST", "/ai-providers", body(project, name="Two")).json()["id"]
    renamed = call(owning, "PUT", f"/ai-providers/{second}", {"name": "Local Ollama"})
    assert code_of(renamed) == (409, "NAME_CONFLICT")


def test_only_owners_set_an_address(editing: Client, owning: Client, project: Project, keyed: str) -> None:
    created = call(editing, "POST", "/ai-providers", body(project, name="mine", base_url=ELSEWHERE))
    assert code_of(created) == (403, "FORBIDDEN")
    assert "base_url" in created.json()["error"]["message"]
    assert code_of(call(editing, "PATCH", keyed, {"base_url": ELSEWHERE})) == (403, "FORBIDDEN")
    assert call(editing, "PATCH", keyed, {"base_url": HOME, "default_model": "n"}).json()["default_model"] == "n"
    assert AiProvider.objects.get().base_url == HOME


@pytest.mark.parametrize("change", [{"base_url": ELSEWHERE}, {"base_url": None, "provider": "openai"}])
def test_a_changed_address_drops_the_key(owning: Client, keyed: str, change: dict[str, Any]) -> None:
    answer = call(owning, "PUT", keyed, change).json()
    assert (answer["api_key_set"], answer["api_key_hint"]) == (False, None)
    assert "dropped" in answer["notes"][0]
    assert AiProvider.objects.get().api_key_encrypted == ""
    told = AuditEntry.objects.get(action="ai_provider.updated").changes
    assert told["api_key"] == "removed"


def test_a_new_key_with_a_new_address_stays(owning: Client, keyed: str) -> None:
    answer = call(owning, "PUT", keyed, {"base_url": ELSEWHERE, "api_key": "a-key-for-elsewhere"}).json()
    assert (answer["api_key_set"], answer["api_key_hint"], answer["notes"]) == (True, "here", [])
    assert decrypt(AiProvider.objects.get().api_key_encrypted) == "a-key-for-elsewhere"


def test_what_leaves_the_address_leaves_the_key(owning: Client, keyed: str) -> None:
    for change in ({"name": "Renamed"}, {"config": {"stream": False}}, {"base_url": HOME}):
        answer = call(owning, "PUT", keyed, change).json()
        assert (answer["api_key_set"], answer["notes"]) == (True, [])
    assert call(owning, "PUT", keyed, {"api_key": None}).json()["api_key_set"] is False


def test_a_short_key_has_no_hint(owning: Client, project: Project) -> None:
    assert call(owning, "POST", "/ai-providers", body(project, api_key="hunter22")).json()["api_key_hint"] is None


def test_a_key_is_in_no_answer_no_row_and_no_log(owning: Client, project: Project) -> None:
    given = body(project, provider="openai_compatible", base_url=HOME, api_key=CANARY)
    with all_logs() as logs:
        made = call(owning, "POST", "/ai-providers", given, **{"Idempotency-Key": "once"})
        path = f"/ai-providers/{made.json()['id']}"
        answers = [
            made,
            call(owning, "POST", "/ai-providers", given, **{"Idempotency-Key": "once"}),
            call(owning, "GET", path),
            call(owning, "GET", "/ai-providers"),
            call(owning, "PUT", path, {"name": "x", "api_key": CANARY}),
            call(owning, "PUT", path, {"name": "", "api_key": CANARY}),
            call(owning, "POST", "/ai-providers", given),
        ]
    assert [answer.status_code for answer in answers] == [201, 201, 200, 200, 200, 400, 201]
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    said = "\n".join([*(answer.content.decode() for answer in answers), *logs.lines, database_text()])
    assert made.json()["api_key_hint"] == CANARY[-4:]
    assert CANARY not in said
    assert "Local Ollama" in said
    assert decrypt(AiProvider.objects.first().api_key_encrypted) == CANARY  # type: ignore[union-attr]


def test_a_key_for_a_new_address_does_not_reach_a_run_that_froze_the_old_one(
    owning: Client, project: Project, members: dict[Role, Any]
) -> None:
    made = call(
        owning, "POST", "/ai-providers", body(project, provider="openai_compatible", base_url=HOME, api_key=CANARY)
    )
    provider = AiProvider.objects.get(public_id=made.json()["id"])
    row = eval_of(project, dataset_of(project, {}), agent=agent_of(project, provider))
    run: Run = run_start(actor=actor_for(members[Role.OWNER]), row=row, order=RunOrder())
    context = load_context(run)
    assert context.provider is not None
    assert context.provider.api_key == CANARY
    assert CANARY not in repr(context)
    call(owning, "PUT", f"/ai-providers/{provider.public_id}", {"base_url": ELSEWHERE, "api_key": "for elsewhere"})
    context = load_context(run)
    assert context.provider is not None
    assert (context.provider.base_url, context.provider.api_key) == (HOME, None)


def test_what_agents_ask_is_not_deleted(owning: Client, project: Project) -> None:
    provider = provider_of(project)
    agent = agent_of(project, provider)
    path = f"/ai-providers/{provider.public_id}"
    refused = call(owning, "DELETE", path)
    assert code_of(refused) == (409, "HAS_DEPENDENTS")
    assert '"triage"' in refused.json()["error"]["message"]
    agent.delete()
    assert call(owning, "DELETE", path).status_code == 204
    assert call(owning, "GET", path).status_code == 404


def test_a_list_asks_the_same_number_of_times_for_one_and_for_many(
    owning: Client, project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    provider_of(project, name="first")
    for count in (1, 9):
        with django_assert_num_queries(QUERIES):
            listed = call(owning, "GET", f"/ai-providers?project_id={project.public_id}").json()
        assert listed["total"] == count
        for number in range(8 * (count == 1)):
            provider_of(project, name=f"n{number}")
    assert [row["name"] for row in listed["data"]][-1] == "first"
    assert paths_of(call(owning, "GET", "/ai-providers?name=x")) == ["name"]
