"""The client against the real server: from signing in to the gate, with recorded outputs."""

import io
import json
from typing import Any

import pytest

from accounts.models import User
from commandline.operations import operations_of, packaged_document
from commandline.program import main
from commandline.terminal import Terminal
from tests.people import PASSWORD

INPUT = '[{"role": "user", "content": "Refund?"}]'


class Shell:
    """Runs commands, each of which must succeed unless `status` says otherwise."""

    def __init__(self, url: str) -> None:
        self.environment = {"PLUMBLINE_BASE_URL": url}

    def __call__(self, *words: str, status: int = 0) -> str:
        stdout, stderr = io.BytesIO(), io.StringIO()
        done = main(words, Terminal(self.environment, io.BytesIO(), stdout, stderr))
        assert done == status, stderr.getvalue() + stdout.getvalue().decode()
        return stdout.getvalue().decode() or stderr.getvalue()


@pytest.fixture
def shell(live_server: Any, owner: User) -> Shell:
    shell = Shell(live_server.url)
    words = ("login-user", "--username", owner.username, "--password", PASSWORD, "--pick", "token")
    shell.environment["PLUMBLINE_TOKEN"] = shell(*words).strip()
    return shell


def made(shell: Shell, *words: str) -> str:
    return shell(*words, "--pick", "id").strip()


@pytest.fixture
def eval_id(shell: Shell) -> str:
    """An eval of two items that looks for a yes."""
    project = made(shell, "create-project", "--name", "Refunds")
    dataset = made(shell, "create-dataset", "--project-id", project, "--name", "cases")
    for key, metadata in (("a", {"kind": "refund", "total": 1}), ("b", {"kind": "question"})):
        item = ("--input", INPUT, "--key", key, "--metadata", json.dumps(metadata))
        made(shell, "create-dataset-item", dataset, *item)
    scorers = '[{"type": "contains", "name": "says-yes", "value": "yes"}]'
    about = ("--project-id", project, "--name", "2024", "--dataset-id", dataset, "--scorers", scorers)
    return made(shell, "create-eval", *about, "--pass-threshold", "0.6", "--group-by", "kind")


def run(shell: Shell, eval_id: str, a: str, b: str, *words: str) -> str:
    outputs = json.dumps([{"item_key": "a", "output": a}, {"item_key": "b", "output": b}])
    return made(shell, "start-eval-run", eval_id, "--outputs", outputs, "--wait", *words)


def test_a_run_is_started_read_exported_and_judged(shell: Shell, eval_id: str) -> None:
    assert json.loads(shell("get-eval", "--eval-id", eval_id))["name"] == "2024"
    first = run(shell, eval_id, "yes", "no")
    assert shell("wait-eval-run", eval_id, first, "--pick", "aggregate_scores.pass_rate") == "0.5\n"
    results = json.loads(shell("list-eval-results", eval_id, first, "--passed", "false"))
    assert [(one["item_key"], one["output"]) for one in results["data"]] == [("b", "no")]
    assert shell("export-eval-run", eval_id, first, "--format", "csv").splitlines()[0].startswith("\ufeffid,")
    assert "## Failed: 2024" in shell("gate", "--eval-id", eval_id, "--run-id", first, status=1)

    second = run(shell, eval_id, "yes", "yes", "--baseline-run-id", first)
    text = shell("gate", "--eval-id", eval_id, "--run-id", second)
    assert "## Passed: 2024" in text
    assert "- Flipped: 1 improved, 0 regressed" in text
    assert "| question | 100.0 % |" in text
    undecided = ("gate", "--eval-id", eval_id, "--run-id", first, "--baseline-run-id", second, "--require-verdict")
    assert "says: too few items" in shell(*undecided, status=2)


def test_refusals_are_the_servers(shell: Shell, eval_id: str) -> None:
    refused = json.loads(shell("get-eval", "eval_none", status=1))["error"]
    assert refused["code"] == "RESOURCE_NOT_FOUND"
    wrong = json.loads(shell("update-eval", eval_id, "--pass-threshold", "high", status=1))["error"]
    assert [fault["path"] for fault in wrong["meta"]["fields"]] == ["pass_threshold"]
    shell.environment["PLUMBLINE_TOKEN"] = "at_wrong"
    assert json.loads(shell("list-evals", status=1))["error"]["code"] == "UNAUTHORIZED"


def test_the_operations_can_be_had_from_the_server(shell: Shell, eval_id: str) -> None:
    assert "\n  create-eval " in shell("--server-schema", "help")
    assert json.loads(shell("get-eval", eval_id, "--server-schema"))["id"] == eval_id


def test_every_operation_has_flags_that_can_be_told_apart() -> None:
    operations = operations_of(packaged_document())
    assert len(operations) > 40
    for operation in operations.values():
        flags = [(one.flag, one.place == "body") for one in operation.fields]
        assert len(set(flags)) == len(flags), operation.name
        assert [one.name for one in operation.path_fields] == [
            one.name for one in operation.fields if one.place == "path"
        ]
        assert operation.summary
