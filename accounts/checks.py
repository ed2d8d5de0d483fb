"""System checks about people."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

from accounts.services.people import PUBLISHED_PASSWORD


@register(Tags.security)
def published_password(app_configs: Any, **_options: Any) -> list[CheckMessage]:
    """Refuses to start a server whose first owner would have the password of a published tutorial."""
    password = getattr(settings, "PLUMBLINE_ADMIN_PASSWORD", "")
    if settings.PLUMBLINE_MODE == "server" and password == PUBLISHED_PASSWORD:
        return [
            Error(
                "PLUMBLINE_ADMIN_PASSWORD is the password that stands in a published tutorial.",
                hint="Choose another one; anybody could sign in as the owner.",
                id="accounts.E001",
            ),
        ]
    return []
