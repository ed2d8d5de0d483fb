"""A handful of child processes, kept alive until it is time to stop, and none left behind."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Self

from config.launch import lifeline

STOP_SECONDS = 20
_STEADY_SECONDS = 10
_LONGEST_PAUSE_SECONDS = 30
_LOOK_SECONDS = 1.0
_SAME_SIGNAL_SECONDS = 1.0


@dataclass(slots=True)
class Child:
    """One `python -m config.launch NAME`; `descriptors` stay open in it, `variables` join its environment."""

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    failures: int = 0
    due: float = 0.0


class Supervisor:
    """Starts children, restarts those that die, stops all on SIGINT, SIGTERM or SIGHUP.

    Use it as a context manager, from the main thread: leaving the block stops what still runs.
    """

    def __init__(self) -> None:
        self._children: list[Child] = []
        self._wake = threading.Event()
        self._stopping = False
        self._asked: float | None = None
        self._hurry = False
        self._parent = os.getppid() if "MAKELEVEL" in os.environ else None
        self._reading, self._writing = os.pipe()

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_stop)
        signal.signal(signal.SIGCHLD, self._on_child)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def is_stopping(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stopping

    def wake(self) -> None:
        """Let `watch` return at once; from any thread."""
        self._wake.set()

    def complete(self, child: Child) -> int | None:
        """Run `child` to its end; its exit status, or None when a stop was asked for meanwhile."""
        self._start(child)
        while not self._stopping:
            self._wait()
            status = child.process.poll() if child.process else None
            if status is not None:
                child.process = None
                return status
        self._children.append(child)
        return None

    def keep(self, child: Child) -> None:
        """Start `child`, and start it again whenever it ends."""
        self._children.append(child)
        self._start(child)

    def failures(self, name: str) -> int:
        """How often the child of that name has ended early, since it last ran steadily."""
        return next(child.failures for child in self._children if child.name == name)

    def watch(self) -> None:
        """Look after the children once; returns after a second at most, sooner when something happens."""
        for child in self._children:
            self._look_after(child)
        self._wait()

    def stop(self) -> None:
        """End all children: politely, and after twenty seconds or a second signal by force."""
        self._stopping = True
        running = [child.process for child in self._children if child.process is not None]
        for process in running:
            _signal(process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while any(process.poll() is None for process in running):
            if self._hurry or time.monotonic() > deadline:
                break
            self._wait(0.2)
        for process in running:
            _kill_group(process)
            process.wait()
        self._children.clear()

    def _look_after(self, child: Child) -> None:
        if child.process is None:
            if time.monotonic() >= child.due:
                self._start(child)
            return
        status = child.process.poll()
        if status is None:
            return
        _kill_group(child.process)
        child.process = None
        if time.monotonic() - child.started > _STEADY_SECONDS:
            child.failures = 0
        child.failures += 1
        pause = min(2 ** (child.failures - 1), _LONGEST_PAUSE_SECONDS)
        child.due = time.monotonic() + pause
        ending = f"by signal {-status}" if status < 0 else f"with status {status}"
        print(f"plumbline: the {child.name} process ended {ending}; it starts again in {pause} s.", file=sys.stderr)

    def _start(self, child: Child) -> None:
        # A session of its own: Ctrl-C in the terminal reaches the supervisor only, which then ends
        # the others in order, and what a child leaves behind can be ended as a group.
        child.started = time.monotonic()
        child.process = subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
            [sys.executable, "-m", "config.launch", child.name],
            env={**os.environ, **child.variables, lifeline.VARIABLE: str(self._reading)},
            stdin=subprocess.DEVNULL,
            pass_fds=(self._reading, *child.descriptors),
            start_new_session=True,
        )

    def _wait(self, seconds: float = _LOOK_SECONDS) -> None:
        self._wake.wait(seconds)
        self._wake.clear()
        # `make` killed without a word would leave us running with nobody to press Ctrl-C.
        if self._parent is not None and os.getppid() != self._parent:
            self._stopping = True

    def _on_stop(self, _number: int, _frame: FrameType | None) -> None:
        # Within the first second a repeated signal is the same one, passed on by `make`.
        now = time.monotonic()
        self._hurry = self._asked is not None and now - self._asked > _SAME_SIGNAL_SECONDS
        self._asked = self._asked or now
        self._stopping = True
        self._wake.set()

    def _on_child(self, _number: int, _frame: FrameType | None) -> None:
        self._wake.set()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(number)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
