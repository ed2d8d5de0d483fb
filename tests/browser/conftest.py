"""A real browser on a real server: pages of people who are signed in, watched for whatever a browser complains about.

Each test has its own browser context, its own data (the built-in profiles and what the test makes) and
nobody else's cookies. A page fixture fails its test on a console error, an uncaught exception, a violation of
the content security policy and an alert, which is what hostile text would open.
"""

import importlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.apps import apps
from django.conf import settings
from django.db import connections
from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Page, ViewportSize

from accounts.models import User
from scoring.queries.profiles import forget_loaded
from tests.people import ClientFor
from tests.requirements import browser_path, need

# Playwright's synchronous interface runs an event loop of its own in this thread; Django would take that for
# asynchronous code and refuse to read the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Axe's rules for WCAG 2.2 AA and its good practices.
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# A refused form is answered with itself; the browser reports its status as if the page had failed.
_REFUSED_FORM = re.compile(r"Failed to load resource: the server responded with a status of (409|412|422)")

PageFor = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The server and the test each have their own connection, so the database must be a file."""
    here = Path(__file__).parent
    database = connections["default"]
    if database.vendor == "sqlite" and any(here in item.path.parents for item in items):
        test = database.settings_dict["TEST"]
        test["NAME"] = test.get("NAME") or str(Path(tempfile.mkdtemp(prefix="plumbline-browser-")) / "tests.sqlite3")
        # The live server looks at this before the test database is made; while it said ":memory:", all
        # requests were given one connection, which the first of them to end closed under the others.
        database.settings_dict["NAME"] = test["NAME"]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, with the reason, where there is no browser; fail where there must be one."""
    need("browser")


@pytest.fixture(scope="session")
def base_url() -> None:
    """Nothing: pages get the server's address from `page_for`. (The plugin's own is refused by pytest 9.)"""


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_type_launch_args, "executable_path": browser_path(), "args": ARGUMENTS}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    return {**browser_context_args, "viewport": {"width": 1440, "height": 900}, "reduced_motion": "reduce"}


@pytest.fixture
def server(live_server: Any) -> Iterator[str]:
    """The address of a running server that holds the built-in profiles; what a test made is gone afterwards.

    The browser's event loop gives this thread another database connection than the one that remembers
    the rows migrations made, so that nothing puts them back here but this.
    """
    importlib.import_module("scoring.migrations.0002_built_in_profiles").seed(apps, None)
    yield live_server.url
    forget_loaded()


class Complaints:
    """What the browser complained about on the pages of one test. `expected` are patterns of what it may."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.expected: list[re.Pattern[str]] = [_REFUSED_FORM]

    def watch(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.seen.append(f"uncaught: {error}"))
        page.on("dialog", self._dialog)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(pattern.search(message.text) for pattern in self.expected):
            self.seen.append(f"{message.text} (at {message.location.get('url', '')})")

    def _dialog(self, dialog: Dialog) -> None:
        # The question before unsaved changes are left is the test's to answer; an alert is nobody's.
        if dialog.type == "alert":
            self.seen.append(f"alert: {dialog.message}")
            dialog.dismiss()


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """Append to `complaints.expected` what a test provokes on purpose, such as a 404."""
    complaints = Complaints()
    yield complaints
    assert complaints.seen == []


@pytest.fixture
def page_for(
    server: str, new_context: Callable[..., BrowserContext], client_for: ClientFor, complaints: Complaints
) -> PageFor:
    """A watched page that this person is signed in with, nobody when None. Options go to the browser's context."""

    def make(user: User | None, *, viewport: ViewportSize | None = None, **options: Any) -> Page:
        context = new_context(base_url=server, **options)
        if user is not None:
            cookie = client_for(user).cookies[settings.SESSION_COOKIE_NAME]
            context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": server}])
        page = context.new_page()
        if viewport is not None:
            page.set_viewport_size(viewport)
        complaints.watch(page)
        return page

    return make


@pytest.fixture
def watched_page(page_for: PageFor) -> Page:
    """A page that nobody is signed in with."""
    return page_for(None)


@pytest.fixture
def owner_page(page_for: PageFor, owner: User) -> Page:
    return page_for(owner)


@pytest.fixture
def editor_page(page_for: PageFor, editor: User) -> Page:
    return page_for(editor)


@pytest.fixture
def reviewer_page(page_for: PageFor, reviewer: User) -> Page:
    return page_for(reviewer)


@pytest.fixture
def viewer_page(page_for: PageFor, viewer: User) -> Page:
    return page_for(viewer)


@pytest.fixture
def assert_accessible() -> Callable[[Page], None]:
    """Fails when axe finds anything on the page, in the light theme or the dark one."""

    def check(page: Page) -> None:
        for theme in ("dark", "light"):
            page.emulate_media(color_scheme=theme)
            found = Axe().run(page, options={"resultTypes": ["violations"], "runOnly": AXE_TAGS}).response["violations"]
            told = [
                f"{theme}: {violation['id']}: {violation['help']}: {node['target']} {node['html'][:200]}"
                for violation in found
                for node in violation["nodes"][:3]
            ]
            assert told == []

    return check
