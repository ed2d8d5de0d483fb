"""The compare page: which runs it takes, what it says of them, what it asks before it does, and what it costs."""

import html
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Role
from accounts.models import Project
from evaluations.models import DatasetItem, Eval, Run
from evaluations.queries.comparisons import kept_comparison
from evaluations.web import compare as compare_page
from tests.evaluations.cases import PASSES, dataset_of, eval_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.web.comparisons import WORDS, completed, completed_from, eval_with_kinds, labelled, pair

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"


@pytest.fixture
def client(client_of: MemberClient) -> Client:
    return client_of(Role.VIEWER)


def address(row: Eval, new: Run | None = None, base: Run | None = None, rest: str = "") -> str:
    runs = f"?run={new.public_id}&baseline={base.public_id}" if new and base else "?"
    return f"/evals/{row.public_id}/compare{runs}{rest}"


def page(client: Client, where: str, status: int = 200) -> str:
    answer = client.get(where)
    assert answer.status_code == status, answer.text
    return answer.text


def words(text: str) -> str:
    """What a reader reads, in one line."""
    main = text[text.index("<main") :]
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", main)))


def test_the_answer_stands_first_with_the_numbers_behind_it(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 30)
    base, new = pair(row, 30, {**dict.fromkeys(range(0, 24, 3), "no"), 1: None})
    DatasetItem.objects.filter(key="k29").update(content_hash="edited")
    edited = completed(row, ["yes"] * 29 + ["no"], name="edited")
    text = words(page(client, address(row, new, base)))
    assert "Worse overall: −27.6 points (−45.7 … −10.2), p .008 over 29 shared items. refund is worse: −80.0" in text
    assert "Shared29 in both runs" in text.replace(" 29", "29")
    assert re.search(r"Excluded ?1 errored", text)
    assert "Had all that were not scored gone one way: −30.0 … −23.3 points." in text
    assert "With 29 items: changes of 26 points or more would be found four times in five." in text
    again = words(page(client, address(row, edited, base)))
    assert re.search(r"Edited ?1 question", again)
    assert "No clear difference overall" in again


def test_every_figure_stands_in_the_table(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 30)
    base, new = pair(row, 30, dict.fromkeys(range(0, 24, 3), "no"))
    text = page(client, address(row, new, base))
    rows = re.findall(r'<tr class="scope-(\w+)">(.*?)</tr>', text)
    cells = [
        [scope, *(words(f"<main{cell}") for cell in re.findall(r"<t[hd][^>]*(>.*?)</t[hd]>", row))]
        for scope, row in rows
    ]
    plain = [[cell.replace("<main>", "").strip() for cell in row] for row in cells]
    assert [row[:2] for row in plain[:3]] == [["all", "All items"], ["scorer", "says-yes"], ["group", "account"]]
    (refund,) = [row for row in plain if row[1] == "refund"]
    assert refund[2:] == [
        "100.0 %", "20.0 %", "−80.0 pts", "−94.3 … −38.4", ".008", ".023", "0", "8", "10", "Worse",
    ]  # fmt: skip
    heat = re.search(r'<table class="table heat">(.*?)</table>', text, re.DOTALL)
    assert heat is not None
    assert heat.group(1).count("worse-3 significant") == 4
    assert heat.group(1).index("refund") < heat.group(1).index("account")


def test_without_runs_in_the_address_it_takes_the_newest_and_its_baseline(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 3)
    first, second = pair(row, 3)
    assert client.get(address(row))["Location"].endswith(f"run={second.public_id}&baseline={first.public_id}")
    third = completed(row, ["yes"] * 3, baseline_run_id=first.public_id)
    assert client.get(address(row))["Location"].endswith(f"run={third.public_id}&baseline={first.public_id}")
    only_run = client.get(f"/evals/{row.public_id}/compare?run={second.public_id}&tab=improved")
    assert only_run["Location"].endswith(f"run={second.public_id}&baseline={first.public_id}&tab=improved")
    oldest = client.get(f"/evals/{row.public_id}/compare?run={first.public_id}")
    assert f"baseline={third.public_id}" in oldest["Location"]


def test_an_eval_with_one_run_says_what_to_do(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 3)
    assert "fewer than two completed runs" in words(page(client, address(row)))
    completed(row, ["yes"] * 3)
    assert "fewer than two completed runs" in words(page(client, address(row)))


@pytest.mark.parametrize("status", [Run.Status.RUNNING, Run.Status.CANCELED])
def test_what_cannot_be_compared_is_said_at_its_field(project: Project, client: Client, status: str) -> None:
    row, other = eval_with_kinds(project, 3), eval_of(project, dataset_of(project, *labelled(1), name="b"), name="b")
    base, new = pair(row, 3)
    foreign = completed(other, ["yes"])
    text = page(client, f"/evals/{row.public_id}/compare?run={new.public_id}&baseline={foreign.public_id}", 422)
    assert 'id="compare-baseline-error"' in text
    assert "This eval has no run with this identifier." in text
    assert f'<option value="{foreign.public_id}" selected>' in text
    Run.objects.filter(pk=base.pk).update(status=status)
    assert f"This run is {status}, not completed." in page(client, address(row, new, base), 422)
    assert "compared with itself" in page(client, address(row, new, new), 422)


