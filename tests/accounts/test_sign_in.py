"""Signing in and out on the page and by the API, and what happens to those who guess."""

import json
from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.addresses import client_address
from accounts.models import AccessToken, AuditEntry, User
from accounts.services import sessions
from tests.people import PASSWORD, ClientFor, bearer

LOGIN = "/api/v1/users/login"


def page_try(password: str, username: str = "edgar", **headers: Any) -> HttpResponse:
    return Client(**headers).post("/sign-in", {"username": username, "password": password})


def api_try(password: str, username: str = "edgar", **headers: Any) -> HttpResponse:
    body = {"username": username, "password": password}
    return Client(**headers).post(LOGIN, body, content_type="application/json")


def test_signing_in_leads_to_the_page_that_was_wanted(editor: User) -> None:
    client = Client()
    sent = client.get("/needs/editor?tab=2&q=a+b")
    assert sent["Location"] == "/sign-in?next=%2Fneeds%2Feditor%3Ftab%3D2%26q%3Da%2Bb"
    page = client.get(sent["Location"])
    assert 'name="next" value="/needs/editor?tab=2&amp;q=a+b"' in page.content.decode()
    done = client.post("/sign-in", {"username": "edgar", "password": PASSWORD, "next": "/needs/editor?tab=2&q=a+b"})
    assert (done.status_code, done["Location"]) == (302, "/needs/editor?tab=2&q=a+b")
    assert client.get(done["Location"]).status_code == 200
    assert [entry.action for entry in AuditEntry.objects.all()] == ["sign_in.succeeded"]


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.test/",
        "//evil.test/",
        "///evil.test",
        "/\\evil.test",
        "\\\\evil.test",
        "http:///evil.test",
        "javascript:alert(1)",
        "/\t/evil.test",
        "\n//evil.test",
        " //evil.test",
        "evil.test",
        "/%5cevil.test/../..//x\r\nSet-Cookie: a=b",
        "",
    ],
)
def test_a_hostile_next_leads_to_the_first_page(wanted: str, editor: User) -> None:
    done = Client().post("/sign-in", {"username": "edgar", "password": PASSWORD, "next": wanted})
    assert done.status_code == 302
    location = done["Location"]
    assert location == "/" or (location.startswith("/%5cevil.test/") and "\n" not in location)
    shown = Client().get("/sign-in", {"next": wanted}).content.decode()
    assert 'value="//' not in shown
    assert "https://evil.test" not in shown


def test_who_is_signed_in_goes_on(editor: User, client_for: ClientFor) -> None:
    assert client_for(editor).get("/sign-in?next=/account")["Location"] == "/account"


def test_only_a_get_is_come_back_to(db: None) -> None:
    assert Client().post("/account/name", {"name": "x"})["Location"] == "/sign-in"


def test_a_fragment_sends_the_whole_page_to_sign_in(db: None) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/history?q=1"}
    answer = Client().get("/needs/viewer", headers=headers)
    assert (answer.status_code, answer["HX-Redirect"]) == (401, "/sign-in?next=%2Fhistory%3Fq%3D1")


def test_the_session_changes_when_somebody_signs_in_and_ends_when_they_sign_out(editor: User) -> None:
    client = Client()
    client.get("/sign-in")
    client.post("/sign-in", {"username": "edgar", "password": PASSWORD})
    key = client.cookies["plumbline_session"].value
    assert Session.objects.filter(session_key=key).exists()
    assert client.cookies["plumbline_session"]["httponly"]
    assert client.cookies["plumbline_session"]["samesite"] == "Lax"
    assert client.get("/sign-out").status_code == 405
    assert client.post("/sign-out").status_code == 302
    assert not Session.objects.filter(session_key=key).exists()
    client.cookies["plumbline_session"] = key
    assert client.get("/account").status_code == 302
    assert AuditEntry.objects.filter(action="sign_out", actor_id=editor.public_id).count() == 1


