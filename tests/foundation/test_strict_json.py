"""The strict door of JSON: what it refuses, and that it lets everything else through unchanged."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation import strict_json
from foundation.errors import MalformedJson, Problem, ValidationFailed
from tests.scoring.cases import facts

HOSTILE = facts("hostile-json")


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("text", HOSTILE["refused"].values(), ids=HOSTILE["refused"].keys())
def test_what_is_refused(text: str) -> None:
    for document in (text, text.encode(), f'{{"metadata":{text}}}'):
        with pytest.raises(Problem) as caught:
            strict_json.loads(document)
        assert caught.value.status == 400
        json.dumps(caught.value.as_dict(), ensure_ascii=False).encode()


@pytest.mark.parametrize("text", HOSTILE["accepted"].values(), ids=HOSTILE["accepted"].keys())
def test_what_is_let_through_unchanged(text: str) -> None:
    assert strict_json.loads(text) == json.loads(text)
    assert strict_json.loads(text.encode()) == json.loads(text)


@pytest.mark.parametrize("depth", [65, 66, 5_000, 100_000])
@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_too_deep(opening: str, depth: int) -> None:
    closing = "]" if opening == "[" else "}"
    with pytest.raises(MalformedJson, match="64 levels"):
        strict_json.loads(opening * depth + "1" + closing * depth)


def test_64_levels_are_not_too_deep() -> None:
    assert strict_json.loads(nested(64)) == json.loads(nested(64))
    wide = [[1, {"a": [2]}]] * 200
    assert strict_json.loads(json.dumps(wide)) == wide


@pytest.mark.parametrize("text", ["", " ", "\ufeff{}", "{} {}", "{}x", "[1", '"a', '{"a"}', "nul"])
def test_not_json(text: str) -> None:
    with pytest.raises(MalformedJson):
        strict_json.loads(text.encode())


@pytest.mark.parametrize(
    "data", [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\x80"', b'{"a":"\xf0\x9f\x98"}', b"\xff\xfe[\x00]\x00"]
)
def test_not_utf_8(data: bytes) -> None:
    with pytest.raises(MalformedJson, match="UTF-8"):
        strict_json.loads(data)


def test_a_lone_surrogate_in_text_that_was_decoded_elsewhere() -> None:
    with pytest.raises(ValidationFailed):
        strict_json.loads('{"a": "\ud800"}')


def test_each_place_of_unstorable_text_is_named() -> None:
    with pytest.raises(ValidationFailed) as caught:
        strict_json.loads(r'{"a": ["x", {"b": "\u0000"}], "c": "\udfff", "d": {"\ud800": 1}}')
    assert [fault.path for fault in caught.value.fields] == ["a.1.b", "c", "d"]
    assert {fault.code for fault in caught.value.fields} == {"unstorable_text"}


def test_a_refusal_names_the_place() -> None:
    with pytest.raises(MalformedJson, match="line 2, column 6"):
        strict_json.loads('{"a": 1,\n "b" 2}')
    with pytest.raises(MalformedJson, match='"twice"'):
        strict_json.loads('{"twice": 1, "twice": 1}')


_TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"))
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(min_value=-(10**20) + 1, max_value=10**20 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(_TEXT, inner),
    max_leaves=30,
)


@given(_VALUES, st.booleans())
@settings(max_examples=120, deadline=None, derandomize=True)
def test_every_valid_document_is_what_json_says(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert strict_json.loads(text) == json.loads(text) == value
    assert strict_json.loads(text.encode()) == value


@given(st.text() | st.binary())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_anything_else_is_refused_and_never_a_fault(data: str | bytes) -> None:
    with suppress(MalformedJson, ValidationFailed):
        strict_json.loads(data)