@pytest.mark.parametrize(
    "rest",
    ["&page=0", "&page=x", "&page=99999999999", "&page=\u0661", "&tab=x", "&kind=%00", "&with=evrun_x", "&run=%00"],
)
def test_bad_input_is_refused_and_nothing_is_compared(project: Project, client: Client, rest: str) -> None:
    row = eval_with_kinds(project, 3)
    base, new = pair(row, 3)
    assert 'class="answer"' not in page(client, address(row, new, base, rest), 422)


def test_only_members_see_it(project: Project, client: Client, stranger: Client) -> None:
    row = eval_with_kinds(project, 3)
    base, new = pair(row, 3, {0: "no"})
    flip = f"&flip={new.results.get(item_key='k0').public_id}"
    parts = [
        where.replace("/compare?", f"/compare/{part}?")
        for part in ("flip", "spreads")
        for where in [address(row, new, base, flip)]
    ]
    for where in [address(row, new, base), *parts]:
        assert client.get(where).status_code == 200
        assert stranger.get(where).status_code == 404
        assert Client().get(where).status_code in {302, 401}
    assert client.get("/evals/eval_0000000000000000/compare").status_code == 404


def test_runs_that_were_not_judged_alike_need_a_click(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 3)
    base = completed(row, ["yes"] * 3)
    row.scorers = [{**PASSES, "value": "yes!"}]
    row.save()
    new = completed(row, ["yes"] * 3)
    before = page(client, address(row, new, base))
    assert "These scorers are not the same in both runs" in before
    assert "says-yes" in before
    assert 'class="answer"' not in before
    assert "−100.0" not in before
    accepted = re.search(r'href="([^"]*accept=1[^"]*)"', before)
    assert accepted is not None
    after = page(client, f"/evals/{row.public_id}/compare{html.unescape(accepted.group(1))}")
    assert 'class="answer"' in after
    assert "These scorers are not the same in both runs" in after
    assert "accept=1" in after[after.index('id="flips"') :]


def test_another_dataset_and_another_version_of_the_profile_are_named(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 3)
    base = completed(row, ["yes"] * 3)
    row.dataset = dataset_of(project, *labelled(3), name="others")
    row.save()
    new = completed(row, ["yes"] * 3)
    assert "The runs were made over different datasets." in page(client, address(row, new, base))
    for run, version in ((base, 1), (new, 2)):
        profile = {"id": "ours", "version": version, "document": {}}
        Run.objects.filter(pk=run.pk).update(specification={**run.specification, "profile": profile})
    assert "judged by versions 2 and 1 of the profile" in page(client, address(row, new, base))


def test_names_answers_and_reasons_are_text(project: Project, client: Client) -> None:
    items = labelled(4, input=HOSTILE)
    for item in items:
        item["metadata"] = {"kind": HOSTILE}
    row = eval_of(project, dataset_of(project, *items), {**PASSES, "name": HOSTILE[:60]}, name=HOSTILE, group_by="kind")
    base = completed(row, ["yes " + HOSTILE] * 4, name=HOSTILE)
    new = completed(row, ["no " + HOSTILE] * 4, name=HOSTILE)
    text = page(client, address(row, new, base, f"&kind={HOSTILE}&with={base.public_id}"))
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert html.escape(HOSTILE) in text


def test_a_comparison_that_the_baseline_outlived_is_made_anew(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 3)
    base = completed(row, ["yes"] * 3)
    new = completed(row, ["no"] * 3, baseline_run_id=base.public_id)
    stored = {**new.aggregates, "baseline": {**new.aggregates["baseline"], "edited_item_count": 77}}
    Run.objects.filter(pk=new.pk).update(aggregates=stored)
    assert re.search(r"Edited ?77 ", words(page(client, address(row, new, base))))
    # Somebody tried the baseline's errored results again.
    assert new.finished_at is not None
    Run.objects.filter(pk=base.pk).update(finished_at=new.finished_at + timedelta(seconds=1))
    assert re.search(r"Edited ?0 ", words(page(client, address(row, new, base))))


def test_what_is_kept_goes_when_a_run_ends_again(project: Project) -> None:
    row = eval_with_kinds(project, 3)
    base, new = pair(row, 3)
    assert kept_comparison(new, base)["flipped"]["regressed"] == 0
    new.results.filter(item_key="k0").update(passed=False)
    assert kept_comparison(new, base)["flipped"]["regressed"] == 0
    assert new.finished_at is not None
    new.finished_at = new.finished_at + timedelta(seconds=1)
    assert kept_comparison(new, base)["flipped"]["regressed"] == 1


