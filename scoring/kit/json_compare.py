"""Two JSON documents compared leaf by leaf: how much of the expected one is there, and what differs.

A leaf is a number, a text, a constant, or an empty list or object.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from scoring.kit.budget import Budget
from scoring.kit.json_shown import excerpt, json_path, shown
from scoring.kit.json_values import fingerprint
from scoring.kit.paths import ABSENT

MOST_STEPS: Final = 300_000
Path = tuple[str | int, ...]
Kind = Literal["different", "missing", "extra"]
_ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where the documents differ; the side that has nothing there is ABSENT."""

    path: Path
    kind: Kind
    expected: Any = ABSENT
    actual: Any = ABSENT

    @property
    def order(self) -> tuple[Any, ...]:
        """What differences are sorted by: the path, list items by number, then the kind."""
        return (*((0, step, "") if isinstance(step, int) else (1, 0, step) for step in self.path), (-1, 0, self.kind))

    def as_evidence(self) -> dict[str, Any]:
        """The difference as JSON, its values cut."""
        sides = {"expected": self.expected, "actual": self.actual}
        values = {name: excerpt(value) for name, value in sides.items() if value is not ABSENT}
        return {"path": json_path(self.path), "kind": self.kind, **values}

    def __str__(self) -> str:
        place = json_path(self.path)
        if self.kind == "missing":
            return f"{place}: missing, expected {shown(self.expected)}"
        if self.kind == "extra":
            return f"{place}: {shown(self.actual)} was not expected"
        return f"{place}: expected {shown(self.expected)}, got {shown(self.actual)}"


@dataclass(slots=True)
class Tally:
    """Of some part: the expected leaves that match, and the leaves that nobody expected."""

    matched: int = 0
    extra: int = 0

    def add(self, other: "Tally") -> None:
        """Take in the tally of a part."""
        self.matched += other.matched
        self.extra += other.extra


