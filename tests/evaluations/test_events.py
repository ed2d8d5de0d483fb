"""A run that ends is written down for the webhooks that want to know, with its end and once."""

from typing import Any

import pytest

from accounts.actors import COMMAND_LINE
from accounts.models import Project
from evaluations.engine import settling
from evaluations.engine.settling import run_fail, run_settle
from evaluations.engine.sweeping import sweep
from evaluations.engine.working import work_on_run
from evaluations.models import Eval, Result, Run, WebhookDelivery
from evaluations.services.runs import RunIsFinal, RunOrder, run_cancel, run_retry_errored, run_start
from foundation import times
from tests.evaluations.cases import dataset_of, eval_of, webhook_of

pytestmark = pytest.mark.django_db
URL = "http://127.0.0.1:1/hook"


@pytest.fixture
def row(project: Project) -> Eval:
    return eval_of(project, dataset_of(project, *({"key": f"k{n}"} for n in range(3))), pass_threshold=0.5)


def started(row: Eval, *outputs: str, **order: Any) -> Run:
    given = [{"item_key": f"k{n}", "output": text} for n, text in enumerate(outputs)]
    return run_start(actor=COMMAND_LINE, row=row, order=RunOrder(outputs=given, **order))


def told() -> list[tuple[str, str]]:
    return [(row.event, row.payload["run"]["id"]) for row in WebhookDelivery.objects.order_by("pk")]


def test_a_completed_run_is_told_with_its_figures(row: Eval, project: Project) -> None:
    base = started(row, "yes", "no", "no")
    work_on_run(base.pk)
    webhook_of(project, URL)
    run = started(row, "yes", "yes", name="second", baseline_run_id=base.public_id)
    work_on_run(run.pk)
    (delivery,) = WebhookDelivery.objects.all()
    run.refresh_from_db()
    assert run.aggregates["baseline"]["verdict"]
    assert delivery.payload == {
        "id": delivery.public_id,
        "event": "eval_run.completed",
        "created_at": times.iso(delivery.created_at),
        "project_id": project.public_id,
        "eval": {"id": row.public_id, "name": "ours"},
        "run": {
            "id": run.public_id,
            "name": "second",
            "status": "completed",
            "passed": False,
            "pass_rate": 1.0,
            "item_count": 3,
            "completed_count": 2,
            "errored_count": 1,
            "error": None,
            "baseline": {
                "verdict": run.aggregates["baseline"]["verdict"],
                "pass_rate_delta": 0.5,
                "p_value": run.aggregates["baseline"]["p_value"],
            },
        },
    }
    assert (delivery.event, delivery.state, delivery.attempts) == ("eval_run.completed", "pending", 0)


def test_a_run_is_told_once_however_often_it_is_settled(row: Eval, project: Project) -> None:
    webhook_of(project, URL)
    run = started(row, "yes")
    work_on_run(run.pk)
    work_on_run(run.pk)
    run_settle(run.pk)
    sweep()
    run_fail(run.pk, code="late", message="Late.")
    with pytest.raises(RunIsFinal):
        run_cancel(actor=COMMAND_LINE, run=run)
    assert told() == [("eval_run.completed", run.public_id)]
    assert WebhookDelivery.objects.get().payload["run"]["baseline"] is None


def test_two_who_settle_at_once_tell_once(row: Eval, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    webhook_of(project, URL)
    run = started(row, "yes")
    real = settling.aggregates_of

    def slow(run: Run) -> dict[str, Any]:
        monkeypatch.setattr(settling, "aggregates_of", real)
        # The other one is done in between.
        run_settle(run.pk)
        return real(run)

    monkeypatch.setattr(settling, "aggregates_of", slow)
    work_on_run(run.pk)
    assert told() == [("eval_run.completed", run.public_id)]


def test_failed_and_canceled_runs_are_told(row: Eval, project: Project) -> None:
    webhook_of(project, URL)
    failed, canceled = started(row, "yes"), started(row, "yes")
    run_fail(failed.pk, code="cannot_start", message="The provider is gone.")
    run_cancel(actor=COMMAND_LINE, run=canceled)
    assert told() == [("eval_run.failed", failed.public_id), ("eval_run.canceled", canceled.public_id)]
    payload = WebhookDelivery.objects.get(event="eval_run.failed").payload
    assert payload["run"]["error"] == {"code": "cannot_start", "message": "The provider is gone."}


def test_a_run_that_is_opened_again_ends_again(row: Eval, project: Project) -> None:
    webhook_of(project, URL)
    run = started(row, "yes", "yes")
    work_on_run(run.pk)
    run_retry_errored(actor=COMMAND_LINE, run=run)
    Result.objects.filter(run=run, state="pending").update(recorded={"observation": {"output": {"text": "yes"}}})
    work_on_run(run.pk)
    assert told() == [("eval_run.completed", run.public_id)] * 2
    assert [row.payload["run"]["errored_count"] for row in WebhookDelivery.objects.order_by("pk")] == [1, 0]


def test_only_who_wants_to_know_is_told(row: Eval, project: Project, other_project: Project) -> None:
    webhook_of(project, URL, active=False)
    webhook_of(project, URL, "eval_run.failed")
    webhook_of(other_project, URL)
    wanting = webhook_of(project, URL, "eval_run.completed")
    work_on_run(started(row, "yes").pk)
    assert [delivery.webhook_id for delivery in WebhookDelivery.objects.all()] == [wanting.pk]


def test_the_end_and_the_event_are_one(row: Eval, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run = started(row, "yes")

    def broken(run_id: int) -> None:
        raise RuntimeError

    monkeypatch.setattr(settling, "run_ended", broken)
    with pytest.raises(RuntimeError):
        work_on_run(run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.RUNNING
    monkeypatch.undo()
    webhook_of(project, URL)
    sweep()
    assert told() == [("eval_run.completed", run.public_id)]


def test_a_project_without_webhooks_costs_one_query(row: Eval, django_assert_num_queries: Any) -> None:
    run = started(row, "yes")
    Result.objects.filter(run=run).update(state="canceled")
    # Two savepoint statements, the run, what is undone, the results, the closing, the webhooks.
    with django_assert_num_queries(7):
        run_settle(run.pk)


@pytest.mark.parametrize("count", [1, 12])
def test_many_webhooks_take_as_many_queries_as_one(
    count: int, row: Eval, project: Project, django_assert_max_num_queries: Any
) -> None:
    for _ in range(count):
        webhook_of(project, URL)
    run = started(row, "yes")
    with django_assert_max_num_queries(12):
        run_fail(run.pk, code="x", message="X.")
    assert WebhookDelivery.objects.count() == count