def test_how_far_scores_moved_is_fetched_or_asked_for(project: Project, client: Client) -> None:
    row = eval_of(project, dataset_of(project, *labelled(6)), WORDS, group_by="kind")
    base = completed(row, ["order refund"] * 6)
    new = completed(row, ["order", "order refund today", *["order refund"] * 4])
    first = page(client, address(row, new, base))
    assert 'hx-trigger="load"' in first
    asked = page(client, address(row, new, base, "&charts=1"))
    assert "1 lower, 4 the same, 1 higher." in asked
    part = page(client, address(row, new, base).replace("/compare?", "/compare/spreads?"))
    assert "1 lower, 4 the same, 1 higher." in part
    assert "<main" not in part
    # It is kept, and stands on the page from then on.
    assert "1 lower, 4 the same, 1 higher." in page(client, address(row, new, base))


def test_parts_without_their_runs_are_refused(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 3)
    base, new = pair(row, 3)
    for part in ("flip", "spreads"):
        assert client.get(f"/evals/{row.public_id}/compare/{part}?run={new.public_id}").status_code == 400
        assert client.get(f"/evals/{row.public_id}/compare/{part}?run=x&baseline=y").status_code == 400
    without = address(row, new, base).replace("/compare?", "/compare/flip?")
    assert client.get(without).status_code == 400
    assert client.get(f"{without}&flip=evres_0000000000000000").status_code == 404


def test_more_runs_stand_side_by_side(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 6)
    base, new = pair(row, 6)
    third = completed(row, ["no", *[None] * 5], name="third")
    text = page(client, address(row, new, base))
    assert "Add to the overview" in text
    assert 'aria-label="Runs side by side"' not in text
    beside = page(client, address(row, new, base, f"&with={third.public_id}"))
    assert "0.0 %1 scored · 5 errored" in words(beside)
    assert "Add to the overview" not in beside
    many = "".join(f"&with={third.public_id[:-1]}{number}" for number in range(5))
    assert "At most 6 runs" in page(client, address(row, new, base, many), 422)


def test_a_long_table_lists_the_scorers_of_one_kind(
    project: Project, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = eval_with_kinds(project, 6)
    base, new = pair(row, 6)
    monkeypatch.setattr(compare_page, "MOST_CELLS", 2)
    text = page(client, address(row, new, base))
    assert "too many scorers of kinds" in text
    assert text.count('class="scope-cell"') == 0
    assert text.count('class="scope-group"') == 3
    one = page(client, address(row, new, base, "&kind=refund"))
    assert (one.count('class="scope-cell"'), one.count('class="scope-group"')) == (1, 1)


def test_it_costs_the_same_for_a_few_flips_and_for_many(project: Project, client: Client) -> None:
    def queries(changed: int) -> int:
        row = eval_with_kinds(project, 60)
        base, new = pair(row, 60, dict.fromkeys(range(changed), "no"))
        page(client, address(row, new, base))
        with CaptureQueriesContext(connection) as captured:
            page(client, address(row, new, base))
        wide = [query["sql"] for query in captured if '"evaluations_result"."observation"' in query["sql"]]
        assert len(wide) == 2, wide
        row.delete()
        row.dataset.delete()
        return len(captured)

    few, many = queries(2), queries(59)
    assert few == many
    assert many <= 18


def test_forty_kinds_and_seven_scorers_stay_under_300_kilobytes(project: Project, client: Client) -> None:
    items = labelled(80)
    for number, item in enumerate(items):
        item["metadata"] = {"kind": f"a kind of question with a name, number {number % 40}"}
    scorers = [{**PASSES, "name": f"a scorer with a name {number}"} for number in range(7)]
    row = eval_of(project, dataset_of(project, *items), *scorers, group_by="kind")
    base, new = pair(row, 80, dict.fromkeys(range(80), "no, " + "a rather long answer " * 200))
    text = page(client, address(row, new, base))
    assert text.count('class="scope-cell"') == 280
    assert len(text.encode()) < 300_000


def test_what_is_measured_stands_in_a_table_of_its_own(project: Project, client: Client) -> None:
    tokens = {"type": "output_tokens", "name": "tokens"}
    row = eval_of(project, dataset_of(project, *labelled(3)), PASSES, tokens)
    runs = []
    for count in (200, 100):
        sent = [
            {"item_key": f"k{number}", "observation": {"output": {"text": "yes"}, "usage": {"output_tokens": count}}}
            for number in range(3)
        ]
        runs.append(completed_from(row, sent))
    text = words(page(client, address(row, runs[1], runs[0])))
    assert "Measured without a score" in text
    assert re.search(r"tokens ?200 tokens ?100 tokens ?−100 tokens ?× 0\.5", text)
