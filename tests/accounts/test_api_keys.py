"""API keys: made on the page and by the API, shown once, used, expired, revoked."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.actors import Role
from accounts.models import ApiKey, AuditEntry, User
from accounts.services import key_create
from foundation.errors import Forbidden
from tests.people import ApiKeyFor, ClientFor, actor_for, bearer

KEYS = "/api/v1/api-keys"


def create(client: Client, body: Any, **options: Any) -> Any:
    return client.post(KEYS, body, content_type="application/json", **options)


def test_a_key_is_made_shown_once_and_works(editor: User, client_for: ClientFor) -> None:
    client = client_for(editor)
    made = create(client, {"name": " nightly ", "role": "reviewer", "expires_at": "2090-01-02"})
    assert made.status_code == 201
    assert made["Cache-Control"] == "no-store"
    body = made.json()
    secret = body.pop("secret")
    assert re.fullmatch(r"sk_[A-Za-z0-9]{43}", secret)
    assert re.fullmatch(r"key_[A-Za-z0-9]{16}", body["id"])
    assert body["prefix"] == secret[:8]
    assert (body["name"], body["role"]) == ("nightly", "reviewer")
    assert body["expires_at"] == "2090-01-02T00:00:00.000Z"
    assert body["last_used_at"] is None
    assert client.get(f"{KEYS}/{body['id']}").json() == body
    assert client.get(KEYS).json() == {"data": [body], "total": 1, "limit": 50, "offset": 0}
    me = Client().get("/api/v1/users/me", headers=bearer(secret)).json()
    assert (me["username"], me["role"], me["via"]) == ("edgar", "reviewer", "key")
    assert client.get(f"{KEYS}/{body['id']}").json()["last_used_at"] is not None


@pytest.mark.parametrize(("who", "role"), [("owner", "editor"), ("editor", "editor"), ("viewer", "viewer")])
def test_a_key_is_an_editor_unless_asked_otherwise(
    who: str, role: str, client_for: ClientFor, request: pytest.FixtureRequest
) -> None:
    assert create(client_for(request.getfixturevalue(who)), {"name": "k"}).json()["role"] == role


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "x" * 129}, "name"),
        ({"name": 5}, "name"),
        ({"name": "k", "role": "admin"}, "role"),
        ({"name": "k", "role": "owner"}, "role"),
        ({"name": "k", "expires_at": "2001-01-01"}, "expires_at"),
        ({"name": "k", "expires_at": "soon"}, "expires_at"),
        ({"name": "k", "expires_at": 4102444800}, "expires_at"),
        ({"name": "k", "expires_at": "9999-12-31T23:59:59-14:00"}, "expires_at"),
        ({"name": "k", "scope": "all"}, "scope"),
        ({"name": "k", "project_id": "proj_1"}, "project_id"),
    ],
)
def test_a_wrong_body_names_the_field(body: Any, path: str, editor: User, client_for: ClientFor) -> None:
    refused = create(client_for(editor), body)
    assert refused.status_code == 400
    error = refused.json()["error"]
    assert error["code"] == "VALIDATION_FAILED"
    assert [field["path"] for field in error["meta"]["fields"]] == [path]
    assert not ApiKey.objects.exists()


def test_hard_names_are_kept(editor: User, client_for: ClientFor) -> None:
    name = "<script>alert(1)</script>'\"&\u202e🦊"
    client = client_for(editor)
    assert create(client, {"name": name}).json()["name"] == name
    page = client.get("/account").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert create(client, {"name": "🦊" * 128}).status_code == 201


def test_an_expired_key_stops(editor: User, api_key_for: ApiKeyFor) -> None:
    secret = api_key_for(editor, expires_at=timezone.now() + timedelta(minutes=1))
    assert Client().get("/api/needs/viewer", headers=bearer(secret)).status_code == 200
    ApiKey.objects.update(expires_at=timezone.now())
    refused = Client().get("/api/needs/viewer", headers=bearer(secret))
    assert refused.status_code == 401
    assert "expired" in refused.json()["error"]["message"]


def test_a_revoked_key_stops_at_once_and_is_gone_from_the_list(
    editor: User, client_for: ClientFor, api_key_for: ApiKeyFor
) -> None:
    secret, client = api_key_for(editor), client_for(editor)
    address = f"{KEYS}/{ApiKey.objects.get().public_id}"
    assert client.delete(address).status_code == 204
    assert Client().get("/api/needs/viewer", headers=bearer(secret)).status_code == 401
    assert client.get(address).status_code == 404
    assert client.delete(address).status_code == 404
    assert client.get(KEYS).json()["total"] == 0
    assert AuditEntry.objects.filter(action="api_key.revoked").count() == 1


@pytest.mark.parametrize("other", ["owner", "viewer"])
def test_a_key_is_nobody_elses(
    other: str, editor: User, client_for: ClientFor, api_key_for: ApiKeyFor, request: pytest.FixtureRequest
) -> None:
    secret = api_key_for(editor)
    key_id = ApiKey.objects.get().public_id
    client = client_for(request.getfixturevalue(other))
    assert client.get(KEYS).json()["data"] == []
    assert client.get(f"{KEYS}/{key_id}").status_code == 404
    assert client.delete(f"{KEYS}/{key_id}").status_code == 404
    assert client.post(f"/account/keys/{key_id}/revoke").status_code == 404
    assert Client().get("/api/needs/editor", headers=bearer(secret)).status_code == 200


@pytest.mark.parametrize(
    "key_id", ["key_", "key_" + "a" * 17, "1", "%00", "key_aaaaaaaaaaaaaaa%00", "..", "%ed%a0%80", "'"]
)
def test_hostile_identifiers_are_not_found(key_id: str, editor: User, client_for: ClientFor) -> None:
    assert client_for(editor).get(f"{KEYS}/{key_id}").status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=101",
        "limit=-1",
        "limit=x",
        "limit=",
        "limit=1e1",
        "offset=-1",
        "offset=" + "9" * 30,
        "limit=٣",
    ],
)
def test_a_bad_page_is_refused(query: str, editor: User, client_for: ClientFor) -> None:
    refused = client_for(editor).get(f"{KEYS}?{query}")
    assert refused.status_code == 400
    assert refused.json()["error"]["meta"]["fields"][0]["path"] == query.split("=", maxsplit=1)[0]


def test_paging_is_newest_first_with_a_fixed_number_of_queries(
    editor: User, client_for: ClientFor, django_assert_num_queries: Any
) -> None:
    for number in range(12):
        key_create(actor=actor_for(editor), name=f"key {number}")
    client = client_for(editor)
    client.get(KEYS)
    with django_assert_num_queries(3):
        page = client.get(f"{KEYS}?limit=5&offset=10").json()
    assert ([key["name"] for key in page["data"]], page["total"]) == (["key 1", "key 0"], 12)


def test_a_key_makes_no_keys(editor: User, api_key_for: ApiKeyFor) -> None:
    secret = api_key_for(editor)
    refused = create(Client(), {"name": "child"}, headers=bearer(secret))
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert ApiKey.objects.count() == 1
    with pytest.raises(Forbidden):
        key_create(actor=actor_for(editor, via="key"), name="child", role=Role.VIEWER)


def test_last_use_is_written_at_most_once_a_minute(editor: User, api_key_for: ApiKeyFor) -> None:
    headers = bearer(api_key_for(editor))

    def writes() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert Client().get("/api/needs/viewer", headers=headers).status_code == 200
        return sum("UPDATE" in query["sql"] for query in queries)

    assert [writes(), writes(), writes()] == [1, 0, 0]
    ApiKey.objects.update(last_used_at=timezone.now() - timedelta(seconds=61))
    assert [writes(), writes()] == [1, 0]


# --- the page ------------------------------------------------------------------------------


def test_the_page_shows_the_secret_once(editor: User, client_for: ClientFor) -> None:
    client = client_for(editor)
    made = client.post("/account/keys", {"name": "laptop", "role": "viewer", "expires": "30"})
    assert made.status_code == 201
    assert "no-store" in made["Cache-Control"]
    (secret,) = set(re.findall(r"sk_[A-Za-z0-9]{43}", made.content.decode()))
    assert Client().get("/api/needs/viewer", headers=bearer(secret)).status_code == 200
    again = client.get("/account").content.decode()
    assert secret not in again
    assert secret[:8] in again
    key = ApiKey.objects.get()
    assert key.expires_at is not None
    assert timedelta(days=29) < key.expires_at - timezone.now() <= timedelta(days=30)
    assert client.post(f"/account/keys/{key.public_id}/revoke").status_code == 302
    assert Client().get("/api/needs/viewer", headers=bearer(secret)).status_code == 401


@pytest.mark.parametrize(
    "form",
    [
        {"name": ""},
        {"name": "x" * 129},
        {"name": "a\x00"},
        {"role": "owner"},
        {"role": "nonsense"},
        {"role": ""},
        {"expires": "9999"},
        {"expires": ""},
    ],
)
def test_a_wrong_form_comes_back_with_its_errors(form: dict[str, str], editor: User, client_for: ClientFor) -> None:
    answer = client_for(editor).post("/account/keys", {"name": "x", "role": "viewer", "expires": "30", **form})
    assert answer.status_code == 422
    assert "field-error" in answer.content.decode()
    assert not ApiKey.objects.exists()
