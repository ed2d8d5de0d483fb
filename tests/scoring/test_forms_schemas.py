"""A JSON Schema as rows, and the buttons of a field with rows: nothing is lost between rows, JSON and examples."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.forms.cards import card_of, within_room
from scoring.forms.field_acts import act_on_field, read_examples
from scoring.forms.profile_form import draft_of
from scoring.forms.tables import MOST_ROWS, Table, table_of
from scoring.forms.widgets import Unreadable
from scoring.kit.json_values import json_equal
from tests.scoring.widget_forms import (
    SCHEMA,
    added,
    drafted,
    faults_of,
    names,
    posted,
    values,
)

# Schemas


# Line ends of every kind, but nothing that is refused wherever it comes in.
notes = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6)
properties = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["string", "number", "integer", "boolean", "object", "array", ["string", "null"], "odd"]
        ),
        "enum": st.lists(names | st.integers(-5, 5) | st.none() | st.booleans(), max_size=3),
        "description": notes,
        "items": st.sampled_from([{"type": "string"}, {"type": "object"}, True]),
        "minLength": st.integers(0, 3),
    },
)
schemas = st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(names, properties | st.booleans() | values, max_size=4)},
    optional={
        "required": st.lists(names, max_size=3),
        "additionalProperties": st.booleans() | properties,
        "title": names,
        "description": notes,
    },
)


@given(schemas | values.filter(lambda value: isinstance(value, dict)))
def test_a_schema_comes_back_exactly(schema: dict[str, Any]) -> None:
    text = SCHEMA.show(schema)
    if "\r" not in text:
        assert json_equal(SCHEMA.read(text), schema)
    assert card_of(0, {"id": "x", "type": "OutputSchema", "schema": schema}).document()[0]["schema"] == schema


def test_the_table_says_what_it_can_and_leaves_a_property_or_the_rest_as_json() -> None:
    schema = {
        "type": "object",
        "properties": {
            "state": {"type": "string", "enum": ["open", "done"], "description": "How far"},
            "total": {"type": ["number", "null"], "enum": [1, 2.5, None]},
            "lines": {"type": "array", "items": {"type": "object"}},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["total", "state"],
        "additionalProperties": False,
        "title": "Case",
    }
    table = table_of(SCHEMA.show(schema))
    assert table is not None
    cells = [(row["name"], row["type"], row["required"], row["null"]) for row in table.rows]
    assert cells == [
        ("total", "number", "true", "true"),
        ("state", "string", "true", ""),
        ("lines", "other", "", ""),
        ("tags", "strings", "", ""),
    ]
    assert table.rows[0]["values"] == "1\n2.5"
    assert (table.rows[1]["values"], table.rows[1]["description"]) == ("open\ndone", "How far")
    assert (table.beside["closed"], table.beside["rest"]) == ("true", '{\n  "title": "Case"\n}')


@pytest.mark.parametrize("schema", [True, {}, {"type": "array"}, {"type": "object"}, {"$ref": "#/a"}])
def test_what_is_no_table_is_json(schema: Any) -> None:
    text = SCHEMA.show(schema)
    assert table_of(text) is None
    assert json_equal(SCHEMA.read(text), schema)


def row(name: str, **cells: str) -> dict[str, str]:
    blank = SCHEMA.widget.blank
    assert blank is not None
    return {**blank(SCHEMA), "name": name, **cells}


@pytest.mark.parametrize(
    ("rows", "beside", "part", "message"),
    [
        ([row("", description="x")], {}, "0-name", "Give the property a name"),
        ([row("a"), row("a")], {}, "1-name", "This property stands above already."),
        ([row("a", type="other", definition="{")], {}, "0-definition", "This is not valid JSON"),
        ([row("a", type="other", definition="3")], {}, "0-definition", "A schema is an object"),
        ([row("a", type="odd")], {}, "0-type", "There is no such type."),
        ([row("a", type="integer", values="1\nmany")], {}, "0-values", "“many” is no number."),
        ([row("a", type="array", values="1")], {}, "0-values", "Only texts and numbers"),
        ([row("a")], {"rest": "[]"}, "rest", "This must be an object"),
        ([row("a")], {"rest": '{"required": []}'}, "rest", "required is what the table above says."),
        ([row("a")], {"rest": '{"$ref": "#/x"}'}, "rest", ""),
        ([row("a"), row("a.b", type="other", definition='{"type": "text"}')], {}, "1-definition", ""),
    ],
)
def test_what_is_wrong_with_a_schema_is_said_at_its_row(
    rows: list[dict[str, str]], beside: dict[str, str], part: str, message: str
) -> None:
    faults = faults_of(drafted(added("OutputSchema", schema=Table(tuple(rows), beside).text)))
    assert list(faults) == [f"scorers-0-schema-{part}"]
    assert faults[f"scorers-0-schema-{part}"].startswith(message)


def test_nothing_typed_into_the_table_is_no_schema() -> None:
    assert SCHEMA.read(Table((row(""),)).text) is None
    assert SCHEMA.read("") is None
    assert SCHEMA.read(Table((), {"closed": "true"}).text) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


# Buttons of a field


def test_rows_are_added_and_removed() -> None:
    draft = drafted(added("ToolTrajectory"))
    assert act_on_field(draft, "add-row", "0-toolArguments") == "scorers-0-toolArguments-0-key"
    assert act_on_field(draft, "add-row", "0-toolArguments") == "scorers-0-toolArguments-1-key"
    table = table_of(draft.cards[0].values["toolArguments"])
    assert table is not None
    assert table.rows == ({"key": "", "value": "exact"},) * 2
    assert act_on_field(draft, "remove-row", "0-toolArguments-0") == "scorers-0-toolArguments-0-remove-row"
    assert act_on_field(draft, "remove-row", "0-toolArguments-0") == "scorers-0-toolArguments-add-row"
    assert draft.cards[0].values["toolArguments"] == ""


def test_rows_become_json_and_json_rows() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    draft = drafted(card_of(0, {"id": "x", "type": "OutputSchema", "schema": schema}))
    rows = draft.cards[0].values["schema"]
    assert act_on_field(draft, "to-json", "0-schema") == "scorers-0-schema"
    assert SCHEMA.read(draft.cards[0].values["schema"]) == schema
    assert table_of(draft.cards[0].values["schema"]) is None
    act_on_field(draft, "to-table", "0-schema")
    assert draft.cards[0].values["schema"] == rows


@pytest.mark.parametrize(
    ("typed", "message"), [("{", "not valid JSON"), ('{"type": "array"}', "Rows cannot say this exactly")]
)
def test_json_that_rows_cannot_say_stays_json_and_says_so(typed: str, message: str) -> None:
    draft = drafted(added("OutputSchema", schema=typed))
    act_on_field(draft, "to-table", "0-schema")
    assert draft.cards[0].values["schema"] == typed
    assert message in draft.cards[0].said["schema"]


def test_rows_with_a_fault_do_not_become_json() -> None:
    text = Table((row("a"), row("a"))).text
    draft = drafted(added("OutputSchema", schema=text))
    act_on_field(draft, "to-json", "0-schema")
    assert draft.cards[0].values["schema"] == text
    assert "Mend the rows first" in draft.cards[0].said["schema"]


def test_an_empty_field_is_edited_as_json_and_back_without_becoming_a_schema() -> None:
    draft = drafted(added("OutputSchema"))
    act_on_field(draft, "to-json", "0-schema")
    assert table_of(draft.cards[0].values["schema"]) is None
    assert SCHEMA.read(draft.cards[0].values["schema"]) is None
    act_on_field(draft, "to-table", "0-schema")
    assert draft.cards[0].values["schema"] == ""


def test_an_example_becomes_a_schema_and_the_one_before_comes_back() -> None:
    draft = drafted(added("OutputSchema", schema='{"type": "array"}'))
    draft.cards[0].values["schema-example"] = '{"id": "a", "n": 1}\n{"id": "b"}'
    draft.cards[0].values["schema-narrow"] = "true"
    assert act_on_field(draft, "infer", "0-schema") == "scorers-0-schema-restore"
    assert SCHEMA.read(draft.cards[0].values["schema"]) == {
        "type": "object",
        "properties": {"id": {"type": "string"}, "n": {"type": "integer"}},
        "required": ["id"],
        "additionalProperties": False,
    }
    act_on_field(draft, "restore", "0-schema")
    assert draft.cards[0].values["schema"] == '{"type": "array"}'
    assert draft.cards[0].values["schema-previous"] == ""


def test_going_back_to_no_schema_is_possible() -> None:
    draft = drafted(added("OutputSchema"))
    draft.cards[0].values["schema-example"] = "{}"
    act_on_field(draft, "infer", "0-schema")
    assert SCHEMA.read(draft.cards[0].values["schema"]) == {"type": "object", "properties": {}}
    act_on_field(draft, "restore", "0-schema")
    assert draft.cards[0].values["schema"] == ""


def test_an_example_that_is_no_json_stays_with_its_fault() -> None:
    draft = drafted(added("OutputSchema", schema="true"))
    draft.cards[0].values["schema-example"] = "{a}"
    assert act_on_field(draft, "infer", "0-schema") == "scorers-0-schema-example"
    values = draft.cards[0].values
    assert (values["schema"], values["schema-example"]) == ("true", "{a}")
    assert "not valid JSON" in draft.cards[0].said["schema-example"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("[1]", [[1]]), ("1\n\n2\n", [1, 2]), ('{\n"a": 1\n}', [{"a": 1}])],
)
def test_examples_are_one_document_or_one_a_line(text: str, found: list[Any]) -> None:
    assert read_examples(text) == found


def test_one_broken_document_is_told_by_its_own_line() -> None:
    with pytest.raises(Unreadable, match="line 2"):
        read_examples('{"a": 1,\n"b": x}')


@pytest.mark.parametrize(
    ("act", "argument"),
    [
        *(("add-row", argument) for argument in ("", "9-schema", "0-", "0-nothing", "0-id", "x-schema", "0")),
        ("remove-row", "0-schema-7"),
        ("remove-row", "0-schema-x"),
        ("remove-row", "0-schema--1"),
        ("restore", "0-schema"),
        ("explode", "0-schema"),
    ],
)
def test_a_button_that_does_not_exist_changes_nothing(act: str, argument: str) -> None:
    draft = drafted(added("OutputSchema", schema=Table((row("a"),)).text))
    before = dict(draft.cards[0].values)
    act_on_field(draft, act, argument)
    assert draft.cards[0].values == before


def test_pairs_have_no_example() -> None:
    draft = drafted(added("ToolTrajectory"))
    assert act_on_field(draft, "infer", "0-toolArguments") == ""


def test_a_form_never_holds_more_rows_than_a_request_may_send() -> None:
    wide = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(MOST_ROWS)}}
    draft = draft_of(
        {"name": "W", "scorers": [{"id": f"s{n}", "type": "OutputSchema", "schema": wide} for n in range(64)]}
    )
    within_room(draft.cards)
    assert len(posted(draft)) < 5000
    assert [card.document()[0]["schema"] for card in draft.cards] == [wide] * 64
    assert table_of(draft.cards[0].values["schema"]) is not None
