"""Anthropic's Messages API."""

from collections.abc import Mapping
from typing import Any

from evaluations.outbound.errors import BadAnswer
from evaluations.outbound.providers.declarations import Provider
from evaluations.outbound.providers.failures import refuse_error
from evaluations.outbound.providers.generation import Draft, GenerationRequest
from evaluations.outbound.providers.members import count, listed, obj, text
from foundation import exact_json

PATH = "/messages"
VERSION = "2023-06-01"
# The API wants a number; an agent need not have one.
DEFAULT_MAX_TOKENS = 4_096
_FINISH = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}


def headers(provider: Provider) -> dict[str, str]:
    """The headers that carry the key and the version."""
    key = {"x-api-key": provider.api_key} if provider.api_key else {}
    return {**key, "anthropic-version": VERSION}


def body(provider: Provider, request: GenerationRequest) -> dict[str, Any]:
    """The request's body. Messages of the system stand apart from the others here."""
    spoken = [dict(message) for message in request.messages if message.get("role") != "system"]
    system = [message.get("content") for message in request.messages if message.get("role") == "system"]
    words = [request.instructions, *system]
    members: dict[str, Any] = {
        "model": request.model or provider.default_model,
        "messages": spoken,
        "system": "\n\n".join(word for word in words if isinstance(word, str) and word) or None,
        "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
        "temperature": request.temperature,
    }
    if request.output_schema is not None:
        members["output_config"] = {"format": {"type": "json_schema", "schema": request.output_schema}}
    if provider.streams:
        members["stream"] = True
    return members


def is_end(data: str) -> bool:
    """Whether an event's data ends the stream without being JSON: never here."""
    return False


def read_event(draft: Draft, name: str, document: Any, at_ms: float) -> None:
    """Add one event of a stream to the draft; raises ProviderFailure, BadAnswer."""
    event = obj(document, draft, "the event")
    kind = event.get("type") or name
    refuse_error(draft, event, str(kind))
    if kind == "message_start":
        _read_head(draft, obj(event.get("message"), draft, "message"))
    elif kind == "content_block_start":
        _read_block(draft, event.get("index"), obj(event.get("content_block"), draft, "content_block"), at_ms)
    elif kind == "content_block_delta":
        _read_delta(draft, event.get("index"), obj(event.get("delta"), draft, "delta"), at_ms)
    elif kind == "message_delta":
        _read_finish(draft, obj(event.get("delta"), draft, "delta"))
        _add_usage(draft, event.get("usage"))
    elif kind == "message_stop":
        draft.ended = True


def read_whole(draft: Draft, document: Any) -> None:
    """Add an answer that came in one piece; raises ProviderFailure, BadAnswer."""
    answer = obj(document, draft, "the answer")
    refuse_error(draft, answer, str(answer.get("type")))
    if "content" not in answer:
        raise BadAnswer(f"{draft.display} answered without a message.")
    _read_head(draft, answer)
    for index, block in enumerate(listed(answer.get("content"), draft, "content")):
        _read_block(draft, index, obj(block, draft, "content"), None)
    _read_finish(draft, answer)
    draft.begun = draft.ended = True


def _read_head(draft: Draft, message: Mapping[str, Any]) -> None:
    draft.model = text(message.get("model"), draft, "model") or None
    draft.response_id = text(message.get("id"), draft, "id") or None
    _add_usage(draft, message.get("usage"))


def _read_block(draft: Draft, index: Any, block: Mapping[str, Any], at_ms: float | None) -> None:
    kind = block.get("type")
    if kind == "text":
        draft.add_text(text(block.get("text"), draft, "text"), at_ms)
    elif kind == "thinking":
        draft.add_reasoning(text(block.get("thinking"), draft, "thinking"), at_ms)
    elif kind == "tool_use":
        whole = obj(block.get("input"), draft, "input")
        written = exact_json.dumps(whole) if whole else ""
        identifier = text(block.get("id"), draft, "id") or None
        draft.add_call(str(index), at_ms, id=identifier, name=text(block.get("name"), draft, "name"), arguments=written)


def _read_delta(draft: Draft, index: Any, delta: Mapping[str, Any], at_ms: float) -> None:
    kind = delta.get("type")
    if kind == "text_delta":
        draft.add_text(text(delta.get("text"), draft, "text"), at_ms)
    elif kind == "thinking_delta":
        draft.add_reasoning(text(delta.get("thinking"), draft, "thinking"), at_ms)
    elif kind == "input_json_delta":
        piece = text(delta.get("partial_json"), draft, "partial_json")
        if piece:
            draft.add_call(str(index), at_ms, arguments=piece)


def _read_finish(draft: Draft, message: Mapping[str, Any]) -> None:
    reason = text(message.get("stop_reason"), draft, "stop_reason")
    if reason:
        draft.finish_reason = _FINISH.get(reason, reason)


def _add_usage(draft: Draft, usage: Any) -> None:
    """Counts of input come first and those of output last. Input that was cached is input too."""
    if not isinstance(usage, Mapping):
        return
    known = dict(draft.usage or {})
    fresh = count(usage.get("input_tokens"))
    cached, written = count(usage.get("cache_read_input_tokens")), count(usage.get("cache_creation_input_tokens"))
    if fresh is not None:
        known["input_tokens"] = fresh + (cached or 0) + (written or 0)
    if cached is not None:
        known["cache_read_input_tokens"] = cached
    output = count(usage.get("output_tokens"))
    if output is not None:
        known["output_tokens"] = output
    draft.usage = known or None
