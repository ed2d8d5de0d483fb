"""What holds for every write about people: a form token, one audit entry, no secret kept; and GET writes nothing."""

import re
from typing import Any

import pytest
from django.core import management
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from accounts.models import ApiKey, AuditEntry, User
from accounts.web.urls import urlpatterns as pages
from tests.people import PASSWORD, ApiKeyFor, ClientFor, bearer

NEW = "quite another sentence"


def writes(editor: User, key: ApiKey) -> list[tuple[str, dict[str, str], str]]:
    """Every address of a page that takes a POST, a body it accepts, and what it leaves in the audit log."""
    base = f"/people/{editor.public_id}"
    return [
        ("/people", {"username": "nina", "role": "viewer", "password": PASSWORD}, "user.created"),
        (base, {"password": NEW}, "user.password_reset"),
        (f"{base}/role", {"role": "reviewer"}, "user.role_changed"),
        (f"{base}/deactivate", {}, "user.deactivated"),
        (f"{base}/activate", {}, "user.activated"),
        ("/account/name", {"name": "Olga O."}, "user.renamed"),
        ("/account/keys", {"name": "k", "role": "viewer", "expires": "never"}, "api_key.created"),
        (f"/account/keys/{key.public_id}/revoke", {}, "api_key.revoked"),
        ("/account/password", {"current": PASSWORD, "new": NEW}, "user.password_changed"),
        ("/sign-out", {}, "sign_out"),
        ("/sign-in", {"username": "olga", "password": NEW}, "sign_in.succeeded"),
    ]


@pytest.fixture
def key(owner: User, api_key_for: ApiKeyFor) -> ApiKey:
    api_key_for(owner)
    return ApiKey.objects.get()


def test_the_list_above_is_complete() -> None:
    names = {pattern.name for pattern in pages}
    tried = {get_resolver().resolve(address).url_name for address, _, _ in writes(User(), ApiKey())}
    assert names - tried == {"account", "audit"}


def test_each_write_leaves_exactly_one_audit_entry(
    owner: User, editor: User, key: ApiKey, client_for: ClientFor
) -> None:
    client = client_for(owner)
    for address, body, action in writes(editor, key):
        before = AuditEntry.objects.count()
        assert client.post(address, body).status_code in {201, 302}, address
        assert AuditEntry.objects.count() == before + 1, address
        entry = AuditEntry.objects.first()
        assert entry is not None
        assert (entry.action, entry.actor_id, entry.address) == (action, owner.public_id, "127.0.0.1"), address


def test_each_write_needs_its_form_token(owner: User, editor: User, key: ApiKey, client_for: ClientFor) -> None:
    client = client_for(owner, enforce_csrf_checks=True)
    before = AuditEntry.objects.count()
    for address, body, _ in writes(editor, key):
        refused = client.post(address, body)
        assert refused.status_code == 403, address
        assert "not sent from this site" in refused.content.decode()
        assert client.get(address).status_code in {200, 302, 405}
    assert AuditEntry.objects.count() == before
    form = client.get("/account").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
    assert token
    assert client.post("/account/name", {"name": "x", "csrfmiddlewaretoken": token[1]}).status_code == 302


def test_a_browser_session_needs_the_token_at_the_api_too(owner: User, key: ApiKey, client_for: ClientFor) -> None:
    client = client_for(owner, enforce_csrf_checks=True)
    body: dict[str, Any] = {"data": {"name": "k"}, "content_type": "application/json"}
    refused = client.post("/api/v1/api-keys", **body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert "CSRF" in refused.json()["error"]["message"]
    assert client.delete(f"/api/v1/api-keys/{key.public_id}").status_code == 403
    assert client.get("/api/v1/api-keys").status_code == 200
    client.get("/account")
    token = client.cookies["plumbline_csrf"].value
    assert client.post("/api/v1/api-keys", **body, headers={"X-CSRFToken": "0" * 32}).status_code == 403
    assert client.post("/api/v1/api-keys", **body, headers={"X-CSRFToken": token}).status_code == 201
    evil = {"X-CSRFToken": token, "Origin": "https://evil.test"}
    assert client.post("/api/v1/api-keys", **body, headers=evil).status_code == 403


def test_a_bearer_needs_no_token(owner: User, api_key_for: ApiKeyFor) -> None:
    client = Client(enforce_csrf_checks=True)
    headers = bearer(api_key_for(owner))
    assert client.delete(f"/api/v1/api-keys/{ApiKey.objects.get().public_id}", headers=headers).status_code == 204
    login = {"username": "olga", "password": PASSWORD}
    assert client.post("/api/v1/users/login", login, content_type="application/json").status_code == 200


def test_reading_writes_nothing(owner: User, editor: User, key: ApiKey, client_for: ClientFor) -> None:
    client = client_for(owner)
    addresses = ["/account", "/people", f"/people/{editor.public_id}", "/audit", "/sign-in"]
    addresses += ["/api/v1/users/me", "/api/v1/api-keys", f"/api/v1/api-keys/{key.public_id}"]
    for visitor in (client, Client()):
        for address in addresses:
            with CaptureQueriesContext(connection) as queries:
                visitor.get(address)
            assert [query["sql"] for query in queries if not query["sql"].startswith("SELECT")] == [], address


def test_nobody_costs_no_query(db: None) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert Client().get("/sign-in").status_code == 200
        assert Client().get("/account").status_code == 302
    assert list(queries) == []


def test_the_database_holds_no_secret(owner: User, editor: User, client_for: ClientFor) -> None:
    """Every table, as text, after everything that handles a secret was done once."""
    client = client_for(owner)
    secrets = [PASSWORD, NEW]
    page = client.post("/account/keys", {"name": "k", "role": "viewer", "expires": "never"}).content.decode()
    secrets += re.findall(r"sk_[A-Za-z0-9]{43}", page)
    made = client.post("/api/v1/api-keys", {"name": "k"}, content_type="application/json").json()
    secrets.append(made["secret"])
    login = {"username": "edgar", "password": PASSWORD}
    secrets.append(Client().post("/api/v1/users/login", login, content_type="application/json").json()["token"])
    typo = "Typed-my-passw0rd-as-name"
    Client().post("/sign-in", {"username": "edgar", "password": typo})
    Client().post("/sign-in", {"username": typo, "password": "x"})
    Client().post("/api/v1/users/login", {"username": "edgar", "password": typo}, content_type="application/json")
    client.post("/account/password", {"current": PASSWORD, "new": NEW})
    client.post(f"/people/{editor.public_id}", {"password": NEW})
    assert len(set(secrets)) == 5
    for table in connection.introspection.table_names():
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - the name is our own
            text = DjangoJSONEncoder(default=str).encode([[str(value) for value in row] for row in cursor.fetchall()])
        for secret in secrets:
            assert secret not in text, table
        # The throttle has to keep the names that were tried, for a day; nothing else may.
        assert typo not in text or table == "axes_accessattempt", table


def test_no_page_shows_a_hash(owner: User, key: ApiKey, client_for: ClientFor) -> None:
    client = client_for(owner)
    for address in (
        "/account",
        "/people",
        f"/people/{owner.public_id}",
        "/audit",
        "/api/v1/api-keys",
        "/api/v1/users/me",
    ):
        text = client.get(address).content.decode()
        assert key.digest not in text
        assert owner.password not in text


def test_migrations_are_complete(db: None) -> None:
    management.call_command("makemigrations", "accounts", check=True, dry_run=True, verbosity=0)
