"""The flips of a comparison: which results are of which kind, page by page, and one of them opened."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.actors import Role
from accounts.models import Project
from evaluations.models import DatasetItem, Eval, Run
from evaluations.queries.flips import (
    CHANGED_TEXT,
    IMPROVED,
    KINDS,
    NEWLY_ERRORED,
    REGRESSED,
    flip_counts,
    flip_page,
    flip_total,
)
from evaluations.web.compare_flips import answer_text, question_of
from tests.evaluations.cases import PASSES, dataset_of, eval_of
from tests.evaluations.conftest import MemberClient
from tests.evaluations.web.comparisons import WORDS, completed, eval_with_kinds, labelled, pair

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client_of: MemberClient) -> Client:
    return client_of(Role.VIEWER)


def page(client: Client, row: Eval, new: Run, base: Run, rest: str = "", *, part: str = "") -> str:
    where = f"/evals/{row.public_id}/compare{part}?run={new.public_id}&baseline={base.public_id}{rest}"
    answer = client.get(where)
    assert answer.status_code == 200, answer.text
    return answer.text


def keys(new: Run, base: Run, kind: str, number: int = 1, group: str | None = None) -> list[str | None]:
    found = flip_page(new, base, kind, number, group)
    assert all(flip.before.item_key == flip.after.item_key for flip in found)
    assert all((flip.before.run_id, flip.after.run_id) == (base.pk, new.pk) for flip in found)
    return [flip.after.item_key for flip in found]


def test_each_result_is_of_one_kind_at_most(project: Project) -> None:
    row = eval_with_kinds(project, 8)
    base = completed(row, ["yes", "no", "yes", None, "no", "yes", "yes", "yes"])
    DatasetItem.objects.filter(key="k5").update(content_hash="edited")
    DatasetItem.objects.filter(key="k6").delete()
    dataset_item = {"key": "k8", "content_hash": "8", "input": [], "search_text": "", "position": 8}
    DatasetItem.objects.create(dataset=row.dataset, **dataset_item)
    sent = {"k0": "no", "k1": "yes", "k3": "yes", "k4": "no, never", "k5": "no", "k7": "yes", "k8": "no"}
    new = completed_with(row, sent)
    assert keys(new, base, REGRESSED) == ["k0"]
    assert keys(new, base, IMPROVED) == ["k1"]
    assert keys(new, base, NEWLY_ERRORED) == ["k2"]
    assert keys(new, base, CHANGED_TEXT) == ["k4"]
    assert flip_counts(new, base) == dict.fromkeys(KINDS, 1)
    # The other way round what errored is settled again, which is neither a gain nor a loss.
    assert keys(base, new, REGRESSED) == ["k1"]
    assert keys(base, new, NEWLY_ERRORED) == ["k3"]


def completed_with(row: Eval, outputs: dict[str, str]) -> Run:
    """A run of these answers by key, in whatever order the keys have; the others never came."""
    numbers = range(1 + max(int(key[1:]) for key in outputs))
    return completed(row, [outputs.get(f"k{number}") for number in numbers])


def test_without_verdicts_the_score_is_what_moves(project: Project) -> None:
    row = eval_of(project, dataset_of(project, *labelled(3)), WORDS)
    base = completed(row, ["order refund"] * 3)
    new = completed(row, ["order", "order refund today", "refund order"])
    for run in (base, new):
        run.results.update(passed=None)
    assert keys(new, base, REGRESSED) == ["k0"]
    assert keys(new, base, IMPROVED) == ["k1"]
    assert keys(new, base, CHANGED_TEXT) == ["k2"]


def test_results_that_errored_twice_without_an_answer_changed_no_text(project: Project) -> None:
    row = eval_with_kinds(project, 2)
    base, new = completed(row, [None, "yes"]), completed(row, [None, "yes"])
    assert flip_counts(new, base) == dict.fromkeys(KINDS, 0)


def test_an_answer_that_was_missing_before_is_another_text(project: Project) -> None:
    number = {"type": "numeric_range", "name": "n", "value_path": "object.n", "min": 0, "max": 10}
    row = eval_of(project, dataset_of(project, *labelled(1)), number)
    base, new = completed(row, [None]), completed(row, ["no number in here"])
    assert keys(new, base, CHANGED_TEXT) == keys(base, new, CHANGED_TEXT) == ["k0"]


def test_another_time_or_cost_is_no_other_text(project: Project) -> None:
    row = eval_with_kinds(project, 2)
    base, new = completed(row, ["yes", "yes"]), completed(row, ["yes", "Yes"])
    first = new.results.get(item_key="k0")
    first.observation = {**first.observation, "timing": {"latency_ms": 12}}
    first.save()
    assert keys(new, base, CHANGED_TEXT) == ["k1"]


def test_a_page_has_twenty_five_and_a_group_its_own(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 60)
    base, new = pair(row, 60, dict.fromkeys(range(60), "no"))
    assert keys(new, base, REGRESSED) == [f"k{number}" for number in range(25)]
    assert keys(new, base, REGRESSED, 3) == [f"k{number}" for number in range(50, 60)]
    assert keys(new, base, REGRESSED, 1, "refund") == [f"k{number}" for number in range(0, 60, 3)]
    assert flip_total(new, base, REGRESSED, "refund") == 20
    first = page(client, row, new, base)
    assert "1 to 25 of 60" in first
    assert "?run" not in "".join(re.findall(r'rel="prev" href="([^"]*)', first))
    assert "page=2" in first
    last = page(client, row, new, base, "&page=3")
    assert "51 to 60 of 60" in last
    assert "page=4" not in last
    assert "1 to 20 of 20" in page(client, row, new, base, "&kind=refund")
    assert "There is no such page any more." in page(client, row, new, base, "&page=9")


def test_the_first_flip_stands_open_and_the_others_can_be_asked_for(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 4)
    base, new = pair(row, 4, {0: "no, of course", 3: "no, of course"})
    text = page(client, row, new, base)
    assert text.count("<del>yes</del>") == 1
    assert text.count("<ins>no</ins>") == 1
    second = new.results.get(item_key="k3").public_id
    part = page(client, row, new, base, f"&flip={second}", part="/flip")
    assert "<main" not in part
    assert "<del>yes</del>, of course" in part
    assert "<ins>no</ins>, of course" in part
    assert part.index("<del>") < part.index("<ins>")
    opened = page(client, row, new, base, f"&flip={second}")
    assert re.findall(r'<details class="flip" id="flip-(evres_\w+)" data-address open>', opened) == [second]


def test_both_runs_reasons_stand_side_by_side_the_changed_ones_first(project: Project, client: Client) -> None:
    same = {**PASSES, "name": "says-course", "value": "course"}
    row = eval_of(project, dataset_of(project, *labelled(1)), same, PASSES)
    base, new = completed(row, ["yes, of course"]), completed(row, ["no, of course"])
    text = page(client, row, new, base)
    reasons = text[text.index("Reasons of both runs") :]
    assert reasons.index("says-yes") < reasons.index("says-course")
    assert "was found at 0." in reasons
    assert "was not found in the output." in reasons


def test_an_error_says_what_happened(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 1)
    base, new = pair(row, 1, {0: None})
    text = page(client, row, new, base, "&tab=errored")
    assert "No output was sent for this item." in text
    assert "The text is empty." in text


def test_a_long_answer_is_compared_in_bounded_time_and_says_what_is_left_out(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 1)
    base = completed(row, ["yes " + "word " * 4000])
    new = completed(row, ["no " + "term " * 4000])
    text = page(client, row, new, base)
    assert "14,004 more characters are not compared here." in text
    assert len(text) < 100_000


def test_each_trial_is_paired_with_its_own(project: Project, client: Client) -> None:
    row = eval_with_kinds(project, 2)
    base, new = completed(row, ["yes", "yes"]), completed(row, ["yes", "yes"])
    for run in (base, new):
        for result in list(run.results.all()):
            result.pk, result.public_id, result.trial = None, f"{result.public_id[:-1]}-", 1
            result.save()
        run.trials = 2
        run.save()
    new.results.filter(item_key="k1", trial=1).update(passed=False)
    found = flip_page(new, base, REGRESSED, 1)
    assert [(flip.before.trial, flip.after.trial, flip.after.item_key) for flip in found] == [(1, 1, "k1")]
    assert "k1 · trial 2" in page(client, row, new, base)


class Recorded:
    """A result as far as its answer and question are asked for."""

    def __init__(self, observation: Any = None, frozen: Any = None) -> None:
        self.observation = observation
        self.frozen = frozen or {}


def test_an_answer_is_its_text_and_its_structured_form() -> None:
    assert answer_text(Recorded()) == ""
    assert answer_text(Recorded({"output": None})) == ""
    assert answer_text(Recorded({"output": {"text": "yes", "object": None}})) == "yes"
    assert answer_text(Recorded({"output": {"object": {"a": "é"}}})) == '{\n "a": "é"\n}'
    assert answer_text(Recorded({"output": {"text": "yes", "object": [1]}})) == "yes\n[\n 1\n]"


def test_a_question_is_what_its_messages_say() -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]
    assert question_of(Recorded(frozen={"input": messages})) == "Be brief.\nWhy?"
    assert question_of(Recorded(frozen={"input": "Why?"})) == "Why?"
    assert question_of(Recorded(frozen={"input": [{"content": [{"type": "text"}]}]})) == '[{"type": "text"}]'
