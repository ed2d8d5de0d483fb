"""Generating through Anthropic's Messages API."""

from typing import Any

import pytest

from evaluations.outbound.errors import BadAnswer, HttpError, OutboundError, ProviderFailure, StreamEnded
from evaluations.outbound.providers import Generation, GenerationRequest, Provider, generate
from scoring.kit.observation_document import document_faults
from tests.evaluations.outbound.stubs import (
    EVENTS,
    Handler,
    TestClock,
    event,
    local_door,
    saying_json,
    saying_raw,
    serving,
)

ASKED = GenerationRequest([{"role": "user", "content": "Hi"}])
SCHEMA = {"type": "object", "required": ["a"]}


def named(type: str, **members: Any) -> bytes:
    return event({"type": type, **members}, type)


START = named(
    "message_start",
    message={
        "id": "msg_1",
        "model": "claude",
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 2,
            "output_tokens": 1,
        },
    },
)
STOP = named("message_stop")


def ending(reason: str) -> bytes:
    return named("message_delta", delta={"stop_reason": reason}, usage={"output_tokens": 9})


def block(index: int, **members: Any) -> bytes:
    return named("content_block_start", index=index, content_block=members)


def delta(index: int, **members: Any) -> bytes:
    return named("content_block_delta", index=index, delta=members)


def text(words: str) -> bytes:
    return delta(0, type="text_delta", text=words)


def given_by(handler: Handler, request: GenerationRequest = ASKED, **config: Any) -> Generation:
    with serving(handler) as stub:
        return generate(
            Provider("anthropic", "m", stub.url(), "sk-key", config), request, door=local_door(clock=TestClock())
        )


def test_what_is_sent() -> None:
    request = GenerationRequest(
        [{"role": "system", "content": "Two."}, {"role": "user", "content": "Hi"}], "One.", None, 0.5, None, SCHEMA
    )
    answer = {
        "id": "x",
        "model": "claude",
        "content": [{"type": "text", "text": '{"a": 1}'}],
        "stop_reason": "end_turn",
    }
    with serving(saying_json(answer)) as stub:
        got = generate(Provider("anthropic", "m", stub.url(), "sk-key"), request, door=local_door())
        received = stub.last
    assert received.target == "/v1/messages"
    assert received.headers["x-api-key"] == "sk-key"
    assert received.headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in received.headers
    assert received.json() == {
        "model": "m",
        "system": "One.\n\nTwo.",
        "messages": [{"role": "user", "content": "Hi"}],
        "max_tokens": 4096,
        "temperature": 0.5,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
        "stream": True,
    }
    assert (got.object, got.stream, got.finish_reason) == ({"a": 1}, None, "stop")


def test_a_stream_with_thinking_text_and_a_tool() -> None:
    got = given_by(
        saying_raw(
            EVENTS,
            START,
            named("ping"),
            block(0, type="thinking", thinking=""),
            delta(0, type="thinking_delta", thinking="hm"),
            delta(0, type="signature_delta", signature="x"),
            named("content_block_stop", index=0),
            block(1, type="text", text=""),
            delta(1, type="text_delta", text="Hel"),
            delta(1, type="text_delta", text="lo"),
            block(2, type="tool_use", id="t1", name="get", input={}),
            delta(2, type="input_json_delta", partial_json='{"id":'),
            delta(2, type="input_json_delta", partial_json=" 7}"),
            ending("tool_use"),
            STOP,
            pause=0.01,
        )
    )
    assert (got.text, got.finish_reason, got.model, got.response_id) == ("Hello", "tool_calls", "claude", "msg_1")
    assert got.tool_calls == [{"id": "t1", "name": "get", "arguments": {"id": 7}, "error": None}]
    assert got.usage == {"input_tokens": 17, "cache_read_input_tokens": 5, "output_tokens": 9}
    assert got.stream is not None
    kinds = [item["kind"] for item in got.stream["events"]]
    assert kinds == ["reasoning", "text", "text", "tool_call", "tool_call", "tool_call"]
    assert document_faults(got.observation()) == []


@pytest.mark.parametrize(
    ("reason", "finish"),
    [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "content_filter"), ("pause_turn", "pause_turn")],
)
def test_why_it_ended_in_the_words_of_the_others(reason: str, finish: str) -> None:
    assert given_by(saying_raw(EVENTS, START, text("a"), ending(reason), STOP)).finish_reason == finish


def test_a_whole_answer_with_a_tool() -> None:
    content = [{"type": "text", "text": "a"}, {"type": "tool_use", "id": "t", "name": "f", "input": {"x": 0.1}}]
    got = given_by(saying_json({"content": content, "stop_reason": "tool_use"}), stream=False)
    assert got.tool_calls == [{"id": "t", "name": "f", "arguments": {"x": 0.1}, "error": None}]
    assert "subject" not in got.observation()


OVERLOADED = {"type": "overloaded_error", "message": "Overloaded"}


@pytest.mark.parametrize(
    ("handler", "kind", "words"),
    [
        (saying_json({"type": "error", "error": OVERLOADED}, 529), HttpError, "529: Overloaded"),
        (saying_json({"type": "error", "error": OVERLOADED}), ProviderFailure, "instead of an answer: Overloaded"),
        (saying_raw(EVENTS, START, text("a"), named("error", error=OVERLOADED)), ProviderFailure, "in the middle"),
        (saying_raw(EVENTS, START, text("a")), StreamEnded, "before the answer was complete"),
        (saying_raw(EVENTS, START, text("a"), ending("end_turn")), StreamEnded, "before the answer was complete"),
        (saying_raw(EVENTS, STOP), BadAnswer, "without a choice"),
        (saying_json({}), BadAnswer, "without a message"),
        (saying_json({"content": [{"type": "text", "text": 7}]}), BadAnswer, "text is no text"),
        (saying_raw(EVENTS, named("content_block_delta", delta=7)), BadAnswer, "delta is no object"),
    ],
)
def test_a_bad_answer_has_a_name(handler: Handler, kind: type[OutboundError], words: str) -> None:
    with pytest.raises(kind, match=words):
        given_by(handler)
