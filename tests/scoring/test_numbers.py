"""Numbers in observations, ranges and ratios: the contract's tables, and what holds beyond them."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.kit.numbers import as_number, number_at, plain
from tests.scoring.cases import facts, observation, outcome

RANGES = facts("numeric-range")["cases"]
RATIOS = facts("occurrence-ratio")


@pytest.mark.parametrize("case", RANGES, ids=lambda case: f"{case['settings']} {case.get('value', 'absent')!r}"[:80])
def test_a_number_against_a_range(case: dict[str, Any]) -> None:
    value = {} if case.get("absent") else {"value": case["value"]}
    found = outcome("NumericRange", {"valuePath": "object.value", **case["settings"]}, output="", object=value)
    if "error" in case:
        assert (found.status, found.error_code, found.score) == ("error", case["error"], None)
        assert found.explanation == "There is no number at object.value."
    else:
        assert found.score == pytest.approx(case["score"], abs=1e-12)
        assert found.evidence["value"] == float(case["value"])
        assert found.explanation


@pytest.mark.parametrize("case", RATIOS["cases"], ids=lambda case: str(case["settings"]))
def test_occurrences_against_a_divisor(case: dict[str, Any]) -> None:
    found = outcome("OccurrenceRatio", case["settings"], output=RATIOS["text"], metadata=RATIOS["metadata"])
    assert found.score == pytest.approx(case["score"], abs=1e-12)
    assert all(math.isfinite(value) for value in found.evidence.values() if isinstance(value, float))
    if "count" in case:
        assert found.evidence["count"] == case["count"]
        assert len(found.evidence["spans"]) == case["count"]


@pytest.mark.parametrize(
    "text",
    ["\u00e9just", "just\u00e9", "\u0434just", "just\u0434", "just_", "9just", "just\u0669", "e\u0301just\u0301"],
)
def test_a_whole_word_has_no_letter_of_any_script_beside_it(text: str) -> None:
    assert outcome("OccurrenceRatio", {"needles": ["just"], "wholeWord": True}, output=text).score == 0


@pytest.mark.parametrize(
    "text", ["just", "(just)", "a-just-b", "\u201cjust\u201d", "\U0001f600just\U0001f600", "\njust\n", "\u00b7just"]
)
def test_a_whole_word_beside_anything_else(text: str) -> None:
    assert outcome("OccurrenceRatio", {"needles": ["just"], "wholeWord": True}, output=text).score == 1


PATHS = [
    # The target comes first: the object that is given, else the text where that is JSON.
    ("length", {"output": "12345"}, 5),
    ("length", {"output": "\U0001f600"}, 2),
    ("wordCount", {"output": " a  b\n"}, 2),
    ("lineCount", {"output": "a\nb\n"}, 3),
    ("length", {"output": '{"length": 7}'}, 7),
    ("length", {"output": '{"size": 7}'}, 11),
    ("length", {"output": "x", "object": {"length": 9}}, 9),
    ("length", {"output": "xy", "object": {"size": 9}}, 2),
    ("length", {"output": '{"length": "long"}'}, None),
    ("length", {"output": '{"length": null}'}, None),
    ("items.1.price", {"output": '{"items": [{"price": 1}, {"price": "2.5"}]}'}, 2.5),
    ("1", {"output": "[10, 20]"}, 20),
    ("0", {"output": "7"}, None),
    ("a", {"output": '{"a": 1} trailing'}, None),
    ("a", {"output": '{"a": NaN}'}, None),
    ("b", {"output": '{"a": NaN, "b": 1}'}, None),
    ("a", {"output": '{"a": ' + "9" * 400 + "}"}, None),
    ("a", {"output": '{"a": ' + "9" * 5_000 + "}"}, None),
    ("a", {"output": "[" * 90_000}, None),
    ("metadata.n", {"output": "", "metadata": {"n": 3}}, 3),
    ("metadata.outputWordCount", {"output": "a b c", "metadata": {"outputWordCount": 99}}, 3),
    ("metadata.totalLength", {"output": "abc", "action": "de"}, 5),
    ("metadata.totalWordCount", {"output": "a b", "action": "c"}, 3),
    ("metadata.a.b", {"output": "", "metadata": {"a.b": 1}}, None),
    ("object.ms", {"output": "", "object": {"ms": 4}}, 4),
    ("ms", {"output": "", "object": {"ms": 4}}, 4),
    ("expected.n", {"output": "", "expected": {"n": 6}}, 6),
    ("output", {"output": " 8 "}, 8),
    ("output.length", {"output": "12345"}, None),
    ("__proto__", {"output": '{"__proto__": 1}'}, None),
    ("constructor.length", {"output": '{"constructor": {"length": 1}}'}, None),
    ("a.prototype", {"output": '{"a": {"prototype": 1}}'}, None),
    ("a..b", {"output": '{"a": {"b": 1}}'}, None),
    ("a..b", {"output": '{"a": {"": {"b": 1}}}'}, 1),
    ("01", {"output": "[1, 2]"}, None),
    ("-1", {"output": "[1, 2]"}, None),
    ("length", {"object": {"n": 1}}, None),
]


@pytest.mark.parametrize(("path", "given_", "expected"), PATHS, ids=lambda value: str(value)[:40])
def test_where_a_path_leads(path: str, given_: dict[str, Any], expected: float | None) -> None:
    found = number_at(observation(**given_), path, "output")
    assert (found.value if found else None) == expected
    scored = outcome("NumericRange", {"valuePath": path, "min": -1e9}, **given_)
    assert scored.status == ("error" if expected is None else "scored")
    assert scored.error_code in (None, "missing_input")


def test_the_target_decides_which_text_is_measured() -> None:
    given_ = {"output": "12345", "action": "ab"}
    for target, expected in (("output", 5), ("action", 2), ("combined", 8)):
        found = number_at(observation(**given_), "length", target)  # type: ignore[arg-type]
        assert found is not None
        assert found.value == expected


@pytest.mark.parametrize("field", ["object", "metadata", "expected", "output", "action"])
def test_a_huge_number_is_no_fault(field: str) -> None:
    value: Any = {"n": 10**20 - 1, "big": 1e308}
    given_: dict[str, Any] = {"output": ""} | ({field: "1" * 400} if field in ("output", "action") else {field: value})
    path = field if field in ("output", "action") else f"{field}.big"
    found = outcome("NumericRange", {"valuePath": path, "min": -1e308, "max": -1e307, "falloff": 1e308}, **given_)
    assert found.error_code != "scorer_failed"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1.0, "1"),
        (0.5, "0.5"),
        (-0.0, "0"),
        (1e15, "1e+15"),
        (123456.789, "123457"),
        (1e-9, "1e-09"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
    ],
)
def test_numbers_in_sentences(number: float, text: str) -> None:
    assert plain(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**19), 10**19))
@settings(derandomize=True)
def test_a_number_is_itself_and_so_is_its_text(number: float) -> None:
    assert as_number(number) == float(number)
    assert as_number(repr(number)) == float(number)
    assert as_number(f" \n{number!r}\t") == float(number)


@given(
    st.none()
    | st.booleans()
    | st.lists(st.integers())
    | st.dictionaries(st.text(), st.integers())
    | st.text("abc,.xe_ -")
)
@settings(derandomize=True)
def test_anything_else_is_no_number(value: Any) -> None:
    if not (isinstance(value, str) and value.strip().strip("+-").replace(".", "").isdigit()):
        assert as_number(value) is None


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.floats(1e-6, 1e6), st.floats(0, 1))
@settings(derandomize=True, deadline=None)
def test_a_range_scores_1_inside_and_falls_to_the_miss(value: float, bound: float, falloff: float, miss: float) -> None:
    wanted = {"valuePath": "object.v", "min": bound, "max": bound, "falloff": falloff, "scoreOnMiss": miss}
    score = outcome("NumericRange", wanted, output="", object={"v": value}).score
    assert score is not None
    assert miss - 1e-12 <= score <= 1
    assert (score == 1) is (value == bound) or abs(value - bound) < falloff * 1e-9 or miss > 1 - 1e-9
    if abs(value - bound) >= falloff:
        assert score == miss


@given(
    st.text("ab \u00e9\U0001f600", max_size=40),
    st.lists(st.text("ab ", min_size=1, max_size=3), min_size=1, max_size=4),
    st.floats(5e-324, 1e12),
    st.floats(5e-324, 1e12),
)
@settings(derandomize=True, deadline=None)
def test_a_ratio_is_the_count_over_the_divisor(text: str, needles: list[str], fixed: float, least: float) -> None:
    wanted = {"needles": needles, "denominator": fixed, "minimumDenominator": least, "caseSensitive": True}
    count = sum(text.count(needle) for needle in needles)
    expected = min(1.0, count / max(fixed, least))
    score = outcome("OccurrenceRatio", wanted, output=text).score
    assert score == pytest.approx(expected, rel=1e-12)
    assert outcome("OccurrenceRatio", {**wanted, "invert": True}, output=text).score == pytest.approx(
        1 - expected, abs=1e-12
    )
