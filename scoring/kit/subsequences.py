"""The length of the longest common subsequence, by whole rows of bits at a time."""

from collections.abc import Sequence


def longest_common_subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    """How many items the two share in the same order.

    Bit-parallel (Hyyrö 2004): one addition and a few logical operations on an integer with a bit
    for each item of the shorter, for each item of the longer.
    """
    if len(left) > len(right):
        left, right = right, left
    places: dict[str, int] = {}
    for index, item in enumerate(left):
        places[item] = places.get(item, 0) | (1 << index)
    everything = (1 << len(left)) - 1
    row = everything
    for item in right:
        matched = row & places.get(item, 0)
        row = ((row + matched) | (row - matched)) & everything
    return len(left) - row.bit_count()
