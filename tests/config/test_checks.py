import pytest
from django.core.checks.registry import registry
from django.db import connection
from pytest_django import Settings

from config.checks import is_loopback

OURS = [check for check in registry.get_checks() if check.__module__ == "config.checks"]


def ids() -> set[str]:
    """What our own checks say; those of other apps are tested with them."""
    return {str(message.id) for check in OURS for message in check(app_configs=None, databases=None)}


@pytest.mark.parametrize("bind", ["127.0.0.1", "127.8.9.10", "::1", "localhost"])
def test_loopback(bind: str) -> None:
    assert is_loopback(bind)


@pytest.mark.parametrize(
    "bind", ["0.0.0.0", "::", "192.168.1.7", "10.0.0.1", "example.org", "", "127.0.0.1.example.org", "localhost."]
)
def test_not_loopback(bind: str) -> None:
    assert not is_loopback(bind)


def test_the_test_settings_pass() -> None:
    assert ids() == set()


def test_local_mode_on_an_open_address(settings: Settings) -> None:
    settings.PLUMBLINE_MODE, settings.PLUMBLINE_BIND = "local", "0.0.0.0"
    assert ids() == {"plumbline.E001"}
    settings.PLUMBLINE_MODE = "server"
    assert ids() == set()


def test_every_host(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["plumbline.example", "*"]
    assert ids() == {"plumbline.E002"}


@pytest.mark.parametrize("key", ["short", "a" * 60])
def test_a_plain_secret_key(settings: Settings, key: str) -> None:
    settings.SECRET_KEY = key
    assert ids() == {"plumbline.E003"}


def test_a_broker_with_a_database_file(settings: Settings) -> None:
    settings.CELERY_BROKER_URL = "redis://broker/0"
    assert ids() == ({"plumbline.W001"} if connection.vendor == "sqlite" else set())


def test_a_server_without_keys_for_secrets(settings: Settings) -> None:
    settings.PLUMBLINE_SECRETS_KEYS = []
    assert ids() == {"plumbline.W002"}
    settings.PLUMBLINE_MODE = "local"
    assert ids() == set()


def test_they_run_before_every_start() -> None:
    assert len(OURS) == 5
