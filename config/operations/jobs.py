"""What runs periodically: the one table of jobs. A new job is a new entry here.

A job must be done well within its interval, and doing it twice must do no harm.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module

from django.conf import settings
from django.db import connection

from accounts.services import housekeeping
from evaluations.engine.delivering import deliver_due
from evaluations.engine.sweeping import sweep
from evaluations.services.requests import requests_forget

HEARTBEAT = "heartbeat"


@dataclass(frozen=True, slots=True)
class Job:
    """`run` is called without arguments, at most once per `every` in the whole installation."""

    name: str
    every: timedelta
    run: Callable[[], object]


def beat() -> None:
    """Nothing: that this job was run is the sign of life (queries.worker_state reads it)."""


def clear_sessions() -> None:
    """Delete the sessions that have expired."""
    engine = import_module(settings.SESSION_ENGINE)
    engine.SessionStore.clear_expired()


def tend_database() -> None:
    """Let SQLite refresh its statistics and fold its log into the main file; PostgreSQL does so itself."""
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA optimize")
        # PASSIVE waits for nobody, and so holds nobody up.
        cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")


JOBS = (
    Job(HEARTBEAT, timedelta(seconds=10), beat),
    Job("runs", timedelta(seconds=5), sweep),
    Job("webhooks", timedelta(seconds=5), deliver_due),
    Job("requests", timedelta(hours=1), requests_forget),
    Job("sessions", timedelta(hours=1), clear_sessions),
    Job("accounts", timedelta(hours=1), housekeeping),
    Job("database", timedelta(minutes=15), tend_database),
)