def test_a_wrong_password_says_nothing_about_the_name(editor: User, outsider: User) -> None:
    texts = []
    for name in ("edgar", "nobody", "oscar"):
        page, api = page_try("wrong", name), api_try("wrong", name)
        assert (page.status_code, api.status_code) == (401, 401)
        assert 'role="alert"' in page.content.decode()
        texts.append(api.content)
    assert api_try(PASSWORD, "oscar").content == texts[0]
    assert len(set(texts)) == 1


def test_a_login_by_the_api(editor: User) -> None:
    answer = api_try(PASSWORD)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    body = answer.json()
    assert set(body) == {"id", "username", "role", "token", "created_at", "updated_at"}
    assert (body["id"], body["username"], body["role"]) == (editor.public_id, "edgar", "editor")
    assert body["created_at"].endswith("Z")
    assert "plumbline_session" not in answer.cookies
    me = Client().get("/api/v1/users/me", headers=bearer(body["token"])).json()
    assert (me["id"], me["role"], me["via"]) == (editor.public_id, "editor", "token")


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "username"),
        ({"username": "edgar"}, "password"),
        ({"password": "x"}, "username"),
        ({"username": "", "password": "x"}, "username"),
        ({"username": 1, "password": "x"}, "username"),
        ({"username": None, "password": "x"}, "username"),
        ({"username": "a" * 151, "password": "x"}, "username"),
        ({"username": "edgar", "password": "x" * 513}, "password"),
        ({"username": "edgar", "password": ["x"]}, "password"),
        ({"username": "edgar", "password": "x", "remember": True}, "remember"),
        ([], ""),
        ("edgar", ""),
        (None, ""),
    ],
)
def test_a_login_without_what_it_needs_names_the_field(body: Any, path: str, editor: User) -> None:
    answer = Client().generic("POST", LOGIN, json.dumps(body), content_type="application/json")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "VALIDATION_FAILED"
    assert path in [field["path"] for field in error["meta"]["fields"]]


@pytest.mark.parametrize(
    ("raw", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"username": "a\\u0000", "password": "x"}', "application/json", 400),
        (b'{"username": "\\ud800", "password": "x"}', "application/json", 400),
        (b'{"username": "a", "username": "b", "password": "x"}', "application/json", 400),
        (b'{"username": "a", "password": NaN}', "application/json", 400),
        (b"[" * 5000 + b"]" * 5000, "application/json", 400),
        (b"username=edgar", "application/x-www-form-urlencoded", 415),
        (b'{"username": "' + b"a" * 1_000_001 + b'"}', "application/json", 413),
    ],
)
def test_hostile_logins(raw: bytes, content_type: str, status: int, editor: User) -> None:
    answer = Client().generic("POST", LOGIN, raw, content_type=content_type)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "hint", "meta"}


@pytest.mark.parametrize("name", ["a\x00b", "x" * 151, "🦊" * 150, "' OR 1=1 --", "%s%n", "ａdmin"])
def test_hostile_names_on_the_page(name: str, editor: User) -> None:
    assert page_try("wrong", name).status_code in {401, 422}


def test_bytes_that_are_no_text_on_the_page(editor: User) -> None:
    raw = b"username=%ED%A0%80%FF&password=%00%C0"
    assert (
        Client().generic("POST", "/sign-in", raw, content_type="application/x-www-form-urlencoded").status_code == 422
    )


def test_logout_ends_the_token_at_once(editor: User) -> None:
    token, other = api_try(PASSWORD).json()["token"], api_try(PASSWORD).json()["token"]
    assert Client().post("/api/v1/users/logout", headers=bearer(token)).status_code == 204
    assert Client().get("/api/v1/users/me", headers=bearer(token)).status_code == 401
    assert Client().get("/api/v1/users/me", headers=bearer(other)).status_code == 200


def test_logout_of_what_is_no_token(editor: User, client_for: ClientFor, api_key_for: Any) -> None:
    key = api_key_for(editor)
    assert Client().post("/api/v1/users/logout", headers=bearer(key)).status_code == 400
    assert Client().get("/api/v1/users/me", headers=bearer(key)).status_code == 200
    browser = client_for(editor)
    assert browser.post("/api/v1/users/logout").status_code == 204
    assert browser.get("/api/v1/users/me").status_code == 401


