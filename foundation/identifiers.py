"""Public identifiers: a prefix that names the kind, and sixteen characters nobody can guess."""

import secrets
import string

_ALPHABET = string.ascii_letters + string.digits
LENGTH = 16


def new_identifier(prefix: str) -> str:
    """A fresh identifier such as `eval_0aB…` (prefix, underscore, 16 of A-Z a-z 0-9; 95 bits)."""
    return f"{prefix}_{''.join(secrets.choice(_ALPHABET) for _ in range(LENGTH))}"
