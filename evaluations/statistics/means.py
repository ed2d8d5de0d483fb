"""Means over what was scored, and what the cases that were not could make of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ScoredMean:
    """A mean with its denominator: `mean` over `scored` cases, `errored` others left out; None of none."""

    mean: float | None
    scored: int
    errored: int


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, rounded once, in any order the same; None of nothing."""
    if not values:
        return None
    # A quotient may leave the range of what it is made of by its last bit; then scores that are
    # all at a threshold would miss it.
    return min(max(values), max(min(values), math.fsum(values) / len(values)))


def scored_mean(scores: Sequence[float | None]) -> ScoredMean:
    """The mean of those that are not None. An error (None) is counted and never a 0."""
    scored = [score for score in scores if score is not None]
    return ScoredMean(mean(scored), len(scored), len(scores) - len(scored))


def mean_bounds(scores: Sequence[float | None]) -> Interval | None:
    """What the mean of scores in [0, 1] would be with every error (None) a 0, and with every error a 1."""
    if not scores:
        return None
    total = math.fsum(score for score in scores if score is not None)
    errored = sum(score is None for score in scores)
    return total / len(scores), (total + errored) / len(scores)


def standard_error(values: Sequence[float]) -> float | None:
    """s/√n of independent values, s with n − 1; None of fewer than two."""
    if len(values) < 2:
        return None
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value that `share` (0 to 1) of `values` do not exceed, between two neighbours in a straight line.

    R. J. Hyndman and Y. Fan, "Sample Quantiles in Statistical Packages", The American Statistician
    50, 1996: type 7. None of nothing.
    """
    return float(np.quantile(values, share)) if len(values) else None
