"""A number against its range, drawn: the places are in order and on the line."""

from hypothesis import given
from hypothesis import strategies as st

from foundation.scales import range_scale, within

number = st.floats(-1e9, 1e9)


@given(number, number, number)
def test_places_keep_the_order_of_the_numbers(value: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    scale = range_scale(value, low, high)
    assert 0 <= scale.range_start <= scale.range_end <= 1
    if value < low:
        assert scale.value <= scale.range_start
    elif value > high:
        assert scale.value >= scale.range_end
    else:
        assert scale.range_start <= scale.value <= scale.range_end


def test_a_value_far_away_does_not_squeeze_the_range_to_nothing() -> None:
    scale = range_scale(90_000, 40, 1200)
    assert scale.beyond
    assert scale.range_end - scale.range_start > 0.04
    assert scale.bounds_together


def test_a_half_open_range_reaches_the_end_of_the_line() -> None:
    scale = range_scale(3, None, 5)
    assert (scale.low, scale.range_start) == (None, 0.0)
    assert range_scale(7, 5, None).range_end == 1.0


def test_falloff_lies_outside_the_range_on_both_sides() -> None:
    scale = range_scale(620, 40, 1200, falloff=200)
    assert scale.falloff_start < scale.range_start < scale.range_end < scale.falloff_end


def test_a_range_of_one_number_is_drawn() -> None:
    scale = range_scale(5, 5, 5)
    assert scale.value == scale.range_start == scale.range_end


def test_shares_stay_within_the_line() -> None:
    assert [within(share) for share in (-1.0, 0.5, 7.0, None)] == [0.0, 0.5, 1.0, 0.0]
