"""Reports from the field about tools of this kind, as far as one scorer or one profile is concerned, by their ids."""

import time
from typing import Any

import pytest

from foundation.errors import ValidationFailed
from scoring.evaluator import evaluate
from scoring.profile_documents import read_profile
from tests.scoring.cases import observation, outcome, profile_body, scorer


def verdict(scorers: list[dict[str, Any]], head: dict[str, Any], **given: Any) -> Any:
    return evaluate(read_profile(profile_body(*scorers, **head)), observation(**given))


def measured(scorer_id: str = "m") -> dict[str, Any]:
    return {"id": scorer_id, "type": "OutputTokens"}


def in_range(scorer_id: str, path: str, **settings: Any) -> dict[str, Any]:
    return {"id": scorer_id, "type": "NumericRange", "valuePath": path, "min": 0, "max": 10, **settings}


def test_f2_a_scorer_that_errs_takes_no_other_with_it() -> None:
    found = verdict([in_range("gone", "object.none", weight=0), in_range("there", "object.n")], {}, object={"n": 5})
    assert [entry["status"] for entry in found.breakdown] == ["error", "scored"]
    assert (found.status, found.score) == ("scored", 1)
    counted = verdict([in_range("gone", "object.none"), in_range("there", "object.n")], {}, object={"n": 5})
    assert (counted.status, counted.score, counted.passed) == ("errored", None, None)
    assert counted.breakdown[1]["score"] == 1


def test_f4_nothing_but_measurements_is_no_score() -> None:
    found = verdict([measured("a"), measured("b")], {"passThreshold": 0}, observation={"usage": {"output_tokens": 5}})
    assert (found.status, found.score, found.passed) == ("measured", None, None)


def test_f6_a_weighted_mean_and_its_verdict() -> None:
    scorers = [
        {"id": "equals", "type": "ExactMatch", "answer": "Hello world", "weight": 2},
        {"id": "contains", "type": "Contains", "value": "world", "weight": 1},
    ]
    found = verdict(scorers, {"passThreshold": 0.5}, output="Goodbye world")
    assert (found.score, found.passed) == (pytest.approx(1 / 3), False)
    # The verdict is of the unrounded value: a third is less than 0.3333334.
    assert verdict(scorers, {"passThreshold": 0.3333334}, output="Goodbye world").passed is False
    assert verdict(scorers, {"passThreshold": 1 / 3}, output="Goodbye world").passed is True


def test_f7_a_threshold_of_zero_and_none() -> None:
    scorers = [{"id": "contains", "type": "Contains", "value": "x"}]
    assert (found := verdict(scorers, {"passThreshold": 0}, output="y")).passed is True
    assert found.score == 0
    assert verdict(scorers, {"passThreshold": None}, output="y").passed is None


def test_f9_a_pattern_that_does_not_compile() -> None:
    with pytest.raises(ValidationFailed):
        scorer("RegexMatch", pattern="([a-z`")
    broken = {"id": "broken", "type": "RegexMatch", "pattern": "([a-z`", "weight": 0}
    profile = read_profile(profile_body(broken, in_range("n", "length")), keep_unusable=True)
    found = evaluate(profile, observation(output="abc"))
    assert [entry["status"] for entry in found.breakdown] == ["error", "scored"]
    assert found.breakdown[0]["error"]["code"] == "config"
    assert found.score == 1


@pytest.mark.parametrize(
    ("given", "score"),
    [
        ({}, None),
        ({"n": None}, None),
        ({"n": ""}, None),
        ({"n": True}, None),
        ({"n": "7"}, 1),
        ({"n": 0}, 1),
        ({"n": "11"}, 0),
    ],
)
def test_f11_what_a_number_is(given: dict[str, Any], score: float | None) -> None:
    found = outcome("NumericRange", {"valuePath": "object.n", "min": 0, "max": 10}, object=given)
    assert (found.score, found.passed) == (score, None if score is None else bool(score))
    assert (found.error_code == "missing_input") is (score is None)


def test_f11_no_time_at_all_is_within_a_limit() -> None:
    found = outcome("Latency", {"maxMs": 100}, observation={"stream": {"start": 7, "end": 7}})
    assert (found.score, found.value) == (1, 0)


@pytest.mark.parametrize("mode", ["any", "all"])
@pytest.mark.parametrize("case", [True, False])
def test_f13_a_keyword_may_hold_a_comma(mode: str, case: bool) -> None:
    found = outcome(
        "KeywordContains",
        {"keywords": ["1,000", "in stock"], "matchMode": mode, "caseSensitive": case},
        output="price 1,000, in stock",
    )
    assert (found.score, found.evidence["found"]) == (1, ["1,000", "in stock"])


def test_f14_blank_keywords_and_partial_credit() -> None:
    for wrong in ([], ["refund", ""], ["refund", " "]):
        with pytest.raises(ValidationFailed):
            scorer("KeywordContains", keywords=wrong)
    assert outcome("KeywordContains", {"keywords": ["refund"]}, output="hello").score == 0
    settings = {"keywords": ["alpha", "beta", "gamma"], "matchMode": "all", "partialCredit": True}
    found = outcome("KeywordContains", settings, output="alpha only")
    assert (found.score, found.passed) == (pytest.approx(1 / 3), False)
    assert 'missing: "beta", "gamma"' in found.explanation


@pytest.mark.parametrize("pattern", ["^(a+)+$", r"(a*)*\1b"])
def test_f16_a_pattern_that_explodes_ends_within_its_bound(pattern: str) -> None:
    explosive = {"id": "explosive", "type": "RegexMatch", "pattern": pattern, "weight": 0}
    began = time.monotonic()
    found = verdict([explosive, {"id": "after", "type": "Contains", "value": "a"}], {}, output="a" * 30 + "!")
    assert time.monotonic() - began < 5
    first = found.breakdown[0]
    assert first["status"] == "scored" or first["error"]["code"] == "limit"
    assert found.breakdown[1]["score"] == 1


@pytest.mark.parametrize(
    ("output", "expected", "score"),
    [
        ("25", "5", 0),
        ("1,242.00", "1242", 1),
        ("\u22123", "-3", 1),
        ("\u00bd", "0.5", 1),
        ("$20", "20", 1),
        ("5 apples", "5", 0),
    ],
)
def test_f18_numbers_as_people_write_them(output: str, expected: str, score: float) -> None:
    for given, wanted in ((output, expected), (expected, output)):
        if wanted != "5 apples":
            assert outcome("NumericMatch", {}, output=given, expected=wanted).score == score
    if output == "5 apples":
        assert outcome("NumericMatch", {"extract": "first"}, output=output, expected=expected).score == 1
