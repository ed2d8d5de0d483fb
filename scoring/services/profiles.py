"""Writes of profiles. Each asks the policy, makes a version and leaves an audit entry, or does nothing."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from accounts.services.audit import audit_record
from foundation import times
from foundation.errors import StaleVersion
from scoring.differences import differences
from scoring.kit.text import code_point_offset
from scoring.models import Profile, ProfileVersion, sort_key
from scoring.permissions import Act, permit, refuse_built_in
from scoring.profile_documents import Profile as ProfileDocument
from scoring.profile_documents import read_profile
from scoring.queries.documents import profile_document
from scoring.queries.profiles import ProfileAt, profile_at, profile_row

# A name has 256 UTF-16 code units at most, and " (copy)" takes seven.
_COPIED_NAME = 249


def profile_create(*, actor: Actor | None, body: Any) -> ProfileAt:
    """A new custom profile, version 1. ValidationFailed names every fault of the body."""
    actor = permit(actor, Act.WRITE_PROFILE)
    return _add(actor, read_profile(body), "profile.created", {})


def profile_import(*, actor: Actor | None, body: Any) -> ProfileAt:
    """A new profile from an exported document.

    A scorer whose pattern or schema does not compile is kept and gives an error when run, so that
    one of them does not cost the others; `ProfileAt.content.unusable` lists them.
    """
    actor = permit(actor, Act.WRITE_PROFILE)
    return _add(actor, read_profile(body, keep_unusable=True), "profile.imported", {})


def profile_duplicate(*, actor: Actor | None, profile_id: str, number: int | None = None) -> ProfileAt:
    """A custom copy of a profile's newest version, or of version `number`."""
    actor = permit(actor, Act.WRITE_PROFILE)
    source = profile_at(profile_id, number)
    name = f"{source.content.name[: code_point_offset(source.content.name, _COPIED_NAME)]} (copy)"
    document = {**source.version.document, "name": name}
    return _add_document(
        actor, name, document, "profile.duplicated", {"from": profile_id, "version": source.version.number}
    )


def profile_update(*, actor: Actor | None, profile_id: str, body: Any, if_match: int | None = None) -> ProfileAt:
    """The profile with the keys of `body` changed, as a new version; the same one when nothing differs.

    Raises StaleVersion when `if_match` is not the newest version, with that in `meta.current`.
    """
    actor = permit(actor, Act.WRITE_PROFILE)
    with transaction.atomic():
        current = _locked(profile_id, if_match)
        stored = current.version.document
        document = read_profile(body, base=stored).as_document()
        if "scorers" not in body:
            document["scorers"] = stored.get("scorers", [])
        return _next_version(actor, current, document, "profile.updated")


def profile_restore(*, actor: Actor | None, profile_id: str, number: int, if_match: int | None = None) -> ProfileAt:
    """The profile with the content of its version `number`, as a new version."""
    actor = permit(actor, Act.WRITE_PROFILE)
    with transaction.atomic():
        current = _locked(profile_id, if_match)
        wanted = profile_at(profile_id, number)
        return _next_version(actor, current, wanted.version.document, "profile.restored", {"restored": number})


def profile_delete(*, actor: Actor | None, profile_id: str) -> None:
    """The profile is gone from every list; the evaluations made with it stay readable."""
    actor = permit(actor, Act.DELETE_PROFILE)
    with transaction.atomic():
        current = _locked(profile_id, None)
        Profile.objects.filter(pk=profile_id).update(deleted_at=times.now())
        audit_record(
            actor=actor, action="profile.deleted", kind="profile", object_id=profile_id, object_name=current.row.name
        )


def _locked(profile_id: str, if_match: int | None) -> ProfileAt:
    """The profile, held until the transaction ends, past the guard and the version check."""
    row = profile_row(profile_id, locked=True)
    refuse_built_in(built_in=row.built_in)
    current = profile_at(profile_id)
    if if_match is not None and if_match != row.version:
        message = f"This profile is at version {row.version} now; you changed version {if_match}."
        raise StaleVersion(
            message, meta={"yourVersion": if_match, "currentVersion": row.version, "current": profile_document(current)}
        )
    return current


def _next_version(
    actor: Actor, current: ProfileAt, document: Mapping[str, Any], action: str, note: Mapping[str, Any] | None = None
) -> ProfileAt:
    changes = differences(current.version.document, document)
    if not changes:
        return current
    row, number, now = current.row, current.row.version + 1, times.now()
    name = str(document["name"])
    Profile.objects.filter(pk=row.pk).update(version=number, name=name, name_key=sort_key(name), updated_at=now)
    _version(row, number, document, actor, now)
    audit_record(
        actor=actor,
        action=action,
        kind="profile",
        object_id=row.pk,
        object_name=name,
        changes={"version": [number - 1, number], "changes": [change.sentence for change in changes], **(note or {})},
    )
    return profile_at(row.pk)


def _add(actor: Actor, content: ProfileDocument, action: str, note: Mapping[str, Any]) -> ProfileAt:
    return _add_document(actor, content.name, content.as_document(), action, note)


def _add_document(
    actor: Actor, name: str, document: Mapping[str, Any], action: str, note: Mapping[str, Any]
) -> ProfileAt:
    with transaction.atomic():
        now = times.now()
        row = Profile.objects.create(name=name, name_key=sort_key(name), created_at=now, updated_at=now)
        _version(row, 1, document, actor, now)
        audit_record(actor=actor, action=action, kind="profile", object_id=row.pk, object_name=name, changes=note)
        return profile_at(row.pk)


def _version(row: Profile, number: int, document: Mapping[str, Any], actor: Actor, now: datetime) -> None:
    ProfileVersion.objects.create(
        profile=row,
        number=number,
        document=dict(document),
        created_at=now,
        created_by_id=actor.user_id,
        created_by_name=actor.name[:256],
    )
