"""The observation as a form: what it shows it means exactly, what it cannot show it refuses, and its buttons."""

from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from foundation import exact_json, strict_json
from foundation.errors import FieldError
from scoring.forms.observation_form.bound import bind_parts
from scoring.forms.observation_form.cells import Cell, Unshowable, same
from scoring.forms.observation_form.entries import MOST_ROWS, RowsEntry
from scoring.forms.observation_form.events import read_events
from scoring.forms.observation_form.examples import HELP_DESK, help_desk, starting_points
from scoring.forms.observation_form.form import (
    CannotShow,
    ObservationForm,
    act_on_rows,
    form_from_post,
    form_of,
)
from scoring.forms.observation_form.parts import PARTS, entries, parts_named, parts_read
from scoring.forms.widgets import Unreadable
from scoring.kit.paths import ABSENT
from scoring.kit.registry import registry


def posted(form: ObservationForm) -> dict[str, str]:
    """What a browser sends of a form: inputs hold one line, line ends are two characters."""
    post = {control: text for control, text in form.texts.items() if text}
    for name, rows in form.rows.items():
        post |= {f"{name}-{row}-{cell}": text for row, texts in enumerate(rows) for cell, text in texts.items()}
    post |= {f"{name}-empty": "true" for name in form.flags}
    single = {
        (f"{entry.id}-", cell.name) if isinstance(entry, RowsEntry) else (entry.id, "")
        for entry in entries()
        for cell in (entry.cells if isinstance(entry, RowsEntry) else [entry.cell])
        if cell.control != "textarea"
    }
    for control, text in post.items():
        if any(
            control.startswith(start) and control.endswith(end) and (end or control == start) for start, end in single
        ):
            assert "\n" not in text
    return {control: text.replace("\n", "\r\n") for control, text in post.items()}


# Documents of the shape that recorders write, some of them odd in every place.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
names = st.text("abcé_#1", min_size=1, max_size=4)
numbers = st.integers(-9, 10**15) | st.floats(allow_nan=False, allow_infinity=False, width=32)
json = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)


