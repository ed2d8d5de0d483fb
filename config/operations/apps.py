"""The Django app of the operations, which also brings the project's system checks."""

import importlib

from django.apps import AppConfig
from django.conf import settings


class OperationsConfig(AppConfig):
    """Registers the checks in config/checks.py."""

    name = "config.operations"
    label = "operations"

    def ready(self) -> None:
        """Import what registers itself by being imported: the checks and, with a broker, the Celery app."""
        importlib.import_module("config.checks")
        if settings.CELERY_BROKER_URL:
            # So that shared tasks go to our broker from the web server too.
            importlib.import_module("config.celery")
