"""Numbers that keep their value: read, written, and read again."""

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation import exact_json, strict_json
from foundation.errors import MalformedJson

_DIGITS = st.text("0123456789", min_size=1, max_size=60)
_LITERALS = st.builds(
    lambda sign, whole, fraction, exponent: f"{sign}{whole.lstrip('0') or '0'}.{fraction}e{exponent}",
    st.sampled_from(["", "-"]),
    _DIGITS,
    _DIGITS,
    st.integers(-320, 240),
)
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20) + 1, 10**20 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-1, max_value=1, places=30)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def decimals(value: Any) -> Any:
    """The value with every number as the decimal that its shortest text is."""
    if isinstance(value, dict):
        return {name: decimals(member) for name, member in value.items()}
    if isinstance(value, list):
        return [decimals(item) for item in value]
    return Decimal(repr(value)) if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("0.1", 0.1),
        ("5.0", 5.0),
        ("5e0", 5.0),
        ("1.50", 1.5),
        ("1E5", 100000.0),
        ("-0.0", -0.0),
        ("0e999", 0.0),
        ("1e22", 1e22),
        ("0.30000000000000004", 0.30000000000000004),
        ("5e-324", 5e-324),
        ("0.1000000000000000055511151231257827", Decimal("0.1000000000000000055511151231257827")),
        ("9007199254740993.0", Decimal("9007199254740993.0")),
        ("1e-400", Decimal("1E-400")),
        ("4.9e-324", Decimal("4.9E-324")),
        ("1e350", Decimal("1E+350")),
    ],
)
def test_a_number_is_a_float_where_that_is_its_value(literal: str, value: float | Decimal) -> None:
    found = exact_json.exact_number(literal)
    assert (type(found), found) == (type(value), value)
    assert math.copysign(1, found) == math.copysign(1, value)


@pytest.mark.parametrize("literal", ["1e401", "1e-401", "1e99999999999999999999", f"0.{'1' * 400}"])
def test_a_number_without_end_is_refused(literal: str) -> None:
    with pytest.raises(exact_json.NumberTooLong):
        exact_json.exact_number(literal)
    with pytest.raises(MalformedJson):
        strict_json.loads(f'{{"a": {literal}}}')


def test_the_door_takes_what_a_double_can_hold_and_keeps_its_digits() -> None:
    assert strict_json.loads("[1e-400, 0.10000000000000000001]") == [
        Decimal("1e-400"),
        Decimal("0.10000000000000000001"),
    ]
    with pytest.raises(MalformedJson, match="too large"):
        strict_json.loads("1e309")
    with pytest.raises(MalformedJson, match="more than 400 digits"):
        strict_json.loads("1e-401")


@given(_LITERALS)
@settings(max_examples=400, derandomize=True, deadline=None)
def test_the_value_is_that_of_the_literal_and_stays_so(literal: str) -> None:
    found = exact_json.exact_number(literal)
    assert (Decimal(repr(found)) if isinstance(found, float) else found) == Decimal(literal)
    written = exact_json.dumps({"n": [found]})
    again = json.loads(written, parse_float=Decimal, parse_int=Decimal)["n"][0]
    assert again == Decimal(literal)
    assert exact_json.loads(written) == {"n": [found]}


@given(_VALUES)
@settings(max_examples=300, derandomize=True, deadline=None)
def test_what_is_written_is_read_back(value: Any) -> None:
    for written in (exact_json.dumps(value), exact_json.dumps(value, indent=2), exact_json.dumps(value, spaced=True)):
        assert json.loads(written, parse_float=Decimal) == decimals(value)
        assert decimals(exact_json.loads(written)) == decimals(value)


def test_texts_and_names_are_never_taken_for_numbers() -> None:
    value = {"0": "0", "a": [Decimal("0.10000000000000000001"), "0", '"0"', Decimal("1E+350")], "\\": "\\"}
    assert exact_json.dumps(value) == '{"0":"0","a":[0.10000000000000000001,"0","\\"0\\"",1E+350],"\\\\":"\\\\"}'
    assert exact_json.dumps({"b": 1, "a": "é"}, sort_keys=True, spaced=True) == '{"a": "é", "b": 1}'


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_number_at_all_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        exact_json.dumps([value])
    with pytest.raises(TypeError):
        exact_json.dumps([Decimal(value)])


@pytest.mark.parametrize("value", [{1, 2}, object(), b"x"])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="no JSON value"):
        exact_json.dumps({"a": value})
