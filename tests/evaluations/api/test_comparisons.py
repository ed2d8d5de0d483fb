"""Comparing two runs and taking results away, over the API; with the cases that were reported of other tools."""

import csv
import io
import json
from typing import Any

import pytest
from django.test import Client

from accounts.actors import Role
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import DatasetItem, Eval, Run
from tests.evaluations.cases import call, dataset_of, eval_of, paths_of
from tests.evaluations.conftest import MemberClient

pytestmark = pytest.mark.django_db
NUMBER = {"type": "numeric_range", "name": "n", "value_path": "object.n", "min": 0, "max": 10}


@pytest.fixture
def client(client_of: MemberClient) -> Client:
    return client_of(Role.EDITOR)


def keyed(*outputs: str) -> list[dict[str, str]]:
    return [{"item_key": f"k{number}", "output": output} for number, output in enumerate(outputs)]


def finished(client: Client, row: Eval, **body: Any) -> dict[str, Any]:
    started = call(client, "POST", f"/evals/{row.public_id}/runs", body)
    assert started.status_code == 201, started.content
    work_on_run(Run.objects.get(public_id=started.json()["id"]).pk)
    document: dict[str, Any] = call(client, "GET", f"/evals/{row.public_id}/runs/{started.json()['id']}").json()
    return document


def compared(client: Client, row: Eval, run: dict[str, Any], baseline: dict[str, Any] | None = None) -> dict[str, Any]:
    query = f"?run={run['id']}" + (f"&baseline={baseline['id']}" if baseline else "")
    answer = call(client, "GET", f"/evals/{row.public_id}/compare{query}")
    assert answer.status_code == 200, answer.content
    document: dict[str, Any] = answer.json()
    return document


def items(count: int) -> list[dict[str, Any]]:
    return [{"key": f"k{number}", "content_hash": str(number)} for number in range(count)]


def test_f1_an_error_is_no_improvement(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *items(2)), NUMBER, pass_threshold=0.5)
    outputs = [{"item_key": "k0", "object": {"n": 1}}, {"item_key": "k1", "object": {"n": 99}}]
    first = finished(client, row, outputs=outputs)
    outputs[1] = {"item_key": "k1", "object": {}}
    second = finished(client, row, outputs=outputs)
    assert (first["aggregate_scores"]["pass_rate"], second["aggregate_scores"]["pass_rate"]) == (0.5, 1)
    assert second["aggregate_scores"]["scored_item_count"] == 1
    assert (first["passed"], second["passed"]) == (True, False)
    document = compared(client, row, second, first)["comparison"]
    assert (document["compared_item_count"], document["excluded_item_count"], document["pass_rate_delta"]) == (1, 1, 0)
    assert document["verdict"] == "too_few_items"


def test_f24_edited_added_and_removed_items_are_counted_apart(project: Project, client: Client) -> None:
    dataset = dataset_of(project, *items(4))
    row = eval_of(project, dataset)
    DatasetItem.objects.filter(key="k3").delete()
    first = finished(client, row, outputs=keyed("yes", "yes", "yes"))
    DatasetItem.objects.filter(key="k0").delete()
    DatasetItem.objects.filter(key="k2").update(content_hash="edited")
    DatasetItem.objects.create(
        dataset=dataset, position=9, key="k3", input=[], metadata={}, content_hash="3", search_text=""
    )
    outputs = [{"item_key": key, "output": "yes"} for key in ("k1", "k2", "k3")]
    second = finished(client, row, outputs=outputs, baseline_run_id=first["id"])
    document = second["aggregate_scores"]["baseline"]
    assert [document[f"{kind}_item_count"] for kind in ("compared", "edited", "removed", "added")] == [1, 1, 1, 1]


def test_f25_a_real_difference_needs_enough_flips(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *items(100)))
    before = ["yes"] * 74 + ["no"] * 26
    after = ["yes"] * 70 + ["no"] * 4 + ["yes"] * 14 + ["no"] * 12
    first = finished(client, row, outputs=keyed(*before))
    second = finished(client, row, outputs=keyed(*after))
    said = compared(client, row, second, first)
    document = said["comparison"]
    assert document["pass_rate_delta"] == pytest.approx(0.1)
    assert document["flipped"] == {"improved": 14, "regressed": 4}
    assert document["p_value"] == pytest.approx(0.0309, abs=5e-5)
    assert document["verdict"] == "better"
    assert said["answer"].startswith("Better overall") or "better" in said["answer"].lower()
    assert said["warnings"] == []