def objects(optional: dict[str, st.SearchStrategy[Any]], **required: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(required, optional=optional)


calls = st.lists(
    objects(
        {
            "arguments": st.dictionaries(names, json, max_size=2) | json,
            "verdict": st.sampled_from(["allow", "deny", "later", ""]),
            "result": json,
            "error": json,
            "id": names,
            "start_ms": numbers,
        },
        name=names,
    ),
    max_size=3,
)
changes = st.lists(
    objects(
        {"field": names, "value": json, "absent": st.just(True), "created": st.booleans(), "fields": st.just({"a": 1})},
        entity=names,
        id=names | st.just("*"),
    ),
    max_size=3,
)
chunks = st.dictionaries(names, numbers, max_size=3) | st.lists(names, max_size=3) | json
documents = objects(
    {
        "schema": st.just("observation/1"),
        "case_id": names,
        "sample": st.integers(0, 5),
        "outcome": st.just({"status": "completed"}),
        "input": json,
        "output": objects({"text": texts, "object": json, "finish_reason": texts}),
        "expected": objects(
            {
                "answer": texts | st.lists(texts, max_size=3) | json,
                "pattern": texts,
                "chunks": chunks,
                "tool": names,
                "tool_calls": calls,
                "state": objects(
                    {"read_before_write": st.booleans() | json, "max_calls": st.integers(0, 9)},
                    required=changes,
                    allowed=changes,
                ),
                "schema": json,
                "category": json,
            }
        ),
        "retrieval": objects({"query": texts, "chunks": st.lists(objects({"score": numbers, "text": texts}, id=names))})
        | json,
        "citations": objects({"ledger": st.lists(objects({"n": numbers, "chunk_id": names, "uri": texts}))}),
        "tool_calls": calls | json,
        "stream": objects(
            {
                "unit": st.just("ms"),
                "start": numbers,
                "end": numbers | json,
                "events": st.lists(objects({"kind": names | texts, "tokens": numbers}, t=numbers), max_size=4),
            }
        ),
        "state": objects({"before": json, "after": json, "ignore": st.lists(names, max_size=2)}),
        "usage": objects(
            {
                "input_tokens": numbers,
                "cost": objects({"amount": texts, "currency": names, "note": json}),
                "reasoning_output_tokens": numbers,
            }
        ),
        "trace": st.dictionaries(names, json, max_size=2),
    }
)


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(documents)
@example({"output": {"text": ""}})
@example({"expected": {"answer": ["a"]}})
@example({"expected": {"answer": "a\nb"}})
@example({"tool_calls": []})
@example({"expected": {"chunks": {"a": 1.0, "b": 1}}})
@example({"retrieval": None})
@example({"stream": {"events": []}})
@example({"tool_calls": [{"name": "a", "more": 1, "arguments": {}}]})
def test_what_the_form_shows_it_means_exactly(document: dict[str, Any]) -> None:
    document = strict_json.loads(exact_json.dumps(document))
    try:
        form = form_of(document)
    except CannotShow:
        return
    again = form_from_post(posted(form))
    assert same(again.read(), document)
    assert again.faults == {}
    # What it was shown as is what is shown again: nothing moves by looking at it.
    assert posted(form_of(again.read())) == posted(form)


@pytest.mark.parametrize(
    "point", starting_points(kind.type_name() or "" for kind in registry), ids=lambda point: point.id
)
def test_every_example_is_shown(point: Any) -> None:
    assert same(form_from_post(posted(form_of(point.document))).read(), point.document)


def test_the_help_desk_is_there() -> None:
    assert HELP_DESK.is_file()
    assert len(help_desk()) == 14


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"retrieval": None}, "retrieval"),
        ({"tool_calls": {"a": 1}}, "tool_calls"),
        ({"output": {"text": "a\rb"}}, "output.text"),
        ({"expected": {"chunks": {"a": "high"}}}, "expected.chunks"),
        ({"expected": {}}, "expected"),
        ({"expected": {"pattern": "a\nb"}}, "expected.pattern"),
        (
            {"expected": {"state": {"required": [{"entity": "e", "id": "1", "created": False}]}}},
            "expected.state.required",
        ),
        ({"stream": {"events": [{"t": 1, "kind": "two words"}]}}, "stream.events"),
        ({"retrieval": {"chunks": [{"id": str(number)} for number in range(MOST_ROWS + 1)]}}, "retrieval.chunks"),
    ],
)
def test_what_the_form_cannot_show_is_named(document: dict[str, Any], path: str) -> None:
    with pytest.raises(CannotShow) as refusal:
        form_of(document)
    assert refusal.value.paths == [path]
    assert path in str(refusal.value)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", "", ABSENT),
        ("text", " a ", " a "),
        ("number", " 2 ", 2),
        ("number", "0.5", 0.5),
        ("json", "null", None),
        ("json", " ", ABSENT),
        ("loose", "closed", "closed"),
        ("loose", "5", 5),
        ("loose", '"5"', "5"),
        ("loose", "null", None),
        ("loose", '""', ""),
        ("loose", "3 rows", "3 rows"),
        ("object", "{}", {}),
    ],
)
def test_a_text_means_a_value(kind: str, text: str, value: Any) -> None:
    cell = Cell("x", "X", kind)
    assert cell.read(text) == value
    assert type(cell.read(text)) is type(value)


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("number", "high", "Must be a number"),
        ("number", "true", "Must be a number"),
        ("object", "[1]", "Must be a JSON object"),
        ("json", "{", "not valid JSON"),
        ("loose", "{bad", "not valid JSON"),
        ("events", "10 text\nsoon text", "Line 2"),
        ("events", "10 text 3 4", "Line 1"),
        ("events", "10 text many", "Line 1"),
    ],
)
def test_a_text_that_means_nothing_says_why(kind: str, text: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        Cell("x", "X", kind).read(text)


@given(json)
def test_a_loose_cell_gives_back_every_value(value: Any) -> None:
    value = strict_json.loads(exact_json.dumps(value))
    cell = Cell("x", "X", "loose")
    try:
        text = cell.show(value)
    except Unshowable:
        assert isinstance(value, str)
        assert "\r" in value
    else:
        assert same(cell.read(text), value)


def test_events_are_lines() -> None:
    assert read_events("120 text 3\n\n150\n 200 - 2\n210 4\n220 reasoning") == [
        {"t": 120, "kind": "text", "tokens": 3},
        {"t": 150},
        {"t": 200, "tokens": 2},
        {"t": 210, "tokens": 4},
        {"t": 220, "kind": "reasoning"},
    ]


def test_blank_rows_are_left_out_and_grades_default_to_one() -> None:
    form = form_from_post(
        {
            "expected-chunks-0-id": "a",
            "expected-chunks-1-id": "",
            "expected-chunks-4-id": "b",
            "expected-chunks-4-grade": "2",
            "tool_calls-0-name": "",
        }
    )
    assert form.read() == {"expected": {"chunks": {"a": 1, "b": 2}}}
    assert len(form.rows["expected-chunks"]) == 3


def test_faults_stand_at_their_controls() -> None:
    post = {
        "expected-chunks-0-id": "a",
        "expected-chunks-0-grade": "1",
        "expected-chunks-1-id": "a",
        "tool_calls-0-name": "",
        "tool_calls-1-name": "x",
        "tool_calls-1-arguments": "[1]",
        "usage-input_tokens": "few",
        "more": '{"output": 1}',
    }
    form = form_from_post(post)
    assert form.read() == {}
    assert set(form.faults) == {"expected-chunks-1-id", "tool_calls-1-arguments", "usage-input_tokens", "more"}
    assert "field of its own" in form.faults["more"]


def test_faults_of_the_document_are_told_where_they_were_typed() -> None:
    form = form_from_post(
        {
            "output-text": "x",
            "tool_calls-0-name": "",
            "tool_calls-1-name": "a",
            "tool_calls-1-more": '{"id": "c1"}',
            "more": '{"sample": -1}',
            "expected-more": '{"category": 1}',
        }
    )
    form.read()
    paths = [
        "output.text",
        "tool_calls.0.arguments.id",
        "tool_calls.0.id",
        "tool_calls",
        "sample",
        "expected.category",
        "nope",
    ]
    left = form.tell([FieldError(path, "x", "Wrong.") for path in paths])
    assert form.faults == {
        "output-text": "Wrong.",
        "tool_calls-1-arguments": "id: Wrong.",
        "tool_calls-1-name": "id: Wrong.",
        "tool_calls": "Wrong.",
        "more": "sample: Wrong. nope: Wrong.",
        "expected-more": "category: Wrong.",
    }
    assert left == []
    assert [fault.path for fault in ObservationForm().tell([FieldError("nope", "x", "Wrong.")])] == ["nope"]


def test_rows_are_added_removed_and_moved() -> None:
    form = form_of({"expected": {"answer": ["a", "b", "c"]}})

    def answers() -> list[str]:
        return [row["text"] for row in form.rows["expected-answer"]]

    assert act_on_rows(form, "up", "expected-answer:2") == "expected-answer-1-up"
    assert answers() == ["a", "c", "b"]
    assert act_on_rows(form, "up", "expected-answer:1") == "expected-answer-0-down"
    assert answers() == ["c", "a", "b"]
    assert act_on_rows(form, "up", "expected-answer:0") == "expected-answer-0-up"
    assert act_on_rows(form, "down", "expected-answer:1") == "expected-answer-2-up"
    assert answers() == ["c", "b", "a"]
    assert act_on_rows(form, "remove", "expected-answer:2") == "expected-answer-1-remove"
    assert act_on_rows(form, "add", "expected-answer") == "expected-answer-2-text"
    assert answers() == ["c", "b", ""]
    for _ in range(3):
        act_on_rows(form, "remove", "expected-answer:0")
    assert answers() == []
    assert act_on_rows(form, "add", "output-text") == ""
    assert act_on_rows(form, "remove", "tool_calls:9") == ""
    assert act_on_rows(form, "remove", "tool_calls:x") == ""
    for _ in range(MOST_ROWS + 5):
        act_on_rows(form, "add", "tool_calls")
    assert len(form.rows["tool_calls"]) == MOST_ROWS


def test_every_scorer_says_which_parts_it_reads() -> None:
    known = {part.name for part in PARTS} | {"metadata"}
    for declared in registry:
        for words in declared.reads:
            assert parts_named([words]), (declared, words)
        assert parts_named(declared.reads) <= known
    assert parts_named(["tool_calls, where a criterion needs them"]) == {"calls"}
    assert parts_named(["retrieval.chunks", "expected.chunks"]) == {"retrieved", "expected-chunks"}


def test_the_target_decides_between_output_and_action() -> None:
    declared = registry.find("Contains")
    assert declared is not None

    def read(target: str) -> set[str]:
        return parts_read([declared.model_validate({"id": "x", "type": "Contains", "value": "a", "target": target})])

    assert [read("output"), read("action"), read("combined")] == [{"answer"}, {"action"}, {"answer", "action"}]


def test_only_what_is_read_filled_or_wrong_is_open() -> None:
    form = form_from_post({"usage-input_tokens": "few", "expected-tool": "x"})
    form.read()
    parts = bind_parts(form, {"citations", "answer"})
    assert [part.part.name for part in parts[:2]] == ["answer", "citations"]
    assert {part.part.name for part in parts if part.opened} == {"answer", "citations", "usage", "expected-tool"}
