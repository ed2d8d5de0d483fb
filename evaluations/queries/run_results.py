"""The results of a run as the aggregates and the comparison read them: narrow rows, streamed."""

from collections.abc import Iterator

from evaluations.models import Result
from evaluations.run_results import RunResult, ScorerOutcome

_COLUMNS = ("item_public_id", "position", "status", "passed", "outcomes", "trial", "group", "content_hash", "score")
_AT_ONCE = 2000


def run_results(run_id: int) -> Iterator[RunResult]:
    """The results in dataset order, trials of an item together; one query, no observation is read."""
    rows = Result.objects.filter(run_id=run_id).order_by("position", "trial").values_list(*_COLUMNS)
    for item, position, status, passed, outcomes, trial, group, content_hash, score in rows.iterator(_AT_ONCE):
        yield RunResult(
            item=item,
            position=position,
            status=status,
            passed=passed,
            outcomes=[ScorerOutcome(*outcome) for outcome in outcomes],
            trial=trial,
            group=group,
            content_hash=content_hash,
            score=score,
        )
