"""How far each item's score moved between two runs, counted in bins."""

import math
from collections.abc import Mapping, Sequence

from evaluations.comparison.pairing import ComparedRun, Pair, paired

BINS_EACH_WAY = 10
BIN_WIDTH = 1 / BINS_EACH_WAY
# 0.3 − 0.2 is a hair more than a tenth, and belongs to the bin that ends there.
_HAIR = 1e-9
COMPOSITE = ""
"""The key of the items' composite score: no scorer's key is empty."""


def score_spreads(baseline: ComparedRun, candidate: ComparedRun) -> dict[str, list[int]]:
    """For each scorer whose scores are more than passes and fails, how many items moved how far.

    Each list has 21 counts over the items that both runs scored: ten bins of a tenth downwards, the
    furthest first, the items that did not move, ten bins upwards. The composite is under `COMPOSITE`.
    """
    whole, _, _ = paired(baseline.results, candidate.results)
    scores = {COMPOSITE: [(pair.base.score, pair.new.score) for pair in whole.pairs]}
    for key in sorted({key for pair in whole.pairs for key in pair.new.scorers}):
        scores[key] = [_scores(key, pair) for pair in whole.pairs]
    spreads = {key: _spread(both) for key, both in scores.items()}
    return {key: counts for key, counts in spreads.items() if counts}


def place_of(difference: float) -> int:
    """The bin that a difference in [-1, 1] falls in: 10 is no difference at all."""
    steps = min(BINS_EACH_WAY, math.ceil(abs(difference) / BIN_WIDTH - _HAIR)) if difference else 0
    steps = max(steps, int(difference != 0))
    return BINS_EACH_WAY + (steps if difference > 0 else -steps)


def _scores(key: str, pair: Pair) -> tuple[float | None, float | None]:
    sides: tuple[Mapping[str, object], Mapping[str, object]] = (pair.base.scorers, pair.new.scorers)
    base, new = (getattr(side.get(key), "score", None) for side in sides)
    return base, new


def _spread(scores: Sequence[tuple[float | None, float | None]]) -> list[int]:
    both = [(base, new) for base, new in scores if base is not None and new is not None]
    if all(score in {0, 1} for pair in both for score in pair):
        return []
    counts = [0] * (2 * BINS_EACH_WAY + 1)
    for base, new in both:
        counts[place_of(new - base)] += 1
    return counts
