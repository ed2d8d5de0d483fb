"""Django system checks of the settings, each with an id. They run before every start."""

import ipaddress
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register  # noqa: A004 - Django's name


def is_loopback(bind: str) -> bool:
    """Whether only this machine reaches the address `bind`."""
    if bind == "localhost":
        return True
    try:
        return ipaddress.ip_address(bind).is_loopback
    except ValueError:
        return False


@register
def check_local_bind(**_: Any) -> list[CheckMessage]:
    """plumbline.E001: without sign-in, only this machine may reach the server."""
    if settings.PLUMBLINE_MODE != "local" or is_loopback(settings.PLUMBLINE_BIND):
        return []
    bind = settings.PLUMBLINE_BIND
    message = f"PLUMBLINE_BIND is {bind}, which other machines reach, and in local mode nobody signs in."
    return [Error(message, hint="Use 127.0.0.1, or config.settings.production.", id="plumbline.E001")]


@register
def check_hosts(**_: Any) -> list[CheckMessage]:
    """plumbline.E002: a server that answers to every name can be reached through a foreign page."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    message = "The server would answer to every host name."
    return [Error(message, hint="List the names in PLUMBLINE_ALLOWED_HOSTS.", id="plumbline.E002")]


@register
def check_secret_key(**_: Any) -> list[CheckMessage]:
    """plumbline.E003: a short signing key can be guessed, and with it every session."""
    if len(settings.SECRET_KEY) >= 32 and len(set(settings.SECRET_KEY)) >= 8:
        return []
    message = "The secret key is too short or too plain to sign sessions with."
    return [Error(message, hint="Set PLUMBLINE_SECRET_KEY to 50 random characters.", id="plumbline.E003")]


@register
def check_shared_database(**_: Any) -> list[CheckMessage]:
    """plumbline.W001: workers on other machines cannot share a SQLite file."""
    if not settings.CELERY_BROKER_URL or settings.DATABASES["default"]["ENGINE"] != "django.db.backends.sqlite3":
        return []
    message = "A broker is set and the database is a SQLite file: every worker must run on this machine."
    return [Warning(message, hint="Set PLUMBLINE_DATABASE_URL to a PostgreSQL server.", id="plumbline.W001")]


@register
def check_secrets_keys(**_: Any) -> list[CheckMessage]:
    """plumbline.W002: without a key of its own a server can keep no provider's key and no secret."""
    if settings.PLUMBLINE_MODE != "server" or settings.PLUMBLINE_SECRETS_KEYS:
        return []
    message = "PLUMBLINE_SECRETS_KEYS is empty: keys of AI providers and secrets of tools cannot be stored."
    return [Warning(message, hint="Set it to 50 random characters.", id="plumbline.W002")]
