"""Chat completions: what OpenAI, Ollama and most other servers speak."""

from collections.abc import Mapping
from typing import Any

from evaluations.outbound.errors import BadAnswer
from evaluations.outbound.providers.declarations import Provider
from evaluations.outbound.providers.failures import refuse_error
from evaluations.outbound.providers.generation import Draft, GenerationRequest
from evaluations.outbound.providers.members import count, listed, obj, text

PATH = "/chat/completions"
_DONE = "[DONE]"


def headers(provider: Provider) -> dict[str, str]:
    """The headers that carry the key."""
    return {"Authorization": f"Bearer {provider.api_key}"} if provider.api_key else {}


def body(provider: Provider, request: GenerationRequest) -> dict[str, Any]:
    """The request's body."""
    system = [{"role": "system", "content": request.instructions}] if request.instructions else []
    most = "max_completion_tokens" if provider.kind == "openai" else "max_tokens"
    members: dict[str, Any] = {
        "model": request.model or provider.default_model,
        "messages": [*system, *(dict(message) for message in request.messages)],
        "temperature": request.temperature,
        most: request.max_tokens,
    }
    if request.output_schema is not None:
        schema = {"name": "output", "schema": request.output_schema, "strict": True}
        members["response_format"] = {"type": "json_schema", "json_schema": schema}
    if provider.streams:
        members |= {"stream": True, "stream_options": {"include_usage": True}}
    return members


def is_end(data: str) -> bool:
    """Whether an event's data ends the stream without being JSON."""
    return data.strip() == _DONE


def read_event(draft: Draft, name: str, document: Any, at_ms: float) -> None:
    """Add one event of a stream to the draft; raises ProviderFailure, BadAnswer."""
    chunk = obj(document, draft, "the event")
    refuse_error(draft, chunk, name)
    _read_head(draft, chunk)
    for choice in listed(chunk.get("choices"), draft, "choices"):
        part = obj(choice, draft, "choices.0")
        if count(part.get("index")):
            continue
        _read_message(draft, obj(part.get("delta"), draft, "choices.0.delta"), at_ms)
        _read_finish(draft, part)


def read_whole(draft: Draft, document: Any) -> None:
    """Add an answer that came in one piece; raises ProviderFailure, BadAnswer."""
    answer = obj(document, draft, "the answer")
    refuse_error(draft, answer, "")
    _read_head(draft, answer)
    choices = listed(answer.get("choices"), draft, "choices")
    if not choices:
        raise BadAnswer(f"{draft.display} answered without a choice.")
    choice = obj(choices[0], draft, "choices.0")
    _read_message(draft, obj(choice.get("message"), draft, "choices.0.message"), None)
    draft.begun = True
    _read_finish(draft, choice)
    draft.ended = True


def _read_head(draft: Draft, chunk: Mapping[str, Any]) -> None:
    draft.model = draft.model or text(chunk.get("model"), draft, "model") or None
    draft.response_id = draft.response_id or text(chunk.get("id"), draft, "id") or None
    if isinstance(chunk.get("usage"), dict):
        draft.usage = _usage(chunk["usage"]) or draft.usage


def _read_finish(draft: Draft, choice: Mapping[str, Any]) -> None:
    reason = text(choice.get("finish_reason"), draft, "finish_reason")
    if reason:
        draft.finish_reason = reason
        draft.ended = True


def _read_message(draft: Draft, message: Mapping[str, Any], at_ms: float | None) -> None:
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str):
            draft.add_reasoning(message[name], at_ms)
            break
    draft.add_text(text(message.get("content"), draft, "content"), at_ms)
    draft.refusal += text(message.get("refusal"), draft, "refusal")
    for place, item in enumerate(listed(message.get("tool_calls"), draft, "tool_calls")):
        call = obj(item, draft, "tool_calls")
        function = obj(call.get("function"), draft, "tool_calls.function")
        index = call.get("index")
        draft.add_call(
            index if isinstance(index, int) else place,
            at_ms,
            id=text(call.get("id"), draft, "tool_calls.id") or None,
            name=text(function.get("name"), draft, "tool_calls.function.name"),
            arguments=text(function.get("arguments"), draft, "tool_calls.function.arguments"),
        )


def _usage(usage: Mapping[str, Any]) -> dict[str, int]:
    prompt, completion = usage.get("prompt_tokens_details"), usage.get("completion_tokens_details")
    counts = {
        "input_tokens": count(usage.get("prompt_tokens")),
        "output_tokens": count(usage.get("completion_tokens")),
        "reasoning_output_tokens": count(completion.get("reasoning_tokens")) if isinstance(completion, dict) else None,
        "cache_read_input_tokens": count(prompt.get("cached_tokens")) if isinstance(prompt, dict) else None,
    }
    return {name: value for name, value in counts.items() if value is not None}
