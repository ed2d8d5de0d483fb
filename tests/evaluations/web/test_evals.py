"""The page of an eval, and the forms that make, change and run it."""

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import Dataset, Eval, Run
from tests.evaluations.cases import PASSES, agent_of, dataset_of, eval_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.web.runs_cases import HOSTILE, answers, eval_of_forty, finished, forty, started
from tests.evaluations.web.test_projects import page, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(project: Project) -> Dataset:
    return forty(project)


def typed(dataset: Dataset, /, **changes: Any) -> dict[str, Any]:
    """What a person sends who made an eval by hand."""
    given = {"name": "triage", "dataset": dataset.public_id, "agent": "", "profile": "", "min_coverage": "0.9"}
    return {**given, "scorers": json.dumps([PASSES]), "pass_threshold": "0.8", "group_by": "kind", **changes}


def create(client: Client, project: Project, form: dict[str, Any]) -> Any:
    return client.post(f"/projects/{project.public_id}/evals/new", form)


def run_it(client: Client, row: Eval, **form: Any) -> Any:
    given = {"source": "recorded", "outputs": "", "name": "", "trials": "1", "baseline": "", **form}
    return client.post(f"/evals/{row.public_id}/runs/new", given)


def lines(documents: list[dict[str, Any]]) -> str:
    return "\r\n".join(json.dumps(document) for document in documents)


def test_an_editor_makes_an_eval(project: Project, dataset: Dataset, client_of: MemberClient) -> None:
    answer = create(client_of(Role.EDITOR), project, typed(dataset))
    row = Eval.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, f"/evals/{row.public_id}")
    assert (row.name, row.dataset, row.scorers, row.agent, row.profile) == ("triage", dataset, [PASSES], None, None)
    assert (row.pass_threshold, row.min_coverage, row.group_by) == (0.8, 0.9, "kind")


def test_with_a_profile_and_an_agent(project: Project, dataset: Dataset, client_of: MemberClient) -> None:
    agent = agent_of(project)
    sent = typed(dataset, scorers="", profile="code-quality", agent=agent.public_id, pass_threshold="", group_by="")
    assert create(client_of(Role.EDITOR), project, sent).status_code == 302
    row = Eval.objects.get()
    assert (row.profile_id, row.scorers, row.agent) == ("code-quality", None, agent)
    assert (row.pass_threshold, row.group_by) == (None, None)
    text = page(client_of(Role.VIEWER), f"/evals/{row.public_id}")
    assert "answered by triage" in words(text)
    assert "/profiles/code-quality" in text


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"name": ""}, "name", "required"),
        ({"name": "taken"}, "name", "has an eval with the name"),
        ({"dataset": ""}, "dataset", "required"),
        ({"dataset": "dset_0000000000000000"}, "dataset", "not one of the available choices"),
        ({"scorers": ""}, "scorers", "one of the two"),
        ({"profile": "code-quality"}, "scorers", "one of the two"),
        ({"scorers": "[{"}, "scorers", "not valid JSON"),
        ({"scorers": '{"type": "contains"}'}, "scorers", "Must be a JSON list"),
        ({"scorers": '[{"type": "contains", "valeu": "x"}]'}, "scorers", "scorers.0.valeu"),
        ({"scorers": '[{"type": "no_such"}]'}, "scorers", "scorers.0.type: There is no scorer of this type."),
        ({"scorers": "[]"}, "scorers", "Must have 1 to 64 scorers"),
        ({"pass_threshold": "1.5"}, "pass_threshold", "less than or equal to 1"),
        ({"pass_threshold": "nan"}, "pass_threshold", "Enter a number"),
        ({"min_coverage": ""}, "min_coverage", "required"),
        ({"group_by": "x" * 256}, "group_by", "at most 255"),
    ],
)
def test_what_is_wrong_stands_at_its_field(
    changes: dict[str, str], field: str, sentence: str, project: Project, client_of: MemberClient
) -> None:
    dataset = forty(project)
    eval_of(project, dataset, name="taken")
    answer = create(client_of(Role.EDITOR), project, typed(dataset, **changes))
    assert answer.status_code == 422
    found = re.search(rf'id="id_{field}_error">(.*?)</p>', answer.text, re.DOTALL)
    assert found is not None
    assert sentence in found[1]
    assert "kind" in answer.text
    assert Eval.objects.count() == 1


