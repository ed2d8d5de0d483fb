"""Whole commands against a made-up server: what is printed where, and with which exit status."""

import json

import pytest

from commandline.failures import Failure
from tests.commandline.fakes import Desk, FakeAnswer, answering, refusing


def test_an_answer_is_json_on_standard_output() -> None:
    screen = Desk().run("get-eval", "eval_1", answers=[answering(b'{"rate":1.50,"name":"\xc3\xa9"}')])
    assert (screen.status, screen.text, screen.stderr) == (0, '{\n  "rate": 1.50,\n  "name": "é"\n}\n', "")


def test_an_answer_without_a_body_prints_nothing() -> None:
    screen = Desk().run("delete-eval", "eval_1", answers=[FakeAnswer(204, b"", {})])
    assert (screen.status, screen.stdout, screen.stderr) == (0, b"", "")
    assert screen.wanted[0].method == "DELETE"
    assert screen.wanted[0].body is None


def test_a_refusal_is_the_servers_own_json_on_standard_error() -> None:
    screen = Desk().run("get-eval", "eval_1", answers=[refusing(404, "RESOURCE_NOT_FOUND")])
    assert (screen.status, screen.stdout) == (1, b"")
    assert screen.error == {"code": "RESOURCE_NOT_FOUND", "message": "No.", "hint": "", "meta": {}}


@pytest.mark.parametrize("body", [b"<h1>Bad gateway</h1>", b'{"detail": "no"}', b"[]", b"null", b"", b"[" * 100_000])
def test_a_refusal_in_another_shape_is_put_into_ours(body: bytes) -> None:
    screen = Desk().run("get-eval", "eval_1", answers=[FakeAnswer(502, body, {"Content-Type": "text/html"})])
    assert (screen.status, screen.stdout, screen.error["code"]) == (1, b"", "HTTP_502")
    assert len(screen.stderr) < 1000


def test_a_redirect_is_an_error_that_says_where_to() -> None:
    away = FakeAnswer(301, b"", {"Location": "https://elsewhere.example/"})
    screen = Desk({"PLUMBLINE_TOKEN": "at_1"}).run("list-evals", answers=[away])
    assert (screen.status, screen.error["code"], len(screen.wanted)) == (1, "REDIRECTED", 1)
    assert "https://elsewhere.example/" in screen.error["message"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/csv"},
        {"Content-Type": "application/json", "Content-Disposition": 'attachment; filename="x.json"'},
    ],
)
def test_a_file_goes_to_standard_output_untouched(headers: dict[str, str]) -> None:
    body = b'[{"a":1}]\r\n\xff' * 50_000
    screen = Desk().run("export-eval-run", "eval_1", "evrun_1", answers=[FakeAnswer(200, body, headers)])
    assert (screen.status, screen.stdout) == (0, body)


def test_a_refused_file_is_an_error_too() -> None:
    screen = Desk().run("export-eval-run", "eval_1", "evrun_1", answers=[refusing(403, "FORBIDDEN")])
    assert (screen.status, screen.stdout, screen.error["code"]) == (1, b"", "FORBIDDEN")


@pytest.mark.parametrize(
    ("variables", "url", "token"),
    [
        ({}, "http://localhost:3001", None),
        ({"SOAT_BASE_URL": "http://a:1", "SOAT_TOKEN": "t"}, "http://a:1", "t"),
        (
            {"PLUMBLINE_BASE_URL": "https://b/x/", "SOAT_BASE_URL": "http://a", "PLUMBLINE_TOKEN": "u"},
            "https://b/x",
            "u",
        ),
    ],
)
def test_the_environment_says_where_the_server_is_and_who_asks(
    variables: dict[str, str], url: str, token: str | None
) -> None:
    [wanted] = Desk(variables).run("list-projects").wanted
    assert wanted.url == f"{url}/api/v1/projects"
    assert wanted.headers.get("Authorization") == (f"Bearer {token}" if token else None)


