"""The scorers of time, beyond the facts: limits, kinds of events, what is malformed."""

from typing import Any

import pytest

from foundation.errors import ValidationFailed
from scoring.kit.outcome import Outcome
from tests.scoring.cases import outcome, scorer


def timed(kind: str, times: list[Any], settings: dict[str, Any] | None = None, **stream: Any) -> Outcome:
    """The outcome for text events at these times, or for events as they are given."""
    events = [time if isinstance(time, dict) else {"t": time, "kind": "text"} for time in times]
    return outcome(kind, settings or {}, observation={"stream": {"events": events, **stream}})


@pytest.mark.parametrize(
    ("value", "score"),
    [(99.999, 1), (100, 1), (100.0000001, 1 - 1e-9), (125, 0.75), (150, 0.5), (199.999999, 1e-8), (200, 0), (201, 0)],
)
def test_a_line_from_the_limit_down_to_zero(value: float, score: float) -> None:
    found = timed("TTFT", [value], {"maxMs": 100, "zeroAtMs": 200})
    assert found.score == pytest.approx(score, abs=1e-9)
    assert (found.value, found.unit) == (value, "ms")


@pytest.mark.parametrize(("value", "score"), [(100, 1), (100.0000001, 0), (0, 1)])
def test_without_a_zero_the_score_falls_at_once(value: float, score: float) -> None:
    assert timed("TTFT", [value], {"maxMs": 100}).score == score


@pytest.mark.parametrize("kind", ["TTFT", "TTLT", "ITL", "TPOT", "Latency"])
def test_a_zero_must_lie_beyond_a_limit(kind: str) -> None:
    for wrong, path in (
        ({"zeroAtMs": 5}, "maxMs"),
        ({"maxMs": 5, "zeroAtMs": 5}, "zeroAtMs"),
        ({"maxMs": 5, "zeroAtMs": 4}, "zeroAtMs"),
    ):
        with pytest.raises(ValidationFailed) as caught:
            scorer(kind, **wrong)
        assert [fault.path for fault in caught.value.fields] == [f"scorers.0.{path}"]


def test_which_events_count_is_a_setting() -> None:
    events = [
        {"t": 5, "kind": "reasoning"},
        {"t": 20, "kind": "text"},
        {"t": 40, "kind": "tool_call"},
        {"t": 70, "kind": "text"},
    ]
    assert timed("TTFT", events).value == 20
    assert timed("TTFT", events, {"kinds": ["text", "reasoning"]}).value == 5
    assert timed("TTLT", events, {"kinds": ["tool_call"]}).value == 40
    assert timed("ITL", events).value == 50
    assert timed("ITL", events, {"kinds": ["text", "reasoning", "tool_call"], "statistic": "max"}).value == 30
    assert timed("TTFT", events[:1]).error_code == "missing_input"


@pytest.mark.parametrize(("statistic", "value"), [("mean", 30), ("median", 10), ("max", 70)])
def test_the_statistic_of_the_gaps(statistic: str, value: float) -> None:
    assert timed("ITL", [10, 20, 30, 100], {"statistic": statistic}).value == value


@pytest.mark.parametrize(
    "times", [[-1], [10, 9.999], [10, 5, 20], [{"t": 3, "kind": "reasoning"}, {"t": 2, "kind": "text"}]]
)
@pytest.mark.parametrize("kind", ["TTFT", "TTLT", "ITL"])
def test_time_that_runs_backwards(kind: str, times: list[Any]) -> None:
    assert timed(kind, times).error_code == "bad_input"


def test_a_time_before_the_request() -> None:
    assert timed("TTFT", [99], start=100).error_code == "bad_input"
    assert timed("TTFT", [100], start=100).value == 0


@pytest.mark.parametrize("event", [None, 5, [], {}, {"t": None}, {"t": "10"}, {"t": True}, {"t": []}])
def test_an_event_without_a_time(event: Any) -> None:
    assert timed("TTFT", [10, event] if isinstance(event, dict) else [10, {"t": event}]).error_code == "bad_input"


@pytest.mark.parametrize(
    "stream",
    [
        None,
        [],
        "x",
        5,
        {"events": None},
        {"events": {}},
        {"events": [10]},
        {"events": [], "unit": "s"},
        {"events": [], "start": "0"},
    ],
)
def test_a_malformed_stream(stream: Any) -> None:
    assert outcome("TTFT", {}, observation={"stream": stream}).error_code == "bad_input"


def test_a_stream_without_events() -> None:
    assert outcome("TTFT", {}, observation={"stream": {"start": 0}}).error_code == "missing_input"


@pytest.mark.parametrize(
    ("usage", "value", "error"),
    [
        ({"output_tokens": 10}, 10, None),
        ({"output_tokens": 10.0}, 10, None),
        ({"output_tokens": 2}, 90, None),
        ({"output_tokens": 1}, None, "undefined"),
        ({"output_tokens": 0}, None, "undefined"),
        ({"output_tokens": None}, None, "bad_input"),
        ({"output_tokens": -2}, None, "bad_input"),
        ({"output_tokens": 2.5}, None, "bad_input"),
        ({"output_tokens": "10"}, None, "bad_input"),
        ([], None, "bad_input"),
        (None, None, "bad_input"),
        ({}, 10, None),
    ],
)
def test_time_per_token_counts_tokens_and_not_events(usage: Any, value: float | None, error: str | None) -> None:
    events = [
        {"t": 120, "kind": "text", "tokens": 3},
        {"t": 150, "kind": "text", "tokens": 4},
        {"t": 210, "kind": "text", "tokens": 3},
    ]
    found = outcome("TPOT", {}, observation={"stream": {"events": events}, "usage": usage})
    assert (found.value, found.error_code) == (value, error)


def test_tokens_that_nobody_or_somebody_badly_counted() -> None:
    assert timed("TPOT", [10, 20]).error_code == "missing_input"
    assert (
        timed("TPOT", [{"t": 10, "kind": "text", "tokens": 2}, {"t": 20, "kind": "text"}]).error_code == "missing_input"
    )
    assert (
        timed("TPOT", [{"t": 10, "kind": "text", "tokens": "2"}, {"t": 20, "kind": "text", "tokens": 1}]).error_code
        == "bad_input"
    )
    assert timed("TTFT", [{"t": 10, "kind": "text", "tokens": "2"}]).value == 10


@pytest.mark.parametrize(
    ("stream", "value", "error"),
    [
        ({"start": 5, "end": 215}, 210, None),
        ({"start": 5, "end": 5}, 0, None),
        ({"start": 5, "end": 4}, None, "bad_input"),
        ({"start": 5, "end": None}, None, "bad_input"),
        ({"start": 5}, None, "missing_input"),
        ({"end": 5}, None, "missing_input"),
    ],
)
def test_latency(stream: dict[str, Any], value: float | None, error: str | None) -> None:
    found = outcome("Latency", {}, observation={"stream": stream})
    assert (found.value, found.error_code) == (value, error)


def test_the_sentences() -> None:
    assert timed("TTFT", [120.5]).explanation == "First token after 120.5 ms."
    assert timed("TTFT", [120], {"maxMs": 200}).explanation == "First token after 120 ms, within the limit of 200 ms."
    assert (
        timed("TTLT", [120], {"maxMs": 100, "zeroAtMs": 140}).explanation
        == "Last token after 120 ms, over the limit of 100 ms (0 from 140 ms)."
    )
    assert (
        timed("TTFT", [100.00001], {"maxMs": 100}).explanation
        == "First token after 100 ms, just over the limit of 100 ms."
    )
    assert timed("TTLT", [1234567.9]).explanation == "Last token after 1234568 ms."
