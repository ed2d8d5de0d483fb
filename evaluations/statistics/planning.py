"""How many cases are needed, and what the cases at hand can show. To be read before a run, not after.

`alpha` is two-sided; `power` is the chance to find a difference that is there.
"""

import math

import numpy as np
import numpy.typing as npt
from scipy import special

from evaluations.statistics.paired import smallest_p
from evaluations.statistics.rates import normal_quantile

DISCORDANT_SHARE = 0.2
"""What is assumed before a run: one case in five changes its verdict, one way or the other."""


def paired_cases(
    difference: float,
    between: float,
    *,
    sampling: tuple[float, float] = (0.0, 0.0),
    samples: tuple[int, int] = (1, 1),
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """How many paired cases show a mean `difference` of scores, to be rounded up.

    `between` is ω², the variance over cases of the difference of expected scores; `sampling` the
    two mean variances within a case, and `samples` how often each side samples a case. n =
    (z_{α/2} + z_β)²(ω² + σ_A²/K_A + σ_B²/K_B)/δ² (E. Miller, arXiv:2411.00640).
    """
    return _quantiles(alpha, power) ** 2 * _variance(between, sampling, samples) / difference**2


def detectable_difference(
    cases: int,
    between: float,
    *,
    sampling: tuple[float, float] = (0.0, 0.0),
    samples: tuple[int, int] = (1, 1),
    alpha: float = 0.05,
    power: float = 0.8,
) -> float:
    """The least mean difference of scores that `cases` show with `power`; the inverse of `paired_cases`."""
    return _quantiles(alpha, power) * math.sqrt(_variance(between, sampling, samples) / cases)


def _quantiles(alpha: float, power: float) -> float:
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)


def _variance(between: float, sampling: tuple[float, float], samples: tuple[int, int]) -> float:
    return between + sum(variance / count for variance, count in zip(sampling, samples, strict=True))


def detectable_rate_change(
    cases: int, discordant_share: float = DISCORDANT_SHARE, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """The least change of a pass rate, in [0, 1], that `cases` show with `power`; None when they can show none.

    Solves δ√n = z_{α/2}√π + z_β√(π − δ²), π the share of cases that change their verdict (R. J.
    Connor, Biometrics 43, 1987). A change needs at least its own size in changed verdicts: where
    `discordant_share` would be less, all changes are taken to go one way.
    """
    if smallest_p(cases) >= alpha:
        return None
    critical, beyond = normal_quantile(1 - alpha / 2), normal_quantile(power)
    change = _larger_root(cases, critical * math.sqrt(discordant_share), beyond, discordant_share)
    if change > discordant_share:
        # With π = δ the equation is one in √δ.
        change = _larger_root(cases, critical, beyond, 1.0) ** 2
    return change if change <= 1 else None


def _larger_root(cases: int, critical: float, beyond: float, most: float) -> float:
    """The larger x of x√n − critical = beyond·√(most − x²)."""
    leading = cases + beyond * beyond
    inner = cases * critical**2 - leading * (critical**2 - beyond**2 * most)
    return (math.sqrt(cases) * critical + math.sqrt(max(0.0, inner))) / leading


def cases_per_arm(first: float, second: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """How many cases each of two runs needs when they do not share them, to be rounded up.

    `first` and `second` are the pass rates to tell apart. J. L. Fleiss, Statistical Methods for
    Rates and Proportions, 1981. Beside `paired_cases` it says what pairing saves.
    """
    middle = (first + second) / 2
    pooled, apart = 2 * middle * (1 - middle), first * (1 - first) + second * (1 - second)
    root = normal_quantile(1 - alpha / 2) * math.sqrt(pooled) + normal_quantile(power) * math.sqrt(apart)
    return (root / (first - second)) ** 2


def mcnemar_power(cases: int, base_only: float, new_only: float, *, alpha: float = 0.05) -> float:
    """The exact chance that McNemar's exact test on `cases` gives p < `alpha`.

    `base_only` and `new_only` are the shares of all cases that only the one run passes. It sums
    over each number of flips, and lies under what the normal formulas promise.
    """
    discordant = base_only + new_only
    if discordant == 0:
        return 0.0
    flips = np.arange(cases + 1)
    chances = _binomial(flips, cases, discordant)
    reached = [_rejection(int(count), new_only / discordant, alpha) for count in flips]
    return float(chances @ np.array(reached))


def _binomial(counts: npt.NDArray[np.int64], total: int, share: float) -> npt.NDArray[np.float64]:
    chances: npt.NDArray[np.float64] = np.diff(special.bdtr(counts, total, share), prepend=0.0)
    return chances


def _rejection(flips: int, share: float, alpha: float) -> float:
    """The chance that `flips`, each for the new run with `share`, split unevenly enough."""
    fewest = np.arange(flips // 2 + 1)
    enough = 2 * special.bdtr(fewest, flips, 0.5) < alpha
    allowed = int(np.count_nonzero(enough)) - 1
    if allowed < 0:
        return 0.0
    return float(special.bdtr(allowed, flips, share) + special.bdtr(allowed, flips, 1 - share))
