"""The scorers of tool use, beyond the facts: arguments, scope, the maximum matching, the words."""

import itertools
import random
from typing import Any

import pytest

from scoring.kit.matching import maximum_matching
from scoring.kit.outcome import Outcome
from tests.scoring.cases import outcome


def call(name: str, verdict: str = "allow", error: Any = None, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments, "verdict": verdict, "error": error}


def compared(kind: str, actual: list[Any], expected: Any, **settings: Any) -> Outcome:
    """The outcome of a scorer of sequences; a bare name is a call without arguments."""
    sides = [[item if isinstance(item, dict) else {"name": item} for item in side] for side in (actual, expected)]
    return outcome(kind, settings, observation={"tool_calls": sides[0]}, expected={"tool_calls": sides[1]})


def trajectory(actual: list[Any], expected: Any, **settings: Any) -> Outcome:
    return compared("ToolTrajectory", actual, expected, **settings)


@pytest.mark.parametrize(
    ("calls", "score"),
    [
        ([call("a"), call("b", verdict="deny"), call("c", error="x")], 0.5),
        ([call("a", verdict="held", error="x"), call("b")], 1),
        ([call("a", error={"type": "timeout"})], 0),
        ([{"name": "a"}], 1),
    ],
)
def test_only_calls_let_through_succeed_or_fail(calls: list[Any], score: float) -> None:
    assert outcome("ToolSuccess", {}, observation={"tool_calls": calls}).score == score


def test_a_failure_says_which_and_why() -> None:
    calls = [
        call("search"),
        call("fetch", error="HTTP 404"),
        call("parse", error={"type": "parsing", "message": "not JSON"}),
    ]
    found = outcome("ToolSuccess", {}, observation={"tool_calls": calls})
    assert found.explanation == "1 of 3 tool calls succeeded; fetch failed: HTTP 404; parse failed: not JSON."
    assert found.evidence["failures"] == [
        {"name": "fetch", "error": "HTTP 404"},
        {"name": "parse", "error": "not JSON"},
    ]


@pytest.mark.parametrize(
    ("calls", "score", "words"),
    [
        ([call("a", error="x"), call("a")], 1, "a was called and succeeded."),
        ([call("A")], 0, "a was not called; called instead: A."),
        ([], 0, "a was not called; no tool was called."),
        ([call("a", error="HTTP 500")], 0, "a was called and failed: HTTP 500."),
        ([call("a", verdict="held")], 0, "a was asked for and not let through (held)."),
        ([call("ab")], 0, "a was not called; called instead: ab."),
    ],
)
def test_whether_a_tool_was_called(calls: list[Any], score: float, words: str) -> None:
    found = outcome("ToolCalled", {}, observation={"tool_calls": calls}, expected={"tool": "a"})
    assert (found.score, found.explanation) == (score, words)


def test_the_scorers_own_tool_comes_before_the_cases() -> None:
    given = {"observation": {"tool_calls": [call("b")]}, "expected": {"tool": "a"}}
    assert outcome("ToolCalled", {"tool": "b"}, **given).score == 1
    assert outcome("ToolCalled", {}, **given).score == 0
    for wrong in (None, "", 5, ["a"]):
        assert (
            outcome("ToolCalled", {}, observation=given["observation"], expected={"tool": wrong}).error_code
            == "bad_ground_truth"
        )


@pytest.mark.parametrize(
    "calls", [None, {}, "a", [None], ["a"], [{}], [{"name": ""}], [{"name": 5}], [{"name": "a", "verdict": None}]]
)
@pytest.mark.parametrize("kind", ["ToolSuccess", "ToolCalled", "ToolTrajectory", "ToolCallF1", "ToolCallCount"])
def test_malformed_calls(kind: str, calls: Any) -> None:
    found = outcome(kind, {}, observation={"tool_calls": calls}, expected={"tool": "a", "tool_calls": []})
    assert found.error_code == "bad_input"


@pytest.mark.parametrize("calls", [None, {}, "a", [None], [{"name": ""}]])
@pytest.mark.parametrize("kind", ["ToolTrajectory", "ToolCallF1"])
def test_malformed_expectations_come_before_what_was_recorded(kind: str, calls: Any) -> None:
    assert outcome(kind, {}, observation={}, expected={"tool_calls": calls}).error_code == "bad_ground_truth"
    assert outcome(kind, {}, observation={}, expected={}).error_code == "missing_ground_truth"
    assert outcome(kind, {}, observation={}, expected={"tool_calls": []}).error_code == "missing_input"


