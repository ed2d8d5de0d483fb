"""One worker: how its end is told, and what it leaves behind."""

from __future__ import annotations

import os
import resource
import select
import signal
import struct
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scoring.javascript.engines import WorkerCommand, worker_command
from scoring.javascript.process import Outcome, WorkerProcess
from scoring.javascript.protocol import ANSWER_HEADER, Operation, Request, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = {"cpu_limit": 5.0, "wall_limit": 5.0}


@contextmanager
def started(command: WorkerCommand) -> Iterator[WorkerProcess]:
    worker = WorkerProcess(command)
    try:
        yield worker
    finally:
        worker.close()


@contextmanager
def worker_that(code: str) -> Iterator[WorkerProcess]:
    preamble = "import os, sys, signal, time, resource\nresource.setrlimit(4, (0, 0))\n"
    command = WorkerCommand((sys.executable, "-I", "-S", "-c", preamble + code), None)
    with started(command) as worker:
        yield worker


@contextmanager
def corvus() -> Iterator[WorkerProcess]:
    with started(worker_command("corvus", None)) as worker:
        assert worker.wait_ready().status is Status.READY
        yield worker


def frame(pattern: str, flags: str = "", text: str = "") -> bytes:
    encoded = pattern.encode("utf-16-le"), flags.encode(), text.encode("utf-16-le")
    return Request(Operation.SEARCH, *encoded).frame(0.1)


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        ("sys.exit(3)", Status.FAILED, "The worker ended with exit code 3"),
        ("os.kill(os.getpid(), 11)", Status.FAILED, "The worker ended with signal 11"),
        ("os.abort()", Status.FAILED, "The worker ended with signal 6"),
        ("os.write(2, b'memory allocation of 9 bytes failed'); os.abort()", Status.MEMORY, ""),
        ("signal.setitimer(signal.ITIMER_REAL, .01); time.sleep(9)", Status.TIME, ""),
        ("os.write(1, b'M' * 6); time.sleep(9)", Status.FAILED, "The worker's answer is not a frame"),
        ("os.write(1, b'?\\0' + bytes(4)); time.sleep(9)", Status.FAILED, "63 is not a valid Status"),
        ("os.write(1, b'N'); os._exit(0)", Status.FAILED, "The worker ended with exit code 0"),
        ("os.close(1); time.sleep(9)", Status.FAILED, "The worker ended with signal 9"),
    ],
)
def test_how_a_worker_was_lost(code: str, status: Status, message: str) -> None:
    with worker_that(code) as worker:
        outcome = worker.ask(b"", **LIMITS)
    assert (outcome.status, outcome.message) == (status, message)
    assert outcome.lost
    assert not outcome.usable


def test_an_answer_in_pieces() -> None:
    pieces = "for piece in b'M\\0', bytes([8, 0, 0]), bytes(5), bytes(4):"
    pieces += " os.write(1, piece); time.sleep(.02)"
    with worker_that(pieces + "\ntime.sleep(9)") as worker:
        outcome = worker.ask(b"", **LIMITS)
    assert (outcome.status, outcome.payload, outcome.usable) == (Status.MATCH, bytes(8), True)


def test_a_worker_that_leaves_is_not_asked_again() -> None:
    with worker_that(f"os.write(1, {ANSWER_HEADER.pack(ord('N'), 1, 0)!r})") as worker:
        outcome = worker.ask(b"", **LIMITS)
    assert (outcome.status, outcome.usable, outcome.lost) == (Status.NO_MATCH, False, False)


def test_processor_time_ends_a_runaway_and_the_wall_one_that_sleeps() -> None:
    with worker_that("while True: pass") as worker:
        outcome = worker.ask(b"", cpu_limit=0.1, wall_limit=5.0)
        assert outcome.status is Status.TIME
        assert 0.1 <= outcome.cpu_seconds < 0.5
    with worker_that("time.sleep(9)") as worker:
        began = time.monotonic()
        outcome = worker.ask(b"", cpu_limit=5.0, wall_limit=0.2)
        assert outcome.status is Status.TIME
        assert 0.2 <= time.monotonic() - began < 1.5
        assert outcome.cpu_seconds < 0.1


def test_a_worker_that_does_not_read_is_not_waited_for() -> None:
    with worker_that("time.sleep(9)") as worker:
        outcome = worker.ask(bytes(10_000_000), cpu_limit=5.0, wall_limit=0.3)
    assert outcome.status is Status.TIME


def test_complaints_do_not_block_a_worker() -> None:
    code = "import contextlib\nwith contextlib.suppress(BlockingIOError):\n"
    code += "  for _ in range(99): os.write(2, bytes(9999))\n"
    with worker_that(code + f"os.write(1, {ANSWER_HEADER.pack(ord('N'), 0, 0)!r})") as worker:
        assert worker.ask(b"", **LIMITS).status is Status.NO_MATCH


def test_memory_is_bounded_and_told_apart() -> None:
    with corvus() as worker:
        assert resource.prlimit(worker.pid, resource.RLIMIT_AS)[0] == 1 << 30
        assert resource.prlimit(worker.pid, resource.RLIMIT_CORE) == (0, 0)
        # The same bound, only nearer: what the worker has now and 30 MB.
        used = int(Path(f"/proc/{worker.pid}/statm").read_text().split()[0]) * resource.getpagesize()
        resource.prlimit(worker.pid, resource.RLIMIT_AS, (used + 30_000_000, 1 << 30))
        outcome = worker.ask(frame(r"\p{RGI_Emoji}" * 2, "v"), **LIMITS)
        assert outcome.status is Status.MEMORY


def test_the_worker_has_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "of the server")
    with corvus() as worker:
        assert Path(f"/proc/{worker.pid}/environ").read_bytes() == b""


def test_the_worker_ends_with_its_input_and_ignores_control_c() -> None:
    with corvus() as worker:
        os.kill(worker.pid, signal.SIGINT)
        assert worker.ask(frame("a", "", "a"), **LIMITS).status is Status.MATCH
        worker._requests.close()
        assert worker._process.wait(5) == 0


def orphaned_in_compilation(arguments: tuple[str, ...], request: bytes) -> float:
    """Return how long a worker lived whose supervisor went away in the middle, in seconds."""
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    with process.stdin as requests, process.stdout as answers:
        assert select.select([answers], [], [], 10)[0]
        answers.read(ANSWER_HEADER.size)
        began = time.monotonic()
        requests.write(request)
    process.wait(10)
    return time.monotonic() - began


@pytest.mark.slow
def test_an_orphan_ends_even_inside_the_engine() -> None:
    request = frame(r"\p{RGI_Emoji}" * 2, "v")
    assert orphaned_in_compilation(worker_command("corvus", None).arguments, request) < 4


@pytest.mark.slow
def test_an_orphaned_node_ends_even_inside_the_engine(node: str) -> None:
    request = frame(r"\P{L}" * 51, "v")
    assert orphaned_in_compilation(worker_command("node", node).arguments, request) < 6


def test_a_match_starts_its_own_clock() -> None:
    """The limit is of the match alone: the engine answers by itself, and stays usable."""
    with corvus() as worker:
        outcome: Outcome = worker.ask(frame(r"(a*)*\1b", "", "a" * 30_000), **LIMITS)
        assert (outcome.status, outcome.usable) == (Status.TIME, True)
        assert worker.ask(frame("a", "", "a"), **LIMITS).payload == struct.pack("<2I", 0, 1)
