"""Tables of people: users, their projects, API keys and login tokens, and the audit log."""

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Never

from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models.functions import Lower

from accounts.actors import Role
from foundation import times
from foundation.identifiers import new_identifier

# Parentheses and spaces are not allowed in the names that people get, so nobody else can have it.
LOCAL_OWNER_USERNAME = "(local owner)"


def _new_user_id() -> str:
    return new_identifier("user")


def _new_key_id() -> str:
    return new_identifier("key")


def _new_project_id() -> str:
    return new_identifier("proj")


class PeopleManager(UserManager["User"]):
    """Django's own, but its superusers are owners."""

    def create_superuser(
        self, username: str, email: str | None = None, password: str | None = None, **fields: Any
    ) -> "User":
        """A new owner."""
        return super().create_superuser(username, email, password, **{**fields, "role": Role.OWNER})


class User(AbstractUser):
    """A person who may sign in.

    `role` decides everything; `is_staff` and `is_superuser` follow it, so that Django's own admin
    site opens for owners and for nobody else. People are deactivated, never deleted.
    """

    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    date_joined = None  # type: ignore[assignment]

    public_id = models.CharField(max_length=32, unique=True, default=_new_user_id, editable=False)
    name = models.CharField(max_length=128, blank=True)
    role = models.CharField(max_length=16, choices=Role.choices(), default=Role.VIEWER.value)
    created_at = models.DateTimeField(default=times.now, editable=False)
    updated_at = models.DateTimeField(default=times.now, editable=False)

    objects = PeopleManager()  # type: ignore[misc]

    class Meta(AbstractUser.Meta):
        """Two names that differ only in case would be mistaken for one another."""

        abstract = False
        constraints = (
            models.UniqueConstraint(Lower("username"), name="accounts_user_username_any_case"),
            models.CheckConstraint(
                condition=models.Q(role__in=[role.value for role in Role]),
                name="accounts_user_role_known",
            ),
        )

    def save(self, *args: Any, **options: Any) -> None:
        """Store the person, with what follows from the role."""
        self.is_staff = self.is_superuser = self.role == Role.OWNER
        fields: Iterable[str] | None = options.get("update_fields")
        if fields is None:
            self.updated_at = times.now()
        elif "role" in fields:
            options["update_fields"] = {*fields, "is_staff", "is_superuser"}
        super().save(*args, **options)

    def get_full_name(self) -> str:
        """The name to show: the one the person chose, else the username."""
        return self.name or self.username

    def get_short_name(self) -> str:
        """The same: there is one name."""
        return self.get_full_name()

    @property
    def is_local_owner(self) -> bool:
        """Whether this is the owner that the local mode acts as; nobody can sign in as them."""
        return self.username == LOCAL_OWNER_USERNAME


class Project(models.Model):
    """What belongs together and is seen by the same people: agents, tools, datasets, evals and runs."""

    public_id = models.CharField(max_length=32, unique=True, default=_new_project_id, editable=False)
    name = models.CharField(max_length=256)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(default=times.now, editable=False)
    updated_at = models.DateTimeField(default=times.now, editable=False)

    class Meta:
        """Newest first."""

        ordering = ("-created_at", "-id")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a project. Owners of the installation are owners of every project without one."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices())
    created_at = models.DateTimeField(default=times.now, editable=False)

    class Meta:
        """One role a person and project."""

        constraints = (
            models.UniqueConstraint(fields=("project", "user"), name="accounts_membership_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=[role.value for role in Role]), name="accounts_membership_role_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} in {self.project_id}"


class ApiKey(models.Model):
    """A named secret with which a program acts for a person. Only its SHA-256 is stored.

    With a `project` it opens that project and nothing else.
    """

    public_id = models.CharField(max_length=32, unique=True, default=_new_key_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_keys")
    project = models.ForeignKey(Project, on_delete=models.CASCADE, null=True, related_name="api_keys")
    name = models.CharField(max_length=128)
    role = models.CharField(max_length=16, choices=Role.choices())
    shown_prefix = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=times.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        """Newest first."""

        ordering = ("-created_at", "-id")

    def __str__(self) -> str:
        return f"{self.name} ({self.shown_prefix}…)"

    @property
    def role_in_force(self) -> Role:
        """The key's role, or its person's when that is lower; a project's key is held to the membership instead."""
        return Role(self.role) if self.project_id else min(Role(self.role), Role(self.user.role))

    def expired(self, moment: datetime) -> bool:
        """Whether the key is out of date at `moment`."""
        return self.expires_at is not None and self.expires_at <= moment


class AccessToken(models.Model):
    """What the login address of the API hands out: seven days of acting as oneself."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="access_tokens")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=times.now)
    expires_at = models.DateTimeField(db_index=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"token of {self.user_id} until {times.iso(self.expires_at)}"


def _as_words(change: Any) -> str:
    if isinstance(change, list) and len(change) == 2:
        return " → ".join(_as_words(value) for value in change)
    return change if isinstance(change, str) else json.dumps(change, ensure_ascii=False)


class AuditIsAppendOnly(TypeError):
    """Somebody tried to change or delete an audit entry: a fault in the code, not in the request."""

    def __init__(self) -> None:
        super().__init__("Audit entries are only ever added.")


class AuditEntries(models.QuerySet["AuditEntry"]):
    """Rows that can be read and added."""

    def update(self, **_fields: Any) -> Never:
        """Refused."""
        raise AuditIsAppendOnly

    def bulk_update(self, *_args: Any, **_options: Any) -> Never:
        """Refused."""
        raise AuditIsAppendOnly

    def delete(self) -> Never:
        """Refused."""
        raise AuditIsAppendOnly


class AuditEntry(models.Model):
    """One write: who did what to which thing, when, and from where.

    Names are kept as they were, without foreign keys, so that an entry outlives what it tells of.
    """

    created_at = models.DateTimeField(default=times.now, editable=False)
    actor_id = models.CharField(max_length=32, blank=True)
    actor_name = models.CharField(max_length=150)
    via = models.CharField(max_length=16)
    address = models.CharField(max_length=45, blank=True)
    action = models.CharField(max_length=64)
    object_kind = models.CharField(max_length=32)
    object_id = models.CharField(max_length=64, blank=True)
    object_name = models.CharField(max_length=255, blank=True)
    changes = models.JSONField(default=dict, blank=True)

    objects = AuditEntries.as_manager()

    class Meta:
        """Newest first; one index for each filter of the page."""

        ordering = ("-created_at", "-id")
        verbose_name_plural = "audit entries"
        indexes = (
            models.Index(fields=("-created_at", "-id"), name="audit_newest"),
            models.Index(fields=("actor_id", "-created_at", "-id"), name="audit_by_actor"),
            models.Index(fields=("action", "-created_at", "-id"), name="audit_by_action"),
            models.Index(fields=("object_id", "-created_at", "-id"), name="audit_by_object"),
        )

    def __str__(self) -> str:
        return f"{times.iso(self.created_at)} {self.actor_name} {self.action} {self.object_id}"

    def save(self, *args: Any, **options: Any) -> None:
        """Add the entry; a second save is refused."""
        if not self._state.adding:
            raise AuditIsAppendOnly
        super().save(*args, **{**options, "force_insert": True})

    def delete(self, *_args: Any, **_options: Any) -> Never:
        """Refused."""
        raise AuditIsAppendOnly

    @property
    def change_pairs(self) -> list[tuple[str, str]]:
        """Each changed field and its values as text; `before → after` where there are two."""
        return [(str(field), _as_words(change)) for field, change in self.changes.items()]
