"""Values as text with their place, and which rows of a long list are shown."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.channels.recorded import ROWS, Window, json_pointer, value_at, value_of
from scoring.kit.paths import ABSENT
from tests.scoring.channels.sheets import channel, sheet

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a/~0 1", max_size=3), inner, max_size=3),
    max_leaves=8,
)


def places(document: Any, steps: tuple[str | int, ...] = ()) -> Any:
    yield steps, document
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for step, value in items:
        yield from places(value, (*steps, step))


@given(JSON)
def test_a_pointer_leads_back_to_its_value(document: Any) -> None:
    for steps, value in places(document):
        assert value_at(document, json_pointer(steps)) == value


@pytest.mark.parametrize("pointer", ["a", "/b", "/a/2", "/a/-1", "/a/x", "/a/0/0", "/a/²", "/a/" + "9" * 12])
def test_a_pointer_to_nothing_gives_nothing(pointer: str) -> None:
    assert value_at({"a": [1, 2]}, pointer) is ABSENT


@given(st.integers(-5, 400), st.integers(0, 300))
def test_the_rows_that_are_shown_exist(start: int, total: int) -> None:
    window = Window.starting(start, total)
    rows = list(window.of(range(1, total + 1)))
    assert len(rows) <= ROWS
    assert rows == list(range(window.first, window.last + 1)) if total else rows == []
    assert window.after == total - window.last
    for other in (window.earlier, window.later):
        assert other is None or 1 <= other <= total


def test_paging_forward_shows_every_row_once() -> None:
    seen: list[int] = []
    start: int | None = 1
    while start is not None:
        window = Window.starting(start, 131)
        seen += window.of(range(131))
        start = window.later
    assert seen == list(range(131))


def test_absent_empty_and_null_are_told_apart() -> None:
    assert value_of(ABSENT).words == "not recorded"
    assert value_of("").words == "empty text"
    assert value_of(None).text == "null"
    assert value_of("", as_json=True).text == '""'
    assert value_of([]).text == "[]"


@pytest.mark.parametrize("kind", ["input", "tool_calls", "retrieval", "citations", "stream", "state", "usage"])
def test_a_channel_that_is_null_says_so_and_one_that_is_absent_is_named(kind: str) -> None:
    assert "null" in channel(kind, None).fault
    found = sheet(observation={"output": {"text": "x"}})
    assert kind.replace("_", " ") in found.absent
    assert found.channels == ()


@pytest.mark.parametrize(
    ("kind", "recorded"),
    [
        ("tool_calls", {}),
        ("retrieval", []),
        ("retrieval", {}),
        ("retrieval", {"chunks": 3}),
        ("citations", "x"),
        ("citations", {}),
        ("citations", {"ledger": {}}),
        ("stream", 5),
        ("stream", {"events": "x"}),
        ("state", {}),
        ("state", {"before": {}}),
        ("state", {"before": {"t": 1}, "after": {}}),
        ("usage", [1]),
    ],
)
def test_a_malformed_channel_has_a_fault_and_is_shown_as_it_is(kind: str, recorded: Any) -> None:
    found = channel(kind, recorded)
    assert found.fault
    assert found.view is None
    assert found.raw is not None
    assert found.raw.pointer == f"/{kind}"


@given(JSON, st.sampled_from(["input", "tool_calls", "retrieval", "citations", "stream", "state", "usage"]))
def test_whatever_was_recorded_there_is_a_view_or_a_fault(recorded: Any, kind: str) -> None:
    for given_value in (recorded, {"chunks": recorded, "ledger": recorded, "events": recorded, "messages": recorded}):
        found = channel(kind, given_value, expected={"chunks": {"a": 1}, "tool_calls": [{"name": "a"}]})
        assert bool(found.fault) != (found.view is not None)


@given(st.lists(JSON, max_size=4))
def test_malformed_items_stand_in_the_list_and_break_nothing(items: list[Any]) -> None:
    assert channel("tool_calls", items).count == len(items)
    assert channel("retrieval", {"chunks": items}).count == len(items)
    assert channel("stream", {"events": items}).count == len(items)
    assert (channel("citations", {"ledger": items}).count or 0) >= len(items)
