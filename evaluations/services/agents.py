"""Agents and their versions: made, changed, restored, deleted, and asked."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.models import Project
from evaluations.egress import door
from evaluations.models import Agent, AgentVersion, AiProvider
from evaluations.outbound.errors import OutboundError
from evaluations.outbound.providers import Generation, GenerationRequest, generate
from evaluations.outbound.retries import RetryPolicy
from evaluations.permissions import Act, permit
from evaluations.problems import provider_problem
from evaluations.queries.agents import evals_asking, newest_version
from evaluations.queries.things import referred
from evaluations.services.providers import callable_provider
from evaluations.services.things import refuse_used, thing_delete, thing_record, thing_save
from foundation import exact_json, times
from foundation.errors import NotFound, ValidationFailed
from scoring.kit.json_schema import SchemaFault, compiled

logger = logging.getLogger(__name__)
CONTENT: Mapping[str, str] = {
    "ai_provider": "AI provider",
    "instructions": "Instructions",
    "model": "Model",
    "temperature": "Temperature",
    "max_tokens": "Largest number of tokens",
    "output_schema": "Output schema",
}
"""What a version holds, and its words for people."""
_LONG = ("instructions", "output_schema")
# Somebody is waiting: what would take longer is told instead.
WHILE_WAITED_FOR = RetryPolicy(most=2, longest_wait_s=5)


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """What the agent's version answered."""

    version: AgentVersion
    generation: Generation


def agent_create(*, actor: Actor | None, project: Project, body: Mapping[str, Any]) -> Agent:
    """A new agent at version 1. `body` is a read AgentBody without project_id.

    Raises ValidationFailed by path, and NameConflict.
    """
    actor = permit(actor, project, Act.WRITE)
    content = _content(project, body)
    agent = Agent(project=project, name=body["name"])
    with transaction.atomic():
        thing_save(agent)
        _add_version(actor, agent, content, body.get("version_label") or "", [])
        thing_record(actor, "agent.created", agent)
    return agent


def agent_update(*, actor: Actor | None, agent: Agent, changes: Mapping[str, Any]) -> Agent:
    """The agent with `changes`.

    Where they change what it answers with there is a new version; a label alone goes to the newest
    version. Changes that change nothing add nothing.
    """
    actor = permit(actor, agent.project, Act.WRITE)
    content = _content(agent.project, changes)
    with transaction.atomic():
        row = _held(agent)
        newest = newest_version(row)
        told: dict[str, Any] = {}
        if "name" in changes and changes["name"] != row.name:
            told["name"] = [row.name, changes["name"]]
            row.name = changes["name"]
        sentences = _sentences(newest, content)
        label = changes.get("version_label") or ""
        if sentences:
            kept = {name: getattr(newest, name) for name in CONTENT}
            row.version = newest.number + 1
            _add_version(actor, row, {**kept, **content}, label, sentences)
            told["version"] = [newest.number, row.version]
        elif "version_label" in changes and label != newest.label:
            AgentVersion.objects.filter(pk=newest.pk).update(label=label)
            told["version_label"] = [newest.label, label]
        if told:
            row.updated_at = times.now()
            thing_save(row)
            thing_record(actor, "agent.updated", row, **told)
    return row


def agent_restore(*, actor: Actor | None, agent: Agent, version: AgentVersion) -> Agent:
    """The agent with the content of that version, as a new version; as it is when nothing differs."""
    actor = permit(actor, agent.project, Act.WRITE)
    with transaction.atomic():
        row = _held(agent)
        newest = newest_version(row)
        content = {name: getattr(version, name) for name in CONTENT}
        sentences = _sentences(newest, content)
        if sentences:
            row.version = newest.number + 1
            row.updated_at = times.now()
            _add_version(actor, row, content, "", [f"Restored from version {version.number}.", *sentences])
            thing_save(row)
            thing_record(actor, "agent.restored", row, version=[newest.number, row.version], of=version.number)
    return row


