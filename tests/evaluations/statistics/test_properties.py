"""What holds of the statistics whatever the numbers."""

import math
import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from evaluations.statistics import (
    bootstrap,
    corrections,
    equivalence,
    means,
    paired,
    permutation,
    planning,
    rates,
    repeated,
)
from evaluations.statistics.draws import Pcg32

counts = st.integers(0, 400)
scores = st.floats(0, 1)
differences = st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=12)
p_values = st.lists(st.floats(0, 1), max_size=40)


@st.composite
def rates_of(draw: st.DrawFn) -> tuple[int, int]:
    total = draw(st.integers(1, 3000))
    return draw(st.integers(0, total)), total


@given(rates_of())
def test_an_interval_holds_its_rate_and_mirrors(rate: tuple[int, int]) -> None:
    count, total = rate
    for interval in (rates.wilson, rates.clopper_pearson):
        low, high = interval(count, total)  # type: ignore[misc]
        other_low, other_high = interval(total - count, total)  # type: ignore[misc]
        assert 0 <= low <= count / total <= high <= 1
        assert (low, high) == pytest.approx((1 - other_high, 1 - other_low), abs=1e-9)


@given(rates_of())
def test_intervals_agree_with_scipy(rate: tuple[int, int]) -> None:
    count, total = rate
    test = stats.binomtest(count, total)
    for method, interval in (("wilson", rates.wilson), ("exact", rates.clopper_pearson)):
        theirs = test.proportion_ci(method=method)
        assert interval(count, total) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(counts, counts)
