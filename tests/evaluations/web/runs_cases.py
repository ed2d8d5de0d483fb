"""What the tests of the pages of runs stand on: an eval of forty items in two kinds, and runs of recorded outputs."""

from collections.abc import Callable
from typing import Any

from accounts.actors import Role
from accounts.models import Project
from evaluations.engine.working import work_on_run
from evaluations.models import Dataset, Eval, Run
from evaluations.services.runs import RunOrder, run_start
from tests.evaluations.cases import PASSES, dataset_of, eval_of
from tests.people import actor_for, person

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"' \u202e"
SHORT = {"type": "regex_match", "name": "short", "pattern": "^.{0,40}$"}
KINDS = ("billing", "refund")


def forty(project: Project) -> Dataset:
    """Items k0 to k39: even ones about billing, odd ones about refunds."""
    items = [
        {"key": f"k{number}", "content_hash": str(number), "metadata": {"kind": KINDS[number % 2]}}
        for number in range(40)
    ]
    return dataset_of(project, *items)


def eval_of_forty(project: Project, *scorers: dict[str, Any], **columns: Any) -> Eval:
    """An eval of them by kind, that looks for a yes in short answers."""
    given = {"group_by": "kind", "pass_threshold": 0.8, **columns}
    return eval_of(project, forty(project), *(scorers or (PASSES, SHORT)), **given)


def answers(say: Callable[[int], str | None] = lambda _: "yes", count: int = 40) -> list[dict[str, Any]]:
    """An output for each item; None is an error of the agent's."""
    said = [(f"k{number}", say(number)) for number in range(count)]
    failure = {"code": "timeout", "message": "The agent gave no answer."}
    return [{"item_key": key, **({"error": failure} if text is None else {"output": text})} for key, text in said]


def started(row: Eval, **order: Any) -> Run:
    """A run that nobody has worked on."""
    given = {"outputs": answers(), **order}
    owner = person(f"starter-{Run.objects.count()}-{row.pk}", Role.OWNER)
    return run_start(actor=actor_for(owner), row=row, order=RunOrder(**given))


def finished(row: Eval, say: Callable[[int], str | None] = lambda _: "yes", **order: Any) -> Run:
    """A completed run in which each item was answered as `say` says."""
    run = started(row, outputs=answers(say, row.dataset.items.count()), **order)
    work_on_run(run.pk)
    run.refresh_from_db()
    assert run.status == "completed"
    return run
