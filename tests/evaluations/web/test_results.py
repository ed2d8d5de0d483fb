"""The page of one result: what was asked, what came, why, and the same item in the baseline run."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import Result, Run
from tests.evaluations.conftest import MemberClient
from tests.evaluations.web.runs_cases import HOSTILE, answers, eval_of_forty, finished, started
from tests.evaluations.web.test_projects import page, words

pytestmark = pytest.mark.django_db
LONG = "no " * 3_000


@pytest.fixture
def run(project: Project) -> Run:
    """k1 and k5 fail against a baseline that passed them, k3 errs; k1's answer is long."""
    row = eval_of_forty(project)
    row.baseline_run = finished(row, name="prompt v1")
    row.save()
    said: dict[int, str | None] = {1: LONG, 3: None, 5: "no"}
    return finished(row, lambda number: said.get(number, "yes"), name="prompt v2")


def at(result: Result, rest: str = "") -> str:
    run = result.run
    return f"/evals/{run.eval.public_id}/runs/{run.public_id}/results/{result.public_id}{rest}"


def item(run: Run, key: str) -> Result:
    return run.results.select_related("run__eval").get(item_key=key)


def test_a_failure_with_its_reasons_and_the_baseline(run: Run, client_of: MemberClient) -> None:
    read = words(page(client_of(Role.VIEWER), at(item(run, "k5"))))
    assert "failed k5 · kind refund · 1 of 2 scorers passed" in read
    assert '"yes" was not found in the output.' in read
    assert "question 5" in read
    assert "In the baseline run prompt v1" in read
    assert re.search(r"says-yes\s+passed\s+failed", read)
    assert "From the baseline's answer to this one" in read


def test_an_error_with_its_cause_and_raw_answer(run: Run, client_of: MemberClient) -> None:
    result = item(run, "k3")
    result.error = {"code": "output_schema_violation", "message": "Not what was asked.", "raw": f"{HOSTILE}raw"}
    result.save()
    client = client_of(Role.VIEWER)
    text = page(client, at(result))
    assert "Not what was asked." in text
    assert "Error output_schema_violation: it is no score" in text
    assert "The raw answer" in text
    assert "<script>alert" not in text
    assert "alert(1)" in page(client, at(result, "/text/raw"))


def test_previous_and_next_move_within_the_filter(run: Run, client_of: MemberClient) -> None:
    client = client_of(Role.VIEWER)
    text = page(client, at(item(run, "k5"), "?passed=false"))
    assert f'rel="prev" href="{at(item(run, "k1"))}?passed=false"' in text
    assert 'rel="next"' not in text
    plain = page(client, at(item(run, "k5")))
    assert f'rel="next" href="{at(item(run, "k6"))}"' in plain
    assert f'rel="prev" href="{at(item(run, "k4"))}"' in plain


def test_a_long_answer_is_cut_and_fetched_whole(run: Run, client_of: MemberClient) -> None:
    client, result = client_of(Role.VIEWER), item(run, "k1")
    text = page(client, at(result))
    assert text.count("no no no") < 1000
    assert f'hx-get="{at(result, "/text/output")}"' in text
    whole = client.get(at(result, "/text/output"), headers={"HX-Request": "true"})
    assert LONG.strip() in whole.text
    assert "<main" not in whole.text
    assert LONG.strip() in page(client, at(result, "/text/output"))


@pytest.mark.parametrize("rest", ["/text/nothing", "/text/output?at=/0", "/text/raw", "/text/observation?at=nowhere"])
def test_a_part_that_is_not_there(rest: str, run: Run, client_of: MemberClient) -> None:
    assert client_of(Role.VIEWER).get(at(item(run, "k5"), rest)).status_code == 404


def test_results_of_others_are_not_there(run: Run, stranger: Client, client_of: MemberClient) -> None:
    result = item(run, "k5")
    other = run.baseline_run.results.get(item_key="k5")  # type: ignore[union-attr]
    assert stranger.get(at(result)).status_code == 404
    assert stranger.get(at(result, "/text/output")).status_code == 404
    wrong_run = at(result).replace(result.public_id, other.public_id)
    assert client_of(Role.OWNER).get(wrong_run).status_code == 404


def test_channels_and_hostile_answers_are_text(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project)
    row.dataset.items.filter(position=0).update(
        input=[{"role": "user", "content": HOSTILE}], expected_output=HOSTILE, metadata={HOSTILE[:40]: HOSTILE}
    )
    sent = answers()
    calls = [{"name": HOSTILE, "arguments": {"text": HOSTILE * 20}, "id": "1"}]
    sent[0] = {"item_key": "k0", "observation": {"output": {"text": HOSTILE, "object": {"a": HOSTILE * 20}}}}
    sent[0]["observation"]["tool_calls"] = calls
    run = started(row, outputs=sent)
    work_on_run(run.pk)
    client, result = client_of(Role.VIEWER), item(run, "k0")
    text = page(client, at(result))
    assert "Tool calls" in text
    assert text.count("alert(1)") > 5
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    pointer = f"{at(result, '/text/observation')}?at=%2Foutput%2Fobject"
    assert pointer in text
    assert "alert(1)" in page(client, pointer)


def test_an_item_that_waits_and_one_that_was_edited(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project)
    row.baseline_run = finished(row)
    row.save()
    row.dataset.items.filter(key="k0").update(content_hash="other")
    run = started(row)
    read = words(page(client_of(Role.VIEWER), at(item(run, "k0"))))
    assert "This item has not been answered and scored yet." in read
    assert "The item was edited between the two runs" in read


def test_the_number_of_queries(run: Run, client_of: MemberClient) -> None:
    client, result = client_of(Role.VIEWER), item(run, "k5")
    with CaptureQueriesContext(connection) as queries:
        page(client, at(result, "?passed=false"))
    assert len(queries) <= 10, [query["sql"][:120] for query in queries]
