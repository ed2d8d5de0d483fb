"""Whether the server and the worker are alive, in a few lines for a person or a probe."""

import django
from django.conf import settings
from django.db import Error

from config.launch.preflight import loaded_settings
from config.launch.refusal import Refusal
from config.launch.up import answers, reachable_host
from foundation.times import iso

_PATIENCE_SECONDS = 5


def run(words: list[str]) -> int:
    """0 when what was asked about is alive, else 1; the word `web` or `worker` asks about that alone."""
    wanted = set(words or ["web", "worker"])
    if not wanted <= {"web", "worker"}:
        raise Refusal("status takes the words web and worker.")
    loaded_settings()
    alive = [_web_is_alive()] if "web" in wanted else []
    if "worker" in wanted:
        django.setup()
        try:
            alive.append(_worker_is_alive())
        except Error as error:
            raise Refusal(f"The database does not answer: {str(error).strip()}") from error
    return 0 if all(alive) else 1


def _web_is_alive() -> bool:
    host, port = reachable_host(settings.PLUMBLINE_BIND), settings.PORT
    alive = answers(_PATIENCE_SECONDS)
    print(f"web: {'answers' if alive else 'does not answer'} on {host}, port {port}")
    return alive


def _worker_is_alive() -> bool:
    from config.operations.queries import periodic_jobs, worker_state  # noqa: PLC0415 - models need django.setup()

    state = worker_state()
    print(f"worker: {'alive' if state.alive else 'silent'}, last seen {state.last_seen or 'never'}")
    for job in periodic_jobs():
        finished = iso(job.finished_at) if job.finished_at else "never"
        print(f"  {job.name}: last done {finished}, next {iso(job.due_at)}{f'; {job.error}' if job.error else ''}")
    return state.alive
