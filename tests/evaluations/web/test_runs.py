"""The page of a run: its figures, its filters, its acts, and who may do what."""

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import Eval, Run
from tests.evaluations.conftest import MemberClient
from tests.evaluations.web.runs_cases import HOSTILE, answers, eval_of_forty, finished, started
from tests.evaluations.web.test_projects import page, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def row(project: Project) -> Eval:
    return eval_of_forty(project)


@pytest.fixture
def worse(row: Eval) -> Run:
    """A run against a baseline in which all passed: refunds up to k23 fail, k3 errs."""
    row.baseline_run = finished(row, name="prompt v1")
    row.save()
    return finished(
        row, lambda number: None if number == 3 else "no" if number % 2 and number < 24 else "yes", name="prompt v2"
    )


def at(run: Run, rest: str = "") -> str:
    return f"/evals/{run.eval.public_id}/runs/{run.public_id}{rest}"


def shown(text: str) -> list[str]:
    """The keys of the items in the table of results."""
    return re.findall(r'class="row-link clip clip-short"[^>]*>(k\d+)</a>', text)


def test_the_figures_with_their_denominators(worse: Run, client_of: MemberClient) -> None:
    text = page(client_of(Role.VIEWER), at(worse))
    read = words(text)
    assert re.search(r"Pass rate 71.8 % 95 % interval: 56.2 % to 83.5 % 28 of 39 · 1 errored", read)
    assert "passes from 80.0 %, with 90.0 % of the items scored" in read
    assert "Worse overall: −28.2 points" in read
    assert "refund is worse" in read
    assert "97.5 %" in read
    assert 'id="by-kind-data"' in text


def test_an_open_run_is_polled_and_the_last_poll_loads_the_page(row: Eval, client_of: MemberClient) -> None:
    client, run = client_of(Role.VIEWER), started(row)
    assert f'hx-get="{at(run, "/progress")}" hx-trigger="every 2s"' in page(client, at(run))
    polled = client.get(at(run, "/progress"))
    assert (polled.status_code, "HX-Refresh" in polled) == (200, False)
    assert "0 of 40 done · waiting for a worker" in re.sub(r"\s+", " ", re.sub("<[^>]+>", "", polled.text))
    with CaptureQueriesContext(connection) as queries:
        client.get(at(run, "/progress"))
    assert len(queries) <= 6
    work_on_run(run.pk)
    last = client.get(at(run, "/progress"))
    assert (last.status_code, last["HX-Refresh"]) == (286, "true")
    assert "hx-trigger" not in last.text
    assert "hx-trigger" not in page(client, at(run)).partition("<main")[2]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?q=QUESTION 3", ["k3", *(f"k{number}" for number in range(30, 40))]),
        ("?passed=false&group=refund", [f"k{number}" for number in range(1, 24, 2) if number != 3]),
        ("?group=billing&passed=false", []),
        ("?status=errored", ["k3"]),
        ("?scorer=says-yes&scorer_passed=false", [f"k{number}" for number in range(1, 24, 2) if number != 3]),
        ("?changed=true", [f"k{number}" for number in range(1, 24, 2)]),
    ],
)
def test_filters_in_the_address(query: str, expected: list[str], worse: Run, client_of: MemberClient) -> None:
    text = page(client_of(Role.VIEWER), at(worse, query))
    assert shown(text) == expected
    assert 'class="chips"' in text
    exported = html.unescape(re.search(r'href="(/api/v1/[^"]*export[^"]*)"', text)[1]) if expected else ""  # type: ignore[index]
    if exported:
        assert client_of(Role.VIEWER).get(exported).getvalue().count(b"\r\n") == len(expected) + 1  # type: ignore[attr-defined]


def test_a_form_with_empty_fields_leads_to_the_clean_address(worse: Run, client_of: MemberClient) -> None:
    sent = "?q=&passed=false&status=&scorer=&scorer_passed=false&group=&changed="
    answer = client_of(Role.VIEWER).get(at(worse, sent))
    assert (answer.status_code, answer["Location"]) == (302, at(worse, "?passed=false#results"))


@pytest.mark.parametrize("query", ["?status=well", "?passed=maybe", "?q=" + "x" * 1001, "?group=a%00b"])
def test_bad_filters_are_told_and_are_no_fault_of_ours(query: str, worse: Run, client_of: MemberClient) -> None:
    text = page(client_of(Role.VIEWER), at(worse, query), 422)
    assert "notice-bad" in text
    assert shown(text) == []


def test_pages_of_results(row: Eval, client_of: MemberClient) -> None:
    run = finished(row, trials=1)
    Run.objects.filter(pk=run.pk).update(trials=2)
    client = client_of(Role.VIEWER)
    assert len(shown(page(client, at(run)))) == 40
    assert shown(page(client, at(run, "?offset=38"))) == ["k38", "k39"]
    assert "There is nothing on this page" in page(client, at(run, "?offset=4000"))
    assert len(shown(page(client, at(run, "?offset=-1")))) == 40


