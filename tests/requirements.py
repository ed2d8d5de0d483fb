"""What some tests need beyond Python: a browser, PostgreSQL, Redis, other interpreters.

Where it is absent a test skips and says so. Where PLUMBLINE_REQUIRE lists it (as CI does,
separated by commas), its absence is a failure: a run that skipped everything must not look green.
"""

import functools
import os
import shutil
from collections.abc import Callable

import psycopg
import pytest
import redis

POSTGRES = os.environ.get("PLUMBLINE_TEST_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS = os.environ.get("PLUMBLINE_TEST_REDIS", "redis://127.0.0.1:6379/15")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def browser_path() -> str | None:
    """The Chromium to drive: PLUMBLINE_TEST_BROWSER, else the first one on the PATH."""
    return os.environ.get("PLUMBLINE_TEST_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)


def _without_browser() -> str | None:
    return None if browser_path() else "no Chromium on the PATH (PLUMBLINE_TEST_BROWSER names one elsewhere)"


def _without_postgres() -> str | None:
    try:
        psycopg.connect(POSTGRES, connect_timeout=2).close()
    except psycopg.Error:
        return "no PostgreSQL answers (PLUMBLINE_TEST_POSTGRES is its address)"
    return None


def _without_redis() -> str | None:
    try:
        with redis.Redis.from_url(REDIS, socket_connect_timeout=2) as client:
            client.ping()
    except redis.RedisError:
        return "no Redis answers (PLUMBLINE_TEST_REDIS is its address)"
    return None


def _without_node() -> str | None:
    return None if shutil.which("node") else "no node on the PATH"


def _without_model() -> str | None:
    path = os.environ.get("PLUMBLINE_TEST_MODEL")
    return None if path else "PLUMBLINE_TEST_MODEL names no Python that has a model (make test-model makes one)"


_ABSENCE: dict[str, Callable[[], str | None]] = {
    "browser": _without_browser,
    "postgres": _without_postgres,
    "redis": _without_redis,
    "node": _without_node,
    "model": _without_model,
}
# The markers that stand for a need, so that a marked test need not call need() as well.
MARKERS = ("browser", "postgres", "redis", "model")


@functools.cache
def absence(name: str) -> str | None:
    """Why the thing called `name` cannot be used here, or None when it can; asked once per run."""
    return _ABSENCE[name]()


def need(*names: str) -> None:
    """Skip the calling test unless all of these are here; fail it where PLUMBLINE_REQUIRE lists one."""
    required = {name.strip() for name in os.environ.get("PLUMBLINE_REQUIRE", "").split(",")}
    for name in names:
        reason = absence(name)
        if reason and name in required:
            pytest.fail(f"{reason}; PLUMBLINE_REQUIRE says that it must be here", pytrace=False)
        if reason:
            pytest.skip(reason)


def need_for(item: pytest.Item) -> None:
    """The needs that the markers of a test stand for; tests/conftest.py calls this before each test."""
    need(*(name for name in MARKERS if item.get_closest_marker(name)))
