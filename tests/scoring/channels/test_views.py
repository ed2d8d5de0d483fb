"""What each channel's view says of what was recorded."""

from typing import Any

import pytest

from scoring.channels.citations import cited_pieces
from scoring.channels.stream import MOST_MARKS
from tests.scoring.channels.sheets import channel, sheet


def call(name: str, **rest: Any) -> dict[str, Any]:
    return {"name": name, **rest}


def text_of(value: Any) -> str:
    return str(value.text or value.words)


# -- input


def test_messages_keep_their_roles_and_their_contents() -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "text", "text": "this"}]
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "tool", "content": parts, "name": "t"},
        {"role": "x"},
        "bare",
    ]
    view = channel("input", {"messages": messages}).view
    assert [(item.role, text_of(item.content)) for item in view.messages] == [
        ("user", "Hi"),
        ("tool", "see\nthis"),
        ("x", "not recorded"),
        ("", "bare"),
    ]
    assert text_of(view.messages[1].more) == '{"name": "t"}'


def test_an_input_that_is_no_conversation_is_shown_whole() -> None:
    assert text_of(channel("input", "Just a question").view.whole) == "Just a question"
    assert text_of(channel("input", {"question": 1}).view.whole) == '{"question": 1}'


# -- tool calls


def test_calls_say_what_came_of_them() -> None:
    calls = [
        call("a", id="c1", arguments={"n": 1}, result={"ok": True}, start_ms=5, end_ms=20.5),
        call("b", error={"message": "HTTP 404"}),
        call("c", verdict="deny"),
        call("d", verdict="held"),
        {"arguments": {}},
    ]
    view = channel("tool_calls", calls).view
    assert [item.state for item in view.calls] == ["succeeded", "failed", "stopped", "stopped", "malformed"]
    assert [item.verdict for item in view.calls[:4]] == ["let through", "let through", "denied", "held"]
    assert (view.dispatched, view.failed, view.stopped, view.malformed) == (2, 1, 2, 1)
    assert view.calls[0].duration == 15.5
    assert text_of(view.calls[0].result) == '{"ok": true}'
    assert view.calls[1].result is None
    assert "must be an object with a name" in view.calls[4].fault
    assert text_of(view.calls[1].arguments) == "not recorded"
    assert {item.fit for item in view.calls} == {""}


def test_calls_are_paired_with_the_expected_ones_by_arguments_and_then_by_name() -> None:
    wanted = [call("get", arguments={"id": 2}), call("get", arguments={"id": 1}), call("set"), call("end")]
    made = [
        call("get", arguments={"id": 1.0}),
        call("get", arguments={"id": 3}),
        call("x"),
        call("end", verdict="deny"),
    ]
    view = channel("tool_calls", made, expected={"tool_calls": wanted}).view
    assert [(item.fit, item.made) for item in view.expected] == [
        ("arguments", 2),
        ("matched", 1),
        ("missing", None),
        ("missing", None),
    ]
    assert view.expected[0].difference == "id is 3, expected 2"
    assert [(item.fit, item.expected) for item in view.calls] == [
        ("matched", 2),
        ("arguments", 1),
        ("unexpected", None),
        ("", None),
    ]
    assert view.missing == 2


def test_an_empty_list_of_expected_calls_means_call_nothing() -> None:
    view = channel("tool_calls", [call("a")], expected={"tool_calls": []}).view
    assert view.asked
    assert view.calls[0].fit == "unexpected"
    view = channel("tool_calls", [call("a")], expected={"tool_calls": "x"}).view
    assert not view.asked
    assert "must be a list" in view.truth


# -- retrieval


def test_chunks_have_a_rank_a_grade_and_a_standing() -> None:
    chunks = [{"id": "b", "score": 0.5}, {"id": "a", "text": "T"}, {"id": "a"}, {"id": "z"}, {"score": 1}]
    view = channel("retrieval", {"query": "q", "chunks": chunks}, expected={"chunks": {"a": 2, "c": 1, "z": 0}}).view
    assert [(item.rank, item.id, item.grade, item.standing) for item in view.chunks] == [
        (1, "b", None, "unjudged"),
        (2, "a", 2, "relevant"),
        (None, "a", 2, "repeat"),
        (3, "z", 0, "irrelevant"),
        (None, "", None, "malformed"),
    ]
    assert (view.distinct, view.repeats, view.found, view.relevant) == (3, 1, 1, 2)
    assert view.missing == (("c", 1),)
    assert text_of(view.query) == "q"
    assert text_of(view.chunks[1].more) == '{"text": "T"}'