def test_the_server_may_be_named_before_or_after_the_operation() -> None:
    for words in (("--server", "http://c", "list-projects"), ("list-projects", "--server=http://c")):
        assert Desk({"PLUMBLINE_BASE_URL": "http://b"}).run(*words).wanted[0].url == "http://c/api/v1/projects"


@pytest.mark.parametrize(
    "variables",
    [
        {"PLUMBLINE_BASE_URL": "localhost:3001"},
        {"PLUMBLINE_BASE_URL": "file:///etc/passwd"},
        {"PLUMBLINE_BASE_URL": "http://user:secret@host"},
        {"PLUMBLINE_BASE_URL": "http://host:99999"},
        {"PLUMBLINE_TOKEN": "secret\nX: y"},
        {"PLUMBLINE_TOKEN": "secreté"},
    ],
)
def test_a_wrong_environment_is_said_without_its_secrets(variables: dict[str, str]) -> None:
    screen = Desk(variables).run("list-projects")
    assert (screen.status, screen.wanted, screen.error["code"]) == (2, [], "USAGE")
    assert "secret" not in screen.stderr


def test_an_unreachable_server_is_one_error() -> None:
    screen = Desk().run("list-projects", answers=[Failure("UNREACHABLE", "It is away.")])
    assert (screen.status, screen.error) == (1, {"code": "UNREACHABLE", "message": "It is away."})


def test_pick_prints_one_member_alone() -> None:
    screen = Desk().run("create-project", "--name", "x", "--pick", "id", answers=[answering({"id": "proj_1"}, 201)])
    assert screen.text == "proj_1\n"
    assert screen.body == {"name": "x"}


def test_help_lists_every_operation() -> None:
    screen = Desk().run("help")
    assert screen.text == Desk().run().text == Desk().run("--help").text
    for name in ("login-user", "start-eval-run", "gate", "wait-eval-run"):
        assert f"\n  {name} " in screen.text
    assert (screen.status, screen.wanted) == (0, [])


def test_help_explains_one_operation() -> None:
    text = Desk().run("help", "create-eval").text
    assert text == Desk().run("create-eval", "--help").text
    assert "--dataset-id  (string; required)" in text
    assert "--min-coverage  (number; 0.9 when left out)" in text
    assert "\n    --pass-threshold '0.75'" in text
    assert "one of csv, json, jsonl" in Desk().run("help", "export-eval-run").text
    assert "[EVAL_ID] [EVAL_RUN_ID]" in Desk().run("help", "get-eval-run").text
    assert Desk().run("help", "creat-eval").error["hint"] == "Did you mean create-eval?"


def test_the_operations_may_come_from_the_server() -> None:
    schema = {
        "paths": {
            "/api/v1/new/{new_id}": {
                "post": {
                    "operationId": "make-new",
                    "parameters": [{"name": "new_id", "in": "path", "required": True, "schema": {"type": "string"}}],
                    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}}},
                }
            }
        },
        "components": {"schemas": {"New": {"properties": {"size": {"type": "integer"}}}}},
    }
    words = ("--server-schema", "--server", "http://s", "make-new", "n1", "--size", "3")
    screen = Desk().run(*words, answers=[answering(schema), answering({"made": True})])
    assert [wanted.url for wanted in screen.wanted] == ["http://s/api/schema?format=json", "http://s/api/v1/new/n1"]
    assert json.loads(screen.wanted[1].body) == {"size": 3}
    assert Desk().run("make-new", "n1").status == 2


@pytest.mark.parametrize(
    "schema", [{"paths": 3}, [], {"paths": {"/x": {"get": {"operationId": "x", "parameters": [{}]}}}}, {}]
)
def test_a_schema_that_is_none_is_said(schema: object) -> None:
    screen = Desk().run("--server-schema", "list-evals", answers=[answering(schema)])
    assert (screen.status, screen.error["code"]) == (1, "NO_SCHEMA")
