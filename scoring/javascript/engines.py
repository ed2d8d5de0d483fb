"""The engines that can stand behind a pool, and the command that starts a worker of each."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scoring.javascript.errors import EngineFailed

ENGINES: Final = ("corvus", "node")
MEMORY_BYTES: Final = 1 << 30
_ROOM: Final = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class WorkerCommand:
    """How one worker is started.

    `data_limit` in bytes is set on the worker from outside, None when it limits itself.
    """

    arguments: tuple[str, ...]
    data_limit: int | None


def worker_command(engine: str, executable: str | None) -> WorkerCommand:
    """Return the command of an engine's worker; EngineFailed when the engine is not installed.

    `executable` is the Python or Node to run, None for this Python or the Node on the PATH.
    """
    return _node_command(executable) if engine == "node" else _corvus_command(executable)


def _corvus_command(executable: str | None) -> WorkerCommand:
    # Found, not imported: the engine must not run in this process, not even its start-up.
    found = importlib.util.find_spec("corvus_regex_ecma262")
    if found is None or found.origin is None:
        raise EngineFailed("The Python package corvus-regex-ecma262 is not installed")
    python = executable or sys.executable
    if not python:
        raise EngineFailed("The path of the Python interpreter is unknown; configure it")
    packages = str(Path(found.origin).parent.parent)
    # -S spares the start-up hooks of every other package; the worker gets the one path it needs.
    flags = ("-I", "-S", "-B")
    return WorkerCommand((python, *flags, str(_ROOM / "corvus_worker.py"), packages), None)


def _node_command(executable: str | None) -> WorkerCommand:
    node = executable or shutil.which("node")
    if node is None:
        raise EngineFailed("Node is not installed: there is no node on the PATH")
    # V8 reserves far more address space than it uses, so RLIMIT_AS would not let it start.
    return WorkerCommand((node, str(_ROOM / "node_worker.mjs")), MEMORY_BYTES)
