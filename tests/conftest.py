"""Fixtures for every test."""

from tests.people import api_key_for, client_for, editor, outsider, owner, reviewer, viewer

__all__ = ["api_key_for", "client_for", "editor", "outsider", "owner", "reviewer", "viewer"]
