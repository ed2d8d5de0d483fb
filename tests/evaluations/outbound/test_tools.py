"""Tools: what may be saved, what is sent, and what comes of bad answers."""

import json
from decimal import Decimal
from typing import Any

import pytest

from evaluations.outbound.errors import Blocked, HttpError, RequestFault, TimedOut, TooLarge, Unreachable
from evaluations.outbound.retries import NO_RETRIES
from evaluations.outbound.tools import ToolDefinition, call_tool
from foundation.errors import ValidationFailed
from tests.evaluations.outbound.stubs import (
    TestClock,
    local_door,
    resetting,
    saying,
    saying_in_turn,
    saying_json,
    saying_raw,
    serving,
)


def faults(execute: Any, presets: Any = None) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as raised:
        ToolDefinition.of(execute, presets)
    return {fault.path: fault.code for fault in raised.value.fields}


@pytest.mark.parametrize(
    ("execute", "path"),
    [
        (None, "execute"),
        ([], "execute"),
        ({}, "execute.url"),
        ({"url": 7}, "execute.url"),
        ({"url": "ftp://a/"}, "execute.url"),
        ({"url": "http://{host}/"}, "execute.url"),
        ({"url": "http://a:{port}/"}, "execute.url"),
        ({"url": "http://u:p@a/"}, "execute.url"),
        ({"url": "http://a/", "method": "TRACE"}, "execute.method"),
        ({"url": "http://a/", "method": 1}, "execute.method"),
        ({"url": "http://a/", "headers": []}, "execute.headers"),
        ({"url": "http://a/", "headers": {"Host": "b"}}, "execute.headers.Host"),
        ({"url": "http://a/", "headers": {"X": "a\r\nb: c"}}, "execute.headers.X"),
        ({"url": "http://a/", "headers": {"X": 1}}, "execute.headers.X"),
        ({"url": "http://a/", "timeout_s": 0}, "execute.timeout_s"),
        ({"url": "http://a/", "timeout_s": True}, "execute.timeout_s"),
        ({"url": "http://a/", "timeout_s": "9"}, "execute.timeout_s"),
        ({"url": "http://a/", "timeout_s": 301}, "execute.timeout_s"),
        ({"url": "http://a/", "timeout_s": float("nan")}, "execute.timeout_s"),
        ({"url": "http://a/", "timout_s": 1}, "execute.timout_s"),
    ],
)
def test_a_definition_is_refused_at_its_field(execute: Any, path: str) -> None:
    assert list(faults(execute)) == [path]


def test_all_faults_are_named_at_once() -> None:
    assert set(faults({"url": "", "method": "X", "a": 1}, [])) == {
        "execute.url",
        "execute.method",
        "execute.a",
        "preset_parameters",
    }


def test_a_definition_has_defaults() -> None:
    definition = ToolDefinition.of({"url": "http://a/{id}", "method": None, "headers": None})
    assert definition == ToolDefinition("http://a/{id}", "POST", {}, 30.0, {})
    assert ToolDefinition.of({"url": "http://a/", "method": "get", "timeout_s": 2}).method == "GET"


def test_a_post_sends_the_input_over_the_presets() -> None:
    with serving(saying_json({"score": 1})) as stub:
        definition = ToolDefinition(stub.url("/{kind}/x?n={n}"), preset_parameters={"kind": "a/ü?", "n": 1, "b": 2})
        got = call_tool(
            local_door(), definition, {"n": 3, "exact": Decimal("0.10000000000000000001")}, idempotency_key="k"
        )
        received = stub.last
    assert got.body == {"score": 1}
    assert (got.status, got.attempts) == (200, 1)
    assert received.target == "/a%2F%C3%BC%3F/x?n=3"
    assert received.body == '{"kind":"a/ü?","n":3,"b":2,"exact":0.10000000000000000001}'.encode()
    assert received.headers["content-type"] == "application/json"
    assert received.headers["idempotency-key"] == "k"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_get_sends_what_its_url_names(method: str) -> None:
    with serving(saying(200, "ok")) as stub:
        call_tool(local_door(), ToolDefinition(stub.url("/?a={a}&b={b}"), method), {"a": True, "b": "x&y", "c": 1})
        assert (stub.last.method, stub.last.target, stub.last.body) == (method, "/?a=true&b=x%26y", b"")


@pytest.mark.parametrize(
    ("said", "body"),
    [
        ('{"a": [1]}', {"a": [1]}),
        ("[]", []),
        ("7", 7),
        ("null", None),
        ("", None),
        ("plain text", "plain text"),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a":1,"a":2}', '{"a":1,"a":2}'),
        (b"\xff\x00", "\ufffd\ufffd"),
        ('"\\ud800"', '"\\ud800"'),
    ],
)
def test_a_body_is_json_or_text(said: str | bytes, body: Any) -> None:
    with serving(saying(200, said)) as stub:
        assert call_tool(local_door(), ToolDefinition(stub.url()), {}).body == body


def test_a_body_of_too_many_values_is_not_read() -> None:
    with serving(saying(200, "[" + "[]," * 600_000 + "1]")) as stub, pytest.raises(TooLarge, match="500,000 values"):
        call_tool(local_door(), ToolDefinition(stub.url()), {})


