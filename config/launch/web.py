"""The web server: gunicorn with config/gunicorn.py."""

import sys

from config.launch import lifeline
from config.launch.preflight import check_bind, loaded_settings


def run(_words: list[str]) -> int:
    """Serve until a signal ends it; gunicorn leaves with a status of its own."""
    settings = loaded_settings()
    check_bind(settings.PLUMBLINE_BIND, settings.PLUMBLINE_MODE)
    lifeline.watch()
    from gunicorn.app.wsgiapp import WSGIApplication  # noqa: PLC0415 - only this command pays for it

    sys.argv = ["gunicorn", "--config", "python:config.gunicorn", "config.wsgi:application"]
    WSGIApplication("%(prog)s [OPTIONS] [APP_MODULE]", prog="plumbline").run()
    return 0
