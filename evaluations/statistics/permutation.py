"""Whether chance alone makes differences of this size: the paired sign-flip permutation test."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from evaluations.statistics.draws import PERMUTATION_SEQUENCE, SEED, Pcg32
from evaluations.statistics.paired import mcnemar_exact

Floats = npt.NDArray[np.float64]

RESAMPLES = 9_999
MOST_ENUMERATED = 20
_TOLERANCE = 1e-12
"""Of the sum of the sizes: sums that are equal on paper differ by rounding, and ties count as extreme."""
_SIGNS = np.where(np.arange(256) >> np.arange(8)[:, None] & 1, 1.0, -1.0)
"""The 256 choices of eight signs, one a column: bit k of the column's number set makes sign k positive."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p value and how it was found: `exact`, or `monte_carlo` over so many `resamples`."""

    p_value: float
    method: Literal["exact", "monte_carlo"]
    resamples: int | None = None


def sign_flip(differences: Sequence[float], *, resamples: int = RESAMPLES, seed: int = SEED) -> SignFlip:
    """How often the sum of `differences` with random signs is at least as far from 0 as the one seen.

    R. A. Fisher, The Design of Experiments, 1935. Zeros change nothing and are left out. It is
    exact for up to 20 others, and for any number of one size (pass and fail: then it is McNemar's
    exact test); else (x + 1)/(B + 1) of B seeded draws, which is never 0. The draws depend on the
    order of the differences: give them in the order of the cases' identifiers.
    """
    observed = np.asarray(differences, dtype=np.float64)
    observed = observed[observed != 0]
    if observed.size == 0:
        return SignFlip(1.0, "exact")
    sizes = np.abs(observed)
    if sizes.max() - sizes.min() <= _TOLERANCE * sizes.max():
        positive = int(np.count_nonzero(observed > 0))
        return SignFlip(mcnemar_exact(observed.size - positive, positive), "exact")
    least = abs(math.fsum(observed)) - _TOLERANCE * math.fsum(sizes)
    if observed.size <= MOST_ENUMERATED:
        return SignFlip(float(np.mean(np.abs(_signed_sums(observed[1:]) + observed[0]) >= least)), "exact")
    extreme = int(np.count_nonzero(np.abs(_random_sums(observed, resamples, seed)) >= least))
    return SignFlip(monte_carlo_p(extreme, resamples), "monte_carlo", resamples)


def monte_carlo_p(extreme: int, resamples: int) -> float:
    """(x + 1)/(B + 1): the p value of `extreme` of `resamples` draws, the one seen being one more.

    B. Phipson and G. K. Smyth, Statistical Applications in Genetics and Molecular Biology 9:39, 2010.
    """
    return (extreme + 1) / (resamples + 1)


def _signed_sums(values: Floats) -> Floats:
    """The sums of `values` with each choice of signs, 2 to the power of their number."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums - value, sums + value))
    return sums


def _random_sums(values: Floats, resamples: int, seed: int) -> Floats:
    """One sum a resample. A word of the stream gives one resample the signs of 32 values, lowest bit first.

    Memory is of the order of `resamples`, whatever the number of values: the signs of eight values
    at a time choose among the 256 sums that they can have.
    """
    generator = Pcg32(seed, PERMUTATION_SEQUENCE)
    padded = np.zeros(-(-values.size // 32) * 32)
    padded[: values.size] = values
    sums = np.zeros(resamples)
    for block in padded.reshape(-1, 4, 8):
        # Little end first, so that a byte is the same eight values on every machine.
        signs = generator.draw(resamples).astype("<u4").view(np.uint8).reshape(resamples, 4)
        for eighth, choices in enumerate(block @ _SIGNS):
            if block[eighth].any():
                sums += choices.take(signs[:, eighth])
    return sums
