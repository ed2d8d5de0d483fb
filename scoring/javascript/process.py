"""One worker process: started, asked, and killed when it does not answer."""

from __future__ import annotations

import fcntl
import os
import resource
import select
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Final

from scoring.javascript.protocol import ANSWER_HEADER, LARGEST_PAYLOAD, Status

if TYPE_CHECKING:
    from scoring.javascript.engines import WorkerCommand

START_SECONDS: Final = 15.0
# Room in the pipe for the longest request, so that it is sent in one go.
PIPE_BYTES: Final = 512 * 1024
_READ_BYTES: Final = 65_536
_SHORTEST_WAIT_SECONDS: Final = 0.005
_OUT_OF_MEMORY: Final = (b"memory allocation of", b"out of memory", b"Allocation failed")
# What the engine never does to itself: an administrator, a supervisor, the kernel short of memory.
_ANOTHERS_DOING: Final = (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGHUP)

# Held while a process is made and by whoever forks this one, so that no pipe is inherited by a
# forked child that does not know of it: the worker would not see the end of its input.
spawning = threading.RLock()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of asking a worker.

    `cpu_seconds` is the processor time the worker spent on it. `lost` is true when the worker did
    not answer and is dead, `killed` when that was another's doing; `usable` when it can be asked
    again. `message` is the engine's.
    """

    status: Status
    payload: bytes
    cpu_seconds: float
    lost: bool = False
    killed: bool = False
    usable: bool = True

    @property
    def message(self) -> str:
        """The payload read as a message."""
        return self.payload.decode("utf-8", "replace")


class _TimeSpentError(Exception):
    """The worker had its time."""


class _Budget:
    """What one request may take of the worker's processor time and of the wall's, in seconds."""

    def __init__(self, pid: int, cpu_limit: float, wall_limit: float) -> None:
        # The clock of another process's processor time; Linux numbers them like this.
        self._clock = (~pid << 3) | 2
        self._cpu_limit = cpu_limit
        self._wall_limit = wall_limit
        self._wall_start = time.monotonic()
        self._cpu_start = self._cpu_now()

    def _cpu_now(self) -> float | None:
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return None

    def cpu_seconds(self) -> float:
        """Return the worker's processor time; the wall's where the system does not tell it."""
        now = self._cpu_now()
        if now is None or self._cpu_start is None:
            return time.monotonic() - self._wall_start
        return now - self._cpu_start

    def wait(self, poller: select.poll) -> None:
        """Return when the poller's pipe is ready; raise when the worker had its time first."""
        while True:
            wall_left = self._wall_limit - (time.monotonic() - self._wall_start)
            cpu_left = self._cpu_limit - self.cpu_seconds()
            if min(wall_left, cpu_left) <= 0 and not poller.poll(0):
                raise _TimeSpentError
            wait_seconds = max(min(wall_left, cpu_left), _SHORTEST_WAIT_SECONDS)
            if poller.poll(wait_seconds * 1000):
                return


