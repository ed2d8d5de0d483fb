"""Fixtures for every test, and the rules about what a test needs and finds."""

from collections.abc import Generator

import hypothesis
import pytest
from django.db import connection
from pytest_django.plugin import blocking_manager_key

from scoring.queries.profiles import forget_loaded
from tests.people import api_key_for, client_for, editor, outsider, owner, reviewer, viewer
from tests.requirements import need_for

__all__ = ["api_key_for", "client_for", "editor", "outsider", "owner", "reviewer", "viewer"]
# A busy machine is no reason for a property to fail.
hypothesis.settings.register_profile("plumbline", deadline=None)
hypothesis.settings.load_profile("plumbline")
_COMMITTING = {"transactional_db", "live_server"}


def pytest_itemcollected(item: pytest.Item) -> None:
    """A test that commits begins with the rows that migrations made, such as the built-in profiles."""
    if _commits(item):
        item.add_marker(pytest.mark.django_db(transaction=True, serialized_rollback=True), append=False)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot run here, or fail it where PLUMBLINE_REQUIRE says that it must."""
    need_for(item)
    # Each test's database gives the same keys to other versions of profiles.
    forget_loaded()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """A test that commits leaves empty tables: put those rows back for the tests that a worker runs next.

    Where pytest sees no next test, PostgreSQL's database is gone, and made anew should one come after
    all; SQLite's stays in memory as it was left.
    """
    yield
    gone = nextitem is None and connection.vendor != "sqlite"
    rows = getattr(connection, "_test_serialized_contents", None)
    if rows is not None and not gone and _commits(item):
        with item.config.stash[blocking_manager_key].unblock():
            connection.creation.deserialize_db_from_string(rows)


def _commits(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("django_db")
    marked = mark is not None and bool(mark.kwargs.get("transaction"))
    return marked or bool(_COMMITTING & set(getattr(item, "fixturenames", ())))
