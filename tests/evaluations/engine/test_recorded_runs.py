"""Runs from recorded outputs and re-scores, from the request to the settled run, over the API."""

from typing import Any

import pytest
from django.test import Client

from accounts.actors import Role
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import DatasetItem, Eval, Result, Run
from tests.evaluations.cases import call, code_of, dataset_of, eval_of, paths_of
from tests.evaluations.conftest import MemberClient
from tests.people import person

pytestmark = pytest.mark.django_db
NUMBER = {"type": "numeric_range", "name": "n", "value_path": "object.n", "min": 0, "max": 10}


@pytest.fixture
def client(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


def start(client: Client, row: Eval, **body: Any) -> Any:
    return call(client, "POST", f"/evals/{row.public_id}/runs", body)


def finished(client: Client, row: Eval, **body: Any) -> dict[str, Any]:
    """The document of a run that was started and worked on to its end."""
    started = start(client, row, **body)
    assert started.status_code == 201, started.content
    assert started.json()["status"] == "queued"
    work_on_run(Run.objects.get(public_id=started.json()["id"]).pk)
    document: dict[str, Any] = call(client, "GET", f"/evals/{row.public_id}/runs/{started.json()['id']}").json()
    return document


def results(client: Client, run: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    answer = call(client, "GET", f"/evals/{run['eval_id']}/runs/{run['id']}/results{query}")
    assert answer.status_code == 200, answer.content
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


def keyed(*outputs: str) -> list[dict[str, str]]:
    return [{"item_key": f"k{number}", "output": output} for number, output in enumerate(outputs)]


def keyed_items(count: int, **columns: Any) -> list[dict[str, Any]]:
    return [{"key": f"k{number}", **columns} for number in range(count)]


def test_a_run_tells_what_came_of_each_item(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(3)), pass_threshold=0.5, min_coverage=0.5)
    run = finished(client, row, outputs=keyed("yes!", "no"), name="first", metadata={"build": 7})
    assert (run["status"], run["source"], run["name"], run["metadata"]) == (
        "completed",
        "recorded",
        "first",
        {"build": 7},
    )
    assert (run["item_count"], run["completed_count"], run["errored_count"]) == (3, 2, 1)
    assert run["passed"] is True
    first, second, third = results(client, run)
    assert (first["status"], first["passed"], first["output"], first["item_key"]) == ("scored", True, "yes!", "k0")
    assert first["input"] == [{"role": "user", "content": "question 0"}]
    assert (first["scores"][0]["scorer"], first["scores"][0]["type"]) == ("says-yes", "contains")
    assert (second["passed"], second["score"]) == (False, 0)
    assert third["status"] == "errored"
    assert third["passed"] is None
    assert third["error"] == {"code": "missing_output", "message": "No output was sent for this item."}
    figures = run["aggregate_scores"]
    assert (figures["pass_rate"], figures["scored_item_count"], figures["errored_item_count"]) == (0.5, 2, 1)
    one = call(client, "GET", f"/evals/{run['eval_id']}/runs/{run['id']}/results/{first['id']}")
    assert one.json() == first


def test_kinds_are_counted_as_the_contract_says(project: Project, client: Client) -> None:
    """The contract's row: refusal pass, refusal fail, refusal error, multi_step pass, no metadata pass, kind 7 fail."""
    kinds: list[Any] = ["refusal", "refusal", "refusal", "multi_step", None, 7]
    items = [
        {"key": f"k{number}", "metadata": {} if kind is None else {"kind": kind}} for number, kind in enumerate(kinds)
    ]
    row = eval_of(project, dataset_of(project, *items), group_by="kind")
    outputs: list[dict[str, Any]] = keyed("yes", "no", "", "yes", "yes", "no")
    outputs[2] = {"item_key": "k2", "error": "the agent crashed"}
    run = finished(client, row, outputs=outputs)
    figures = run["aggregate_scores"]
    assert figures["pass_rate"] == 0.6
    assert run["passed"] is None
    grouping = figures["grouping"]
    assert (grouping["group_by"], grouping["ungrouped_item_count"]) == ("kind", 2)
    assert list(grouping["groups"]) == ["multi_step", "refusal"]
    refusal, multi = grouping["groups"]["refusal"], grouping["groups"]["multi_step"]
    assert (refusal["scored_item_count"], refusal["pass_rate"], refusal["errored_item_count"]) == (2, 0.5, 1)
    assert (multi["scored_item_count"], multi["pass_rate"]) == (1, 1)


def test_a_run_with_too_many_errors_does_not_pass(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(4)), pass_threshold=0.5)
    run = finished(client, row, outputs=keyed("yes"))
    assert (run["status"], run["passed"]) == ("completed", False)
    assert run["aggregate_scores"]["pass_rate"] == 1
    assert run["aggregate_scores"]["coverage"] == 0.25