def without(value: Any, ignored: Sequence[tuple[str, ...]], budget: Budget) -> Any:
    """`value` less what stands at the ignored paths, where the step `*` is any member or item."""
    if not ignored or not isinstance(value, dict | list):
        return value
    children: Iterable[tuple[str, Any]] = (
        value.items() if isinstance(value, dict) else ((str(index), item) for index, item in enumerate(value))
    )
    budget.spend(1 + len(value) * len(ignored) // 4)
    kept: list[tuple[str, Any]] = []
    for name, child in children:
        rest = [path[1:] for path in ignored if path[0] in (name, _ANY)]
        if () not in rest:
            kept.append((name, without(child, rest, budget)))
    return dict(kept) if isinstance(value, dict) else [child for _, child in kept]


class Comparison:
    """The comparison of one expected document with an actual one.

    With `subset` the actual may hold more: other members, other items between the expected ones.
    With `sets` neither the order of a list's items nor their repetition matters. `differences`
    holds what was found; more than 300,000 steps raise Unmeasurable (limit).
    """

    def __init__(self, *, subset: bool, sets: bool, budget: Budget) -> None:
        self.subset = subset
        self.sets = sets
        self.budget = budget
        self.differences: list[Difference] = []
        self._identities: dict[int, int] = {}
        self._numbers: dict[Hashable, int] = {}
        self._leaves: dict[int, int] = {}
        self._tried: dict[tuple[int, int], Tally] = {}

    def compare(self, expected: Any, actual: Any, path: Path = (), *, report: bool = True) -> Tally:
        """The tally of a part, its differences noted unless `report` is false."""
        self.budget.spend()
        if self.identity(expected) == self.identity(actual):
            return Tally(self.leaves(expected))
        if report or not isinstance(expected, dict | list):
            return self._differing(expected, actual, path, report=report)
        # Pairs are tried before they are told of: once each, or nested lists would take for ever.
        pair = (id(expected), id(actual))
        if pair not in self._tried:
            self._tried[pair] = self._differing(expected, actual, path, report=False)
        return self._tried[pair]

    def _differing(self, expected: Any, actual: Any, path: Path, *, report: bool) -> Tally:
        if isinstance(expected, dict) and isinstance(actual, dict):
            return self._objects(expected, actual, path, report=report)
        if isinstance(expected, list) and isinstance(actual, list):
            if self.sets:
                return self._sets(expected, actual, path, report=report)
            return (self._sequence if self.subset else self._items)(expected, actual, path, report=report)
        self._note(path, "different", expected, actual, report=report)
        return Tally()

    def leaves(self, value: Any) -> int:
        """How many leaves a value has; in sets each distinct item counts once."""
        if not isinstance(value, dict | list) or not value:
            return 1
        held = self._leaves.get(id(value))
        if held is None:
            held = 0
            for item in value.values() if isinstance(value, dict) else [item for _, item in self._distinct(value)]:
                held += self.leaves(item)
            self._leaves[id(value)] = held
        return held

    def identity(self, value: Any) -> int:
        """A number that two values share exactly when they are the same here."""
        if not isinstance(value, dict | list):
            return self._number(fingerprint(value))
        held = self._identities.get(id(value))
        if held is None:
            self.budget.spend()
            if isinstance(value, dict):
                members = set()
                for name, member in value.items():
                    members.add((name, self.identity(member)))
                held = self._number(("object", frozenset(members)))
            else:
                items = []
                for item in value:
                    items.append(self.identity(item))  # noqa: PERF401 - a comprehension is one more frame a level
                held = self._number(("list", frozenset(items) if self.sets else tuple(items)))
            self._identities[id(value)] = held
        return held

    def _number(self, key: Hashable) -> int:
        self.budget.spend()
        return self._numbers.setdefault(key, len(self._numbers))

    def _distinct(self, items: list[Any]) -> list[tuple[int, Any]]:
        """The items with their places; in sets the first of each that are the same."""
        if not self.sets:
            return list(enumerate(items))
        first: dict[int, tuple[int, Any]] = {}
        for index, item in enumerate(items):
            first.setdefault(self.identity(item), (index, item))
        return list(first.values())

    def _note(self, path: Path, kind: Kind, expected: Any = ABSENT, actual: Any = ABSENT, *, report: bool) -> None:
        if report:
            self.budget.spend()
            self.differences.append(Difference(path, kind, expected, actual))

    def _extra(self, value: Any, path: Path, *, report: bool) -> Tally:
        self._note(path, "extra", actual=value, report=report)
        return Tally(extra=self.leaves(value))

    def _objects(self, expected: dict[str, Any], actual: dict[str, Any], path: Path, *, report: bool) -> Tally:
        # An empty object is a leaf of its own: there in whatever has no more, or may have more.
        tally = Tally(matched=int(not expected and self.subset))
        for name, member in expected.items():
            if name in actual:
                tally.add(self.compare(member, actual[name], (*path, name), report=report))
            else:
                self._note((*path, name), "missing", member, report=report)
        for name, member in actual.items() if not self.subset else ():
            if name not in expected:
                tally.add(self._extra(member, (*path, name), report=report))
        return tally

    def _items(self, expected: list[Any], actual: list[Any], path: Path, *, report: bool) -> Tally:
        tally = Tally()
        for index, item in enumerate(expected):
            if index < len(actual):
                tally.add(self.compare(item, actual[index], (*path, index), report=report))
            else:
                self._note((*path, index), "missing", item, report=report)
        for index in range(len(expected), len(actual)):
            tally.add(self._extra(actual[index], (*path, index), report=report))
        return tally

    def _sequence(self, expected: list[Any], actual: list[Any], path: Path, *, report: bool) -> Tally:
        """The expected items in their order, others between them: paired so that most leaves match."""
        tally = Tally(matched=int(not expected))
        pairs = self._first_fits(expected, actual) or self._best_pairs(expected, actual)
        for index, item in enumerate(expected):
            if index in pairs:
                tally.add(self.compare(item, actual[pairs[index]], (*path, pairs[index]), report=report))
            else:
                self._note((*path, index), "missing", item, report=report)
        return tally

    def _first_fits(self, expected: list[Any], actual: list[Any]) -> dict[int, int]:
        """Each expected item with the next actual one that holds all of it; empty when one finds none."""
        pairs: dict[int, int] = {}
        place = 0
        for index, item in enumerate(expected):
            wanted = self.leaves(item)
            while place < len(actual) and self.compare(item, actual[place], report=False).matched < wanted:
                place += 1
            if place == len(actual):
                return {}
            pairs[index] = place
            place += 1
        return pairs

    def _best_pairs(self, expected: list[Any], actual: list[Any]) -> dict[int, int]:
        """The pairs in order that have the most matching leaves, by dynamic programming."""
        self.budget.spend(len(expected) * len(actual))
        weights = [[self.compare(item, other, report=False).matched for other in actual] for item in expected]
        best = [[0] * (len(actual) + 1) for _ in range(len(expected) + 1)]
        for row in range(len(expected) - 1, -1, -1):
            for column in range(len(actual) - 1, -1, -1):
                paired = weights[row][column] + best[row + 1][column + 1]
                best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
        pairs: dict[int, int] = {}
        row = column = 0
        while row < len(expected) and column < len(actual):
            weight = weights[row][column]
            if weight and best[row][column] == weight + best[row + 1][column + 1]:
                pairs[row] = column
                row, column = row + 1, column + 1
            elif best[row][column] == best[row][column + 1]:
                column += 1
            else:
                row += 1
        return pairs

    def _sets(self, expected: list[Any], actual: list[Any], path: Path, *, report: bool) -> Tally:
        """Each expected item with the actual one that is the same, else with the one most like it."""
        tally = Tally(matched=int(not expected and self.subset))
        wanted, there = self._distinct(expected), self._distinct(actual)
        wanted_identities = {self.identity(item) for _, item in wanted}
        there_identities = {self.identity(item) for _, item in there}
        left = [(index, item) for index, item in there if self.identity(item) not in wanted_identities]
        likened = set()
        for index, item in wanted:
            if self.identity(item) in there_identities:
                tally.matched += self.leaves(item)
                continue
            nearest = self._nearest(item, there if self.subset else left)
            if nearest is None:
                self._note((*path, index), "missing", item, report=report)
            else:
                likened.add(nearest[0])
                tally.add(self.compare(item, nearest[1], (*path, nearest[0]), report=report))
        for index, item in left if not self.subset else ():
            if index not in likened:
                tally.add(self._extra(item, (*path, index), report=report))
        return tally

    def _nearest(self, item: Any, candidates: list[tuple[int, Any]]) -> tuple[int, Any] | None:
        """The candidate with the most matching leaves, then the fewest extra ones; None without a match."""
        best: tuple[int, int, int] | None = None
        nearest = None
        for index, candidate in candidates if isinstance(item, dict | list) else ():
            tally = self.compare(item, candidate, report=False)
            rank = (tally.matched, -tally.extra, -index)
            if tally.matched and (best is None or rank > best):
                best, nearest = rank, (index, candidate)
        return nearest
