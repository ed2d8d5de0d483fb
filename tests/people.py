"""The people of every test: one of each role, one who is deactivated, and the ways in which they come."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.actors import Actor, Role
from accounts.models import User
from accounts.queries import actor_from
from accounts.services import key_create

PASSWORD = "a long and winding password"
ClientFor = Callable[..., Client]
ApiKeyFor = Callable[..., str]


def person(username: str, role: Role, *, active: bool = True) -> User:
    """Somebody with `PASSWORD`."""
    return User.objects.create_user(username, password=PASSWORD, role=role, is_active=active)


def actor_for(user: User, via: str = "session") -> Actor:
    """The actor that this person is, for calling services directly."""
    return actor_from(user, via=via, address="127.0.0.1")


def bearer(secret: str) -> dict[str, str]:
    """The headers that carry a token or API key."""
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def owner(db: None) -> User:
    return person("olga", Role.OWNER)


@pytest.fixture
def editor(db: None) -> User:
    return person("edgar", Role.EDITOR)


@pytest.fixture
def reviewer(db: None) -> User:
    return person("rita", Role.REVIEWER)


@pytest.fixture
def viewer(db: None) -> User:
    return person("victor", Role.VIEWER)


@pytest.fixture
def outsider(db: None) -> User:
    """Somebody who was an owner and is deactivated."""
    return person("oscar", Role.OWNER, active=False)


@pytest.fixture
def client_for() -> ClientFor:
    """A browser that this person is signed in with; nobody's when None. Options go to the client."""

    def make(user: User | None, **options: Any) -> Client:
        client = Client(**options)
        if user is not None:
            client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    return make


@pytest.fixture
def api_key_for() -> ApiKeyFor:
    """The secret of a new API key of this person's, with their own role unless another is given."""

    def make(user: User, role: Role | None = None, **options: Any) -> str:
        wanted = role or Role(user.role)
        return key_create(actor=actor_for(user), name="test key", role=wanted, **options)[1]

    return make
