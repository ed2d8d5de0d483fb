"""What happens in a project that its webhooks are told of: written down with what happened, sent later."""

from collections.abc import Mapping
from typing import Any

from evaluations.models import Run, Webhook, WebhookDelivery
from evaluations.queries.runs import progress_of
from foundation import times

EVENT_OF: Mapping[str, str] = {
    Run.Status.COMPLETED: "eval_run.completed",
    Run.Status.FAILED: "eval_run.failed",
    Run.Status.CANCELED: "eval_run.canceled",
}
EVENTS = tuple(EVENT_OF.values())
PING = "ping"


def run_ended(run_id: int) -> None:
    """Write a delivery for each active webhook of the run's project that wants to know how it ended.

    Call it inside the transaction that closes the run, where that changed a row: then the event is
    as certain as the end, and there is one. A run that was opened again ends again, and is told again.
    """
    # Locked, as one that is deleted meanwhile would take this transaction down with it.
    mine = Webhook.objects.filter(project__evals__runs=run_id, active=True).order_by("pk")
    webhooks = list(mine.select_for_update(of=("self",), no_key=True))
    if not webhooks:
        return
    run = Run.objects.select_related("eval__project").get(pk=run_id)
    event = EVENT_OF[run.status]
    ended = "" if run.finished_at is None else times.iso(run.finished_at)
    told = {
        "project_id": run.eval.project.public_id,
        "eval": {"id": run.eval.public_id, "name": run.eval.name},
        "run": _run_document(run),
    }
    now = times.now()
    rows = []
    for webhook in webhooks:
        if event in webhook.events:
            row = WebhookDelivery(webhook=webhook, event=event, subject=f"{run.public_id}@{ended}", next_at=now)
            row.payload = event_document(row, told)
            rows.append(row)
    WebhookDelivery.objects.bulk_create(rows)


def event_document(row: WebhookDelivery, told: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent: the delivery's identifier, which stays the same when it is sent again, and what is told."""
    return {"id": row.public_id, "event": row.event, "created_at": times.iso(row.created_at), **told}


def _run_document(run: Run) -> dict[str, Any]:
    """The run with its figures. The counts are of results, items times trials."""
    progress = progress_of([run])[run.pk]
    compared = (run.aggregates or {}).get("baseline")
    return {
        "id": run.public_id,
        "name": run.name,
        "status": run.status,
        "passed": run.passed,
        "pass_rate": run.pass_rate,
        "item_count": run.item_count,
        "completed_count": progress.completed,
        "errored_count": progress.errored,
        "error": run.error,
        "baseline": compared and {name: compared[name] for name in ("verdict", "pass_rate_delta", "p_value")},
    }
