"""The audit log's one way in."""

from collections.abc import Mapping
from typing import Any

from accounts.actors import Actor
from accounts.models import AuditEntry

_ACTOR_NAME_LENGTH = 150
_OBJECT_NAME_LENGTH = 255


def audit_record(
    *,
    actor: Actor,
    action: str,
    kind: str,
    object_id: str,
    object_name: str = "",
    changes: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """The entry just added: `actor` did `action` (`profile.created`) to the `kind` with `object_id`.

    Call it inside the transaction that makes the change, so that neither is without the other.
    `changes` is JSON for people to read (usually field → [before, after]) and must hold no secret.
    Names longer than their column (255 characters) are cut.
    """
    return AuditEntry.objects.create(
        actor_id=actor.public_id,
        actor_name=actor.name[:_ACTOR_NAME_LENGTH],
        via=actor.via,
        address=actor.address,
        action=action,
        object_kind=kind,
        object_id=object_id,
        object_name=object_name[:_OBJECT_NAME_LENGTH],
        changes=dict(changes or {}),
    )
