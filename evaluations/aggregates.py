"""PURE: the results of a run → its aggregate document, over all items and by group. Nothing is rounded."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluations.run_results import (
    ERRORED,
    SCORED,
    UNFINISHED,
    ItemFigures,
    RunResult,
    ScorerFigures,
    Shares,
    interval_document,
    item_figures,
)
from evaluations.statistics.means import mean, percentile
from evaluations.statistics.rates import wilson
from evaluations.statistics.repeated import pass_at_k, pass_hat_k

FLAKY_ITEMS_NAMED = 100


def aggregate(
    results: Iterable[RunResult], *, item_count: int, trials: int = 1, group_by: str | None = None
) -> dict[str, Any]:
    """The `aggregate_scores` of a run, without `baseline`; docs/statistics.md describes its members.

    `results` come in the dataset's order and are read once; `item_count` is how many items the run
    has, finished or not, and `trials` how often each is tried. Errored items are in no mean and no
    rate: they are counted. With several trials the item is the unit: each enters with the share of
    its trials that passes and with its mean scores. Groups are sorted by their label.
    """
    whole, groups, ungrouped = _Scope(), dict[str, _Scope](), 0
    repeated = _Repeated(trials)
    for item in item_figures(results):
        whole.add(item)
        repeated.add(item)
        if item.group is None:
            ungrouped += 1
        elif group_by is not None:
            groups.setdefault(item.group, _Scope()).add(item)
    document = whole.document()
    expected = max(item_count, whole.items) * trials
    document["coverage"] = repeated.scored / expected if expected else None
    if trials > 1:
        document["trials"] = repeated.document()
    if group_by is not None:
        document["grouping"] = {
            "group_by": group_by,
            "groups": {label: groups[label].document() for label in sorted(groups)},
            "ungrouped_item_count": ungrouped,
        }
    return document


def run_passed(
    document: Mapping[str, Any], *, pass_threshold: float | None, min_coverage: float, canceled: bool = False
) -> bool | None:
    """Whether the run passes: its pass rate and its coverage both reach what was asked, unrounded.

    None without a threshold, and for a run that was canceled. False when nothing was scored.
    """
    if pass_threshold is None or canceled:
        return None
    rate, coverage = document["pass_rate"], document["coverage"]
    return rate is not None and coverage is not None and rate >= pass_threshold and coverage >= min_coverage


def rate_interval(shares: Shares) -> dict[str, float] | None:
    """Wilson's interval of a pass rate as the documents write it; None of no item.

    With several trials it is computed as if each item were one: cautious, since the share of
    several trials varies less than a single verdict.
    """
    return interval_document(wilson(float(shares.total), shares.items))


@dataclass(slots=True)
class _ScorerTally:
    """One scorer over the items of a scope."""

    scores: list[float] = field(default_factory=list)
    shares: Shares = field(default_factory=Shares)
    values: dict[str | None, list[float]] = field(default_factory=dict)
    measured: int = 0
    errored: int = 0
    excluded: int = 0

    def add(self, figures: ScorerFigures) -> None:
        if figures.score is not None:
            self.scores.append(figures.score)
        elif figures.measured:
            self.measured += 1
        elif figures.errored:
            self.errored += 1
        elif figures.excluded:
            self.excluded += 1
        if figures.verdicts:
            self.shares.add(figures.passes, figures.verdicts)
        if figures.values:
            self.values.setdefault(figures.unit, []).extend(figures.values)

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "mean": mean(self.scores),
            "pass_rate": self.shares.rate,
            "scored_count": len(self.scores),
            "errored_count": self.errored,
        }
        if self.measured:
            document["measured_count"] = self.measured
        if self.excluded:
            document["excluded_count"] = self.excluded
        if len(self.values) == 1:
            document["value"] = next(_value(unit, values) for unit, values in self.values.items())
        elif self.values:
            # Euros and dollars have no common mean.
            ordered = sorted(self.values.items(), key=lambda entry: entry[0] or "")
            document["values"] = [_value(unit, values) for unit, values in ordered]
        return document


def _value(unit: str | None, values: list[float]) -> dict[str, Any]:
    return {
        "mean": mean(values),
        "p50": percentile(values, 0.5),
        "p95": percentile(values, 0.95),
        "unit": unit,
        "count": len(values),
    }


@dataclass(slots=True)
class _Scope:
    """The items of the run, or of one group of it."""

    items: int = 0
    scored: int = 0
    errored: int = 0
    unfinished: int = 0
    shares: Shares = field(default_factory=Shares)
    composites: list[float] = field(default_factory=list)
    scorers: dict[str, _ScorerTally] = field(default_factory=dict)

    def add(self, item: ItemFigures) -> None:
        self.items += 1
        self.scored += item.status == SCORED
        self.errored += item.status == ERRORED
        self.unfinished += item.status == UNFINISHED
        if item.verdicts:
            self.shares.add(item.passes, item.verdicts)
        if item.score is not None:
            self.composites.append(item.score)
        for key, figures in item.scorers.items():
            self.scorers.setdefault(key, _ScorerTally()).add(figures)

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = {
            "scorers": {key: tally.document() for key, tally in self.scorers.items()},
            "pass_rate": self.shares.rate,
            "pass_rate_interval": rate_interval(self.shares),
            "scored_item_count": self.scored,
            "errored_item_count": self.errored,
        }
        skipped = self.items - self.scored - self.errored - self.unfinished
        if skipped:
            document["skipped_item_count"] = skipped
        if self.composites:
            document["score"] = {"mean": mean(self.composites), "scored_count": len(self.composites)}
        return document


@dataclass(slots=True)
class _Repeated:
    """What several trials of each item say beside the rate: how often all pass, and which items waver."""

    trials: int
    scored: int = 0
    errored: int = 0
    flaky: int = 0
    flaky_items: list[str] = field(default_factory=list)
    counts: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, item: ItemFigures) -> None:
        self.scored += item.scored
        self.errored += item.errored
        if item.verdicts:
            pair = (item.verdicts, item.passes)
            self.counts[pair] = self.counts.get(pair, 0) + 1
        if 0 < item.passes < item.verdicts:
            self.flaky += 1
            if len(self.flaky_items) < FLAKY_ITEMS_NAMED:
                self.flaky_items.append(item.item)

    def document(self) -> dict[str, Any]:
        return {
            "trials_per_item": self.trials,
            "scored_trial_count": self.scored,
            "errored_trial_count": self.errored,
            "pass_at_k": [self._chance(pass_at_k, k) for k in range(1, self.trials + 1)],
            "pass_hat_k": [self._chance(pass_hat_k, k) for k in range(1, self.trials + 1)],
            "flaky_item_count": self.flaky,
            "flaky_items": self.flaky_items,
        }

    def _chance(self, formula: Any, k: int) -> dict[str, Any]:
        """The mean over the items with at least k judged trials; items with fewer have no such chance."""
        chances = [(formula(verdicts, passes, k), count) for (verdicts, passes), count in self.counts.items()]
        known = [chance for chance, count in chances if chance is not None for _ in range(count)]
        return {"k": k, "rate": mean(known), "item_count": len(known)}
