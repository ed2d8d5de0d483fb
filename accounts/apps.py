"""The app's place in Django."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """People, API keys, and the audit log."""

    name = "accounts"
    verbose_name = "People"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from accounts import checks  # noqa: F401, PLC0415 - checks may only be registered once apps are loaded
