"""The one door to the network: every request of this product to somewhere else goes through here.

Proxies, credentials and cookies of the environment play no part, and nothing is decompressed.
"""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any
from urllib.parse import urljoin

import httpcore2

from evaluations.outbound.clock import Clock, SystemClock
from evaluations.outbound.connections import HEADER_BYTES, Dialer, Limits, Resolver, Wire, system_addresses
from evaluations.outbound.errors import MOST_KEPT, BadAnswer, InvalidUrl, OutboundError, RequestFault, TooLarge, kept
from evaluations.outbound.headers import checked_headers
from evaluations.outbound.locations import Location, parse_url
from evaluations.outbound.policy import EgressPolicy
from foundation import strict_json
from foundation.errors import Problem

MOST_REDIRECTS = 3
MOST_VALUES = 500_000
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_FOLLOWED = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Request:
    """A request. `secrets` are values that are cut out of everything that is kept of the answer."""

    url: str
    method: str = "GET"
    headers: Sequence[tuple[str, str]] = ()
    body: bytes | None = None
    limits: Limits = field(default_factory=Limits)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes of an answer, and when they came: milliseconds after the request was sent."""

    at_ms: float
    data: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, of any status. Header names are in lower case; a repeated one keeps its last value."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    display: str
    timing: Mapping[str, float]
    """`connect_ms` (name, connection, TLS), `first_byte_ms` and `total_ms` after the request was sent."""

    def text(self) -> str:
        """The body as text that can be stored."""
        return self.body.decode("utf-8", "replace").replace("\x00", "\ufffd")

    def json(self) -> Any:
        """The body as JSON; raises BadAnswer for all that `foundation.strict_json` refuses."""
        return read_json(self.body, self.display)


def check_values(body: bytes, display: str) -> None:
    """Raise TooLarge when a body would become more than 500,000 JSON values, which take far more room than it."""
    if body.count(b",") + body.count(b":") > MOST_VALUES:
        raise TooLarge(f"The answer of {display} holds more than {MOST_VALUES:,} values.")


def read_json(body: bytes | str, display: str) -> Any:
    """The JSON value in an answer of `display`; raises BadAnswer with what was wrong and what came, and TooLarge."""
    check_values(body.encode("utf-8", "replace") if isinstance(body, str) else body, display)
    try:
        return strict_json.loads(body)
    except Problem as problem:
        why = problem.message.replace("The body", "It").replace("The document", "It")
        raise BadAnswer(f"The answer of {display} is not JSON that can be used. {why}", raw=kept(body)) from problem


class Incoming:
    """An answer that is still arriving."""

    def __init__(self, request: Request, location: Location, wire: Wire, response: httpcore2.Response) -> None:
        self._request = request
        self._wire = wire
        self._response = response
        self.location = location
        self.status = response.status
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
        self.connect_ms = 0.0
        self._check()

    def _check(self) -> None:
        size = sum(len(name) + len(value) + 4 for name, value in self._response.headers)
        if size > HEADER_BYTES:
            raise TooLarge(f"The headers of {self.location.display} are larger than {HEADER_BYTES:,} bytes.")
        encoding = self.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("", "identity"):
            raise BadAnswer(f"{self.location.display} sent a compressed answer, though it was asked for a plain one.")
        length = self.headers.get("content-length", "")
        if length.isdigit() and int(length) > self._request.limits.body_bytes:
            raise self._too_large()

    def _too_large(self) -> TooLarge:
        most = self._request.limits.body_bytes
        return TooLarge(f"The answer of {self.location.display} is larger than {most:,} bytes.")

    def chunks(self) -> Iterator[Chunk]:
        """The body as it comes; raises TooLarge, TimedOut, Canceled, BadAnswer."""
        total = 0
        with _translated(self._wire, self.location):
            for data in self._response.iter_stream():
                total += len(data)
                if total > self._request.limits.body_bytes:
                    raise self._too_large()
                yield Chunk(self.arrived_ms, data)

    @property
    def arrived_ms(self) -> float:
        """When bytes last came, in milliseconds after the request was sent."""
        return max(0.0, (self._wire.arrived_at - self._wire.sent_at) * 1_000)

    def close(self) -> None:
        """Close the connection, whatever has come."""
        self._wire.close()

    def whole(self) -> Answer:
        """The answer with all of its body. What had come before a failure is kept in the error's `raw`."""
        body = bytearray()
        first = self.arrived_ms
        try:
            for chunk in self.chunks():
                body += chunk.data
        except OutboundError as error:
            error.raw = kept(bytes(body[: 4 * MOST_KEPT]), self._request.secrets)
            raise
        timing = {"connect_ms": self.connect_ms, "first_byte_ms": first, "total_ms": self.arrived_ms}
        return Answer(self.status, self.headers, bytes(body), self.location.display, timing)


