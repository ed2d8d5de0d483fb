"""What must be true before anything starts; each thing that is not is one clear line."""

import errno
import fcntl
import os
import socket
import time
from pathlib import Path
from typing import IO

from django.conf import LazySettings, settings
from django.core.exceptions import ImproperlyConfigured

from config.checks import is_loopback
from config.launch.refusal import Refusal

_PATIENCE_SECONDS = 2.0
_BACKLOG = 1024


def loaded_settings() -> LazySettings:
    """Django's settings, read now, so that a wrong environment value shows before anything starts."""
    try:
        _ = settings.DATA_DIR
    except ImproperlyConfigured:
        raise
    except ImportError as error:
        raise Refusal(f"The settings module {os.environ['DJANGO_SETTINGS_MODULE']} cannot be read: {error}") from error
    except (ValueError, RuntimeError, OSError) as error:
        raise Refusal(f"The settings cannot be read: {error}") from error
    return settings


def check_bind(bind: str, mode: str) -> None:
    """Refuse an address that other machines reach while nobody has to sign in."""
    if mode == "local" and not is_loopback(bind):
        message = (
            f"PLUMBLINE_BIND is {bind}, which other machines reach, and in local mode nobody signs in. "
            "Use 127.0.0.1, or the server settings (docs/operating.md, 'A server for a team')."
        )
        raise Refusal(message)


def locked_folder(folder: Path) -> IO[str]:
    """The open lock file of the data folder, which is made when there is none.

    The lock is held as long as the file is open and this process lives. Refuses a folder that
    cannot be written to, and one that another Plumbline holds.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / "plumbline.lock").open("a+", encoding="ascii")
    except OSError as error:
        reason = f"The data folder {folder} cannot be written to ({error.strerror})."
        raise Refusal(f"{reason} Set PLUMBLINE_DATA to one that can.") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        holder = file.read(20).strip() or "unknown"
        file.close()
        message = (
            f"Plumbline is already running on the data folder {folder} (process {holder}). "
            "Stop it first, or set PLUMBLINE_DATA and PLUMBLINE_PORT to others."
        )
        raise Refusal(message) from error
    file.seek(0)
    file.truncate()
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def listening_socket(bind: str, port: int) -> socket.socket:
    """A socket that listens on `bind`:`port`.

    It is opened here and handed to the web server, so that no one can take the port in between,
    and so that browsers wait instead of being refused while the web server restarts. A server
    that was killed may still be letting go of the port: it gets two seconds.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(bind, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise Refusal(f"PLUMBLINE_BIND is {bind}, which is not an address of this machine.") from error
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise Refusal(f"Port {port} on {bind} cannot be opened: {error.strerror}.") from error
            if time.monotonic() > deadline:
                message = f"Port {port} on {bind} is in use by another program. Set PLUMBLINE_PORT to a free one."
                raise Refusal(message) from error
            time.sleep(0.1)
        else:
            return listener
