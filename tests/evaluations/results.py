"""Short ways to write the results of a run."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluations.run_results import RunResult, ScorerOutcome

Said = bool | float | None | tuple[float, bool]


def outcome(key: str, said: Said) -> ScorerOutcome:
    """True and False pass and fail; a number is a score without a verdict, None an error; a pair is both."""
    if said is None:
        return ScorerOutcome(key, "error")
    if isinstance(said, tuple):
        return ScorerOutcome(key, "scored", said[0], said[1])
    if isinstance(said, bool):
        return ScorerOutcome(key, "scored", float(said), said)
    return ScorerOutcome(key, "scored", said, None)


def measured(key: str, value: float, unit: str = "ms") -> ScorerOutcome:
    """A measurement without a limit."""
    return ScorerOutcome(key, "measured", None, None, value, unit)


def result(item: str, passed: bool | None, *, position: int = 0, **fields: Any) -> RunResult:
    """One result: passed, failed or (None) errored, unless `status` says otherwise."""
    status = fields.pop("status", "errored" if passed is None else "scored")
    said = fields.pop("said", {})
    outcomes = [*(outcome(key, what) for key, what in said.items()), *fields.pop("outcomes", [])]
    return RunResult(item, position, status, passed, tuple(outcomes), **fields)


def run(verdicts: Iterable[bool | None], *, key: str = "check", group: str | None = None) -> list[RunResult]:
    """A run of one scorer, an item a verdict: i000, i001, …; None is an item that errored."""
    return [
        result(f"i{place:03}", passed, position=place, said={key: passed}, group=group)
        for place, passed in enumerate(verdicts)
    ]


def flips(both: int, base_only: int, new_only: int, neither: int) -> tuple[list[bool], list[bool]]:
    """The verdicts of a baseline and of a candidate with so many of each."""
    base: Sequence[bool] = [True] * both + [True] * base_only + [False] * new_only + [False] * neither
    new: Sequence[bool] = [True] * both + [False] * base_only + [True] * new_only + [False] * neither
    return list(base), list(new)
