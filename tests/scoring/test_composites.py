"""How scores become one: the contract's figures, and what holds for all of them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.composites import METHOD_WORDS, METHODS, composite
from tests.scoring.cases import facts

CASES = facts("composites")["cases"]
_SCORES = st.floats(0, 1)
_WEIGHTS = st.floats(0, 1_000_000)
_PAIRS = st.lists(st.tuples(_WEIGHTS, _SCORES), min_size=1, max_size=20).filter(
    lambda pairs: any(w > 0 for w, _ in pairs)
)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["scores"]))
def test_the_figures_of_the_contract(case: dict[str, object], method: str) -> None:
    pairs = [tuple(pair) for pair in case["scores"]]  # type: ignore[attr-defined]
    assert composite(method, pairs) == pytest.approx(case[method], abs=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pairs", [[], [(0, 1)], [(0, 0.5), (0, 1)]])
def test_nothing_that_counts_gives_nothing(method: str, pairs: list[tuple[float, float]]) -> None:
    assert composite(method, pairs) is None  # type: ignore[arg-type]


def test_every_method_has_a_name() -> None:
    assert set(METHOD_WORDS) == set(METHODS) == {"weightedAvg", "minimum", "geometricMean"}


@given(_PAIRS)
@settings(derandomize=True, deadline=None)
def test_a_composite_lies_between_the_scores_it_is_made_of(pairs: list[tuple[float, float]]) -> None:
    counted = [score for weight, score in pairs if weight > 0]
    for method in METHODS:
        value = composite(method, pairs)  # type: ignore[arg-type]
        assert value is not None
        assert min(counted) <= value <= max(counted), method
        assert 0 <= value <= 1


@given(_WEIGHTS.filter(bool), _SCORES, st.integers(1, 64))
@settings(derandomize=True, deadline=None)
def test_the_same_score_everywhere_is_the_composite_to_the_last_bit(weight: float, score: float, count: int) -> None:
    for method in METHODS:
        assert composite(method, [(weight, score)] * count) == score  # type: ignore[arg-type]


@given(_PAIRS, st.randoms(use_true_random=False))
@settings(derandomize=True, deadline=None)
def test_the_order_of_the_scorers_does_not_matter(pairs: list[tuple[float, float]], random: object) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for method in METHODS:
        assert composite(method, shuffled) == composite(method, pairs)  # type: ignore[arg-type]


@given(_PAIRS, st.lists(_SCORES, max_size=3))
@settings(derandomize=True, deadline=None)
def test_weight_0_reports_only(pairs: list[tuple[float, float]], reported: list[float]) -> None:
    more = [*pairs, *((0.0, score) for score in reported)]
    for method in METHODS:
        assert composite(method, more) == composite(method, pairs)  # type: ignore[arg-type]


@given(_PAIRS)
@settings(derandomize=True, deadline=None)
def test_minimum_geometric_average(pairs: list[tuple[float, float]]) -> None:
    least, geometric, average = (composite(method, pairs) for method in ("minimum", "geometricMean", "weightedAvg"))  # type: ignore[arg-type]
    assert least is not None
    assert geometric is not None
    assert average is not None
    assert least <= geometric + 1e-12
    assert geometric <= average + 1e-12


@given(_PAIRS, st.sampled_from([2.0, 0.5, 4.0]))
@settings(derandomize=True, deadline=None)
def test_only_the_shares_of_the_weights_matter(pairs: list[tuple[float, float]], factor: float) -> None:
    scaled = [(weight * factor, score) for weight, score in pairs]
    if any(0 < weight < 1e-300 for weight, _ in pairs):
        return
    for method in METHODS:
        assert composite(method, scaled) == pytest.approx(composite(method, pairs), abs=1e-12)  # type: ignore[arg-type]


@given(_PAIRS)
@settings(derandomize=True, deadline=None)
def test_a_score_of_0_makes_the_geometric_mean_0(pairs: list[tuple[float, float]]) -> None:
    assert composite("geometricMean", [*pairs, (1.0, 0.0)]) == 0
    assert composite("minimum", [*pairs, (1e-9, 0.0)]) == 0
    assert not math.isnan(composite("geometricMean", [(1e-320, 5e-324)]) or 0)