def test_one_scorer_that_errs_makes_the_item_errored_and_the_others_are_shown(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(2)), {"type": "contains", "value": "yes"}, NUMBER)
    outputs = [
        {"item_key": "k0", "output": "yes", "object": {}},
        {"item_key": "k1", "output": "yes", "object": {"n": 3}},
    ]
    run = finished(client, row, outputs=outputs)
    bad, good = results(client, run)
    assert (bad["status"], bad["passed"], bad["score"]) == ("errored", None, None)
    assert [entry["status"] for entry in bad["scores"]] == ["scored", "error"]
    assert (bad["error"]["scorer"], good["passed"]) == ("n", True)
    assert run["aggregate_scores"]["scorers"]["n"]["errored_count"] == 1


def test_a_bad_start_makes_no_row(project: Project, client: Client) -> None:
    dataset = dataset_of(project, *keyed_items(2))
    row = eval_of(project, dataset)
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "outputs"),
        ({"outputs": []}, "outputs"),
        ({"outputs": [{"item_key": "nobody", "output": ""}]}, "outputs.0.item_key"),
        ({"outputs": [{"output": ""}]}, "outputs.0.item_id"),
        ({"outputs": [{"item_key": "k0"}]}, "outputs.0.output"),
        ({"outputs": [{"item_key": "k0", "output": 3}]}, "outputs.0.output"),
        ({"outputs": [{"item_key": "k0", "output": "", "score": 1}]}, "outputs.0.score"),
        ({"outputs": keyed("a") + keyed("b")}, "outputs.1"),
        ({"outputs": [{"item_key": "k0", "observation": {"tool_call": []}}]}, "outputs.0.observation.tool_call"),
        (
            {"outputs": [{"item_key": "k0", "observation": {"expected": {"answer": "x"}}}]},
            "outputs.0.observation.expected",
        ),
        ({"outputs": keyed("a"), "baseline_run_id": "evrun_0000000000000000"}, "baseline_run_id"),
        ({"rescore_of": "evrun_0000000000000000"}, "rescore_of"),
        ({"outputs": keyed("a"), "trials": 21}, "trials"),
        ({"outputs": keyed("a"), "colour": "red"}, "colour"),
    ]
    for body, path in cases:
        refused = start(client, row, **body)
        assert (refused.status_code, paths_of(refused)) == (400, [path]), body
    empty = eval_of(project, dataset_of(project, name="empty"), name="empty")
    assert paths_of(start(client, empty, outputs=[{"item_key": "k0", "output": "x"}])) == ["dataset_id"]
    assert not Run.objects.exists()


def test_a_baseline_of_another_eval_or_unfinished_is_refused(project: Project, client: Client) -> None:
    dataset = dataset_of(project, *keyed_items(1))
    row, other = eval_of(project, dataset), eval_of(project, dataset, name="other")
    foreign = finished(client, other, outputs=keyed("yes"))
    waiting = start(client, row, outputs=keyed("yes")).json()
    for run_id in (foreign["id"], waiting["id"]):
        refused = start(client, row, outputs=keyed("yes"), baseline_run_id=run_id)
        assert paths_of(refused) == ["baseline_run_id"]


def test_waiting_answers_when_it_is_done(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(26)))
    assert paths_of(start(client, row, wait=True, outputs=keyed("yes"))) == ["wait"]
    DatasetItem.objects.filter(key="k25").delete()
    done = start(client, row, wait=True, outputs=keyed("yes"))
    assert (done.status_code, done.json()["status"]) == (201, "completed")


