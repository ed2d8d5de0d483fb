"""Storing what came of claimed results, in one statement a batch, by the owner of the lease alone."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from evaluations.item_scoring import ItemVerdict
from evaluations.models import OPEN_RUN, Result
from foundation import times

_ANSWER = ["state", "observation", "timing", "usage"]
_VERDICT = [
    "state", "owner", "lease_until", "observation", "status", "scores", "outcomes", "failed_scorers",
    "errored_scorers", "score", "passed", "error", "timing", "usage", "search_text", "finished_at",
]  # fmt: skip


def store_answers(owner: str, rows: Sequence[Result]) -> list[Result]:
    """The rows whose answers are stored now, before they are scored: no crash asks the provider again.

    Those that are no longer the owner's, or whose run was canceled, are left out and not touched.
    """
    for row in rows:
        row.state = Result.State.GENERATED
    return _write(owner, rows, _ANSWER)


def store_verdicts(owner: str, rows: Sequence[Result]) -> list[Result]:
    """The rows that are done now; the same rule as for answers."""
    now = times.now()
    for row in rows:
        row.state = Result.State.DONE
        row.owner = ""
        row.lease_until = None
        row.finished_at = now
    return _write(owner, rows, _VERDICT)


def _write(owner: str, rows: Sequence[Result], columns: Sequence[str]) -> list[Result]:
    if not rows:
        return []
    with transaction.atomic():
        held = Result.objects.select_for_update(of=("self",)).filter(
            pk__in=[row.pk for row in rows], owner=owner, lease_until__gt=Now(), run__status__in=OPEN_RUN
        )
        mine = set(held.values_list("pk", flat=True))
        kept = [row for row in rows if row.pk in mine]
        if kept:
            # An insert that always meets its own row: the one statement that changes many rows, each
            # to values of its own, on both databases.
            Result.objects.bulk_create(kept, update_conflicts=True, unique_fields=["id"], update_fields=columns)
    return kept


def settle_row(row: Result, verdict: ItemVerdict) -> None:
    """Put the verdict into the row (not into the database)."""
    row.status = verdict.status
    row.scores = verdict.scores
    row.outcomes = verdict.outcomes
    row.score = verdict.score
    row.passed = verdict.passed
    row.error = verdict.error
    row.failed_scorers = marked(verdict.failed_scorers)
    row.errored_scorers = marked(verdict.errored_scorers)
    row.search_text = search_text(row)


def fail_row(row: Result, error: dict[str, Any]) -> None:
    """Make the row an errored one: `error` is `{code, message, …}`."""
    row.status = Result.Status.ERRORED
    row.error = error
    row.score = row.passed = None
    row.scores, row.outcomes = [], []
    row.failed_scorers = row.errored_scorers = ""
    row.search_text = search_text(row)


def marked(keys: Sequence[str]) -> str:
    """Keys as the filter columns hold them: each between line feeds, so that no key is part of another."""
    joined = "\n".join(keys)
    return f"\n{joined}\n" if keys else ""


def search_text(row: Result) -> str:
    """What the text filter looks through: the question, the answer, the key and the error."""
    answer = (row.observation or {}).get("output") or {}
    asked = row.frozen.get("input")
    questions = (
        [part.get("content") for part in asked if isinstance(part, dict)] if isinstance(asked, list) else [asked]
    )
    parts = [row.item_key, *questions, answer.get("text"), (row.error or {}).get("message")]
    return "\n".join(part for part in parts if isinstance(part, str)).casefold()
