"""Scorers of numbers: one in the observation against a range, or a count against a divisor."""

import sys
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from scoring.kit.numbers import NumberFound, number_at, plain
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.possible_scores import PossibleScores, between, only
from scoring.kit.scorer import Example, Scorer
from scoring.kit.settings import Fraction, bounded
from scoring.kit.text import SearchedText, listed

# The places of more occurrences than this are counted and not listed.
_MOST_SPANS = 200


class NumericRange(Scorer):
    """Whether a number the observation holds lies within a range.

    The path is looked up in the target first (the object, or the text when that is JSON), where
    `length`, `wordCount` and `lineCount` measure the text itself, then in action, output, object,
    metadata and expected.
    """

    reads: ClassVar = ("the number at valuePath",)
    formula: ClassVar = (
        "1 for min ≤ v ≤ max; outside, with falloff f and distance d to the bound: "
        "1 − (1 − scoreOnMiss) · d ÷ f down to scoreOnMiss; else scoreOnMiss"
    )
    gives: ClassVar = (ErrorCode.MISSING_INPUT,)
    origin: ClassVar = "Output evaluation SOP"
    advanced: ClassVar = frozenset({"score_on_miss", "falloff"})
    examples: ClassVar = (
        Example("Length in bounds", {"valuePath": "length", "min": 5, "max": 10}, {"output": "seven!!"}, score=1),
        Example(
            "A little outside, with a falloff",
            {"valuePath": "object.ms", "min": 50, "max": 500, "falloff": 50},
            {"output": "", "object": {"ms": 507.5}},
            score=0.85,
        ),
        Example(
            "null is no number",
            {"valuePath": "object.ms", "max": 500},
            {"output": "", "object": {"ms": None}},
            error=ErrorCode.MISSING_INPUT,
        ),
    )

    type: Literal["NumericRange"] = "NumericRange"
    value_path: Annotated[str, bounded(1, 256)] = Field(
        title="Number at",
        description="length, wordCount, lineCount, a member of the output's JSON, or a path such as metadata.tokens.",
        json_schema_extra={"x-widget": "path"},
    )
    min: float | None = Field(default=None, title="From", description="The least that is in the range.")
    max: float | None = Field(default=None, title="To", description="The most that is in the range.")
    score_on_miss: Fraction = Field(default=0, title="Score outside")
    falloff: Annotated[float, Field(gt=0)] | None = Field(
        default=None, title="Falloff", description="How far outside the score reaches its lowest; without it, at once."
    )

    @model_validator(mode="after")
    def _bounds_make_a_range(self) -> "NumericRange":
        if self.min is None and self.max is None:
            raise PydanticCustomError("range_open", "Give min, max or both.", {"field": "min"})
        if self.min is not None and self.max is not None and self.min > self.max:
            raise PydanticCustomError("range_empty", "min must not be more than max.", {"field": "min"})
        return self

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """1 and the score outside, with a falloff also what lies between."""
        same = "Inside and outside the range score the same." if self.score_on_miss == 1 else ""
        if self.falloff is None:
            return only(self.score_on_miss, 1.0, why=same)
        # As the line down to it is computed, whose last bit may lie below the score outside.
        return between(min(self.score_on_miss, 1 - (1 - self.score_on_miss)), 1.0, why=same)

    def score(self, observation: Observation) -> Reading:
        """1 inside, a falling score or scoreOnMiss outside; the evidence holds the number and the range."""
        number = number_at(observation, self.value_path, self.target)
        if number is None:
            raise Unmeasurable(
                ErrorCode.MISSING_INPUT, f"There is no number at {self.value_path}.", {"path": self.value_path}
            )
        value = number.value
        distance = max(
            0.0,
            (self.min or 0) - value if self.min is not None else 0.0,
            value - (self.max or 0) if self.max is not None else 0.0,
        )
        return Reading(self._value(distance), self._sentence(value, distance), self._evidence(number))

    def _value(self, distance: float) -> float:
        if distance == 0:
            return 1.0
        if self.falloff is None or distance >= self.falloff:
            return self.score_on_miss
        return 1 - (1 - self.score_on_miss) * distance / self.falloff

    def _range(self) -> str:
        if self.max is None:
            return f"at least {plain(self.min or 0)}"
        if self.min is None:
            return f"at most {plain(self.max)}"
        return f"{plain(self.min)} to {plain(self.max)}"

    def _sentence(self, value: float, distance: float) -> str:
        if distance == 0:
            return f"{self.value_path} is {plain(value)}, within {self._range()}."
        side = "below" if self.min is not None and value < self.min else "above"
        return f"{self.value_path} is {plain(value)}, {plain(distance)} {side} the range ({self._range()})."

    def _evidence(self, number: NumberFound) -> dict[str, Any]:
        bounds = {"min": self.min, "max": self.max, "falloff": self.falloff}
        return {
            "value": number.value,
            "path": self.value_path,
            "source": number.source,
            **{name: bound for name, bound in bounds.items() if bound is not None},
        }


