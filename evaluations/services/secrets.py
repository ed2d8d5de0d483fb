"""A project's secrets: set, deleted, encrypted anew. Their values go in and never come out."""

import re
from collections.abc import Iterator

from django.apps import apps
from django.db import transaction
from django.db.models import Model

from accounts.actors import Actor
from accounts.models import Project
from accounts.services.audit import audit_record
from evaluations.encryption import SecretUnreadable, encrypt, reencrypted
from evaluations.models import ProjectSecret
from evaluations.outbound.headers import header_fault
from evaluations.outbound.tools import SHORTEST_REDACTED
from evaluations.permissions import Act, permit
from foundation import times
from foundation.errors import FieldError, NotFound, ValidationFailed

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def secret_set(*, actor: Actor | None, project: Project, name: str, value: str) -> ProjectSecret:
    """The secret, new or with a new value. Raises ValidationFailed for a name or value that no header can hold."""
    actor = permit(actor, project, Act.OWN)
    faults = []
    if not _NAME.fullmatch(name):
        message = "A name is made of 1 to 64 letters, digits, dots, hyphens and underscores."
        faults.append(FieldError("name", "name", message))
    fault = header_fault("Authorization", value)
    if fault:
        faults.append(FieldError("value", "unsendable", fault.replace("A header's value", "A secret")))
    elif len(value) < SHORTEST_REDACTED:
        # A shorter one could not be cut out of what a tool answers.
        message = f"A secret has at least {SHORTEST_REDACTED} characters."
        faults.append(FieldError("value", "too_short", message))
    if faults:
        raise ValidationFailed(faults)
    with transaction.atomic():
        row, _ = ProjectSecret.objects.update_or_create(
            project=project, name=name, defaults={"value_encrypted": encrypt(value), "updated_at": times.now()}
        )
        _record(actor, "secret.set", project, name)
    return row


def secret_delete(*, actor: Actor | None, project: Project, name: str) -> None:
    """The secret is gone; a tool that names it says so when it is called. Raises NotFound."""
    actor = permit(actor, project, Act.OWN)
    with transaction.atomic():
        deleted = 0
        if _NAME.fullmatch(name):
            deleted, _ = ProjectSecret.objects.filter(project=project, name=name).delete()
        if not deleted:
            raise NotFound("The project has no secret with this name.")
        _record(actor, "secret.deleted", project, name)


def secrets_rotate(*, actor: Actor) -> tuple[int, int]:
    """Encrypt every stored secret anew with the first key; how many were, and how many no key reads.

    What somebody changes meanwhile is theirs: it was encrypted with the first key as it was written.
    """
    done = unreadable = 0
    for model, column in _encrypted_columns():
        rows = model._default_manager.exclude(**{column: ""}).order_by("pk")  # noqa: SLF001 - Django's documented name
        for key, stored in rows.values_list("pk", column):
            try:
                changed = {column: reencrypted(stored)}
            except SecretUnreadable:
                unreadable += 1
                continue
            done += model._default_manager.filter(pk=key, **{column: stored}).update(**changed)  # noqa: SLF001
    audit_record(
        actor=actor,
        action="secrets.rotated",
        kind="installation",
        object_id="",
        changes={"encrypted": done, "unreadable": unreadable},
    )
    return done, unreadable


def _encrypted_columns() -> Iterator[tuple[type[Model], str]]:
    """Every column that holds a secret; they are told by their names, so that a new one is not forgotten."""
    for model in apps.get_app_config("evaluations").get_models():
        for field in model._meta.concrete_fields:  # noqa: SLF001 - Django's documented name
            if field.name.endswith("_encrypted"):
                yield model, field.name


def _record(actor: Actor, action: str, project: Project, name: str) -> None:
    audit_record(actor=actor, action=action, kind="secret", object_id=project.public_id, object_name=name)
