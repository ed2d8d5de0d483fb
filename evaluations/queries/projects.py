"""Reads of projects, their members, and what they hold."""

from django.db.models import QuerySet

from accounts.actors import Actor
from accounts.models import Membership, Project
from accounts.queries import project_for
from evaluations.permissions import Act, permit
from foundation.errors import Unauthorized

_HELD = {
    "ai_providers": "providers",
    "agents": "agents",
    "tools": "tools",
    "datasets": "datasets",
    "evals": "evals",
}


def project_at(actor: Actor | None, public_id: str, act: Act = Act.READ) -> Project:
    """The project, for somebody who may `act` in it. Raises Unauthorized, NotFound or Forbidden."""
    if actor is None:
        raise Unauthorized
    project = project_for(actor, public_id)
    permit(actor, project, act)
    return project


def things_in(project: Project) -> dict[str, int]:
    """How many things of each kind the project holds, by their noun; kinds without any are left out."""
    counts = {noun: getattr(project, relation).count() for relation, noun in _HELD.items()}
    return {noun: count for noun, count in counts.items() if count}


def members_of(project: Project) -> QuerySet[Membership]:
    """The memberships with their people, by username."""
    return project.memberships.select_related("user").order_by("user__username")
