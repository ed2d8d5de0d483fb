"""Four persistent workers behind a bounded queue.

The pool has no thread of its own: the caller talks to the worker it was given. Workers are
started, and the dead cleared away, in short-lived threads, so that nobody waits for a worker
that a runaway pattern cost.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from scoring.javascript import bounds
from scoring.javascript.engines import worker_command
from scoring.javascript.errors import EngineFailed, PoolBusy
from scoring.javascript.process import Outcome, WorkerProcess, spawning
from scoring.javascript.protocol import Operation, Request, Status

# A caller that waited this long is refused, whatever the reason.
QUEUE_SECONDS: Final = 20.0
# After a worker could not be started, no other is tried for this long.
RESTART_PAUSE_SECONDS: Final = 1.0
# A worker that is killed while it starts is started again; one that fails by itself is not.
START_TRIES: Final = 5
# No evaluation holds its worker this long.
RECLAIM_SECONDS: Final = 10.0
_CLOSED: Final = "The regular expression engine was shut down"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a pool is made of: the engine, its executable (None: found), and the two bounds."""

    engine: str = "corvus"
    executable: str | None = None
    workers: int = 4
    waiting: int = 64


@dataclass(frozen=True, slots=True)
class PoolStatus:
    """The pool of this process at one moment, for an operations page; all are counts.

    `workers` are ready or busy, `starting` not yet; `waiting` are callers. `restarts` (workers
    replaced) and `refused` (callers told it is busy) count from the start of the pool.
    """

    engine: str
    workers: int = 0
    starting: int = 0
    busy: int = 0
    waiting: int = 0
    restarts: int = 0
    refused: int = 0


class _Waiter:
    """A caller in the queue, and what it was given."""

    __slots__ = ("done", "failure", "worker")

    def __init__(self) -> None:
        self.done = threading.Event()
        self.worker: WorkerProcess | None = None
        self.failure: str | None = None

    def give(self, worker: WorkerProcess | None, failure: str | None = None) -> None:
        self.worker, self.failure = worker, failure
        self.done.set()


