"""No worse, and the same: what an interval must show before either is said. Holding 0 shows neither."""

from evaluations.statistics.means import Interval


def non_inferior(interval: Interval, margin: float, *, higher_is_better: bool = True) -> bool:
    """Whether a difference (new − old) with this confidence interval is no worse by `margin` or more.

    Its end on the bad side must be nearer than `margin` (positive, in the difference's own unit).
    """
    _require(margin)
    low, high = interval
    return low > -margin if higher_is_better else high < margin


def equivalent(interval: Interval, margin: float) -> bool:
    """Whether the two are the same up to `margin`: the interval lies inside (−margin, margin).

    For a test at level α give the interval of level 1 − 2α (two one-sided tests: D. J. Schuirmann,
    Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
    """
    _require(margin)
    low, high = interval
    return -margin < low and high < margin


def _require(margin: float) -> None:
    if not margin > 0:
        raise ValueError(f"a margin is positive, not {margin}")
