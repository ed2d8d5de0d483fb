"""Single facts of an observation: who was observed, how it ended, what it used, what was expected."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.channels.recorded import Recorded, Value, name_of, value_of
from scoring.kit.numbers import whole_number
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT

# Parts of the ground truth that the view of a channel shows, where that channel was recorded.
_SHOWN_BY = {"chunks": "retrieval", "tool_calls": "tool_calls", "state": "state"}
_USAGE = {
    "input_tokens": "Input tokens",
    "output_tokens": "Output tokens",
    "reasoning_output_tokens": "Reasoning tokens",
    "cache_read_input_tokens": "Input tokens read from a cache",
    "cost": "Cost",
}
_EXPECTED = {
    "answer": "Answer",
    "pattern": "Pattern",
    "schema": "Schema",
    "object": "Object",
    "tool": "Tool",
    "tool_calls": "Tool calls",
    "chunks": "Chunks",
    "state": "State",
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact: its name in words (`own` when that is the caller's), and its value."""

    name: str
    value: Value
    own: bool = False


def usage_of(recorded: Recorded) -> tuple[Fact, ...]:
    """What was used. Raises Unmeasurable when the channel is null or no object."""
    channel = recorded.observation.channel("usage")
    if not isinstance(channel, dict):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "usage must be an object.")
    return tuple(
        Fact(_USAGE.get(name, name_of(name)), _used(name, value), own=name not in _USAGE)
        for name, value in channel.items()
    )


def _used(name: str, value: Any) -> Value:
    if name == "cost" and isinstance(value, dict) and set(value) <= {"amount", "currency"} and "amount" in value:
        return Value(f"{name_of(value['amount'])} {name_of(value.get('currency', ''))}".strip())
    count = whole_number(value)
    return value_of(value, ("observation", "usage", name)) if count is None else Value(f"{count:,}")


def subject_of(recorded: Recorded) -> tuple[Fact, ...]:
    """Who was observed, on which case, how it ended; only what was recorded."""
    document = recorded.document
    subject, outcome, trace = (_object(document, name) for name in ("subject", "outcome", "trace"))
    failure = outcome.get("error")
    known: list[tuple[str, Any, tuple[str, ...]]] = [
        ("Ended", str(outcome.get("status", "")).replace("_", " ") or ABSENT, ("outcome", "status")),
        ("Because", failure if failure is not None else ABSENT, ("outcome", "error")),
        ("Finish reason", _object(document, "output").get("finish_reason", ABSENT), ("output", "finish_reason")),
        ("Case", document.get("case_id", ABSENT), ("case_id",)),
        ("Sample", document.get("sample", ABSENT), ("sample",)),
        ("Agent", subject.get("name", ABSENT), ("subject", "name")),
        ("Version", subject.get("version", ABSENT), ("subject", "version")),
        ("Model", subject.get("model", ABSENT), ("subject", "model")),
        ("Trace", trace.get("trace_id", ABSENT), ("trace", "trace_id")),
        *((name_of(name), value, ("trace", name)) for name, value in trace.items() if name != "trace_id"),
    ]
    return tuple(
        Fact(name, value_of(_failure(value), ("observation", *steps)))
        for name, value, steps in known
        if value is not ABSENT
    )


def _failure(value: Any) -> Any:
    """`type: message` of an error that is nothing more."""
    if isinstance(value, dict) and value and set(value) <= {"type", "message"}:
        return ": ".join(str(part) for part in (value.get("type"), value.get("message")) if part)
    return value


def _object(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name)
    return value if isinstance(value, dict) else {}


def object_of(recorded: Recorded) -> Value | None:
    """The structured answer, or None when none was recorded."""
    given = recorded.observation.object
    place = ("object",) if "object" in recorded.inputs else ("observation", "output", "object")
    return None if given is ABSENT else value_of(given, place, as_json=True)


def expected_of(recorded: Recorded) -> tuple[Fact, ...]:
    """The ground truth that no channel's view shows; empty when there is none."""
    expected = recorded.observation.expected
    if expected is ABSENT:
        return ()
    if not isinstance(expected, dict):
        return (Fact("Answer", value_of(expected, recorded.expected_place())),)
    channels = recorded.observation.channels
    return tuple(
        Fact(_EXPECTED.get(name, name_of(name)), _truth(recorded, name, value), own=name not in _EXPECTED)
        for name, value in expected.items()
        if channels.get(_SHOWN_BY.get(name, ""), None) is None
    )


def _truth(recorded: Recorded, name: str, value: Any) -> Value:
    several = name == "answer" and isinstance(value, list) and all(isinstance(answer, str) for answer in value)
    one = value[0] if several and len(value) == 1 else value
    return value_of(one, recorded.expected_place(name, 0) if one is not value else recorded.expected_place(name))
