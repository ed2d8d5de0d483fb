"""Waking the workers: a message that says which run has work. Losing one costs seconds, never work."""

import logging
from functools import partial

from django.conf import settings
from django.db import transaction

logger = logging.getLogger(__name__)
WORK_ON_RUN = "evaluations.work_on_run"


def wake_on_commit(run_id: int) -> None:
    """Once the transaction is committed, tell a worker of the run.

    Without a broker nothing is sent: the worker looks for open runs by itself. A broker that does
    not answer is logged and no failure: the sweeper finds the run.
    """
    transaction.on_commit(partial(wake, run_id))


def wake(run_id: int) -> None:
    """Tell a worker of the run, now."""
    if not settings.CELERY_BROKER_URL:
        return
    # Imported here, and by name: without a broker nothing of Celery is loaded.
    from celery import current_app  # noqa: PLC0415

    try:
        current_app.send_task(WORK_ON_RUN, args=[run_id], retry=False)
    except Exception:  # a broker's client raises errors of every library it stands on
        logger.warning("the broker did not take the wake-up of run %d; the sweeper will find it", run_id, exc_info=True)
