"""What lint says: one thing to mend, with how sure it is and which samples show it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foundation.intervals import wilson

MOST_INDICES = 5
CODES: Mapping[str, str] = {
    "never_fails": "The scorer passes every answer, so it tells a good one from a bad one by nothing.",
    "never_passes": "The scorer fails every answer, however good.",
    "always_errs": "The scorer could not measure a single answer.",
    "agrees_with_another": "The scorer says what another one says, so it adds weight and no knowledge.",
    "counts_for_nothing": "A setting that looks as if it counted changes no result.",
    "vacuous_ground_truth": "What the case compares with is met by every answer, or holds nothing to compare with.",
    "unsatisfiable_ground_truth": "What the case compares with is malformed, or no answer could meet it.",
    "missing_ground_truth": "The case does not carry what the scorer compares with.",
    "threshold_never_reached": "No evaluation by this profile can pass.",
    "threshold_always_reached": "Every evaluation by this profile that is scored passes.",
}
"""Each code with its meaning, those of single scorers first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend before it costs anything.

    `scorer_id` is None for what concerns the profile as a whole, `code` a key of CODES. `certain`
    says that it holds whatever an agent answers: it follows from the settings, or from the ground
    truth of the samples named. Otherwise all `samples` that were counted only happen to show it,
    and `at_most` is how often it may be otherwise all the same: the upper end of the 95 % Wilson
    interval, from 0 to 1. `affected` samples show it, the first five of them at `indices`, from 0
    in the order given. `other_id` is the scorer that it agrees with.
    """

    scorer_id: str | None
    code: str
    message: str
    certain: bool = True
    samples: int = 0
    affected: int = 0
    indices: tuple[int, ...] = ()
    at_most: float | None = None
    other_id: str | None = None

    @property
    def words(self) -> str:
        """Its code as people read it: never fails."""
        return self.code.replace("_", " ")

    @property
    def meaning(self) -> str:
        """What its code means."""
        return CODES[self.code]

    def as_document(self) -> dict[str, Any]:
        """The finding as `/api/scoring/lint` answers it."""
        return {
            "scorerId": self.scorer_id,
            "code": self.code,
            "message": self.message,
            "certain": self.certain,
            "samples": self.samples,
            "affected": self.affected,
            "indices": list(self.indices),
            "atMost": self.at_most,
            "otherId": self.other_id,
        }


def shown_by(
    scorer_id: str, code: str, message: str, places: Sequence[int], samples: int, *, certain: bool = False
) -> Finding:
    """A finding that the samples at `places`, of `samples` counted, show."""
    return Finding(scorer_id, code, message, certain, samples, len(places), tuple(places[:MOST_INDICES]), at_most=None)


def exception_share(count: int) -> float:
    """How often at most, with 95 % confidence, something happens that `count` samples (1 or more) never showed."""
    interval = wilson(0, count)
    return 1.0 if interval is None else interval[1]
