"""Brings an installation up to date: settings checked, database migrated, static files collected."""

import hashlib
import importlib
import sys
from pathlib import Path

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core import checks
from django.core.management import call_command, get_commands
from django.core.management.base import CommandError
from django.db import Error

from config.launch import lifeline
from config.launch.preflight import loaded_settings
from config.launch.refusal import Refusal


def run(_words: list[str]) -> int:
    """0 when everything is ready to be served; refuses in one line otherwise."""
    loaded_settings()
    lifeline.watch()
    django.setup()
    importlib.import_module("config.gunicorn")
    check_settings()
    try:
        call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
        if settings.STATIC_ROOT:
            collect_static(Path(settings.STATIC_ROOT))
        if "ensure_owner" in get_commands():
            call_command("ensure_owner", skip_checks=True)
    except CommandError as error:
        raise Refusal(str(error)) from error
    except Error as error:
        reason = str(error).strip().partition("\n")[0]
        raise Refusal(f"The database cannot be brought up to date: {reason}") from error
    except OSError as error:
        raise Refusal(f"The installation cannot be prepared: {error}") from error
    return 0


def collect_static(target: Path) -> None:
    """Copy, fingerprint and compress the static files, unless they are as they were the last time.

    Compressing takes seconds, and a restart should not.
    """
    state = hashlib.sha256(repr(settings.STORAGES).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            path = Path(storage.path(name))
            state.update(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}\n".encode())
    stamp = target.with_suffix(".collected")
    if target.is_dir() and stamp.exists() and stamp.read_text(encoding="ascii") == state.hexdigest():
        return
    call_command("collectstatic", interactive=False, verbosity=0, skip_checks=True)
    stamp.write_text(state.hexdigest(), encoding="ascii")


def check_settings() -> None:
    """Run Django's checks: warnings are printed, errors refuse the start."""
    messages = [message for message in checks.run_checks() if not message.is_silenced()]
    lines = [" ".join(f"{message.msg} {message.hint or ''} ({message.id})".split()) for message in messages]
    for message, line in zip(messages, lines, strict=True):
        if not message.is_serious():
            print(f"plumbline: warning: {line}", file=sys.stderr)
    refused = [line for message, line in zip(messages, lines, strict=True) if message.is_serious()]
    if refused:
        raise Refusal(" ".join(refused))
