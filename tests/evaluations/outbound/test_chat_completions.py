"""Generating through the format that OpenAI, Ollama and most others speak."""

import gzip
import json
import socket
import time
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluations.outbound.door import Door
from evaluations.outbound.errors import (
    BadAnswer,
    Blocked,
    HttpError,
    OutboundError,
    OutputSchemaViolation,
    ProviderFailure,
    RequestFault,
    StreamEnded,
    TimedOut,
    TooLarge,
    Unreachable,
)
from evaluations.outbound.policy import EgressPolicy
from evaluations.outbound.providers import (
    Generation,
    GenerationRequest,
    Provider,
    anthropic_messages,
    chat_completions,
    generate,
)
from evaluations.outbound.providers.generation import Draft
from scoring.kit.observation import Observation
from scoring.kit.observation_document import document_faults
from scoring.kit.paths import ABSENT
from scoring.scorers.timing import ITL, TTFT
from tests.evaluations.outbound.stubs import (
    DONE,
    EVENTS,
    Handler,
    Received,
    TestClock,
    event,
    local_door,
    read_request,
    resetting,
    saying,
    saying_in_turn,
    saying_json,
    saying_raw,
    serving,
)

ASKED = GenerationRequest([{"role": "user", "content": "Say hello."}])
SCHEMA = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "number", "minimum": 0}}}
WITH_SCHEMA = GenerationRequest([{"role": "user", "content": "How much?"}], output_schema=SCHEMA)


def delta(finish_reason: str | None = None, **members: Any) -> bytes:
    choice = {"index": 0, "delta": members, "finish_reason": finish_reason}
    return event({"id": "c1", "model": "m-small", "choices": [choice]})


def whole(content: Any, finish_reason: str = "stop", **message: Any) -> Handler:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish_reason,
    }
    return saying_json({"id": "c1", "model": "m-small", "choices": [choice]})


def streamed(*pieces: bytes, pause: float = 0) -> Handler:
    return saying_raw(EVENTS, *pieces, pause=pause)


def given_by(handler: Handler, request: GenerationRequest = ASKED, **config: Any) -> Generation:
    with serving(handler) as stub:
        provider = Provider("openai_compatible", "m", stub.url(), "sk-secret-key", config)
        return generate(provider, request, door=local_door(clock=TestClock()))


def failure(handler: Handler, request: GenerationRequest = ASKED, **config: Any) -> OutboundError:
    with pytest.raises(OutboundError) as raised:
        given_by(handler, request, **config)
    assert raised.value.message.endswith(".") or "reported" in raised.value.message
    return raised.value


def test_what_is_sent() -> None:
    request = GenerationRequest(
        [{"role": "user", "content": "Hi"}], "Be brief.", "other", 0.0, 50, SCHEMA, idempotency_key="run:1:1"
    )
    config = {"headers": {"X-Team": "a", "accept": "x"}, "parameters": {"seed": 7, "stream_options": None}}
    with serving(whole('{"amount": 1}')) as stub:
        provider = Provider("ollama", "m", stub.url().rstrip("/"), "sk-secret-key", config)
        generate(provider, request, door=local_door())
        received = stub.last
    assert (received.method, received.target) == ("POST", "/v1/chat/completions")
    assert received.headers["authorization"] == "Bearer sk-secret-key"
    assert received.headers["idempotency-key"] == "run:1:1"
    assert (received.headers["x-team"], received.headers["accept"]) == ("a", "x")
    assert received.json() == {
        "model": "other",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        "temperature": 0.0,
        "max_tokens": 50,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "output", "schema": SCHEMA, "strict": True},
        },
        "stream": True,
        "seed": 7,
    }


def test_the_least_that_is_sent() -> None:
    with serving(whole("x")) as stub:
        generate(Provider("openai", "m", stub.url(), config={"stream": False}), ASKED, door=local_door())
        assert stub.last.json() == {"model": "m", "messages": [{"role": "user", "content": "Say hello."}]}
        assert "authorization" not in stub.last.headers
    with serving(whole("x")) as stub:
        request = GenerationRequest([], max_tokens=9)
        generate(Provider("openai", "m", stub.url(), config={"stream": False}), request, door=local_door())
        assert stub.last.json()["max_completion_tokens"] == 9


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://a:1", "http://a:1/v1/chat/completions"),
        ("http://a:1/", "http://a:1/v1/chat/completions"),
        ("http://a/v1", "http://a/v1/chat/completions"),
        ("http://a/v1/", "http://a/v1/chat/completions"),
        ("http://a/v1beta/openai/", "http://a/v1beta/openai/chat/completions"),
        ("http://a/vllm", "http://a/vllm/v1/chat/completions"),
        (None, "http://localhost:11434/v1/chat/completions"),
    ],
)
def test_the_address_of_a_provider(base: str | None, url: str) -> None:
    assert Provider("ollama", "m", base).url("/chat/completions") == url


