"""A project with people in it, and one that they know nothing of."""

from collections.abc import Callable

import pytest
from django.test import Client

from accounts.actors import Role
from accounts.models import Project, User
from tests.evaluations.cases import member
from tests.people import ClientFor, person

MemberClient = Callable[[Role], Client]


@pytest.fixture
def project(db: None) -> Project:
    return Project.objects.create(name="Refunds")


@pytest.fixture
def other_project(db: None) -> Project:
    return Project.objects.create(name="Somebody else's")


@pytest.fixture
def members(project: Project) -> dict[Role, User]:
    """A person for each role in the project, all of them viewers of the installation."""
    people = {role: person(f"{role}-of-project", Role.VIEWER) for role in Role}
    for role, user in people.items():
        member(project, user, role)
    return people


@pytest.fixture
def client_of(members: dict[Role, User], client_for: ClientFor) -> MemberClient:
    """A signed-in client of the member with a role."""
    return lambda role: client_for(members[role])


@pytest.fixture
def stranger(client_for: ClientFor, other_project: Project) -> Client:
    """Somebody who owns another project and is no member of this one."""
    user = person("stranger", Role.EDITOR)
    member(other_project, user, Role.OWNER)
    return client_for(user)
