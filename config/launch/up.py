"""Everything on this machine: web server and worker, prepared, watched and stopped together."""

import http.client
import threading
import time

from django.conf import settings

from config.launch.preflight import check_bind, listening_socket, loaded_settings, locked_folder
from config.launch.refusal import Refusal
from config.launch.supervisor import Child, Supervisor


def run(_words: list[str]) -> int:
    """0 once somebody has stopped it; refuses, in one line, what cannot work."""
    loaded_settings()
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
        threading.Thread(target=_announce, args=(supervisor, answering), daemon=True).start()
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


def _announce(supervisor: Supervisor, answering: threading.Event) -> None:
    """Print the address as soon as the web server answers at it, and wake the supervisor."""
    while not answers():
        time.sleep(0.2)
    answering.set()
    supervisor.wake()
    host = reachable_host(settings.PLUMBLINE_BIND)
    shown = f"[{host}]" if ":" in host else host
    print(f"Plumbline is ready: http://{shown}:{settings.PORT}/", flush=True)
    print(f"Its data is in {settings.DATA_DIR}. Ctrl-C stops it.", flush=True)


def reachable_host(bind: str) -> str:
    """An address at which this machine reaches a server bound to `bind`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(bind, bind)  # noqa: S104 - compared, not bound


def answers(seconds: float = 30) -> bool:
    """Whether the web server of these settings answers anything but a fault within `seconds`."""
    host = reachable_host(settings.PLUMBLINE_BIND)
    name = next(iter(settings.ALLOWED_HOSTS), host).lstrip(".")
    connection = http.client.HTTPConnection(host, settings.PORT, timeout=seconds)
    try:
        connection.request("GET", "/healthz", headers={"Host": name})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
