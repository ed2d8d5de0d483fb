"""The OpenAPI document: valid, whole, the one that is committed, and true."""

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from accounts.actors import COMMAND_LINE, Role
from foundation.errors import problem_classes
from scoring.api import examples
from scoring.management.commands.openapi_snapshot import snapshot
from scoring.services.demo import demo_load
from tests.people import ClientFor
from tests.scoring.cases import EVALUATE, HISTORY, JSON, PROFILES

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return SchemaGenerator().get_schema(public=True)


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    ]


def test_the_document_is_openapi_3_1(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    validate_schema(document)


def test_it_is_generated_without_a_warning() -> None:
    GENERATOR_STATS.reset()
    with GENERATOR_STATS.silence():
        SchemaGenerator().get_schema(public=True)
        assert not GENERATOR_STATS, (GENERATOR_STATS._warn_cache, GENERATOR_STATS._error_cache)


def test_the_snapshot_is_current() -> None:
    path = Path(settings.BASE_DIR) / "docs" / "openapi.json"
    same = path.read_text(encoding="utf-8") == snapshot()
    assert same, "The API differs from docs/openapi.json. If that is meant: python manage.py openapi_snapshot"


def test_the_command_writes_the_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(settings, "BASE_DIR", tmp_path)
    call_command("openapi_snapshot", stdout=StringIO())
    assert (tmp_path / "docs" / "openapi.json").read_text(encoding="utf-8") == snapshot()


def test_every_api_address_is_in_it(document: dict[str, Any]) -> None:
    def addresses(patterns: list[Any], prefix: str = "") -> list[str]:
        found: list[str] = []
        for pattern in patterns:
            route = prefix + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                found += addresses(pattern.url_patterns, route)
            elif isinstance(pattern, URLPattern):
                found.append("/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route))
        return found

    served = {
        address for address in addresses(get_resolver().url_patterns) if address.startswith(("/api/scoring", "/api/v1"))
    }
    assert served == set(document["paths"])


def test_every_operation_says_what_a_reader_needs(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    for path, method, operation in operations(document):
        assert operation["summary"].endswith("."), path
        assert {"400", "401", "403", "503"} <= set(operation["responses"]), path
        assert all(answer["description"] for answer in operation["responses"].values() if "content" in answer), path
        assert ("404" in operation["responses"]) or "{" not in path, path
        for parameter in operation.get("parameters", ()):
            assert parameter["description"], (path, parameter["name"])
        if method in {"post", "put"} and "requestBody" in operation:
            assert {"413", "415"} <= set(operation["responses"]), path
            assert operation["requestBody"]["content"]["application/json"]["examples"], path


def test_every_refusal_has_the_one_shape_and_names_every_code(document: dict[str, Any]) -> None:
    for path, _, operation in operations(document):
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                schema = answer["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/Error"}, (path, status)
    error = document["components"]["schemas"]["Error"]["properties"]["error"]
    assert set(error["properties"]["code"]["enum"]) == {kind.code for kind in problem_classes()}


def resolver(document: dict[str, Any], name: str) -> jsonschema.Draft202012Validator:
    root = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    return jsonschema.Draft202012Validator(root)


def body_schema(operation: dict[str, Any]) -> str:
    return operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[-1]


def test_the_examples_of_bodies_fit_their_schemas(document: dict[str, Any]) -> None:
    checked = 0
    for _, _, operation in operations(document):
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        if "$ref" in schema:
            for example in operation["requestBody"]["content"]["application/json"]["examples"].values():
                resolver(document, body_schema(operation)).validate(json.loads(json.dumps(example["value"])))
                checked += 1
    assert checked >= 5


@pytest.mark.django_db
def test_the_examples_are_what_the_server_answers(api: Client, document: dict[str, Any]) -> None:
    """The body of each example is sent; but for identifiers, times and names the answers are those shown."""

    def same(answered: Any, shown: Any, *besides: str) -> None:
        varying = {"id", "profileId", "createdAt", "updatedAt", "createdBy", *besides}
        assert {key: value for key, value in answered.items() if key not in varying} == {
            key: value for key, value in shown.items() if key not in varying
        }
        assert set(answered) == set(shown)

    created = api.post(PROFILES, dict(examples.PROFILE_BODY), content_type=JSON).json()
    same(created, examples.PROFILE)
    evaluated = api.post(EVALUATE, {**examples.EVALUATE, "profileId": created["id"]}, content_type=JSON).json()
    same(evaluated, examples.EVALUATION)
    changed = api.put(f"{PROFILES}/{created['id']}", dict(examples.PROFILE_CHANGE), content_type=JSON).json()
    same(changed, examples.CHANGED_PROFILE)
    same(api.get(f"{PROFILES}/{created['id']}/versions").json()[0], examples.VERSION)
    for name, answer in (("Profile", created), ("Evaluation", evaluated), ("Profile", changed)):
        resolver(document, name).validate(answer)
    for name, answer in (
        ("Profile", examples.PROFILE),
        ("Evaluation", examples.EVALUATION),
        ("ProfileVersion", examples.VERSION),
    ):
        resolver(document, name).validate(json.loads(json.dumps(answer)))


@pytest.mark.django_db
def test_lists_answer_what_the_document_says(api: Client, document: dict[str, Any]) -> None:
    demo_load(actor=COMMAND_LINE)
    for address, name in ((PROFILES, "Profile"), ("/api/scoring/scorers", "ScorerType"), (HISTORY, "Evaluation")):
        items = json.loads(b"".join(api.get(address)))
        assert items
        for item in items:
            resolver(document, name).validate(item)


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
def test_the_role_that_an_operation_names_is_the_least_that_may(
    role: Role, request: pytest.FixtureRequest, client_for: ClientFor, document: dict[str, Any]
) -> None:
    """Every operation that names a role refuses the ones below it, and those alone, with 403."""
    client = client_for(
        request.getfixturevalue(
            {"viewer": "viewer", "reviewer": "reviewer", "editor": "editor", "owner": "owner"}[role]
        )
    )
    for path, method, operation in operations(document):
        needed = (
            Role(operation["description"].removeprefix("Needs the role ").rstrip("."))
            if "role" in operation["description"]
            else None
        )
        # What belongs to a project asks for the role in it: tests/evaluations/api/test_roles.py.
        of_a_project = path.startswith("/api/v1/") and not path.startswith(("/api/v1/users", "/api/v1/api-keys"))
        if needed is None or of_a_project or operation["operationId"] == "logout-user":
            continue
        address = path.format(profile_id="prof_none", evaluation_id="eval_none", key_id="key_none")
        answer = client.generic(method.upper(), address, "[]" if "batch" in path else "{}", content_type=JSON)
        assert (answer.status_code == 403) is (role < needed), (path, method, role, answer.status_code)


@pytest.mark.django_db
@pytest.mark.parametrize("mode", ["local", "server"])
def test_the_document_needs_no_sign_in(mode: str, settings: Any, client: Client) -> None:
    settings.PLUMBLINE_MODE = mode
    answer = client.get("/api/schema", headers={"host": "localhost"})
    assert answer.status_code == 200
    assert answer.json()["info"]["title"] == "Plumbline"
