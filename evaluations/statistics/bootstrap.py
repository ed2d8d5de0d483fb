"""How sure a mean is: the percentile bootstrap, over cases or over clusters of samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluations.statistics.draws import BOOTSTRAP_SEQUENCE, SEED, Pcg32
from evaluations.statistics.means import Interval, mean, standard_error
from evaluations.statistics.paired import wald

Floats = npt.NDArray[np.float64]

RESAMPLES = 2_000
FEWEST_FOR_NORMAL = 200
"""From here on the central limit makes mean ± z·SE as good as the bootstrap, at no cost."""
_DRAWS_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A confidence interval of a mean and how it was found."""

    low: float
    high: float
    method: Literal["percentile_bootstrap", "normal"]


def percentile_indices(resamples: int, alpha: float = 0.05) -> tuple[int, int]:
    """Where the ends of a 1 − `alpha` interval stand among the sorted means: ⌊Bα/2⌋ and ⌈B(1 − α/2)⌉ − 1."""
    # 1000 × .975 must be 975, whatever the last bit of the product says.
    return math.floor(round(resamples * alpha / 2, 9)), math.ceil(round(resamples * (1 - alpha / 2), 9)) - 1


def bootstrap_interval(
    values: Sequence[float],
    *,
    resamples: int = RESAMPLES,
    alpha: float = 0.05,
    seed: int = SEED,
    sequence: int = BOOTSTRAP_SEQUENCE,
) -> Interval | None:
    """The percentile interval of the mean of independent `values`; None of nothing.

    B. Efron, The Annals of Statistics 7, 1979. Too narrow below some ten cases, and without width
    when all are alike: then it says nothing of what was not seen.
    """
    return cluster_bootstrap(
        [[value] for value in values], resamples=resamples, alpha=alpha, seed=seed, sequence=sequence
    )


def cluster_bootstrap(
    clusters: Sequence[Sequence[float]],
    *,
    resamples: int = RESAMPLES,
    alpha: float = 0.05,
    seed: int = SEED,
    sequence: int = BOOTSTRAP_SEQUENCE,
) -> Interval | None:
    """The same for samples that go together (trials of one case): clusters are drawn with all their samples.

    The mean is over all samples of the clusters drawn. None without clusters; each needs a sample.
    """
    if not clusters:
        return None
    means = resampled_means(clusters, resamples=resamples, seed=seed, sequence=sequence)
    low, high = percentile_indices(resamples, alpha)
    return float(means[low]), float(means[high])


def resampled_means(clusters: Sequence[Sequence[float]], *, resamples: int, seed: int, sequence: int) -> Floats:
    """The means of `resamples` draws of as many clusters as there are, sorted; draws in the order of the cases."""
    if not all(clusters):
        raise ValueError("a cluster without samples has no mean")
    sums = np.array([math.fsum(cluster) for cluster in clusters])
    sizes = np.array([len(cluster) for cluster in clusters], dtype=np.float64)
    count = len(clusters)
    generator = Pcg32(seed, sequence)
    means = np.empty(resamples)
    step = max(1, _DRAWS_AT_ONCE // count)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = generator.below(count, rows * count).reshape(rows, count)
        means[start : start + rows] = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    means.sort()
    return means


def mean_interval(values: Sequence[float], *, level: float = 0.95, seed: int = SEED) -> MeanInterval | None:
    """The interval of the mean of independent `values` (such as differences) that a page shows.

    The percentile bootstrap below 200 values, mean ± z·SE from there on. None when there are fewer
    than two values, or when all are alike: nothing then tells how far others would lie.
    """
    middle, error = mean(values), standard_error(values)
    if middle is None or error is None or min(values) == max(values):
        return None
    if len(values) >= FEWEST_FOR_NORMAL:
        return MeanInterval(*wald(middle, error, level), "normal")
    interval = bootstrap_interval(values, alpha=1 - level, seed=seed)
    return None if interval is None else MeanInterval(*interval, "percentile_bootstrap")