@pytest.mark.parametrize("value", [None, [], {}])
def test_a_parameter_of_the_url_must_be_plain(value: Any) -> None:
    with pytest.raises(RequestFault) as raised:
        call_tool(local_door(), ToolDefinition("http://127.0.0.1:1/{id}"), {"id": value})
    assert raised.value.field == "id"


def test_a_missing_parameter_is_named() -> None:
    with pytest.raises(RequestFault, match="needs id"):
        call_tool(local_door(), ToolDefinition("http://127.0.0.1:1/{id}"), {})


@pytest.mark.parametrize("value", [".", ".."])
def test_a_parameter_stays_in_its_place(value: str) -> None:
    with pytest.raises(RequestFault, match="in the path"):
        call_tool(local_door(), ToolDefinition("http://127.0.0.1:1/a/{id}/b"), {"id": value})


def test_secrets_fill_headers_and_are_cut_out_of_what_comes_back() -> None:
    headers = {"authorization": "Bearer {{secret:KEY}}", "X-Two": "{{ secret:A }}-{{secret:KEY}}"}
    secrets = {"KEY": "s3cr3t-value", "A": "b", "UNUSED": "other-secret"}
    with serving(saying_json({"echo": "s3cr3t-value b other-secret"})) as stub:
        definition = ToolDefinition(stub.url(), headers=headers)
        assert definition.secret_names == {"KEY", "A"}
        got = call_tool(local_door(), definition, {}, secrets=secrets)
        assert stub.last.headers["authorization"] == "Bearer s3cr3t-value"
        assert stub.last.headers["x-two"] == "b-s3cr3t-value"
    assert got.body == {"echo": "••• b other-secret"}
    with serving(saying(403, "no entry for s3cr3t-value")) as stub, pytest.raises(HttpError) as raised:
        call_tool(local_door(), ToolDefinition(stub.url(), headers=headers), {}, secrets=secrets)
    assert "s3cr3t-value" not in json.dumps(raised.value.as_dict()) + str(raised.value.body)


def test_a_missing_secret_is_named_and_nothing_is_sent() -> None:
    with serving(saying(200)) as stub:
        with pytest.raises(RequestFault, match="no secret KEY"):
            call_tool(local_door(), ToolDefinition(stub.url(), headers={"X": "{{secret:KEY}}"}), {})
        assert stub.connections == 0


def test_a_secret_with_a_line_break_is_not_sent() -> None:
    with serving(saying(200)) as stub:
        definition = ToolDefinition(stub.url(), headers={"X": "{{secret:KEY}}"})
        with pytest.raises(RequestFault, match="line breaks"):
            call_tool(local_door(), definition, {}, secrets={"KEY": "a\r\nHost: b"})
        assert stub.connections == 0


@pytest.mark.parametrize("status", [301, 400, 404, 422, 500])
def test_other_statuses_are_errors_with_the_body_and_no_second_call(status: int) -> None:
    with serving(saying(status, '{"why": "x"}')) as stub:
        with pytest.raises(HttpError, match=f"status {status}") as raised:
            call_tool(local_door(clock=TestClock()), ToolDefinition(stub.url()), {})
        assert stub.connections == 1
    assert (raised.value.status, raised.value.body) == (status, {"why": "x"})


def test_busy_servers_are_asked_again_when_they_say() -> None:
    busy = saying(429, headers=[("Retry-After", "5")])
    clock = TestClock()
    with serving(saying_in_turn(busy, resetting, saying(200, "7"))) as stub:
        got = call_tool(local_door(clock=clock), ToolDefinition(stub.url()), {}, idempotency_key="once")
        assert {received.headers["idempotency-key"] for received in stub.requests} == {"once"}
        assert stub.connections == 3
    assert (got.body, got.attempts) == (7, 3)
    assert clock.waits[0] == 5
    assert 0.5 <= clock.waits[1] <= 1


def test_three_calls_are_all() -> None:
    with serving(saying(503, "x")) as stub:
        with pytest.raises(HttpError) as raised:
            call_tool(local_door(clock=TestClock()), ToolDefinition(stub.url()), {})
        assert (stub.connections, raised.value.attempts) == (3, 3)


def test_no_answer_in_time_is_an_error_and_not_asked_again() -> None:
    with serving(saying_raw(b"HTTP/1.1 200 OK\r\n", b"\r\n", pause=1.3)) as stub:
        with pytest.raises(TimedOut):
            call_tool(local_door(), ToolDefinition(stub.url(), timeout_s=1), {})
        assert stub.connections == 1


def test_nobody_there() -> None:
    with serving(saying(200)) as stub:
        url = stub.url()
    with pytest.raises(Unreachable):
        call_tool(local_door(), ToolDefinition(url), {}, retries=NO_RETRIES)
    with pytest.raises(Blocked):
        call_tool(local_door(), ToolDefinition("http://10.0.0.1/"), {})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), "\ud800"])
def test_input_that_is_no_json_is_not_sent(value: Any) -> None:
    with pytest.raises(RequestFault, match="JSON"):
        call_tool(local_door(), ToolDefinition("http://127.0.0.1:1/"), {"a": value})
