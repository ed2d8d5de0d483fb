"""What the tests of evaluations ask again and again: things in a project, and calls of the API."""

from hashlib import sha256
from typing import Any

from django.test import Client

from accounts.actors import Role
from accounts.models import Membership, Project, User
from evaluations.encryption import encrypt
from evaluations.events import EVENTS
from evaluations.models import Agent, AgentVersion, AiProvider, Dataset, DatasetItem, Eval, Tool, Webhook
from foundation import exact_json

JSON = "application/json"
API = "/api/v1"
PASSES = {"type": "contains", "name": "says-yes", "value": "yes"}


def call(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    """The answer to a request with a JSON body, or none."""
    data = b"" if body is None else body if isinstance(body, bytes) else exact_json.dumps(body).encode()
    return client.generic(method, f"{API}{path}", data, content_type=JSON, headers=headers)


def paths_of(response: Any) -> list[str]:
    """The paths of the fields that a refusal names."""
    return [fault["path"] for fault in response.json()["error"]["meta"]["fields"]]


def code_of(response: Any) -> tuple[int, str]:
    """The status and the code of a refusal."""
    return response.status_code, response.json()["error"]["code"]


def member(project: Project, user: User, role: Role) -> Membership:
    """The person's new membership."""
    return Membership.objects.create(project=project, user=user, role=role)


def dataset_of(project: Project, *items: dict[str, Any], name: str = "cases") -> Dataset:
    """A dataset with these items: `input` may be a text; the rest are columns."""
    dataset = Dataset.objects.create(project=project, name=name)
    for position, item in enumerate(items):
        question = item.get("input", f"question {position}")
        asked = [{"role": "user", "content": question}] if isinstance(question, str) else question
        rest = {"content_hash": sha256(str(item).encode()).hexdigest(), **item, "input": asked}
        DatasetItem.objects.create(dataset=dataset, position=position, search_text="", **rest)
    return dataset


def provider_of(project: Project, **columns: Any) -> AiProvider:
    """A provider of the project."""
    given = {"name": "local", "provider": "openai_compatible", "default_model": "small", **columns}
    return AiProvider.objects.create(project=project, **given)


def agent_of(project: Project, provider: AiProvider | None = None, name: str = "triage", **columns: Any) -> Agent:
    """An agent at version 1."""
    agent = Agent.objects.create(project=project, name=name)
    AgentVersion.objects.create(agent=agent, number=1, ai_provider=provider or provider_of(project), **columns)
    return agent


def tool_of(project: Project, url: str = "http://127.0.0.1:1/score", name: str = "policy") -> Tool:
    """An HTTP tool."""
    return Tool.objects.create(project=project, name=name, execute={"url": url, "method": "POST"})


def webhook_of(project: Project, url: str, *events: str, **columns: Any) -> Webhook:
    """A webhook that is told of these events, or all; its secret is `whsec_of_a_test`."""
    given = {"secret_encrypted": encrypt("whsec_of_a_test"), "events": list(events or EVENTS), **columns}
    return Webhook.objects.create(project=project, url=url, **given)


def eval_of(project: Project, dataset: Dataset, *scorers: dict[str, Any], **columns: Any) -> Eval:
    """An eval with these scorers, or one that looks for a yes."""
    return Eval.objects.create(
        project=project, dataset=dataset, scorers=list(scorers) or [PASSES], **{"name": "ours", **columns}
    )
