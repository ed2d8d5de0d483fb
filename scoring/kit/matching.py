"""Maximum bipartite matching: the most pairs that can be made when each may be used once."""

from collections import deque
from collections.abc import Sequence

_FREE = -1


def maximum_matching(choices: Sequence[Sequence[int]], rights: int) -> list[int]:
    """For each left node the right node it is paired with, or -1; as many pairs as possible.

    `choices[i]` lists the right nodes (0..rights-1) that left node i may take. Hopcroft and Karp
    (1973): O(edges · √nodes). A first-fit pass would depend on the order and find fewer.
    """
    left = [_FREE] * len(choices)
    right = [_FREE] * rights
    while True:
        levels = _levels(choices, left, right)
        if levels is None:
            return left
        for node in range(len(choices)):
            if left[node] == _FREE:
                _augment(node, choices, left, right, levels)


def _levels(choices: Sequence[Sequence[int]], left: list[int], right: list[int]) -> list[int] | None:
    """Breadth first from the free left nodes; None when no free right node can be reached."""
    levels = [0 if partner == _FREE else -1 for partner in left]
    queue = deque(node for node, level in enumerate(levels) if level == 0)
    reached = False
    while queue:
        node = queue.popleft()
        for choice in choices[node]:
            partner = right[choice]
            if partner == _FREE:
                reached = True
            elif levels[partner] == -1:
                levels[partner] = levels[node] + 1
                queue.append(partner)
    return levels if reached else None


def _augment(
    start: int, choices: Sequence[Sequence[int]], left: list[int], right: list[int], levels: list[int]
) -> None:
    """Depth first along the levels to a free right node, without recursion; flips the path if found."""
    path: list[tuple[int, int]] = []
    pending = [iter(choices[start])]
    nodes = [start]
    while pending:
        choice = next(pending[-1], None)
        if choice is None:
            levels[nodes.pop()] = -1
            pending.pop()
            if path:
                path.pop()
            continue
        partner = right[choice]
        if partner == _FREE:
            for node, taken in [*path, (nodes[-1], choice)]:
                left[node], right[taken] = taken, node
            return
        if levels[partner] == levels[nodes[-1]] + 1:
            path.append((nodes[-1], choice))
            nodes.append(partner)
            pending.append(iter(choices[partner]))
