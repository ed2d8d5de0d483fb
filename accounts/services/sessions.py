"""Signing in and out: passwords checked under the throttle, sessions and login tokens begun and ended."""

from datetime import timedelta

from django.contrib.auth import authenticate, login, logout
from django.db import transaction
from django.http import HttpRequest

from accounts import throttle
from accounts.actors import Actor, Role
from accounts.addresses import client_address
from accounts.credentials import ACCESS_TOKEN_PREFIX, digest, new_secret
from accounts.models import AccessToken, User
from accounts.services.audit import audit_record
from foundation import times
from foundation.errors import BadRequest, Unauthorized

TOKEN_LIFETIME = timedelta(days=7)


def _record(request: HttpRequest, user: User | None, action: str, via: str) -> None:
    name = user.username if user else ""
    actor = Actor(
        user_id=user.pk if user else None,
        public_id=user.public_id if user else "",
        name=user.get_full_name() if user else "somebody",
        role=Role(user.role) if user else Role.VIEWER,
        via="token" if via == "token" else "session",
        address=client_address(request),
    )
    audit_record(actor=actor, action=action, kind="user", object_id=actor.public_id, object_name=name)


def credentials_check(*, request: HttpRequest, username: str, password: str) -> User:
    """The person whose name and password these are.

    Five wrong passwords for one name from one address within a quarter of an hour, and every
    further try there is refused, right or wrong. Tries sent at the same moment count in the
    order in which their answers are found, so sending many at once gains nothing.
    Raises Unauthorized, or RateLimited with Retry-After.
    """
    username = User.normalize_username(username)
    throttle.refuse_when_locked(request, username)
    user = authenticate(request, username=username, password=password)
    if isinstance(user, User):
        throttle.refuse_when_locked(request, username)
        throttle.forget(request, username)
        return user
    # The name is noted only when it is somebody's: people type passwords into the wrong field.
    known = User.objects.filter(username=username).first()
    _record(request, known, "sign_in.failed", "session")
    throttle.refuse_when_beyond(request, username)
    raise Unauthorized(
        "The username or the password is wrong.",
        hint="Check both. An owner can set a new password on the People page.",
    )


def session_start(*, request: HttpRequest, username: str, password: str) -> User:
    """The person, now signed in with this browser. Raises as `credentials_check` does."""
    user = credentials_check(request=request, username=username, password=password)
    login(request, user)
    _record(request, user, "sign_in.succeeded", "session")
    return user


def session_end(*, request: HttpRequest, actor: Actor) -> None:
    """This browser's session ends."""
    with transaction.atomic():
        audit_record(actor=actor, action="sign_out", kind="user", object_id=actor.public_id, object_name=actor.name)
        logout(request)


def token_create(*, request: HttpRequest, user: User) -> str:
    """A login token for a person whose password was just checked; it works for seven days."""
    secret = new_secret(ACCESS_TOKEN_PREFIX)
    now = times.now()
    with transaction.atomic():
        AccessToken.objects.create(user=user, digest=digest(secret), created_at=now, expires_at=now + TOKEN_LIFETIME)
        user.last_login = now
        user.save(update_fields=["last_login"])
        _record(request, user, "token.created", "token")
    return secret


def token_revoke(*, actor: Actor, secret: str) -> None:
    """The login token stops working at once. Raises BadRequest when `secret` is not a token of the actor's."""
    with transaction.atomic():
        tokens = AccessToken.objects.filter(digest=digest(secret), user__public_id=actor.public_id, revoked_at=None)
        if not tokens.update(revoked_at=times.now()):
            raise BadRequest("There is no login token to end.", hint="An API key is revoked, not logged out.")
        audit_record(
            actor=actor,
            action="token.revoked",
            kind="user",
            object_id=actor.public_id,
            object_name=actor.name,
        )
