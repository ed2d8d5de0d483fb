"""Fixtures of the tests of scoring."""

from collections.abc import Iterator

import pytest
from django.test import Client

from accounts.models import User
from scoring.queries.profiles import forget_loaded
from tests.people import ClientFor


@pytest.fixture(autouse=True)
def _no_profiles_of_other_tests() -> Iterator[None]:
    """Each test's database gives the same keys to other versions."""
    forget_loaded()
    yield
    forget_loaded()


@pytest.fixture
def api(owner: User, client_for: ClientFor) -> Client:
    """A client who may do everything."""
    return client_for(owner)