def test_without_grades_nothing_is_called_relevant() -> None:
    view = channel("retrieval", {"chunks": [{"id": "a"}]}).view
    assert view.chunks[0].standing == "ungraded"
    assert "no expected.chunks" in view.ungraded


# -- citations

LEDGER = [
    {"n": 1, "chunk_id": "a", "uri": "javascript:alert(1)"},
    {"n": 2, "chunk_id": "b"},
    {"n": 2, "chunk_id": "c"},
    {},
]


def test_numbers_name_chunks_and_unknown_ones_come_first() -> None:
    output = {"text": "Yes [1][4], no [1, 2]."}
    view = channel("citations", {"ledger": LEDGER}, output=output, expected={"chunks": {"a": 1}}).view
    assert [(item.number, item.chunk, item.standing, item.times) for item in view.rows] == [
        (4, "", "unknown", 1),
        (1, "a", "relevant", 2),
        (2, "b", "unjudged", 1),
        (2, "c", "repeated", 1),
        (None, "", "malformed", 0),
    ]
    assert (view.cited, view.ledger, view.unknown) == (3, 4, 1)


def test_each_marker_of_the_output_is_a_piece_of_its_own() -> None:
    text = "Yes [1][4], no [1, 2], see [1](x)."
    view = channel("citations", {"ledger": LEDGER}, output={"text": text}).view
    pieces = cited_pieces(text, view)
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.number for piece in pieces if piece.number] == [1, 4, 1, 2]
    assert [piece.text for piece in cited_pieces(text, None)] == [text]


def test_a_marker_knows_the_page_its_row_is_on() -> None:
    ledger = [{"n": number, "chunk_id": "a"} for number in range(1, 121)]
    view = channel("citations", {"ledger": ledger}, output={"text": "[1] [120]"}).view
    assert [piece.start for piece in cited_pieces("[1] [120]", view) if piece.number] == [1, 101]


# -- stream


def test_events_stand_on_a_line_of_time() -> None:
    events = [{"t": 110, "kind": "reasoning"}, {"t": 150, "tokens": 2}, {"t": 200, "tokens": 3}, {"kind": "text"}]
    view = channel("stream", {"start": 100, "end": 300, "events": events}).view
    assert {lane.kind: (lane.count, lane.marks) for lane in view.lanes} == {"text": (2, 2), "reasoning": (1, 1)}
    assert [label.words for label in view.labels] == ["first token 50 ms", "last token 100 ms", "end 200 ms"]
    assert [(event.at, event.gap) for event in view.events] == [(10, 10), (50, 40), (100, 50), (None, None)]
    assert (view.duration, view.span, view.malformed, view.backwards, view.tokens) == (200, 200, 1, None, None)


def test_time_that_runs_backwards_is_told() -> None:
    assert channel("stream", {"events": [{"t": 5}, {"t": 4}]}).view.backwards == 2


@pytest.mark.parametrize("kinds", [1, 3, 40])
def test_very_many_events_make_no_more_than_two_thousand_marks(kinds: int) -> None:
    events = [{"t": number / 7, "kind": f"k{number % kinds}"} for number in range(50_000)]
    found = channel("stream", {"events": events})
    assert sum(lane.marks for lane in found.view.lanes) <= MOST_MARKS
    assert sum(lane.path.count("M") for lane in found.view.lanes) <= MOST_MARKS
    assert sum(lane.count for lane in found.view.lanes) == 50_000
    assert len(found.view.events) == 50


# -- state

BEFORE = {"t": {"1": {"s": "open", "o": None, "updated_at": 1}, "2": {"s": "open"}, "4": {"s": "old"}}}
AFTER = {"t": {"1": {"s": "done", "updated_at": 2}, "2": {"s": "shut"}, "3": {"s": "new"}}}
TASK = {
    "required": [
        {"entity": "t", "id": "1", "field": "s", "value": "done"},
        {"entity": "t", "id": "2", "field": "s", "value": "done"},
        {"entity": "t", "id": "2", "field": "o", "value": "ann"},
    ],
    "allowed": [
        {"entity": "t", "id": "1", "field": "s"},
        {"entity": "t", "id": "2", "field": "*"},
        {"entity": "t", "id": "3", "created": True},
    ],
}


