"""What one scorer says of one observation: a score, a measurement without one, or an error."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ErrorCode(StrEnum):
    """Why a measurement could not be made. The sentence of each stands in ERROR_MEANINGS."""

    SUBJECT_FAILED = "subject_failed"
    CONFIG = "config"
    MISSING_GROUND_TRUTH = "missing_ground_truth"
    BAD_GROUND_TRUTH = "bad_ground_truth"
    MISSING_INPUT = "missing_input"
    BAD_INPUT = "bad_input"
    UNDEFINED = "undefined"
    LIMIT = "limit"
    SCORER_FAILED = "scorer_failed"
    TOOL_FAILED = "tool_failed"


ERROR_MEANINGS: Mapping[ErrorCode, str] = {
    ErrorCode.SUBJECT_FAILED: "The agent did not finish, so there is nothing to measure.",
    ErrorCode.CONFIG: "The scorer itself cannot be used as it was saved.",
    ErrorCode.MISSING_GROUND_TRUTH: "The case does not carry what this scorer compares with.",
    ErrorCode.BAD_GROUND_TRUTH: "What the scorer compares with is malformed, empty or cannot be met.",
    ErrorCode.MISSING_INPUT: "The observation did not record what this scorer reads.",
    ErrorCode.BAD_INPUT: "What the scorer reads was recorded and is malformed.",
    ErrorCode.UNDEFINED: "The formula has no value here, such as 0 divided by 0.",
    ErrorCode.LIMIT: "A stated bound of time or size was reached.",
    ErrorCode.SCORER_FAILED: "The scorer crashed; this is a fault of ours.",
    ErrorCode.TOOL_FAILED: "The tool that was asked gave no usable answer.",
}


class Unmeasurable(Exception):
    """Raised inside a scorer when the measurement cannot be made; it becomes an `error` outcome.

    `vacuous` says of ground truth that every answer would meet it, or none could be told apart by it.
    """

    def __init__(
        self, code: ErrorCode, message: str, evidence: Mapping[str, Any] | None = None, *, vacuous: bool = False
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.evidence = dict(evidence or {})
        self.vacuous = vacuous


@dataclass(frozen=True, slots=True)
class Reading:
    """What a scorer's formula gives: a score from 0 to 1, or None for a measurement without a limit.

    `explanation` is one sentence that a person can act on; `evidence` is JSON; `value` and `unit`
    are what was measured, for scorers of time and counts.
    """

    score: float | None
    explanation: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    value: float | None = None
    unit: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A reading with its verdict, or an error. `status` is scored, measured or error."""

    status: str
    score: float | None
    passed: bool | None
    explanation: str
    evidence: Mapping[str, Any] = field(default_factory=dict)
    value: float | None = None
    unit: str | None = None
    error_code: ErrorCode | None = None
    vacuous: bool = False
    """Of an error: it is the ground truth that holds nothing to compare with."""

    @classmethod
    def failed(
        cls, code: ErrorCode, message: str, evidence: Mapping[str, Any] | None = None, *, vacuous: bool = False
    ) -> "Outcome":
        """The outcome of a measurement that could not be made."""
        return cls("error", None, None, message, dict(evidence or {}), error_code=code, vacuous=vacuous)