class OccurrenceRatio(Scorer):
    """How often some texts occur, against a fixed number or one the observation holds.

    The declarative replacement for custom expressions: density of filler words, share of
    sentences, structure.
    """

    reads: ClassVar = ("target text", "the number at denominatorPath")
    formula: ClassVar = (
        "count = Σ non-overlapping occurrences; "
        "d = max(minimumDenominator, number at denominatorPath ÷ denominatorScale, else denominator); "
        "score = clamp(invert ? 1 − count ÷ d : count ÷ d, 0, 1)"
    )
    gives: ClassVar = (ErrorCode.MISSING_INPUT,)
    origin: ClassVar = "Output evaluation SOP"
    advanced: ClassVar = frozenset({"denominator_scale", "minimum_denominator"})
    examples: ClassVar = (
        Example(
            "Counted everywhere",
            {"needles": ["just"], "denominator": 4},
            {"output": "Just adjust it, just so: just_one aaaaa"},
            score=1,
        ),
        Example(
            "Whole words alone",
            {"needles": ["just"], "denominator": 4, "wholeWord": True},
            {"output": "Just adjust it, just so: just_one aaaaa"},
            score=0.5,
        ),
        Example(
            "Against the number of words",
            {"needles": ["just"], "denominatorPath": "metadata.outputWordCount"},
            {"output": "Just adjust it, just so: just_one aaaaa"},
            score=4 / 7,
        ),
        Example("No output was recorded", {"needles": ["a"]}, {"object": {}}, error=ErrorCode.MISSING_INPUT),
    )

    type: Literal["OccurrenceRatio"] = "OccurrenceRatio"
    needles: Annotated[tuple[Annotated[str, bounded(1, 64)], ...], Field(min_length=1, max_length=32, strict=False)] = (
        Field(
            title="Texts to count",
            description="One a line, taken literally; write \\n for a line feed.",
            json_schema_extra={"x-widget": "lines", "x-escapes": True},
        )
    )
    case_sensitive: bool = Field(default=False, title="Mind case", description="Tell capital letters from small ones.")
    whole_word: bool = Field(
        default=False,
        title="Whole words",
        description="Only where no letter, digit or _ of any script stands beside it.",
    )
    denominator: Annotated[float, Field(gt=0, le=1e12)] | None = Field(
        default=None, title="Divide by", description="A fixed number; 1 when neither this nor a path gives one."
    )
    denominator_path: Annotated[str, bounded(1, 256)] | None = Field(
        default=None,
        title="Divide by the number at",
        description="A path such as metadata.outputWordCount.",
        json_schema_extra={"x-widget": "path"},
    )
    denominator_scale: Annotated[float, Field(gt=0, le=1e12)] | None = Field(
        default=None, title="Scale", description="The number at the path is divided by this: 50 makes it per 50 words."
    )
    minimum_denominator: Annotated[float, Field(gt=0, le=1e12)] = Field(
        default=1,
        title="At least",
        description="The divisor is never smaller, so that short texts are not judged by one word.",
    )
    invert: bool = Field(default=False, title="Invert", description="1 minus the ratio: fewer is better.")

    def score(self, observation: Observation) -> Reading:
        """The clamped ratio; the evidence holds the count of each text, the divisor and the places."""
        text = SearchedText(observation.text(self.target), case_sensitive=self.case_sensitive)
        counts: dict[str, int] = {}
        spans: list[list[int]] = []
        for needle in self.needles:
            count, places = text.places(needle, whole_word=self.whole_word, most=_MOST_SPANS - len(spans))
            counts[needle] = counts.get(needle, 0) + count
            spans.extend(places)
        return self._reading(counts, spans, observation)

    def _reading(self, counts: dict[str, int], spans: list[list[int]], observation: Observation) -> Reading:
        count = sum(counts.values())
        divisor, origin = self._divisor(observation)
        ratio = count / divisor
        value = min(1.0, max(0.0, 1 - ratio if self.invert else ratio))
        times = "once" if count == 1 else f"{count} times"
        turned = f", inverted {plain(value)}" if self.invert else ""
        sentence = (
            f"{listed(list(counts), 3)} occurred {times}, against {plain(divisor)} ({origin}): {plain(ratio)}{turned}."
        )
        evidence = {"count": count, "counts": counts, "denominator": divisor, "spans": spans, "target": self.target}
        return Reading(value, sentence[0].upper() + sentence[1:], evidence)

    def _divisor(self, observation: Observation) -> tuple[float, str]:
        number = None
        if self.denominator_path is not None:
            number = number_at(observation, self.denominator_path, self.target)
        if number is not None:
            # A quotient beyond every double counts as the largest: what is stored must be a number.
            divisor = min(number.value / (self.denominator_scale or 1), sys.float_info.max)
            origin = self.denominator_path or ""
        else:
            divisor, origin = self.denominator or 1.0, "fixed"
        if divisor < self.minimum_denominator:
            return self.minimum_denominator, "the least allowed"
        return divisor, origin
