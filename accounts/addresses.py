"""From where a request came."""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_SHARED_BITS = 64


def _parsed(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.strip().partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def peer(request: HttpRequest) -> Address | None:
    """The other end of the connection, or None when it has no network address."""
    return _parsed(request.META.get("REMOTE_ADDR") or "")


def client_address(request: HttpRequest) -> str:
    """The client's network address, empty when there is none.

    Headers count only behind a proxy of ours (PLUMBLINE_BEHIND_PROXY), and then only the entry
    that this proxy appended, the last: whatever the client wrote stands before it.
    """
    address = peer(request)
    if getattr(settings, "PLUMBLINE_BEHIND_PROXY", False):
        last = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2]
        address = _parsed(last) or address
    return str(address) if address else ""


def attempt_address(request: HttpRequest) -> str | None:
    """The address that failed sign-ins are counted under.

    An IPv6 client commands a whole /64, so the network stands for all of its addresses.
    """
    address = _parsed(client_address(request))
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        address = ipaddress.IPv6Address(int(address) >> _SHARED_BITS << _SHARED_BITS)
    return str(address) if address else None
