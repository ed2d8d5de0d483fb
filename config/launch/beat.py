"""The clock of the Celery workers. It keeps no state: what is due stands in the database."""

from typing import Any

from django.conf import settings

from config.launch import lifeline
from config.launch.preflight import loaded_settings
from config.launch.refusal import Refusal


def run(_words: list[str]) -> int:
    """0 once a signal has ended it."""
    loaded_settings()
    if not settings.CELERY_BROKER_URL:
        raise Refusal("PLUMBLINE_BROKER_URL is not set; without a broker the worker is its own clock.")
    lifeline.watch()
    from config.celery import app  # noqa: PLC0415 - Django's settings are read only now

    root: Any = settings.LOGGING["root"]
    app.Beat(loglevel=root["level"], scheduler="celery.beat:Scheduler", pidfile=None, quiet=True).run()
    return 0
