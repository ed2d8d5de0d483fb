"""Measurements with a limit: a value that scores 1 up to a maximum and falls to 0 beyond it."""

from typing import Any, ClassVar, Self

from pydantic import model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from scoring.kit.numbers import plain
from scoring.kit.observation import Observation
from scoring.kit.outcome import Reading
from scoring.kit.possible_scores import ANY_SCORE, ONLY_MEASURED, ZERO_OR_ONE, PossibleScores
from scoring.kit.scorer import Scorer


def limited(value: float, maximum: float | None, zero_at: float | None) -> float | None:
    """The score of a lower-is-better `value`; None without a maximum, for then it is only measured.

    1 at or under `maximum`, a straight line down to 0 at `zero_at`; without that, 0 just above.
    """
    if maximum is None:
        return None
    if value <= maximum:
        return 1.0
    if zero_at is None or value >= zero_at:
        return 0.0
    return (zero_at - value) / (zero_at - maximum)


def limit_words(value: float, maximum: float | None, zero_at: float | None, unit: str = "") -> str:
    """The end of the sentence: `, within the limit of 20 ms`, `, over the limit of 20 ms (0 from 30 ms)`."""
    if maximum is None:
        return ""
    if value <= maximum:
        return f", within the limit of {plain(maximum)}{unit}"
    side = "just over" if plain(value) == plain(maximum) else "over"
    falls = "" if zero_at is None else f" (0 from {plain(zero_at)}{unit})"
    return f", {side} the limit of {plain(maximum)}{unit}{falls}"


class LimitedScorer(Scorer):
    """The base of scorers that measure: a limit, and where beyond it the score reaches zero.

    A subclass declares the two settings and names them.
    """

    limit_field: ClassVar[str]
    zero_field: ClassVar[str]

    @model_validator(mode="after")
    def _zero_lies_beyond_the_limit(self) -> Self:
        maximum, zero_at = self._bounds()
        if zero_at is None:
            return self
        if maximum is None:
            field = to_camel(self.limit_field)
            raise PydanticCustomError("zero_without_limit", "Give the limit too.", {"field": field})
        if zero_at <= maximum:
            field = to_camel(self.zero_field)
            raise PydanticCustomError("zero_within_limit", "Must be more than the limit.", {"field": field})
        return self

    def _bounds(self) -> tuple[float | None, float | None]:
        return getattr(self, self.limit_field), getattr(self, self.zero_field)

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """None without a limit; 0 or 1 with one, and what lies between with a line down to zero."""
        maximum, zero_at = self._bounds()
        if maximum is None:
            return ONLY_MEASURED
        return ZERO_OR_ONE if zero_at is None else ANY_SCORE

    def reading(self, value: float, sentence: str, unit: str, *, unit_in_words: str = "", **evidence: Any) -> Reading:
        """The reading of `value`: scored where there is a limit, else measured.

        `sentence` says what was measured and has no full stop; `unit_in_words` stands behind the
        limit in what is added to it.
        """
        maximum, zero_at = self._bounds()
        known = {"max": maximum, "zeroAt": zero_at}
        bounds = {name: bound for name, bound in known.items() if bound is not None}
        return Reading(
            limited(value, maximum, zero_at),
            f"{sentence}{limit_words(value, maximum, zero_at, unit_in_words)}.",
            {"value": value, **bounds, **evidence},
            value=value,
            unit=unit,
        )
