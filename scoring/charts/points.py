"""What the figures are drawn from, and what each of them is made of."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foundation.figures import count_text, score_text

LONGEST_NAME = 24


@dataclass(frozen=True, slots=True)
class Point:
    """One evaluation, as far as the figures need it."""

    created_at: datetime
    profile_id: str
    profile_name: str
    profile_version: int
    agent: str | None
    status: str
    score: float | None
    passed: bool | None
    pass_threshold: float | None


@dataclass(slots=True)
class Tally:
    """Scores counted and summed, and beside them what could not be scored."""

    total: int = 0
    scored: int = 0
    errored: int = 0
    sum: float = 0.0

    def add(self, score: float | None, *, errored: bool) -> None:
        """Take in one more."""
        self.total += 1
        self.errored += errored
        if score is not None:
            self.scored += 1
            self.sum += score

    @property
    def mean(self) -> float | None:
        """The mean of those that have a score; None when none has."""
        return self.sum / self.scored if self.scored else None

    @property
    def counts(self) -> str:
        """`41 of 50 scored · 9 errored`."""
        words = f"{count_text(self.scored)} of {count_text(self.total)} scored"
        return f"{words} · {count_text(self.errored)} errored" if self.errored else words

    @property
    def words(self) -> str:
        """`0.820 · 41 of 50 scored · 9 errored`."""
        return f"{score_text(self.mean)} · {self.counts}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart as the template `components/figure.html` takes it."""

    id: str
    title: str
    note: str
    plot: Mapping[str, Any]
    columns: Sequence[Mapping[str, Any]]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures above the charts. `gated` is how many have a verdict."""

    scores: Tally
    passed: int
    gated: int


def summary(points: Iterable[Point]) -> Summary:
    """What all the evaluations together say."""
    scores, passed, gated = Tally(), 0, 0
    for point in points:
        scores.add(point.score, errored=point.status == "errored")
        passed += point.passed is True
        gated += point.passed is not None
    return Summary(scores, passed, gated)


def distinct(labels: Sequence[tuple[str, str]]) -> list[str]:
    """The labels cut to a length that fits a legend; those that are alike then, told apart by their key."""
    cut = [label if len(label) <= LONGEST_NAME else label[: LONGEST_NAME - 1] + "…" for label, _ in labels]
    counts = Counter(cut)
    return [f"{name} ({key})" if counts[name] > 1 else name for name, (_, key) in zip(cut, labels, strict=True)]


def left_out(points: Sequence[Point]) -> str:
    """What is in no mean, in words."""
    errored = sum(point.status == "errored" for point in points)
    measured = sum(point.status == "measured" for point in points)
    if not errored and not measured:
        return "None errored."
    words = f"Left out: {count_text(errored)} errored of {count_text(len(points))}"
    return f"{words}, {count_text(measured)} measured without a score." if measured else f"{words}."


def column(words: str, *, number: bool = False) -> dict[str, Any]:
    """A column of the table under a figure."""
    return {"words": words, "number": number}
