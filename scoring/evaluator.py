"""PURE: a profile over an observation: the breakdown, the composite and the verdict."""

from dataclasses import dataclass
from typing import Any

from foundation.errors import Problem, Unavailable
from scoring import javascript
from scoring.composites import composite
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Outcome
from scoring.kit.scorer import Scorer
from scoring.kit.text import shortened
from scoring.profile_documents import LEGACY_TYPE, Profile, UnusableScorer

SCORED, ERRORED, MEASURED = "scored", "errored", "measured"


class LegacyScorer(Problem):
    """The stored profile holds a CustomExpression, which is never run and never converted."""

    status = 422
    code = "LEGACY_SCORER"
    default_message = f"This profile holds a {LEGACY_TYPE} scorer, which was removed because it ran code."
    default_hint = (
        "Replace it (OccurrenceRatio serves most of them) by PUT /api/scoring/profiles/{id}, then evaluate again."
    )


class RegexCapacity(Unavailable):
    """All places for regular expressions, and all places to wait in, are taken."""

    code = "REGEX_CAPACITY"
    default_message = "Too many regular expressions are being evaluated at once."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a profile says of one observation.

    `status` is `scored`; `errored` when a scorer that counts (weight above 0, or required) could
    not measure, and then there is neither score nor verdict; `measured` when nothing that counts
    gave a score. `passed` is None without a threshold. `breakdown` is in profile order, as the API
    answers it.
    """

    status: str
    score: float | None
    passed: bool | None
    breakdown: tuple[dict[str, Any], ...]


def evaluate(profile: Profile, observation: Observation) -> Verdict:
    """The verdict of `profile` on `observation`.

    Raises LegacyScorer for a profile that still holds a CustomExpression, and RegexCapacity when a
    regex finds no place to wait in: then nothing can be said of the observation, now.
    """
    legacy = [scorer.id for scorer in profile.scorers if scorer.type == LEGACY_TYPE]
    if legacy:
        raise LegacyScorer(meta={"scorerIds": legacy})
    said = list(zip(profile.scorers, outcomes(profile, observation), strict=True))
    breakdown = tuple(_entry(scorer, outcome) for scorer, outcome in said)
    counting = [(scorer, outcome) for scorer, outcome in said if scorer.weight > 0 or scorer.required]
    if any(outcome.status == "error" for _, outcome in counting):
        return Verdict(ERRORED, None, None, breakdown)
    scores = [(scorer.weight, outcome.score) for scorer, outcome in counting if outcome.score is not None]
    score = composite(profile.composite_method, scores)
    if score is None:
        return Verdict(MEASURED, None, None, breakdown)
    if profile.pass_threshold is None:
        return Verdict(SCORED, score, None, breakdown)
    required_pass = all(outcome.passed for scorer, outcome in counting if scorer.required)
    return Verdict(SCORED, score, score >= profile.pass_threshold and required_pass, breakdown)


def outcomes(profile: Profile, observation: Observation) -> list[Outcome]:
    """What each scorer says of `observation`, in profile order; all `subject_failed` of an agent that did not finish.

    Raises RegexCapacity when a regex finds no place to wait in.
    """
    try:
        failure = subject_failure(observation)
        return [failure or scorer.outcome(observation) for scorer in profile.scorers]
    except javascript.PoolBusy as error:
        raise RegexCapacity(headers={"Retry-After": str(max(1, round(error.retry_after)))}) from error


def subject_failure(observation: Observation) -> Outcome | None:
    """What every scorer says when the agent did not finish; None when it did, or nobody recorded it."""
    ending = observation.channels.get("outcome")
    status = ending.get("status", "completed") if isinstance(ending, dict) else "completed"
    if status == "completed":
        return None
    cause = (ending or {}).get("error") or {}
    words = cause.get("message") or cause.get("type") if isinstance(cause, dict) else None
    reason = f": {shortened(str(words), 200)}" if words else ""
    return Outcome.failed(ErrorCode.SUBJECT_FAILED, f"The agent did not finish ({status}){reason}.")


def _entry(scorer: Scorer | UnusableScorer, outcome: Outcome) -> dict[str, Any]:
    """One row of the breakdown, as `/api/scoring` answers it."""
    entry: dict[str, Any] = {
        "scorerId": scorer.id,
        "scorerName": scorer.name,
        "type": scorer.type,
        "status": outcome.status,
        "score": outcome.score,
        "weight": scorer.weight,
        "weighted": None if outcome.score is None else scorer.weight * outcome.score,
        "passed": outcome.passed,
        "explanation": outcome.explanation,
        "evidence": dict(outcome.evidence),
    }
    if scorer.required:
        entry["required"] = True
    if outcome.value is not None:
        entry |= {"value": outcome.value, "unit": outcome.unit}
    if outcome.error_code is not None:
        entry["error"] = {"code": str(outcome.error_code), "message": outcome.explanation}
    return entry
