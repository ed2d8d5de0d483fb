"""Several samples of one case are not several cases: the case is the unit."""

import math
from collections.abc import Hashable, Sequence

import numpy as np


def clustered_standard_error(
    values: Sequence[float], clusters: Sequence[Hashable], *, corrected: bool = True
) -> float | None:
    """The standard error of the mean of `values` when those of one cluster go together; None for fewer than two.

    √(Σ_c (Σ_{i∈c}(x_i − x̄))²)/N (E. Miller, "Adding Error Bars to Evals", arXiv:2411.00640), times
    √(C/(C − 1)) for C clusters unless `corrected` is false. `clusters` names the cluster of each value.
    """
    if len(values) != len(clusters):
        raise ValueError(f"there are {len(values)} values and {len(clusters)} clusters")
    numbers: dict[Hashable, int] = {}
    place = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
    if len(numbers) < 2:
        return None
    observed = np.asarray(values, dtype=float)
    sums = np.bincount(place, weights=observed - observed.mean())
    factor = len(numbers) / (len(numbers) - 1) if corrected else 1.0
    return math.sqrt(float(sums @ sums) * factor) / len(values)


def design_effect(samples: float, correlation: float) -> float:
    """How many times wider the variance is for `samples` a case whose correlation within a case is `correlation`.

    1 + (m − 1)ρ (L. Kish, Survey Sampling, 1965).
    """
    return 1 + (samples - 1) * correlation


def effective_size(cases: int, samples: float, correlation: float) -> float:
    """How many independent cases `cases` × `samples` rows are worth."""
    return cases * samples / design_effect(samples, correlation)


def pass_at_k(samples: int, passes: int, k: int) -> float | None:
    """The chance that at least one of `k` samples passes, from `passes` of `samples`: 1 − C(n−c, k)/C(n, k).

    Unbiased (M. Chen et al., arXiv:2107.03374). None when k is greater than n: nothing is made up.
    """
    _require_samples(samples, passes, k)
    if k > samples:
        return None
    return 1 - math.comb(samples - passes, k) / math.comb(samples, k)


def pass_hat_k(samples: int, passes: int, k: int) -> float | None:
    """The chance that all of `k` samples pass, pass^k: C(c, k)/C(n, k) (S. Yao et al., arXiv:2406.12045).

    None when k is greater than n.
    """
    _require_samples(samples, passes, k)
    return None if k > samples else math.comb(passes, k) / math.comb(samples, k)


def _require_samples(samples: int, passes: int, k: int) -> None:
    if k < 1 or not 0 <= passes <= samples:
        raise ValueError(f"there is no pass rate of {passes} of {samples} at k = {k}")
