"""Two runs over the same cases: what changed, how sure it is, and whether chance alone does as much.

Differences are new − base, case by case, never of two means over different cases. `base_only` are
the cases that only the base passed, `new_only` those that only the new run passed.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from evaluations.statistics.means import Interval, mean
from evaluations.statistics.rates import normal_quantile, wilson

_MOST_COUNTED = 1_000
"""Up to so many flips p values are counted in whole numbers, and their last digit is right."""


@dataclass(frozen=True, slots=True)
class PairedDelta:
    """The mean difference over `pairs` scored on both sides, with `excluded` others; None of no pair."""

    delta: float | None
    pairs: int
    excluded: int


def paired_delta(base: Sequence[float | None], new: Sequence[float | None]) -> PairedDelta:
    """The mean of new − base over the cases where neither is None; both are in the same order of cases."""
    differences = [
        after - before for before, after in zip(base, new, strict=True) if before is not None and after is not None
    ]
    return PairedDelta(mean(differences), len(differences), len(base) - len(differences))


def delta_bounds(differences: Sequence[float], excluded: int) -> Interval | None:
    """The mean difference of scores in [0, 1], had each of the `excluded` pairs been as bad, or as good, as can be.

    [(Σd − e)/N, (Σd + e)/N] with N the pairs and the excluded ones together. None when N is 0.
    """
    total, count = math.fsum(differences), len(differences) + excluded
    return ((total - excluded) / count, (total + excluded) / count) if count else None


def flips_standard_error(cases: int, base_only: int, new_only: int) -> float | None:
    """The standard error of the difference of two paired pass rates, √(b + c − (b − c)²/n)/n. None of no case."""
    if cases == 0:
        return None
    return math.sqrt(base_only + new_only - (base_only - new_only) ** 2 / cases) / cases


def wald(delta: float, standard_error: float, level: float = 0.95) -> Interval:
    """Delta ± z·SE, which holds for some hundreds of cases and more; it may leave [−1, 1]."""
    half = normal_quantile((1 + level) / 2) * standard_error
    return delta - half, delta + half


def wald_p(delta: float, standard_error: float) -> float:
    """The two-sided p value of `delta` under the normal law; 1 without any difference, 0 when it never varies."""
    if delta == 0:
        return 1.0
    return 2 * float(special.ndtr(-abs(delta) / standard_error)) if standard_error else 0.0


def newcombe(both: int, base_only: int, new_only: int, neither: int, level: float = 0.95) -> Interval | None:
    """The interval of the difference of two paired pass rates (new − base); None of no case.

    Method 10 of R. G. Newcombe, "Improved Confidence Intervals for the Difference between Binomial
    Proportions Based on Paired Data", Statistics in Medicine 17, 1998: Wilson's limits of the two
    rates, joined by the correlation φ with its correction for continuity. Inside [−1, 1].
    """
    cases = both + base_only + new_only + neither
    z = normal_quantile((1 + level) / 2)
    base, new = wilson(both + base_only, cases, z), wilson(both + new_only, cases, z)
    if base is None or new is None:
        return None
    base_rate, new_rate = (both + base_only) / cases, (both + new_only) / cases
    delta, phi = (new_only - base_only) / cases, _phi(both, base_only, new_only, neither)
    down = _joined(new_rate - new[0], base[1] - base_rate, phi)
    up = _joined(new[1] - new_rate, base_rate - base[0], phi)
    return max(-1.0, delta - down), min(1.0, delta + up)


def _joined(first: float, second: float, phi: float) -> float:
    return math.sqrt(max(0.0, first * first - 2 * phi * first * second + second * second))


def _phi(both: int, base_only: int, new_only: int, neither: int) -> float:
    margins = (both + base_only) * (new_only + neither) * (both + new_only) * (base_only + neither)
    if margins == 0:
        return 0.0
    product: float = both * neither - base_only * new_only
    if product > 0:
        product = max(0.0, product - (both + base_only + new_only + neither) / 2)
    return product / math.sqrt(margins)


def mcnemar_exact(base_only: int, new_only: int) -> float:
    """The exact two-sided p value of the flips: how often a fair coin splits them at least as unevenly.

    Q. McNemar, Psychometrika 12, 1947, with the binomial law instead of its approximation. Without
    a flip it is 1. Over 1,000 flips all one way it may be as small as a float can be, and 0.
    """
    tail, _ = _coin(min(base_only, new_only), base_only + new_only)
    return min(1.0, 2 * tail)


def mcnemar_mid_p(base_only: int, new_only: int) -> float:
    """`mcnemar_exact` less half the chance of the split seen, on each side: less cautious, not guaranteed.

    M. W. Fagerland, S. Lydersen and P. Laake, BMC Medical Research Methodology 13:91, 2013. Without
    a flip it is 1.
    """
    if base_only + new_only == 0:
        return 1.0
    tail, seen = _coin(min(base_only, new_only), base_only + new_only)
    return 1 - seen / 2 if base_only == new_only else 2 * tail - seen


def _coin(fewer: int, flips: int) -> tuple[float, float]:
    """The chances of at most, and of exactly, `fewer` heads in `flips` throws of a fair coin."""
    if flips > _MOST_COUNTED:
        tail, below = (float(special.bdtr(heads, flips, 0.5)) for heads in (fewer, fewer - 1))
        return tail, tail - (below if fewer else 0.0)
    ways = total = 1
    for heads in range(1, fewer + 1):
        ways = ways * (flips - heads + 1) // heads
        total += ways
    return total / (1 << flips), ways / (1 << flips)


def smallest_p(flips: int) -> float:
    """The smallest p value that `flips` can give, when all go one way: 2 to the power of 1 − flips, at most 1."""
    return math.ldexp(1.0, 1 - flips) if flips > 1 else 1.0
