"""The command line: one word says what to start."""

import importlib
import os
import sys

from django.core.exceptions import ImproperlyConfigured

from config.launch.refusal import Refusal

_COMMANDS = {
    "up": "everything on this machine, until Ctrl-C",
    "prepare": "check the settings, bring the database up to date, then end",
    "web": "the web server alone",
    "worker": "the worker alone (Celery when PLUMBLINE_BROKER_URL is set)",
    "beat": "the clock of the Celery workers; one is enough",
    "status": "say whether the server and the worker are alive",
    "backup": "copy the SQLite database to FILE while it is in use",
}


def main(words: list[str]) -> int:
    """The exit status of the command that `words` names: 0 when it did what it should.

    A refusal is one line on standard error and status 1; a command that does not exist, status 2.
    """
    if not words or words[0] not in _COMMANDS:
        listing = "\n".join(f"  {name:<8} {sentence}" for name, sentence in _COMMANDS.items())
        print(f"Usage: python -m config.launch COMMAND\n{listing}", file=sys.stderr)
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    try:
        command = importlib.import_module(f"config.launch.{words[0]}")
        status: int = command.run(words[1:])
    except (Refusal, ImproperlyConfigured) as error:
        line = " ".join(str(error).split())
        print(f"plumbline: {line}", file=sys.stderr)
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