def test_mcnemar_is_a_binomial_test_and_does_not_care_which_run_is_which(base: int, new: int) -> None:
    p = paired.mcnemar_exact(base, new)
    assert 0 <= p <= 1
    assert p == paired.mcnemar_exact(new, base)
    assert paired.mcnemar_mid_p(base, new) <= p
    assert paired.smallest_p(base + new) <= p
    if base + new:
        assert p == pytest.approx(stats.binomtest(base, base + new).pvalue, rel=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
@example(700, 650)
@example(0, 1500)
def test_the_mid_p_value_takes_half_of_the_split_seen_from_each_side(base: int, new: int) -> None:
    flips, fewer = base + new, min(base, new)
    law = [Fraction(math.comb(flips, split), 2**flips) for split in range(fewer + 1)]
    exact = 2 * sum(law) - law[-1] if base != new else 1 - law[-1] / 2
    assert paired.mcnemar_mid_p(base, new) == pytest.approx(float(exact) if flips else 1)


@given(counts, counts, counts, counts)
def test_newcombe_holds_the_difference_and_mirrors(both: int, base: int, new: int, neither: int) -> None:
    interval = paired.newcombe(both, base, new, neither)
    cases = both + base + new + neither
    if cases == 0:
        assert interval is None
        return
    assert interval is not None
    assert -1 <= interval[0] <= (new - base) / cases <= interval[1] <= 1
    mirrored = paired.newcombe(both, new, base, neither)
    assert mirrored == pytest.approx((-interval[1], -interval[0]), abs=1e-12)
    assert paired.newcombe(neither, base, new, both) == pytest.approx((-mirrored[1], -mirrored[0]), abs=1e-9)  # type: ignore[index]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=200))
def test_permutation_of_pass_and_fail_is_mcnemar(pairs: list[tuple[bool, bool]]) -> None:
    found = permutation.sign_flip([int(new) - int(base) for base, new in pairs])
    base_only = sum(base and not new for base, new in pairs)
    new_only = sum(new and not base for base, new in pairs)
    assert found.method == "exact"
    assert found.p_value == pytest.approx(paired.mcnemar_exact(base_only, new_only), rel=1e-9)


@given(differences)
def test_permutation_counts_every_choice_of_signs(values: list[float]) -> None:
    least = abs(math.fsum(values)) - 1e-12 * math.fsum(map(abs, values))
    extreme = [
        abs(math.fsum(sign * value for sign, value in zip(signs, values, strict=True))) >= least
        for signs in product((1, -1), repeat=len(values))
    ]
    assert permutation.sign_flip(values).p_value == pytest.approx(sum(extreme) / len(extreme))


@given(differences, st.floats(1e-6, 1e6))
def test_permutation_knows_neither_unit_nor_side(values: list[float], unit: float) -> None:
    found = permutation.sign_flip(values)
    assert permutation.sign_flip([-value for value in values]) == found
    assert permutation.sign_flip([value * unit for value in values]).p_value == pytest.approx(found.p_value)
    assert permutation.sign_flip([*values, 0, 0]) == found


def test_monte_carlo_is_near_the_exact_law_and_the_same_each_time() -> None:
    values = np.random.default_rng(7).normal(0.3, 1, 20)
    exact = permutation.sign_flip(values.tolist()).p_value
    many = [*values.tolist(), 1e-15]
    found = permutation.sign_flip(many)
    assert found.method == "monte_carlo"
    assert found.resamples == 9_999
    assert found == permutation.sign_flip(many)
    assert found.p_value == pytest.approx(exact, abs=0.02)
    assert permutation.sign_flip(many, seed=43) != found
    assert permutation.sign_flip([1 + value / 100 for value in range(40)]).p_value == 1 / 10_000


def test_monte_carlo_reads_every_bit_of_a_word_once() -> None:
    """37 values in two words: sums of the same words, taken bit by bit."""
    values = np.array([1 + place / 64 for place in range(37)])
    sums = permutation._random_sums(values, 50, seed=3)
    generator = Pcg32(3, permutation.PERMUTATION_SEQUENCE)
    first, second = generator.draw(50).tolist(), generator.draw(50).tolist()
    for resample in range(50):
        bits = first[resample] | second[resample] << 32
        signs = [1 if bits >> place & 1 else -1 for place in range(37)]
        assert sums[resample] == pytest.approx(float(np.dot(signs, values)))


@given(p_values)
def test_corrections_never_help_and_keep_the_order(raw: list[float]) -> None:
    for correct in (corrections.bonferroni, corrections.holm, corrections.benjamini_hochberg):
        adjusted = correct(raw)
        assert all(p <= after <= 1 for p, after in zip(raw, adjusted, strict=True))
        order = sorted(range(len(raw)), key=raw.__getitem__)
        assert [adjusted[place] for place in order] == sorted(adjusted)
    assert all(one <= two for one, two in zip(corrections.holm(raw), corrections.bonferroni(raw), strict=True))
    if raw:
        assert corrections.benjamini_hochberg(raw) == pytest.approx(stats.false_discovery_control(raw).tolist())


@given(st.lists(scores, min_size=2, max_size=60))
def test_bootstrap_stays_among_the_values(values: list[float]) -> None:
    low, high = bootstrap.bootstrap_interval(values, resamples=200)  # type: ignore[misc]
    assert min(values) - 1e-12 <= low <= high <= max(values) + 1e-12


@given(st.integers(1, 2**31), st.integers(0, 300))
def test_draws_below_a_bound_are_those_of_the_reference(bound: int, count: int) -> None:
    words = iter(Pcg32(9, 5).draw(4 * count + 200).tolist())
    threshold = (2**32 - bound) % bound
    expected = [next(word for word in words if word >= threshold) % bound for _ in range(count)]
    assert Pcg32(9, 5).below(bound, count).tolist() == expected


@given(st.lists(st.floats(-1e9, 1e9), min_size=1), st.floats(0, 1))
def test_percentiles_lie_on_the_line_between_neighbours(values: list[float], share: float) -> None:
    ordered, place = sorted(values), (len(values) - 1) * share
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    expected = ordered[low] + (ordered[high] - ordered[low]) * (place - low)
    assert means.percentile(values, share) == pytest.approx(expected, abs=1e-3)


@given(st.lists(st.one_of(scores, st.none()), min_size=1))
def test_bounds_hold_whatever_the_errors_would_have_been(values: list[float | None]) -> None:
    low, high = means.mean_bounds(values)  # type: ignore[misc]
    for guess in (0.0, 0.37, 1.0):
        total = math.fsum(guess if value is None else value for value in values)
        assert low - 1e-12 <= total / len(values) <= high + 1e-12


@given(st.lists(scores, min_size=1))
def test_a_mean_lies_among_its_values_in_any_order(values: list[float]) -> None:
    middle = means.mean(values)
    assert middle is not None
    assert min(values) <= middle <= max(values)
    assert middle == means.mean(values[::-1])
    assert means.mean([0.7] * len(values)) == 0.7


@given(st.integers(1, 30), st.data())
def test_chances_of_k_samples_lie_in_order(samples: int, data: st.DataObject) -> None:
    passes = data.draw(st.integers(0, samples))
    at = [repeated.pass_at_k(samples, passes, k) for k in range(1, samples + 1)]
    hat = [repeated.pass_hat_k(samples, passes, k) for k in range(1, samples + 1)]
    assert at == sorted(at)  # type: ignore[type-var]
    assert hat == sorted(hat, reverse=True)  # type: ignore[type-var]
    assert at[0] == pytest.approx(passes / samples)
    assert hat[0] == pytest.approx(passes / samples)
    assert [1 - value for value in at] == pytest.approx(  # type: ignore[operator]
        [repeated.pass_hat_k(samples, samples - passes, k) for k in range(1, samples + 1)]
    )


def test_clusters_of_one_are_plain_cases() -> None:
    values = [0.2, 0.9, 0.4, 0.4, 1.0]
    assert repeated.clustered_standard_error(values, range(5)) == pytest.approx(means.standard_error(values))
    assert repeated.clustered_standard_error(values, ["one"] * 5) is None
    with pytest.raises(ValueError, match="5 values and 2 clusters"):
        repeated.clustered_standard_error(values, ["a", "b"])


@given(st.integers(1, 5000), st.floats(0.01, 1))
def test_more_cases_show_smaller_changes(cases: int, share: float) -> None:
    change = planning.detectable_rate_change(cases, share)
    if cases < 6:
        assert change is None
    if change is None:
        return
    assert 0 < change <= 1
    spread = max(share, change)
    z, beyond = stats.norm.ppf(0.975), stats.norm.ppf(0.8)
    wanted = z * math.sqrt(spread) + beyond * math.sqrt(max(0.0, spread - change**2))
    assert change * math.sqrt(cases) == pytest.approx(wanted, rel=1e-6)
    after = planning.detectable_rate_change(cases + 1, share)
    assert after is not None
    assert after < change


@given(st.floats(0.01, 0.5), st.floats(0, 1), st.integers(1, 20))
def test_the_difference_that_so_many_cases_show_needs_so_many_cases(
    difference: float, between: float, samples: int
) -> None:
    noise: dict[str, tuple[float, float]] = {"sampling": (0.1, 0.2)}
    cases = planning.paired_cases(difference, between, samples=(samples, 1), **noise)
    assert planning.detectable_difference(1, between, samples=(samples, 1), **noise) == pytest.approx(
        difference * math.sqrt(cases)
    )


def test_power_grows_with_the_cases_and_is_the_level_when_nothing_changed() -> None:
    assert planning.mcnemar_power(100, 0.0, 0.0) == 0
    assert planning.mcnemar_power(5, 0.0, 1.0) == 0
    assert planning.mcnemar_power(6, 0.0, 1.0) == pytest.approx(1)
    assert planning.mcnemar_power(200, 0.1, 0.1) < 0.05
    assert planning.mcnemar_power(100, 0.05, 0.15) < planning.mcnemar_power(300, 0.05, 0.15)
    assert planning.mcnemar_power(100, 0.15, 0.05) == pytest.approx(planning.mcnemar_power(100, 0.05, 0.15))


def test_no_worse_needs_an_interval_that_rules_worse_out() -> None:
    assert equivalence.non_inferior((-0.03, 0.06), 0.05)
    assert not equivalence.non_inferior((-0.05, 0.06), 0.05)
    assert equivalence.non_inferior((-9, 4.9), 5, higher_is_better=False)
    assert not equivalence.non_inferior((-9, 5), 5, higher_is_better=False)
    assert equivalence.equivalent((-0.04, 0.04), 0.05)
    assert not equivalence.equivalent((-0.04, 0.06), 0.05)
    assert not equivalence.equivalent((-0.06, 0.04), 0.05)
    with pytest.raises(ValueError, match="positive"):
        equivalence.equivalent((0, 0), 0)
    with pytest.raises(ValueError, match="positive"):
        equivalence.non_inferior((0, 0), -0.1)


def test_the_interval_of_a_mean_says_how_it_was_found_and_when_there_is_none() -> None:
    assert bootstrap.mean_interval([0.5]) is None
    assert bootstrap.mean_interval([0.5] * 30) is None
    few, many = bootstrap.mean_interval([0, 1] * 50), bootstrap.mean_interval([0, 1] * 100)
    assert few is not None
    assert many is not None
    assert (few.method, many.method) == ("percentile_bootstrap", "normal")
    assert (few.low, few.high) == pytest.approx((0.4, 0.6), abs=0.01)
    assert (many.low, many.high) == pytest.approx((0.43, 0.57), abs=0.01)
    with pytest.raises(ValueError, match="without samples"):
        bootstrap.cluster_bootstrap([[1], []])


def test_nothing_has_no_figure() -> None:
    assert means.mean([]) is None
    assert means.percentile([], 0.5) is None
    assert means.mean_bounds([]) is None
    assert means.standard_error([1]) is None
    assert bootstrap.bootstrap_interval([]) is None
    assert rates.zero_failure_bound(0) is None
    assert paired.delta_bounds([], 0) is None
    assert paired.flips_standard_error(0, 0, 0) is None
    assert corrections.holm([]) == corrections.bonferroni([]) == corrections.benjamini_hochberg([]) == []
    assert paired.delta_bounds([1, 0], 2) == (-0.25, 0.75)
    with pytest.raises(ValueError, match="no pass rate"):
        repeated.pass_at_k(3, 4, 1)


@pytest.mark.load
def test_ten_thousand_pairs_take_a_moment() -> None:
    values = np.random.default_rng(1).normal(0.01, 1, 10_000).tolist()

    def seconds() -> float:
        began = time.process_time()
        permutation.sign_flip(values)
        bootstrap.mean_interval(values)
        return time.process_time() - began

    assert min(seconds() for _ in range(5)) < 0.1