def test_a_token_lasts_seven_days(editor: User) -> None:
    token = api_try(PASSWORD).json()["token"]
    row = AccessToken.objects.get()
    assert row.expires_at - row.created_at == timedelta(days=7)
    AccessToken.objects.update(expires_at=timezone.now() + timedelta(seconds=5))
    assert Client().get("/api/v1/users/me", headers=bearer(token)).status_code == 200
    AccessToken.objects.update(expires_at=timezone.now())
    refused = Client().get("/api/v1/users/me", headers=bearer(token))
    assert refused.status_code == 401
    assert "expired" in refused.json()["error"]["message"]


def test_an_old_token_does_not_stand_in_the_way_of_a_new_login(editor: User) -> None:
    body = {"username": "edgar", "password": PASSWORD}
    headers = bearer("at_" + "0" * 43)
    assert Client().post(LOGIN, body, content_type="application/json", headers=headers).status_code == 200


# --- guessing ------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [page_try, api_try])
@pytest.mark.parametrize("then", [page_try, api_try])
def test_after_five_wrong_tries_the_sixth_is_refused_even_if_right(first: Any, then: Any, editor: User) -> None:
    for _ in range(5):
        assert first("wrong").status_code == 401
    for password in ("wrong", PASSWORD):
        refused = then(password)
        assert refused.status_code == 429
        assert 840 <= int(refused["Retry-After"]) <= 900
    if then is api_try:
        assert refused.json()["error"]["code"] == "RATE_LIMITED"
    else:
        assert "Wait 15 minutes" in refused.content.decode()


def test_a_right_password_in_between_starts_the_count_anew(editor: User) -> None:
    for attempt in (page_try, api_try):
        for _ in range(4):
            attempt("wrong")
        assert attempt(PASSWORD).status_code in {200, 302}
        for _ in range(5):
            assert attempt("wrong").status_code == 401
        assert attempt("wrong").status_code == 429
        AccessAttempt.objects.all().delete()


def test_another_name_and_another_address_are_not_held_up(editor: User, viewer: User) -> None:
    for _ in range(6):
        page_try("wrong")
    assert page_try(PASSWORD, "victor").status_code == 302
    assert page_try(PASSWORD, REMOTE_ADDR="192.0.2.7").status_code == 302


@pytest.mark.parametrize(
    "header",
    ["HTTP_X_FORWARDED_FOR", "HTTP_X_REAL_IP", "HTTP_FORWARDED", "HTTP_CLIENT_IP", "HTTP_USER_AGENT", "HTTP_COOKIE"],
)
def test_a_made_up_header_does_not_help(header: str, editor: User) -> None:
    for number in range(5):
        assert api_try("wrong", **{header: f"203.0.113.{number}"}).status_code == 401
    assert api_try(PASSWORD, **{header: "203.0.113.9"}).status_code == 429


def test_behind_our_proxy_the_entry_it_added_counts(editor: User, settings: Settings) -> None:
    settings.PLUMBLINE_BEHIND_PROXY = True
    for number in range(5):
        assert api_try("wrong", HTTP_X_FORWARDED_FOR=f"203.0.113.{number}, 198.51.100.1").status_code == 401
    assert api_try(PASSWORD, HTTP_X_FORWARDED_FOR="203.0.113.9, 198.51.100.1").status_code == 429
    assert api_try(PASSWORD, HTTP_X_FORWARDED_FOR="198.51.100.1, 198.51.100.2").status_code == 200


def test_an_ipv6_network_counts_as_one_address(editor: User) -> None:
    for number in range(5):
        assert api_try("wrong", REMOTE_ADDR=f"2001:db8:1:2::{number}").status_code == 401
    assert api_try(PASSWORD, REMOTE_ADDR="2001:db8:1:2:ffff::9").status_code == 429
    assert api_try(PASSWORD, REMOTE_ADDR="2001:db8:1:3::9").status_code == 200


