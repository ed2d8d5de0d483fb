"""Secrets at rest: encrypted with the installation's own keys, which are not Django's SECRET_KEY.

The first key of PLUMBLINE_SECRETS_KEYS encrypts, every one of them decrypts; that is how keys are
changed (docs/operating.md).
"""

import base64
import hashlib
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from foundation.errors import Problem


class SecretsUnconfigured(Problem):
    """The installation has no key to encrypt secrets with."""

    status = 503
    code = "SECRETS_UNCONFIGURED"
    default_message = "This installation has no key to keep secrets with."
    default_hint = "The operator sets PLUMBLINE_SECRETS_KEYS: docs/operating.md."


class SecretUnreadable(Problem):
    """A stored secret was encrypted with a key that this installation does not have any more."""

    status = 409
    code = "SECRET_UNREADABLE"
    default_message = "A stored secret cannot be read with this installation's keys."
    default_hint = "Enter the secret again, or give the old key in PLUMBLINE_SECRETS_KEYS."


def encrypt(secret: str) -> str:
    """The text to store; empty for an empty secret."""
    return _fernet().encrypt(secret.encode()).decode() if secret else ""


def decrypt(stored: str) -> str:
    """The secret of a stored text. Raises SecretUnreadable."""
    if not stored:
        return ""
    try:
        return _fernet().decrypt(stored.encode()).decode()
    except InvalidToken as error:
        raise SecretUnreadable from error


def reencrypted(stored: str) -> str:
    """The same secret under the first key. Raises SecretUnreadable."""
    try:
        return _fernet().rotate(stored.encode()).decode() if stored else ""
    except InvalidToken as error:
        raise SecretUnreadable from error


def _fernet() -> MultiFernet:
    if not settings.PLUMBLINE_SECRETS_KEYS:
        raise SecretsUnconfigured
    return _fernet_of(tuple(settings.PLUMBLINE_SECRETS_KEYS))


@lru_cache(maxsize=4)
def _fernet_of(keys: tuple[str, ...]) -> MultiFernet:
    # Any text serves as a key: what Fernet needs is 32 bytes of it.
    derived = [base64.urlsafe_b64encode(hashlib.sha256(f"plumbline secrets {key}".encode()).digest()) for key in keys]
    return MultiFernet([Fernet(key) for key in derived])
