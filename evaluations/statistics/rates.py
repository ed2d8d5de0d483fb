"""How sure one rate is: `count` of `total` cases passed."""

import math

from scipy import special

from evaluations.statistics.means import Interval
from foundation.intervals import wilson

__all__ = ["clopper_pearson", "normal_quantile", "wilson", "zero_failure_bound"]


def normal_quantile(share: float) -> float:
    """The value that a standard normal variable stays under with probability `share` (in (0, 1))."""
    return float(special.ndtri(share))


def clopper_pearson(count: int, total: int, level: float = 0.95) -> Interval | None:
    """The exact interval of a rate: it covers with at least `level`, and is wider than Wilson's. None for 0 of 0.

    C. J. Clopper and E. S. Pearson, Biometrika 26, 1934; exactly 0 and 1 at the ends.
    """
    if total == 0:
        return None
    tail = (1 - level) / 2
    low = 0.0 if count == 0 else float(special.betaincinv(count, total - count + 1, tail))
    high = 1.0 if count == total else float(special.betaincinv(count + 1, total - count, 1 - tail))
    return low, high


def zero_failure_bound(total: int, alpha: float = 0.05) -> float | None:
    """The rate of failures that 0 of `total` rule out, one-sided at `alpha`: 1 − α^(1/n), about 3/n. None of 0."""
    return -math.expm1(math.log(alpha) / total) if total else None
