"""The embedded worker's way to be woken: it looks at the rows by itself."""

import threading

from evaluations.engine.leases import claimable
from evaluations.engine.sweeping import open_runs
from evaluations.engine.working import work_on_run

# After this long another run gets its turn.
_TURN_SECONDS = 10.0


def work_on_open_runs(stop: threading.Event) -> bool:
    """Whether there was anything to do: every open run got its turn, oldest first."""
    worked = False
    for run_id in open_runs():
        if stop.is_set():
            break
        if claimable(run_id).exists():
            worked = True
            work_on_run(run_id, stop=stop, seconds=_TURN_SECONDS)
    return worked
