"""Reads of AI providers and of agents with their versions."""

from typing import Any

from django.db.models import F, Prefetch, QuerySet

from accounts.actors import Actor
from evaluations.models import Agent, AgentVersion, AiProvider, Eval
from evaluations.permissions import Act
from evaluations.queries.things import thing_for, visible
from foundation.errors import NotFound


def provider_for(actor: Actor | None, public_id: str, act: Act = Act.READ) -> AiProvider:
    """The AI provider. Raises NotFound or Forbidden."""
    return thing_for(actor, AiProvider.objects.all(), public_id, act)


def providers_listed(actor: Actor | None, project_id: str | None = None) -> Any:
    """The AI providers that the actor may read, newest first, each with its project."""
    return visible(actor, AiProvider.objects.select_related("project"), project_id)


def agents_using(provider: AiProvider) -> list[str]:
    """The names of the agents of which a version asks this provider."""
    names = Agent.objects.filter(versions__ai_provider=provider).order_by("name").distinct()
    return list(names.values_list("name", flat=True))


def agent_for(actor: Actor | None, public_id: str, act: Act = Act.READ) -> Agent:
    """The agent. Raises NotFound or Forbidden."""
    return thing_for(actor, Agent.objects.all(), public_id, act)


def agents_listed(actor: Actor | None, project_id: str | None = None) -> Any:
    """The agents that the actor may read, newest first, each with its project and its newest version."""
    newest = AgentVersion.objects.filter(number=F("agent__version")).select_related("ai_provider")
    rows = Agent.objects.select_related("project")
    return visible(actor, rows, project_id).prefetch_related(Prefetch("versions", newest, to_attr="newest_versions"))


def newest_version(agent: Agent) -> AgentVersion:
    """The agent's newest version with its provider; from the list's prefetch where the row has it."""
    fetched: list[AgentVersion] | None = getattr(agent, "newest_versions", None)
    return fetched[0] if fetched else version_of(agent, agent.version)


def version_of(agent: Agent, number: int) -> AgentVersion:
    """One version of the agent with its provider. Raises NotFound."""
    found = versions_of(agent).filter(number=number).first()
    if found is None:
        raise NotFound(f"The agent has no version {number}.")
    return found


def versions_of(agent: Agent) -> QuerySet[AgentVersion]:
    """The versions of the agent, newest first, with their providers."""
    return AgentVersion.objects.filter(agent=agent).select_related("ai_provider").order_by("-number")


def evals_asking(agent: Agent) -> list[str]:
    """The names of the evals that ask this agent."""
    return list(Eval.objects.filter(agent=agent).order_by("name").values_list("name", flat=True))
