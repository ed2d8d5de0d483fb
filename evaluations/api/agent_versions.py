"""The versions of agents, over HTTP."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from evaluations.api.agents import AgentDocument, agent_document, version_content
from evaluations.api.idempotency import HEADER_WORDS, idempotent
from evaluations.api.texts import JsonObject
from evaluations.api.views import ProjectView, only_parameters, page_of
from evaluations.models import Agent, AgentVersion
from evaluations.permissions import LEAST_ROLE, Act
from evaluations.queries.agents import agent_for, version_of, versions_of
from evaluations.services.agents import agent_restore
from foundation import times
from foundation.http.bodies import PAGE_PARAMETERS, Moment, StrictBody
from foundation.http.openapi import describe

_TAGS = ("agents",)


class VersionAnswer(StrictBody):
    """One version of an agent. `changes` are sentences: what it changed of the one before."""

    id: str
    agent_id: str
    number: int
    label: str | None
    changes: list[str]
    ai_provider_id: str
    instructions: str | None
    model: str | None
    temperature: float | None
    max_tokens: int | None
    output_schema: JsonObject | None
    created_at: Moment
    created_by: str


class VersionList(StrictBody):
    """A part of an agent's versions, newest first."""

    data: list[VersionAnswer]
    total: int
    limit: int
    offset: int


def version_document(agent: Agent, version: AgentVersion) -> dict[str, Any]:
    """The version as the API answers it."""
    return {
        "id": version.public_id,
        "agent_id": agent.public_id,
        "number": version.number,
        "label": version.label or None,
        "changes": version.changes,
        **version_content(version),
        "created_at": times.iso(version.created_at),
        "created_by": version.created_by_name,
    }


class Versions(ProjectView):
    """All of one agent."""

    @describe(
        "list-agent-versions",
        "List an agent's versions.",
        query=PAGE_PARAMETERS,
        answers={200: VersionList},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        tags=_TAGS,
    )
    def get(self, request: Request, agent_id: str) -> Response:
        """The versions, newest first."""
        only_parameters(request, ())
        agent = agent_for(self.actor(request), agent_id)
        return page_of(request, versions_of(agent), lambda version: version_document(agent, version))


class VersionDetail(ProjectView):
    """One of them."""

    @describe(
        "get-agent-version",
        "Get a version of an agent.",
        answers={200: VersionAnswer},
        needs=LEAST_ROLE[Act.READ],
        refusals=(404,),
        tags=_TAGS,
    )
    def get(self, request: Request, agent_id: str, number: int) -> Response:
        """The version, which never changes; only its label may be given later."""
        only_parameters(request, ())
        agent = agent_for(self.actor(request), agent_id)
        return Response(version_document(agent, version_of(agent, number)))


class Restore(ProjectView):
    """Going back to one of them."""

    @describe(
        "restore-agent-version",
        "Make an earlier version of an agent its newest.",
        headers=HEADER_WORDS,
        answers={200: AgentDocument},
        needs=LEAST_ROLE[Act.WRITE],
        refusals=(404, 409, 422),
        tags=_TAGS,
    )
    @idempotent
    def post(self, request: Request, agent_id: str, number: int) -> Response:
        """The agent with that version's content as a new version; as it is when nothing differs."""
        actor = self.actor(request)
        agent = agent_for(actor, agent_id, Act.WRITE)
        version = version_of(agent, number)
        return Response(agent_document(agent_restore(actor=actor, agent=agent, version=version)))
