"""API keys: made, used, revoked."""

from datetime import datetime, timedelta

from django.db import OperationalError, transaction
from django.db.models import Q

from accounts.actors import Actor, Role
from accounts.credentials import API_KEY_PREFIX, digest, new_secret, shown_part
from accounts.models import ApiKey, Project
from accounts.permissions import require, require_in_project, role_in
from accounts.services.audit import audit_record
from foundation import times
from foundation.errors import FieldError, Forbidden, ValidationFailed
from foundation.text import unstorable_reason

NAME_LENGTH = 128
_TOUCH_EVERY = timedelta(minutes=1)


def _faults(name: str, role: Role, expires_at: datetime | None, highest: Role) -> list[FieldError]:
    faults = []
    reason = unstorable_reason(name)
    if reason:
        faults.append(FieldError("name", "unstorable_text", f"The name {reason}."))
    if not 1 <= len(name) <= NAME_LENGTH:
        faults.append(FieldError("name", "length", f"Give the key a name of 1 to {NAME_LENGTH} characters."))
    if role > highest:
        faults.append(
            FieldError("role", "role_too_high", f"Your own role is {highest}; a key cannot have a higher one.")
        )
    if expires_at is not None and expires_at <= times.now():
        faults.append(FieldError("expires_at", "past", "This moment is past; the key would never work."))
    return faults


def _highest_role(actor: Actor, project: Project | None) -> Role:
    """The role that the actor may give to a key. Raises what `require` raises."""
    if project is None:
        return require(actor, Role.VIEWER).role
    require_in_project(actor, project, Role.VIEWER)
    return role_in(actor, project) or Role.VIEWER


def key_create(
    *,
    actor: Actor,
    name: str,
    role: Role | None = None,
    expires_at: datetime | None = None,
    project: Project | None = None,
) -> tuple[ApiKey, str]:
    """A new key of the actor's own, and its secret, which cannot be read again.

    `role` may not exceed the actor's (in `project`, when the key is for that alone); left out, it
    is editor, or the actor's when that is lower.
    Raises Forbidden when the actor is itself a key (a leaked key must not outlive its expiry by
    making others), ValidationFailed on `name`, `role` and `expires_at`.
    """
    highest = _highest_role(actor, project)
    if actor.via == "key" or actor.user_id is None:
        raise Forbidden("An API key cannot make API keys.", hint="Sign in, or log in for a token, and make it so.")
    name = name.strip()
    wanted = role or min(Role.EDITOR, highest)
    faults = _faults(name, wanted, expires_at, highest)
    if faults:
        raise ValidationFailed(faults)
    secret = new_secret(API_KEY_PREFIX)
    with transaction.atomic():
        key = ApiKey.objects.create(
            user_id=actor.user_id,
            project=project,
            name=name,
            role=wanted,
            shown_prefix=shown_part(secret),
            digest=digest(secret),
            expires_at=expires_at,
        )
        audit_record(
            actor=actor,
            action="api_key.created",
            kind="api_key",
            object_id=key.public_id,
            object_name=name,
            changes={
                "role": wanted.value,
                "project": project.public_id if project else None,
                "expiresAt": times.iso(expires_at) if expires_at else None,
            },
        )
    return key, secret


def key_revoke(*, actor: Actor, key: ApiKey) -> None:
    """The key stops working at once. Does nothing to one that is revoked already.

    Raises Forbidden when the key is another person's and the actor is not an owner.
    """
    if key.user_id != actor.user_id:
        require(actor, Role.OWNER)
    with transaction.atomic():
        if ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=times.now()):
            audit_record(
                actor=actor,
                action="api_key.revoked",
                kind="api_key",
                object_id=key.public_id,
                object_name=key.name,
            )


def key_touch(*, key: ApiKey) -> None:
    """Note that the key was used, at most once a minute. A busy database is no reason to refuse."""
    now = times.now()
    if key.last_used_at is not None and key.last_used_at > now - _TOUCH_EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _TOUCH_EVERY)
    try:
        with transaction.atomic():
            ApiKey.objects.filter(stale, pk=key.pk).update(last_used_at=now)
    except OperationalError:
        return
