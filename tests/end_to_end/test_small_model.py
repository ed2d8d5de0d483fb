"""docs/tutorial.md with a real, small model: what must hold whatever it answers. Its answers are often wrong."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.config.running import ROOT, free_port, running, until
from tests.end_to_end.page import Followed, admin, followed

pytestmark = pytest.mark.model
READY_SECONDS = 60
TUTORIAL_SECONDS = 400


@contextmanager
def small_model(log: Path) -> Iterator[int]:
    """The port at which the packaged model answers."""
    port = free_port()
    python = Path(os.environ["PLUMBLINE_TEST_MODEL"]).absolute()
    command = [str(python), "tests/end_to_end/small_model.py", str(port)]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=output, stderr=output) as process,
    ):
        try:
            assert until(lambda: "serving" in log.read_text(errors="replace"), READY_SECONDS), log.read_text()
            yield port
        finally:
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    folder = tmp_path_factory.mktemp("small-model")
    local = {"DJANGO_SETTINGS_MODULE": "config.settings.local", **admin()}
    with small_model(folder / "model.log") as port, running(folder / "data", **local) as up:
        up.wait_until_ready()
        yield followed(up, folder, port, TUTORIAL_SECONDS)


def test_both_runs_complete(tutorial: Followed) -> None:
    for run in tutorial.runs:
        figures = run["aggregate_scores"]
        assert (run["status"], run["completed_count"], run["item_count"]) == ("completed", 4, 4)
        assert figures["scored_item_count"] + figures["errored_item_count"] == 4
        assert run["errored_count"] == figures["errored_item_count"]
    assert [run["agent_version"] for run in tutorial.runs] == [1, 2]
    assert tutorial.runs[1]["aggregate_scores"]["baseline"]["run_id"] == tutorial.ids["BASELINE_RUN_ID"]


def test_what_the_model_said_and_what_it_took_is_kept(tutorial: Followed) -> None:
    ids = ("--eval-id", tutorial.ids["EVAL_ID"], "--eval-run-id", tutorial.ids["BASELINE_RUN_ID"])
    results = tutorial.ask("list-eval-results", *ids)["data"]
    scored = [result for result in results if result["status"] == "scored"]
    # Held to a schema, even this model answers with most objects whole.
    assert len(scored) >= 2
    for result in scored:
        assert result["object"] == json.loads(result["output"])
        assert result["object"]["category"] in {"refund", "question"}
        assert [score["scorer"] for score in result["scores"]] == ["output_schema", "json_logic", "refund-policy"]
        assert result["usage"]["output_tokens"] > 0
    for result in results:
        if result["status"] == "errored":
            assert result["error"]["code"]
            assert result["error"]["message"]


def test_the_agent_answers_by_hand_too(tutorial: Followed) -> None:
    messages = json.dumps([{"role": "user", "content": "Do you ship to Canada?"}])
    said = tutorial.ask("generate-agent", "--agent-id", tutorial.ids["AGENT_ID"], "--messages", messages)
    assert set(said["output"]["object"]) == {"category", "refund_amount"}
    assert said["usage"]["output_tokens"] > 0
