"""Servers on loopback that answer as badly as a test wishes, and time that passes when asked."""

import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from evaluations.outbound.clock import Clock
from evaluations.outbound.door import Door
from evaluations.outbound.errors import Canceled
from evaluations.outbound.policy import EgressPolicy


@dataclass(frozen=True)
class Received:
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


Handler = Callable[[socket.socket, Received], None]


class Stub:
    """Counts connections, keeps requests, and lets `handler` write whatever it likes."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.connections = 0
        self.requests: list[Received] = []
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{path}"

    @property
    def last(self) -> Received:
        return self.requests[-1]

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            if self._closed.is_set():
                connection.close()
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.settimeout(10)
            received = read_request(connection)
            if received is not None:
                self.requests.append(received)
                self._handler(connection, received)

    def close(self) -> None:
        self._closed.set()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
            pass
        self._listener.close()
        self._accepting.join(5)
        for thread in self._threads:
            thread.join(5)


def read_request(connection: socket.socket) -> Received | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65_536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65_536)
    return Received(method, target, headers, body)


def answer(status: int, body: bytes | str = b"", headers: Sequence[tuple[str, str]] = ()) -> bytes:
    data = body.encode() if isinstance(body, str) else body
    lines = [
        f"HTTP/1.1 {status} Said",
        f"Content-Length: {len(data)}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + data


def saying(status: int, body: bytes | str = b"", headers: Sequence[tuple[str, str]] = ()) -> Handler:
    return saying_raw(answer(status, body, headers))


def saying_json(value: Any, status: int = 200) -> Handler:
    return saying(status, json.dumps(value), [("Content-Type", "application/json")])


def saying_raw(*pieces: bytes, pause: float = 0) -> Handler:
    """Exactly these bytes, with a pause between one and the next."""

    def handler(connection: socket.socket, received: Received) -> None:
        for index, piece in enumerate(pieces):
            if index and pause:
                time.sleep(pause)
            connection.sendall(piece)

    return handler


def saying_in_turn(*handlers: Handler) -> Handler:
    """The first handler for the first request, and so on; the last stays."""
    remaining = list(handlers)

    def handler(connection: socket.socket, received: Received) -> None:
        turn = remaining.pop(0) if len(remaining) > 1 else remaining[0]
        turn(connection, received)

    return handler


def resetting(connection: socket.socket, received: Received) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def event(document: Any, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(document)}\n\n".encode()


DONE = b"data: [DONE]\n\n"


@contextlib.contextmanager
def serving(handler: Handler) -> Iterator[Stub]:
    stub = Stub(handler)
    try:
        yield stub
    finally:
        stub.close()


def local_door(**changes: Any) -> Door:
    """A door that may call loopback."""
    return Door(EgressPolicy.of([], local_mode=True), **changes)


@dataclass
class TestClock(Clock):
    """Waiting takes no time and is written down; other time passes as it does."""

    __test__ = False
    moment: datetime = datetime(2026, 3, 21, 14, 0, tzinfo=UTC)
    waits: list[float] = field(default_factory=list)
    cancel_after: int | None = None
    canceled: bool = False

    def monotonic(self) -> float:
        return time.monotonic()

    def now(self) -> datetime:
        return self.moment

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        if self.cancel_after is not None and len(self.waits) >= self.cancel_after:
            raise Canceled
        self.moment += timedelta(seconds=seconds)

    def check(self) -> None:
        if self.canceled:
            raise Canceled
