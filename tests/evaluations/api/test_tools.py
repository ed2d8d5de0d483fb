"""Tools and secrets over HTTP: who says where a secret is sent, what a tool answers, and what it does not."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.actors import Role
from accounts.models import AuditEntry, Project
from evaluations.encryption import decrypt
from evaluations.models import ProjectSecret, Tool
from tests.evaluations.api.calls import CANARY, all_logs, database_text
from tests.evaluations.cases import call, code_of, dataset_of, eval_of, paths_of, tool_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.outbound.stubs import Received, Stub, answer, resetting, saying, saying_json, serving

pytestmark = pytest.mark.django_db
VERDICT = {"score": 0, "passed": False, "reasoning": "Refund 60 against 25 paid."}
# The session, the person, the project for a member, the rows.
QUERIES = 4


@pytest.fixture
def owning(client_of: MemberClient) -> Client:
    return client_of(Role.OWNER)


@pytest.fixture
def editing(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


@pytest.fixture(autouse=True)
def loopback(settings: Settings) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]


@pytest.fixture
def stub() -> Iterator[Stub]:
    with serving(saying_json(VERDICT)) as stub:
        yield stub


def body(project: Project, url: str = "https://policy.example.org/score", **changes: Any) -> dict[str, Any]:
    return {
        "project_id": project.public_id,
        "name": "refund-policy",
        "type": "http",
        "execute": {"url": url},
        **changes,
    }


def made(client: Client, project: Project, url: str, **execute: Any) -> str:
    """The address of a new tool that calls `url`."""
    given = body(project, execute={"url": url, **execute})
    response = call(client, "POST", "/tools", given)
    assert response.status_code == 201, response.content
    return f"/tools/{response.json()['id']}"


def test_the_tutorials_tool(editing: Client, project: Project, stub: Stub) -> None:
    path = made(editing, project, stub.url("/score"), method="POST")
    given = {"object": {"category": "refund", "refund_amount": 60}, "item": {"metadata": {"order_total": 25}}}
    said = call(editing, "POST", f"{path}/call", {"input": given})
    assert (said.status_code, said.json()) == (200, VERDICT)
    assert (stub.last.method, stub.last.target, stub.last.json()) == ("POST", "/score", given)
    document = call(editing, "GET", path).json()
    assert document["execute"] == {"url": stub.url("/score"), "method": "POST"}
    assert (document["type"], document["preset_parameters"]) == ("http", {})
    assert AuditEntry.objects.get(action="tool.called").changes == {}


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"type": "shell"}, "type"),
        ({"execute": None}, "execute"),
        ({"execute": {}}, "execute.url"),
        ({"execute": {"url": "javascript:alert(1)"}}, "execute.url"),
        ({"execute": {"url": "https://{host}/x"}}, "execute.url"),
        ({"execute": {"url": "https://a.example/x", "method": "TRACE"}}, "execute.method"),
        ({"execute": {"url": "https://a.example/x", "timeout_s": 0}}, "execute.timeout_s"),
        ({"execute": {"url": "https://a.example/x", "headers": {"X": "a\r\nb"}}}, "execute.headers.X"),
        ({"execute": {"url": "https://a.example/x", "headers": {"Host": "b"}}}, "execute.headers.Host"),
        ({"execute": {"url": "https://a.example/x", "shell": "rm"}}, "execute.shell"),
        ({"preset_parameters": []}, "preset_parameters"),
        ({"parameters": "x"}, "parameters"),
        ({"description": "\x00"}, "description"),
        ({"timeout": 1}, "timeout"),
    ],
)
def test_a_bad_body_is_refused_by_path(editing: Client, project: Project, changes: dict[str, Any], path: str) -> None:
    refused = call(editing, "POST", "/tools", body(project, **changes))
    assert (refused.status_code, paths_of(refused)) == (400, [path])
    assert not Tool.objects.exists()
    tool = tool_of(project)
    refused = call(editing, "PUT", f"/tools/{tool.public_id}", changes)
    assert (refused.status_code, paths_of(refused)) == (400, [path])


def test_only_what_is_sent_changes(editing: Client, project: Project) -> None:
    path = made(editing, project, "https://a.example/x")
    changed = call(editing, "PATCH", path, {"name": "x", "parameters": {"type": "object"}}).json()
    assert (changed["name"], changed["execute"]["url"]) == ("x", "https://a.example/x")
    assert changed["parameters"] == {"type": "object"}
    tool_of(Project.objects.get(pk=project.pk), name="taken")
    assert code_of(call(editing, "PUT", path, {"name": "taken"})) == (409, "NAME_CONFLICT")


@pytest.mark.parametrize(
    ("handler", "said"),
    [
        (saying(200, "just text"), "just text"),
        (saying(200, ""), None),
        (saying(204), None),
        (saying(200, "[1, 2]"), [1, 2]),
        (saying(200, '{"a": 1, "a": 2}'), '{"a": 1, "a": 2}'),
        (saying(200, "NaN"), "NaN"),
        (saying(200, '"\\ud800"'), '"\\ud800"'),
        (saying(200, b"\xff\xfe"), "\ufffd\ufffd"),
        (saying(200, '"<script>alert(1)</script>"'), "<script>alert(1)</script>"),
    ],
)
def test_an_answer_is_the_tools_own(editing: Client, project: Project, handler: Any, said: Any) -> None:
    with serving(handler) as stub:
        answered = call(editing, "POST", f"{made(editing, project, stub.url())}/call", {"input": {}})
    assert answered.status_code == 200, answered.content
    assert answered.headers["Content-Type"].startswith("application/json")
    assert json.loads(answered.content) == said


def test_numbers_go_and_come_as_they_were_written(editing: Client, project: Project) -> None:
    def echoing(connection: Any, received: Received) -> None:
        connection.sendall(answer(200, received.body))

    with serving(echoing) as stub:
        path = made(editing, project, stub.url())
        said = call(editing, "POST", f"{path}/call", b'{"input":{"b":0.1234567890123456789012,"a":1e400000}}')
        assert said.status_code == 400
        said = call(editing, "POST", f"{path}/call", b'{"input":{"b":0.1234567890123456789012,"a":12345678901234567}}')
    assert said.content == b'{"b":0.1234567890123456789012,"a":12345678901234567}'


def test_parameters_fill_the_url(editing: Client, project: Project, stub: Stub) -> None:
    path = made(editing, project, stub.url("/orders/{id}"), method="GET")
    call(editing, "PUT", path, {"preset_parameters": {"id": "7/../8"}})
    assert call(editing, "POST", f"{path}/call", {}).json() == VERDICT
    assert stub.last.target == "/orders/7%2F..%2F8"
    for given, where in (({"id": ".."}, "input"), ({"id": []}, "input.id"), ({"id": None}, "input.id")):
        refused = call(editing, "POST", f"{path}/call", {"input": given})
        assert (refused.status_code, paths_of(refused)) == (400, [where])
    assert len(stub.requests) == 1


def test_a_status_that_is_no_success_comes_with_its_body(editing: Client, project: Project) -> None:
    with serving(saying_json({"detail": "no such order"}, 404)) as stub:
        refused = call(editing, "POST", f"{made(editing, project, stub.url())}/call", {"input": {}})
    assert code_of(refused) == (502, "TOOL_HTTP_ERROR")
    meta = refused.json()["error"]["meta"]
    assert (meta["status"], meta["body"], meta["attempts"]) == (404, {"detail": "no such order"}, 1)


def test_a_tool_that_gives_no_answer(editing: Client, project: Project) -> None:
    with serving(resetting) as stub:
        path = made(editing, project, stub.url())
        assert code_of(call(editing, "POST", f"{path}/call", {"input": {}})) == (502, "TOOL_UNREACHABLE")
    refused = call(editing, "POST", f"{path}/call", {"input": {}})
    assert code_of(refused) == (502, "TOOL_UNREACHABLE")
    assert refused.json()["error"]["meta"]["attempts"] == 3


def test_an_address_that_may_not_be_called(editing: Client, project: Project, stub: Stub, settings: Settings) -> None:
    path = made(editing, project, stub.url())
    settings.PLUMBLINE_EGRESS_ALLOW = []
    refused = call(editing, "POST", f"{path}/call", {"input": {}})
    assert code_of(refused) == (403, "TOOL_EGRESS_BLOCKED")
    assert "PLUMBLINE_EGRESS_ALLOW" in refused.json()["error"]["message"]
    assert stub.connections == 0


def test_what_scorers_of_evals_ask_is_not_deleted(owning: Client, editing: Client, project: Project) -> None:
    tool = tool_of(project)
    other = tool_of(project, name="other")
    scorer = {"type": "tool", "name": "policy", "tool_id": tool.public_id}
    eval_of(project, dataset_of(project, {}), scorer)
    refused = call(owning, "DELETE", f"/tools/{tool.public_id}")
    assert code_of(refused) == (409, "HAS_DEPENDENTS")
    assert '"ours"' in refused.json()["error"]["message"]
    assert code_of(call(editing, "DELETE", f"/tools/{other.public_id}")) == (403, "FORBIDDEN")
    assert call(owning, "DELETE", f"/tools/{other.public_id}").status_code == 204
    assert list(Tool.objects.all()) == [tool]


def test_a_list_asks_the_same_number_of_times_for_one_and_for_many(
    editing: Client, project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tool_of(project)
    for count in (1, 9):
        with django_assert_num_queries(QUERIES):
            assert call(editing, "GET", f"/tools?project_id={project.public_id}").json()["total"] == count
        for number in range(8 * (count == 1)):
            tool_of(project, name=f"n{number}")


def secret(client: Client, project: Project, name: str = "TOKEN", value: str = CANARY) -> Any:
    return call(client, "PUT", f"/projects/{project.public_id}/secrets", {"name": name, "value": value})


WITH_SECRET = {"Authorization": "Bearer {{secret:TOKEN}}"}


def test_a_secret_is_sent_and_is_nowhere_else(owning: Client, editing: Client, project: Project) -> None:
    def repeating(connection: Any, received: Received) -> None:
        said = f"you sent {received.headers['authorization']}"
        status = 200 if received.json() == {} else 418
        connection.sendall(answer(status, json.dumps({"said": said})))

    with serving(repeating) as stub, all_logs() as logs:
        answers = [secret(owning, project)]
        path = made(owning, project, stub.url(), headers=WITH_SECRET)
        answers += [
            call(editing, "POST", f"{path}/call", {"input": {}}, **{"Idempotency-Key": "k"}),
            call(editing, "POST", f"{path}/call", {"input": {"fail": True}}),
            call(owning, "GET", f"/projects/{project.public_id}/secrets"),
            call(owning, "GET", path),
            secret(owning, project, name="no name"),
        ]
    assert [response.status_code for response in answers] == [200, 200, 502, 200, 200, 400]
    assert stub.last.headers["authorization"] == f"Bearer {CANARY}"
    assert answers[4].json()["execute"]["headers"] == WITH_SECRET
    said = "\n".join([*(response.content.decode() for response in answers), *logs.lines, database_text()])
    assert "you sent Bearer •••" in said
    assert CANARY not in said
    assert decrypt(ProjectSecret.objects.get().value_encrypted) == CANARY


def test_only_owners_say_where_a_secret_is_sent(owning: Client, editing: Client, project: Project) -> None:
    secret(owning, project)
    thief = {"url": "https://thief.example.org", "headers": WITH_SECRET}
    refused = call(editing, "POST", "/tools", body(project, execute=thief))
    assert code_of(refused) == (403, "FORBIDDEN")
    path = made(owning, project, "https://policy.example.org", headers=WITH_SECRET)
    assert code_of(call(editing, "PUT", path, {"execute": thief})) == (403, "FORBIDDEN")
    assert Tool.objects.get().execute["url"] == "https://policy.example.org"
    assert call(editing, "PUT", path, {"description": "x", "preset_parameters": {"a": 1}}).status_code == 200


def test_a_secret_that_is_not_there(owning: Client, project: Project, stub: Stub) -> None:
    refused = call(owning, "POST", "/tools", body(project, execute={"url": stub.url(), "headers": WITH_SECRET}))
    assert (refused.status_code, paths_of(refused)) == (400, ["execute.headers"])
    secret(owning, project)
    path = made(owning, project, stub.url(), headers=WITH_SECRET)
    assert call(owning, "DELETE", f"/projects/{project.public_id}/secrets/TOKEN").status_code == 204
    refused = call(owning, "POST", f"{path}/call", {"input": {}})
    assert (refused.status_code, paths_of(refused)) == (400, ["execute.headers"])
    assert stub.connections == 0


def test_a_secret_of_another_project_is_not_sent(
    owning: Client, project: Project, other_project: Project, stub: Stub
) -> None:
    ProjectSecret.objects.create(project=other_project, name="TOKEN", value_encrypted="x")
    refused = call(owning, "POST", "/tools", body(project, execute={"url": stub.url(), "headers": WITH_SECRET}))
    assert paths_of(refused) == ["execute.headers"]


@pytest.mark.parametrize(
    ("name", "value", "path"),
    [
        ("a b", "long enough", "name"),
        ("n" * 65, "long enough", "name"),
        ("\x00", "long enough", "name"),
        ("NAME", "tiny!", "value"),
        ("NAME", "two\nlines", "value"),
        ("NAME", " padded ", "value"),
    ],
)
def test_a_secret_that_no_header_can_hold(owning: Client, project: Project, name: str, value: str, path: str) -> None:
    refused = secret(owning, project, name, value)
    assert (refused.status_code, paths_of(refused)) == (400, [path])
    assert value not in refused.content.decode()
    assert not ProjectSecret.objects.exists()


def test_secrets_are_listed_by_name_and_replaced(
    owning: Client, editing: Client, project: Project, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    secret(owning, project, "B")
    secret(owning, project, "A")
    first = ProjectSecret.objects.get(name="A")
    secret(owning, project, "A", "another value")
    with django_assert_num_queries(QUERIES + 1):
        listed = call(editing, "GET", f"/projects/{project.public_id}/secrets").json()
    assert ([row["name"] for row in listed["data"]], listed["total"]) == (["A", "B"], 2)
    assert set(listed["data"][0]) == {"name", "created_at", "updated_at"}
    again = ProjectSecret.objects.get(name="A")
    assert decrypt(again.value_encrypted) == "another value"
    assert again.updated_at > first.updated_at
    assert again.created_at == first.created_at
    assert [entry.object_name for entry in AuditEntry.objects.filter(action="secret.set")] == ["A", "A", "B"]
    for name in ("nothing", "%00", "a%20b"):
        path = f"/projects/{project.public_id}/secrets/{name}"
        assert code_of(call(owning, "DELETE", path)) == (404, "RESOURCE_NOT_FOUND")
