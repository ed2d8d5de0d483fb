"""What is asked of a model, what it gave, and the draft in which an answer is put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluations.outbound.errors import BadAnswer, TooLarge
from foundation import strict_json
from foundation.errors import Problem
from scoring.kit.observation_document import MAX_OUTPUT, MOST_CALLS, MOST_EVENTS
from scoring.kit.paths import ABSENT
from scoring.kit.text import utf16_length


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """One question to a model. `messages` are `{role, content}`; `model` replaces the provider's default."""

    messages: Sequence[Mapping[str, Any]]
    instructions: str | None = None
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    output_schema: Any = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """One answer of a model.

    `object` is the answer as JSON when an output schema was asked for, else ABSENT. `tool_calls`,
    `stream` and `usage` have the shapes of the observation document; `stream` is None when the
    answer came in one piece, `usage` when the provider did not count. Times are in milliseconds
    after the request was sent; `timing` has `connect_ms`, `ttft_ms` (the first event) and `total_ms`.
    """

    text: str
    finish_reason: str | None
    tool_calls: list[dict[str, Any]]
    stream: dict[str, Any] | None
    usage: dict[str, int] | None
    model: str | None
    response_id: str | None
    timing: Mapping[str, float | None]
    attempts: int = 1
    object: Any = ABSENT

    def observation(self) -> dict[str, Any]:
        """The members that it adds to an observation document."""
        output: dict[str, Any] = {"text": self.text}
        if self.object is not ABSENT:
            output["object"] = self.object
        if self.finish_reason is not None:
            output["finish_reason"] = self.finish_reason
        members: dict[str, Any] = {
            "subject": {"model": self.model},
            "outcome": {"status": "completed"},
            "output": output,
            "tool_calls": self.tool_calls,
            "stream": self.stream,
            "usage": self.usage,
        }
        if self.model is None:
            del members["subject"]
        return {name: member for name, member in members.items() if member is not None}


@dataclass(slots=True)
class _DraftCall:
    id: str | None = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def as_call(self) -> dict[str, Any]:
        """The call as the observation has it. Arguments that are no JSON object stay as they came, with an error."""
        written = "".join(self.arguments)
        call: dict[str, Any] = {"name": self.name, "arguments": {}, "error": None}
        if self.id is not None:
            call["id"] = self.id
        try:
            value = strict_json.loads(written) if written.strip() else {}
        except Problem as problem:
            message = problem.message.replace("The body", "The text")
            return {**call, "arguments": written, "error": {"type": "parsing", "message": message}}
        if not isinstance(value, dict):
            message = "The arguments are no JSON object."
            return {**call, "arguments": written, "error": {"type": "parsing", "message": message}}
        return {**call, "arguments": value}


@dataclass(slots=True)
class Draft:
    """An answer while it arrives. `display` names the provider in sentences."""

    display: str
    finish_reason: str | None = None
    model: str | None = None
    response_id: str | None = None
    usage: dict[str, int] | None = None
    refusal: str = ""
    begun: bool = False
    """Whether anything of an answer came."""
    ended: bool = False
    """Whether the provider said that the answer is complete."""
    events: list[dict[str, Any]] = field(default_factory=list)
    _texts: list[str] = field(default_factory=list)
    _length: int = 0
    _calls: dict[Any, _DraftCall] = field(default_factory=dict)

    def add_text(self, text: str, at_ms: float | None) -> None:
        """A piece of the answer's text."""
        if not text:
            return
        self._length += utf16_length(text)
        if self._length > MAX_OUTPUT:
            raise TooLarge(f"The model of {self.display} wrote more than {MAX_OUTPUT:,} characters.")
        self._texts.append(text)
        self._event("text", at_ms)

    def add_reasoning(self, text: str, at_ms: float | None) -> None:
        """A piece of the model's reasoning, of which only the time is kept."""
        if text:
            self._event("reasoning", at_ms)

    def add_call(
        self,
        key: Any,
        at_ms: float | None,
        *,
        id: str | None = None,
        name: str = "",
        arguments: str = "",
    ) -> None:
        """A piece of a tool call; `key` says of which."""
        if len(self._calls) >= MOST_CALLS and key not in self._calls:
            raise TooLarge(f"The model of {self.display} called more than {MOST_CALLS:,} tools.")
        call = self._calls.setdefault(key, _DraftCall())
        call.id = call.id or id
        # Some servers repeat the name in each piece, none cuts it.
        call.name = call.name or name
        call.arguments.append(arguments)
        self._event("tool_call", at_ms)

    def _event(self, kind: str, at_ms: float | None) -> None:
        self.begun = True
        if at_ms is None:
            return
        if len(self.events) >= MOST_EVENTS:
            raise TooLarge(f"The stream of {self.display} has more than {MOST_EVENTS:,} events.")
        self.events.append({"t": round(at_ms, 3), "kind": kind})

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    def generation(self, *, streamed: bool, connect_ms: float, total_ms: float) -> Generation:
        """The answer, once it is complete. Raises BadAnswer when there is none in it."""
        if not self.begun and self.finish_reason is None:
            raise BadAnswer(f"{self.display} answered without a choice.")
        end = round(total_ms, 3)
        stream = {"unit": "ms", "start": 0, "end": end, "events": self.events} if streamed else None
        timing = {
            "connect_ms": round(connect_ms, 3),
            "ttft_ms": self.events[0]["t"] if self.events else None,
            "total_ms": end,
        }
        return Generation(
            text=self.text or self.refusal,
            finish_reason=self.finish_reason,
            tool_calls=[call.as_call() for call in self._calls.values()],
            stream=stream,
            usage=self.usage,
            model=self.model,
            response_id=self.response_id,
            timing=timing,
        )
