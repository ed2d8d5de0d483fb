"""A long sequence in handfuls."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of `size`, the last one shorter; nothing is read ahead."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
