"""URLs as we call them: read once, strictly, into the parts that the connection uses.

There is no second reader: what was checked here is what is resolved, connected to and sent.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote

import idna

from evaluations.outbound.errors import InvalidUrl
from evaluations.outbound.networks import Address, plain_address

MOST_CHARACTERS = 8_000
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[^#]*)(?:#.*)?", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ud800-\udfff\\]")
_AUTHORITY = re.compile(r"(?P<host>\[[^\[\]]*\]|[^\[\]:]*)(?::(?P<port>[0-9]{0,5}))?")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
# What a path or a query may hold as it stands (RFC 3986); everything else is escaped.
_KEPT = "%/?:@!$&'()*+,;=-._~[]"


@dataclass(frozen=True, slots=True)
class Location:
    """An address that was read: `host` in lower case and ASCII (without brackets), `target` the path and query."""

    scheme: str
    host: str
    port: int
    target: str
    address: Address | None
    """The IP address when the host is written as one."""

    @property
    def origin(self) -> tuple[str, str, int]:
        """What credentials belong to."""
        return (self.scheme, self.host, self.port)

    @property
    def shown_host(self) -> str:
        """The host as URLs write it."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def display(self) -> str:
        """`host:port`, as the allow list writes it."""
        return f"{self.shown_host}:{self.port}"

    @property
    def host_header(self) -> str:
        """The value of the Host header."""
        return self.shown_host if self.port == _DEFAULT_PORTS[self.scheme] else self.display

    @property
    def url(self) -> str:
        """The whole address."""
        return f"{self.scheme}://{self.host_header}{self.target}"


def parse_url(url: str) -> Location:
    """The location that `url` names; raises InvalidUrl with a sentence for every form that is not plain."""
    if len(url) > MOST_CHARACTERS:
        raise InvalidUrl(f"An address may have at most {MOST_CHARACTERS:,} characters.")
    if _UNSEEN.search(url):
        raise InvalidUrl("An address may not hold white space, control characters or backslashes.")
    parts = _URL.fullmatch(url)
    scheme = parts["scheme"].lower() if parts else ""
    if not parts or scheme not in _DEFAULT_PORTS:
        wrong = "" if _SCHEME.match(url) is None else " and no other scheme"
        raise InvalidUrl(f"An address must begin with http:// or https://{wrong}.")
    if "@" in parts["authority"]:
        raise InvalidUrl("An address may not hold a name or password; send credentials in a header.")
    authority = _AUTHORITY.fullmatch(parts["authority"])
    if authority is None or authority["port"] == "":
        raise InvalidUrl("The host of the address is not written as host or host:port.")
    host, address = _host(authority["host"])
    return Location(scheme, host, _port(authority["port"], scheme), _target(parts["rest"]), address)


def url_fault(url: object) -> str | None:
    """One sentence saying what is wrong with `url` as an address to call; None when nothing is."""
    if not isinstance(url, str):
        return "An address must be text."
    try:
        parse_url(url)
    except InvalidUrl as fault:
        return fault.message
    return None


def host_name(text: str) -> tuple[str, Address | None]:
    """A host as URLs write it, in its one form, and the address when it is one. Raises InvalidUrl."""
    return _host(text)


def _host(text: str) -> tuple[str, Address | None]:
    if text.startswith("["):
        return _bracketed(text[1:-1])
    if not text:
        raise InvalidUrl("The address has no host.")
    if "%" in text:
        raise InvalidUrl("A host may not hold escapes.")
    name = _ascii_name(text)
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        # Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses; people do not.
        try:
            address = plain_address(name)
        except ValueError as error:
            raise InvalidUrl("An IPv4 address is written as four decimal numbers, such as 192.0.2.1.") from error
        return str(address), address
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise InvalidUrl("The host of the address is not a host name.")
    return name, None


def _bracketed(text: str) -> tuple[str, Address]:
    if "%" in text:
        raise InvalidUrl("An IPv6 address may not name a zone.")
    try:
        address = plain_address(text if ":" in text else "")
    except ValueError as error:
        raise InvalidUrl("What stands in brackets is not an IPv6 address.") from error
    return str(address), address


def _ascii_name(text: str) -> str:
    if text.isascii():
        name = text.lower()
    else:
        try:
            name = idna.encode(text, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError) as error:
            raise InvalidUrl("The host of the address is not a host name.") from error
    return name.removesuffix(".")


def _port(text: str | None, scheme: str) -> int:
    port = _DEFAULT_PORTS[scheme] if text is None else int(text)
    if not 1 <= port <= 65_535:
        raise InvalidUrl("A port is a number from 1 to 65535.")
    return port


def _target(rest: str) -> str:
    path = rest if rest.startswith("/") else f"/{rest}"
    return quote(path, safe=_KEPT)
