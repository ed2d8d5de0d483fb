"""What the settings of a profile's scorers show by themselves, whatever an agent answers."""

import json
from collections.abc import Iterator, Mapping

from foundation.figures import number_text, score_text
from scoring.kit.possible_scores import PossibleScores, never
from scoring.kit.scorer import Scorer
from scoring.kit.text import shortened
from scoring.lint.findings import Finding
from scoring.profile_documents import Profile, UnusableScorer

AnyScorer = Scorer | UnusableScorer
# What two scorers may differ in and still say the same of every answer.
_BESIDE = frozenset({"id", "name", "description", "weight", "required"})


def possible_scores(profile: Profile) -> dict[str, PossibleScores]:
    """The scores that each scorer's settings leave possible, after negation, by its id."""
    return {scorer.id: _possible(scorer) for scorer in profile.scorers}


def _possible(scorer: AnyScorer) -> PossibleScores:
    if isinstance(scorer, UnusableScorer):
        return never(scorer.reason)
    scores = scorer.possible_scores()
    return scores.turned() if scorer.negate else scores


def settings_findings(profile: Profile, possible: Mapping[str, PossibleScores]) -> Iterator[Finding]:
    """What each scorer's settings show, in profile order."""
    twins = _twins(profile)
    for scorer in profile.scorers:
        yield from _one_sided(scorer, possible[scorer.id])
        yield from _without_weight(scorer, possible[scorer.id])
        if isinstance(scorer, Scorer) and (reason := scorer.vacuous()):
            yield Finding(scorer.id, "vacuous_ground_truth", reason)
        if scorer.id in twins:
            twin = twins[scorer.id]
            message = f"It has the same settings as “{shortened(twin.name)}”, so it says the same of every answer."
            yield Finding(scorer.id, "agrees_with_another", message, other_id=twin.id)


def _one_sided(scorer: AnyScorer, scores: PossibleScores) -> Iterator[Finding]:
    """That all scores it can give lie on one side of its threshold, or that it can give none."""
    if scores.kind == "error" or isinstance(scorer, UnusableScorer):
        yield Finding(scorer.id, "always_errs", scores.why)
    elif scores.kind == "measured":
        if scorer.required:
            message = f"{scores.why} It is required and never passes, so no evaluation can; give it a limit."
            yield Finding(scorer.id, "never_passes", message)
    elif scores.low >= scorer.pass_threshold:
        told = _told(scores, "at least", scores.low, scorer)
        yield Finding(scorer.id, "never_fails", f"{told}, so it can never fail.")
    elif scores.high < scorer.pass_threshold:
        told = _told(scores, "at most", scores.high, scorer)
        yield Finding(scorer.id, "never_passes", f"{told}, so it can never pass.")


def _told(scores: PossibleScores, bound: str, score: float, scorer: Scorer) -> str:
    """`It scores at least 0.500 and passes from 0.400`, after the reason if there is one."""
    reason = f"{scores.why} " if scores.why else ""
    turned = "Negated, it" if scorer.negate else "It"
    verb = "always scores" if scores.low == scores.high else f"scores {bound}"
    threshold = scorer.pass_threshold
    return f"{reason}{turned} {verb} {score_text(score, threshold)} and passes from {score_text(threshold)}"


def _without_weight(scorer: AnyScorer, scores: PossibleScores) -> Iterator[Finding]:
    if scores.kind == "measured" and scorer.weight > 0:
        message = f"{scores.why} Its weight of {number_text(scorer.weight)} counts for nothing; give it a limit."
        yield Finding(scorer.id, "counts_for_nothing", message)
    elif scores.kind != "measured" and scorer.weight == 0 and not scorer.required:
        message = "Its weight is 0 and it is not required: it reports, and no evaluation turns on it."
        yield Finding(scorer.id, "counts_for_nothing", message)


def _twins(profile: Profile) -> dict[str, AnyScorer]:
    """The id of each scorer that has the settings of an earlier one, with that one."""
    first: dict[str, AnyScorer] = {}
    twins: dict[str, AnyScorer] = {}
    for scorer in profile.scorers:
        settings = {name: value for name, value in scorer.as_document().items() if name not in _BESIDE}
        key = json.dumps(settings, sort_keys=True, default=str)
        if key in first:
            twins[scorer.id] = first[key]
        else:
            first[key] = scorer
    return twins