class Pool:
    """Evaluates requests in the workers of this process; for any number of threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        # The last one used is the first to be used again: its cache has the pattern.
        self._idle: list[WorkerProcess] = []
        # The workers that were given out, and when, in seconds of the monotonic clock.
        self._busy: dict[WorkerProcess, float] = {}
        self._waiters: deque[_Waiter] = deque()
        # Every process that was made and is not cleared away, whatever its state.
        self._processes: set[WorkerProcess] = set()
        self._starters: set[threading.Thread] = set()
        self._starting = self._restarts = self._refused = 0
        self._closed = False
        self._failure = ""
        self._next_start = 0.0

    def evaluate(self, request: Request) -> Outcome:
        """Return the outcome of a request, asked again if the worker had no chance at it.

        Raises PoolBusy when the queue is full and EngineFailed when there is no worker to be had.
        """
        outcome = self._attempt(request, bounds.MATCH_SECONDS, again=False)
        # Once, but as often as there are workers when they were killed, since that befalls all.
        for retry in range(self._settings.workers):
            unanswered = outcome.lost or outcome.status is Status.TIME
            had_its_chance = outcome.cpu_seconds >= bounds.LITTLE_CPU_SECONDS
            if not unanswered or had_its_chance or (retry > 0 and not outcome.killed):
                break
            outcome = self._attempt(request, bounds.PATIENT_MATCH_SECONDS, again=True)
        return outcome

    def _attempt(self, request: Request, match_seconds: float, *, again: bool) -> Outcome:
        checks = request.operation is Operation.CHECK
        cpu_limit = bounds.CHECK_CPU_SECONDS if checks else bounds.SEARCH_CPU_SECONDS
        frame = request.frame(match_seconds)
        worker = self._take(again=again)
        usable = False
        try:
            outcome = worker.ask(frame, cpu_limit=cpu_limit, wall_limit=bounds.WALL_SECONDS)
            usable = outcome.usable
        finally:
            # Also when this thread was interrupted: the worker then owes an answer nobody reads.
            self._give_back(worker, usable=usable)
        return outcome

    def _take(self, *, again: bool) -> WorkerProcess:
        """Return a worker, now or when it is this caller's turn."""
        with self._lock:
            worker = self._take_idle()
            if worker is not None:
                return worker
            if len(self._waiters) >= self._settings.waiting and not again:
                self._refused += 1
                raise PoolBusy
            waiter = _Waiter()
            # Whoever asks again has waited before.
            (self._waiters.appendleft if again else self._waiters.append)(waiter)
        try:
            waiter.done.wait(QUEUE_SECONDS)
            self._leave_queue(waiter)
        except BaseException:  # this thread was interrupted: its turn passes to the next
            self._leave_queue(waiter)
            if waiter.worker is not None:
                self._give_back(waiter.worker, usable=True)
            raise
        if waiter.failure is not None:
            raise EngineFailed(waiter.failure)
        if waiter.worker is None:
            raise PoolBusy
        return waiter.worker

    def _take_idle(self) -> WorkerProcess | None:
        """Return a live idle worker; EngineFailed when there is none and none will come."""
        if self._closed:
            raise EngineFailed(_CLOSED)
        worker = None
        while self._idle and worker is None:
            candidate = self._idle.pop()
            if candidate.is_alive():
                worker = candidate
                self._busy[worker] = time.monotonic()
            else:
                self._restart(candidate)
        if worker is None:
            self._reclaim()
        self._fill()
        if worker is None and not self._busy and not self._starting:
            raise EngineFailed(self._failure)
        return worker

    def _leave_queue(self, waiter: _Waiter) -> None:
        """Take the waiter out of the queue, after which it is given nothing more."""
        with self._lock, suppress(ValueError):
            self._waiters.remove(waiter)

    def _give_back(self, worker: WorkerProcess, *, usable: bool) -> None:
        with self._lock:
            if self._busy.pop(worker, None) is None or self._closed:
                return  # it was reclaimed, or close() ends it
            if usable:
                self._hand_on(worker)
            else:
                self._restart(worker)

    def _hand_on(self, worker: WorkerProcess) -> None:
        """Give a worker to the first in the queue, or let it idle."""
        if self._waiters:
            self._busy[worker] = time.monotonic()
            self._waiters.popleft().give(worker)
        else:
            self._idle.append(worker)

    def _fill(self) -> None:
        """Start the workers that are missing, unless the last start failed a moment ago."""
        present = len(self._idle) + len(self._busy) + self._starting
        if present < self._settings.workers and time.monotonic() >= self._next_start:
            for _ in range(self._settings.workers - present):
                self._start_in_thread(None)

    def _reclaim(self) -> None:
        """Replace workers whose caller never came back: its thread was ended between two lines."""
        overdue = time.monotonic() - RECLAIM_SECONDS
        for worker in [worker for worker, since in self._busy.items() if since < overdue]:
            del self._busy[worker]
            self._restart(worker)

    def _restart(self, worker: WorkerProcess) -> None:
        self._restarts += 1
        self._start_in_thread(worker)

    def _start_in_thread(self, replaced: WorkerProcess | None) -> None:
        """Have a worker started, and the one it replaces cleared away; the lock is held."""
        starter = threading.Thread(target=self._start, args=(replaced,), name="regex-worker-start", daemon=True)
        self._starting += 1
        self._starters.add(starter)
        try:
            starter.start()
        except RuntimeError as error:  # no thread to be had, or the interpreter is ending
            self._starters.discard(starter)
            self._start_failed(f"No worker could be started: {error}")
            if replaced is not None:
                self._clear_away(replaced)

    def _start(self, replaced: WorkerProcess | None) -> None:
        try:
            if replaced is not None:
                self._clear_away(replaced)
            worker = self._start_worker()
        except EngineFailed as error:
            with self._lock:
                self._start_failed(str(error))
        else:
            with self._lock:
                self._starting -= 1
                self._next_start = 0.0
                if not self._closed:
                    self._hand_on(worker)
        finally:
            with self._lock:
                self._starters.discard(threading.current_thread())

    def _start_worker(self) -> WorkerProcess:
        """Return a worker that is warm and ready; EngineFailed with the reason if it is not."""
        reason = ""
        for _ in range(START_TRIES):
            worker = self._make_worker()
            first = worker.wait_ready()
            if first.status is Status.READY:
                return worker
            self._clear_away(worker)
            reason = first.message or first.status.name.lower()
            if not first.killed:
                break
        raise EngineFailed(f"The regular expression engine did not start: {reason}")

    def _make_worker(self) -> WorkerProcess:
        """Return a worker that is starting; EngineFailed if the system refuses or it is closed."""
        try:
            command = worker_command(self._settings.engine, self._settings.executable)
            with spawning:
                if self._closed:
                    raise EngineFailed(_CLOSED)
                worker = WorkerProcess(command)
                self._processes.add(worker)
        except (OSError, RuntimeError, ValueError) as error:
            raise EngineFailed(f"No worker could be started: {error}") from error
        return worker

    def _start_failed(self, reason: str) -> None:
        """Note a failed start, and tell those in the queue when nothing is left to wait for."""
        self._starting -= 1
        self._failure = reason
        self._next_start = time.monotonic() + RESTART_PAUSE_SECONDS
        if not (self._idle or self._busy or self._starting):
            self._fail_waiters(reason)

    def _fail_waiters(self, reason: str) -> None:
        while self._waiters:
            self._waiters.popleft().give(None, reason)

    def _clear_away(self, worker: WorkerProcess) -> None:
        worker.close()
        self._processes.discard(worker)

    def status(self) -> PoolStatus:
        """Return the pool at this moment."""
        with self._lock:
            return PoolStatus(
                engine=self._settings.engine,
                workers=len(self._idle) + len(self._busy),
                starting=self._starting,
                busy=len(self._busy),
                waiting=len(self._waiters),
                restarts=self._restarts,
                refused=self._refused,
            )

    def close(self) -> None:
        """End every worker; who is waiting, and who comes later, gets EngineFailed."""
        with self._lock, spawning:
            self._closed = True
            self._idle.clear()
            self._fail_waiters(_CLOSED)
            starters = list(self._starters)
            processes = list(self._processes)
        for worker in processes:
            worker.kill()
        for starter in starters:
            starter.join(QUEUE_SECONDS)
        for worker in list(self._processes):
            self._clear_away(worker)

    def abandon(self) -> None:
        """In a forked child: let go of the parent's workers; the pool is not usable here."""
        for worker in list(self._processes):
            worker.abandon()