def test_the_wait_ends_and_refused_tries_do_not_lengthen_it(editor: User) -> None:
    for _ in range(6):
        api_try("wrong")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=14))
    refused = api_try(PASSWORD)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 60
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=15, seconds=1))
    assert api_try(PASSWORD).status_code == 200


def test_a_right_guess_sent_together_with_five_wrong_ones_counts_as_the_sixth(
    editor: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pass the first look before any failed; the right one's answer is found last."""
    real = sessions.authenticate

    def others_first(request: Any, **credentials: Any) -> Any:
        monkeypatch.setattr(sessions, "authenticate", real)
        user = real(request, **credentials)
        for _ in range(5):
            assert api_try("wrong").status_code == 401
        return user

    monkeypatch.setattr(sessions, "authenticate", others_first)
    assert api_try(PASSWORD).status_code == 429
    assert not AccessToken.objects.exists()


def test_a_wrong_guess_sent_together_with_five_others_learns_nothing(
    editor: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = User.check_password

    def others_first(user: User, password: str) -> bool:
        monkeypatch.setattr(User, "check_password", real)
        for _ in range(5):
            assert api_try("wrong").status_code == 401
        return real(user, password)

    monkeypatch.setattr(User, "check_password", others_first)
    assert api_try("wrong too").status_code == 429


def test_many_right_logins_at_once_are_not_held_up(editor: User, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sessions.authenticate
    depth = 0

    def nested(request: Any, **credentials: Any) -> Any:
        nonlocal depth
        depth += 1
        if depth <= 8:
            assert api_try(PASSWORD).status_code == 200
        return real(request, **credentials)

    monkeypatch.setattr(sessions, "authenticate", nested)
    assert api_try(PASSWORD).status_code == 200
    assert AccessToken.objects.count() == 9


def test_the_admin_sites_own_form_is_throttled_too(owner: User, viewer: User, client_for: ClientFor) -> None:
    assert Client().get("/admin/")["Location"].startswith("/sign-in?next=")
    assert client_for(viewer).get("/admin/").status_code == 302
    assert client_for(owner).get("/admin/").status_code == 200
    tries = [
        Client().post("/admin/login/?next=/admin/", {"username": "olga", "password": "wrong"}).status_code
        for _ in range(6)
    ]
    assert tries[:4] == [200] * 4
    assert tries[5] == 429
    assert page_try(PASSWORD, "olga").status_code == 429


def test_failed_sign_ins_are_noted_and_a_password_typed_as_name_is_not(editor: User) -> None:
    page_try("wrong")
    page_try("x", "my-secret-password")
    entries = {(entry.actor_name, entry.object_id) for entry in AuditEntry.objects.filter(action="sign_in.failed")}
    assert entries == {("edgar", editor.public_id), ("somebody", "")}


@pytest.mark.parametrize(
    ("peer", "forwarded", "behind", "address"),
    [
        ("192.0.2.1", "203.0.113.1", False, "192.0.2.1"),
        ("192.0.2.1", "203.0.113.1", True, "203.0.113.1"),
        ("192.0.2.1", "nonsense", True, "192.0.2.1"),
        ("192.0.2.1", "", True, "192.0.2.1"),
        ("192.0.2.1", "203.0.113.1, ", True, "192.0.2.1"),
        ("::ffff:192.0.2.1", "", False, "192.0.2.1"),
        ("fe80::1%eth0", "", False, "fe80::1"),
        ("", "", False, ""),
        ("", "203.0.113.1", True, "203.0.113.1"),
    ],
)
def test_the_clients_address(
    peer: str, forwarded: str, behind: bool, address: str, *, rf: Any, settings: Settings
) -> None:
    settings.PLUMBLINE_BEHIND_PROXY = behind
    assert client_address(rf.get("/", REMOTE_ADDR=peer, HTTP_X_FORWARDED_FOR=forwarded)) == address
