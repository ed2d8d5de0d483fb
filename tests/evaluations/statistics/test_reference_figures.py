"""Each figure of the table that the statistics are held to, recomputed elsewhere with independent code."""

import math
from collections.abc import Callable
from typing import Any

import pytest

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

EIGHT = [1, 1, 0, 0, 1, 0, 1, 1]
PAIRS = list("AABBCCDD")
GROUPED_10X3 = [
    [0.094, 0.622, 0.841],
    [0.911, 0.796, 0.609],
    [0.56, 0.18, 0.248],
    [0.535, 0.402, 0.473],
    [0.8, 0.661, 0.306],
    [0.744, 0.874, 0.615],
    [0.179, 0.57, 0.977],
    [0.371, 0.867, 0.995],
    [0.992, 0.486, 0.898],
    [0.941, 0.702, 0.549],
]
P_VALUES = [0.01, 0.04, 0.03, 0.005]
SAMPLING = {"sampling": (1 / 6, 1 / 6)}


def flat(value: Any) -> list[float]:
    if value is None:
        raise AssertionError("there is no figure")
    if isinstance(value, means.ScoredMean):
        return flat([value.mean, value.scored, value.errored])
    if isinstance(value, paired.PairedDelta):
        return flat([value.delta, value.pairs, value.excluded])
    if isinstance(value, permutation.SignFlip):
        return [value.p_value]
    if isinstance(value, list | tuple):
        return [number for part in value for number in flat(part)]
    return [float(value)]


def grouped(values: list[list[float]]) -> list[Any]:
    rows = [value for cluster in values for value in cluster]
    return [means.mean(rows), bootstrap.cluster_bootstrap(values, resamples=1000)]


def law_of_the_mean() -> list[float]:
    """The shares of the four means that resampling 1, 0, 1 can give."""
    found = bootstrap.resampled_means([[1], [0], [1]], resamples=200_000, seed=42, sequence=54)
    return [sum(math.isclose(mean, count / 3) for mean in found) / len(found) for count in range(4)]


