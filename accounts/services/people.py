"""People: created, renamed, given roles and passwords, deactivated. The last owner stays."""

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.actors import COMMAND_LINE, Actor, Role
from accounts.models import LOCAL_OWNER_USERNAME, AccessToken, ApiKey, User
from accounts.permissions import require
from accounts.services.audit import audit_record
from foundation import times
from foundation.errors import FieldError, Forbidden, NameConflict, ValidationFailed
from foundation.text import unstorable_reason

# It stands in a published tutorial: fine on one's own machine, an open door on a server.
PUBLISHED_PASSWORD = "Admin1234!"
USERNAME_LENGTH = 150
NAME_LENGTH = 128


def _record(actor: Actor, action: str, user: User, **changes: object) -> None:
    audit_record(
        actor=actor,
        action=action,
        kind="user",
        object_id=user.public_id,
        object_name=user.username,
        changes=changes,
    )


def _name_faults(name: str) -> list[FieldError]:
    reason = unstorable_reason(name)
    if reason:
        return [FieldError("name", "unstorable_text", f"The name {reason}.")]
    if len(name) > NAME_LENGTH:
        return [FieldError("name", "length", f"A name has at most {NAME_LENGTH} characters.")]
    return []


def _username_faults(username: str) -> list[FieldError]:
    if not 1 <= len(username) <= USERNAME_LENGTH:
        return [FieldError("username", "length", f"A username has 1 to {USERNAME_LENGTH} characters.")]
    try:
        UnicodeUsernameValidator()(username)
    except ValidationError:
        message = "A username has letters, digits and @ . + - _ only."
        return [FieldError("username", "characters", message)]
    return []


def _password_faults(password: str, user: User, field: str) -> list[FieldError]:
    if settings.PLUMBLINE_MODE == "server" and password == PUBLISHED_PASSWORD:
        return [
            FieldError(field, "published_password", "This password stands in a published tutorial; choose another.")
        ]
    if unstorable_reason(password):
        return [FieldError(field, "unstorable_text", "This password holds a character that cannot be typed.")]
    if settings.PLUMBLINE_MODE == "local" and password == PUBLISHED_PASSWORD:
        return []
    try:
        validate_password(password, user)
    except ValidationError as error:
        return [FieldError(field, str(fault.code), fault.messages[0]) for fault in error.error_list]
    return []


def _insert(user: User) -> None:
    if User.objects.filter(username__iexact=user.username).exists():
        raise NameConflict(f'There is a person with the username "{user.username}" already.')
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError as error:
        raise NameConflict(f'There is a person with the username "{user.username}" already.') from error


def user_create(*, actor: Actor, username: str, password: str, role: Role, name: str = "") -> User:
    """A new person who can sign in with `password`.

    Raises Forbidden unless the actor is an owner, ValidationFailed on `username`, `password` and
    `name`, NameConflict when the username is taken (in whatever case).
    """
    require(actor, Role.OWNER)
    username = User.normalize_username(username.strip())
    user = User(username=username, name=name.strip(), role=role)
    faults = _username_faults(username) + _name_faults(user.name) + _password_faults(password, user, "password")
    if faults:
        raise ValidationFailed(faults)
    user.set_password(password)
    with transaction.atomic():
        _insert(user)
        _record(actor, "user.created", user, role=role.value)
    return user


def _others_who_own(user: User) -> bool:
    """Whether another owner can sign in. Locks the owners, so that two cannot demote each other."""
    owners = User.objects.select_for_update().filter(role=Role.OWNER, is_active=True)
    return any(owner.pk != user.pk and owner.has_usable_password() for owner in owners)


def _keep_an_owner(user: User) -> None:
    if user.is_local_owner:
        raise Forbidden("The local owner is whoever uses this machine in local mode, and stays.")
    if user.role == Role.OWNER and user.is_active and not _others_who_own(user):
        raise Forbidden(
            f"{user.username} is the last owner, and somebody has to be.",
            hint="Make somebody else an owner first.",
        )


def user_role_change(*, actor: Actor, user: User, role: Role) -> User:
    """The person with their new role. Their API keys above it are lowered for good.

    Raises Forbidden unless the actor is an owner, and for the last owner.
    """
    require(actor, Role.OWNER)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        before = Role(user.role)
        if before == role:
            return user
        if role < before:
            _keep_an_owner(user)
        user.role = role
        user.save()
        too_high = [higher.value for higher in Role if higher > role]
        lowered = ApiKey.objects.filter(user=user, role__in=too_high).update(role=role)
        _record(actor, "user.role_changed", user, role=[before.value, role.value], keysLowered=lowered)
    return user


