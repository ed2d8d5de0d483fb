"""Reads of tools and of the secrets that their headers name."""

from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet

from accounts.actors import Actor
from accounts.models import Project
from evaluations.encryption import decrypt
from evaluations.models import Eval, ProjectSecret, Tool
from evaluations.permissions import Act
from evaluations.queries.things import thing_for, visible


def tool_for(actor: Actor | None, public_id: str, act: Act = Act.READ) -> Tool:
    """The tool. Raises NotFound or Forbidden."""
    return thing_for(actor, Tool.objects.all(), public_id, act)


def tools_listed(actor: Actor | None, project_id: str | None = None) -> Any:
    """The tools that the actor may read, newest first, each with its project."""
    return visible(actor, Tool.objects.select_related("project"), project_id)


def evals_scored_by(tool: Tool) -> list[str]:
    """The names of the evals of which a scorer asks this tool."""
    rows = Eval.objects.filter(project=tool.project_id, scorers__isnull=False).order_by("name")
    return [
        name
        for name, scorers in rows.values_list("name", "scorers").iterator()
        if any(scorer.get("type") == "tool" and scorer.get("tool_id") == tool.public_id for scorer in scorers or ())
    ]


def secrets_of(project: Project) -> QuerySet[ProjectSecret]:
    """The project's secrets by name, without their values."""
    return ProjectSecret.objects.filter(project=project).order_by("name").defer("value_encrypted")


def unknown_secrets(project: Project, names: Collection[str]) -> list[str]:
    """Those of `names` that the project has no secret for, sorted."""
    known = ProjectSecret.objects.filter(project=project, name__in=names).values_list("name", flat=True)
    return sorted(set(names) - set(known))


def secret_values(project: Project, names: Collection[str]) -> dict[str, str]:
    """The values of those secrets that there are, by name. Raises SecretUnreadable."""
    rows = ProjectSecret.objects.filter(project=project, name__in=names)
    return {row.name: decrypt(row.value_encrypted) for row in rows}