def test_what_the_runs_were_not_judged_alike_by_is_named(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *items(2)), group_by="kind")
    first = finished(client, row, outputs=keyed("yes", "no"))
    scorers = [{"type": "contains", "name": "says-yes", "value": "YES"}, NUMBER]
    call(client, "PUT", f"/evals/{row.public_id}", {"scorers": scorers, "group_by": "other"})
    outputs = [{"item_key": f"k{n}", "output": "yes", "object": {"n": 1}} for n in range(2)]
    second = finished(client, row, outputs=outputs)
    warnings = {entry["code"]: entry for entry in compared(client, row, second, first)["warnings"]}
    assert set(warnings) == {"scorers_differ", "groups_differ"}
    assert warnings["scorers_differ"]["scorers"] == ["n", "says-yes"]


def test_a_comparison_needs_two_finished_runs_of_the_eval(project: Project, client: Client) -> None:
    dataset = dataset_of(project, *items(2))
    row, other = eval_of(project, dataset), eval_of(project, dataset, name="other")
    done, foreign = finished(client, row, outputs=keyed("yes")), finished(client, other, outputs=keyed("yes"))
    waiting = call(client, "POST", f"/evals/{row.public_id}/runs", {"outputs": keyed("yes")}).json()
    for query, path in (
        ("", "run"),
        (f"?run={done['id']}", "baseline"),
        (f"?run={foreign['id']}&baseline={done['id']}", "run"),
        (f"?run={done['id']}&baseline={foreign['id']}", "baseline"),
        (f"?run={waiting['id']}&baseline={done['id']}", "run"),
        (f"?run={done['id']}&x=1", "x"),
    ):
        refused = call(client, "GET", f"/evals/{row.public_id}/compare{query}")
        assert (refused.status_code, paths_of(refused)) == (400, [path]), query


def exported(client: Client, run: dict[str, Any], query: str) -> bytes:
    answer = call(client, "GET", f"/evals/{run['eval_id']}/runs/{run['id']}/export{query}")
    assert answer.status_code == 200, answer.content
    assert answer["Content-Disposition"].startswith("attachment")
    data: bytes = answer.getvalue()
    return data


def test_results_leave_as_files_whose_cells_are_no_formulas(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *items(3)))
    run = finished(client, row, outputs=keyed("=HYPERLINK(1)", 'yes, "quoted"\nand more'))
    table = list(csv.DictReader(io.StringIO(exported(client, run, "?format=csv").decode("utf-8-sig"))))
    assert [line["output"] for line in table] == ["'=HYPERLINK(1)", 'yes, "quoted"\nand more', ""]
    assert [line["says-yes.passed"] for line in table] == ["false", "true", ""]
    assert json.loads(table[2]["error"])["code"] == "missing_output"
    lines = [json.loads(line) for line in exported(client, run, "").splitlines()]
    assert [line["output"] for line in lines] == ["=HYPERLINK(1)", 'yes, "quoted"\nand more', None]
    assert json.loads(exported(client, run, "?format=json")) == lines
    assert len(exported(client, run, "?format=jsonl&passed=true").splitlines()) == 1
    path = f"/evals/{run['eval_id']}/runs/{run['id']}/export?format=xlsx"
    assert paths_of(call(client, "GET", path)) == ["format"]


def test_the_same_key_and_body_start_one_run(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *items(1)))
    path, key = f"/evals/{row.public_id}/runs", {"Idempotency-Key": "nightly-7"}
    first = call(client, "POST", path, {"outputs": keyed("yes")}, **key)
    again = call(client, "POST", path, {"outputs": keyed("yes")}, **key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert (first.headers.get("Idempotency-Replayed"), again.headers["Idempotency-Replayed"]) == (None, "true")
    other = call(client, "POST", path, {"outputs": keyed("no")}, **key)
    assert (other.status_code, other.json()["error"]["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert Run.objects.count() == 1
    assert call(client, "POST", path, {"outputs": keyed("yes")}).status_code == 201
    assert Run.objects.count() == 2


def test_a_refused_request_leaves_its_key_free(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *items(1)))
    path, key = f"/evals/{row.public_id}/runs", {"Idempotency-Key": "x"}
    assert call(client, "POST", path, {"outputs": []}, **key).status_code == 400
    assert call(client, "POST", path, {"outputs": keyed("yes")}, **key).status_code == 201
    assert paths_of(call(client, "POST", path, {}, **{"Idempotency-Key": "x" * 256})) == ["Idempotency-Key"]
