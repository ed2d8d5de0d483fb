"""The scorers of counts, beyond the facts: limits, money as text, what is malformed."""

from typing import Any

import pytest

from tests.scoring.cases import outcome


@pytest.mark.parametrize(("kind", "member"), [("OutputTokens", "output_tokens"), ("InputTokens", "input_tokens")])
def test_tokens(kind: str, member: str) -> None:
    for raw in (7, 7.0, 7e0):
        found = outcome(kind, {"max": 5, "zeroAt": 9}, observation={"usage": {member: raw}})
        assert (found.value, found.score, found.unit) == (7, 0.5, "tokens")
    assert outcome(kind, {}, observation={"usage": {member: 0}}).value == 0
    for wrong in (None, "7", True, -1, 7.5, [], {}):
        assert outcome(kind, {}, observation={"usage": {member: wrong}}).error_code == "bad_input", wrong
    for wrong in (None, [], "x", 5):
        assert outcome(kind, {}, observation={"usage": wrong}).error_code == "bad_input", wrong
    for absent in ({}, {"usage": {}}, {"usage": {"total": 3}}):
        assert outcome(kind, {}, observation=absent).error_code == "missing_input", absent


@pytest.mark.parametrize(
    ("cost", "value"),
    [
        ({"amount": "0.00123", "currency": "USD"}, 0.00123),
        ({"amount": "0"}, 0),
        ({"amount": "12"}, 12),
        ({"amount": "1.5e-3"}, 0.0015),
        *[
            ({"amount": wrong}, None)
            for wrong in (
                0.5,
                None,
                "",
                " 1",
                "1 ",
                "-1",
                "+1",
                ".5",
                "1.",
                "1,5",
                "1_000",
                "\u0663",
                "NaN",
                "sNaN",
                "Infinity",
                "1e999",
                "0x1",
                [],
                True,
            )
        ],
        ({}, None),
        ([], None),
        (None, None),
        ("0.5", None),
        ({"amount": "1", "currency": 5}, None),
        ({"amount": "1", "currency": "a currency nobody has"}, None),
    ],
)
def test_money_is_decimal_text(cost: Any, value: float | None) -> None:
    found = outcome("Cost", {}, observation={"usage": {"cost": cost}})
    assert (found.value, found.error_code) == (value, None if value is not None else "bad_input")


def test_a_cost_has_its_currency() -> None:
    found = outcome("Cost", {"max": 0.001}, observation={"usage": {"cost": {"amount": "0.00123", "currency": "USD"}}})
    assert (found.score, found.unit) == (0, "USD")
    assert found.explanation == "Cost 0.00123 USD, over the limit of 0.001."
    assert outcome("Cost", {}, observation={"usage": {"cost": {"amount": "1"}}}).unit == "money"
    assert outcome("Cost", {}, observation={"usage": {}}).error_code == "missing_input"


@pytest.mark.parametrize(
    ("verdicts", "count"), [([], 0), (["allow"], 1), (["allow", "deny", "held", "allow"], 2), (["deny"], 0)]
)
def test_only_calls_let_through_are_counted(verdicts: list[str], count: int) -> None:
    calls = [{"name": "a", "verdict": verdict, "error": "failed"} for verdict in verdicts]
    found = outcome("ToolCallCount", {"max": 1}, observation={"tool_calls": calls})
    assert (found.value, found.score) == (count, 1 if count <= 1 else 0)


def test_the_sentences() -> None:
    usage = {"usage": {"input_tokens": 12345, "output_tokens": 10}}
    assert outcome("InputTokens", {}, observation=usage).explanation == "12,345 input tokens."
    assert (
        outcome("OutputTokens", {"max": 8, "zeroAt": 12}, observation=usage).explanation
        == "10 output tokens, over the limit of 8 (0 from 12)."
    )
    one = {"tool_calls": [{"name": "a"}]}
    assert outcome("ToolCallCount", {"max": 1}, observation=one).explanation == "1 tool call, within the limit of 1."