def test_the_dataset_of_another_project_is_none(
    project: Project, other_project: Project, client_of: MemberClient
) -> None:
    theirs = dataset_of(other_project, {}, name="theirs secret")
    client = client_of(Role.EDITOR)
    assert "theirs secret" not in page(client, f"/projects/{project.public_id}/evals/new")
    assert create(client, project, typed(theirs)).status_code == 422


def test_settings_are_changed_and_shown_as_they_are(
    project: Project, dataset: Dataset, client_of: MemberClient
) -> None:
    row = eval_of(project, dataset, name="before", pass_threshold=0.25)
    client, address = client_of(Role.EDITOR), f"/evals/{row.public_id}/edit"
    text = page(client, address)
    assert 'value="before"' in text
    assert 'value="0.25"' in text
    assert "&quot;says-yes&quot;" in text
    answer = client.post(address, typed(dataset, name="after", scorers="", profile="code-quality"))
    assert answer.status_code == 302
    row.refresh_from_db()
    assert (row.name, row.profile_id, row.scorers, row.pass_threshold) == ("after", "code-quality", None, 0.8)
    refused = client.post(address, typed(dataset, name="kept as typed", scorers="[]"))
    assert refused.status_code == 422
    assert 'value="kept as typed"' in refused.text


def test_the_page_shows_runs_trend_and_settings(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project)
    text = page(client_of(Role.EDITOR), f"/evals/{row.public_id}")
    assert f"./plumbline start-eval-run --eval-id {row.public_id}" in text
    assert 'id="trend"' not in text
    row.baseline_run = finished(row, name="first")
    row.save()
    finished(row, lambda number: "yes" if number % 2 else "no", name="second")
    started(row, name="third")
    text = page(client_of(Role.VIEWER), f"/evals/{row.public_id}")
    read = words(text)
    assert 'id="trend-data"' in text
    assert "−50.0 pts · worse (p < .001)" in read
    assert "20 of 40" in read
    assert "queued 0 of 40 done" in read
    assert "With 40 items: changes of 19 points or more" in read
    assert "Start a run" not in read


def test_recorded_outputs_are_pasted_and_scored(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project)
    first = finished(row)
    client = client_of(Role.EDITOR)
    answer = run_it(client, row, outputs=lines(answers()), name="pasted", baseline=first.public_id)
    run = Run.objects.get(name="pasted")
    assert (answer.status_code, answer["Location"]) == (302, f"/evals/{row.public_id}/runs/{run.public_id}")
    work_on_run(run.pk)
    run.refresh_from_db()
    assert (run.source, run.pass_rate, run.baseline_run) == ("recorded", 1.0, first)


@pytest.mark.parametrize("kind", ["lines", "list", "marked"])
def test_recorded_outputs_come_in_a_file(kind: str, project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project)
    text = json.dumps(answers()) if kind == "list" else lines(answers())
    data = (b"\xef\xbb\xbf" if kind == "marked" else b"") + text.encode()
    assert run_it(client_of(Role.EDITOR), row, file=SimpleUploadedFile("a.jsonl", data)).status_code == 302
    assert Run.objects.get().results.filter(recorded=None).count() == 0