def user_deactivate(*, actor: Actor, user: User) -> User:
    """The person, who cannot sign in any more; sessions, tokens and keys stop at once.

    Raises Forbidden unless the actor is an owner, and for the last owner.
    """
    require(actor, Role.OWNER)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if not user.is_active:
            return user
        _keep_an_owner(user)
        user.is_active = False
        user.save()
        _end_tokens(user)
        _record(actor, "user.deactivated", user)
    return user


def user_activate(*, actor: Actor, user: User) -> User:
    """The person, who can sign in again. Raises Forbidden unless the actor is an owner."""
    require(actor, Role.OWNER)
    with transaction.atomic():
        user = User.objects.select_for_update().get(pk=user.pk)
        if not user.is_active:
            user.is_active = True
            user.save()
            _record(actor, "user.activated", user)
    return user


def user_rename(*, actor: Actor, user: User, name: str) -> User:
    """The person with the name they want to be shown by; empty means the username.

    Raises Forbidden when it is somebody else and the actor is not an owner, ValidationFailed on `name`.
    """
    if actor.user_id != user.pk:
        require(actor, Role.OWNER)
    name = name.strip()
    faults = _name_faults(name)
    if faults:
        raise ValidationFailed(faults)
    with transaction.atomic():
        before, user.name = user.name, name
        if before != name:
            user.save()
            _record(actor, "user.renamed", user, name=[before, name])
    return user


def _end_tokens(user: User) -> None:
    AccessToken.objects.filter(user=user, revoked_at=None).update(revoked_at=times.now())


def _set_password(actor: Actor, user: User, password: str, action: str) -> None:
    user.set_password(password)
    with transaction.atomic():
        user.save()
        _end_tokens(user)
        _record(actor, action, user)


def user_password_change(*, actor: Actor, user: User, current: str, new: str) -> User:
    """The person with a new password of their own; other sessions and all tokens end, keys stay.

    Raises Forbidden when it is somebody else, or for the local owner, who has none;
    ValidationFailed on `current` and `new`.
    """
    if actor.user_id != user.pk:
        raise Forbidden(
            "A password is changed by the person it belongs to.", hint="An owner may set a new one on the People page."
        )
    if user.is_local_owner:
        raise Forbidden("The local owner has no password: in local mode nobody signs in.")
    if not user.check_password(current):
        raise ValidationFailed.one("current", "wrong_password", "This is not your present password.")
    faults = _password_faults(new, user, "new")
    if faults:
        raise ValidationFailed(faults)
    _set_password(actor, user, new, "user.password_changed")
    return user


def user_password_reset(*, actor: Actor, user: User, password: str) -> User:
    """The person with the password that an owner gave them; their sessions and tokens end.

    Raises Forbidden unless the actor is an owner, and for the local owner; ValidationFailed on `password`.
    """
    require(actor, Role.OWNER)
    if user.is_local_owner:
        raise Forbidden("The local owner has no password: in local mode nobody signs in.")
    faults = _password_faults(password, user, "password")
    if faults:
        raise ValidationFailed(faults)
    _set_password(actor, user, password, "user.password_reset")
    return user


def first_owner_create(*, username: str, password: str) -> User | None:
    """The first owner, or None when an owner who can sign in exists already.

    Raises ValidationFailed on `username` and `password`, NameConflict when the username is
    somebody's who is not an owner.
    """
    owners = User.objects.filter(role=Role.OWNER, is_active=True)
    if any(owner.has_usable_password() for owner in owners):
        return None
    return user_create(actor=COMMAND_LINE, username=username, password=password, role=Role.OWNER)


def local_owner_ensure() -> User:
    """The person that the local mode acts as, made when there is none. Nobody can sign in as them."""
    user = User.objects.filter(username=LOCAL_OWNER_USERNAME).first()
    if user is not None:
        return user
    fresh = User(username=LOCAL_OWNER_USERNAME, name="Local owner", role=Role.OWNER)
    fresh.set_unusable_password()
    try:
        with transaction.atomic():
            fresh.save()
            _record(COMMAND_LINE, "user.created", fresh, role=fresh.role)
    except IntegrityError:
        # Another process made it between the look and the insert.
        return User.objects.get(username=LOCAL_OWNER_USERNAME)
    return fresh