ONE, MORE, LESS, OTHER = call("f", x=1), call("f", x=1, y=2), call("f"), call("f", x=2)


@pytest.mark.parametrize(
    ("mode", "fits"),
    [
        ("exact", [(ONE, ONE)]),
        ("superset", [(ONE, ONE), (MORE, ONE), (ONE, LESS), (MORE, LESS), (OTHER, LESS)]),
        ("subset", [(ONE, ONE), (ONE, MORE), (LESS, ONE), (LESS, MORE), (LESS, OTHER)]),
    ],
)
def test_how_arguments_compare(mode: str, fits: list[Any]) -> None:
    for actual, expected in itertools.product((ONE, MORE, LESS, OTHER), repeat=2):
        wanted = float((actual, expected) in fits or actual is expected)
        assert trajectory([actual], [expected], arguments=mode).score == wanted
        assert compared("ToolCallF1", [actual], [expected], arguments=mode).score == wanted
        assert trajectory([actual], [expected], arguments="ignore").score == 1
        assert trajectory([actual], [expected], arguments="ignore", toolArguments={"f": mode}).score == wanted
        assert trajectory([actual], [expected], arguments=mode, toolArguments={"g": "ignore"}).score == wanted


@pytest.mark.parametrize(
    ("actual", "expected", "same"),
    [
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": 0}, {"n": False}, False),
        ({"n": 1}, {"n": "1"}, False),
        ({"n": None}, {}, False),
        ({"n": [1, 2]}, {"n": [2, 1]}, False),
        ({"n": {"a": 1, "b": 2}}, {"n": {"b": 2, "a": 1}}, True),
        ({"n": 9007199254740993}, {"n": 9007199254740992}, False),
        ("a text", "a text", True),
        (None, {}, False),
    ],
)
@pytest.mark.parametrize("order", ["strict", "in_order", "unordered", "superset", "subset"])
def test_arguments_are_json(order: str, actual: Any, expected: Any, same: bool) -> None:
    found = trajectory([{"name": "f", "arguments": actual}], [{"name": "f", "arguments": expected}], order=order)
    assert found.score == float(same)


@pytest.mark.parametrize(
    ("order", "actual", "expected", "score"),
    [
        ("subset", "a", "a b", 1),
        ("subset", "a x", "a b", 0),
        ("subset", "a a", "a b", 0),
        ("subset", "", "a b", 1),
        ("superset", "", "", 1),
        ("superset", "a", "a a", 0),
        ("superset", "b a x", "a b", 1),
        ("in_order", "a b a", "a a", 1),
        ("in_order", "a", "a a", 0),
        ("in_order", "x", "", 1),
        ("unordered", "", "", 1),
        ("unordered", "a", "", 0),
        ("strict", "a a", "a", 0),
        ("strict", "a", "a a", 0),
    ],
)
def test_orders(order: str, actual: str, expected: str, score: float) -> None:
    assert trajectory(actual.split(), expected.split(), order=order).score == score


def test_the_scope() -> None:
    calls = [call("a"), call("b", verdict="deny"), call("c", verdict="held", error="x")]
    assert trajectory(calls, ["a"]).score == 1
    assert trajectory(calls, ["a", "b", "c"], scope="attempted").score == 1
    assert compared("ToolCallF1", calls, ["a", "b", "c"]).score == 0.5
    assert compared("ToolCallF1", calls, ["a", "b", "c"], scope="attempted").score == 1


@pytest.mark.parametrize(
    ("actual", "expected", "score"),
    [
        ("a a", "a", 2 / 3),
        ("a", "a a", 2 / 3),
        ("a a", "a a", 1),
        ("", "a", 0),
        ("a", "", 0),
        ("b a", "a b", 1),
        ("x", "a", 0),
    ],
)
def test_f1_is_over_multisets(actual: str, expected: str, score: float) -> None:
    assert compared("ToolCallF1", actual.split(), expected.split()).score == pytest.approx(score)


def brute_force(choices: list[list[int]]) -> int:
    """The most pairs, by trying everything."""
    best = {frozenset(): 0}
    for options in choices:
        best = {
            used | {option}: count + 1 for used, count in best.items() for option in options if option not in used
        } | best
    return max(best.values())


