"""Opaque cursors: a place in a newest-first list, as text that fits in an address."""

import base64
import binascii
from datetime import UTC, datetime, timedelta

from foundation.errors import ValidationFailed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_LENGTH = 64


def encode_cursor(created_at: datetime, key: int) -> str:
    """The cursor of the row with this time and key; the next page starts after it."""
    microseconds = (created_at - _EPOCH) // timedelta(microseconds=1)
    return base64.urlsafe_b64encode(f"{microseconds}.{key}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> tuple[datetime, int]:
    """The time and key that `encode_cursor` was given; ValidationFailed on `cursor` for anything else."""
    if len(cursor) > _MAX_LENGTH:
        raise _bad_cursor()
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        microseconds, key = base64.b64decode(padded, altchars=b"-_", validate=True).decode("ascii").split(".")
        moment = _EPOCH + timedelta(microseconds=int(microseconds))
        number = int(key)
    except (ValueError, OverflowError, binascii.Error) as error:
        raise _bad_cursor() from error
    if not 0 <= number < 2**63:
        raise _bad_cursor()
    return moment, number


def _bad_cursor() -> ValidationFailed:
    return ValidationFailed.one("cursor", "bad_cursor", "This is not a cursor that a page of this list gave.")
