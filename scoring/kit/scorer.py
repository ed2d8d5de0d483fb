"""The declaration of a scorer: its settings, its words, its examples and its formula in one class.

Everything else is derived from that class: validation, the browser form, the help, the OpenAPI
schema, the reference page and the contract tests. docs/adding-a-scorer.md is the recipe.
"""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, model_validator

from scoring.kit.observation import Observation, Target
from scoring.kit.outcome import ErrorCode, Outcome, Reading, Unmeasurable
from scoring.kit.possible_scores import ANY_SCORE, PossibleScores
from scoring.kit.registry import registry
from scoring.kit.settings import Settings, bounded, not_blank
from scoring.kit.text import utf16_length

logger = logging.getLogger(__name__)
_LONGEST_ID = 128


@dataclass(frozen=True, slots=True)
class Example:
    """A case that the reference shows and the tests run.

    `settings` and `observation` are written as the API takes them; `score` is the answer, or
    `error` the code, exactly one of the two unless the scorer only measures (`value`).
    """

    title: str
    settings: Mapping[str, Any]
    observation: Mapping[str, Any] = field(default_factory=dict)
    score: float | None = None
    error: ErrorCode | None = None
    value: float | None = None


class Scorer(Settings):
    """The base of every scorer. A subclass with a literal `type` enters the registry by itself.

    A subclass declares `type`, its settings as fields, `version`, `reads`, `formula`, `gives`
    (error codes) and `examples`, and implements `score`.
    """

    version: ClassVar[int] = 1
    """Goes up when the same settings and input would give another score."""
    reads: ClassVar[tuple[str, ...]] = ("target text",)
    formula: ClassVar[str] = ""
    gives: ClassVar[tuple[ErrorCode, ...]] = ()
    """The error codes this scorer can give, beside scorer_failed."""
    examples: ClassVar[tuple[Example, ...]] = ()
    origin: ClassVar[str] = "Plumbline"
    scale: ClassVar[PossibleScores] = ANY_SCORE
    """The scores there are, whatever the settings."""
    advanced: ClassVar[frozenset[str]] = frozenset()
    """Settings the form shows under "More"."""

    id: Annotated[str, bounded(1, _LONGEST_ID), AfterValidator(not_blank)] = Field(
        title="Id", description="Unique in the profile; results are kept under it.", examples=["mentions-tests"]
    )
    name: Annotated[str, bounded(1, 256), AfterValidator(not_blank)] = Field(
        default="", title="Name", description="What people read; the id when left empty.", validate_default=False
    )
    description: Annotated[str, bounded(0, 2000)] | None = Field(
        default=None, title="Description", description="Why this is checked."
    )
    type: str
    weight: Annotated[float, Field(ge=0, le=1_000_000)] = Field(
        default=1, title="Weight", description="Share in the composite; 0 reports without counting."
    )
    required: bool = Field(
        default=False,
        title="Required",
        description="The evaluation fails when this scorer does not pass, whatever the composite.",
    )
    pass_threshold: Annotated[float, Field(gt=0, le=1)] = Field(
        default=1, title="Passes from", description="The score from which this scorer counts as passed."
    )
    target: Target = Field(
        default="output", title="Reads", description="The output, the action, or both joined by a line feed."
    )
    negate: bool = Field(
        default=False, title="Negate", description="Turn the score round: 1 becomes 0. An error stays an error."
    )

    @model_validator(mode="before")
    @classmethod
    def _name_is_the_id_unless_given(cls, data: Any) -> Any:
        if not isinstance(data, dict) or data.get("name") is not None:
            return data
        given = {key: value for key, value in data.items() if key != "name"}
        own = data.get("id")
        # An id that is refused is one fault, not also one of a name that nobody gave.
        usable = isinstance(own, str) and own.strip() and utf16_length(own) <= _LONGEST_ID
        return {**given, "name": own} if usable else given

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        if cls.type_name():
            registry.add(cls)

    @classmethod
    def type_name(cls) -> str | None:
        """The PascalCase type (`RegexMatch`), or None for a class that is no scorer of its own."""
        default = cls.model_fields["type"].default
        return default if isinstance(default, str) else None

    @classmethod
    def summary(cls) -> str:
        """The sentence shown in lists: the first line of the docstring."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def own_fields(cls) -> dict[str, Any]:
        """The settings of this type alone, name to FieldInfo, in order of declaration."""
        return {name: info for name, info in cls.model_fields.items() if name not in Scorer.model_fields}

    def score(self, observation: Observation) -> Reading:
        """The reading of one observation: pure, and the same for the same input.

        Raises Unmeasurable when the measurement cannot be made.
        """
        raise NotImplementedError

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """What these settings leave possible before negation; with an observation, also its ground truth.

        For lint. What the agent did is not looked at. Raises Unmeasurable where `score` does too.
        """
        return self.scale

    def vacuous(self, observation: Observation | None = None) -> str | None:
        """Why every answer of the right form meets what this scorer compares with; None when it tells apart.

        Without an observation only what is so by the settings. For lint.
        """
        return None

    def outcome(self, observation: Observation) -> Outcome:
        """The reading with negation, verdict and errors settled. Never raises for a scorer's fault.

        What a whole evaluation depends on (a regex pool without a free place) passes through.
        """
        try:
            reading = self.score(observation)
        except Unmeasurable as reason:
            return Outcome.failed(reason.code, reason.message, reason.evidence, vacuous=reason.vacuous)
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError):
            logger.exception("scorer %s crashed", self.type)
            return Outcome.failed(
                ErrorCode.SCORER_FAILED, "The scorer crashed; the operator finds the cause in the log."
            )
        return self._settled(reading)

    def _settled(self, reading: Reading) -> Outcome:
        common = {"evidence": reading.evidence, "value": reading.value, "unit": reading.unit}
        if reading.score is None:
            return Outcome("measured", None, None, reading.explanation, **common)  # type: ignore[arg-type]
        if not math.isfinite(reading.score) or not 0 <= reading.score <= 1:
            message = f"The scorer gave {reading.score}, which is no score from 0 to 1."
            return Outcome.failed(ErrorCode.SCORER_FAILED, message)
        value = 1 - reading.score if self.negate else reading.score
        explanation = f"Negated: {reading.explanation}" if self.negate else reading.explanation
        return Outcome("scored", value, value >= self.pass_threshold, explanation, **common)  # type: ignore[arg-type]

    def as_document(self) -> dict[str, Any]:
        """The settings as the API writes them: camelCase, everything that is not null."""
        # Not pydantic's JSON mode, in which an exact number inside a schema or a rule would become a text.
        document: dict[str, Any] = _lists_for_tuples(self.model_dump(by_alias=True, exclude_none=True))
        return document


def _lists_for_tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _lists_for_tuples(member) for name, member in value.items()}
    return [_lists_for_tuples(item) for item in value] if isinstance(value, list | tuple) else value
