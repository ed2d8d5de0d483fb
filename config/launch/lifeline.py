"""How a process ends when its supervisor does, even when that was killed without a word.

The supervisor holds the writing end of a pipe and never writes. The kernel closes that end when
the supervisor is gone, by whatever cause, and every process that reads the other end wakes up.
"""

import os
import signal
import threading
import time

VARIABLE = "PLUMBLINE_LIFELINE_FD"
_GRACE_SECONDS = 15


def watch() -> None:
    """Begin to watch, when this process was started by a supervisor; else do nothing."""
    descriptor = os.environ.pop(VARIABLE, None)
    if descriptor is not None:
        threading.Thread(target=_wait_for_the_end, args=(int(descriptor),), name="lifeline", daemon=True).start()


def _wait_for_the_end(descriptor: int) -> None:
    os.read(descriptor, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os.killpg(0, signal.SIGKILL)