def test_a_stream_is_measured_token_by_token() -> None:
    usage = {
        "prompt_tokens": 12,
        "completion_tokens": 3,
        "prompt_tokens_details": {"cached_tokens": 4},
        "completion_tokens_details": {"reasoning_tokens": 1},
    }
    got = given_by(
        streamed(
            delta(role="assistant", content=""),
            delta(reasoning_content="hm"),
            delta(content="Hel"),
            delta(content="lo"),
            delta("stop"),
            event({"choices": [], "usage": usage}),
            DONE,
            pause=0.04,
        )
    )
    assert (got.text, got.finish_reason, got.model, got.response_id) == ("Hello", "stop", "m-small", "c1")
    assert got.object is ABSENT
    assert got.usage == {
        "input_tokens": 12,
        "output_tokens": 3,
        "reasoning_output_tokens": 1,
        "cache_read_input_tokens": 4,
    }
    assert got.stream is not None
    events = got.stream["events"]
    assert [item["kind"] for item in events] == ["reasoning", "text", "text"]
    times = [item["t"] for item in events]
    assert times == sorted(times)
    # A reader that wakes late makes single gaps shorter, never the whole.
    assert 60 < times[0] <= times[-1] - 40 < times[-1] <= got.stream["end"] == got.timing["total_ms"]
    assert got.timing["ttft_ms"] == events[0]["t"]
    document = got.observation()
    assert document_faults(document) == []
    observation = Observation(output=got.text, channels=document)
    assert TTFT(id="t").score(observation).value == pytest.approx(times[1])
    assert ITL(id="i").score(observation).value == pytest.approx(times[2] - times[1])


def test_the_time_counts_from_the_request_and_not_from_the_connection() -> None:
    got = given_by(streamed(delta(content="x"), delta("stop"), DONE))
    assert 0 < (got.timing["ttft_ms"] or 0) < 500
    assert (got.timing["connect_ms"] or 0) > 0


def test_a_server_that_cannot_stream_answers_in_one_piece() -> None:
    got = given_by(whole("Hello"))
    assert (got.text, got.stream, got.usage, got.tool_calls) == ("Hello", None, None, [])
    assert got.observation() == {
        "subject": {"model": "m-small"},
        "outcome": {"status": "completed"},
        "output": {"text": "Hello", "finish_reason": "stop"},
        "tool_calls": [],
    }
    assert document_faults(got.observation()) == []


def test_events_under_another_type_and_a_stream_without_its_last_word() -> None:
    plain = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    assert given_by(saying_raw(plain, b": hi\n\n", delta(content="a"), delta("stop"))).text == "a"
    assert given_by(streamed(b"data", delta(content="a")[4:], delta("length").rstrip())).finish_reason == "length"
    assert given_by(streamed(delta(content="a"), DONE)).finish_reason is None


def test_nothing_after_the_last_word_is_waited_for() -> None:
    def handler(connection: socket.socket, received: Received) -> None:
        connection.sendall(EVENTS + delta(content="a") + delta("stop") + DONE)
        read_request(connection)

    started = time.monotonic()
    assert given_by(handler).text == "a"
    assert time.monotonic() - started < 5


def test_other_choices_are_left_out() -> None:
    second = event({"choices": [{"index": 1, "delta": {"content": "no"}}]})
    assert given_by(streamed(delta(content="yes"), second, delta("stop"), DONE)).text == "yes"


def test_tool_calls_are_put_together_and_unreadable_ones_are_kept() -> None:
    def piece(index: int, **function: str) -> bytes:
        return delta(tool_calls=[{"index": index, "id": f"t{index}", "function": function}])

    got = given_by(
        streamed(
            piece(0, name="get", arguments=""),
            piece(0, arguments='{"a"'),
            piece(1, name="set", arguments='{"b": '),
            piece(0, arguments=": 1}"),
            piece(2, name="none", arguments=""),
            piece(3, name="list", arguments="[1]"),
            delta("tool_calls"),
            DONE,
        )
    )
    first, second, third, fourth = got.tool_calls
    assert first == {"id": "t0", "name": "get", "arguments": {"a": 1}, "error": None}
    assert (second["arguments"], second["error"]["type"]) == ('{"b": ', "parsing")
    assert third["arguments"] == {}
    assert fourth["error"] == {"type": "parsing", "message": "The arguments are no JSON object."}
    assert got.stream is not None
    assert {item["kind"] for item in got.stream["events"]} == {"tool_call"}
    assert document_faults(got.observation()) == []
    in_one = given_by(
        whole(None, "tool_calls", tool_calls=[{"id": "x", "function": {"name": "get", "arguments": "{}"}}])
    )
    assert in_one.tool_calls == [{"id": "x", "name": "get", "arguments": {}, "error": None}]


