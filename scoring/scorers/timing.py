"""Scorers of time: when the first and the last token came, the gaps between, the whole request."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from scoring.kit.limits import LimitedScorer
from scoring.kit.numbers import measured_number, plain, whole_number
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.scorer import Example

_READS = ("stream",)
_GIVES = (ErrorCode.MISSING_INPUT, ErrorCode.BAD_INPUT)
_THREE = {
    "observation": {
        "stream": {
            "start": 0,
            "end": 55,
            "events": [{"t": 10, "kind": "text"}, {"t": 30, "kind": "text"}, {"t": 50, "kind": "text"}],
        }
    }
}
_ONE = {"observation": {"stream": {"events": [{"t": 10, "kind": "text"}]}}}
_NO_STREAM = Example("The stream was not recorded: not zero", {}, {"output": "hi"}, error=ErrorCode.MISSING_INPUT)
Kind = Literal["text", "reasoning", "tool_call"]
Milliseconds = Annotated[float, Field(ge=0, le=1e12)]
Beyond = Annotated[float, Field(gt=0, le=1e12)]


@dataclass(frozen=True, slots=True)
class _Event:
    at: float
    kind: str
    tokens: Any


class _Timed(LimitedScorer):
    """What the scorers of time share: a limit, and the line down to zero."""

    limit_field: ClassVar = "max_ms"
    zero_field: ClassVar = "zero_at_ms"
    max_ms: Milliseconds | None = Field(
        default=None, title="At most (ms)", description="Scores 1 up to this; without it the time is only measured."
    )
    zero_at_ms: Beyond | None = Field(
        default=None,
        title="Zero at (ms)",
        description="The score falls in a straight line to 0 here; without it, at once.",
    )

    def timed(self, value: float, name: str, **evidence: Any) -> Reading:
        """The reading of a time in milliseconds."""
        return self.reading(value, f"{name} {plain(value)} ms", "ms", unit_in_words=" ms", **evidence)


class _Streamed(_Timed):
    """What the scorers of token events share: which events count."""

    kinds: Annotated[tuple[Kind, ...], Field(min_length=1, max_length=3, strict=False)] = Field(
        default=("text",), title="Events", description="Which events are tokens: text alone, or reasoning too."
    )

    def times(self, observation: Observation) -> list[float]:
        """Arrival times in ms after the request was sent; at least one. Raises Unmeasurable."""
        return [event.at for event in self.tokens(observation)]

    def tokens(self, observation: Observation) -> list[_Event]:
        """The events that count, their times from the request; at least one. Raises Unmeasurable."""
        events = [event for event in _events(observation) if event.kind in self.kinds]
        if not events:
            raise Unmeasurable(ErrorCode.MISSING_INPUT, f"The stream holds no {' or '.join(self.kinds)} event.")
        return events


def _stream(observation: Observation) -> dict[str, Any]:
    stream = observation.channel("stream")
    if not isinstance(stream, dict):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "stream must be an object.")
    if stream.get("unit", "ms") != "ms":
        raise Unmeasurable(ErrorCode.BAD_INPUT, "stream.unit must be ms.")
    return stream


def _start(stream: dict[str, Any]) -> float:
    start = measured_number(stream.get("start", 0))
    if start is None:
        raise Unmeasurable(ErrorCode.BAD_INPUT, "stream.start must be a number of milliseconds.")
    return start


def _events(observation: Observation) -> list[_Event]:
    """The events of the stream, their times counted from its start. Time may not run backwards."""
    stream = _stream(observation)
    start = _start(stream)
    raw = stream.get("events", ABSENT)
    if raw is ABSENT:
        raise Unmeasurable(ErrorCode.MISSING_INPUT, "The stream recorded no events.")
    if not isinstance(raw, list):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "stream.events must be a list.")
    events = [_event(item, start) for item in raw]
    earlier = 0.0
    for index, event in enumerate(events):
        if event.at < earlier:
            earlier_one = "the one before it" if index else "the request"
            message = f"Event {index} of the stream comes before {earlier_one}: time runs backwards."
            raise Unmeasurable(ErrorCode.BAD_INPUT, message)
        earlier = event.at
    return events


def _event(raw: Any, start: float) -> _Event:
    moment = measured_number(raw.get("t")) if isinstance(raw, dict) else None
    if moment is None:
        raise Unmeasurable(ErrorCode.BAD_INPUT, "Every event of the stream must have a time t.")
    return _Event(moment - start, str(raw.get("kind", "text")), raw.get("tokens", ABSENT))


class TTFT(_Streamed):
    """The time to the first token."""

    reads: ClassVar = _READS
    formula: ClassVar = "t₁, in ms after the request was sent"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer module, section 4"
    examples: ClassVar = (
        Example("Measured, without a limit", {}, _THREE, value=10),
        Example("Within the limit", {"maxMs": 20}, _THREE, score=1, value=10),
        Example("Between the limit and zero", {"maxMs": 5, "zeroAtMs": 15}, _THREE, score=0.5, value=10),
        _NO_STREAM,
    )

    type: Literal["TTFT"] = "TTFT"

    def score(self, observation: Observation) -> Reading:
        """The time of the first event that counts."""
        times = self.times(observation)
        return self.timed(times[0], "First token after", events=len(times))


class TTLT(_Streamed):
    """The time to the last token."""

    reads: ClassVar = _READS
    formula: ClassVar = "t_n, in ms after the request was sent"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer module, section 4"
    examples: ClassVar = (
        Example("Measured, without a limit", {}, _THREE, value=50),
        Example("Over the limit", {"maxMs": 20}, _THREE, score=0, value=50),
        _NO_STREAM,
    )

    type: Literal["TTLT"] = "TTLT"

    def score(self, observation: Observation) -> Reading:
        """The time of the last event that counts."""
        times = self.times(observation)
        return self.timed(times[-1], "Last token after", events=len(times))


class ITL(_Streamed):
    """The time between tokens: the mean, the median or the longest gap.

    Tools differ in what they call inter-token latency; the statistic is part of this scorer's
    settings, and so of its identity.
    """

    reads: ClassVar = _READS
    formula: ClassVar = "mean: (t_n − t₁) / (n − 1); median: of the n − 1 gaps; max: the longest gap"
    gives: ClassVar = (*_GIVES, ErrorCode.UNDEFINED)
    origin: ClassVar = "Scorer module, section 4; median and max decided here"
    examples: ClassVar = (
        Example("Mean of two gaps", {}, _THREE, value=20),
        Example("The longest", {"statistic": "max", "maxMs": 25}, _THREE, score=1, value=20),
        Example("One token has no gap", {}, _ONE, error=ErrorCode.UNDEFINED),
    )

    type: Literal["ITL"] = "ITL"
    statistic: Literal["mean", "median", "max"] = Field(
        default="mean", title="Statistic", description="Of the gaps between one token and the next."
    )

    def score(self, observation: Observation) -> Reading:
        """The statistic of the gaps; equal times are legal."""
        times = self.times(observation)
        if len(times) < 2:
            raise Unmeasurable(ErrorCode.UNDEFINED, "One token has no gap to another.")
        gaps = [later - earlier for earlier, later in pairwise(times)]
        return self.timed(
            self._statistic(times, gaps),
            f"{self.statistic.capitalize()} gap between tokens",
            gaps=len(gaps),
            longest=max(gaps),
        )

    def _statistic(self, times: Sequence[float], gaps: Sequence[float]) -> float:
        if self.statistic == "mean":
            return (times[-1] - times[0]) / len(gaps)
        return median(gaps) if self.statistic == "median" else max(gaps)


class TPOT(_Streamed):
    """The time per output token after the first, by the number of tokens and not of events."""

    reads: ClassVar = ("stream", "usage.output_tokens")
    formula: ClassVar = "(t_n − t₁) / (tokens − 1); tokens from usage.output_tokens, else the events' own"
    gives: ClassVar = (*_GIVES, ErrorCode.UNDEFINED)
    origin: ClassVar = "Scorer contract, section 1.4"
    examples: ClassVar = (
        Example(
            "Forty milliseconds for eight tokens after the first",
            {},
            {"observation": {**_THREE["observation"], "usage": {"output_tokens": 9}}},
            value=5,
        ),
        Example(
            "A single token",
            {},
            {"observation": {**_THREE["observation"], "usage": {"output_tokens": 1}}},
            error=ErrorCode.UNDEFINED,
        ),
        Example("Nobody counted the tokens", {}, _THREE, error=ErrorCode.MISSING_INPUT),
    )

    type: Literal["TPOT"] = "TPOT"

    def score(self, observation: Observation) -> Reading:
        """The time per token."""
        events = self.tokens(observation)
        tokens = self._count(observation, events)
        if tokens < 2:
            raise Unmeasurable(
                ErrorCode.UNDEFINED,
                f"The answer has {tokens} output token{'' if tokens == 1 else 's'}: none after the first.",
            )
        return self.timed((events[-1].at - events[0].at) / (tokens - 1), "Time per output token", tokens=tokens)

    @staticmethod
    def _count(observation: Observation, events: Sequence[_Event]) -> int:
        usage = observation.channels.get("usage", {})
        if not isinstance(usage, dict):
            raise Unmeasurable(ErrorCode.BAD_INPUT, "usage must be an object.")
        if "output_tokens" in usage:
            return _whole(usage["output_tokens"], "usage.output_tokens")
        tokens = [event.tokens for event in events]
        if ABSENT in tokens:
            raise Unmeasurable(
                ErrorCode.MISSING_INPUT,
                "Nobody counted the output tokens: neither usage.output_tokens nor every event has them.",
            )
        return sum(_whole(number, "The tokens of an event") for number in tokens)


def _whole(raw: Any, what: str) -> int:
    count = whole_number(raw)
    if count is None or count < 0:
        raise Unmeasurable(ErrorCode.BAD_INPUT, f"{what} must be a whole number from 0.")
    return count


class Latency(_Timed):
    """The time of the whole request, from sending it to the end of the answer."""

    reads: ClassVar = _READS
    formula: ClassVar = "end − start, in ms"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer contract, section 1.4"
    examples: ClassVar = (
        Example("Measured, without a limit", {}, _THREE, value=55),
        Example("Within the limit", {"maxMs": 100}, _THREE, score=1, value=55),
        Example("The end was not recorded", {}, _ONE, error=ErrorCode.MISSING_INPUT),
    )

    type: Literal["Latency"] = "Latency"

    def score(self, observation: Observation) -> Reading:
        """The time from start to end."""
        stream = _stream(observation)
        if "start" not in stream or "end" not in stream:
            raise Unmeasurable(ErrorCode.MISSING_INPUT, "The stream did not record both start and end.")
        start, end = _start(stream), measured_number(stream["end"])
        if end is None or end < start:
            raise Unmeasurable(ErrorCode.BAD_INPUT, "stream.end must be a time not before stream.start.")
        return self.timed(end - start, "The request took")
