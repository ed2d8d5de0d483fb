"""The first start, the command line, the system check, and what is thrown away in time."""

import io
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from accounts.actors import Role
from accounts.checks import published_password
from accounts.context import chrome
from accounts.models import AccessToken, AuditEntry, User
from accounts.services import housekeeping, key_touch, local_owner_ensure
from tests.people import PASSWORD, person


def run(name: str, *arguments: str) -> str:
    out = io.StringIO()
    call_command(name, *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def wanted(settings: Settings, db: None) -> Settings:
    settings.PLUMBLINE_ADMIN_USERNAME = "admin"
    settings.PLUMBLINE_ADMIN_PASSWORD = PASSWORD
    return settings


def test_the_first_owner_is_made_once(wanted: Settings) -> None:
    assert run("ensure_owner") == "Made the first owner, admin.\n"
    user = User.objects.get()
    assert (user.username, user.role, user.check_password(PASSWORD)) == ("admin", "owner", True)
    wanted.PLUMBLINE_ADMIN_USERNAME, wanted.PLUMBLINE_ADMIN_PASSWORD = "second", "quite another sentence"
    assert run("ensure_owner") == "There is an owner already.\n"
    assert User.objects.get().check_password(PASSWORD)
    entry = AuditEntry.objects.get()
    assert (entry.actor_name, entry.via, entry.object_name) == ("command line", "command", "admin")


def test_nothing_asked_for_makes_nobody(db: None, settings: Settings) -> None:
    settings.PLUMBLINE_ADMIN_USERNAME = settings.PLUMBLINE_ADMIN_PASSWORD = ""
    assert run("ensure_owner").startswith("No first owner was asked for")
    assert not User.objects.exists()


def test_the_local_owner_and_a_deactivated_one_do_not_count(wanted: Settings, outsider: User) -> None:
    wanted.PLUMBLINE_MODE = "local"
    local_owner_ensure()
    wanted.PLUMBLINE_MODE = "server"
    assert run("ensure_owner") == "Made the first owner, admin.\n"


@pytest.mark.parametrize(
    ("username", "password"), [("admin", "short"), ("two words", PASSWORD), ("admin", "Admin1234!")]
)
def test_a_poor_first_owner_fails_with_one_line(wanted: Settings, username: str, password: str) -> None:
    wanted.PLUMBLINE_ADMIN_USERNAME, wanted.PLUMBLINE_ADMIN_PASSWORD = username, password
    with pytest.raises(CommandError) as failure:
        run("ensure_owner")
    assert "\n" not in str(failure.value)
    assert password not in str(failure.value) or password == "short"
    assert not User.objects.exists()


def test_a_name_that_is_taken_fails_with_one_line(wanted: Settings) -> None:
    person("Admin", Role.VIEWER)
    with pytest.raises(CommandError, match="already"):
        run("ensure_owner")


def test_in_local_mode_the_tutorials_password_works_and_nobody_is_needed(wanted: Settings) -> None:
    wanted.PLUMBLINE_MODE = "local"
    wanted.PLUMBLINE_ADMIN_PASSWORD = "Admin1234!"
    assert run("ensure_owner") == "Made the first owner, admin.\n"
    wanted.PLUMBLINE_ADMIN_PASSWORD = ""
    assert run("ensure_owner").startswith("Local mode:")
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("mode", "password", "count"),
    [("server", "Admin1234!", 1), ("local", "Admin1234!", 0), ("server", PASSWORD, 0), ("server", "", 0)],
)
def test_a_server_refuses_to_start_with_the_published_password(
    mode: str, password: str, count: int, settings: Settings
) -> None:
    settings.PLUMBLINE_MODE, settings.PLUMBLINE_ADMIN_PASSWORD = mode, password
    found = published_password(None)
    assert len(found) == count
    assert all(error.id == "accounts.E001" and error.is_serious() for error in found)


def test_another_owner_from_the_command_line(wanted: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("create_owner", "olga") == "Made the owner olga.\n"
    monkeypatch.setattr("sys.stdin", io.StringIO("quite another sentence\n"))
    run("create_owner", "odette", "--password-stdin")
    assert User.objects.get(username="odette").check_password("quite another sentence")
    with pytest.raises(CommandError, match="already"):
        run("create_owner", "OLGA")
    wanted.PLUMBLINE_ADMIN_PASSWORD = ""
    with pytest.raises(CommandError, match="--password-stdin"):
        run("create_owner", "third")


def test_what_is_dead_for_a_day_is_thrown_away(editor: User) -> None:
    now = timezone.now()

    def token(name: str, expires: timedelta, revoked: timedelta | None = None) -> None:
        revoked_at = now + revoked if revoked else None
        AccessToken.objects.create(user=editor, digest=name, expires_at=now + expires, revoked_at=revoked_at)

    day = timedelta(days=1)
    token("alive", day)
    token("just expired", -day / 2)
    token("long expired", -2 * day)
    token("just revoked", day, -day / 2)
    token("long revoked", day, -2 * day)
    old = AccessAttempt.objects.create(username="a", ip_address="192.0.2.1", failures_since_start=1)
    AccessAttempt.objects.filter(pk=old.pk).update(attempt_time=now - 2 * day)
    AccessAttempt.objects.create(username="b", ip_address="192.0.2.1", failures_since_start=1)
    assert housekeeping() == {"access_tokens": 2, "sign_in_attempts": 1}
    assert set(AccessToken.objects.values_list("digest", flat=True)) == {"alive", "just expired", "just revoked"}
    assert housekeeping() == {"access_tokens": 0, "sign_in_attempts": 0}


def test_a_busy_database_does_not_refuse_a_key(editor: User, api_key_for: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    from accounts.models import ApiKey

    api_key_for(editor)

    def busy(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr("django.db.models.query.QuerySet.update", busy)
    key_touch(key=ApiKey.objects.get())


def test_the_frame_of_a_page_asks_the_database_nothing(rf: Any, settings: Settings) -> None:
    request = rf.get("/")
    assert chrome(request)["actor"] is None
    settings.PLUMBLINE_MODE = "local"
    shown = chrome(request)
    assert (shown["local_mode"], shown["may_edit"]) == (True, False)
