"""Agents, over HTTP: made, changed, deleted, asked. Their versions: evaluations.api.agent_versions."""

from typing import Annotated, Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.evals import OF_PROJECT
from evaluations.api.idempotency import HEADER_WORDS, idempotent
from evaluations.api.texts import Identifier, JsonObject, LongText, Name, Number, ShortText
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.item_documents import Messages
from evaluations.models import Agent, AgentVersion
from evaluations.permissions import LEAST_ROLE, Act, project_to_write
from evaluations.queries.agents import agent_for, agents_listed, newest_version
from evaluations.services.agents import AgentAnswer, agent_create, agent_delete, agent_generate, agent_update
from foundation import times
from foundation.http.api import json_body
from foundation.http.bodies import Moment, StrictBody, read_body
from foundation.http.openapi import describe
from scoring.kit.paths import ABSENT

Temperature = Annotated[Number, Field(ge=0, le=2)]
MostTokens = Annotated[int, Field(ge=1, le=10_000_000)]


class AgentBody(StrictBody):
    """A new agent: a provider's model with instructions.

    Without `model` it is the provider's default model. With `output_schema`, a JSON Schema, answers are
    JSON that meets it, or errors.
    """

    project_id: Identifier
    ai_provider_id: Identifier
    name: Name
    instructions: LongText | None = None
    model: ShortText | None = None
    temperature: Temperature | None = None
    max_tokens: MostTokens | None = None
    output_schema: JsonObject | None = None
    version_label: ShortText | None = None


class AgentChange(StrictBody):
    """What to change of an agent; what is left out stays.

    What changes its answers makes a new version, to which `version_label` goes; alone, a label goes to
    the newest version.
    """

    ai_provider_id: Identifier = Field(default="")
    name: Name = Field(default="")
    instructions: LongText | None = None
    model: ShortText | None = None
    temperature: Temperature | None = None
    max_tokens: MostTokens | None = None
    output_schema: JsonObject | None = None
    version_label: ShortText | None = None


class AgentDocument(StrictBody):
    """An agent with the content of its newest version. `model` null: the provider's default model."""

    id: str
    project_id: str
    name: str
    version: int
    version_label: str | None
    ai_provider_id: str
    instructions: str | None
    model: str | None
    temperature: float | None
    max_tokens: int | None
    output_schema: JsonObject | None
    created_at: Moment
    updated_at: Moment


class AgentList(StrictBody):
    """A part of the agents, newest first."""

    data: list[AgentDocument]
    total: int
    limit: int
    offset: int


class GenerateBody(StrictBody):
    """What the agent is asked."""

    messages: Messages


class GeneratedOutput(StrictBody):
    """What the model said: its text, and with an output schema the JSON in it (absent without)."""

    content: str
    object: Any = None
    finish_reason: str | None


class GenerationAnswer(StrictBody):
    """An answer of the agent. `usage` is null when the provider did not count; times are in milliseconds."""

    agent_version: int
    model: str | None
    output: GeneratedOutput
    usage: JsonObject | None
    timing: JsonObject


# The schema is the caller's own JSON, whose exact numbers no model may touch: these are written by hand.
def version_content(version: AgentVersion) -> dict[str, Any]:
    """What a version holds, as the API answers it."""
    return {
        "ai_provider_id": version.ai_provider.public_id,
        "instructions": version.instructions or None,
        "model": version.model or None,
        "temperature": version.temperature,
        "max_tokens": version.max_tokens,
        "output_schema": version.output_schema,
    }


def agent_document(agent: Agent) -> dict[str, Any]:
    """The agent as the API answers it."""
    version = newest_version(agent)
    return {
        "id": agent.public_id,
        "project_id": agent.project.public_id,
        "name": agent.name,
        "version": version.number,
        "version_label": version.label or None,
        **version_content(version),
        "created_at": times.iso(agent.created_at),
        "updated_at": times.iso(agent.updated_at),
    }


