"""A server that says what a test wants, without a network, and a terminal whose output can be read."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from typing import Any

from commandline.program import main
from commandline.runs import Clock
from commandline.terminal import Terminal
from commandline.transport import Wanted


class FakeAnswer:
    def __init__(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self.status = status
        self.headers = Message()
        for name, value in headers.items():
            self.headers[name] = value
        self._body = io.BytesIO(body)

    def read(self, size: int = -1) -> bytes:
        return self._body.read(size)


def answering(value: Any, status: int = 200, **headers: str) -> FakeAnswer:
    """The value as a JSON answer; bytes as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return FakeAnswer(status, body, {"Content-Type": "application/json", **named})


def refusing(status: int, code: str) -> FakeAnswer:
    return answering({"error": {"code": code, "message": "No.", "hint": "", "meta": {}}}, status)


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@dataclass
class Screen:
    """What came of one command."""

    status: int
    stdout: bytes
    stderr: str
    wanted: list[Wanted]
    slept: list[float]

    @property
    def text(self) -> str:
        return self.stdout.decode()

    @property
    def error(self) -> dict[str, Any]:
        return json.loads(self.stderr)["error"]

    @property
    def body(self) -> Any:
        """The body of the one request that was sent."""
        [wanted] = self.wanted
        return json.loads(wanted.body)


Reply = Callable[[Wanted], FakeAnswer]


@dataclass
class Desk:
    """Runs commands against `reply`, or against answers given in turn (the last one stays)."""

    environment: dict[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    tty: bool = False

    def run(self, *words: str, reply: Reply | None = None, answers: list[Any] | None = None) -> Screen:
        wanted: list[Wanted] = []
        slept: list[float] = []
        waiting = list(answers or [])

        @contextmanager
        def send(one: Wanted) -> Iterator[Any]:
            wanted.append(one)
            if reply is not None:
                yield reply(one)
                return
            said = waiting.pop(0) if len(waiting) > 1 else waiting[0] if waiting else {}
            if isinstance(said, Exception):
                raise said
            yield said if isinstance(said, FakeAnswer) else answering(said)

        stdout, stderr = io.BytesIO(), Tty() if self.tty else io.StringIO()
        clock = Clock(lambda: sum(slept), slept.append)
        terminal = Terminal(self.environment, io.BytesIO(self.stdin), stdout, stderr, send, clock)
        status = main(words, terminal)
        return Screen(status, stdout.getvalue(), stderr.getvalue(), wanted, slept)
