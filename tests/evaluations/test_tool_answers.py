"""A tool's answer is a score, or an error that names the scorer and the value."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.tool_answers import ToolScore, UnreadableToolAnswer, read_tool_score


def read(body: Any, threshold: float | None = 0.7) -> ToolScore:
    return read_tool_score(body, scorer="refund-policy", pass_threshold=threshold)


@pytest.mark.parametrize(
    ("body", "threshold", "expected"),
    [
        ({"score": 0.25, "passed": True}, None, ToolScore(0.25, True, None)),
        ({"score": 1, "passed": False, "reasoning": "why"}, 0.5, ToolScore(1.0, False, "why")),
        ({"score": 0.69}, 0.7, ToolScore(0.69, False, None)),
        ({"score": 0.70}, 0.7, ToolScore(0.7, True, None)),
        ({"score": 0.71}, 0.7, ToolScore(0.71, True, None)),
        ({"score": 0}, 0, ToolScore(0.0, True, None)),
        ({"score": 1, "passed": None, "reasoning": None, "more": [1]}, 1, ToolScore(1.0, True, None)),
        ({"score": Decimal("0.5")}, 0.5, ToolScore(0.5, True, None)),
        ('Sure! {"score": 1, "reasoning": "a } b { c"} Bye.', 0.5, ToolScore(1.0, True, "a } b { c")),
        ('```json\n{"score": 0.5}\n```', 0.6, ToolScore(0.5, False, None)),
    ],
)
def test_a_score_is_read(body: Any, threshold: float | None, expected: ToolScore) -> None:
    assert read(body, threshold) == expected


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"score": 1.7}, "score must be from 0 to 1; the tool answered 1.7"),
        ({"score": -1}, "answered -1"),
        ({"score": 1.0000001}, "answered 1.0000001"),
        ({"score": "0.9"}, 'a number from 0 to 1; the tool answered "0.9"'),
        ({"score": True}, "answered true"),
        ({"score": None}, "answered null"),
        ({"score": [1]}, "answered [1]"),
        ({"score": {}}, "answered {}"),
        ({"score": float("nan")}, "answered NaN"),
        ({"score": float("inf")}, "answered Infinity"),
        ({"score": Decimal("1e300")}, "from 0 to 1"),
        ({"score": 10**19}, "from 0 to 1"),
        ({}, "has no score: {}"),
        ({"Score": 1}, "has no score"),
        ({"score": 1, "passed": "false"}, 'passed must be true or false; the tool answered "false"'),
        ({"score": 1, "passed": 0}, "answered 0"),
        ({"score": 1, "passed": []}, "answered []"),
        ({"score": 1, "reasoning": ""}, 'reasoning must be text; the tool answered ""'),
        ({"score": 1, "reasoning": " "}, "reasoning must be text"),
        ({"score": 1, "reasoning": 7}, "answered 7"),
        ([{"score": 1}], "must answer an object"),
        ([], "answered []"),
        (1, "answered 1"),
        (True, "answered true"),
        (None, "answered null"),
        ("", 'holds no JSON object: ""'),
        ("score: 1", "holds no JSON object"),
        ("} {", "holds no JSON object"),
        ('{"score": NaN}', "NaN is not JSON"),
        ('{"score": Infinity}', "Infinity is not JSON"),
        ('{"score": 1e400}', "too large"),
        ('{"score": 1, "score": 0}', "stands twice"),
        ('{"score": 1', "holds no JSON object"),
        ('{"score": 1} and {"score": 0}', "cannot be read"),
        ('{"score": 1, "reasoning": "\\u0000"}', "NUL"),
        ('{"score": 1, "reasoning": "\\ud800"}', "surrogate"),
        ('{"a":' * 70 + "1" + "}" * 70, "64 levels"),
        ("<html>{x}</html>", "cannot be read"),
        ("{" * 100_000 + "}", "cannot be read"),
        ('{"score": 1.5, "x": "' + "y" * 1_000_000 + '"}', "answered 1.5"),
    ],
)
def test_a_bad_answer_is_an_error_that_names_the_scorer_and_the_value(body: Any, words: str) -> None:
    with pytest.raises(UnreadableToolAnswer) as raised:
        read(body)
    assert raised.value.message.startswith("refund-policy: ")
    assert words in raised.value.message
    assert len(raised.value.message) < 300


def test_neither_verdict_nor_threshold() -> None:
    with pytest.raises(UnreadableToolAnswer, match="answered without a passed verdict and declares no pass_threshold"):
        read({"score": 1}, None)


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["score", "passed", "reasoning"]), inner)
    ),
    max_leaves=6,
)


@given(ANY, st.none() | st.floats(0, 1))
def test_whatever_it_answers_the_score_is_within_bounds(body: Any, threshold: float | None) -> None:
    try:
        read_answer = read(body, threshold)
    except UnreadableToolAnswer:
        return
    assert 0 <= read_answer.score <= 1
    assert isinstance(read_answer.passed, bool)