@pytest.mark.parametrize(
    ("outputs", "sentence"),
    [
        ("", "Paste the outputs, or choose a file."),
        ("[]", "The list is empty."),
        ('{"item_key": "k0", "output": "yes"}\n{"item_key"', "Line 2:"),
        ("[1, 2", "The list"),
        ('{"item_key": "nobody", "output": "yes"}', "Answer 1, item_key:"),
        ("3", "Answer 1: Must be an object."),
        ('{"item_key": "k0", "output": "yes"}\n{"item_key": "k0", "output": "yes"}', "Answer 2"),
        ("\ud7ff[[[[" * 40, "Line 1:"),
    ],
)
def test_bad_outputs_are_told_where_they_are(
    outputs: str, sentence: str, project: Project, client_of: MemberClient
) -> None:
    row = eval_of_forty(project)
    answer = run_it(client_of(Role.EDITOR), row, outputs=outputs, name="kept as typed")
    assert answer.status_code == 422
    found = re.search(r'id="id_outputs_error">(.*?)</p>', answer.text, re.DOTALL)
    assert found is not None
    assert sentence in found[1]
    assert "kept as typed" in answer.text
    assert not Run.objects.exists()


def test_the_agent_is_asked_where_there_is_one(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project, agent=agent_of(project))
    client = client_of(Role.EDITOR)
    assert 'value="agent"' in page(client, f"/evals/{row.public_id}/runs/new")
    assert run_it(client, row, source="agent", trials="2", outputs="not read at all").status_code == 302
    run = Run.objects.get()
    assert (run.source, run.trials, run.agent_version.number) == ("agent", 2, 1)  # type: ignore[union-attr]
    assert run_it(client, eval_of(project, row.dataset, name="none"), source="agent").status_code == 422


def test_an_empty_dataset_is_told_before(project: Project, client_of: MemberClient) -> None:
    row = eval_of(project, dataset_of(project))
    client = client_of(Role.EDITOR)
    assert "has no items yet" in page(client, f"/evals/{row.public_id}/runs/new")
    answer = run_it(client, row, outputs='{"item_key": "a", "output": "b"}')
    assert answer.status_code == 422
    assert "The dataset has no items." in answer.text


@pytest.mark.parametrize("trials", ["0", "21", "two", ""])
def test_trials_are_bounded(trials: str, project: Project, client_of: MemberClient) -> None:
    answer = run_it(client_of(Role.EDITOR), eval_of_forty(project), outputs=lines(answers()), trials=trials)
    assert answer.status_code == 422
    assert 'id="id_trials_error"' in answer.text


def test_who_may_do_what(project: Project, client_of: MemberClient, stranger: Client) -> None:
    row = eval_of_forty(project)
    base = f"/evals/{row.public_id}"
    for address in (f"{base}/edit", f"{base}/runs/new", f"/projects/{project.public_id}/evals/new"):
        assert client_of(Role.REVIEWER).get(address).status_code == 403
        assert client_of(Role.EDITOR).get(address).status_code == 200
        assert stranger.get(address).status_code == 404
        assert stranger.post(address).status_code == 404
    assert stranger.get(base).status_code == 404
    assert client_of(Role.EDITOR).post(f"{base}/delete").status_code == 403
    assert client_of(Role.OWNER).get(f"{base}/delete").status_code == 405
    assert client_of(Role.OWNER).post(f"{base}/delete")["Location"] == f"/projects/{project.public_id}"
    assert not Eval.objects.exists()


def test_names_and_scorers_are_text(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project, {"type": "contains", "name": HOSTILE[:40], "value": HOSTILE}, name=HOSTILE)
    for _ in range(2):
        finished(row, lambda _: HOSTILE, name=HOSTILE)
    client = client_of(Role.EDITOR)
    for rest in ("", "/edit", "/runs/new"):
        text = page(client, f"/evals/{row.public_id}{rest}")
        assert "alert(1)" in text
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_the_number_of_queries_does_not_grow(project: Project, client_of: MemberClient) -> None:
    row, client = eval_of_forty(project), client_of(Role.VIEWER)

    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(client, f"/evals/{row.public_id}")
        return len(queries)

    finished(row)
    before = count()
    for _ in range(3):
        finished(row)
    assert count() == before <= 13
