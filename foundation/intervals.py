"""How sure a rate is: the interval that stands beside it."""

import math

# The 97.5 % quantile of the normal distribution: two-sided 95 %.
_Z = 1.959963984540054


def wilson(count: float, total: int, z: float = _Z) -> tuple[float, float] | None:
    """The Wilson score interval of `count` out of `total`, 95 % unless `z` says otherwise; None for 0 of 0.

    Both ends lie in [0, 1], also at 0 and at all, where the plain interval has no width
    (E. B. Wilson, Journal of the American Statistical Association 22, 1927).
    """
    if total == 0:
        return None
    share, spread = count / total, z * z / total
    middle = (share + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(share * (1 - share) / total + spread / (4 * total))
    low = 0.0 if count == 0 else max(0.0, middle - half)
    high = 1.0 if count == total else min(1.0, middle + half)
    return low, high
