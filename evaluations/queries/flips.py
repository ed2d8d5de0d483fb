"""Results of two runs side by side: those whose verdict turned, that newly errored, or that say something else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import CharField, Exists, F, Func, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from evaluations.models import Result, Run
from evaluations.queries.comparisons import kept_key
from foundation.errors import NotFound

REGRESSED, IMPROVED, NEWLY_ERRORED, CHANGED_TEXT = "regressed", "improved", "errored", "reworded"
KINDS = (REGRESSED, IMPROVED, NEWLY_ERRORED, CHANGED_TEXT)
PAGE_SIZE = 25
_LISTED = (
    "public_id", "item_key", "item_public_id", "position", "trial", "group", "status", "passed", "score", "outcomes",
    "error", "frozen", "run_id",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flip:
    """One item and trial as it came out in the baseline and as it does now. Each is of the same, unedited item."""

    before: Result
    after: Result


class _Answer(Func):
    """The `output` of an observation as JSON text: what was answered, without its times and costs."""

    output_field = CharField()

    def as_postgresql(self, compiler: Any, connection: Any, **rest: Any) -> Any:
        """For PostgreSQL, where the column is text that holds JSON."""
        return self.as_sql(compiler, connection, template="((%(expressions)s)::json -> 'output')::text", **rest)

    def as_sqlite(self, compiler: Any, connection: Any, **rest: Any) -> Any:
        """For SQLite."""
        return self.as_sql(compiler, connection, template="json_extract(%(expressions)s, '$.output')", **rest)


def flip_counts(candidate: Run, baseline: Run) -> Mapping[str, int]:
    """How many results are of each of `KINDS`; each is of one kind at most. Kept while neither run changes."""
    key = kept_key("flips", candidate, baseline)
    counts: Mapping[str, int] | None = cache.get(key)
    if counts is None:
        counts = {kind: _flips(candidate, baseline, kind).count() for kind in KINDS}
        cache.set(key, counts)
    return counts


def flip_page(candidate: Run, baseline: Run, kind: str, number: int, group: str | None = None) -> list[Flip]:
    """The `number`th page, from 1, of at most 25 flips in the dataset's order; of one kind of item when `group` is one.

    Two queries whatever the page holds; no observation is read.
    """
    rows = _flips(candidate, baseline, kind)
    if group is not None:
        rows = rows.filter(group=group)
    start = (number - 1) * PAGE_SIZE
    page = rows.only(*_LISTED).order_by("position", "trial")[start : start + PAGE_SIZE]
    return _paired(list(page), Result.objects.only(*_LISTED))


def flip_total(candidate: Run, baseline: Run, kind: str, group: str) -> int:
    """How many flips of this kind there are among the items of one group."""
    return _flips(candidate, baseline, kind).filter(group=group).count()


def flip_for(candidate: Run, baseline: Run, result_id: str) -> Flip:
    """The pair that a result of the candidate belongs to, whole. NotFound when it has no counterpart."""
    rows = candidate.results.filter(public_id=result_id)
    paired = _paired(list(_with_counterpart(rows, baseline)), Result.objects.all())
    if not paired:
        raise NotFound("There is no result with this identifier in both runs.")
    return paired[0]


def _paired(rows: Sequence[Result], others: QuerySet[Result]) -> list[Flip]:
    """Each row, which is annotated with the key of its counterpart, beside it."""
    before = others.in_bulk([row.counterpart for row in rows])  # type: ignore[attr-defined]
    return [Flip(before[row.counterpart], row) for row in rows]  # type: ignore[attr-defined]


def _counterpart(baseline: Run) -> QuerySet[Result]:
    """The result of the same unedited item and trial in the baseline."""
    return Result.objects.order_by().filter(
        run_id=baseline.pk,
        item_public_id=OuterRef("item_public_id"),
        trial=OuterRef("trial"),
        content_hash=OuterRef("content_hash"),
    )


def _with_counterpart(rows: QuerySet[Result], baseline: Run) -> QuerySet[Result]:
    annotated = rows.annotate(counterpart=Subquery(_counterpart(baseline).values("pk")[:1]))
    return annotated.filter(counterpart__isnull=False)


def _flips(candidate: Run, baseline: Run, kind: str) -> QuerySet[Result]:
    before = _counterpart(baseline)
    scored = Q(status=Result.Status.SCORED)
    # Without a threshold nothing passes or fails; then the score is what moves.
    if kind == REGRESSED:
        verdict = Q(passed=False) & Exists(before.filter(passed=True))
        score = Q(scored, passed=None) & Exists(before.filter(scored, passed=None, score__gt=OuterRef("score")))
        condition: Any = verdict | score
    elif kind == IMPROVED:
        verdict = Q(passed=True) & Exists(before.filter(passed=False))
        score = Q(scored, passed=None) & Exists(before.filter(scored, passed=None, score__lt=OuterRef("score")))
        condition = verdict | score
    elif kind == NEWLY_ERRORED:
        ended = before.exclude(status__in=(Result.Status.ERRORED, ""))
        condition = Q(status=Result.Status.ERRORED) & Exists(ended)
    else:
        condition = Exists(_reworded(before))
    return _with_counterpart(candidate.results.all(), baseline).filter(condition)


def _reworded(before: QuerySet[Result]) -> QuerySet[Result]:
    """Counterparts that came to the same, with another answer."""
    same_verdict = Q(passed=OuterRef("passed")) | (Q(passed=None, score=OuterRef("score")) | Q(passed=None, score=None))
    alike = before.filter(same_verdict, status=OuterRef("status"))
    answers = (Coalesce(_Answer(given), Value("")) for given in (F("observation"), OuterRef("observation")))
    return alike.annotate(answer=next(answers)).exclude(answer=next(answers))
