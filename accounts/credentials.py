"""Secrets that machines send: made here, stored only as their SHA-256."""

import hashlib
import secrets
import string

API_KEY_PREFIX = "sk_"
ACCESS_TOKEN_PREFIX = "at_"
_ALPHABET = string.ascii_letters + string.digits
_LENGTH = 43
_SHOWN = 8


def new_secret(prefix: str) -> str:
    """A fresh secret: the prefix and 43 of A-Z a-z 0-9 (256 bits)."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))


def digest(secret: str) -> str:
    """What is stored and looked up: the SHA-256 in hexadecimal.

    A secret of 256 random bits cannot be guessed from it, so no slow hash is needed.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def shown_part(secret: str) -> str:
    """The first eight characters, by which people tell their keys apart."""
    return secret[:_SHOWN]
