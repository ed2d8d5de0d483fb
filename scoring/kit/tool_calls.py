"""The tool calls of an observation, read once and strictly for every scorer that looks at them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened

ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call. `verdict` is what the runtime decided (allow was dispatched); `error` None when it worked."""

    name: str
    arguments: Any = field(default_factory=dict)
    verdict: str = ALLOW
    result: Any = None
    error: Any = None

    @property
    def failed(self) -> bool:
        """Whether it came back with an error."""
        return self.error is not None and self.error is not False

    @property
    def shown_name(self) -> str:
        """The name for a sentence."""
        return shortened(self.name)

    @property
    def failure(self) -> str:
        """The error in a few words."""
        if isinstance(self.error, dict):
            words = self.error.get("message") or self.error.get("type") or "error"
        else:
            words = self.error if isinstance(self.error, str) and self.error else "error"
        return shortened(str(words), 80)


def tool_calls(observation: Observation) -> list[ToolCall]:
    """Every recorded call, in order. Raises Unmeasurable: missing_input when the channel is absent."""
    recorded = observation.channel("tool_calls")
    if not isinstance(recorded, list):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "tool_calls must be a list.")
    return [read_call(item, ErrorCode.BAD_INPUT, f"tool_calls.{index}") for index, item in enumerate(recorded)]


def expected_calls(observation: Observation) -> list[ToolCall]:
    """`expected.tool_calls`; an empty list means: call nothing. Raises Unmeasurable when absent or malformed."""
    expected = observation.ground_truth("tool_calls")
    if expected is ABSENT:
        raise Unmeasurable(
            ErrorCode.MISSING_GROUND_TRUTH,
            "The case has no expected.tool_calls; an empty list would mean: call nothing.",
        )
    if not isinstance(expected, list):
        raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, "expected.tool_calls must be a list.")
    return [
        read_call(item, ErrorCode.BAD_GROUND_TRUTH, f"expected.tool_calls.{index}")
        for index, item in enumerate(expected)
    ]


def read_call(raw: Any, code: ErrorCode, path: str) -> ToolCall:
    """The call that `raw` holds; raises Unmeasurable with `code` when it is malformed."""
    name = raw.get("name") if isinstance(raw, dict) else None
    if not isinstance(name, str) or not name:
        raise Unmeasurable(code, f"{path} must be an object with a name.")
    verdict = raw.get("verdict", ALLOW)
    if not isinstance(verdict, str):
        raise Unmeasurable(code, f"{path}.verdict must be a text such as allow or deny.")
    return ToolCall(name, raw.get("arguments", {}), verdict, raw.get("result"), raw.get("error"))


def dispatched(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """The calls that were let through."""
    return [call for call in calls if call.verdict == ALLOW]


def not_called(name: str, calls: Sequence[ToolCall]) -> str:
    """That a tool was not called, and which were instead."""
    others = list(dict.fromkeys(call.shown_name for call in calls))
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    instead = f"called instead: {', '.join(others[:5])}{more}" if others else "no tool was called"
    return f"{shortened(name)} was not called; {instead}"
