"""HTTP tools: made, changed, deleted, called.

Whoever decides where a secret is sent can read it there. So what a tool calls, where its headers
name secrets, is an owner's to set and to change.
"""

import logging
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.models import Project
from evaluations.egress import door
from evaluations.models import Tool
from evaluations.outbound.errors import OutboundError
from evaluations.outbound.retries import RetryPolicy
from evaluations.outbound.tools import ToolAnswer, ToolDefinition, call_tool
from evaluations.permissions import Act, may, permit
from evaluations.problems import tool_problem
from evaluations.queries.tools import evals_scored_by, secret_values, unknown_secrets
from evaluations.services.things import refuse_used, thing_delete, thing_record, thing_save
from foundation import times
from foundation.errors import Forbidden, NotFound, ValidationFailed

logger = logging.getLogger(__name__)
_COLUMNS = ("name", "type", "description", "parameters", "execute", "preset_parameters")
# Somebody is waiting: what would take longer is told instead.
WHILE_WAITED_FOR = RetryPolicy(most=2, longest_wait_s=5)


def tool_create(*, actor: Actor | None, project: Project, body: Mapping[str, Any]) -> Tool:
    """A new tool. `body` is a read ToolBody without project_id.

    Naming secrets in its headers takes an owner of the project. Raises ValidationFailed by path, and
    NameConflict.
    """
    actor = permit(actor, project, Act.WRITE)
    row = Tool(project=project, **{name: body[name] for name in _COLUMNS if name in body})
    _check(actor, row)
    with transaction.atomic():
        thing_save(row)
        thing_record(actor, "tool.created", row, url=row.execute["url"])
    return row


def tool_update(*, actor: Actor | None, tool: Tool, changes: Mapping[str, Any]) -> Tool:
    """The tool with `changes`. Runs that have begun keep the definition that they froze."""
    actor = permit(actor, tool.project, Act.WRITE)
    with transaction.atomic():
        row = Tool.objects.select_for_update().filter(pk=tool.pk).first()
        if row is None:
            raise NotFound("The tool was deleted meanwhile.")
        row.project = tool.project
        for name in _COLUMNS:
            if name in changes:
                setattr(row, name, changes[name])
        if "execute" in changes or "preset_parameters" in changes:
            _check(actor, row, execute="execute" in changes)
        row.updated_at = times.now()
        thing_save(row)
        told = {"url": [tool.execute["url"], row.execute["url"]]} if "execute" in changes else {}
        thing_record(actor, "tool.updated", row, fields=sorted(changes), **told)
    return row


def tool_delete(*, actor: Actor | None, tool: Tool) -> None:
    """The tool is gone. Raises HasDependents, which names them, when scorers of evals ask it."""
    actor = permit(actor, tool.project, Act.DELETE)
    refuse_used(evals_scored_by(tool), "evals")
    thing_delete(actor, "tool.deleted", tool, "evals")


def tool_call(*, actor: Actor | None, tool: Tool, given: Mapping[str, Any]) -> ToolAnswer:
    """What the tool answers to `given`; the call waits for it.

    Raises ValidationFailed where the input does not fit its URL, ToolHttpError, ToolUnreachable,
    ToolEgressBlocked, SecretUnreadable.
    """
    actor = permit(actor, tool.project, Act.RUN)
    definition = ToolDefinition.of(tool.execute, tool.preset_parameters)
    secrets = secret_values(tool.project, definition.secret_names)
    with transaction.atomic():
        thing_record(actor, "tool.called", tool)
    try:
        return call_tool(door(), definition, given, secrets=secrets, retries=WHILE_WAITED_FOR)
    except OutboundError as error:
        logger.info("tool %s gave no answer: %s", tool.public_id, error.operator_message)
        raise tool_problem(error) from error


def _check(actor: Actor, row: Tool, *, execute: bool = True) -> None:
    definition = ToolDefinition.of(row.execute, row.preset_parameters)
    if not (execute and definition.secret_names):
        return
    if not may(actor, row.project, Act.OWN):
        raise Forbidden("Only an owner of the project may say where its secrets are sent.")
    unknown = unknown_secrets(row.project, definition.secret_names)
    if unknown:
        message = f"The project has no secret {', '.join(unknown)}; set it first."
        raise ValidationFailed.one("execute.headers", "unknown_secret", message)
