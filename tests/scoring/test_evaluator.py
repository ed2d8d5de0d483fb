"""A profile over an observation: what counts, what is only reported, what leaves no verdict."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest

from scoring.evaluator import Verdict, evaluate
from scoring.kit.observation import Observation
from scoring.kit.outcome import Reading
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.profile_documents import Profile
from tests.scoring.cases import observation, scorer

NOTHING = observation(output="")


@pytest.fixture
def stopwatch() -> Iterator[type[Scorer]]:
    """A scorer that measures and, without a limit, gives no score."""
    with registry.forgetting_additions():

        class Stopwatch(Scorer):
            """How long it took."""

            type: Literal["Stopwatch"] = "Stopwatch"

            def score(self, observation: Observation) -> Reading:
                return Reading(None, "It took 5 ms.", value=5.0, unit="ms")

        yield Stopwatch


def fixed(score: float, scorer_id: str = "f", **settings: Any) -> Scorer:
    """A scorer that gives this score of an empty text."""
    return scorer("RegexMatch", pattern="$", scoreOnMatch=score, **{"id": scorer_id, **settings})


def verdict(*scorers: Scorer, method: Any = "weightedAvg", threshold: float | None = 0.5) -> Verdict:
    return evaluate(Profile("P", None, method, threshold, scorers), NOTHING)


def test_a_measurement_without_a_limit_enters_no_composite_and_no_verdict(stopwatch: type[Scorer]) -> None:
    timed = stopwatch(id="t", type="Stopwatch", weight=9)
    for method in ("weightedAvg", "minimum", "geometricMean"):
        both = verdict(timed, fixed(0.75), method=method)
        assert (both.status, both.score, both.passed) == ("scored", 0.75, True)
    entry = verdict(timed, fixed(1)).breakdown[0]
    assert (entry["status"], entry["score"], entry["weighted"], entry["passed"]) == ("measured", None, None, None)
    assert (entry["value"], entry["unit"]) == (5, "ms")


def test_measurements_alone_leave_neither_score_nor_verdict(stopwatch: type[Scorer]) -> None:
    alone = verdict(stopwatch(id="t", type="Stopwatch"), fixed(1, weight=0), threshold=0)
    assert (alone.status, alone.score, alone.passed) == ("measured", None, None)


def test_an_error_that_counts_leaves_no_score_whatever_else_there_is(stopwatch: type[Scorer]) -> None:
    errs = scorer("ExactMatch", id="e")
    for others in ((), (fixed(1),), (stopwatch(id="t", type="Stopwatch"),)):
        found = verdict(errs, *others, threshold=0)
        assert (found.status, found.score, found.passed) == ("errored", None, None)
    assert verdict(scorer("ExactMatch", id="e", weight=0), fixed(1)).score == 1


def test_every_scorer_is_run_once_and_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    real = Scorer.outcome

    def outcome(self: Scorer, observation: Observation) -> Any:
        seen.append(self.id)
        return real(self, observation)

    monkeypatch.setattr(Scorer, "outcome", outcome)
    verdict(fixed(1, "b"), fixed(0, "a"), fixed(1, "c", weight=0))
    assert seen == ["b", "a", "c"]


@pytest.mark.parametrize("score", [0.1, 0.3, 0.7, 0.85, 1 / 3, 0.955])
@pytest.mark.parametrize("weights", [(0.3,), (0.1, 0.2, 0.7), (1, 3, 7), (0.35, 0.3, 0.35)])
def test_scores_that_are_all_at_the_threshold_pass(score: float, weights: tuple[float, ...]) -> None:
    scorers = [fixed(score, str(index), weight=weight) for index, weight in enumerate(weights)]
    for method in ("weightedAvg", "minimum", "geometricMean"):
        assert verdict(*scorers, method=method, threshold=score).passed is True
