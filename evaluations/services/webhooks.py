"""Webhooks: made, changed, deleted, tried out. Their signing secrets come out once, when they are made.

Where events go is the owners' business: what is told there leaves this server, and many addresses
are themselves a secret. So the audit log keeps of an address only which server it is at.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.credentials import new_secret
from accounts.models import Project
from accounts.services.audit import audit_record
from evaluations.egress import door
from evaluations.encryption import decrypt, encrypt
from evaluations.events import EVENTS, PING, event_document
from evaluations.models import Webhook, WebhookDelivery
from evaluations.outbound.locations import parse_url, url_fault
from evaluations.outbound.webhooks import post_event
from evaluations.permissions import Act, permit
from foundation import times
from foundation.errors import FieldError, NotFound, ValidationFailed

MOST_OF_A_PROJECT = 20
SECRET_PREFIX = "whsec_"
_SWITCHED_OFF = "The webhook was switched off before this was sent."


def webhook_create(
    *, actor: Actor | None, project: Project, url: str, events: Sequence[str], active: bool = True
) -> tuple[Webhook, str]:
    """A new webhook, and its secret, which cannot be read again.

    Raises ValidationFailed on `url` and `events`, and when the project has twenty webhooks.
    """
    actor = permit(actor, project, Act.OWN)
    _check({"url": url, "events": events})
    secret = new_secret(SECRET_PREFIX)
    with transaction.atomic():
        # The project is locked, so that two requests at once count one after the other.
        if Project.objects.select_for_update().filter(pk=project.pk).first() is None:
            raise NotFound("The project was deleted meanwhile.")
        if Webhook.objects.filter(project=project).count() >= MOST_OF_A_PROJECT:
            message = f"A project has at most {MOST_OF_A_PROJECT} webhooks; delete one that is not needed."
            raise ValidationFailed.one("url", "too_many", message)
        row = Webhook.objects.create(
            project=project, url=url, events=_ordered(events), active=active, secret_encrypted=encrypt(secret)
        )
        _record(actor, "webhook.created", row, events=row.events, active=row.active)
    return row, secret


def webhook_update(
    *, actor: Actor | None, webhook: Webhook, changes: Mapping[str, Any], rotate_secret: bool = False
) -> tuple[Webhook, str | None]:
    """The webhook with `changes` (url, events, active), and its new secret where it gets one.

    What waits to be sent goes to the new address, signed with the new secret; of one that is switched
    off it is given up. Raises ValidationFailed by path, and NotFound when it was deleted meanwhile.
    """
    actor = permit(actor, webhook.project, Act.OWN)
    _check(changes)
    secret = new_secret(SECRET_PREFIX) if rotate_secret else None
    with transaction.atomic():
        row = _held(webhook)
        before = {name: getattr(row, name) for name in changes}
        for name, value in changes.items():
            setattr(row, name, _ordered(value) if name == "events" else value)
        told: dict[str, Any] = {
            name: [_shown(name, value), _shown(name, getattr(row, name))]
            for name, value in before.items()
            if getattr(row, name) != value
        }
        if secret is not None:
            row.secret_encrypted = encrypt(secret)
            told["secret"] = "rotated"
        if told:
            row.updated_at = times.now()
            row.save()
            _record(actor, "webhook.updated", row, **told)
        if not row.active:
            waiting = row.deliveries.filter(state=WebhookDelivery.State.PENDING)
            waiting.update(
                state=WebhookDelivery.State.FAILED, next_at=None, error=_SWITCHED_OFF, updated_at=times.now()
            )
    return row, secret


def webhook_delete(*, actor: Actor | None, webhook: Webhook) -> None:
    """The webhook is gone, with what was and what was to be sent there."""
    actor = permit(actor, webhook.project, Act.OWN)
    with transaction.atomic():
        row = _held(webhook)
        _record(actor, "webhook.deleted", row)
        row.delete()


def webhook_test(*, actor: Actor | None, webhook: Webhook) -> WebhookDelivery:
    """A ping, sent now and once: delivered, or failed with the reason.

    It takes ten seconds at most. Raises SecretUnreadable, and NotFound when the webhook was deleted meanwhile.
    """
    actor = permit(actor, webhook.project, Act.OWN)
    row = WebhookDelivery(webhook=webhook, event=PING, attempts=1)
    row.subject = row.public_id
    row.payload = event_document(row, {"project_id": webhook.project.public_id})
    posted = post_event(
        door(),
        url=webhook.url,
        secret=decrypt(webhook.secret_encrypted),
        event=PING,
        delivery_id=row.public_id,
        payload=row.payload,
    )
    row.status, row.error = posted.status, posted.error
    row.state = WebhookDelivery.State.FAILED if posted.error else WebhookDelivery.State.DELIVERED
    row.updated_at = times.now()
    row.delivered_at = None if posted.error else row.updated_at
    with transaction.atomic():
        _held(webhook)
        row.save()
        _record(actor, "webhook.tested", webhook, state=row.state)
    return row


def _held(webhook: Webhook) -> Webhook:
    """The webhook as it is now, locked. Raises NotFound."""
    row = Webhook.objects.select_for_update().filter(pk=webhook.pk).first()
    if row is None:
        raise NotFound("The webhook was deleted meanwhile.")
    row.project = webhook.project
    return row


def _check(given: Mapping[str, Any]) -> None:
    faults = []
    fault = url_fault(given["url"]) if "url" in given else None
    if fault:
        faults.append(FieldError("url", "invalid_url", fault))
    if "events" in given and (not given["events"] or not set(given["events"]) <= set(EVENTS)):
        faults.append(FieldError("events", "events", f"Name one or more of {', '.join(EVENTS)}."))
    if faults:
        raise ValidationFailed(faults)


def _ordered(events: Sequence[str]) -> list[str]:
    return [event for event in EVENTS if event in events]


def _shown(name: str, value: Any) -> Any:
    return server_of(value) if name == "url" else value


def server_of(url: str) -> str:
    """Of an address what may be told to everybody: `https://hooks.example.com`, and that there is more."""
    location = parse_url(url)
    return f"{location.scheme}://{location.host_header}{'/…' if location.target != '/' else '/'}"


def _record(actor: Actor, action: str, row: Webhook, **changes: Any) -> None:
    audit_record(
        actor=actor,
        action=action,
        kind="webhook",
        object_id=row.public_id,
        object_name=server_of(row.url),
        changes={"project": row.project.public_id, **changes},
    )