@contextmanager
def _translated(wire: Wire, location: Location) -> Iterator[None]:
    """What the HTTP library raises, as errors of ours."""
    try:
        yield
    except httpcore2.LocalProtocolError as error:
        raise RequestFault(f"The request cannot be sent: {error}.", field="headers") from error
    except httpcore2.RemoteProtocolError as error:
        raise _protocol_error(wire, location, str(error)) from error
    except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
        raise wire.broken() from error


def _protocol_error(wire: Wire, location: Location, said: str) -> OutboundError:
    if wire.ended:
        return wire.broken()
    if wire.received > HEADER_BYTES and "too long" in said:
        return TooLarge(f"The headers of {location.display} are larger than {HEADER_BYTES:,} bytes.")
    return BadAnswer(f"What {location.display} sent is no HTTP answer.", operator_message=said)


@cache
def _trusted() -> ssl.SSLContext:
    return httpcore2.default_ssl_context()


class Door:
    """Makes requests that the policy allows. May be shared by threads; holds no connection between calls."""

    def __init__(
        self,
        policy: EgressPolicy,
        *,
        clock: Clock | None = None,
        resolver: Resolver = system_addresses,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.policy = policy
        self.clock: Clock = clock or SystemClock()
        self._resolver = resolver
        self._tls = tls

    def with_clock(self, clock: Clock) -> "Door":
        """The same door, whose calls end when `clock` says that the run is canceled."""
        return Door(self.policy, clock=clock, resolver=self._resolver, tls=self._tls)

    def fetch(self, request: Request) -> Answer:
        """The answer to `request`, of whatever status. Raises OutboundError."""
        with self.open(request) as incoming:
            return incoming.whole()

    @contextmanager
    def open(self, request: Request) -> Iterator[Incoming]:
        """The answer to `request` as it arrives; the connection is closed at the end. Raises OutboundError.

        GET and HEAD follow up to 3 redirects, each checked like the first; at another origin the
        caller's headers are left behind, and never from https to http.
        """
        headers = checked_headers(request.headers)
        location = parse_url(request.url)
        started = self.clock.monotonic()
        for _ in range(MOST_REDIRECTS + 1):
            incoming = self._sent(replace(request, headers=headers), location, started)
            try:
                following = _redirect(request, incoming)
                if following is None:
                    yield incoming
                    return
            finally:
                incoming.close()
            headers = headers if following.origin == location.origin else ()
            location = following
        raise BadAnswer(f"{location.display} redirects more than {MOST_REDIRECTS} times.")

    def _sent(self, request: Request, location: Location, started: float) -> Incoming:
        dialer = Dialer(self.policy, self.clock, self._resolver, self._tls or _trusted())
        dialing = self.clock.monotonic()
        wire = dialer.dial(location, request.limits, started)
        connected = self.clock.monotonic()
        try:
            with _translated(wire, location):
                response = _exchange(wire, request, location)
            incoming = Incoming(request, location, wire, response)
        except BaseException:
            wire.close()
            raise
        incoming.connect_ms = (connected - dialing) * 1_000
        return incoming


def _redirect(request: Request, incoming: Incoming) -> Location | None:
    target = incoming.headers.get("location")
    if incoming.status not in _REDIRECTS or request.method not in _FOLLOWED or target is None:
        return None
    try:
        location = parse_url(urljoin(incoming.location.url, target))
    except (InvalidUrl, ValueError) as fault:
        raise BadAnswer(f"{incoming.location.display} redirects to an address that cannot be called.") from fault
    if incoming.location.scheme == "https" and location.scheme == "http":
        raise BadAnswer(f"{incoming.location.display} redirects from https to http.")
    return location


def _exchange(wire: Wire, request: Request, location: Location) -> httpcore2.Response:
    host = location.host.encode("ascii")
    scheme = location.scheme.encode("ascii")
    own = [("Host", location.host_header), ("User-Agent", "Plumbline"), ("Accept-Encoding", "identity")]
    own.append(("Connection", "close"))
    if request.body is not None or request.method not in _FOLLOWED:
        own.append(("Content-Length", str(len(request.body or b""))))
    message = httpcore2.Request(
        method=request.method.encode("ascii"),
        url=httpcore2.URL(scheme=scheme, host=host, port=location.port, target=location.target.encode("ascii")),
        headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in (*own, *request.headers)],
        content=request.body or b"",
    )
    connection = httpcore2.HTTP11Connection(httpcore2.Origin(scheme, host, location.port), wire)
    return connection.handle_request(message)
