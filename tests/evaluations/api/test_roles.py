"""Who may what in a project: each address against each role in it, nobody, a stranger and a key of elsewhere.

One table: a route that is added gets its row here, with the least role and a body that would be taken.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from pytest_django import Settings

from accounts.actors import COMMAND_LINE, Role
from accounts.models import AuditEntry, Membership, Project, User
from accounts.services.keys import key_create
from evaluations.engine.working import work_on_run
from evaluations.models import (
    Agent,
    AgentVersion,
    AiProvider,
    Dataset,
    DatasetItem,
    Eval,
    ItemRevision,
    ProjectSecret,
    Result,
    Run,
    Tool,
    Webhook,
    WebhookDelivery,
)
from evaluations.services.runs import RunOrder, run_start
from tests.evaluations.api.calls import chat_answer
from tests.evaluations.cases import (
    PASSES,
    agent_of,
    call,
    code_of,
    dataset_of,
    eval_of,
    provider_of,
    tool_of,
    webhook_of,
)
from tests.evaluations.conftest import MemberClient
from tests.evaluations.outbound.stubs import Stub, saying_json, serving
from tests.people import actor_for, bearer

pytestmark = pytest.mark.django_db
ITEM = {"input": [{"role": "user", "content": "x"}]}
ITEMS = "/datasets/{dataset_id}/items"
HOOK = "/projects/{project_id}/webhooks/{webhook_id}"
RUN = "/evals/{eval_id}/runs/{eval_run_id}"
# (method, path) → the least role in the project, and a body that would be taken.
TABLE: dict[tuple[str, str], tuple[Role, Any]] = {
    ("POST", "/datasets"): (Role.EDITOR, {"project_id": "{project_id}", "name": "new"}),
    ("GET", "/datasets/{dataset_id}"): (Role.VIEWER, None),
    ("PUT", "/datasets/{dataset_id}"): (Role.EDITOR, {"name": "changed"}),
    ("PATCH", "/datasets/{dataset_id}"): (Role.EDITOR, {"name": "changed"}),
    ("DELETE", "/datasets/{dataset_id}"): (Role.OWNER, None),
    ("GET", "/datasets/{dataset_id}/kinds"): (Role.VIEWER, None),
    ("GET", ITEMS): (Role.VIEWER, None),
    ("POST", ITEMS): (Role.EDITOR, ITEM),
    ("POST", f"{ITEMS}/import"): (Role.EDITOR, {"rows": [{"input": "x"}]}),
    ("GET", f"{ITEMS}/export"): (Role.VIEWER, None),
    ("GET", f"{ITEMS}/{{item_id}}"): (Role.VIEWER, None),
    ("PUT", f"{ITEMS}/{{item_id}}"): (Role.EDITOR, {"key": "changed"}),
    ("PATCH", f"{ITEMS}/{{item_id}}"): (Role.EDITOR, {"key": "changed"}),
    ("DELETE", f"{ITEMS}/{{item_id}}"): (Role.EDITOR, None),
    ("GET", f"{ITEMS}/{{item_id}}/revisions"): (Role.VIEWER, None),
    ("GET", "/projects/{project_id}"): (Role.VIEWER, None),
    ("PUT", "/projects/{project_id}"): (Role.OWNER, {"name": "changed"}),
    ("PATCH", "/projects/{project_id}"): (Role.OWNER, {"name": "changed"}),
    ("DELETE", "/projects/{project_id}?force=true"): (Role.OWNER, None),
    ("GET", "/projects/{project_id}/members"): (Role.VIEWER, None),
    ("PUT", "/projects/{project_id}/members"): (Role.OWNER, {"username": "viewer-of-project", "role": "reviewer"}),
    ("DELETE", "/projects/{project_id}/members/{user_id}"): (Role.OWNER, None),
    ("GET", "/projects/{project_id}/webhooks"): (Role.VIEWER, None),
    ("POST", "/projects/{project_id}/webhooks"): (Role.OWNER, {"url": "https://ci.example.com/"}),
    ("GET", HOOK): (Role.VIEWER, None),
    ("PUT", HOOK): (Role.OWNER, {"active": False}),
    ("PATCH", HOOK): (Role.OWNER, {"active": False}),
    ("DELETE", HOOK): (Role.OWNER, None),
    ("GET", f"{HOOK}/deliveries"): (Role.VIEWER, None),
    ("POST", f"{HOOK}/test"): (Role.OWNER, None),
    ("POST", "/evals"): (
        Role.EDITOR,
        {"project_id": "{project_id}", "name": "new", "dataset_id": "{dataset_id}", "scorers": [PASSES]},
    ),
    ("GET", "/evals/{eval_id}"): (Role.VIEWER, None),
    ("PUT", "/evals/{eval_id}"): (Role.EDITOR, {"name": "changed"}),
    ("PATCH", "/evals/{eval_id}"): (Role.EDITOR, {"name": "changed"}),
    ("DELETE", "/evals/{eval_id}"): (Role.OWNER, None),
    ("GET", "/evals/{eval_id}/compare?run={eval_run_id}&baseline={eval_run_id}"): (Role.VIEWER, None),
    ("GET", "/evals/{eval_id}/runs"): (Role.VIEWER, None),
    ("POST", "/evals/{eval_id}/runs"): (Role.EDITOR, {"outputs": [{"item_key": "b", "output": "yes"}]}),
    ("GET", RUN): (Role.VIEWER, None),
    ("DELETE", RUN): (Role.OWNER, None),
    ("POST", "/evals/{eval_id}/runs/{open_run_id}/cancel"): (Role.EDITOR, None),
    ("POST", f"{RUN}/retry-errored"): (Role.EDITOR, None),
    ("GET", f"{RUN}/export"): (Role.VIEWER, None),
    ("GET", f"{RUN}/results"): (Role.VIEWER, None),
    ("GET", f"{RUN}/results/{{result_id}}"): (Role.VIEWER, None),
    ("POST", "/ai-providers"): (
        Role.EDITOR,
        {"project_id": "{project_id}", "name": "new", "provider": "ollama", "default_model": "m"},
    ),
    ("GET", "/ai-providers/{ai_provider_id}"): (Role.VIEWER, None),
    ("PUT", "/ai-providers/{ai_provider_id}"): (Role.EDITOR, {"name": "changed"}),
    ("PATCH", "/ai-providers/{ai_provider_id}"): (Role.EDITOR, {"name": "changed"}),
    ("DELETE", "/ai-providers/{ai_provider_id}"): (Role.OWNER, None),
    ("POST", "/agents"): (
        Role.EDITOR,
        {"project_id": "{project_id}", "name": "new", "ai_provider_id": "{ai_provider_id}"},
    ),
    ("GET", "/agents/{agent_id}"): (Role.VIEWER, None),
    ("PUT", "/agents/{agent_id}"): (Role.EDITOR, {"name": "changed"}),
    ("PATCH", "/agents/{agent_id}"): (Role.EDITOR, {"instructions": "changed"}),
    ("DELETE", "/agents/{agent_id}"): (Role.OWNER, None),
    ("POST", "/agents/{agent_id}/generate"): (Role.EDITOR, {"messages": [{"role": "user", "content": "x"}]}),
    ("GET", "/agents/{agent_id}/versions"): (Role.VIEWER, None),
    ("GET", "/agents/{agent_id}/versions/{number}"): (Role.VIEWER, None),
    ("POST", "/agents/{agent_id}/versions/{number}/restore"): (Role.EDITOR, None),
    ("POST", "/tools"): (
        Role.EDITOR,
        {"project_id": "{project_id}", "name": "new", "execute": {"url": "https://policy.example.org"}},
    ),
    ("GET", "/tools/{tool_id}"): (Role.VIEWER, None),
    ("PUT", "/tools/{tool_id}"): (Role.EDITOR, {"name": "changed"}),
    ("PATCH", "/tools/{tool_id}"): (Role.EDITOR, {"name": "changed"}),
    ("DELETE", "/tools/{tool_id}"): (Role.OWNER, None),
    ("POST", "/tools/{tool_id}/call"): (Role.EDITOR, {"input": {}}),
    ("GET", "/projects/{project_id}/secrets"): (Role.EDITOR, None),
    ("PUT", "/projects/{project_id}/secrets"): (Role.OWNER, {"name": "TOKEN", "value": "changed"}),
    ("PATCH", "/projects/{project_id}/secrets"): (Role.OWNER, {"name": "TOKEN", "value": "changed"}),
    ("DELETE", "/projects/{project_id}/secrets/{secret_name}"): (Role.OWNER, None),
}
# Lists over all projects: nobody is refused who is signed in, and nobody sees what is not theirs.
LISTS = ("/agents", "/ai-providers", "/datasets", "/evals", "/projects", "/tools")
# What is asked of the installation, not of a project; tests/evaluations/api/test_projects.py has its roles.
ELSEWHERE = {("POST", "/projects")}
rows = pytest.mark.parametrize(("method", "path"), TABLE, ids=[f"{method} {path}" for method, path in TABLE])


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    """What agents and tools of the project call."""
    with serving(saying_json(chat_answer("yes"))) as stub:
        yield stub


@pytest.fixture
def things(project: Project, members: dict[Role, User], stub: Stub, settings: Settings) -> dict[str, str]:
    """The identifiers that paths and bodies name, of things of the project."""
    dataset = dataset_of(project, {"key": "a"})
    row = eval_of(project, dataset_of(project, {"key": "b"}, {"key": "c"}, name="used"))
    order = RunOrder(outputs=[{"item_key": "b", "output": "yes"}])
    done, waiting = (run_start(actor=COMMAND_LINE, row=row, order=order) for _ in range(2))
    work_on_run(done.pk)
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]
    asked = provider_of(project, base_url=stub.url(""), config={"stream": False})
    agent = agent_of(project, asked)
    AgentVersion.objects.create(agent=agent, number=2, ai_provider=asked, instructions="Be brief.")
    Agent.objects.filter(pk=agent.pk).update(version=2)
    ProjectSecret.objects.create(project=project, name="TOKEN", value_encrypted="x")
    return {
        "project_id": project.public_id,
        "dataset_id": dataset.public_id,
        "item_id": dataset.items.get().public_id,
        # Blocked, and so tried out without a network.
        "webhook_id": webhook_of(project, "http://127.0.0.1:1/").public_id,
        "user_id": members[Role.VIEWER].public_id,
        "eval_id": row.public_id,
        "eval_run_id": done.public_id,
        "open_run_id": waiting.public_id,
        "result_id": done.results.get(item_key="b").public_id,
        "ai_provider_id": provider_of(project, name="asked by nobody", provider="ollama").public_id,
        "agent_id": agent.public_id,
        "number": "1",
        "tool_id": tool_of(project, stub.url()).public_id,
        "secret_name": "TOKEN",
    }


@pytest.fixture
def key_of_elsewhere(owner: User, other_project: Project) -> str:
    """The secret of a key that opens another project, made by an owner of the installation."""
    return key_create(actor=actor_for(owner), name="elsewhere", role=Role.OWNER, project=other_project)[1]


# Calls of agents and tools leave nothing but their entry in the audit log.
_WRITTEN = (
    *(Dataset, DatasetItem, ItemRevision, Project, Membership, Eval, Run, Result),
    *(AiProvider, Agent, AgentVersion, Tool, ProjectSecret, AuditEntry, Webhook, WebhookDelivery),
)


def written() -> list[Any]:
    """What a refused request must leave as it was."""
    return [list(model.objects.order_by("pk").values()) for model in _WRITTEN]


def ask(client: Client, method: str, path: str, things: dict[str, str], **headers: str) -> Any:
    body = TABLE[method, path][1]
    if isinstance(body, dict):
        body = {
            name: things.get(value[1:-1], value) if isinstance(value, str) else value for name, value in body.items()
        }
    response = call(client, method, path.format(**things), body, **headers)
    response.getvalue()
    return response


@rows
def test_each_role_nobody_a_stranger_and_a_key_of_elsewhere(
    client_of: MemberClient, things: dict[str, str], stranger: Client, key_of_elsewhere: str, *, method: str, path: str
) -> None:
    """One set-up for all who ask, as it takes longer than they do; what one changes is taken back."""
    before, least = written(), TABLE[method, path][0]
    hidden = (404, "RESOURCE_NOT_FOUND") if "{" in path else (403, "FORBIDDEN")
    assert code_of(ask(Client(), method, path, things)) == (401, "UNAUTHORIZED")
    assert code_of(ask(stranger, method, path, things)) == hidden
    assert code_of(ask(Client(), method, path, things, **bearer(key_of_elsewhere))) == hidden
    clients = {role: client_of(role) for role in Role}
    for role, client in clients.items():
        if role < least:
            assert code_of(ask(client, method, path, things)) == (403, "FORBIDDEN"), role
    assert written() == before
    for role, client in clients.items():
        if role >= least:
            with transaction.atomic():
                response = ask(client, method, path, things)
                assert response.status_code in (200, 201, 204), (role, response.content)
                assert (written() == before) == (method == "GET"), role
                transaction.set_rollback(True)


def test_every_address_of_the_document_has_its_row(client_of: MemberClient) -> None:
    document = client_of(Role.OWNER).get("/api/schema").json()
    ours = {
        (verb.upper(), path.removeprefix("/api/v1"))
        for path, item in document["paths"].items()
        for verb in item
        if path.startswith("/api/v1/") and not path.startswith(("/api/v1/users", "/api/v1/api-keys"))
    }
    table = {(method, re.sub(r"\?.*", "", path).replace("open_run_id", "eval_run_id")) for method, path in TABLE}
    lists = {("GET", path) for path in LISTS}
    assert ours == {row for row in table if row[0] != "PATCH"} | lists | ELSEWHERE


@pytest.mark.parametrize("path", LISTS)
def test_a_list_holds_what_the_asker_may_see(
    stranger: Client, client_of: MemberClient, things: dict[str, str], path: str
) -> None:
    ours = {row["id"] for row in call(client_of(Role.VIEWER), "GET", path).json()["data"]}
    theirs = {row["id"] for row in call(stranger, "GET", path).json()["data"]}
    assert ours
    assert not ours & theirs
    if path != "/projects":
        refused = call(stranger, "GET", f"{path}?project_id={things['project_id']}")
        assert code_of(refused) == (400, "VALIDATION_FAILED")
    assert code_of(call(Client(), "GET", path)) == (401, "UNAUTHORIZED")


def test_an_item_of_another_project_is_not_reached_through_a_dataset_of_ours(
    client_of: MemberClient, things: dict[str, str], other_project: Project
) -> None:
    theirs = dataset_of(other_project, {}).items.get()
    for method, body in (("GET", None), ("PUT", {"key": "x"}), ("DELETE", None)):
        path = f"/datasets/{things['dataset_id']}/items/{theirs.public_id}"
        assert code_of(call(client_of(Role.OWNER), method, path, body)) == (404, "RESOURCE_NOT_FOUND")
    assert DatasetItem.objects.filter(pk=theirs.pk).exists()
