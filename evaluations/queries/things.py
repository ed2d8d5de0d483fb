"""Finding the things of projects: by identifier, and by page, for the one who asks."""

import re
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from accounts.actors import Actor
from accounts.models import Project
from accounts.queries import project_for, projects_of
from evaluations.models.identified import Identified
from evaluations.permissions import Act, permit
from foundation.errors import NotFound, Unauthorized, ValidationFailed

Thing = TypeVar("Thing", bound=Identified)
Row = TypeVar("Row", bound=Model)
_IDENTIFIER = re.compile(r"[a-z]{2,8}_[A-Za-z0-9]{16}")


def thing_for(
    actor: Actor | None, rows: QuerySet[Thing], public_id: str, act: Act = Act.READ, *, project: str = "project"
) -> Thing:
    """The row of `rows` with this identifier, for somebody who may `act` on it.

    `project` is the path from the row to its project, which is read in the same query. Raises
    NotFound when there is none, or none that the actor may know of, and Forbidden when the role
    is too low.
    """
    if actor is None:
        raise Unauthorized
    noun = rows.model._meta.verbose_name  # noqa: SLF001 - Django's documented name for it
    thing = None
    if _IDENTIFIER.fullmatch(public_id):
        thing = rows.select_related(project).filter(public_id=public_id).first()
    if thing is None:
        raise NotFound(f"There is no {noun} with this identifier.")
    home: Any = thing
    for step in project.split("__"):
        home = getattr(home, step)
    try:
        permit(actor, home, act)
    except NotFound as error:
        raise NotFound(f"There is no {noun} with this identifier.") from error
    return thing


def visible(actor: Actor | None, rows: QuerySet[Row], project_id: str | None, *, project: str = "project") -> Any:
    """The rows that the actor may read: of one project when `project_id` names it, else of all of theirs.

    Raises ValidationFailed for a project that is not there or that the actor may not know of.
    """
    if actor is None:
        raise Unauthorized
    if project_id is not None:
        try:
            return rows.filter(**{project: project_for(actor, project_id)})
        except NotFound as error:
            message = "There is no project with this identifier."
            raise ValidationFailed.one("project_id", "unknown", message) from error
    if actor.owns_installation and actor.project_id is None:
        return rows
    return rows.filter(**{f"{project}__in": projects_of(actor)})


def referred(
    project: Project, rows: QuerySet[Thing], public_id: str | None, field: str, *, home: str = "project"
) -> Thing | None:
    """The row of the same project that a body names in `field`; None for null.

    Raises ValidationFailed when there is none in this project, whoever else may have it.
    """
    if public_id is None:
        return None
    found = None
    if _IDENTIFIER.fullmatch(public_id):
        found = rows.filter(public_id=public_id, **{home: project}).first()
    if found is None:
        noun = rows.model._meta.verbose_name  # noqa: SLF001
        raise ValidationFailed.one(field, "unknown", f"There is no {noun} with this identifier in the project.")
    return found
