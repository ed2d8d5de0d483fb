"""Two completed runs of an eval, made by the real engine from recorded outputs, for the tests of the compare page."""

from collections.abc import Mapping, Sequence
from typing import Any

from accounts.actors import COMMAND_LINE
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import Eval, Run
from evaluations.services.runs import RunOrder, run_start
from tests.evaluations.cases import PASSES, dataset_of, eval_of

WORDS = {
    "type": "keyword_contains",
    "name": "words",
    "keywords": ["order", "refund", "today", "tomorrow"],
    "match_mode": "all",
    "partial_credit": True,
    "pass_threshold": 0.25,
}
"""Scores the share of these words, so that its scores are more than passes and fails."""
KINDS = ("refund", "shipping", "account")


def labelled(count: int, **columns: Any) -> list[dict[str, Any]]:
    """Items k0, k1, … of three kinds in turn."""
    return [
        {"key": f"k{number}", "content_hash": str(number), "metadata": {"kind": KINDS[number % 3]}, **columns}
        for number in range(count)
    ]


def eval_with_kinds(project: Project, count: int = 12, **columns: Any) -> Eval:
    """An eval over `count` items that looks for a yes, grouped by their kind."""
    given = {"pass_threshold": 0.5, "group_by": "kind", **columns}
    return eval_of(project, dataset_of(project, *labelled(count)), PASSES, **given)


def completed(row: Eval, outputs: Sequence[str | None], **order: Any) -> Run:
    """The settled run whose answers these are, in the dataset's order; None is an answer that never came."""
    sent = [{"item_key": f"k{number}", "output": output} for number, output in enumerate(outputs) if output is not None]
    return completed_from(row, sent, **order)


def completed_from(row: Eval, sent: Sequence[Any], **order: Any) -> Run:
    """The settled run of these recorded outputs."""
    run = run_start(actor=COMMAND_LINE, row=row, order=RunOrder(outputs=sent, **order))
    assert work_on_run(run.pk)
    run.refresh_from_db()
    assert run.status == Run.Status.COMPLETED, run.error
    return run


def pair(row: Eval, count: int = 12, changes: Mapping[int, str | None] | None = None) -> tuple[Run, Run]:
    """A baseline that says yes to all, and a candidate that does but for `changes`."""
    base = completed(row, ["yes, of course"] * count, name="before")
    new = completed(row, [(changes or {}).get(number, "yes, of course") for number in range(count)], name="after")
    return base, new
