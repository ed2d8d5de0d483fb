"""The owners' pages about everybody, and everybody's page about themselves."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.actors import Role
from accounts.models import AuditEntry, User
from accounts.services import user_create, user_deactivate, user_role_change
from foundation.errors import Forbidden, NameConflict, ValidationFailed
from tests.people import PASSWORD, ApiKeyFor, ClientFor, actor_for, bearer, person


def addresses(user: User) -> list[tuple[str, str, dict[str, str]]]:
    base = f"/people/{user.public_id}"
    return [
        ("get", "/people", {}),
        ("post", "/people", {"username": "new", "role": "owner", "password": PASSWORD}),
        ("get", base, {}),
        ("post", base, {"password": "another long password"}),
        ("post", f"{base}/role", {"role": "owner"}),
        ("post", f"{base}/deactivate", {}),
        ("post", f"{base}/activate", {}),
        ("get", "/audit", {}),
    ]


@pytest.mark.parametrize("who", ["viewer", "reviewer", "editor", "owner"])
@pytest.mark.parametrize("index", range(8))
def test_only_owners_manage_people(who: str, index: int, client_for: ClientFor, request: pytest.FixtureRequest) -> None:
    client = client_for(request.getfixturevalue(who))
    subject = person("subject", Role.VIEWER)
    entries = AuditEntry.objects.count()
    method, address, body = addresses(subject)[index]
    response = getattr(client, method)(address, body)
    if who == "owner":
        assert response.status_code in {200, 302}
    else:
        assert response.status_code == 403
        assert "needs the role owner" in response.content.decode()
        assert AuditEntry.objects.count() == entries
        assert User.objects.filter(username="subject", role="viewer", is_active=True).exists()


def test_the_list_costs_the_same_for_many(owner: User, client_for: ClientFor, django_assert_num_queries: Any) -> None:
    client = client_for(owner)
    for number in range(30):
        User.objects.create(username=f"user{number}", role=Role.VIEWER)
    with django_assert_num_queries(3):
        assert "user29" in client.get("/people").content.decode()


def test_somebody_is_added_and_can_sign_in(owner: User, client_for: ClientFor) -> None:
    form = {"username": "nina", "name": "Nina <b>", "role": "reviewer", "password": PASSWORD}
    assert client_for(owner).post("/people", form).status_code == 302
    new = User.objects.get(username="nina")
    assert (new.role, new.name, new.is_staff) == ("reviewer", "Nina <b>", False)
    assert new.public_id.startswith("user_")
    assert Client().post("/sign-in", {"username": "nina", "password": PASSWORD}).status_code == 302
    entry = AuditEntry.objects.get(action="user.created")
    assert (entry.actor_name, entry.object_id, entry.changes) == ("olga", new.public_id, {"role": "reviewer"})
    page = client_for(owner).get("/people").content.decode()
    assert "Nina &lt;b&gt;" in page


@pytest.mark.parametrize(
    "form",
    [
        {"username": "Olga", "role": "viewer", "password": PASSWORD},
        {"username": "two words", "role": "viewer", "password": PASSWORD},
        {"username": "(local owner)", "role": "viewer", "password": PASSWORD},
        {"username": "a\x00b", "role": "viewer", "password": PASSWORD},
        {"username": "x" * 151, "role": "viewer", "password": PASSWORD},
        {"username": "", "role": "viewer", "password": PASSWORD},
        {"username": "nina", "role": "admin", "password": PASSWORD},
        {"username": "nina", "role": "viewer", "password": "short"},
        {"username": "nina", "role": "viewer", "password": "password123"},
        {"username": "nina-the-great", "role": "viewer", "password": "nina-the-great"},
        {"username": "nina", "role": "viewer", "password": "Admin1234!"},
        {"username": "nina", "role": "viewer", "password": ""},
        {"username": "nina", "role": "viewer", "password": PASSWORD, "name": "x" * 129},
    ],
)
def test_a_wrong_form_comes_back_with_its_error_at_the_field(
    form: dict[str, str], owner: User, client_for: ClientFor
) -> None:
    answer = client_for(owner).post("/people", form)
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "field-error" in text
    assert 'type="password"' in text
    assert f'value="{form["password"]}"' not in text or form["password"] in {"", form["username"]}
    assert User.objects.count() == 1


def test_a_role_is_changed(owner: User, editor: User, client_for: ClientFor) -> None:
    client = client_for(owner)
    assert client.post(f"/people/{editor.public_id}/role", {"role": "owner"}).status_code == 302
    editor.refresh_from_db()
    assert (editor.role, editor.is_staff, editor.is_superuser) == ("owner", True, True)
    assert client.post(f"/people/{editor.public_id}/role", {"role": "viewer"}).status_code == 302
    editor.refresh_from_db()
    assert (editor.role, editor.is_staff, editor.is_superuser) == ("viewer", False, False)
    entries = AuditEntry.objects.filter(action="user.role_changed")
    assert [entry.changes["role"] for entry in entries] == [["owner", "viewer"], ["editor", "owner"]]
    client.post(f"/people/{editor.public_id}/role", {"role": "viewer"})
    client.post(f"/people/{editor.public_id}/role", {"role": "nonsense"})
    assert entries.count() == 2


@pytest.mark.parametrize("action", ["role", "deactivate"])
def test_the_last_owner_stays(action: str, owner: User, outsider: User, client_for: ClientFor) -> None:
    answer = client_for(owner).post(f"/people/{owner.public_id}/{action}", {"role": "editor"})
    assert answer.status_code == 403
    assert "last owner" in answer.content.decode()
    owner.refresh_from_db()
    assert (owner.role, owner.is_active) == ("owner", True)


@pytest.mark.parametrize("action", ["role", "deactivate"])
def test_one_of_two_owners_may_go(action: str, owner: User, client_for: ClientFor) -> None:
    second = person("odette", Role.OWNER)
    assert client_for(owner).post(f"/people/{owner.public_id}/{action}", {"role": "editor"}).status_code == 302
    with pytest.raises(Forbidden):
        user_role_change(actor=actor_for(second), user=second, role=Role.VIEWER)


def test_an_owner_who_cannot_sign_in_does_not_count(owner: User) -> None:
    User.objects.create(username="machine", role=Role.OWNER, password="!")
    with pytest.raises(Forbidden):
        user_deactivate(actor=actor_for(owner), user=owner)


def test_deactivated_and_active_again(owner: User, editor: User, client_for: ClientFor, api_key_for: ApiKeyFor) -> None:
    key, client, theirs = api_key_for(editor), client_for(owner), client_for(editor)
    assert theirs.get("/account").status_code == 200
    assert client.post(f"/people/{editor.public_id}/deactivate").status_code == 302
    assert theirs.get("/account").status_code == 302
    assert Client().get("/api/needs/viewer", headers=bearer(key)).status_code == 401
    assert "deactivated" in client.get("/people").content.decode()
    assert client.post(f"/people/{editor.public_id}/activate").status_code == 302
    assert Client().get("/api/needs/viewer", headers=bearer(key)).status_code == 200


@pytest.mark.parametrize("user_id", ["user_", "nobody", "user_" + "a" * 16, "%00", "1"])
def test_hostile_identifiers_are_not_found(user_id: str, owner: User, client_for: ClientFor) -> None:
    client = client_for(owner)
    assert client.get(f"/people/{user_id}").status_code == 404
    assert client.post(f"/people/{user_id}/deactivate").status_code == 404


def test_a_forgotten_password_is_set_by_an_owner(owner: User, editor: User, client_for: ClientFor) -> None:
    theirs = client_for(editor)
    client = client_for(owner)
    assert client.post(f"/people/{editor.public_id}", {"password": "short"}).status_code == 422
    assert theirs.get("/account").status_code == 200
    assert client.post(f"/people/{editor.public_id}", {"password": "quite another sentence"}).status_code == 302
    assert theirs.get("/account").status_code == 302
    assert Client().post("/sign-in", {"username": "edgar", "password": "quite another sentence"}).status_code == 302


def test_ones_own_password(editor: User, client_for: ClientFor) -> None:
    here, elsewhere = client_for(editor), client_for(editor)
    token = (
        Client()
        .post("/api/v1/users/login", {"username": "edgar", "password": PASSWORD}, content_type="application/json")
        .json()["token"]
    )
    for form in (
        {"current": "wrong", "new": "quite another sentence"},
        {"current": PASSWORD, "new": "12345678"},
        {"current": PASSWORD, "new": "edgar"},
        {"current": PASSWORD, "new": ""},
        {},
    ):
        assert here.post("/account/password", form).status_code == 422
    assert elsewhere.get("/account").status_code == 200
    done = here.post("/account/password", {"current": PASSWORD, "new": "quite another sentence"})
    assert done.status_code == 302
    assert here.get("/account").status_code == 200
    assert elsewhere.get("/account").status_code == 302
    assert Client().get("/api/needs/viewer", headers=bearer(token)).status_code == 401
    assert AuditEntry.objects.filter(action="user.password_changed", actor_id=editor.public_id).count() == 1


def test_ones_own_name(viewer: User, client_for: ClientFor) -> None:
    client = client_for(viewer)
    assert client.post("/account/name", {"name": " Victor <i> "}).status_code == 302
    page = client.get("/account").content.decode()
    assert 'value="Victor &lt;i&gt;"' in page
    assert client.post("/account/name", {"name": "x" * 129}).status_code == 422
    assert client.post("/account/name", {"name": ""}).status_code == 302
    viewer.refresh_from_db()
    assert (viewer.name, viewer.get_full_name()) == ("", "victor")


def test_services_refuse_what_the_pages_would_never_send(owner: User, editor: User, settings: Settings) -> None:
    boss = actor_for(owner)
    with pytest.raises(NameConflict):
        user_create(actor=boss, username="EDGAR", password=PASSWORD, role=Role.VIEWER)
    with pytest.raises(ValidationFailed) as refusal:
        user_create(actor=boss, username="bad name", password="\ud800", role=Role.VIEWER, name="\x00")
    assert [field.path for field in refusal.value.fields] == ["username", "name", "password"]
    with pytest.raises(Forbidden):
        user_create(actor=actor_for(editor), username="x", password=PASSWORD, role=Role.VIEWER)
    settings.PLUMBLINE_MODE = "local"
    user_create(actor=boss, username="admin", password="Admin1234!", role=Role.VIEWER)


def test_djangos_own_superusers_are_owners(db: None) -> None:
    assert User.objects.create_superuser("root", password=PASSWORD).role == Role.OWNER