def _generation(answer: AgentAnswer) -> dict[str, Any]:
    given = answer.generation
    output: dict[str, Any] = {"content": given.text, "finish_reason": given.finish_reason}
    if given.object is not ABSENT:
        output["object"] = given.object
    return {
        "agent_version": answer.version.number,
        "model": given.model,
        "output": output,
        "usage": given.usage,
        "timing": dict(given.timing),
    }


class Agents(ProjectView):
    """All of them."""

    @describe(
        "list-agents",
        "List agents.",
        query=OF_PROJECT,
        answers={200: AgentList},
        needs=LEAST_ROLE[Act.READ],
    )
    def get(self, request: Request) -> Response:
        """The agents of one project, or of all that the caller may see, newest first."""
        project_id = only_parameters(request, OF_PROJECT).get("project_id")
        return page_of(request, agents_listed(self.actor(request), project_id), agent_document)

    @describe(
        "create-agent",
        "Create an agent.",
        body=AgentBody,
        headers=HEADER_WORDS,
        answers={201: AgentDocument},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(409, 422),
        example={
            "project_id": "proj_0123456789abcdef",
            "ai_provider_id": "aip_0123456789abcdef",
            "name": "Refund Triage",
            "instructions": "Classify the customer message.",
            "output_schema": {"type": "object", "required": ["category"]},
        },
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """The new agent, at version 1."""
        body = read_body(AgentBody, json_body(request)).model_dump()
        actor = self.actor(request)
        project = project_to_write(actor, body.pop("project_id"))
        return Response(agent_document(agent_create(actor=actor, project=project, body=body)), status=201)


class AgentDetail(ProjectView):
    """One of them."""

    @describe("get-agent", "Get an agent.", answers={200: AgentDocument}, needs=LEAST_ROLE[Act.READ], refusals=(404,))
    def get(self, request: Request, agent_id: str) -> Response:
        """The agent as its newest version is."""
        only_parameters(request, ())
        return Response(agent_document(agent_for(self.actor(request), agent_id)))

    @describe(
        "update-agent",
        "Change an agent.",
        body=AgentChange,
        answers={200: AgentDocument},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409),
        example={"instructions": "Never refund more than was paid.", "version_label": "caps-refund"},
    )
    def put(self, request: Request, agent_id: str) -> Response:
        """The agent as it is now; `version` is one more where its answers may change."""
        actor = self.actor(request)
        agent = agent_for(actor, agent_id, Act.WRITE)
        changes = read_body(AgentChange, json_body(request)).model_dump(exclude_unset=True)
        return Response(agent_document(agent_update(actor=actor, agent=agent, changes=changes)))

    @describe(
        "delete-agent",
        "Delete an agent with its versions.",
        answers={204: None},
        needs=LEAST_ROLE[Act.DELETE],
        refusals=(404, 409),
    )
    def delete(self, request: Request, agent_id: str) -> Response:
        """Nothing: the agent is deleted; refused while an eval asks it. Runs keep what they froze of it."""
        only_parameters(request, ())
        actor = self.actor(request)
        agent_delete(actor=actor, agent=agent_for(actor, agent_id, Act.DELETE))
        return Response(status=204)


class Generate(ProjectView):
    """Asking one."""

    @describe(
        "generate-agent",
        "Ask an agent.",
        body=GenerateBody,
        headers=HEADER_WORDS,
        answers={200: GenerationAnswer},
        needs=LEAST_ROLE[Act.RUN],
        refusals=(404, 409, 422, 502),
        example={"messages": [{"role": "user", "content": "Do you ship to Canada?"}]},
    )
    @idempotent
    def post(self, request: Request, agent_id: str) -> Response:
        """What the agent's newest version answered; nothing of it is stored."""
        actor = self.actor(request)
        agent = agent_for(actor, agent_id, Act.RUN)
        body = read_body(GenerateBody, json_body(request)).model_dump()
        return Response(_generation(agent_generate(actor=actor, agent=agent, messages=body["messages"])))
