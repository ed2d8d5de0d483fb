"""Connections: a name resolved once, every address of it checked, and a socket with a deadline.

The socket connects to the address that was checked, so a name that answers otherwise the next
time changes nothing. TLS and the Host header keep the name.
"""

import queue
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import httpcore2

from evaluations.outbound.clock import Clock
from evaluations.outbound.errors import BrokenOff, TimedOut, TooLarge, Unreachable
from evaluations.outbound.locations import Location
from evaluations.outbound.networks import Address, plain_address
from evaluations.outbound.policy import EgressPolicy

Resolver = Callable[[str], Sequence[str]]
"""The addresses of a host name, as text; raises OSError when there are none."""

HEADER_BYTES = 65_536
_SLICE_S = 0.25
_PIECE = 65_536
_FRAMING = 8


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call may take, in seconds of the clock on the wall, and how many bytes it may bring.

    `connect_s` counts the name, the connection and TLS together, `read_s` silence, `total_s` everything.
    """

    connect_s: float = 5.0
    read_s: float = 30.0
    total_s: float = 60.0
    body_bytes: int = 10_000_000


def system_addresses(host: str) -> list[str]:
    """What the system's resolver says."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


class Wire(httpcore2.NetworkStream):
    """A socket whose reads and writes end at the deadline, and when the run is canceled."""

    def __init__(self, sock: socket.socket, location: Location, clock: Clock, limits: Limits, started: float) -> None:
        self._sock = sock
        self._location = location
        self._clock = clock
        self._limits = limits
        self._deadline = started + limits.total_s
        self._left = HEADER_BYTES + _PIECE + _FRAMING * limits.body_bytes
        self.received = 0
        self.ended = False
        self.sent_at = self.arrived_at = clock.monotonic()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come; raises TimedOut (read or total), Canceled, and what `broken` says."""
        silent_until = self._clock.monotonic() + self._limits.read_s
        while True:
            self._clock.check()
            self._sock.settimeout(self._wait(min(silent_until, self._deadline)))
            try:
                data = self._sock.recv(max_bytes)
            except TimeoutError:
                continue
            except OSError as error:
                raise self.broken() from error
            self.arrived_at = self._clock.monotonic()
            self.received += len(data)
            self.ended = not data
            if self.received > self._left:
                raise TooLarge(f"{self._location.display} sent far more than the answer.")
            return data

    def _wait(self, until: float) -> float:
        remaining = until - self._clock.monotonic()
        if remaining > 0:
            return min(_SLICE_S, remaining)
        if until >= self._deadline:
            raise TimedOut(
                f"{self._location.display} did not finish its answer within {self._limits.total_s:g} s.", stage="total"
            )
        raise TimedOut(f"{self._location.display} sent nothing for {self._limits.read_s:g} s.", stage="read")

    def broken(self) -> Unreachable | BrokenOff:
        """The error of a connection that ended: Unreachable while nothing of an answer had come, else BrokenOff."""
        if self.received == 0:
            return Unreachable(f"{self._location.display} closed the connection without an answer.")
        return BrokenOff(f"{self._location.display} broke the connection in the middle of its answer.")

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send all of it by the deadline. A server may answer and close before it has read everything."""
        view = memoryview(buffer)
        while view:
            self._clock.check()
            remaining = self._deadline - self._clock.monotonic()
            if remaining <= 0:
                raise TimedOut(f"{self._location.display} did not take the request in time.", stage="total")
            self._sock.settimeout(min(_SLICE_S, remaining))
            try:
                view = view[self._sock.send(view[:_PIECE]) :]
            except TimeoutError:
                continue
            except OSError as error:
                raise httpcore2.WriteError(str(error)) from error
        self.sent_at = self._clock.monotonic()

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()

    def get_extra_info(self, info: str) -> Any:
        """The socket, for whoever asks."""
        return self._sock if info == "socket" else None


@dataclass(frozen=True, slots=True)
class Dialer:
    """Makes connections that the policy allows."""

    policy: EgressPolicy
    clock: Clock
    resolver: Resolver
    tls: ssl.SSLContext

    def dial(self, location: Location, limits: Limits, started: float) -> Wire:
        """A connection to `location`; raises Blocked, Unreachable, TimedOut (connect)."""
        until = min(self.clock.monotonic() + limits.connect_s, started + limits.total_s)
        addresses = self._checked_addresses(location, until)
        sock = self._connected(location, addresses, until)
        try:
            return Wire(self._secured(sock, location, until), location, self.clock, limits, started)
        except BaseException:
            sock.close()
            raise

    def _checked_addresses(self, location: Location, until: float) -> list[Address]:
        if location.address is not None:
            addresses = [location.address]
        else:
            addresses = list(dict.fromkeys(plain_address(text) for text in self._resolved(location, until)))
        if not addresses:
            raise self.policy.unresolved(location, "the name has no address", retryable=False)
        for address in addresses:
            self.policy.check(location, address)
        return addresses

    def _resolved(self, location: Location, until: float) -> Sequence[str]:
        """Resolvers cannot be stopped: one that hangs is left behind in its thread."""
        answers: queue.SimpleQueue[Sequence[str] | OSError] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put(self.resolver(location.host))
            except OSError as error:
                answers.put(error)
            except UnicodeError as error:
                answers.put(OSError(str(error)))

        threading.Thread(target=ask, name="resolve", daemon=True).start()
        while True:
            self.clock.check()
            remaining = until - self.clock.monotonic()
            try:
                answer = answers.get(timeout=max(0.001, min(_SLICE_S, remaining)))
            except queue.Empty:
                if remaining <= 0:
                    raise self.policy.unresolved(
                        location, "the name server did not answer in time", retryable=True
                    ) from None
                continue
            if isinstance(answer, OSError):
                passing = answer.errno == socket.EAI_AGAIN
                raise self.policy.unresolved(location, f"the name does not resolve: {answer}", retryable=passing)
            return answer

    def _connected(self, location: Location, addresses: Sequence[Address], until: float) -> socket.socket:
        failure: OSError | None = None
        for index, address in enumerate(addresses):
            self.clock.check()
            remaining = until - self.clock.monotonic()
            if remaining <= 0:
                break
            sock = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
            try:
                sock.settimeout(remaining / (len(addresses) - index))
                sock.connect((str(address), location.port))
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError as error:
                sock.close()
                failure = error
            else:
                return sock
        if failure is None or isinstance(failure, TimeoutError):
            raise TimedOut(f"{location.display} could not be connected to in time.", stage="connect") from failure
        raise Unreachable(
            f"{location.display} cannot be connected to.", operator_message=f"{location.display}: {failure}"
        ) from failure

    def _secured(self, sock: socket.socket, location: Location, until: float) -> socket.socket:
        if location.scheme == "http":
            return sock
        sock.settimeout(max(0.001, until - self.clock.monotonic()))
        try:
            return self.tls.wrap_socket(sock, server_hostname=location.host)
        except TimeoutError as error:
            raise TimedOut(f"{location.display} did not begin TLS in time.", stage="connect") from error
        except ssl.SSLCertVerificationError as error:
            message = f"The certificate of {location.display} is not trusted here: {error.verify_message}."
            raise Unreachable(message, retryable=False) from error
        except OSError as error:
            raise Unreachable(f"{location.display} does not speak TLS.", operator_message=str(error)) from error
