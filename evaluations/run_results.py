"""PURE: what the results of a run say, one figure an item: the trials of an item are not several items."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from evaluations.statistics.means import mean

SCORED, MEASURED, ERRORED, SKIPPED, UNFINISHED = "scored", "measured", "errored", "skipped", ""
ERROR = "error"
LEVEL = 0.95
"""Of every interval that a document holds."""


@dataclass(frozen=True, slots=True)
class ScorerOutcome:
    """What one scorer said of one result. `status` is scored, measured or error, as in the kit.

    `score` is in [0, 1], `value` with its `unit` what a scorer of times or counts measured; a
    measurement that could not be made has neither.
    """

    key: str
    status: str
    score: float | None = None
    passed: bool | None = None
    value: float | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """One item in one trial. `item` is what the item is matched by between runs.

    `status` is scored, measured, errored or skipped, or empty while there is nothing yet. `group`
    is None for an item in no group; "" is a group like others. `content_hash` tells whether the
    item's question and expectation were edited; `score` is the composite, when there is one.
    """

    item: str
    position: int
    status: str
    passed: bool | None = None
    outcomes: Sequence[ScorerOutcome] = ()
    trial: int = 0
    group: str | None = None
    content_hash: str = ""
    score: float | None = None


class ScorerFigures(NamedTuple):
    """One scorer over the trials of one item.

    `score` is the mean of the `scored` outcomes; `passes` of `verdicts` outcomes passed.
    `errored` could not measure, `excluded` did on a trial that errored by another cause: neither
    is in any figure. `values` are in `unit`.
    """

    scored: int = 0
    measured: int = 0
    errored: int = 0
    excluded: int = 0
    verdicts: int = 0
    passes: int = 0
    score: float | None = None
    values: tuple[float, ...] = ()
    unit: str | None = None


class ItemFigures(NamedTuple):
    """One item of a run: how many of its trials came to what, and each scorer over them.

    `status` is scored when any trial is; `passes` of `verdicts` trials passed; `score` is the mean
    composite of the scored trials.
    """

    item: str
    group: str | None
    content_hash: str
    status: str
    scored: int
    errored: int
    verdicts: int
    passes: int
    score: float | None
    scorers: Mapping[str, ScorerFigures]


@dataclass(slots=True)
class Shares:
    """The mean over items of the share that passes, exact: 4 of 5 is .8, whatever the trials it took."""

    items: int = 0
    _passes: dict[int, int] = field(default_factory=dict)

    def add(self, passes: int, verdicts: int) -> None:
        """One more item, `passes` of whose `verdicts` (at least one) passed."""
        self.items += 1
        self._passes[verdicts] = self._passes.get(verdicts, 0) + passes

    @property
    def total(self) -> Fraction:
        """The sum of the shares."""
        return sum((Fraction(passes, verdicts) for verdicts, passes in self._passes.items()), Fraction(0))

    @property
    def rate(self) -> float | None:
        """The mean share, rounded once; None of no item."""
        return float(self.total / self.items) if self.items else None


def interval_document(interval: tuple[float, float] | None) -> dict[str, float] | None:
    """`{low, high, level}`; None stays None."""
    return None if interval is None else {"low": interval[0], "high": interval[1], "level": LEVEL}


def item_figures(results: Iterable[RunResult]) -> Iterator[ItemFigures]:
    """One figure an item, read in one pass, in the order of `results`.

    Results come in the dataset's order, so that the trials of an item follow one another. Raises
    ValueError for an item that comes back later, and for a trial that comes twice.
    """
    seen: set[str] = set()
    for item, group in groupby(results, key=attrgetter("item")):
        trials = list(group)
        if item in seen or len({result.trial for result in trials}) < len(trials):
            raise ValueError(f"results of item {item!r} come twice or out of order")
        seen.add(item)
        yield _item(trials)


def _item(trials: Sequence[RunResult]) -> ItemFigures:
    first = trials[0]
    if len(trials) == 1 and first.status == SCORED:
        return _scored_once(first)
    counts = dict.fromkeys((SCORED, ERRORED, MEASURED, SKIPPED), 0)
    for result in trials:
        if result.status != UNFINISHED:
            counts[result.status] += 1
    judged = [result.passed for result in trials if result.status == SCORED and result.passed is not None]
    composites = [result.score for result in trials if result.status == SCORED and result.score is not None]
    return ItemFigures(
        item=first.item,
        group=first.group if isinstance(first.group, str) else None,
        content_hash=first.content_hash,
        status=next((status for status, count in counts.items() if count), UNFINISHED),
        scored=counts[SCORED],
        errored=counts[ERRORED],
        verdicts=len(judged),
        passes=sum(judged),
        score=mean(composites),
        scorers=_scorers(trials),
    )


def _scored_once(result: RunResult) -> ItemFigures:
    """What `_item` gives of one scored trial: by far the most items, and most of the time a large run takes."""
    return ItemFigures(
        item=result.item,
        group=result.group if isinstance(result.group, str) else None,
        content_hash=result.content_hash,
        status=SCORED,
        scored=1,
        errored=0,
        verdicts=int(result.passed is not None),
        passes=int(bool(result.passed)),
        score=result.score,
        scorers={outcome.key: _one(outcome) for outcome in result.outcomes},
    )


def _scorers(trials: Sequence[RunResult]) -> dict[str, ScorerFigures]:
    found: dict[str, list[tuple[ScorerOutcome, bool]]] = {}
    for result in trials:
        if result.status != UNFINISHED:
            for outcome in result.outcomes:
                found.setdefault(outcome.key, []).append((outcome, result.status == ERRORED))
    return {key: _scorer(outcomes) for key, outcomes in found.items()}


def _one(outcome: ScorerOutcome) -> ScorerFigures:
    if outcome.status == ERROR:
        return ScorerFigures(errored=1)
    score, passed, value = outcome.score, outcome.passed, outcome.value
    known = value is not None and math.isfinite(value)
    return ScorerFigures(
        scored=int(score is not None),
        measured=int(score is None),
        verdicts=int(passed is not None),
        passes=int(bool(passed)),
        score=score,
        values=(value,) if value is not None and known else (),
        unit=outcome.unit if known else None,
    )


def _scorer(outcomes: Sequence[tuple[ScorerOutcome, bool]]) -> ScorerFigures:
    kept = [outcome for outcome, dropped in outcomes if not dropped and outcome.status != ERROR]
    errored = sum(outcome.status == ERROR for outcome, _ in outcomes)
    scores = [outcome.score for outcome in kept if outcome.score is not None]
    judged = [outcome.passed for outcome in kept if outcome.passed is not None]
    values = [outcome for outcome in kept if outcome.value is not None and math.isfinite(outcome.value)]
    return ScorerFigures(
        scored=len(scores),
        measured=len(kept) - len(scores),
        errored=errored,
        excluded=len(outcomes) - len(kept) - errored,
        verdicts=len(judged),
        passes=sum(judged),
        score=mean(scores),
        values=tuple(outcome.value for outcome in values if outcome.value is not None),
        unit=values[0].unit if values else None,
    )