ROWS: list[tuple[str, Callable[[], Any], list[float], float]] = [
    ("P01", lambda: means.scored_mean([1, 0, None, 1]), [0.6666667, 3, 1], 5e-8),
    ("P02", lambda: means.mean_bounds([1, 0, None, 1]), [0.5, 0.75], 0),
    ("P03", lambda: paired.paired_delta([0, 1, 0], [1, 1, 0]).delta, [0.3333333], 5e-8),
    ("P04", lambda: paired.paired_delta([0, None, 0], [1, 1, 1]), [1, 2, 1], 0),
    (
        "P05",
        lambda: [
            bootstrap.percentile_indices(count, alpha)
            for count, alpha in ((2000, 0.05), (1000, 0.05), (500, 0.1), (10, 0.05), (1, 0.05))
        ],
        [50, 1949, 25, 974, 25, 474, 0, 9, 0, 0],
        0,
    ),
    ("P06-law", law_of_the_mean, [0.037037, 0.2222222, 0.4444444, 0.2962963], 4e-3),
    ("P06-interval", lambda: bootstrap.bootstrap_interval([1, 0, 1]), [0, 1], 0),
    ("P07", lambda: rates.wilson(14, 20), [0.4810272, 0.8545228], 5e-8),
    ("P08", lambda: rates.clopper_pearson(14, 20), [0.4572108, 0.8810684], 5e-8),
    ("P09", lambda: rates.wilson(0, 10), [0, 0.2775328], 5e-8),
    ("P10", lambda: rates.clopper_pearson(0, 10), [0, 0.3084971], 5e-8),
    ("P11", lambda: rates.wilson(10, 10), [0.7224672, 1], 5e-8),
    ("P12", lambda: rates.wilson(2, 3), [0.2076596, 0.9385081], 5e-8),
    ("P15", lambda: rates.zero_failure_bound(30), [0.0950339], 5e-8),
    ("P16", lambda: paired.mcnemar_exact(1, 9), [0.0214844], 5e-8),
    ("P17", lambda: paired.mcnemar_exact(0, 5), [0.0625], 0),
    ("P18", lambda: paired.mcnemar_exact(0, 6), [0.03125], 0),
    ("P20", lambda: paired.mcnemar_exact(5, 5), [1], 0),
    ("P21", lambda: paired.mcnemar_exact(0, 0), [1], 0),
    ("P23", lambda: paired.mcnemar_mid_p(1, 9), [0.0117188], 5e-8),
    ("P24", lambda: permutation.sign_flip([1] * 9 + [-1]), [0.0214844], 5e-8),
    ("P25", lambda: permutation.sign_flip([0.2, 0.1, 0.3, -0.05]), [0.25], 0),
    ("P26", lambda: permutation.sign_flip([1, 0, 0]), [1], 0),
    ("P27", lambda: permutation.monte_carlo_p(0, 9999), [0.0001], 0),
    ("P28", lambda: means.standard_error(EIGHT), [0.1829813], 5e-8),
    ("P29", lambda: repeated.clustered_standard_error(EIGHT, PAIRS, corrected=False), [0.207289], 5e-8),
    ("P30", lambda: repeated.clustered_standard_error(EIGHT, PAIRS), [0.2393568], 5e-8),
    ("P31", lambda: [(25 - 10) / 200, paired.flips_standard_error(200, 10, 25)], [0.075, 0.0291011], 5e-8),
    (
        "P32",
        lambda: paired.wald(0.075, flat(paired.flips_standard_error(200, 10, 25))[0]),
        [0.0179629, 0.1320371],
        5e-8,
    ),
    ("P33", lambda: paired.newcombe(both=120, new_only=25, base_only=10, neither=45), [0.0170045, 0.1325283], 5e-8),
    ("P34", lambda: [repeated.pass_at_k(5, 2, k) for k in (1, 2, 3)], [0.4, 0.7, 0.9], 1e-15),
    ("P35", lambda: [repeated.pass_hat_k(5, 2, k) for k in (1, 2, 3)], [0.4, 0.1, 0], 1e-15),
    ("P37", lambda: planning.paired_cases(0.03, 1 / 9), [968.9974981], 5e-8),
    ("P38", lambda: planning.paired_cases(0.03, 1 / 9, **SAMPLING), [3875.9899923], 5e-8),
    ("P39", lambda: planning.paired_cases(0.03, 1 / 9, samples=(10, 10), **SAMPLING), [1259.6967475], 5e-8),
    (
        "P40",
        lambda: [planning.detectable_difference(198, 1 / 9, samples=(k, k), **SAMPLING) for k in (1, 10)],
        [0.1327333, 0.0756696],
        5e-8,
    ),
    (
        "P41",
        lambda: [planning.detectable_rate_change(cases) for cases in (40, 100, 400, 1000)],
        [0.1923, 0.1238, 0.0625, 0.0396],
        5e-5,
    ),
    ("P43", lambda: planning.cases_per_arm(0.70, 0.75), [1250.7167334], 5e-8),
    ("P44", lambda: planning.mcnemar_power(100, base_only=0.05, new_only=0.15), [0.5444], 5e-5),
    ("P45", lambda: corrections.bonferroni(P_VALUES), [0.04, 0.16, 0.12, 0.02], 1e-15),
    ("P46", lambda: corrections.holm(P_VALUES), [0.03, 0.06, 0.06, 0.02], 1e-15),
    ("P47", lambda: corrections.benjamini_hochberg(P_VALUES), [0.02, 0.04, 0.04, 0.02], 1e-15),
    (
        "P48",
        lambda: list(Pcg32(42, 54).draw(6)),
        [0xA15C02B7, 0x7B47F409, 0xBA1D3330, 0x83D2F293, 0xBFA4784B, 0xCBED606E],
        0,
    ),
    ("P49", lambda: bootstrap.bootstrap_interval([1] * 14 + [0] * 6), [0.5, 0.9], 1e-15),
    ("P50", lambda: grouped(GROUPED_10X3), [0.6266, 0.5329667, 0.7073], 5e-8),
    (
        "P51",
        lambda: bootstrap.bootstrap_interval([value for row in GROUPED_10X3 for value in row], resamples=1000),
        [0.5261667, 0.7187667],
        5e-8,
    ),
    ("P52", lambda: paired.wald(-0.01, 0.03), [-0.0687989, 0.0487989], 5e-8),
    ("P53", lambda: [repeated.design_effect(5, 0.5), repeated.effective_size(40, 5, 0.5)], [3, 66.6666667], 5e-8),
    # The table of the evaluations' contract.
    ("W-45/60", lambda: rates.wilson(45, 60), [0.627679, 0.842235], 5e-7),
    ("W-6/12", lambda: rates.wilson(6, 12), [0.253782, 0.746218], 5e-7),
    ("W-1/4", lambda: rates.wilson(1, 4), [0.045587, 0.699358], 5e-7),
    ("W-0/10", lambda: rates.wilson(0, 10), [0, 0.277533], 5e-7),
    ("W-10/10", lambda: rates.wilson(10, 10), [0.722467, 1], 5e-7),
    ("W-1/2", lambda: rates.wilson(1, 2), [0.094531, 0.905469], 5e-7),
    ("M-9/6", lambda: paired.mcnemar_exact(6, 9), [0.60723876953125], 1e-15),
    ("M-6/0", lambda: paired.mcnemar_exact(0, 6), [0.03125], 0),
    ("M-5/2", lambda: paired.mcnemar_exact(2, 5), [0.453125], 0),
    ("M-2/1", lambda: paired.mcnemar_exact(1, 2), [1], 0),
    ("M-0/0", lambda: paired.mcnemar_exact(0, 0), [1], 0),
    ("M-1000/0", lambda: paired.mcnemar_exact(0, 1000), [math.ldexp(1, -999)], 1e-310),
    # The field's cases.
    ("F25-McNemar", lambda: paired.mcnemar_exact(4, 14), [0.0309], 5e-5),
    ("F25-Holm", lambda: corrections.holm([paired.mcnemar_exact(4, 14), 1, 1, 1, 1])[0], [0.154], 5e-4),
    ("F25-five-and-six", lambda: [paired.smallest_p(5), paired.smallest_p(6)], [0.0625, 0.03125], 0),
]