def test_an_object_that_meets_the_schema() -> None:
    got = given_by(whole('{"amount": 40}'), WITH_SCHEMA)
    assert got.object == {"amount": 40}
    assert got.observation()["output"]["object"] == {"amount": 40}
    null = given_by(whole("null"), GenerationRequest([], output_schema={"type": "null"}))
    assert null.observation()["output"]["object"] is None


@pytest.mark.parametrize(
    ("handler", "keyword", "words"),
    [
        (whole('{"amount": "40"}'), "type", r"\$\.amount"),
        (whole('{"amount": -1}'), "minimum", "at least 0"),
        (whole("{}"), "required", "amount"),
        (whole("Forty."), "json", "is not JSON"),
        (whole('```json\n{"amount": 1}\n```'), "json", "is not JSON"),
        (whole('{"amount": 1', "length"), "json", "cut off"),
        (whole('{"amount": NaN}'), "json", "NaN"),
        (whole(""), "json", "empty"),
        (
            whole(None, "tool_calls", tool_calls=[{"function": {"name": "f", "arguments": "{}"}}]),
            "json",
            "called a tool",
        ),
        (whole(None, refusal="I may not say."), "json", "is not JSON"),
    ],
)
def test_what_does_not_meet_the_schema_is_an_error_with_the_answer(handler: Handler, keyword: str, words: str) -> None:
    with pytest.raises(OutputSchemaViolation, match=words) as raised:
        given_by(handler, WITH_SCHEMA)
    error = raised.value
    assert [violation["keyword"] for violation in error.violations] == [keyword]
    assert error.as_dict()["violations"][0]["path"].startswith("$")
    assert error.generation.text == error.raw


def test_a_schema_that_cannot_be_used_is_refused_before_anything_is_sent() -> None:
    with serving(whole("x")) as stub:
        request = GenerationRequest([], output_schema={"type": "nonsense"})
        with pytest.raises(RequestFault, match="output schema"):
            generate(Provider("ollama", "m", stub.url()), request, door=local_door())
        assert stub.connections == 0


ERROR = {"error": {"message": "The model is overloaded", "type": "overloaded"}}


@pytest.mark.parametrize(
    ("handler", "kind", "words"),
    [
        (saying_json(ERROR, 500), HttpError, "status 500 .*: The model is overloaded"),
        (saying_json({"error": "model 'm' not found"}, 404), HttpError, "model 'm' not found"),
        (saying(401, "<html>"), HttpError, "status 401"),
        (saying_json(ERROR), ProviderFailure, "instead of an answer: The model is overloaded"),
        (streamed(event(ERROR)), ProviderFailure, "instead of an answer"),
        (streamed(delta(content="a"), event(ERROR)), ProviderFailure, "in the middle of its answer: The model"),
        (streamed(delta(content="a"), event({"x": 1}, "error")), ProviderFailure, "gave no reason"),
        (streamed(delta(content="a")), StreamEnded, "ended before the answer was complete"),
        (streamed(), StreamEnded, "ended before"),
        (
            saying_raw(EVENTS.replace(b"\r\n\r\n", b"\r\nContent-Length: 999\r\n\r\n"), delta(content="a")),
            StreamEnded,
            "broke off",
        ),
        (streamed(DONE), BadAnswer, "without a choice"),
        (saying_json({"choices": []}), BadAnswer, "without a choice"),
        (saying_json({}), BadAnswer, "without a choice"),
        (saying_json({"choices": [7]}), BadAnswer, "choices.0 is no object"),
        (saying_json({"choices": {}}), BadAnswer, "choices is no list"),
        (whole({"a": 1}), BadAnswer, "content is no text"),
        (saying(200, "<html>Log in</html>"), BadAnswer, "neither events nor a JSON object"),
        (saying(200, "[]"), BadAnswer, "neither events nor"),
        (saying(200, ""), BadAnswer, "neither events nor"),
        (saying(200, '{"choices": [}'), BadAnswer, "not JSON"),
        (saying(200, '{"a": NaN}'), BadAnswer, "NaN"),
        (saying(200, b'{"a": "\xff"}'), BadAnswer, "UTF-8"),
        (whole("\x00"), BadAnswer, "NUL"),
        (whole("\ud800"), BadAnswer, "surrogate"),
        (streamed(b"data: {not json}\n\n"), BadAnswer, "not JSON"),
        (streamed(b"data: \xff\n\n"), BadAnswer, "not UTF-8"),
        (streamed(event([])), BadAnswer, "the event is no object"),
        (saying(200, gzip.compress(b"x" * 1_000_000), [("Content-Encoding", "gzip")]), BadAnswer, "compressed"),
        (whole("x" * 100_001), TooLarge, "100,000 characters"),
        (streamed(*[delta(content="x" * 60_000)] * 2), TooLarge, "100,000 characters"),
        (saying_raw(EVENTS, b"data: " + b"x" * 20_000_000), TooLarge, "10,000,000"),
        (saying(200, '{"a": [' + "[]," * 600_000 + "1]}"), TooLarge, "500,000 values"),
        (resetting, Unreachable, "closed the connection"),
    ],
)
def test_a_bad_answer_has_a_name(handler: Handler, kind: type[OutboundError], words: str) -> None:
    with pytest.raises(kind, match=words):
        given_by(handler)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "message",
                    "content",
                    "tool_calls",
                    "function",
                    "index",
                    "usage",
                    "error",
                    "type",
                    "name",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=50)
