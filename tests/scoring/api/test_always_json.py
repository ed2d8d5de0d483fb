"""Under the API everything is JSON: what is not there, what is not taken, and our own faults."""

import re
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry
from scoring.models import Evaluation, Profile, ProfileVersion
from tests.scoring.cases import BATCH, EVALUATE, HISTORY, LINT, PREVIEW, PROFILES, error_of, evaluated, made, send

pytestmark = pytest.mark.django_db


def rows() -> tuple[int, ...]:
    return tuple(table.objects.count() for table in (Profile, ProfileVersion, Evaluation, AuditEntry))


@pytest.mark.parametrize(
    "path",
    [
        "/api/",
        "/api/x",
        "/api/scoring",
        "/api/scoring/",
        "/api/scoring/nope",
        f"{PROFILES}/",
        f"{PROFILES}/a/b",
        f"{PROFILES}//versions",
        f"{HISTORY}/a/b",
        "/api/%00",
        "/api/v1/nope",
        "/api/" + "x" * 5000,
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_an_address_that_is_none(api: Client, method: str, path: str) -> None:
    assert error_of(api.generic(method, path), 404)["code"] == "RESOURCE_NOT_FOUND"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", PROFILES, {"GET", "POST"}),
        ("DELETE", PROFILES, {"GET", "POST"}),
        ("PATCH", f"{PROFILES}/code-quality", {"GET", "PUT", "DELETE"}),
        ("POST", f"{PROFILES}/code-quality", {"GET", "PUT", "DELETE"}),
        ("POST", f"{PROFILES}/code-quality/versions", {"GET"}),
        ("GET", EVALUATE, {"POST"}),
        ("GET", BATCH, {"POST"}),
        ("DELETE", PREVIEW, {"POST"}),
        ("GET", LINT, {"POST"}),
        ("POST", HISTORY, {"GET"}),
        ("DELETE", f"{HISTORY}/x", {"GET"}),
        ("POST", "/api/scoring/scorers", {"GET"}),
        ("TRACE", PROFILES, {"GET", "POST"}),
        ("NONSENSE", PROFILES, {"GET", "POST"}),
    ],
)
def test_a_method_that_an_address_does_not_take(api: Client, method: str, path: str, allowed: set[str]) -> None:
    response = send(api, method, path, "{}")
    assert error_of(response, 405)["code"] == "METHOD_NOT_ALLOWED"
    assert set(re.split(r", ?", response.headers["Allow"])) - {"HEAD", "OPTIONS"} == allowed


@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml", "image/*", "application/json;q=0", "", "*/*", ";;;", "x"]
)
def test_the_answer_is_json_whatever_is_asked_for(api: Client, accept: str) -> None:
    response = api.get(PROFILES, headers={"Accept": accept})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/json"
    error_of(api.get(f"{PROFILES}/nope", headers={"Accept": accept}), 404)


def test_a_fault_of_ours_tells_nothing_but_where_to_look(
    api: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("the secret cause")

    monkeypatch.setattr("scoring.api.profiles.profiles_listed", fail)
    api.raise_request_exception = False
    response = api.get(PROFILES)
    error = error_of(response, 500)
    assert error["code"] == "INTERNAL_ERROR"
    assert b"secret" not in response.content
    assert b"Traceback" not in response.content
    assert error["meta"]["id"] in caplog.text
    assert "the secret cause" in caplog.text


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [(OperationalError("database is locked"), 503, "UNAVAILABLE"), (DatabaseError("the cause"), 500, "INTERNAL_ERROR")],
)
def test_a_database_that_does_not_answer(
    api: Client,
    *,
    monkeypatch: pytest.MonkeyPatch,
    raised: Exception,
    status: int,
    code: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise raised

    monkeypatch.setattr("scoring.api.evaluations.history_page", fail)
    api.raise_request_exception = False
    response = api.get(HISTORY)
    assert error_of(response, status)["code"] == code
    assert ("Retry-After" in response.headers) is (status == 503)
    assert str(raised) not in response.content.decode()


def test_faults_before_any_view_are_json_too(api: Client) -> None:
    assert error_of(Client(HTTP_HOST="evil.test").get(PROFILES), 400)
    many = "&".join(f"a{number}=1" for number in range(100))
    assert error_of(api.get(f"{HISTORY}?{many}"), 400)["code"] == "VALIDATION_FAILED"
    assert error_of(Client().get(PROFILES, headers={"Authorization": "Basic eDp5"}), 401)["code"] == "UNAUTHORIZED"


def test_no_get_writes(api: Client) -> None:
    profile = made(api)
    evaluation = evaluated(api, profile["id"])
    before = rows()
    paths = [
        PROFILES,
        f"{PROFILES}/{profile['id']}",
        f"{PROFILES}/{profile['id']}?version=1",
        f"{PROFILES}/{profile['id']}/versions",
        HISTORY,
        f"{HISTORY}?q=needle&count=true",
        f"{HISTORY}/{evaluation['id']}",
        "/api/scoring/scorers",
        "/api/schema",
        f"{PROFILES}/nope",
    ]
    for path in paths:
        for method in ("GET", "HEAD", "OPTIONS"):
            with CaptureQueriesContext(connection) as captured:
                api.generic(method, path).getvalue()
            writes = [
                query["sql"]
                for query in captured
                if re.match(r"\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP)", query["sql"], re.IGNORECASE)
            ]
            assert writes == [], path
    assert rows() == before
