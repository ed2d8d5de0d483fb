"""The Celery application, for installations with a broker.

Rows in the database are the truth and a message is a door-bell: every setting below follows from
that. docs/operating.md says what each protects from; tests/config/test_celery.py pins them.
"""

import os
from typing import Any

from celery import Celery
from django.conf import settings

from config import env

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")

_VISIBILITY_SECONDS = 90


def transport_options(broker_url: str) -> dict[str, Any]:
    """What the broker's client needs to know, by kind of broker."""
    if broker_url.startswith(("amqp", "pyamqp")):
        return {"confirm_publish": True}
    return {
        # A message whose worker died comes back after this long, looked for every 5 seconds
        # (by default: an hour, looked for every 100 seconds).
        "visibility_timeout": _VISIBILITY_SECONDS,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "socket_keepalive": True,
        "health_check_interval": 25,
        # An unreachable broker fails a page's wake-up call at once, not after minutes.
        "socket_connect_timeout": 2,
        "max_retries": 1,
    }


def pinned_settings(broker_url: str) -> dict[str, Any]:
    """Every Celery setting that Plumbline relies on."""
    pinned: dict[str, Any] = {
        "broker_url": broker_url,
        "broker_transport_options": transport_options(broker_url),
        "broker_connection_retry_on_startup": True,
        "visibility_timeout": _VISIBILITY_SECONDS,
        "result_backend_transport_options": {"visibility_timeout": _VISIBILITY_SECONDS},
        "task_ignore_result": True,
        # A worker killed while it works: the message is given to another one.
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_time_limit": 300,
        "task_soft_time_limit": 270,
        "task_publish_retry_policy": {"max_retries": 1, "interval_start": 0, "interval_max": 0.2},
        "worker_prefetch_multiplier": 1,
        "worker_concurrency": env.integer("PLUMBLINE_WORKER_PROCESSES", 2, low=1, high=64),
        "worker_max_tasks_per_child": 200,
        "worker_max_memory_per_child": 400_000,
        "worker_soft_shutdown_timeout": 10,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "worker_hijack_root_logger": False,
        "timezone": "UTC",
        "beat_schedule": {
            # A tick that no worker took before the next one is not worth keeping.
            "due-jobs": {"task": "operations.run_due_jobs", "schedule": 10.0, "options": {"expires": 10}},
        },
    }
    if broker_url.startswith(("amqp", "pyamqp")):
        pinned["task_default_queue_type"] = "quorum"
    return pinned


app = Celery("plumbline")
app.conf.update(pinned_settings(settings.CELERY_BROKER_URL))
app.autodiscover_tasks()
