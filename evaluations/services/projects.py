"""Projects and their members: made, renamed, deleted; somebody always owns them."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.actors import Actor, Role
from accounts.models import Membership, Project, User
from accounts.services.audit import audit_record
from evaluations.permissions import Act, permit, permit_create_project
from evaluations.queries.projects import things_in
from foundation import times
from foundation.errors import NotFound, Problem, ValidationFailed


class HasDependents(Problem):
    """Something else needs this, so it cannot be deleted as it is."""

    status = 409
    code = "HAS_DEPENDENTS"
    default_message = "Other things need this."
    default_hint = "Delete those first, or send ?force=true where the address takes it."


def project_create(*, actor: Actor | None, name: str, description: str = "") -> Project:
    """A new project, of which the actor is an owner."""
    actor = permit_create_project(actor)
    with transaction.atomic():
        project = Project.objects.create(name=name, description=description)
        if actor.user_id is not None:
            Membership.objects.create(project=project, user_id=actor.user_id, role=Role.OWNER)
        _record(actor, "project.created", project)
    return project


def project_update(*, actor: Actor | None, project: Project, changes: Mapping[str, Any]) -> Project:
    """The project with `changes` (name, description)."""
    actor = permit(actor, project, Act.OWN)
    before = {field: getattr(project, field) for field in changes}
    told = {field: [before[field], value] for field, value in changes.items() if before[field] != value}
    if told:
        with transaction.atomic():
            Project.objects.filter(pk=project.pk).update(**changes, updated_at=times.now())
            _record(actor, "project.updated", project, **told)
        project.refresh_from_db()
    return project


def project_delete(*, actor: Actor | None, project: Project, force: bool = False) -> None:
    """The project is gone, and with `force` everything in it; without, HasDependents is raised when it holds things."""
    actor = permit(actor, project, Act.OWN)
    held = things_in(project)
    if held and not force:
        words = ", ".join(f"{count} {noun}" for noun, count in held.items())
        raise HasDependents(f"The project still holds {words}.", meta={"holds": held})
    with transaction.atomic():
        # Evals first: they protect the datasets and agents that they use, agents their providers.
        for relation in ("evals", "agents", "ai_providers"):
            getattr(project, relation).all().delete()
        Project.objects.filter(pk=project.pk).delete()
        _record(actor, "project.deleted", project, **held)


def member_set(*, actor: Actor | None, project: Project, username: str, role: Role) -> Membership:
    """The person's membership, made or changed. Raises ValidationFailed for an unknown person, or the last owner."""
    actor = permit(actor, project, Act.OWN)
    user = User.objects.filter(username__iexact=username, is_active=True).first()
    if user is None:
        raise ValidationFailed.one("username", "unknown", "There is no active person with this username.")
    with transaction.atomic():
        current = Membership.objects.select_for_update().filter(project=project, user=user).first()
        if current is not None and role != Role.OWNER:
            _keep_an_owner(project, current)
        membership, _ = Membership.objects.update_or_create(project=project, user=user, defaults={"role": role})
        change = [current.role if current else None, role.value]
        _record(actor, "project.member_set", project, person=user.username, role=change)
    return membership


def member_remove(*, actor: Actor | None, project: Project, user_public_id: str) -> None:
    """The person is no member any more. Raises NotFound, or ValidationFailed for the last owner."""
    actor = permit(actor, project, Act.OWN)
    with transaction.atomic():
        memberships = Membership.objects.select_for_update().select_related("user")
        found = memberships.filter(project=project, user__public_id=user_public_id).first()
        if found is None:
            raise NotFound("This person is no member of the project.")
        _keep_an_owner(project, found)
        found.delete()
        _record(actor, "project.member_removed", project, person=found.user.username)


def _keep_an_owner(project: Project, membership: Membership) -> None:
    others = Membership.objects.filter(project=project, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise ValidationFailed.one("role", "last_owner", "A project needs an owner; make somebody else one first.")


def _record(actor: Actor, action: str, project: Project, **changes: Any) -> None:
    audit_record(
        actor=actor,
        action=action,
        kind="project",
        object_id=project.public_id,
        object_name=project.name,
        changes=changes,
    )
