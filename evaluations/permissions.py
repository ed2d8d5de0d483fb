"""Who may do what with the things of a project. Pages, the API and tasks all ask here."""

from collections.abc import Mapping
from enum import StrEnum

from accounts.actors import Actor, Role
from accounts.models import Project
from accounts.permissions import require, require_in_project, role_in
from accounts.queries import project_for
from foundation.errors import Forbidden, NotFound, Unauthorized


class Act(StrEnum):
    """What can be done in a project."""

    READ = "read"
    REVIEW = "review"
    WRITE = "write"
    RUN = "run"
    DELETE = "delete"
    OWN = "own"


LEAST_ROLE: Mapping[Act, Role] = {
    Act.READ: Role.VIEWER,
    Act.REVIEW: Role.REVIEWER,
    Act.WRITE: Role.EDITOR,
    Act.RUN: Role.EDITOR,
    Act.DELETE: Role.OWNER,
    Act.OWN: Role.OWNER,
}
CREATE_PROJECT = Role.EDITOR


def permit(actor: Actor | None, project: Project, act: Act) -> Actor:
    """The actor, who may do this in the project.

    Raises Unauthorized, NotFound (to somebody who may not know of the project) or Forbidden.
    """
    return require_in_project(actor, project, LEAST_ROLE[act])


def may(actor: Actor | None, project: Project, act: Act) -> bool:
    """Whether the actor may do this: what pages ask before they offer it."""
    role = None if actor is None else role_in(actor, project)
    return role is not None and role >= LEAST_ROLE[act]


def permit_create_project(actor: Actor | None) -> Actor:
    """The actor, who may make projects. Raises Unauthorized or Forbidden."""
    return require(actor, CREATE_PROJECT)


def project_to_write(actor: Actor | None, project_id: str, act: Act = Act.WRITE) -> Project:
    """The project that a body names as the home of something new.

    Raises Forbidden, in the same words, when there is none and when the actor may not see it.
    """
    if actor is None:
        raise Unauthorized
    try:
        project = project_for(actor, project_id)
        permit(actor, project, act)
    except NotFound as error:
        message = "There is no project with this identifier in which you may do this."
        raise Forbidden(message, hint="Check project_id, or ask an owner of the project to add you.") from error
    return project