def test_the_acts_and_who_is_offered_them(worse: Run, client_of: MemberClient) -> None:
    editor, viewer = client_of(Role.EDITOR), client_of(Role.VIEWER)
    text = page(editor, at(worse))
    for act in ("/retry", "/baseline"):
        assert f'action="{at(worse, act)}"' in text
        assert f'action="{at(worse, act)}"' not in page(viewer, at(worse))
        assert viewer.post(at(worse, act)).status_code == 403
    assert f"/compare?run={worse.public_id}&amp;baseline={worse.eval.baseline_run.public_id}" in text  # type: ignore[union-attr]
    assert editor.post(at(worse, "/baseline")).status_code == 302
    assert Eval.objects.get(pk=worse.eval_id).baseline_run_id == worse.pk
    assert "Set as baseline" not in page(editor, at(worse))
    assert editor.post(at(worse, "/retry")).status_code == 302
    worse.refresh_from_db()
    assert (worse.status, worse.results.filter(state="pending").count()) == ("queued", 1)
    assert editor.post(at(worse, "/cancel")).status_code == 302
    worse.refresh_from_db()
    assert worse.status == "canceled"
    assert "The run was canceled" in page(editor, at(worse))


def test_an_act_that_comes_too_late_is_told(worse: Run, client_of: MemberClient) -> None:
    client = client_of(Role.EDITOR)
    answer = client.post(at(worse, "/cancel"), follow=True)
    assert answer.status_code == 200
    assert "The run has ended already." in answer.text


def test_runs_of_others_are_not_there(worse: Run, stranger: Client, client_of: MemberClient) -> None:
    for rest in ("", "/progress"):
        assert stranger.get(at(worse, rest)).status_code == 404
    for rest in ("/cancel", "/retry", "/baseline", "/rescore"):
        assert stranger.post(at(worse, rest)).status_code == 404
        assert client_of(Role.EDITOR).get(at(worse, rest)).status_code == 405
    assert client_of(Role.OWNER).get(f"/evals/{worse.eval.public_id}/runs/evrun_0000000000000000").status_code == 404


def test_answers_and_names_are_text(project: Project, client_of: MemberClient) -> None:
    row = eval_of_forty(project, {"type": "contains", "name": HOSTILE[:40], "value": "yes"}, name=HOSTILE)
    row.dataset.items.all().update(metadata={"kind": HOSTILE})
    run = finished(row, lambda _: HOSTILE, name=HOSTILE)
    text = page(client_of(Role.EDITOR), at(run))
    assert "alert(1)" in text
    assert "<script>alert" not in text
    assert "<img src=x" not in text


def test_all_errored_is_no_zero(row: Eval, client_of: MemberClient) -> None:
    read = words(page(client_of(Role.VIEWER), at(finished(row, lambda _: None))))
    assert "no pass rate 0 scored · 40 errored" in read
    assert "0.0 % of 40 results scored" in read


def test_the_number_of_queries(worse: Run, client_of: MemberClient) -> None:
    client = client_of(Role.VIEWER)
    for query in ("", "?changed=true"):
        with CaptureQueriesContext(connection) as queries:
            page(client, at(worse, query))
        assert len(queries) <= 10, [query["sql"][:120] for query in queries]


def test_several_trials_say_what_the_rate_is_over(row: Eval, client_of: MemberClient) -> None:
    run = started(row, trials=2, outputs=[*answers(), *answers(lambda _: "no")])
    work_on_run(run.pk)
    text = page(client_of(Role.VIEWER), at(run))
    assert "over 40 items × 2 trials" in text
    assert "trial 2" in text
    assert "40 items × 2 trials" in words(text)


def test_the_same_answers_are_scored_again(worse: Run, client_of: MemberClient) -> None:
    row = worse.eval
    row.scorers = [{"type": "contains", "name": "says-no", "value": "no"}]
    row.save()
    editor = client_of(Role.EDITOR)
    assert f'action="{at(worse, "/rescore")}"' in page(editor, at(worse))
    assert client_of(Role.VIEWER).post(at(worse, "/rescore")).status_code == 403
    answer = editor.post(at(worse, "/rescore"))
    new = Run.objects.get(rescore_of=worse)
    assert (answer.status_code, answer["Location"]) == (302, at(new))
    work_on_run(new.pk)
    assert "11 of 39 · 1 errored" in words(page(editor, at(new)))
    assert f'href="{at(worse)}"' in page(editor, at(new))


def test_a_re_score_that_cannot_be_is_told(worse: Run, client_of: MemberClient) -> None:
    Run.objects.filter(pk=worse.pk).update(status="canceled")
    answer = client_of(Role.EDITOR).post(at(worse, "/rescore"), follow=True)
    assert "Only a completed run can be scored again." in answer.text
    assert not Run.objects.filter(rescore_of=worse).exists()
