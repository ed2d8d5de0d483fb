"""Who may what, asked by pages and API alike: one set-up for those who are allowed and those who are not."""

import pytest
from django.test import Client

from accounts.actors import Actor, Role
from accounts.models import AccessToken, User
from accounts.permissions import require
from accounts.services import token_revoke, user_deactivate, user_role_change
from foundation.errors import Forbidden, Unauthorized
from tests.people import PASSWORD, ApiKeyFor, ClientFor, actor_for, bearer

ROLES = list(Role)
PEOPLE = ["viewer", "reviewer", "editor", "owner"]


def log_in(user: User) -> str:
    answer = Client().post(
        "/api/v1/users/login", {"username": user.username, "password": PASSWORD}, content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    token: str = answer.json()["token"]
    return token


def test_roles_are_ordered_by_power_and_not_by_alphabet() -> None:
    assert sorted([Role.OWNER, Role.VIEWER, Role.EDITOR, Role.REVIEWER]) == ROLES
    assert max("owner", Role.VIEWER, key=Role) == "owner"
    assert Role.EDITOR > "reviewer"
    assert Role.REVIEWER >= "reviewer"
    assert not Role.REVIEWER < Role.EDITOR < Role.REVIEWER
    assert Role.up_to(Role.REVIEWER) == [Role.VIEWER, Role.REVIEWER]


@pytest.mark.parametrize("needed", ROLES)
@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("how", ["page", "session", "key", "token"])
def test_matrix_of_roles(
    how: str, who: str, needed: Role, *, client_for: ClientFor, api_key_for: ApiKeyFor, request: pytest.FixtureRequest
) -> None:
    user: User = request.getfixturevalue(who)
    if how == "page":
        response = client_for(user).get(f"/needs/{needed}")
    elif how == "session":
        response = client_for(user).get(f"/api/needs/{needed}")
    else:
        secret = api_key_for(user) if how == "key" else log_in(user)
        response = Client().get(f"/api/needs/{needed}", headers=bearer(secret))
    allowed = Role(who) >= needed
    assert response.status_code == (200 if allowed else 403)
    if how != "page":
        body = response.json()
        if allowed:
            assert body == {"name": user.username, "role": who, "via": how}
        else:
            assert body["error"]["code"] == "FORBIDDEN"
            assert f"role {needed}" in body["error"]["message"]
            assert f"role {who}" in body["error"]["message"]


@pytest.mark.parametrize("needed", ROLES)
def test_nobody_gets_401_from_the_api_and_the_sign_in_page_from_a_page(needed: Role, db: None) -> None:
    refused = Client().get(f"/api/needs/{needed}")
    assert refused.status_code == 401
    assert refused.json()["error"]["code"] == "UNAUTHORIZED"
    assert refused["WWW-Authenticate"].startswith("Bearer")
    assert Client().get(f"/needs/{needed}").status_code == 302


def test_a_deactivated_person_gets_in_nowhere(outsider: User, owner: User, client_for: ClientFor) -> None:
    assert client_for(outsider).get("/api/needs/viewer").status_code == 401
    assert client_for(outsider).get("/needs/viewer").status_code == 302
    wrong = Client().post(
        "/api/v1/users/login", {"username": "oscar", "password": PASSWORD}, content_type="application/json"
    )
    assert wrong.status_code == 401


def test_deactivation_stops_session_key_and_token_at_once(
    owner: User, editor: User, client_for: ClientFor, api_key_for: ApiKeyFor
) -> None:
    browser, key, token = client_for(editor), api_key_for(editor), log_in(editor)
    tries = [
        lambda: browser.get("/api/needs/editor"),
        lambda: Client().get("/api/needs/editor", headers=bearer(key)),
        lambda: Client().get("/api/needs/editor", headers=bearer(token)),
    ]
    assert [attempt().status_code for attempt in tries] == [200, 200, 200]
    user_deactivate(actor=actor_for(owner), user=editor)
    assert [attempt().status_code for attempt in tries] == [401, 401, 401]


def test_demotion_lowers_sessions_and_keys_for_good(
    owner: User, editor: User, client_for: ClientFor, api_key_for: ApiKeyFor
) -> None:
    browser, key, low = client_for(editor), api_key_for(editor), api_key_for(editor, Role.VIEWER)
    user_role_change(actor=actor_for(owner), user=editor, role=Role.REVIEWER)
    assert browser.get("/api/needs/editor").status_code == 403
    assert Client().get("/api/needs/editor", headers=bearer(key)).status_code == 403
    assert Client().get("/api/needs/reviewer", headers=bearer(key)).json()["role"] == "reviewer"
    assert Client().get("/api/needs/reviewer", headers=bearer(low)).status_code == 403
    user_role_change(actor=actor_for(owner), user=editor, role=Role.EDITOR)
    assert Client().get("/api/needs/editor", headers=bearer(key)).status_code == 403


def test_a_key_is_never_above_its_person_even_if_the_row_says_so(editor: User, api_key_for: ApiKeyFor) -> None:
    key = api_key_for(editor)
    User.objects.filter(pk=editor.pk).update(role=Role.VIEWER)
    assert Client().get("/api/needs/viewer", headers=bearer(key)).json()["role"] == "viewer"
    assert Client().get("/api/needs/editor", headers=bearer(key)).status_code == 403


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic b2xnYTpwYXNz",
        "Bearer sk_unknown",
        "Bearer at_unknown",
        "Bearer nonsense",
        "Token x",
        "bearer \u00ff",
    ],
)
def test_a_wrong_authorization_header_never_falls_through_to_the_session(
    header: str, owner: User, client_for: ClientFor
) -> None:
    browser = client_for(owner)
    assert browser.get("/api/needs/owner").status_code == 200
    for address in ("/api/needs/owner", "/needs/owner", "/api/plain", "/account"):
        response = browser.get(address, headers={"Authorization": header})
        assert response.status_code == 401, address
    assert browser.get("/open", headers={"Authorization": header}).json()["name"] is None


def test_the_request_has_one_person(owner: User, viewer: User, client_for: ClientFor, api_key_for: ApiKeyFor) -> None:
    """A key that comes with somebody else's session must not open what looks at `request.user`."""
    browser = client_for(owner)
    assert browser.get("/admin/").status_code == 200
    assert browser.get("/admin/", headers=bearer(api_key_for(viewer))).status_code == 302
    assert browser.get("/admin/login/", headers=bearer("sk_wrong")).status_code == 200


def test_a_revoked_token_does_not_fall_through_either(owner: User, client_for: ClientFor) -> None:
    token = log_in(owner)
    token_revoke(actor=actor_for(owner), secret=token)
    assert client_for(owner).get("/api/needs/viewer", headers=bearer(token)).status_code == 401
    assert AccessToken.objects.get().revoked_at is not None


def test_an_api_page_that_is_no_rest_view_is_closed_too(owner: User, client_for: ClientFor) -> None:
    refused = Client().get("/api/plain")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert client_for(owner).get("/api/plain").status_code == 200


def test_require_names_the_key_when_it_is_the_key() -> None:
    actor = Actor(user_id=1, public_id="user_x", name="x", role=Role.VIEWER, via="key")
    with pytest.raises(Forbidden, match="This API key has the role viewer"):
        require(actor, Role.EDITOR)
    with pytest.raises(Unauthorized):
        require(None, Role.VIEWER)
    assert require(actor, Role.VIEWER) is actor
