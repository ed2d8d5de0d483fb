"""The gallery of components, served to a real browser without a database."""

import threading
from collections.abc import Iterator
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import override_settings

from tests.requirements import browser_path, need

WITHOUT_DATABASE = {
    "ROOT_URLCONF": "tests.design.urls",
    "SESSION_ENGINE": "django.contrib.sessions.backends.signed_cookies",
    "MESSAGE_STORAGE": "django.contrib.messages.storage.cookie.CookieStorage",
}
# Run before any script of a page: tells the test what the content security policy refused.
WATCH = """
document.addEventListener("securitypolicyviolation", (event) =>
  window.violated(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""


class ThreadingServer(ThreadingMixIn, WSGIServer):
    """As many requests at once as a browser makes."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """Logs nothing."""

    def log_message(self, *_args: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def gallery_address() -> Iterator[str]:
    """Where the gallery is served, on a free port of this machine."""
    with override_settings(**WITHOUT_DATABASE):
        server = make_server("127.0.0.1", 0, WSGIHandler(), server_class=ThreadingServer, handler_class=Quiet)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """The Chromium of this machine, without anything that reaches outside."""
    need("browser")
    switches = (
        "no-sandbox",
        "disable-gpu",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
    )
    return {"executable_path": browser_path(), "args": [f"--{switch}" for switch in switches]}


@pytest.fixture
def without_database(settings: Any) -> None:
    """The gallery's addresses for Django's own test client."""
    for name, value in WITHOUT_DATABASE.items():
        setattr(settings, name, value)
