"""Where calls may go: public addresses, and what the operator has named besides."""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_network

from evaluations.outbound.errors import Blocked, InvalidUrl
from evaluations.outbound.locations import Location, host_name
from evaluations.outbound.networks import (
    Address,
    Network,
    embedded_addresses,
    is_metadata,
    reason_not_public,
)

# Ports where something other than HTTP listens, to which a request could be smuggled.
DENIED_PORTS = frozenset({21, 22, 23, 25, 110, 143, 465, 587, 2375, 2376, 3306, 5432, 6379, 9200, 11211, 27017})
_LOOPBACK = ("127.0.0.0/8", "::1/128")
_SHAPES = "write a host, host:port, *.suffix, an address or a network such as 10.0.0.0/8"


@dataclass(frozen=True, slots=True)
class AllowEntry:
    """One thing that the operator allows: a host, all names under a suffix, or a network; with a port or without."""

    host: str = ""
    suffix: str = ""
    network: Network | None = None
    port: int | None = None

    @classmethod
    def of(cls, word: str) -> "AllowEntry":
        """The entry that `word` writes; raises ValueError with a sentence."""
        try:
            return cls._of(word)
        except (ValueError, InvalidUrl) as error:
            raise ValueError(f"{word!r} is nothing that can be allowed: {_SHAPES}.") from error

    @classmethod
    def _of(cls, word: str) -> "AllowEntry":
        if "/" in word:
            return cls(network=ip_network(word))
        host, port = _host_and_port(word)
        if host.startswith("*."):
            return cls(suffix=host_name(host[2:])[0], port=port)
        name, address = host_name(host)
        if address is not None:
            return cls(network=ip_network(address), port=port)
        return cls(host=name, port=port)

    def names(self, location: Location, address: Address) -> bool:
        """Whether it speaks of a call to `location` at `address`."""
        if self.port not in (None, location.port):
            return False
        if self.network is not None:
            return address in self.network
        if self.suffix:
            return location.address is None and location.host.endswith(f".{self.suffix}")
        return location.host == self.host

    @property
    def is_one_address(self) -> bool:
        """Whether it names a single IP address."""
        return self.network is not None and self.network.num_addresses == 1


def _host_and_port(word: str) -> tuple[str, int | None]:
    if word.count(":") > 1 and not word.startswith("["):
        return f"[{word}]", None
    host, colon, port = word.rpartition(":")
    if not colon or port.endswith("]"):
        return word, None
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
        raise ValueError(port)
    return host, int(port)


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """What may be called.

    Public addresses may, on ports of HTTP. Anything else must be named in `allow`; metadata
    addresses one by one, and ports of other services or our own as host:port. `setting` is the
    variable that an operator would change, for the sentence.
    """

    allow: tuple[AllowEntry, ...] = ()
    own_ports: frozenset[int] = frozenset()
    setting: str = "PLUMBLINE_EGRESS_ALLOW"

    @classmethod
    def of(cls, words: Iterable[str], *, local_mode: bool = False, own_ports: Iterable[int] = ()) -> "EgressPolicy":
        """The policy of an allow list; local mode adds loopback. Raises ValueError with a sentence."""
        entries = [AllowEntry.of(word) for word in (*words, *(_LOOPBACK if local_mode else ()))]
        return cls(tuple(entries), frozenset(own_ports))

    def check(self, location: Location, address: Address) -> None:
        """Raise Blocked unless a call to `location` may connect to `address`."""
        naming = [entry for entry in self.allow if entry.names(location, address)]
        by_port = any(entry.port is not None for entry in naming)
        if location.port in DENIED_PORTS and not by_port:
            reason = f"port {location.port} belongs to another service than HTTP"
            raise Blocked(location.display, self.setting, reason=reason, told=True)
        self._check_address(location, address)
        for inner in embedded_addresses(address):
            self._check_address(location, inner)
        if location.port in self.own_ports and reason_not_public(address) and not by_port:
            reason = f"port {location.port} of {address} is one of this server's own"
            raise Blocked(location.display, self.setting, reason=reason)

    def _check_address(self, location: Location, address: Address) -> None:
        naming = [entry for entry in self.allow if entry.names(location, address)]
        reason = reason_not_public(address)
        if is_metadata(address):
            allowed = any(entry.is_one_address for entry in naming)
        else:
            allowed = reason is None or bool(naming)
        if not allowed:
            told = location.address is not None
            shown = f"it is {reason}" if told else f"{location.host} is at {address}, {reason}"
            raise Blocked(location.display, self.setting, reason=shown, told=told)

    def unresolved(self, location: Location, why: str, *, retryable: bool) -> Blocked:
        """The refusal of a name that has no address: the same sentence as for one that may not be called."""
        return Blocked(location.display, self.setting, reason=why, retryable=retryable)
