"""Reads of projects, their members, and what they hold."""

from django.db.models import QuerySet

from accounts.models import Membership, Project

_HELD = {
    "ai_providers": "providers",
    "agents": "agents",
    "tools": "tools",
    "datasets": "datasets",
    "evals": "evals",
}


def things_in(project: Project) -> dict[str, int]:
    """How many things of each kind the project holds, by their noun; kinds without any are left out."""
    counts = {noun: getattr(project, relation).count() for relation, noun in _HELD.items()}
    return {noun: count for noun, count in counts.items() if count}


def members_of(project: Project) -> QuerySet[Membership]:
    """The memberships with their people, by username."""
    return project.memberships.select_related("user").order_by("user__username")