@pytest.mark.parametrize(("figure", "expected", "within"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_figure_is_the_reference(figure: Callable[[], Any], expected: list[float], within: float) -> None:
    assert flat(figure()) == pytest.approx(expected, rel=0, abs=within)


def test_the_ends_of_a_rate_are_exactly_0_and_1() -> None:
    for interval in (rates.wilson, rates.clopper_pearson):
        assert interval(0, 10) == (0.0, pytest.approx(0.29, abs=0.02))
        assert interval(10, 10) == (pytest.approx(0.71, abs=0.02), 1.0)
        assert interval(0, 0) is None


def test_p52_the_difference_is_neither_there_nor_ruled_out() -> None:
    interval = paired.wald(-0.01, 0.03)
    assert not equivalence.non_inferior(interval, 0.05)
    assert paired.wald_p(-0.01, 0.03) == pytest.approx(0.74, abs=0.005)


def test_p48_is_the_beginning_of_one_stream_however_it_is_drawn() -> None:
    whole, parts = Pcg32(42, 54).draw(40_000), Pcg32(42, 54)
    assert [int(word) for size in (1, 5, 20_000, 19_994) for word in parts.draw(size)] == whole.tolist()


def test_p53_what_more_samples_than_asked_for_would_give_is_not_made_up() -> None:
    assert repeated.pass_at_k(5, 2, 6) is None
    assert repeated.pass_hat_k(5, 2, 6) is None
