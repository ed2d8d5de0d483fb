"""The random draws behind resampled figures: the same on every machine, and whoever asks first."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Positions = npt.NDArray[np.int64]

SEED = 42
BOOTSTRAP_SEQUENCE = 54
PERMUTATION_SEQUENCE = 55
"""Two streams, so that an interval and a p value of the same differences do not share their luck."""

_MULTIPLIER = 6364136223846793005
_MASK = (1 << 64) - 1
_WORDS_AT_ONCE = 1 << 14
_RANGE = 1 << 32


class Pcg32:
    """PCG32 (XSH-RR): `draw` gives the next 32-bit words of the stream that `seed` and `sequence` name.

    M. E. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
    Random Number Generation", HMC-CS-2014-0905; seeded as its reference code's `pcg32_srandom`.
    """

    def __init__(self, seed: int, sequence: int) -> None:
        self._increment = ((sequence << 1) | 1) & _MASK
        self._state = ((self._increment + seed) * _MULTIPLIER + self._increment) & _MASK

    def draw(self, count: int) -> Words:
        """The next `count` words, each from 0 to 2³² − 1."""
        words = np.empty(count, dtype=np.uint32)
        for start in range(0, count, _WORDS_AT_ONCE):
            size = min(_WORDS_AT_ONCE, count - start)
            words[start : start + size] = self._some(size)
        return words

    def below(self, bound: int, count: int) -> Positions:
        """The next `count` whole numbers from 0 to `bound` − 1, each equally likely.

        Words under (2³² − bound) mod bound are passed over, as `pcg32_boundedrand` does: without
        that, small numbers would come more often.
        """
        threshold = (_RANGE - bound) % bound
        found = np.empty(count, dtype=np.int64)
        have = 0
        while have < count:
            words = self.draw(count - have)
            kept = words[words >= threshold] if threshold else words
            found[have : have + kept.size] = kept % np.uint32(bound)
            have += kept.size
        return found

    def _some(self, size: int) -> Words:
        multipliers, steps = _jumps()
        states = multipliers[:size] * np.uint64(self._state) + steps[:size] * np.uint64(self._increment)
        last = int(states[-1])
        self._state = (last * _MULTIPLIER + self._increment) & _MASK
        mixed = (((states >> np.uint64(18)) ^ states) >> np.uint64(27)).astype(np.uint32)
        turn = (states >> np.uint64(59)).astype(np.uint32)
        return (mixed >> turn) | (mixed << ((np.uint32(32) - turn) & np.uint32(31)))


@lru_cache(maxsize=1)
def _jumps() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """What takes a state n steps on, for each n: aⁿ, and the sum of a's powers below n (both modulo 2⁶⁴)."""
    multipliers = np.empty(_WORDS_AT_ONCE, dtype=np.uint64)
    steps = np.empty(_WORDS_AT_ONCE, dtype=np.uint64)
    multiplier, step = 1, 0
    for place in range(_WORDS_AT_ONCE):
        multipliers[place], steps[place] = multiplier, step
        multiplier, step = (multiplier * _MULTIPLIER) & _MASK, (step * _MULTIPLIER + 1) & _MASK
    return multipliers, steps