class WorkerProcess:
    """A running worker. Not for two threads at once."""

    def __init__(self, command: WorkerCommand) -> None:
        """Start the process, without waiting for it; OSError when the system refuses."""
        errors, errors_end = os.pipe()
        # A worker that fills this pipe with complaints must not block on it.
        os.set_blocking(errors, False)
        os.set_blocking(errors_end, False)
        try:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(  # noqa: S603 - our own file
                command.arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors_end,
                bufsize=0,
                env={},
                cwd="/",
            )
        except BaseException:
            os.close(errors)
            raise
        finally:
            os.close(errors_end)
        self._errors = os.fdopen(errors, "rb", buffering=0)
        self._requests = _present(self._process.stdin)
        self._answers = _present(self._process.stdout)
        self._prepare_pipes()
        if command.data_limit is not None:
            self._limit_from_outside(command.data_limit)

    def _prepare_pipes(self) -> None:
        os.set_blocking(self._requests.fileno(), False)
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):  # the system bounds what all pipes of one user take
                fcntl.fcntl(self._requests, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._sendable, self._readable = select.poll(), select.poll()
        self._sendable.register(self._requests, select.POLLOUT)
        self._readable.register(self._answers, select.POLLIN)

    def _limit_from_outside(self, data_bytes: int) -> None:
        if hasattr(resource, "prlimit"):
            with suppress(OSError):
                resource.prlimit(self.pid, resource.RLIMIT_DATA, (data_bytes, data_bytes))
                resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, 0))

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """Tell whether the process still runs."""
        return self._process.poll() is None

    def wait_ready(self) -> Outcome:
        """Return the worker's first word, READY or FAILED or how it was lost, within 15 s."""
        return self.ask(b"", cpu_limit=START_SECONDS, wall_limit=START_SECONDS)

    def ask(self, frame: bytes, *, cpu_limit: float, wall_limit: float) -> Outcome:
        """Send a request and return the outcome; a worker that outlives a limit is killed.

        Both limits are in seconds: of the worker's processor time, and of the wall's.
        """
        budget = _Budget(self.pid, cpu_limit, wall_limit)
        try:
            self._send(frame, budget)
            status, leaving, payload = self._receive(budget)
        except _TimeSpentError:
            outcome = Outcome(Status.TIME, b"", budget.cpu_seconds(), lost=True, usable=False)
            self.kill()
            return outcome
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return self._died(budget)
        except ValueError as error:
            self.kill()
            cpu_seconds = budget.cpu_seconds()
            message = str(error).encode()
            return Outcome(Status.FAILED, message, cpu_seconds, lost=True, usable=False)
        return Outcome(status, payload, budget.cpu_seconds(), usable=not leaving)

    def _send(self, frame: bytes, budget: _Budget) -> None:
        left = memoryview(frame)
        while left:
            try:
                left = left[os.write(self._requests.fileno(), left) :]
            except BlockingIOError:
                budget.wait(self._sendable)

    def _receive(self, budget: _Budget) -> tuple[Status, bool, bytes]:
        received = self._read(budget)
        while len(received) < ANSWER_HEADER.size:
            received += self._read(budget)
        status, leaving, length = ANSWER_HEADER.unpack_from(received)
        if length > LARGEST_PAYLOAD:
            raise ValueError("The worker's answer is not a frame")
        while len(received) < ANSWER_HEADER.size + length:
            received += self._read(budget)
        return Status(status), bool(leaving), received[ANSWER_HEADER.size :]

    def _read(self, budget: _Budget) -> bytes:
        budget.wait(self._readable)
        received = os.read(self._answers.fileno(), _READ_BYTES)
        if not received:
            raise EOFError
        return received

    def _died(self, budget: _Budget) -> Outcome:
        """Tell why the process ended in a request, by itself or by another's hand."""
        # Until it is reaped a dead process still tells its processor time.
        cpu_seconds = budget.cpu_seconds()
        try:
            code = self._process.wait(timeout=1)
            killed = code in _ANOTHERS_DOING
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
            killed = False
        if code == -signal.SIGALRM:
            status, message = Status.TIME, ""
        elif code < 0 and self._complains_of_memory():
            status, message = Status.MEMORY, ""
        else:
            status = Status.FAILED
            ending = f"signal {-code}" if code < 0 else f"exit code {code}"
            message = f"The worker ended with {ending}"
        return Outcome(status, message.encode(), cpu_seconds, lost=True, killed=killed, usable=False)

    def _complains_of_memory(self) -> bool:
        complaints = self._errors.read(_READ_BYTES) or b""
        return any(sign in complaints for sign in _OUT_OF_MEMORY)

    def kill(self) -> None:
        """End the process at once, without waiting for the system to clear it away."""
        with suppress(ProcessLookupError):
            self._process.kill()

    def close(self) -> None:
        """End the process and give back everything it holds; this waits for the system."""
        self.kill()
        self._process.wait()
        self._close_pipes()

    def abandon(self) -> None:
        """In a forked child: let go of the parent's worker without touching the process."""
        self._close_pipes()
        # It is not this process's child: Popen must neither wait for it nor complain.
        self._process.returncode = 0

    def _close_pipes(self) -> None:
        for pipe in (self._requests, self._answers, self._errors):
            pipe.close()


def _present(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("The worker was started without its pipes")
    return pipe
