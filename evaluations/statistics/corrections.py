"""p values of many tests made honest: the more one looks, the more one finds by chance.

Each function takes raw p values in any order and answers the adjusted ones in the same order, none over 1.
"""

from collections.abc import Sequence


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Each p times their number. Never better than `holm`; kept because readers may ask for it."""
    return [min(1.0, p * len(p_values)) for p in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted so that the chance of any false alarm among them stays under the level, however they depend.

    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    Statistics 6, 1979: the smallest times m, the next times m − 1, …, never falling.
    """
    count = len(p_values)
    adjusted = [0.0] * count
    highest = 0.0
    for rank, place in enumerate(sorted(range(count), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, p_values[place] * (count - rank)))
        adjusted[place] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Adjusted so that of what is called different, on average at most the level is false: for exploration.

    Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57, 1995; it holds for
    independent tests and for those that depend positively.
    """
    count = len(p_values)
    adjusted = [0.0] * count
    lowest = 1.0
    for rank, place in enumerate(sorted(range(count), key=p_values.__getitem__, reverse=True)):
        lowest = min(lowest, p_values[place] * (count / (count - rank)))
        adjusted[place] = lowest
    return adjusted
