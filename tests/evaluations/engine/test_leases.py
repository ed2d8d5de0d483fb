"""Who may work on a result, for how long, and what becomes of it when a worker does not come back."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now

from accounts.actors import COMMAND_LINE
from accounts.models import Project
from evaluations import jobs
from evaluations.engine import leases
from evaluations.engine.settling import run_settle
from evaluations.engine.storing import fail_row, settle_row, store_answers, store_verdicts
from evaluations.engine.sweeping import give_up, runs_to_wake, sweep
from evaluations.engine.working import work_on_run
from evaluations.item_scoring import ItemVerdict
from evaluations.models import Eval, Result, Run
from evaluations.services.runs import RunOrder, run_cancel, run_start
from tests.evaluations.cases import dataset_of, eval_of

pytestmark = pytest.mark.django_db
PASSED = ItemVerdict("scored", 1.0, True, [], [["says-yes", "scored", 1.0, True, None, None]])


@pytest.fixture
def row(project: Project) -> Eval:
    return eval_of(project, dataset_of(project, *({"key": f"k{number}"} for number in range(4))))


@pytest.fixture
def run(row: Eval) -> Run:
    outputs = [{"item_key": f"k{number}", "output": "yes"} for number in range(4)]
    return run_start(actor=COMMAND_LINE, row=row, order=RunOrder(outputs=outputs))


def expire(*keys: str) -> None:
    Result.objects.filter(item_key__in=keys).update(lease_until=Now() - timedelta(seconds=1))


def test_a_result_is_claimed_once_and_in_order(run: Run) -> None:
    first = leases.claim(run.pk, "a", 3)
    assert [(result.item_key, result.state, result.owner, result.attempts) for result in first] == [
        ("k0", "claimed", "a", 1), ("k1", "claimed", "a", 1), ("k2", "claimed", "a", 1),
    ]  # fmt: skip
    assert [result.item_key for result in leases.claim(run.pk, "b", 3)] == ["k3"]
    assert leases.claim(run.pk, "c", 3) == []


def test_an_expired_lease_is_somebody_elses_to_take(run: Run) -> None:
    leases.claim(run.pk, "a", 4)
    expire("k1")
    (again,) = leases.claim(run.pk, "b", 4)
    assert (again.item_key, again.owner, again.attempts) == ("k1", "b", 2)


def test_the_owner_keeps_its_leases_and_nobody_elses(run: Run) -> None:
    held = leases.claim(run.pk, "a", 4)
    expire("k0", "k1")
    leases.extend("b", [result.pk for result in held])
    assert [result.item_key for result in leases.claim(run.pk, "c", 1)] == ["k0"]
    leases.extend("a", [result.pk for result in held])
    assert leases.claim(run.pk, "d", 9) == []
    assert Result.objects.get(item_key="k0").owner == "c"


def test_what_died_with_a_worker_comes_after_what_nobody_tried(run: Run) -> None:
    leases.claim(run.pk, "a", 2)
    expire("k0", "k1")
    assert {result.item_key for result in leases.claim(run.pk, "b", 3)} == {"k0", "k2", "k3"}
    assert {result.item_key for result in leases.claim(run.pk, "c", 3)} == {"k1"}


def test_what_is_given_back_is_free_at_once_or_later_and_was_no_attempt(run: Run) -> None:
    held = leases.claim(run.pk, "a", 4)
    leases.release("a", [held[0].pk])
    leases.release("a", [held[1].pk], wait=timedelta(minutes=1))
    leases.release("somebody else", [held[2].pk])
    (again,) = leases.claim(run.pk, "b", 9)
    assert (again.item_key, again.attempts) == ("k0", 1)
    assert Result.objects.get(item_key="k1").attempts == 0


def test_a_worker_that_lost_its_lease_writes_nothing(run: Run) -> None:
    held = leases.claim(run.pk, "zombie", 4)
    expire("k0")
    (stolen,) = leases.claim(run.pk, "second", 1)
    for result in held:
        settle_row(result, PASSED)
        result.observation = {"output": {"text": "from the zombie"}}
    assert [result.item_key for result in store_verdicts("zombie", held)] == ["k1", "k2", "k3"]
    now = Result.objects.get(pk=stolen.pk)
    assert (now.state, now.owner, now.observation, now.status) == ("claimed", "second", None, "")


def test_an_answer_is_stored_before_it_is_scored_and_not_asked_for_again(run: Run) -> None:
    held = leases.claim(run.pk, "a", 4)[0]
    held.observation = {"output": {"text": "yes"}}
    assert store_answers("a", [held]) == [held]
    expire("k0")
    (again,) = leases.claim(run.pk, "b", 1)
    assert (again.state, again.observation) == ("generated", {"output": {"text": "yes"}})


def test_nothing_is_stored_of_a_canceled_run(run: Run) -> None:
    held = leases.claim(run.pk, "a", 1)
    run_cancel(actor=COMMAND_LINE, run=run)
    settle_row(held[0], PASSED)
    assert store_verdicts("a", held) == []
    assert leases.claim(run.pk, "b", 1) == []
    assert set(Result.objects.values_list("state", flat=True)) == {"canceled"}


def test_a_result_that_kills_three_workers_is_an_error_and_the_run_ends(run: Run) -> None:
    Result.objects.exclude(item_key="k0").delete()
    for number in range(leases.MOST_ATTEMPTS):
        assert leases.claim(run.pk, f"victim {number}", 1)[0].item_key == "k0"
        assert give_up() == 0
        expire("k0")
    assert leases.claim(run.pk, "careful", 1) == []
    assert give_up() == 1
    work_on_run(run.pk)
    run.refresh_from_db()
    dead = Result.objects.get(item_key="k0")
    assert (run.status, dead.status, dead.error["code"]) == ("completed", "errored", "worker_crashed")
    assert run.aggregates["errored_item_count"] == 1


def test_a_run_is_settled_once_and_only_when_all_is_done(run: Run) -> None:
    held = leases.claim(run.pk, "a", 4)
    assert not run_settle(run.pk)
    for result in held:
        settle_row(result, PASSED)
    store_verdicts("a", held)
    assert run_settle(run.pk)
    settled = Run.objects.get()
    assert run_settle(run.pk)
    assert Run.objects.get().finished_at == settled.finished_at
    assert (settled.status, settled.pass_rate) == ("completed", 1)


def test_the_sweeper_settles_what_a_killed_worker_left_done(run: Run) -> None:
    held = leases.claim(run.pk, "a", 4)
    for result in held:
        fail_row(result, {"code": "x", "message": "x"})
    store_verdicts("a", held)
    sweep()
    assert Run.objects.get().status == "completed"


def test_the_sweeper_wakes_a_worker_for_runs_that_nobody_works_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rung: list[int] = []
    monkeypatch.setattr(jobs, "wake", rung.append)
    sweep()
    sweep()
    assert rung == [run.pk]
    Run.objects.update(woken_at=Now() - timedelta(minutes=1))
    leases.claim(run.pk, "a", 1)
    assert runs_to_wake() == []
    expire("k0")
    assert runs_to_wake() == [run.pk]


def test_a_worker_stops_when_its_time_is_over_and_gives_back(run: Run, settings: Any) -> None:
    assert not work_on_run(run.pk, seconds=-1)
    assert set(Result.objects.values_list("state", "owner")) == {("pending", "")}
    assert work_on_run(run.pk)


def test_the_same_wake_up_twice_does_nothing_twice(run: Run) -> None:
    assert work_on_run(run.pk)
    before = list(Result.objects.values_list("pk", "finished_at", "attempts"))
    assert work_on_run(run.pk)
    assert list(Result.objects.values_list("pk", "finished_at", "attempts")) == before
    assert Result.objects.count() == 4
