"""Everything on this machine: web server and worker, prepared, watched and stopped together."""

import http.client
import threading
import time
from pathlib import Path

from config.launch.preflight import check_bind, listening_socket, loaded_settings, locked_folder
from config.launch.refusal import Refusal
from config.launch.supervisor import Child, Supervisor


def run(_words: list[str]) -> int:
    """0 once somebody has stopped it; refuses, in one line, what cannot work."""
    settings = loaded_settings()
    bind, port = settings.PLUMBLINE_BIND, settings.PORT
    check_bind(bind, settings.PLUMBLINE_MODE)
    with locked_folder(settings.DATA_DIR), listening_socket(bind, port) as listener, Supervisor() as supervisor:
        status = supervisor.complete(Child("prepare"))
        if status:
            # It has said why.
            return 1
        if supervisor.is_stopping():
            return 0
        descriptor = listener.fileno()
        supervisor.keep(Child("web", {"PLUMBLINE_LISTEN_FD": str(descriptor)}, (descriptor,)))
        answering = threading.Event()
        announcer = threading.Thread(target=_announce, args=(bind, port, settings.DATA_DIR, supervisor, answering))
        announcer.daemon = True
        announcer.start()
        while not answering.is_set() and not supervisor.is_stopping():
            supervisor.watch()
            if supervisor.failures("web") and not answering.is_set():
                raise Refusal("The web server ended before it answered; what it said is above.")
        # Only now, so that the first page does not compete with them for the processors.
        for name in ("worker", "beat") if settings.CELERY_BROKER_URL else ("worker",):
            supervisor.keep(Child(name))
        while not supervisor.is_stopping():
            supervisor.watch()
    return 0


def _announce(bind: str, port: int, folder: Path, supervisor: Supervisor, answering: threading.Event) -> None:
    """Print the address as soon as the web server answers at it, and wake the supervisor."""
    host = reachable_host(bind)
    while not answers(host, port):
        time.sleep(0.2)
    shown = f"[{host}]" if ":" in host else host
    print(f"Plumbline is ready: http://{shown}:{port}/", flush=True)
    print(f"Its data is in {folder}. Ctrl-C stops it.", flush=True)
    answering.set()
    supervisor.wake()


def reachable_host(bind: str) -> str:
    """An address at which this machine reaches a server bound to `bind`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(bind, bind)  # noqa: S104 - compared, not bound


def answers(host: str, port: int, seconds: float = 30) -> bool:
    """Whether the web server at that address answers anything but a fault within `seconds`."""
    connection = http.client.HTTPConnection(host, port, timeout=seconds)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
