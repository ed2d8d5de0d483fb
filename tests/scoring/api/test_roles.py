"""Who may what: each address of the API against each kind of caller, from the API's own document."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.actors import Role
from accounts.models import ApiKey, User
from scoring.models import Evaluation, Profile, ProfileVersion
from tests.people import ApiKeyFor, ClientFor, bearer
from tests.scoring.cases import EVALUATE, contains, error_of, post, profile_body, send

pytestmark = pytest.mark.django_db
ROLES = list(Role)
# (method, path) → the least role, and a body that would be taken.
TABLE: dict[tuple[str, str], tuple[Role, Any]] = {
    ("GET", "/api/scoring/profiles"): (Role.VIEWER, None),
    ("POST", "/api/scoring/profiles"): (Role.EDITOR, profile_body()),
    ("GET", "/api/scoring/profiles/{profile_id}"): (Role.VIEWER, None),
    ("PUT", "/api/scoring/profiles/{profile_id}"): (Role.EDITOR, {"name": "Changed"}),
    ("DELETE", "/api/scoring/profiles/{profile_id}"): (Role.OWNER, None),
    ("GET", "/api/scoring/profiles/{profile_id}/versions"): (Role.VIEWER, None),
    ("POST", "/api/scoring/evaluate"): (Role.REVIEWER, {"profileId": "code-quality", "output": "x"}),
    ("POST", "/api/scoring/evaluate/batch"): (Role.REVIEWER, [{"profileId": "code-quality", "output": "x"}]),
    ("POST", "/api/scoring/preview"): (Role.VIEWER, {"profile": profile_body(), "output": "x"}),
    ("POST", "/api/scoring/lint"): (Role.VIEWER, {"profile": profile_body(), "observations": [{"output": "x"}]}),
    ("GET", "/api/scoring/history"): (Role.VIEWER, None),
    ("GET", "/api/scoring/history/{evaluation_id}"): (Role.VIEWER, None),
    ("GET", "/api/scoring/scorers"): (Role.VIEWER, None),
}
cells = pytest.mark.parametrize(("method", "path"), TABLE, ids=[f"{method} {path}" for method, path in TABLE])
Call = Callable[..., Any]


@pytest.fixture
def things(db: None) -> dict[str, str]:
    """A profile and an evaluation that nobody in particular made."""
    profile = Profile.objects.create(name="Ours", name_key="ours")
    ProfileVersion.objects.create(profile=profile, number=1, document=profile_body(contains()))
    evaluation = Evaluation.objects.create(
        profile=profile, profile_version=1, profile_name="Ours", composite_method="minimum", status="measured",
        breakdown=[], metadata={}, inputs={}, search_text="",
    )  # fmt: skip
    return {"profile_id": profile.pk, "evaluation_id": evaluation.public_id}


def rows() -> tuple[int, ...]:
    changed = Profile.objects.filter(deleted_at=None).count()
    return (changed, ProfileVersion.objects.count(), Evaluation.objects.count())


def ask(client: Client, method: str, path: str, things: dict[str, str], **headers: str) -> Any:
    body = TABLE[method, path][1]
    response = send(client, method, path.format(**things), b"" if body is None else body, **headers)
    response.getvalue()
    return response


def judge(response: Any, role: Role, method: str, path: str, before: tuple[int, ...]) -> None:
    least, _ = TABLE[method, path]
    if role >= least:
        assert response.status_code in (200, 201, 204), response.getvalue()
        return
    error = error_of(response, 403)
    assert error["code"] == "FORBIDDEN"
    assert error["meta"] == {"neededRole": least.value, "role": role.value}
    assert rows() == before


def test_every_address_of_the_document_has_its_row(api: Client) -> None:
    document = api.get("/api/schema").json()
    verbs = {"get", "put", "post", "delete", "patch"}
    operations = {
        (verb.upper(), path)
        for path, item in document["paths"].items()
        for verb in item
        if verb in verbs and path.startswith("/api/scoring/")
    }
    assert operations == set(TABLE)


@cells
@pytest.mark.parametrize("who", [role.value for role in ROLES])
def test_people(
    who: str, method: str, path: str, *, things: dict[str, str], client_for: ClientFor, request: pytest.FixtureRequest
) -> None:
    user: User = request.getfixturevalue(who)
    client, before = client_for(user), rows()
    judge(ask(client, method, path, things), Role(who), method, path, before)


@cells
@pytest.mark.parametrize("role", ROLES)
def test_keys_of_an_owner(
    role: Role, method: str, path: str, *, things: dict[str, str], owner: User, api_key_for: ApiKeyFor
) -> None:
    secret, before = api_key_for(owner, role), rows()
    judge(ask(Client(), method, path, things, **bearer(secret)), role, method, path, before)


@cells
def test_a_key_is_worth_no_more_than_its_person(
    method: str, path: str, *, things: dict[str, str], owner: User, api_key_for: ApiKeyFor
) -> None:
    secret = api_key_for(owner, Role.OWNER)
    User.objects.filter(pk=owner.pk).update(role=Role.VIEWER)
    before = rows()
    judge(ask(Client(), method, path, things, **bearer(secret)), Role.VIEWER, method, path, before)


@cells
def test_nobody(
    method: str,
    path: str,
    *,
    things: dict[str, str],
    owner: User,
    outsider: User,
    client_for: ClientFor,
    api_key_for: ApiKeyFor,
) -> None:
    revoked, unused = api_key_for(owner), api_key_for(owner)
    before = rows()
    assert ask(Client(), method, path, things, **bearer(revoked)).status_code in (200, 201, 204)
    _restore(things)
    ApiKey.objects.all().delete()
    before = rows()
    signed_in = client_for(owner)
    for response in (
        ask(Client(), method, path, things),
        ask(client_for(outsider), method, path, things),
        ask(Client(), method, path, things, **bearer(revoked)),
        ask(Client(), method, path, things, **bearer(unused + "x")),
        ask(Client(), method, path, things, Authorization="Basic b2xnYTp4"),
        ask(signed_in, method, path, things, **bearer("sk_unknown")),
    ):
        assert error_of(response, 401)["code"] == "UNAUTHORIZED"
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
    assert rows() == before


def _restore(things: dict[str, str]) -> None:
    Profile.objects.filter(pk=things["profile_id"]).update(deleted_at=None)


@pytest.mark.parametrize("body", ["{", "[]", "", "x" * 1_000_001])
@pytest.mark.parametrize(("method", "path"), [key for key, (least, _) in TABLE.items() if least > Role.VIEWER])
def test_who_may_not_is_told_so_before_the_body_is_read(
    method: str, path: str, body: str, *, things: dict[str, str], viewer: User, client_for: ClientFor
) -> None:
    assert error_of(send(client_for(viewer), method, path.format(**things), body), 403)["code"] == "FORBIDDEN"


def test_a_browsers_session_needs_its_token(owner: User, client_for: ClientFor) -> None:
    client = client_for(owner, enforce_csrf_checks=True)
    body = {"profileId": "code-quality", "output": "x"}
    assert error_of(post(client, EVALUATE, body), 403)["code"] == "FORBIDDEN"
    assert not Evaluation.objects.exists()
