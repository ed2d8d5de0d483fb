"""What the services of a project's named things have in common."""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from accounts.actors import Actor
from accounts.services.audit import audit_record
from evaluations.models.identified import Identified
from evaluations.services.projects import HasDependents
from foundation.errors import NameConflict

_MOST_NAMED = 5


def thing_save(row: Identified) -> None:
    """Store the row. Raises NameConflict when another of its kind in the project has its name."""
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        noun = row._meta.verbose_name  # noqa: SLF001 - Django's documented name for it
        name = row.name  # type: ignore[attr-defined]  # every kind that is saved here has one
        raise NameConflict(f'The name "{name}" is taken by another {noun} of the project.') from error


def thing_record(actor: Actor, action: str, row: Identified, **changes: Any) -> None:
    """Add to the audit log what was done (`agent.updated`) to the row. `changes` must hold no secret."""
    audit_record(
        actor=actor,
        action=action,
        kind=action.partition(".")[0],
        object_id=row.public_id,
        object_name=row.name,  # type: ignore[attr-defined]
        changes=changes,
    )


def thing_delete(actor: Actor, action: str, row: Identified, users: str) -> None:
    """Delete the row, and say so in the audit log.

    Raises HasDependents when something came to use it since `users` (their noun) were counted.
    """
    try:
        with transaction.atomic():
            thing_record(actor, action, row)
            type(row)._default_manager.filter(pk=row.pk).delete()  # noqa: SLF001 - Django's documented name for it
    except (ProtectedError, IntegrityError) as error:
        raise HasDependents(f"Some {users} use it.") from error


def refuse_used(names: list[str], users: str) -> None:
    """Raise HasDependents, which names the first five, when there are `names` of `users` (their noun, in plural)."""
    if names:
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        words = ", ".join(f'"{name}"' for name in names[:_MOST_NAMED])
        message = f"It is used by the {users} {words}{more}."
        raise HasDependents(message, hint="Delete or change those first.", meta={"holds": {users: len(names)}})