def test_results_are_filtered_by_all_that_is_asked(project: Project, client: Client) -> None:
    items = [
        {"key": f"k{n}", "metadata": {"kind": "a" if n < 2 else "b"}, "input": f"Frage {n} Straße"} for n in range(4)
    ]
    dataset = dataset_of(project, *items)
    scorers = [{"type": "contains", "value": "yes"}, {"type": "contains", "name": "x", "value": "x"}]
    row = eval_of(project, dataset, *scorers, group_by="kind")
    first = finished(client, row, outputs=keyed("yes x", "yes", "x", ""))
    second = finished(client, row, outputs=keyed("yes x", "yes x", "x")[:3], baseline_run_id=first["id"])

    def found(query: str, run: dict[str, Any] = second) -> list[str]:
        return [result["item_key"] for result in results(client, run, query)]

    assert found("?passed=true") == ["k0", "k1"]
    assert found("?passed=false") == ["k2"]
    assert found("?status=errored") == ["k3"]
    assert found("?group=b") == ["k2", "k3"]
    assert found("?group=b&status=scored") == ["k2"]
    assert found("?scorer=contains&scorer_passed=false") == ["k2"]
    assert found("?scorer=x&scorer_passed=true") == ["k0", "k1", "k2"]
    assert found("?changed=true") == ["k1", "k3"]
    assert found("?changed=false") == ["k0", "k2"]
    assert found("?q=STRASSE") == ["k0", "k1", "k2", "k3"]
    assert found("?q=stra%C3%9Fe+nirgends") == []
    assert found("?q=FRAGE+1") == ["k1"]
    assert found("?limit=1&offset=2") == ["k2"]
    for query in ("?passed=yes", "?status=lost", "?scorer_passed=true", "?colour=red", "?q=%00", "?limit=0"):
        path = f"/evals/{row.public_id}/runs/{second['id']}/results{query}"
        assert code_of(call(client, "GET", path)) == (400, "VALIDATION_FAILED"), query


def test_a_rescore_asks_nobody_and_leaves_the_old_run_alone(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(3)))
    first = finished(client, row, outputs=keyed("yes", "no"))
    scorers = [{"type": "contains", "name": "says-no", "value": "no"}]
    assert call(client, "PUT", f"/evals/{row.public_id}", {"scorers": scorers}).status_code == 200
    again = finished(client, row, rescore_of=first["id"])
    assert (again["source"], again["rescore_of"]) == ("rescore", first["id"])
    assert [result["passed"] for result in results(client, again)] == [False, True, None]
    assert [result["scores"][0]["scorer"] for result in results(client, again)[:2]] == ["says-no", "says-no"]
    assert [result["passed"] for result in results(client, first)] == [True, False, None]


def test_trials_are_answers_to_the_same_item(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(2)))
    outputs = [{"item_key": key, "output": text} for key, text in
               (("k0", "yes"), ("k0", "no"), ("k1", "yes"), ("k1", "yes"))]  # fmt: skip
    run = finished(client, row, outputs=outputs, trials=2)
    assert (run["item_count"], run["result_count"], run["completed_count"]) == (2, 4, 4)
    assert run["aggregate_scores"]["pass_rate"] == 0.75
    assert run["aggregate_scores"]["trials"]["flaky_item_count"] == 1
    assert [(result["item_key"], result["trial"]) for result in results(client, run)] == [
        ("k0", 0), ("k0", 1), ("k1", 0), ("k1", 1),
    ]  # fmt: skip


def test_a_canceled_run_keeps_what_is_done(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(3)), pass_threshold=0.5)
    run = start(client, row, outputs=keyed("yes", "yes", "yes")).json()
    Result.objects.filter(item_key="k0").update(state="done", status="scored", passed=True, score=1)
    path = f"/evals/{row.public_id}/runs/{run['id']}/cancel"
    canceled = call(client, "POST", path).json()
    assert (canceled["status"], canceled["passed"], canceled["completed_count"]) == ("canceled", None, 1)
    assert code_of(call(client, "POST", path)) == (400, "RUN_STATE")
    assert work_on_run(Run.objects.get().pk)
    assert [result["status"] for result in results(client, run)] == ["scored", "canceled", "canceled"]


