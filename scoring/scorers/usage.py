"""Scorers of counts: tokens, money, tool calls. Each is measured, and scored against a limit."""

import re
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from scoring.kit.limits import LimitedScorer
from scoring.kit.numbers import measured_number, plain, whole_number
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.scorer import Example
from scoring.kit.tool_calls import dispatched, tool_calls

_GIVES = (ErrorCode.MISSING_INPUT, ErrorCode.BAD_INPUT)
_USAGE = {
    "observation": {
        "usage": {"input_tokens": 812, "output_tokens": 10, "cost": {"amount": "0.00123", "currency": "USD"}}
    }
}
_NOT_RECORDED = Example("Not recorded: not zero", {}, {"output": "hi"}, error=ErrorCode.MISSING_INPUT)
_LONGEST_CURRENCY = 16
_AMOUNT = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?")
Amount = Annotated[float, Field(ge=0, le=1e15)]
Beyond = Annotated[float, Field(gt=0, le=1e15)]


class _Counted(LimitedScorer):
    """What the scorers of counts share: a limit, and the line down to zero."""

    limit_field: ClassVar = "max"
    zero_field: ClassVar = "zero_at"
    max: Amount | None = Field(
        default=None, title="At most", description="Scores 1 up to this; without it the number is only measured."
    )
    zero_at: Beyond | None = Field(
        default=None, title="Zero at", description="The score falls in a straight line to 0 here; without it, at once."
    )


def _tokens(observation: Observation, name: str) -> int:
    count = whole_number(_used(observation, name))
    if count is None or count < 0:
        raise Unmeasurable(ErrorCode.BAD_INPUT, f"usage.{name} must be a whole number from 0.")
    return count


def _used(observation: Observation, name: str) -> Any:
    """The member `name` of the usage; Unmeasurable when it is absent or the usage malformed."""
    usage = observation.channel("usage")
    if not isinstance(usage, dict):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "usage must be an object.")
    if name not in usage:
        raise Unmeasurable(ErrorCode.MISSING_INPUT, f"The observation did not record usage.{name}.")
    return usage[name]


class OutputTokens(_Counted):
    """How many tokens the answer took."""

    reads: ClassVar = ("usage.output_tokens",)
    formula: ClassVar = "usage.output_tokens"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer contract, section 1.11"
    examples: ClassVar = (
        Example("Measured, without a limit", {}, _USAGE, value=10),
        Example("Within the limit", {"max": 20}, _USAGE, score=1, value=10),
        _NOT_RECORDED,
    )

    type: Literal["OutputTokens"] = "OutputTokens"

    def score(self, observation: Observation) -> Reading:
        """The number of tokens."""
        count = _tokens(observation, "output_tokens")
        return self.reading(count, f"{count:,} output tokens", "tokens")


class InputTokens(_Counted):
    """How many tokens the question took, with everything sent along."""

    reads: ClassVar = ("usage.input_tokens",)
    formula: ClassVar = "usage.input_tokens"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer contract, section 1.11"
    examples: ClassVar = (
        Example("Measured, without a limit", {}, _USAGE, value=812),
        Example("Between the limit and zero", {"max": 800, "zeroAt": 824}, _USAGE, score=0.5, value=812),
        _NOT_RECORDED,
    )

    type: Literal["InputTokens"] = "InputTokens"

    def score(self, observation: Observation) -> Reading:
        """The number of tokens."""
        count = _tokens(observation, "input_tokens")
        return self.reading(count, f"{count:,} input tokens", "tokens")


class Cost(_Counted):
    """What the answer cost, in the currency that was recorded."""

    reads: ClassVar = ("usage.cost",)
    formula: ClassVar = "usage.cost.amount"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer contract, section 1.11"
    examples: ClassVar = (
        Example("Measured, without a limit", {}, _USAGE, value=0.00123),
        Example("Over the limit", {"max": 0.001}, _USAGE, score=0, value=0.00123),
        _NOT_RECORDED,
    )

    type: Literal["Cost"] = "Cost"

    def score(self, observation: Observation) -> Reading:
        """The amount; money is recorded as decimal text, so nothing is lost before it is compared."""
        cost = _used(observation, "cost")
        cost = cost if isinstance(cost, dict) else {}
        raw, currency = cost.get("amount"), cost.get("currency", "")
        amount = measured_number(Decimal(raw)) if isinstance(raw, str) and _AMOUNT.fullmatch(raw) else None
        if amount is None:
            raise Unmeasurable(ErrorCode.BAD_INPUT, 'usage.cost.amount must be decimal text from 0, such as "0.00123".')
        if not isinstance(currency, str) or len(currency) > _LONGEST_CURRENCY:
            raise Unmeasurable(ErrorCode.BAD_INPUT, "usage.cost.currency must be a short text such as USD.")
        return self.reading(amount, f"Cost {plain(amount)} {currency}".rstrip(), currency or "money")


class ToolCallCount(_Counted):
    """How many tool calls were dispatched."""

    reads: ClassVar = ("tool_calls",)
    formula: ClassVar = "the number of calls with the verdict allow"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer contract, section 1.11"
    examples: ClassVar = (
        Example("Recorded and empty is a count of 0", {}, {"observation": {"tool_calls": []}}, value=0),
        Example(
            "Over the limit",
            {"max": 1},
            {"observation": {"tool_calls": [{"name": "a"}, {"name": "b"}]}},
            score=0,
            value=2,
        ),
        _NOT_RECORDED,
    )

    type: Literal["ToolCallCount"] = "ToolCallCount"

    def score(self, observation: Observation) -> Reading:
        """The number of calls."""
        count = len(dispatched(tool_calls(observation)))
        return self.reading(count, f"{count} tool call{'' if count == 1 else 's'}", "calls")
