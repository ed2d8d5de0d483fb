"""docs/tutorial.md, run as it stands: real server, worker, client and scorer service; the model knows four answers."""

from collections.abc import Iterator

import pytest

from tests.config.running import running
from tests.end_to_end.page import Followed, admin, blocks, followed
from tests.end_to_end.stub_model import model_server

pytestmark = pytest.mark.faults
KINDS = ("question", "refund")


@pytest.fixture(scope="module")
def tutorial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Followed]:
    folder = tmp_path_factory.mktemp("tutorial")
    local = {"DJANGO_SETTINGS_MODULE": "config.settings.local", **admin()}
    with model_server() as model_port, running(folder / "data", **local) as up:
        up.wait_until_ready()
        yield followed(up, folder, model_port, 60)


def test_both_runs_complete_and_nothing_errs(tutorial: Followed) -> None:
    for run in tutorial.runs:
        assert (run["status"], run["item_count"], run["completed_count"], run["errored_count"]) == (
            "completed",
            4,
            4,
            0,
        )
        assert run["aggregate_scores"]["coverage"] == 1


def test_the_first_run_fails_by_two_causes(tutorial: Followed) -> None:
    run = tutorial.runs[0]
    figures = run["aggregate_scores"]
    assert {key: entry["pass_rate"] for key, entry in figures["scorers"].items()} == {
        "output_schema": 1,
        "json_logic": 0.75,
        "refund-policy": 0.75,
    }
    assert figures["pass_rate"] == 0.5
    interval = figures["pass_rate_interval"]
    assert (interval["low"], interval["high"]) == (pytest.approx(0.150039, abs=1e-6), pytest.approx(0.849961, abs=1e-6))
    assert run["passed"] is False
    groups = figures["grouping"]["groups"]
    assert list(groups) == list(KINDS)
    assert [(group["scored_item_count"], group["pass_rate"]) for group in groups.values()] == [(2, 0.5), (2, 0.5)]
    assert figures["grouping"]["ungrouped_item_count"] == 0
    assert "baseline" not in figures


def test_the_second_run_passes_and_four_items_are_too_few(tutorial: Followed) -> None:
    run = tutorial.runs[1]
    figures = run["aggregate_scores"]
    assert (run["passed"], figures["pass_rate"], run["agent_version"]) == (True, 1, 2)
    assert figures["pass_rate_interval"]["low"] == pytest.approx(0.510109, abs=1e-6)
    assert figures["pass_rate_interval"]["high"] == 1
    baseline = figures["baseline"]
    assert baseline["run_id"] == tutorial.ids["BASELINE_RUN_ID"]
    assert (baseline["compared_item_count"], baseline["pass_rate_delta"]) == (4, 0.5)
    assert (baseline["flipped"], baseline["p_value"]) == ({"improved": 2, "regressed": 0}, 0.5)
    assert baseline["verdict"] == "too_few_items"
    assert baseline["scorers"]["refund-policy"]["pass_rate_delta"] == 0.25
    for kind in KINDS:
        change = baseline["grouping"]["groups"][kind]
        assert (change["flipped"], change["p_value"]) == ({"improved": 1, "regressed": 0}, 1)


def test_the_results_say_what_was_answered_and_why_it_failed(tutorial: Followed) -> None:
    ids = ("--eval-id", tutorial.ids["EVAL_ID"], "--eval-run-id", tutorial.ids["BASELINE_RUN_ID"])
    results = tutorial.ask("list-eval-results", *ids)["data"]
    assert [result["passed"] for result in results] == [True, False, False, True]
    over, question = results[1], results[2]
    assert (over["output"], over["error"]) == ('{"category":"refund","refund_amount":60}', None)
    said = [(score["scorer"], score["passed"], score["reasoning"]) for score in over["scores"]]
    assert [one[:2] for one in said[:2]] == [("output_schema", True), ("json_logic", True)]
    assert said[2] == ("refund-policy", False, "Refund 60 against 25 paid.")
    assert [score["passed"] for score in question["scores"]] == [True, False, True]
    failed = tutorial.ask("list-eval-results", *ids, "--passed", "false")
    assert [result["id"] for result in failed["data"]] == [over["id"], question["id"]]


def test_the_page_shows_what_the_commands_print(tutorial: Followed) -> None:
    [shown] = blocks("json")
    assert shown in tutorial.output
    assert '{"category":"refund","refund_amount":60}\n[\n' in tutorial.output
    assert '"Refund 60 against 25 paid."' in tutorial.output


def test_the_gate_lets_the_second_run_pass(tutorial: Followed) -> None:
    assert "## Passed: refund\\-triage" in tutorial.output
    assert "The gate ended with" not in tutorial.output
    assert "- Flipped: 2 improved, 0 regressed" in tutorial.output
