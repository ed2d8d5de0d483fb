"""The worker: Celery when there is a broker, else a loop of our own that needs none."""

import logging
import os
import signal
import threading
from types import FrameType
from typing import Any, NoReturn

import django
from django.conf import settings
from django.db import Error, close_old_connections, connection

from config.launch import lifeline
from config.launch.preflight import loaded_settings

logger = logging.getLogger(__name__)
# How long a new run may wait for its start at most.
_PAUSE_SECONDS = 0.2
_PAUSE_AFTER_FAULT_SECONDS = 5.0


def run(_words: list[str]) -> int:
    """0 once a signal has ended it."""
    loaded_settings()
    lifeline.watch()
    if settings.CELERY_BROKER_URL:
        _run_celery()
    django.setup()
    stop = threading.Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    work_until(stop)
    return 0


def work_until(stop: threading.Event) -> None:
    """Run what is due and work on open runs, again and again; a database that does not answer is waited for."""
    from config.operations.services import due_jobs_run  # noqa: PLC0415 - models need django.setup()
    from evaluations.engine.looking import work_on_open_runs  # noqa: PLC0415 - likewise

    while not stop.is_set():
        pause = _PAUSE_SECONDS
        try:
            close_old_connections()
            due_jobs_run()
            if work_on_open_runs(stop):
                pause = 0.0
        except Error:
            logger.exception("the database does not answer; trying again in %d s", _PAUSE_AFTER_FAULT_SECONDS)
            connection.close()
            pause = _PAUSE_AFTER_FAULT_SECONDS
        stop.wait(pause)


def _run_celery() -> NoReturn:
    # Read while Celery is being imported: SIGTERM then gives running tasks ten seconds, and hands
    # what did not end back to the broker.
    os.environ.setdefault("REMAP_SIGTERM", "SIGQUIT")
    from config.celery import app  # noqa: PLC0415 - see above

    root: Any = settings.LOGGING["root"]
    app.worker_main(["--quiet", "worker", "--loglevel", root["level"], "--without-gossip", "--without-mingle"])