def test_errored_results_are_tried_again_and_the_others_stay(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(2)), NUMBER, min_coverage=0)
    outputs = [{"item_key": "k0", "object": {"n": 1}}, {"item_key": "k1", "object": {}}]
    run = finished(client, row, outputs=outputs)
    kept = results(client, run)[0]
    path = f"/evals/{row.public_id}/runs/{run['id']}/retry-errored"
    Result.objects.filter(item_key="k1").update(observation={"output": {"object": {"n": 2}}})
    again = call(client, "POST", path).json()
    assert (again["status"], again["aggregate_scores"], again["errored_count"]) == ("queued", None, 0)
    work_on_run(Run.objects.get().pk)
    first, second = results(client, run)
    assert first == kept
    assert (second["status"], second["passed"]) == ("scored", True)
    assert code_of(call(client, "POST", path)) == (400, "RUN_STATE")


def test_items_may_name_the_scorers_that_apply(project: Project, client: Client) -> None:
    items = [{"key": "k0", "scorers": ["says-yes"]}, {"key": "k1", "scorers": []}, {"key": "k2"}]
    row = eval_of(
        project, dataset_of(project, *items), {"type": "contains", "name": "says-yes", "value": "yes"}, NUMBER
    )
    run = finished(client, row, outputs=[{"item_key": f"k{n}", "output": "yes"} for n in range(3)])
    listed, none, every = results(client, run)
    assert (listed["status"], len(listed["scores"])) == ("scored", 1)
    assert (none["status"], none["passed"], none["scores"]) == ("skipped", None, [])
    assert every["status"] == "errored"


def test_a_profile_judges_by_its_composite(project: Project, client: Client) -> None:
    body = {
        "name": "Weighted",
        "passThreshold": 0.5,
        "scorers": [
            {"id": "hello", "type": "Contains", "value": "hello", "weight": 2},
            {"id": "world", "type": "Contains", "value": "world", "weight": 1},
        ],
    }
    writer = Client()
    writer.force_login(person("writer", Role.EDITOR), backend="django.contrib.auth.backends.ModelBackend")
    profile = writer.post("/api/scoring/profiles", body, content_type="application/json").json()
    row = eval_of(project, dataset_of(project, *keyed_items(1)))
    change = {"profile_id": profile["id"]}
    assert call(client, "PUT", f"/evals/{row.public_id}", change).json()["scorers"] is None
    run = finished(client, row, outputs=keyed("Goodbye world"))
    (result,) = results(client, run)
    assert result["score"] == pytest.approx(1 / 3)
    assert result["passed"] is False
    assert [(entry["scorer"], entry["score"]) for entry in result["scores"]] == [("hello", 0), ("world", 1)]


@pytest.mark.parametrize("count", [1, 12])
def test_results_and_runs_take_the_same_queries_whatever_their_number(
    count: int, project: Project, client: Client, django_assert_num_queries: Any
) -> None:
    row = eval_of(project, dataset_of(project, *keyed_items(count)))
    for _ in range(count):
        run = finished(client, row, outputs=keyed("yes"))
    with django_assert_num_queries(5):
        results(client, run)
    with django_assert_num_queries(6):
        call(client, "GET", f"/evals/{row.public_id}/runs")


def test_what_happens_to_an_item_later_changes_no_result(project: Project, client: Client) -> None:
    dataset = dataset_of(project, *keyed_items(2))
    row = eval_of(project, dataset)
    started = start(client, row, outputs=keyed("yes", "no")).json()
    DatasetItem.objects.filter(key="k0").delete()
    DatasetItem.objects.filter(key="k1").update(input=[{"role": "user", "content": "edited"}])
    call(client, "PUT", f"/evals/{row.public_id}", {"scorers": [NUMBER]})
    work_on_run(Run.objects.get().pk)
    first, second = results(client, started)
    assert (first["passed"], first["dataset_item_id"], first["item_key"]) == (True, None, "k0")
    assert second["input"] == [{"role": "user", "content": "question 1"}]
    assert [entry["scorer"] for entry in second["scores"]] == ["says-yes"]
