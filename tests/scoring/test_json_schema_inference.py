"""A schema out of examples: each example is valid by it, and it says no more than they show."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.kit.json_schema import compiled
from scoring.kit.json_schema.inference import MOST_LEVELS, inferred_schema

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | names,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=15,
)


@given(st.lists(values, min_size=1, max_size=4), st.booleans())
def test_every_example_is_valid_by_its_schema(examples: list[Any], closed: bool) -> None:
    schema = compiled(inferred_schema(examples, closed=closed))
    assert [schema.violations(example) for example in examples] == [[]] * len(examples)


@given(st.dictionaries(names, values, min_size=1, max_size=4))
def test_what_is_missing_or_of_another_type_is_not_valid(example: dict[str, Any]) -> None:
    schema = compiled(inferred_schema([example], closed=True))
    name = next(iter(example))
    assert schema.violations({key: value for key, value in example.items() if key != name})
    assert schema.violations({**example, name: 0.5 if isinstance(example[name], str) else "text"})
    assert schema.violations({**example, "another name": 1})
    assert not compiled(inferred_schema([example])).violations({**example, "another name": 1})


@pytest.mark.parametrize(
    ("examples", "schema"),
    [
        ([], {}),
        ([1], {"type": "integer"}),
        ([1, 2.5], {"type": "number"}),
        ([True, 1], {"type": ["integer", "boolean"]}),
        ([None, "a"], {"type": ["string", "null"]}),
        ([[]], {"type": "array"}),
        ([[1], [2.5, None]], {"type": "array", "items": {"type": ["number", "null"]}}),
        ([{}], {"type": "object", "properties": {}}),
        (
            [{"a": 1, "b": "x"}, {"b": None, "c": [{"d": 1}, {"e": 2}]}],
            {
                "type": "object",
                "properties": {
                    "a": {"type": "integer"},
                    "b": {"type": ["string", "null"]},
                    "c": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"d": {"type": "integer"}, "e": {"type": "integer"}}},
                    },
                },
                "required": ["b"],
            },
        ),
    ],
)
def test_what_the_examples_show(examples: list[Any], schema: dict[str, Any]) -> None:
    assert inferred_schema(examples) == schema


def test_it_is_closed_at_every_level_when_asked() -> None:
    schema = inferred_schema([{"a": [{"b": 1}]}], closed=True)
    assert schema["additionalProperties"] is False
    assert schema["properties"]["a"]["items"]["additionalProperties"] is False


def test_a_very_deep_example_ends_in_its_type() -> None:
    deep: Any = 1
    for _ in range(60):
        deep = [deep]
    schema = inferred_schema([deep])
    levels = 0
    while "items" in schema:
        schema, levels = schema["items"], levels + 1
    assert (levels, schema) == (MOST_LEVELS, {"type": "array"})
