"""Fixtures for every test, and the rules about what a test needs and finds."""

import pytest

from scoring.queries.profiles import forget_loaded
from tests.people import api_key_for, client_for, editor, outsider, owner, reviewer, viewer
from tests.requirements import need_for

__all__ = ["api_key_for", "client_for", "editor", "outsider", "owner", "reviewer", "viewer"]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what cannot run here, or fail it where PLUMBLINE_REQUIRE says that it must."""
    need_for(item)
    # Each test's database gives the same keys to other versions of profiles.
    forget_loaded()


@pytest.fixture(autouse=True)
def _migrated_rows(django_db_serialized_rollback: None) -> None:
    """Tests that commit find the rows that migrations made, such as the built-in profiles.

    It has to hold for all of them: one that only empties the tables would leave content types
    behind, on which putting the rows back for the next one fails.
    """