def agent_delete(*, actor: Actor | None, agent: Agent) -> None:
    """The agent and its versions are gone; runs keep what they froze. Raises HasDependents when an eval asks it."""
    actor = permit(actor, agent.project, Act.DELETE)
    refuse_used(evals_asking(agent), "evals")
    thing_delete(actor, "agent.deleted", agent, "evals")


def agent_generate(*, actor: Actor | None, agent: Agent, messages: Sequence[Mapping[str, Any]]) -> AgentAnswer:
    """The answer of the agent's newest version to `messages`; the call waits for it.

    Raises AiProviderError, OutputSchemaValidationFailed, ToolEgressBlocked, SecretUnreadable.
    """
    actor = permit(actor, agent.project, Act.RUN)
    version = newest_version(agent)
    request = GenerationRequest(
        messages=messages,
        instructions=version.instructions or None,
        model=version.model or None,
        temperature=version.temperature,
        max_tokens=version.max_tokens,
        output_schema=version.output_schema,
    )
    provider = callable_provider(version.ai_provider)
    with transaction.atomic():
        thing_record(actor, "agent.asked", agent, version=version.number)
    try:
        given = generate(provider, request, door=door(), retries=WHILE_WAITED_FOR)
    except OutboundError as error:
        logger.info("agent %s gave no answer: %s", agent.public_id, error.operator_message)
        raise provider_problem(error) from error
    return AgentAnswer(version, given)


def _held(agent: Agent) -> Agent:
    """The row as it is now, which nobody else changes until this transaction ends."""
    row = Agent.objects.select_for_update().filter(pk=agent.pk).first()
    if row is None:
        raise NotFound("The agent was deleted meanwhile.")
    row.project = agent.project
    return row


def _content(project: Project, body: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a version that `body` names."""
    content = {name: body[name] for name in ("temperature", "max_tokens") if name in body}
    content |= {name: body[name] or "" for name in ("instructions", "model") if name in body}
    if "ai_provider_id" in body:
        content["ai_provider"] = referred(project, AiProvider.objects.all(), body["ai_provider_id"], "ai_provider_id")
    if "output_schema" in body:
        content["output_schema"] = body["output_schema"]
        _check_schema(body["output_schema"])
    return content


def _check_schema(schema: Any) -> None:
    if schema is None:
        return
    try:
        compiled(schema)
    except SchemaFault as fault:
        path = f"output_schema.{fault.path}" if fault.path else "output_schema"
        raise ValidationFailed.one(path, "schema", fault.message) from fault


def _add_version(
    actor: Actor, agent: Agent, content: Mapping[str, Any], label: str, sentences: Sequence[str]
) -> AgentVersion:
    return AgentVersion.objects.create(
        agent=agent,
        number=agent.version,
        label=label,
        changes=list(sentences),
        created_by_id=actor.user_id,
        created_by_name=actor.name[:256],
        **content,
    )


def _sentences(version: AgentVersion, content: Mapping[str, Any]) -> list[str]:
    """What of the version `content` changes, a sentence for each part; none when it changes nothing."""
    return [
        _sentence(name, getattr(version, name), after)
        for name, after in content.items()
        if _as_text(getattr(version, name)) != _as_text(after)
    ]


def _as_text(value: Any) -> str:
    # As JSON, because true is not 1 there, and a schema's members have an order that models follow.
    return exact_json.dumps(value.public_id if isinstance(value, AiProvider) else value)


def _sentence(name: str, before: Any, after: Any) -> str:
    if name in _LONG:
        verb = "added" if before in (None, "") else "removed" if after in (None, "") else "changed"
        return f"{CONTENT[name]} {verb}."
    return f"{CONTENT[name]}: {_shown(before)} → {_shown(after)}."


def _shown(value: Any) -> str:
    if isinstance(value, AiProvider):
        return value.name
    return "default" if value in (None, "") else str(value)
