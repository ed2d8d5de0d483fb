"""JSON made ready to be read: nothing in it changes but the white space and what would move a cursor."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from commandline.answers import indented, picked
from commandline.failures import Failure
from tests.commandline.test_flags import JSON


@given(JSON)
@example({"a": [], "b": {}, "c": [[{}]], 'd"': '[{,:"\\'})
def test_it_is_what_the_standard_library_writes(value: Any) -> None:
    expected = json.dumps(value, indent=2)
    assert indented(json.dumps(value)) == expected
    assert indented(json.dumps(value, separators=(",", ":"))) == expected


@given(st.text())
def test_a_text_says_the_same_and_moves_no_cursor(text: str) -> None:
    shown = indented(json.dumps({"output": text}, ensure_ascii=False))
    assert json.loads(shown) == {"output": text}
    assert not set(shown) & {chr(code) for code in (*range(10), *range(11, 32), *range(0x7F, 0xA0), 0x202E, 0x2066)}


def test_digits_stay() -> None:
    assert indented('{"total":1.10,"id":12345678901234567890.50}') == (
        '{\n  "total": 1.10,\n  "id": 12345678901234567890.50\n}'
    )


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("id", "eval_1"),
        ("data.1.name", "b\nc"),
        ("rate", "0.10"),
        ("none", "null"),
        ("yes", "true"),
        ("data.0", '{\n  "name": "a",\n  "n": 1.50\n}'),
        ("empty", ""),
    ],
)
def test_a_member_is_picked_by_its_path(path: str, shown: str) -> None:
    text = (
        '{"id": "eval_1", "rate": 0.10, "none": null, "yes": true, "empty": "",'
        ' "data": [{"name": "a", "n": 1.50}, {"name": "b\\nc"}]}'
    )
    assert picked(text, path) == shown


@pytest.mark.parametrize("path", ["other", "data.2", "data.-1", "data.x", "id.0", "data.²", ""])
def test_a_member_that_is_not_there_is_an_error(path: str) -> None:
    with pytest.raises(Failure, match="The answer has no"):
        picked('{"id": "x", "data": [1, 2]}', path)


def test_nothing_is_picked_from_what_is_no_json() -> None:
    with pytest.raises(Failure, match="not JSON"):
        picked("a,b\n", "a")
