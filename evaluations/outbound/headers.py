"""Headers that a caller may send along, and those that belong to the connection."""

import re
from collections.abc import Sequence

from evaluations.outbound.errors import RequestFault

MOST_BYTES = 16_384
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
_UNSENDABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_OURS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


def header_fault(name: str, value: object) -> str | None:
    """What is wrong with a header as one to send along; None when nothing is."""
    if not _NAME.fullmatch(name):
        return "A header's name is made of letters, digits and hyphens."
    if name.lower() in _OURS or name.lower().startswith("proxy-"):
        return f"{name} is set by the connection itself."
    if not isinstance(value, str):
        return "A header's value must be text."
    if _UNSENDABLE.search(value):
        return "A header's value may not hold line breaks or control characters."
    if value != value.strip():
        return "A header's value may not begin or end with white space."
    return None


def checked_headers(headers: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The same headers; raises RequestFault when one cannot be sent, or all are more than 16,384 bytes."""
    for name, value in headers:
        fault = header_fault(name, value)
        if fault:
            raise RequestFault(fault, field=f"headers.{name[:64]}")
    if sum(len(name) + len(value.encode("utf-8")) for name, value in headers) > MOST_BYTES:
        raise RequestFault(f"The headers are larger than {MOST_BYTES:,} bytes.", field="headers")
    return tuple(headers)