def test_the_matching_is_a_maximum() -> None:
    dice = random.Random(7)
    for _ in range(300):
        rights = dice.randint(0, 6)
        choices = [
            sorted(dice.sample(range(rights), dice.randint(0, min(3, rights)))) for _ in range(dice.randint(0, 6))
        ]
        pairs = maximum_matching(choices, rights)
        taken = [place for place in pairs if place != -1]
        assert len(set(taken)) == len(taken) == brute_force(choices)
        assert all(place in options for place, options in zip(pairs, choices, strict=True) if place != -1)


def test_the_matching_goes_back_along_a_long_path() -> None:
    # Each takes its own or the next; the last only the first of them: every pair must move along by one.
    size = 2_000
    choices = [[index, index + 1] for index in range(size)] + [[0]]
    assert sorted(maximum_matching(choices, size + 1)) == list(range(size + 1))


def test_names_are_matched_apart_and_modes_by_name() -> None:
    actual = [call("f", x=1), call("f", y=2), call("g", x=1), call("g", x=2)]
    expected = [call("f"), call("f", x=1), call("g", x=2), call("g", x=3)]
    found = compared("ToolCallF1", actual, expected, toolArguments={"f": "superset"})
    assert (found.score, found.evidence["matched"]) == (0.75, 3)
    assert (found.evidence["missing"], found.evidence["extra"]) == (["g"], ["g"])


@pytest.mark.parametrize(
    ("actual", "expected", "settings", "words"),
    [
        (["a"], ["a"], {}, "The one tool call is as expected (strict)."),
        ([], [], {}, "No tool call was made, as expected (strict)."),
        (["a", "b"], ["b", "a"], {}, "The tool calls are not as expected (strict): call 1 is a, expected b."),
        (["a", "x"], ["a", "b"], {}, "The tool calls are not as expected (strict): missing: b; not expected: x."),
        (
            [call("f", n=True)],
            [call("f", n=1)],
            {},
            "The tool calls are not as expected (strict): call 1, f: n is true, expected 1.",
        ),
        (
            [call("f", a=1)],
            [call("f", b="x")],
            {},
            'The tool calls are not as expected (strict): call 1, f: a 1 was not expected, b is missing, expected "x".',
        ),
        (
            [call("f", a=1)],
            [call("f", b="x")],
            {"arguments": "superset"},
            'The tool calls are not as expected (strict): call 1, f: b is missing, expected "x".',
        ),
        (
            ["b", "a"],
            ["a", "b"],
            {"order": "in_order"},
            "The tool calls are not as expected (in_order): b was not called after a.",
        ),
        (["b"], ["a", "b"], {"order": "in_order"}, "The tool calls are not as expected (in_order): missing: a."),
        (
            [call("f", a=1)],
            [call("f", a=2)],
            {"order": "in_order"},
            "The tool calls are not as expected (in_order): f was called with other arguments: a is 1, expected 2.",
        ),
        (
            [call("f", a=1)],
            [call("f", a=2)],
            {"order": "superset"},
            "The tool calls are not as expected (superset): f was called with other arguments: a is 1, expected 2.",
        ),
        (
            [call("f", a=1)],
            [call("f", a=2)],
            {"order": "subset"},
            "The tool calls are not as expected (subset): f was called with other arguments: a is 1, expected 2.",
        ),
        (["x", "x"], ["a"], {"order": "subset"}, "The tool calls are not as expected (subset): not expected: x ×2."),
        (["x", "x"], ["a"], {"order": "superset"}, "The tool calls are not as expected (superset): missing: a."),
        (
            [{"name": "f", "arguments": "raw"}],
            ["f"],
            {},
            'The tool calls are not as expected (strict): call 1, f: arguments "raw", expected {}.',
        ),
    ],
)
def test_what_is_wrong_is_said(actual: list[Any], expected: list[Any], settings: dict[str, Any], words: str) -> None:
    assert trajectory(actual, expected, **settings).explanation == words


def test_what_f1_says() -> None:
    found = compared("ToolCallF1", ["a", "b", "c"], ["a", "b", "d"])
    assert found.explanation == "2 of 3 expected calls were made, of 3 in all; missing: d; not expected: c."
