"""PURE: lint before spend: which scorers of a profile say nothing, whatever the agent does.

Some of it follows from the settings alone (`certain`); the rest is what the samples show.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Outcome
from scoring.kit.scorer import Scorer
from scoring.profile_documents import Profile, UnusableScorer

FEWEST_SAMPLES = 2
_GROUND_TRUTH = {ErrorCode.MISSING_GROUND_TRUTH, ErrorCode.BAD_GROUND_TRUTH}
CODES: Mapping[str, str] = {
    "never_fails": "Passes whatever the agent does.",
    "never_passes": "Fails whatever the agent does.",
    "always_errs": "Could not measure any sample.",
    "agrees_with_another": "Gave the same scores as another scorer on every sample.",
    "vacuous_ground_truth": "Compares with something that every answer, or none, would meet.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend before it costs anything.

    `code` is a key of CODES; `certain` says that the settings alone show it, otherwise `samples`
    of them did.
    """

    scorer_id: str
    code: str
    message: str
    certain: bool
    samples: int

    def as_dict(self) -> dict[str, Any]:
        """The finding as `/api/scoring/lint` answers it."""
        return {
            "scorerId": self.scorer_id,
            "code": self.code,
            "message": self.message,
            "certain": self.certain,
            "samples": self.samples,
        }


def lint(profile: Profile, samples: Sequence[Observation]) -> list[Finding]:
    """Every finding, in profile order. Without samples only what the settings show."""
    outcomes = {scorer.id: [scorer.outcome(sample) for sample in samples] for scorer in profile.scorers}
    findings = [finding for scorer in profile.scorers for finding in _of_one(scorer, outcomes[scorer.id], samples)]
    constant = {finding.scorer_id for finding in findings}
    return [*findings, *_agreements(profile, outcomes, constant)]


def _of_one(
    scorer: Scorer | UnusableScorer, outcomes: Sequence[Outcome], samples: Sequence[Observation]
) -> Iterator[Finding]:
    if isinstance(scorer, UnusableScorer):
        yield Finding(scorer.id, "always_errs", scorer.reason, certain=True, samples=len(outcomes))
        return
    certain = _certain(scorer)
    if certain is not None:
        yield certain
    elif len(outcomes) >= FEWEST_SAMPLES:
        yield from _shown(scorer.id, outcomes)
    yield from _ground_truth(scorer, outcomes, samples)


def _certain(scorer: Scorer) -> Finding | None:
    """What the settings alone show: the scores it can give lie all on one side of its threshold."""
    low, high = scorer.possible_scores()
    if scorer.negate:
        low, high = 1 - high, 1 - low
    if low >= scorer.pass_threshold:
        message = f"It scores {low:g} at least and passes from {scorer.pass_threshold:g}, so it can never fail."
        return Finding(scorer.id, "never_fails", message, certain=True, samples=0)
    if high < scorer.pass_threshold:
        message = f"It scores {high:g} at most and passes from {scorer.pass_threshold:g}, so it can never pass."
        return Finding(scorer.id, "never_passes", message, certain=True, samples=0)
    return None


def _shown(scorer_id: str, outcomes: Sequence[Outcome]) -> Iterator[Finding]:
    """What all samples show alike."""
    count = len(outcomes)
    if all(outcome.status == "error" for outcome in outcomes):
        message = f"It could not measure any of {count} samples: {outcomes[0].explanation}"
        yield Finding(scorer_id, "always_errs", message, certain=False, samples=count)
        return
    verdicts = {outcome.passed for outcome in outcomes if outcome.status == "scored"}
    scored = sum(outcome.status == "scored" for outcome in outcomes)
    if scored < FEWEST_SAMPLES:
        return
    if verdicts == {True}:
        message = f"It passed all {scored} samples that it scored; add one that should fail, to see that it can."
        yield Finding(scorer_id, "never_fails", message, certain=False, samples=scored)
    elif verdicts == {False}:
        message = f"It failed all {scored} samples that it scored; add one that should pass, to see that it can."
        yield Finding(scorer_id, "never_passes", message, certain=False, samples=scored)


def _ground_truth(scorer: Scorer, outcomes: Sequence[Outcome], samples: Sequence[Observation]) -> Iterator[Finding]:
    bad = [outcome for outcome in outcomes if outcome.error_code in _GROUND_TRUTH]
    if bad and len(bad) < len(outcomes):
        message = f"{len(bad)} of {len(outcomes)} samples cannot be compared: {bad[0].explanation}"
        yield Finding(scorer.id, "vacuous_ground_truth", message, certain=False, samples=len(bad))
    reasons = [reason for sample in samples if (reason := scorer.vacuous(sample))]
    if reasons:
        message = f"{len(reasons)} of {len(samples)} samples: {reasons[0]}"
        yield Finding(scorer.id, "vacuous_ground_truth", message, certain=False, samples=len(reasons))


def _agreements(profile: Profile, outcomes: Mapping[str, Sequence[Outcome]], constant: set[str]) -> Iterator[Finding]:
    """Scorers that gave another's scores on every sample: the later one adds weight and no knowledge."""
    first: dict[tuple[float | None, ...], str] = {}
    for scorer in profile.scorers:
        scores = tuple(outcome.score for outcome in outcomes[scorer.id])
        if len(scores) < FEWEST_SAMPLES or scorer.id in constant or None in scores:
            continue
        if scores in first:
            message = f'It gave the same scores as "{first[scores]}" on all {len(scores)} samples.'
            yield Finding(scorer.id, "agrees_with_another", message, certain=False, samples=len(scores))
        first.setdefault(scores, scorer.id)
