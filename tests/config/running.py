"""A real `up` in a folder and on a port of its own, for tests that start and kill processes."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
READY_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(folder: Path, port: int, **more: str) -> dict[str, str]:
    ours = ("PLUMBLINE_", "DJANGO_", "MAKE")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    base = {
        "DJANGO_SETTINGS_MODULE": "tests.config.stub_settings",
        "PLUMBLINE_DATA": str(folder),
        "PLUMBLINE_PORT": str(port),
    }
    return {**clean, **base, **more}


def launch(variables: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """A command that is expected to end by itself."""
    command = [sys.executable, "-m", "config.launch", *words]
    return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60, check=False)


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


class Running:
    """`up`, started; `output` is what it and its children printed so far."""

    def __init__(self, folder: Path, port: int, variables: dict[str, str], command: list[str] | None = None) -> None:
        self.folder, self.port, self.variables = folder, port, variables
        self._log = folder.parent / f"{folder.name}-{port}.log"
        self.started = time.monotonic()
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                command or [sys.executable, "-m", "config.launch", "up"],
                cwd=ROOT,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def wait_until_ready(self, times: int = 1) -> float:
        """The seconds from the start until the address was printed."""
        done = until(lambda: self.output.count("ready:") >= times or self.process.poll() is not None, READY_SECONDS)
        assert done, self.output
        assert self.process.poll() is None, self.output
        return time.monotonic() - self.started

    def get(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def processes(self, word: str = "") -> dict[int, str]:
        """The living processes of this data folder by id, with their command lines, `up` among them."""
        found = {}
        mark = f"PLUMBLINE_DATA={self.folder}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark not in (folder / "environ").read_bytes().split(b"\0"):
                    continue
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state != "Z" and f"config.launch {word}" in words:
                found[int(folder.name)] = words
        return found

    def leader(self, name: str) -> int | None:
        """The process that `up` itself started under that name."""
        return next((number for number in self.processes(name) if os.getpgid(number) == number), None)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for number in self.processes():
            os.kill(number, signal.SIGKILL)


@contextmanager
def running(folder: Path, **more: str) -> Iterator[Running]:
    port = free_port()
    up = Running(folder, port, environment(folder, port, **more))
    try:
        yield up
    finally:
        up.end()
