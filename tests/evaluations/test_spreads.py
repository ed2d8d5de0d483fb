"""How far scores moved, counted in bins."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.comparison import ComparedRun
from evaluations.comparison.spreads import COMPOSITE, place_of, score_spreads
from tests.evaluations.results import result

SCORES = st.one_of(st.none(), st.floats(0, 1))


def spreads(base: list[float | None], new: list[float | None]) -> dict[str, list[int]]:
    sides = [
        [result(f"i{place:03}", True, position=place, said={"tone": score}) for place, score in enumerate(scores)]
        for scores in (base, new)
    ]
    return score_spreads(ComparedRun("base", sides[0]), ComparedRun("new", sides[1]))


@pytest.mark.parametrize(
    ("difference", "place"),
    [
        (0, 10),
        (1e-12, 11),
        (-1e-12, 9),
        (0.1, 11),
        (0.3 - 0.2, 11),
        (0.2 - 0.3, 9),
        (0.11, 12),
        (1, 20),
        (-1, 0),
        (-0.95, 0),
    ],
)
def test_a_tenth_belongs_to_the_bin_that_ends_there(difference: float, place: int) -> None:
    assert place_of(difference) == place


def test_each_shared_item_is_counted_once_in_the_bin_of_its_difference() -> None:
    counts = spreads([0.5, 0.5, 0.5, 0.9, None], [0.5, 0.75, 0.2, 0.9, 1.0])["tone"]
    assert counts == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]


def test_passes_and_fails_have_no_spread_and_what_was_edited_no_difference() -> None:
    assert spreads([0, 1, 1], [1, 1, 0]) == {}
    edited = [result("i", True, said={"tone": 0.5}, content_hash=text) for text in ("old", "new")]
    assert score_spreads(ComparedRun("base", edited[:1]), ComparedRun("new", edited[1:])) == {}


def test_the_composite_has_its_own() -> None:
    sides = [[result("i", True, score=score)] for score in (0.25, 0.75)]
    counts = score_spreads(ComparedRun("base", sides[0]), ComparedRun("new", sides[1]))[COMPOSITE]
    assert (sum(counts), counts[15]) == (1, 1)


@given(st.lists(st.tuples(SCORES, SCORES), max_size=12))
def test_all_that_was_scored_twice_is_counted_and_turning_the_runs_round_turns_the_bins(
    scores: list[tuple[float | None, float | None]],
) -> None:
    base, new = [before for before, _ in scores], [after for _, after in scores]
    both = [pair for pair in scores if None not in pair]
    counts = spreads(base, new).get("tone")
    if counts is None:
        assert all(score in {0, 1} for pair in both for score in pair)
    else:
        assert sum(counts) == len(both)
        assert sum(counts[11:]) == sum(
            after > before for before, after in both if before is not None and after is not None
        )
        assert spreads(new, base)["tone"] == counts[::-1]
