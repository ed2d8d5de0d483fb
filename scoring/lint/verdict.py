"""What the settings show of the profile as a whole: a threshold out of reach, weights that decide nothing."""

import math
from collections.abc import Iterator, Mapping, Sequence

from foundation.figures import number_text, score_text
from scoring.composites import CompositeMethod, composite
from scoring.kit.possible_scores import PossibleScores
from scoring.kit.scorer import Scorer
from scoring.kit.text import shortened
from scoring.lint.findings import Finding
from scoring.profile_documents import Profile

# Composites are sums of doubles: what lies nearer to the threshold than this may fall on either side.
_NEAR = 1e-9
# Beyond so many different sums of weights nothing is said of single weights.
_MOST_SUMS = 5_000
_Span = tuple[float, float]
_Weighed = Sequence[tuple[Scorer, PossibleScores]]


def verdict_findings(profile: Profile, possible: Mapping[str, PossibleScores]) -> Iterator[Finding]:
    """That no evaluation can pass, that every one does, or which weights cannot change a verdict."""
    counting = [scorer for scorer in profile.scorers if scorer.weight > 0 or scorer.required]
    broken = next((scorer for scorer in counting if possible[scorer.id].kind == "error"), None)
    if broken is not None:
        message = f"Every evaluation is errored: “{shortened(broken.name)}” counts and can never measure."
        yield Finding(None, "threshold_never_reached", message)
        return
    usable = [scorer for scorer in counting if isinstance(scorer, Scorer)]
    weighed = [(scorer, possible[scorer.id]) for scorer in usable if scorer.weight > 0]
    weighed = [(scorer, scores) for scorer, scores in weighed if scores.kind == "scored"]
    required = [scorer for scorer in usable if scorer.required]
    if not weighed:
        message = "No scorer with a weight can give a score, so no evaluation has one."
        yield Finding(None, "threshold_never_reached", message)
    elif profile.pass_threshold is None:
        yield from _required_for_nothing(required)
    else:
        yield from _reached(profile.composite_method, profile.pass_threshold, weighed, required, possible)


def _required_for_nothing(required: Sequence[Scorer]) -> Iterator[Finding]:
    for scorer in required:
        message = "It is required, but the profile passes and fails nothing: it has no threshold."
        yield Finding(scorer.id, "counts_for_nothing", message)


def _reached(
    method: CompositeMethod,
    threshold: float,
    weighed: _Weighed,
    required: Sequence[Scorer],
    possible: Mapping[str, PossibleScores],
) -> Iterator[Finding]:
    hopeless = next((scorer for scorer in required if _never_passes(scorer, possible[scorer.id])), None)
    low, high = (
        composite(method, [(scorer.weight, getattr(scores, end)) for scorer, scores in weighed]) or 0.0
        for end in ("low", "high")
    )
    if hopeless is not None:
        yield Finding(None, "threshold_never_reached", f"“{shortened(hopeless.name)}” is required and can never pass.")
    elif high < threshold - _NEAR or all(scores.high < threshold for _, scores in weighed):
        message = f"The composite is at most {score_text(high, threshold)} and passes from {score_text(threshold)}."
        yield Finding(None, "threshold_never_reached", message)
    elif low >= threshold + _NEAR or all(scores.low >= threshold for _, scores in weighed):
        if all(possible[scorer.id].low >= scorer.pass_threshold for scorer in required):
            message = f"The composite is at least {score_text(low, threshold)} and passes from {score_text(threshold)}."
            yield Finding(None, "threshold_always_reached", message)
    else:
        yield from _powerless(method, threshold, weighed)


def _never_passes(scorer: Scorer, scores: PossibleScores) -> bool:
    return scores.kind == "measured" or scores.high < scorer.pass_threshold


def _powerless(method: CompositeMethod, threshold: float, weighed: _Weighed) -> Iterator[Finding]:
    """Scorers whose score never decides: the composite stays on one side of the threshold, whatever they say."""
    total = math.fsum(scorer.weight for scorer, _ in weighed)
    for index, (scorer, scores) in enumerate(weighed):
        if scorer.required or scores.low == scores.high:
            continue
        others = [*weighed[:index], *weighed[index + 1 :]]
        if _decides(method, threshold, total, (scorer, scores), others):
            continue
        message = (
            f"Whatever it scores, no verdict changes: with its weight of {number_text(scorer.weight)} "
            f"of {number_text(total)} the composite stays on the same side of {score_text(threshold)}."
        )
        yield Finding(scorer.id, "counts_for_nothing", message)


def _decides(
    method: CompositeMethod, threshold: float, total: float, one: tuple[Scorer, PossibleScores], others: _Weighed
) -> bool:
    """Whether there are scores of the others with which this one's score turns the verdict; true when unknown."""
    scorer, scores = one
    if method == "minimum":
        return scores.low < threshold
    # Where a required scorer does not pass, the verdict is settled; so only its passing scores matter.
    left = [(other.weight, rest.passing(other.pass_threshold) if other.required else rest) for other, rest in others]
    turn = _logarithm if method == "geometricMean" else float
    sums = _sums([[(weight * turn(low), weight * turn(high)) for low, high in rest.ranges] for weight, rest in left])
    if sums is None:
        return True
    near = _NEAR * max(1.0, total)
    aim = total * turn(threshold)
    least = aim - scorer.weight * turn(scores.high) - near
    most = aim - scorer.weight * turn(scores.low) + near
    return any(low <= most and high >= least for low, high in sums)


def _logarithm(score: float) -> float:
    return math.log(score) if score > 0 else -math.inf


def _sums(parts: Sequence[Sequence[_Span]]) -> list[_Span] | None:
    """Every sum of one span from each part, as spans without overlap; None when they are too many."""
    sums: list[_Span] = [(0.0, 0.0)]
    for spans in parts:
        sums = _merged([(low + least, high + most) for low, high in sums for least, most in spans])
        if len(sums) > _MOST_SUMS:
            return None
    return sums


def _merged(spans: Sequence[_Span]) -> list[_Span]:
    merged: list[_Span] = []
    for low, high in sorted(spans):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged
