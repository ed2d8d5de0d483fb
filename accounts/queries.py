"""Reads about people."""

import hmac
import re
from dataclasses import dataclass

from django.conf import settings
from django.db.models import Q, QuerySet

from accounts.actors import Actor, Role
from accounts.credentials import ACCESS_TOKEN_PREFIX, API_KEY_PREFIX, digest
from accounts.models import AccessToken, ApiKey, AuditEntry, Project, User
from foundation import times
from foundation.cursors import decode_cursor, encode_cursor
from foundation.errors import NotFound, Unauthorized

_KEY_ID = re.compile(r"key_[A-Za-z0-9]{16}")
_PROJECT_ID = re.compile(r"proj_[A-Za-z0-9]{16}")
_USER_ID = re.compile(r"user_[A-Za-z0-9]{16}")
AUDIT_PAGE_LENGTH = 50
_UNKNOWN = "This token or API key is not known, or was revoked."


def _usable(user: User) -> User:
    if not user.is_active:
        raise Unauthorized("The person this belongs to is deactivated.")
    if user.is_local_owner and settings.PLUMBLINE_MODE != "local":
        raise Unauthorized("This API key was made in local mode and works only there.")
    return user


def key_by_secret(secret: str) -> ApiKey:
    """The key, with its person, whose secret this is. Raises Unauthorized when it does not work (any more)."""
    wanted = digest(secret)
    key = ApiKey.objects.select_related("user", "project").filter(digest=wanted, revoked_at=None).first()
    if key is None or not hmac.compare_digest(key.digest, wanted):
        raise Unauthorized(_UNKNOWN)
    if key.expired(times.now()):
        raise Unauthorized(f'The API key "{key.name}" has expired.', hint="Make a new one on the Account page.")
    _usable(key.user)
    return key


def token_by_secret(secret: str) -> AccessToken:
    """The login token, with its person, whose secret this is. Raises Unauthorized when it does not work (any more)."""
    wanted = digest(secret)
    token = AccessToken.objects.select_related("user").filter(digest=wanted, revoked_at=None).first()
    if token is None or not hmac.compare_digest(token.digest, wanted):
        raise Unauthorized(_UNKNOWN)
    if token.expires_at <= times.now():
        raise Unauthorized("This login token has expired.", hint="Log in again; tokens last seven days.")
    _usable(token.user)
    return token


def is_key(secret: str) -> bool:
    """Whether this looks like an API key."""
    return secret.startswith(API_KEY_PREFIX)


def is_token(secret: str) -> bool:
    """Whether this looks like a login token."""
    return secret.startswith(ACCESS_TOKEN_PREFIX)


def _keys_of(actor: Actor) -> QuerySet[ApiKey]:
    keys = ApiKey.objects.select_related("user", "project").filter(revoked_at=None)
    return keys.none() if actor.user_id is None else keys.filter(user_id=actor.user_id)


def own_keys(actor: Actor) -> list[ApiKey]:
    """The actor's keys that are not revoked, newest first, each with its person."""
    return list(_keys_of(actor))


def own_key(actor: Actor, public_id: str) -> ApiKey:
    """The actor's key with this identifier. Raises NotFound for another person's and for a revoked one."""
    if _KEY_ID.fullmatch(public_id):
        key = _keys_of(actor).filter(public_id=public_id).first()
        if key is not None:
            return key
    raise NotFound("You have no API key with this identifier.")


def person(public_id: str) -> User:
    """The person with this identifier. Raises NotFound."""
    user = User.objects.filter(public_id=public_id).first() if _USER_ID.fullmatch(public_id) else None
    if user is None:
        raise NotFound("There is no person with this identifier.")
    return user


def person_of(actor: Actor) -> User:
    """The row of the person who acts. Raises NotFound for the command line, which is none."""
    user = None if actor.user_id is None else User.objects.filter(pk=actor.user_id).first()
    if user is None:
        raise NotFound("Nobody stands behind this request.")
    return user


def people() -> list[User]:
    """Everybody: the active first, then by username."""
    return list(User.objects.order_by("-is_active", "username"))


def projects_of(actor: Actor) -> QuerySet[Project]:
    """The projects that the actor may know of, newest first."""
    projects = Project.objects.all()
    if actor.project_id is not None:
        projects = projects.filter(pk=actor.project_id)
    if actor.owns_installation:
        return projects
    return projects.none() if actor.user_id is None else projects.filter(memberships__user_id=actor.user_id)


def project_for(actor: Actor, public_id: str) -> Project:
    """The project with this identifier. Raises NotFound also when the actor may not know of it."""
    project = projects_of(actor).filter(public_id=public_id).first() if _PROJECT_ID.fullmatch(public_id) else None
    if project is None:
        raise NotFound("There is no project with this identifier.")
    return project


def actor_from(user: User, *, via: str, address: str, key: ApiKey | None = None) -> Actor:
    """The actor that this person is, or the key of theirs."""
    return Actor(
        user_id=user.pk,
        public_id=user.public_id,
        name=user.get_full_name(),
        role=key.role_in_force if key else Role(user.role),
        via=via,  # type: ignore[arg-type]
        address=address,
        owns_installation=user.role == Role.OWNER,
        project_id=key.project_id if key else None,
    )


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Up to fifty audit entries, newest first, and the cursor of the next older ones, if any."""

    entries: list[AuditEntry]
    older: str | None


def audit_page(*, actor: str = "", action: str = "", object_id: str = "", cursor: str = "") -> AuditPage:
    """The audit log narrowed to all of what is given.

    `actor` is somebody's username, name (in any case) or identifier, or the name of an actor who
    is no person; `action` and `object_id` are exact. Raises ValidationFailed for a bad cursor.
    """
    entries = AuditEntry.objects.all()
    if actor:
        entries = entries.filter(_acted_by(actor))
    if action:
        entries = entries.filter(action=action)
    if object_id:
        entries = entries.filter(object_id=object_id)
    if cursor:
        moment, key = decode_cursor(cursor)
        entries = entries.filter(Q(created_at__lt=moment) | Q(created_at=moment, id__lt=key))
    found = list(entries.order_by("-created_at", "-id")[: AUDIT_PAGE_LENGTH + 1])
    shown = found[:AUDIT_PAGE_LENGTH]
    more = len(found) > AUDIT_PAGE_LENGTH
    return AuditPage(shown, encode_cursor(shown[-1].created_at, shown[-1].pk) if more else None)


def _acted_by(text: str) -> Q:
    if _USER_ID.fullmatch(text):
        return Q(actor_id=text)
    named = User.objects.filter(Q(username__iexact=text) | Q(name__iexact=text))
    identifiers = list(named.values_list("public_id", flat=True))
    return Q(actor_id__in=identifiers) | Q(actor_id="", actor_name=text)
