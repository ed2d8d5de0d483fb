"""The local mode: everything for this machine's own programs and pages, nothing for anybody else."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.actors import Role
from accounts.models import LOCAL_OWNER_USERNAME, AuditEntry, User
from accounts.services import local_owner_ensure
from tests.people import PASSWORD, ApiKeyFor, bearer, person

pytestmark = pytest.mark.usefixtures("local_mode")
FOREIGN = "https://evil.test"


def local(**defaults: Any) -> Client:
    return Client(**{"HTTP_HOST": "localhost:3001", "REMOTE_ADDR": "127.0.0.1", **defaults})


def test_a_request_without_credentials_acts_as_the_local_owner() -> None:
    answer = local().get("/api/needs/owner")
    assert answer.json() == {"name": "Local owner", "role": "owner", "via": "local"}
    assert local().get("/").status_code == 200
    owner = User.objects.get(username=LOCAL_OWNER_USERNAME)
    assert not owner.has_usable_password()
    assert AuditEntry.objects.filter(action="user.created", object_id=owner.public_id).count() == 1


def test_there_is_one_local_owner() -> None:
    assert local_owner_ensure() == local_owner_ensure()
    assert User.objects.count() == 1


def test_a_write_needs_no_token_from_a_program_on_this_machine() -> None:
    client = local(enforce_csrf_checks=True)
    assert client.post("/api/needs/owner").status_code == 200
    made = client.post("/api/v1/api-keys", {"name": "ci"}, content_type="application/json")
    assert made.status_code == 201


def test_a_page_still_needs_its_form_token() -> None:
    assert local(enforce_csrf_checks=True).post("/account/name", {"name": "x"}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "localhost:3001", "127.0.0.1:3001", "[::1]:3001", "LOCALHOST:3001"])
def test_the_names_of_this_machine_are_answered(host: str) -> None:
    assert local(HTTP_HOST=host).get("/api/needs/owner").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.test:3001",
        "localhost.evil.test",
        "127.0.0.1.nip.io",
        "192.168.1.4",
        "0.0.0.0:3001",
        "",
        "a b",
        "localhost@evil.test",
    ],
)
@pytest.mark.parametrize("path", ["/", "/api/needs/owner"])
def test_a_foreign_host_is_refused(host: str, path: str, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    response = local(HTTP_HOST=host).get(path)
    assert response.status_code == 400
    assert not User.objects.exists()


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"])
def test_a_loopback_peer_is_answered(peer: str) -> None:
    assert local(REMOTE_ADDR=peer).get("/api/needs/owner").status_code == 200


@pytest.mark.parametrize(
    "peer", ["192.168.1.4", "10.0.0.1", "8.8.8.8", "::2", "fe80::1%eth0", "::ffff:8.8.8.8", "", "unix:"]
)
@pytest.mark.parametrize("path", ["/", "/api/needs/owner"])
def test_another_machine_is_refused(peer: str, path: str) -> None:
    response = local(REMOTE_ADDR=peer).get(path)
    assert response.status_code == 403
    if path.startswith("/api/"):
        assert "the machine it runs on" in response.json()["error"]["message"]
    else:
        assert "the machine it runs on" in response.content.decode()


@pytest.mark.parametrize(
    "header",
    [
        "HTTP_FORWARDED",
        "HTTP_X_FORWARDED_FOR",
        "HTTP_X_FORWARDED_HOST",
        "HTTP_X_FORWARDED_PROTO",
        "HTTP_VIA",
        "HTTP_X_REAL_IP",
    ],
)
def test_whatever_came_through_a_proxy_is_refused(header: str) -> None:
    assert local(**{header: "127.0.0.1"}).get("/api/needs/owner").status_code == 403
    assert local(**{header: ""}).get("/").status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        FOREIGN,
        "null",
        "",
        "http://localhost:8000",
        "https://localhost:3001",
        "http://127.0.0.1:3001",
        "http://localhost:3001.evil.test",
    ],
)
@pytest.mark.parametrize("method", ["get", "post", "put", "delete", "options"])
def test_what_another_sites_page_sends_is_refused(origin: str, method: str) -> None:
    client = local(HTTP_ORIGIN=origin)
    response = getattr(client, method)("/api/needs/owner")
    assert response.status_code == 403
    assert "another site" in response.json()["error"]["message"]
    assert not User.objects.exists()


def test_our_own_page_may_send() -> None:
    headers = {
        "HTTP_ORIGIN": "http://localhost:3001",
        "HTTP_SEC_FETCH_SITE": "same-origin",
        "HTTP_SEC_FETCH_MODE": "cors",
    }
    assert local(**headers).post("/api/needs/owner").status_code == 200
    assert local(HTTP_SEC_FETCH_SITE="none").get("/").status_code == 200


LINK = {"HTTP_SEC_FETCH_MODE": "navigate", "HTTP_SEC_FETCH_DEST": "document"}


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site"])
@pytest.mark.parametrize(
    ("path", "method", "fetch", "status"),
    [
        ("/", "get", LINK, 200),
        ("/", "head", LINK, 200),
        ("/", "post", LINK, 403),
        ("/api/needs/owner", "get", LINK, 403),
        ("/", "get", {**LINK, "HTTP_SEC_FETCH_DEST": "iframe"}, 403),
        ("/", "get", {**LINK, "HTTP_SEC_FETCH_DEST": "embed"}, 403),
        ("/", "get", {"HTTP_SEC_FETCH_MODE": "no-cors", "HTTP_SEC_FETCH_DEST": "image"}, 403),
        ("/", "get", {"HTTP_SEC_FETCH_MODE": "cors", "HTTP_SEC_FETCH_DEST": "document"}, 403),
        ("/", "get", {}, 403),
    ],
)
def test_another_site_may_cause_a_followed_link_to_a_page_and_no_more(
    site: str, path: str, method: str, fetch: dict[str, str], status: int
) -> None:
    client = local(HTTP_SEC_FETCH_SITE=site, **fetch)
    assert getattr(client, method)(path).status_code == status


def test_the_admin_site_is_open_to_the_owner() -> None:
    assert local().get("/admin/").status_code == 200


def test_a_wrong_bearer_does_not_become_the_owner() -> None:
    assert local().get("/api/needs/viewer", headers=bearer("sk_wrong")).status_code == 401
    assert local().get("/account", headers=bearer("sk_wrong")).status_code == 401


def test_the_login_of_the_api_works_beside_it() -> None:
    person("admin", Role.EDITOR)
    answer = local().post(
        "/api/v1/users/login", {"username": "admin", "password": PASSWORD}, content_type="application/json"
    )
    token = answer.json()["token"]
    assert local().get("/api/needs/viewer", headers=bearer(token)).json() == {
        "name": "admin",
        "role": "editor",
        "via": "token",
    }


def test_somebody_who_signs_in_is_themselves() -> None:
    person("admin", Role.VIEWER)
    client = local()
    assert client.post("/sign-in", {"username": "admin", "password": PASSWORD}).status_code == 302
    assert client.get("/api/needs/viewer").json()["name"] == "admin"
    assert client.get("/api/needs/owner").status_code == 403


def test_the_pages_say_so_and_work() -> None:
    client = local()
    for path in ("/account", "/people", "/audit", "/sign-in"):
        page = client.get(path)
        assert page.status_code == 200, path
        assert "everyone on this machine acts as the owner" in page.content.decode(), path
    assert client.post("/account/name", {"name": "Me"}).status_code == 302
    assert client.get("/api/needs/owner").json()["name"] == "Me"
    assert client.post("/sign-out").status_code == 302
    assert client.get("/account").status_code == 200


def test_the_local_owner_cannot_be_given_a_password_demoted_or_deactivated() -> None:
    client = local()
    owner = local_owner_ensure()
    assert client.post("/account/password", {"current": "x", "new": PASSWORD}).status_code == 422
    for action, body in (("", {"password": PASSWORD}), ("/role", {"role": "viewer"}), ("/deactivate", {})):
        assert client.post(f"/people/{owner.public_id}{action}", body).status_code in {403, 422}, action
    owner.refresh_from_db()
    assert (owner.role, owner.is_active, owner.has_usable_password()) == ("owner", True, False)


def test_a_key_of_the_local_owner_works_in_local_mode_only(settings: Settings, api_key_for: ApiKeyFor) -> None:
    secret = api_key_for(local_owner_ensure())
    assert local().get("/api/needs/owner", headers=bearer(secret)).status_code == 200
    settings.PLUMBLINE_MODE = "server"
    refused = local().get("/api/needs/owner", headers=bearer(secret))
    assert refused.status_code == 401
    assert "local mode" in refused.json()["error"]["message"]


def test_in_server_mode_nobody_is_the_owner_for_nothing(settings: Settings) -> None:
    settings.PLUMBLINE_MODE = "server"
    assert local().get("/api/needs/viewer").status_code == 401
    assert local(REMOTE_ADDR="8.8.8.8", HTTP_X_FORWARDED_FOR="127.0.0.1").get("/open").json()["name"] is None