def test_every_change_stands_beside_what_was_asked_for() -> None:
    view = channel("state", {"before": BEFORE, "after": AFTER}, expected={"state": TASK}).view
    assert [(item.row, item.field, item.kind, item.standing) for item in view.changes] == [
        ("t/1", "o", "removed", "unasked"),
        ("t/1", "s", "changed", "asked"),
        ("t/1", "updated_at", "changed", "ignored"),
        ("t/2", "o", "unchanged", "missing"),
        ("t/2", "s", "changed", "otherwise"),
        ("t/3", "", "created", "allowed"),
        ("t/3", "s", "added", "allowed"),
        ("t/4", "", "deleted", "unasked"),
    ]
    first, second = view.changes[0], view.changes[1]
    assert (text_of(first.before), first.after) == ("null", None)
    assert (text_of(second.before), text_of(second.after)) == ('"open"', '"done"')
    assert [item.wanted for item in view.changes if item.wanted] == ['"ann"', '"done"']
    assert view.counts == {"created": 1, "deleted": 1, "changed": 3}
    assert view.ignored_count == 1


def test_without_a_task_changes_have_no_standing() -> None:
    view = channel("state", {"before": BEFORE, "after": AFTER, "ignore": []}).view
    assert {item.standing for item in view.changes} == {""}
    assert "expected.state" in view.truth
    assert view.ignored_count == 0


# -- single facts


def test_usage_names_what_is_known_and_keeps_what_is_not() -> None:
    used = {"input_tokens": 1200, "cost": {"amount": "0.10", "currency": "USD"}, "gpu": [1], "output_tokens": None}
    view = channel("usage", used).view
    assert [(fact.name, text_of(fact.value), fact.own) for fact in view] == [
        ("Input tokens", "1,200", False),
        ("Cost", "0.10 USD", False),
        ("gpu", "[1]", True),
        ("Output tokens", "null", False),
    ]


def test_the_subject_is_who_was_observed_and_how_it_ended() -> None:
    document = {
        "subject": {"name": "agent", "model": "m"},
        "outcome": {"status": "awaiting_approval", "error": {"type": "t", "message": "why"}},
        "trace": {"trace_id": "0af", "span": 1},
        "case_id": "c-1",
    }
    assert [(fact.name, text_of(fact.value)) for fact in sheet(observation=document).subject] == [
        ("Ended", "awaiting approval"),
        ("Because", "t: why"),
        ("Case", "c-1"),
        ("Agent", "agent"),
        ("Model", "m"),
        ("Trace", "0af"),
        ("span", "1"),
    ]


def test_expected_is_shown_once() -> None:
    expected = {"answer": ["yes"], "tool_calls": [], "chunks": {"a": 1}, "own": 3}
    found = sheet(observation={"tool_calls": [], "expected": expected})
    assert [(fact.name, text_of(fact.value)) for fact in found.expected] == [
        ("Answer", "yes"),
        ("Chunks", '{"a": 1}'),
        ("own", "3"),
    ]
    assert [text_of(fact.value) for fact in sheet(output="x", expected="plain").expected] == ["plain"]
    assert sheet(output="x").expected == ()


def test_values_say_where_they_stand() -> None:
    inner = sheet(observation={"output": {"object": {"a": 1}}, "expected": {"answer": ["yes"]}})
    assert inner.object is not None
    assert (inner.object.part, inner.object.pointer) == ("observation", "/output/object")
    assert (inner.expected[0].value.part, inner.expected[0].value.pointer) == ("observation", "/expected/answer/0")
    outer = sheet(object={"a": 1}, expected={"answer": "yes"}, observation={"output": {}})
    assert outer.object is not None
    assert (outer.object.part, outer.object.pointer) == ("object", "")
    assert (outer.expected[0].value.part, outer.expected[0].value.pointer) == ("expected", "/answer")
