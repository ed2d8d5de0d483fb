"""PURE: how the scores of a profile's scorers become one. Full precision, nothing rounded."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, get_args

CompositeMethod = Literal["weightedAvg", "minimum", "geometricMean"]
METHODS: tuple[str, ...] = get_args(CompositeMethod)
METHOD_WORDS: Mapping[str, str] = {
    "weightedAvg": "Weighted average",
    "minimum": "Minimum",
    "geometricMean": "Geometric mean",
}


def composite(method: CompositeMethod, scores: Sequence[tuple[float, float]]) -> float | None:
    """The composite of (weight, score) pairs, from 0 to 1; None when no pair has a weight above 0.

    Pairs of weight 0 are report-only and left out. `geometricMean` is 0 when any score is.
    """
    counted = [(weight, score) for weight, score in scores if weight > 0]
    if not counted:
        return None
    # It lies between the scores it is made of; the last bit of a division may say otherwise, and
    # then scores that are all at the threshold would fail it.
    least, most = min(score for _, score in counted), max(score for _, score in counted)
    return min(most, max(least, _FORMULAS[method](counted)))


def _weighted_average(scores: Sequence[tuple[float, float]]) -> float:
    return math.fsum(weight * score for weight, score in scores) / math.fsum(weight for weight, _ in scores)


def _minimum(scores: Sequence[tuple[float, float]]) -> float:
    return min(score for _, score in scores)


def _geometric_mean(scores: Sequence[tuple[float, float]]) -> float:
    if any(score == 0 for _, score in scores):
        return 0.0
    weights = math.fsum(weight for weight, _ in scores)
    return math.exp(math.fsum(weight * math.log(score) for weight, score in scores) / weights)


_FORMULAS: Mapping[str, Callable[[Sequence[tuple[float, float]]], float]] = {
    "weightedAvg": _weighted_average,
    "minimum": _minimum,
    "geometricMean": _geometric_mean,
}
