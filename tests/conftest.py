"""Fixtures for every test, and the rule about what a test needs."""

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
