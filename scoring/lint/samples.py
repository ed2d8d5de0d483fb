"""What samples show of a profile's scorers: verdicts that never differ, errors, twins, ground truth."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from foundation.figures import percent_text
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Outcome, Unmeasurable
from scoring.kit.scorer import Scorer
from scoring.kit.text import shortened
from scoring.lint.findings import Finding, exception_share, shown_by
from scoring.lint.settings import AnyScorer
from scoring.profile_documents import Profile

FEWEST = 2
"""From so many scored samples on something is said of verdicts and of agreement."""

Sample = tuple[int, Observation]
"""An observation with its place among those given, from 0."""

_Decided = tuple[int, str, str]
"""A sample whose ground truth leaves one verdict: its place, the code of that and the reason."""


def sample_findings(profile: Profile, samples: Sequence[Sample], rows: Sequence[Sequence[Outcome]]) -> list[Finding]:
    """What the outcomes of the samples (`rows`: for each sample one for each scorer) show, in profile order."""
    places = [place for place, _ in samples]
    findings: list[Finding] = []
    for index, scorer in enumerate(profile.scorers):
        outcomes = [row[index] for row in rows]
        decided = _decided(scorer, samples) if isinstance(scorer, Scorer) else []
        findings += _one_sided(scorer.id, places, outcomes, {place for place, _, _ in decided})
        findings += _ground_truth_errors(scorer.id, places, outcomes)
        findings += _ground_truth(scorer.id, decided, len(samples))
    return [*findings, *_agreements(profile, places, rows)]


def _one_sided(
    scorer_id: str, places: Sequence[int], outcomes: Sequence[Outcome], decided: Collection[int]
) -> Iterator[Finding]:
    """That nothing was measured, or all verdicts are the same where the ground truth left both possible."""
    if outcomes and all(outcome.status == "error" for outcome in outcomes):
        none = "not measure the only sample" if len(outcomes) == 1 else f"measure none of {len(outcomes)} samples"
        message = f"It could {none}; {_most_frequent(outcomes)}"
        yield _unless(scorer_id, "always_errs", message, places, len(outcomes))
        return
    scored = [
        (place, outcome)
        for place, outcome in zip(places, outcomes, strict=True)
        if outcome.status == "scored" and place not in decided
    ]
    verdicts = {outcome.passed for _, outcome in scored}
    if len(scored) < FEWEST or len(verdicts) != 1:
        return
    passed = verdicts == {True}
    code, did, other = ("never_fails", "passed", "fail") if passed else ("never_passes", "failed", "pass")
    message = (
        f"It {did} {_all(len(scored))} that it scored; up to {percent_text(exception_share(len(scored)))} of answers "
        f"may {other} all the same (95 % confidence). Add one that should {other}, to see that it can."
    )
    yield _unless(scorer_id, code, message, [place for place, _ in scored], len(scored))


def _unless(scorer_id: str, code: str, message: str, places: Sequence[int], count: int) -> Finding:
    """A finding that all `count` samples show, with how often it may be otherwise."""
    return replace(shown_by(scorer_id, code, message, places, count), at_most=exception_share(count))


def _all(count: int) -> str:
    return "both samples" if count == FEWEST else f"all {count} samples"


def _most_frequent(errors: Sequence[Outcome]) -> str:
    """`missing_input (12): No output text was recorded.`: the most frequent code and the sentence it came with most."""
    code, count = Counter(outcome.error_code for outcome in errors).most_common(1)[0]
    sentences = Counter(outcome.explanation for outcome in errors if outcome.error_code == code)
    often = f" ({count} of {len(errors)})" if count < len(errors) else ""
    return f"{code}{often}: {sentences.most_common(1)[0][0]}"


def _ground_truth_errors(scorer_id: str, places: Sequence[int], outcomes: Sequence[Outcome]) -> Iterator[Finding]:
    """Ground truth that the scorer itself refused."""
    found: dict[str, list[int]] = {}
    for index, outcome in enumerate(outcomes):
        if code := _fault_of(outcome):
            found.setdefault(code, []).append(index)
    for code, indices in found.items():
        # That it is absent everywhere is what `always_errs` says.
        if code == "missing_ground_truth" and len(indices) == len(outcomes):
            continue
        sentences = Counter(outcomes[index].explanation for index in indices)
        message = sentences.most_common(1)[0][0]
        yield shown_by(scorer_id, code, message, [places[index] for index in indices], len(outcomes), certain=True)


def _fault_of(outcome: Outcome) -> str | None:
    """The code of the finding that an outcome's ground truth makes, or None."""
    if outcome.vacuous:
        return "vacuous_ground_truth"
    if outcome.error_code == ErrorCode.BAD_GROUND_TRUTH:
        return "unsatisfiable_ground_truth"
    return "missing_ground_truth" if outcome.error_code == ErrorCode.MISSING_GROUND_TRUTH else None


def _ground_truth(scorer_id: str, decided: Sequence[_Decided], count: int) -> Iterator[Finding]:
    """Ground truth that the scorer takes and that leaves only one verdict."""
    for code in dict.fromkeys(code for _, code, _ in decided):
        places = [place for place, own, _ in decided if own == code]
        reason = Counter(reason for _, own, reason in decided if own == code).most_common(1)[0][0]
        yield shown_by(scorer_id, code, reason, places, count, certain=True)


def _decided(scorer: Scorer, samples: Sequence[Sample]) -> list[_Decided]:
    return [(place, *found) for place, observation in samples for found in _verdict_left(scorer, observation)]


def _verdict_left(scorer: Scorer, observation: Observation) -> Iterator[tuple[str, str]]:
    """The code and the reason when one verdict alone is left by this ground truth, and not by the settings."""
    try:
        if scorer.vacuous() is None and (reason := scorer.vacuous(observation)):
            yield "vacuous_ground_truth", reason
            return
        whatever, scores = scorer.possible_scores(), scorer.possible_scores(observation)
    except Unmeasurable:
        return
    if scores.kind != "scored" or (scores.low, scores.high) == (whatever.low, whatever.high):
        return
    scores = scores.turned() if scorer.negate else scores
    if scores.low >= scorer.pass_threshold:
        yield "vacuous_ground_truth", f"{scores.why} It passes whatever is answered."
    elif scores.high < scorer.pass_threshold:
        yield "unsatisfiable_ground_truth", f"{scores.why} No answer can pass from {scorer.pass_threshold:g}."


def _agreements(profile: Profile, places: Sequence[int], rows: Sequence[Sequence[Outcome]]) -> Iterator[Finding]:
    """Scorers that gave another's scores on every sample; not those that always give the same one."""
    first: dict[tuple[float | None, ...], AnyScorer] = {}
    for index, scorer in enumerate(profile.scorers):
        scores = tuple(row[index].score for row in rows)
        if None in scores or len(set(scores)) < FEWEST:
            continue
        if scores in first:
            message = f"It gave the same score as “{shortened(first[scores].name)}” on {_all(len(scores))}."
            found = _unless(scorer.id, "agrees_with_another", message, places, len(scores))
            yield replace(found, other_id=first[scores].id)
        else:
            first[scores] = scorer
