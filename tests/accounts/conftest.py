"""The accounts app on its own addresses, so that its tests need no other app."""

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _own_addresses(settings: Settings) -> None:
    settings.ROOT_URLCONF = "tests.accounts.urls"


@pytest.fixture
def local_mode(settings: Settings, db: None) -> None:
    """The mode in which whoever uses the machine is the owner."""
    settings.PLUMBLINE_MODE = "local"
    settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
