"""Which scores the settings of a scorer, or a case's ground truth, leave possible at all."""

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class PossibleScores:
    """The scores from `low` to `high`, or only `values` of them when these are given (in order).

    What is possible here need not happen; what is not possible never does. `kind` is the status
    that a measurement ends with: `scored`; `measured`, never with a score; `error`, never at all.
    `why` is the sentence that says what leaves no more than this, "" when nothing does.
    """

    low: float = 0.0
    high: float = 1.0
    values: tuple[float, ...] | None = None
    kind: Literal["scored", "measured", "error"] = "scored"
    why: str = ""

    def turned(self) -> "PossibleScores":
        """The same of a scorer that negates: 1 becomes 0."""
        values = None if self.values is None else tuple(1 - value for value in reversed(self.values))
        return replace(self, low=1 - self.high, high=1 - self.low, values=values)

    def passing(self, threshold: float) -> "PossibleScores":
        """Those of them from `threshold` on. There must be one."""
        values = None if self.values is None else tuple(value for value in self.values if value >= threshold)
        return replace(self, low=max(self.low, threshold) if values is None else values[0], values=values)

    @property
    def ranges(self) -> tuple[tuple[float, float], ...]:
        """The (least, most) of each run of scores, in order; both the same for a single one."""
        return ((self.low, self.high),) if self.values is None else tuple((value, value) for value in self.values)


ANY_SCORE = PossibleScores()
ONLY_MEASURED = PossibleScores(kind="measured", why="Without a limit it only measures.")


def only(*values: float, why: str = "") -> PossibleScores:
    """No other scores than these."""
    ordered = tuple(sorted(set(values)))
    return PossibleScores(ordered[0], ordered[-1], ordered, why=why)


def between(low: float, high: float, why: str = "") -> PossibleScores:
    """Any score from `low` to `high`."""
    return PossibleScores(low, high, why=why)


def never(why: str) -> PossibleScores:
    """No measurement: always an error, because of `why`."""
    return PossibleScores(kind="error", why=why)


ZERO_OR_ONE = only(0.0, 1.0)
