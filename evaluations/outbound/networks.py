"""Which IP addresses are not public, from a list that is written out.

`ipaddress.is_private` and `is_global` are not this list: they let CGNAT, NAT64, multicast and
others pass. Sources: the IANA special-purpose registries, and the clouds' metadata addresses.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_NOT_PUBLIC: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "an address of this host"),
    ("10.0.0.0/8", "a private address"),
    ("100.64.0.0/10", "a shared address of a provider's network"),
    ("127.0.0.0/8", "a loopback address"),
    ("168.63.129.16/32", "a cloud's metadata address"),
    ("169.254.0.0/16", "a link-local address, where clouds keep metadata"),
    ("172.16.0.0/12", "a private address"),
    ("192.0.0.0/24", "a reserved address"),
    ("192.0.2.0/24", "an address for documentation"),
    ("192.88.99.0/24", "a 6to4 relay"),
    ("192.168.0.0/16", "a private address"),
    ("198.18.0.0/15", "an address for benchmarks"),
    ("198.51.100.0/24", "an address for documentation"),
    ("203.0.113.0/24", "an address for documentation"),
    ("224.0.0.0/4", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
    ("::/128", "an address of this host"),
    ("::1/128", "a loopback address"),
    ("::ffff:0:0/96", "an IPv4 address inside an IPv6 one"),
    ("::/96", "an IPv4 address inside an IPv6 one"),
    ("64:ff9b::/96", "a NAT64 address"),
    ("64:ff9b:1::/48", "a NAT64 address"),
    ("100::/64", "a discard address"),
    ("2001::/23", "a reserved address (Teredo and others)"),
    ("2001:db8::/32", "an address for documentation"),
    ("2002::/16", "a 6to4 address"),
    ("3fff::/20", "an address for documentation"),
    ("5f00::/16", "a segment-routing address"),
    ("fc00::/7", "a private address"),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a site-local address"),
    ("ff00::/8", "a multicast address"),
    # Only 2000::/3 is given out as public; the rest is not, whatever it is not called above.
    ("::/3", "a reserved address"),
    ("4000::/2", "a reserved address"),
    ("8000::/1", "a reserved address"),
)
_RANGES: tuple[tuple[Network, str], ...] = tuple((ip_network(cidr), name) for cidr, name in _NOT_PUBLIC)
_METADATA: tuple[Network, ...] = tuple(
    ip_network(cidr)
    for cidr in (
        "169.254.0.0/16",
        "168.63.129.16/32",
        "100.100.100.200/32",
        "192.0.0.192/32",
        "fd00:ec2::254/128",
        "fd20:ce::254/128",
        "fe80::/10",
    )
)
_NAT64 = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
_COMPATIBLE = ip_network("::/96")


def plain_address(text: str) -> Address:
    """The address that `text` is, without a zone; an IPv4 address mapped into IPv6 as the IPv4 one.

    Raises ValueError for anything else.
    """
    address = ip_address(text.partition("%")[0])
    return (address.ipv4_mapped or address) if isinstance(address, IPv6Address) else address


def reason_not_public(address: Address) -> str | None:
    """What `address` is, in a few words, when it is not public; else None."""
    return next((name for network, name in _RANGES if address in network), None)


def is_metadata(address: Address) -> bool:
    """Whether clouds answer here with credentials, or the link alone is reached."""
    return any(address in network for network in _METADATA)


def embedded_addresses(address: Address) -> list[IPv4Address]:
    """The IPv4 addresses that a translator would reach through an IPv6 one (NAT64, 6to4, Teredo, compatible)."""
    if isinstance(address, IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _NAT64) or (address in _COMPATIBLE and int(address) > 1):
        found.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [item for item in found if item is not None]
