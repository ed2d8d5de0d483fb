"""AI providers: made, changed, deleted; their keys, which go in and never come out.

A key belongs to the address that it was given for. Where the address changes the stored key is
dropped, so that nobody can point it at a server of their own and read it there.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.models import Project
from evaluations.encryption import decrypt, encrypt
from evaluations.models import AiProvider
from evaluations.outbound.headers import header_fault
from evaluations.outbound.providers import Provider
from evaluations.permissions import Act, may, permit
from evaluations.queries.agents import agents_using
from evaluations.services.things import refuse_used, thing_delete, thing_record, thing_save
from foundation import times
from foundation.errors import FieldError, Forbidden, NotFound, ValidationFailed

KEY_DROPPED = "The stored key was given for another address and was dropped; send api_key to set one for this address."
_HINT_LENGTH = 4
# Four characters of a shorter key would be too much of it.
_LENGTH_WITH_HINT = 12


def provider_create(*, actor: Actor | None, project: Project, body: Mapping[str, Any]) -> AiProvider:
    """A new provider. `body` is a read ProviderBody without project_id.

    Setting base_url takes an owner of the project. Raises ValidationFailed by path, and NameConflict.
    """
    actor = permit(actor, project, Act.WRITE)
    row = AiProvider(project=project)
    _apply(actor, row, body)
    with transaction.atomic():
        thing_save(row)
        thing_record(actor, "ai_provider.created", row, provider=row.provider, base_url=row.base_url)
    return row


def provider_update(
    *, actor: Actor | None, provider: AiProvider, changes: Mapping[str, Any]
) -> tuple[AiProvider, bool]:
    """The provider with `changes`, and whether its stored key was dropped because its address changed.

    Agents use what it is now from their next call on; runs keep the address that they froze.
    """
    actor = permit(actor, provider.project, Act.WRITE)
    with transaction.atomic():
        row = _held(provider)
        before = {name: getattr(row, name) for name in ("name", "provider", "default_model", "base_url")}
        dropped = _apply(actor, row, changes)
        row.updated_at = times.now()
        thing_save(row)
        told: dict[str, Any] = {
            name: [value, getattr(row, name)] for name, value in before.items() if getattr(row, name) != value
        }
        if "config" in changes:
            told["config"] = "set"
        if "api_key" in changes or dropped:
            told["api_key"] = "set" if row.api_key_encrypted else "removed"
        thing_record(actor, "ai_provider.updated", row, **told)
    return row, dropped


def provider_delete(*, actor: Actor | None, provider: AiProvider) -> None:
    """The provider is gone, with its key. Raises HasDependents when a version of an agent asks it."""
    actor = permit(actor, provider.project, Act.DELETE)
    refuse_used(agents_using(provider), "agents")
    thing_delete(actor, "ai_provider.deleted", provider, "agents")


def callable_provider(row: AiProvider) -> Provider:
    """The provider as it is called, with its key. Raises SecretUnreadable."""
    return _declared(row, decrypt(row.api_key_encrypted) or None)


def _held(provider: AiProvider) -> AiProvider:
    """The row as it is now, which nobody else changes until this transaction ends."""
    row = AiProvider.objects.select_for_update().filter(pk=provider.pk).first()
    if row is None:
        raise NotFound("The AI provider was deleted meanwhile.")
    row.project = provider.project
    return row


def _apply(actor: Actor, row: AiProvider, body: Mapping[str, Any]) -> bool:
    """Write `body` into the row; whether that dropped a stored key."""
    # A new row has no kind yet, and no key that could be dropped.
    address = _declared(row).url("") if row.api_key_encrypted else ""
    base_url = row.base_url
    for name in ("name", "provider", "default_model", "config"):
        if name in body:
            setattr(row, name, body[name])
    if "base_url" in body:
        row.base_url = (body["base_url"] or "").strip()
    if row.base_url and row.base_url != base_url and not may(actor, row.project, Act.OWN):
        # Who sets an address decides where questions, and what they hold, are sent.
        message = "Only an owner of the project may set base_url: it says where its questions are sent."
        raise Forbidden(message)
    faults = _declared(row).faults()
    if body.get("api_key"):
        faults += _key_faults(body["api_key"])
    if faults:
        raise ValidationFailed(faults)
    if "api_key" in body:
        _set_key(row, body["api_key"] or "")
        return False
    if row.api_key_encrypted and _declared(row).url("") != address:
        _set_key(row, "")
        return True
    return False


def _set_key(row: AiProvider, key: str) -> None:
    row.api_key_encrypted = encrypt(key)
    row.api_key_hint = key[-_HINT_LENGTH:] if len(key) >= _LENGTH_WITH_HINT else ""


def _key_faults(key: str) -> list[FieldError]:
    fault = header_fault("Authorization", key)
    return [FieldError("api_key", "unsendable", fault.replace("A header's value", "A key"))] if fault else []


def _declared(row: AiProvider, key: str | None = None) -> Provider:
    return Provider(
        kind=row.provider,  # type: ignore[arg-type]  # the column's choices are the kinds
        default_model=row.default_model,
        base_url=row.base_url or None,
        api_key=key,
        config=row.config,
    )
