"""One thing compared over pairs of items: verdicts, a scorer's scores, or what a scorer measured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from evaluations.comparison.pairing import Pair
from evaluations.run_results import ScorerFigures, Shares, interval_document
from evaluations.statistics.bootstrap import mean_interval
from evaluations.statistics.means import mean, percentile
from evaluations.statistics.paired import delta_bounds, mcnemar_exact, newcombe, smallest_p
from evaluations.statistics.permutation import SignFlip, sign_flip

ALPHA = 0.05
FEWEST_FOR_P = 2
"""One pair is no comparison: it has no p value."""

BETTER, WORSE = "better", "worse"
NO_CLEAR_DIFFERENCE, TOO_FEW_ITEMS, NOT_DECIDED = "no_clear_difference", "too_few_items", "not_decided"


@dataclass
class Change:
    """New − base over the pairs that have both, and how sure its direction is.

    `differences` are in the order of the items' identifiers; `excluded` pairs lack a side, mostly
    by errors. `cells` are the pass/fail table (both, base only, new only, neither) when each side
    gave each item one verdict, None otherwise. `corrected` is the p value after correction for the
    others looked at beside this one; the raw one while there are none.
    """

    differences: list[float] = field(default_factory=list)
    excluded: int = 0
    cells: tuple[int, int, int, int] | None = None
    delta: float | None = None
    p_value: float | None = None
    method: str | None = None
    corrected: float | None = None

    @cached_property
    def improved(self) -> int:
        """Items that are better now."""
        return sum(difference > 0 for difference in self.differences)

    @cached_property
    def regressed(self) -> int:
        """Items that are worse now."""
        return sum(difference < 0 for difference in self.differences)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """What the delta would be, had every excluded pair gone one way; None when none was excluded."""
        return delta_bounds(self.differences, self.excluded) if self.excluded else None

    @property
    def verdict(self) -> str:
        """The word: what the corrected p value, the number of items and the excluded pairs allow to say."""
        moved = self.improved + self.regressed
        # Nothing moved among enough items is an answer; a few moves that cannot reach the level are not.
        if smallest_p(len(self.differences)) >= ALPHA or (moved and smallest_p(moved) >= ALPHA):
            return TOO_FEW_ITEMS
        if self.delta is None or self.corrected is None or self.corrected >= ALPHA or self.delta == 0:
            return NO_CLEAR_DIFFERENCE
        low, high = self.bounds or (self.delta, self.delta)
        if (self.delta > 0 and low <= 0) or (self.delta < 0 and high >= 0):
            return NOT_DECIDED
        return BETTER if self.delta > 0 else WORSE

    def interval(self) -> tuple[dict[str, float] | None, str | None]:
        """The 95 % interval of the delta, and how it was found."""
        if self.cells is not None:
            interval = newcombe(*self.cells)
            return interval_document(interval), None if interval is None else "newcombe"
        found = mean_interval(self.differences)
        return (None, None) if found is None else (interval_document((found.low, found.high)), found.method)

    def test_document(self, *, moves: str = "flipped") -> dict[str, Any]:
        """The members that every comparison has: interval, p value, verdict, bounds, and as `moves` how many moved."""
        interval, interval_method = self.interval()
        document: dict[str, Any] = {
            "delta_interval": interval,
            moves: {"improved": self.improved, "regressed": self.regressed},
            "p_value": self.p_value,
            "verdict": self.verdict,
        }
        if interval_method is not None:
            document["interval_method"] = interval_method
        if self.method is not None:
            document["test"] = self.method
        if self.bounds is not None:
            document["delta_bounds"] = {"low": self.bounds[0], "high": self.bounds[1]}
        return document


def verdict_change(pairs: Sequence[Pair]) -> tuple[Change, dict[str, Any]]:
    """The change of the items' verdicts, and its rates: each side's over exactly the pairs compared."""
    change, base_shares, new_shares = Change(), Shares(), Shares()
    single = True
    counted = {(False, False): 0, (False, True): 0, (True, False): 0, (True, True): 0}
    for pair in pairs:
        base, new = pair.base, pair.new
        if not (pair.compared and base.verdicts and new.verdicts):
            change.excluded += 1
            continue
        base_shares.add(base.passes, base.verdicts)
        new_shares.add(new.passes, new.verdicts)
        change.differences.append(
            (new.passes * base.verdicts - base.passes * new.verdicts) / (new.verdicts * base.verdicts)
        )
        single = single and base.verdicts == new.verdicts == 1
        counted[base.passes > 0, new.passes > 0] += 1
    if base_shares.items:
        change.delta = float((new_shares.total - base_shares.total) / base_shares.items)
    if single and base_shares.items:
        change.cells = (counted[True, True], counted[True, False], counted[False, True], counted[False, False])
    _tested(change)
    rates = {
        "pass_rate": new_shares.rate,
        "baseline_pass_rate": base_shares.rate,
        "pass_rate_delta": change.delta,
    }
    return change, rates


def score_change(scores: Sequence[tuple[float | None, float | None]], *, single: bool = False) -> Change:
    """The change of scores in [0, 1], given as (base, new) pairs; a None leaves its pair out.

    `single`: each is one outcome, so that scores of only 0 and 1 are passes and fails.
    """
    both = [(base, new) for base, new in scores if base is not None and new is not None]
    change = Change([new - base for base, new in both], len(scores) - len(both))
    change.delta = mean(change.differences)
    if single and both and all(score in {0, 1} for pair in both for score in pair):
        counts = [both.count((base, new)) for base, new in ((1, 1), (1, 0), (0, 1), (0, 0))]
        change.cells = (counts[0], counts[1], counts[2], counts[3])
    _tested(change)
    return change


def _tested(change: Change) -> None:
    if len(change.differences) < FEWEST_FOR_P:
        return
    if change.cells is not None:
        change.p_value, change.method = mcnemar_exact(change.cells[1], change.cells[2]), "mcnemar_exact"
    else:
        found = sign_flip(change.differences)
        change.p_value, change.method = found.p_value, _method(found)
    change.corrected = change.p_value


def _method(found: SignFlip) -> str:
    return f"sign_flip_{found.method}"


def value_document(sides: Sequence[tuple[ScorerFigures, ScorerFigures]]) -> dict[str, Any] | None:
    """How what a scorer measured (milliseconds, tokens, money) changed; None when no item has it twice.

    Medians over items, and the mean ratio new/base of an item (the geometric one, from the
    differences of logarithms, which are what is tested); differences themselves where a value is
    0 or less. Nothing says that less is better: there is no verdict.
    """
    units = {figures.unit for pair in sides for figures in pair if figures.values}
    known = [(_typical(base.values), _typical(new.values)) for base, new in sides if base.values and new.values]
    if not known or len(units) != 1:
        return None
    positive = all(base > 0 and new > 0 for base, new in known)
    changes = [math.log(new / base) if positive else new - base for base, new in known]
    document: dict[str, Any] = {
        "unit": units.pop(),
        "compared_count": len(known),
        "median": percentile([new for _, new in known], 0.5),
        "baseline_median": percentile([base for base, _ in known], 0.5),
        "median_delta": percentile([new - base for base, new in known], 0.5),
    }
    if positive:
        document["ratio"] = math.exp(math.fsum(changes) / len(changes))
    if len(known) >= FEWEST_FOR_P:
        found = sign_flip(changes)
        document |= {"p_value": found.p_value, "test": _method(found)}
    else:
        document["p_value"] = None
    return document


def _typical(values: Sequence[float]) -> float:
    """The mean of an item's trials."""
    return values[0] if len(values) == 1 else math.fsum(values) / len(values)
