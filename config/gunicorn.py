"""How gunicorn serves: a few processes with threads each. The names are gunicorn's own settings."""

import os
from typing import Any

from django.conf import settings

from config import env

_descriptor = os.environ.get("PLUMBLINE_LISTEN_FD")
_host = f"[{settings.PLUMBLINE_BIND}]" if ":" in settings.PLUMBLINE_BIND else settings.PLUMBLINE_BIND

bind = f"fd://{_descriptor}" if _descriptor else f"{_host}:{settings.PORT}"
worker_class = "gthread"
workers = env.integer("PLUMBLINE_WEB_WORKERS", 2, low=1, high=64)
threads = env.integer("PLUMBLINE_WEB_THREADS", 8, low=1, high=128)
# Loaded once and forked: half the start-up work and memory. Nothing opens a connection or starts
# a process while it is being imported.
preload_app = True
timeout = 60
graceful_timeout = 10
keepalive = 5
loglevel = "warning"
accesslog = "-" if env.boolean("PLUMBLINE_ACCESS_LOG", default=False) else None


def when_ready(_server: Any) -> None:
    """Import every view before the first worker is forked, so that no first visitor waits for it."""
    from django.db import connections  # noqa: PLC0415 - Django is set up only now
    from django.urls import get_resolver  # noqa: PLC0415

    _ = get_resolver().url_patterns
    # A connection shared by two processes corrupts its protocol.
    connections.close_all()
