"""Who may what. Pages, the API and tasks all ask here."""

from django.http import HttpRequest

from accounts.actors import Actor, Role
from accounts.models import Membership, Project
from foundation.errors import Forbidden, NotFound, Unauthorized


def actor_of(request: HttpRequest) -> Actor | None:
    """Who sent this request, or None. Takes a DRF request too."""
    actor: Actor | None = getattr(request, "actor", None)
    return actor


def require(actor: Actor | None, least_role: Role) -> Actor:
    """The actor, who has `least_role` or a higher one.

    Raises Unauthorized when there is nobody, Forbidden (naming both roles) when the role is lower.
    """
    if actor is None:
        raise Unauthorized
    if actor.may(least_role):
        return actor
    if actor.project_id is not None:
        raise Forbidden(
            "This API key is for one project, and this is none of its things.",
            hint="Use a key that is not limited to a project.",
        )
    holder = "This API key has" if actor.via == "key" else "You have"
    raise Forbidden(
        f"This needs the role {least_role}. {holder} the role {actor.role}.",
        hint="Ask an owner for a higher role." if actor.via != "key" else "Use a key with a higher role.",
        meta={"neededRole": least_role.value, "role": actor.role.value},
    )


def role_in(actor: Actor, project: Project) -> Role | None:
    """The actor's role in the project, None for somebody who may not know of it.

    Owners of the installation are owners of every project; others have the role of their
    membership. An API key lowers it to its own, and one for another project to nothing.
    """
    if actor.project_id is not None and actor.project_id != project.pk:
        return None
    standing = Role.OWNER if actor.owns_installation else _membership(actor, project)
    if standing is None or actor.via != "key":
        return standing
    return min(standing, actor.role)


def _membership(actor: Actor, project: Project) -> Role | None:
    if actor.user_id is None:
        return None
    found = Membership.objects.filter(project=project, user_id=actor.user_id).values_list("role", flat=True).first()
    return None if found is None else Role(found)


def require_in_project(actor: Actor | None, project: Project, least_role: Role) -> Actor:
    """The actor, who has `least_role` or a higher one in `project`.

    Raises Unauthorized when there is nobody, NotFound to somebody who may not know of the project,
    Forbidden (naming both roles) when the role is lower.
    """
    if actor is None:
        raise Unauthorized
    role = role_in(actor, project)
    if role is None:
        raise NotFound
    if role >= least_role:
        return actor
    holder = "This API key has" if actor.via == "key" else "You have"
    raise Forbidden(
        f"This needs the role {least_role} in the project. {holder} the role {role} there.",
        hint="Ask an owner of the project for a higher role.",
        meta={"neededRole": least_role.value, "role": role.value},
    )