@given(st.lists(JSON, max_size=3), st.sampled_from([chat_completions, anthropic_messages]))
def test_whatever_stands_in_an_answer_is_read_or_named(documents: list[Any], api: ModuleType) -> None:
    for read in (api.read_whole, lambda draft, document: api.read_event(draft, "message", document, 1.0)):
        draft = Draft("a:1")
        try:
            for document in documents:
                read(draft, document)
            got = draft.generation(streamed=True, connect_ms=0, total_ms=2)
        except OutboundError:
            continue
        assert document_faults(got.observation()) == []


def test_a_drip_ends_at_the_deadline_with_what_had_come() -> None:
    error = failure(streamed(*[delta(content="x")] * 40, pause=0.05), timeout_s=1)
    assert isinstance(error, TimedOut)
    assert error.stage == "total"
    assert '"content": "x"' in (error.raw or "")


def test_the_raw_answer_is_kept_short_storable_and_without_the_key() -> None:
    error = failure(saying(200, b"<html>sk-secret-key \x00\xff" + b"y" * 9_000))
    assert error.raw is not None
    assert error.raw.startswith("<html>••• \ufffd\ufffdyyy")
    assert len(error.raw) == 4_000
    assert len(error.excerpt or "") == 500
    shown = failure(saying_json({"error": {"message": "Wrong key sk-secret-key\x00"}}, 401))
    assert "sk-secret-key" not in json.dumps(shown.as_dict()) + shown.message
    middle = failure(streamed(event({"error": "bad sk-secret-key"})))
    assert "sk-secret-key" not in middle.message + (middle.raw or "")
    assert "sk-secret-key" not in repr(Provider("openai", "m", None, "sk-secret-key"))


def test_a_busy_provider_is_asked_again_and_a_broken_stream_is_not() -> None:
    busy = saying_json(ERROR, 503)
    with serving(saying_in_turn(busy, busy, whole("now"))) as stub:
        got = generate(Provider("ollama", "m", stub.url()), ASKED, door=local_door(clock=TestClock()))
        assert (got.text, got.attempts, stub.connections) == ("now", 3, 3)
    with serving(streamed(delta(content="a"))) as stub:
        with pytest.raises(StreamEnded):
            generate(Provider("ollama", "m", stub.url()), ASKED, door=local_door(clock=TestClock()))
        assert stub.connections == 1


def test_a_provider_stands_behind_the_same_door() -> None:
    with serving(whole("x")) as stub:
        with pytest.raises(Blocked):
            generate(Provider("ollama", "m", stub.url()), ASKED, door=Door(EgressPolicy.of([])))
        assert stub.connections == 0


@pytest.mark.parametrize(
    ("provider", "paths"),
    [
        (Provider("ollama", "m"), []),
        (Provider("openai_compatible", "m"), ["base_url"]),
        (Provider("openai_compatible", "m", "http://u@a/"), ["base_url"]),
        (Provider("openai_compatible", "m", "http://a/?b"), ["base_url"]),
        (Provider("ollama", "m", config={"timeout_s": 0}), ["config.timeout_s"]),
        (Provider("ollama", "m", config={"timeout_s": 601, "stream": 1}), ["config.timeout_s", "config.stream"]),
        (Provider("ollama", "m", config={"headers": {"Host": "x"}}), ["config.headers.Host"]),
        (Provider("ollama", "m", config={"headers": 1, "parameters": []}), ["config.headers", "config.parameters"]),
        (Provider("ollama", "m", config={"parameters": {"messages": [], "seed": 1}}), ["config.parameters.messages"]),
        (Provider("ollama", "m", config={"tiemout_s": 3}), ["config.tiemout_s"]),
        (Provider("ollama", "m", config=[]), ["config"]),  # type: ignore[arg-type]
        (
            Provider(
                "ollama",
                "m",
                config={"headers": {"X": "y"}, "parameters": {"seed": 1}, "timeout_s": 9, "stream": False},
            ),
            [],
        ),
    ],
)
def test_what_is_wrong_with_a_provider(provider: Provider, paths: list[str]) -> None:
    assert [fault.path for fault in provider.faults()] == paths
