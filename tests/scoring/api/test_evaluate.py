"""Evaluating over HTTP: fields and bounds, the verdict, and errors that are not zeros."""

import re
from typing import Any

import pytest
from django.test import Client

from scoring import javascript
from scoring.kit.text import utf16_length
from scoring.models import Evaluation
from tests.scoring.cases import (
    EVALUATE,
    HISTORY,
    contains,
    error_of,
    evaluated,
    facts,
    in_range,
    made,
    paths_of,
    post,
)

pytestmark = pytest.mark.django_db
COUNTS = {
    "actionLength",
    "outputLength",
    "totalLength",
    "actionWordCount",
    "outputWordCount",
    "totalWordCount",
    "outputLineCount",
}
FIELDS = {
    "id",
    "profileId",
    "profileName",
    "profileVersion",
    "compositeMethod",
    "passThreshold",
    "score",
    "passed",
    "status",
    "breakdown",
    "action",
    "output",
    "agent",
    "taskId",
    "metadata",
    "createdAt",
}
ENTRY = {"scorerId", "scorerName", "type", "status", "score", "weight", "weighted", "passed", "explanation", "evidence"}


def test_every_field_of_an_evaluation(api: Client) -> None:
    profile = made(api, contains("a", name="Has x", weight=2, passThreshold=0.5), contains("b", value="q", weight=3))
    response = post(
        api,
        EVALUATE,
        {
            "profileId": profile["id"],
            "output": "x\n\U0001f600",
            "action": "do it",
            "agent": "TARS",
            "taskId": "t/1",
            "metadata": {"k": [1]},
        },
    )
    evaluation = response.json()
    assert set(evaluation) == FIELDS
    assert re.fullmatch("eval_[A-Za-z0-9]{16}", evaluation["id"])
    assert response.headers["Location"] == f"{HISTORY}/{evaluation['id']}"
    assert evaluation["metadata"] == {
        "k": [1],
        "actionLength": 5,
        "outputLength": 4,
        "totalLength": 9,
        "actionWordCount": 2,
        "outputWordCount": 2,
        "totalWordCount": 4,
        "outputLineCount": 2,
    }
    assert set(evaluation["breakdown"][0]) == ENTRY
    first, second = evaluation["breakdown"]
    assert (first["scorerName"], first["weight"], first["score"], first["weighted"], first["passed"]) == (
        "Has x",
        2,
        1,
        2,
        True,
    )
    assert (second["weight"], second["score"], second["weighted"], second["passed"]) == (3, 0, 0, False)
    assert (evaluation["score"], evaluation["passed"], evaluation["passThreshold"]) == (0.4, False, 0.5)
    assert api.get(f"{HISTORY}/{evaluation['id']}").json() == evaluation
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", evaluation["createdAt"])


def test_what_is_not_given_is_null(api: Client) -> None:
    evaluation = evaluated(api, made(api)["id"], output="x")
    assert [evaluation[name] for name in ("action", "agent", "taskId")] == [None] * 3
    assert set(evaluation["metadata"]) == COUNTS
    nulls = evaluated(api, evaluation["profileId"], output="x", action=None, agent=None, taskId=None, metadata=None)
    assert {**nulls, "id": 0, "createdAt": 0} == {**evaluation, "id": 0, "createdAt": 0}


def test_an_empty_output_is_an_answer(api: Client) -> None:
    profile = made(api, contains("has"), {"id": "len", "type": "NumericRange", "valuePath": "wordCount", "max": 0})
    evaluation = evaluated(api, profile["id"], output="")
    assert [(entry["status"], entry["score"]) for entry in evaluation["breakdown"]] == [("scored", 0), ("scored", 1)]
    assert evaluation["output"] == ""
    assert evaluation["metadata"]["outputWordCount"] == 0
    assert evaluation["metadata"]["outputLineCount"] == 1


def test_the_servers_counts_overwrite_the_callers(api: Client) -> None:
    evaluation = evaluated(api, made(api)["id"], output="a b", metadata={"outputWordCount": 99, "mine": 1})
    assert evaluation["metadata"]["outputWordCount"] == 2
    assert evaluation["metadata"]["mine"] == 1


@pytest.mark.parametrize(("text", "units", "words", "lines"), facts("text-counts")["cases"], ids=ascii)
def test_the_counts_of_a_text(api: Client, text: str, units: int, words: int, lines: int) -> None:
    counted = evaluated(api, "code-quality", output=text, action=text)["metadata"]
    assert [counted[name] for name in ("outputLength", "outputWordCount", "outputLineCount")] == [units, words, lines]
    assert [counted[name] for name in ("actionLength", "actionWordCount")] == [units, words]
    assert [counted[name] for name in ("totalLength", "totalWordCount")] == [2 * units, 2 * words]


BOUNDS = {"output": 100_000, "action": 10_000, "agent": 128, "taskId": 128}


@pytest.mark.parametrize("astral", [False, True])
@pytest.mark.parametrize("field", BOUNDS)
def test_lengths_are_utf_16_code_units(api: Client, field: str, astral: bool) -> None:
    text = "\U0001f600" * (BOUNDS[field] // 2) if astral else "x" * BOUNDS[field]
    assert utf16_length(text) == BOUNDS[field]
    evaluation = evaluated(api, "code-quality", **{"output": "", field: text})
    assert evaluation[field] == text
    response = post(api, EVALUATE, {"profileId": "code-quality", "output": "", field: text + "x"})
    assert paths_of(response) == [field]
    assert f"{BOUNDS[field]:,}" in error_of(response, 400)["message"]
    assert Evaluation.objects.count() == 1


@pytest.mark.parametrize("filling", ["a", "\u00e9", "\U0001f600", '"'])
def test_metadata_has_64_000_bytes_at_most(api: Client, filling: str) -> None:
    each = {"a": 1, "\u00e9": 2, "\U0001f600": 4, '"': 2}[filling]
    room = 64_000 - len('{"k":""}')
    text = filling * (room // each) + "b" * (room % each)
    assert evaluated(api, "code-quality", output="", metadata={"k": text})["metadata"]["k"] == text
    response = post(api, EVALUATE, {"profileId": "code-quality", "output": "", "metadata": {"k": text + "b"}})
    assert paths_of(response) == ["metadata"]
    assert "64,001" in error_of(response, 400)["message"]


FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    ({"profileId": None}, ["profileId"]),
    ({"profileId": ""}, ["profileId"]),
    ({"profileId": 7}, ["profileId"]),
    ({"profileId": "a" * 65}, ["profileId"]),
    ({"output": None}, ["output"]),
    ({"output": 5}, ["output"]),
    ({"output": ["x"]}, ["output"]),
    ({"action": 5}, ["action"]),
    ({"agent": {}}, ["agent"]),
    ({"taskId": True}, ["taskId"]),
    ({"metadata": []}, ["metadata"]),
    ({"metadata": "x"}, ["metadata"]),
    ({"metadata": 0}, ["metadata"]),
    ({"observation": []}, ["observation"]),
    ({"observation": {"outputs": 1}}, ["observation.outputs"]),
    ({"observation": {"output": "x"}}, ["observation.output"]),
    ({"observation": {"output": {"text": 5}}}, ["observation.output.text"]),
    ({"observation": {"expected": "x"}}, ["observation.expected"]),
    ({"observation": {"output": {"text": "\U0001f600" * 50_000 + "x"}}}, ["observation.output.text"]),
    ({"task_Id": "x"}, ["task_Id"]),
    ({"profileID": "x", "outptu": "x"}, ["profileID", "outptu"]),
    ({"dict": 1}, ["dict"]),
]


@pytest.mark.parametrize(("wrong", "paths"), FAULTS, ids=[str(wrong)[:50] for wrong, _ in FAULTS])
def test_each_fault_is_named(api: Client, wrong: dict[str, Any], paths: list[str]) -> None:
    response = post(api, EVALUATE, {"profileId": "code-quality", "output": "x", **wrong})
    assert sorted(set(paths_of(response))) == sorted(paths)
    assert not Evaluation.objects.exists()


@pytest.mark.parametrize("given", [{}, {"action": "x"}, {"expected": "x"}, {"observation": None}, {"metadata": {}}])
def test_an_answer_is_needed(api: Client, given: dict[str, Any]) -> None:
    assert paths_of(post(api, EVALUATE, {"profileId": "code-quality", **given})) == ["output"]


@pytest.mark.parametrize(
    "profile_id", ["nope", "code-quality ", "CODE-QUALITY", "prof_0000000000000000", "../code-quality", "%00"]
)
def test_an_unknown_profile(api: Client, profile_id: str) -> None:
    assert error_of(post(api, EVALUATE, {"profileId": profile_id, "output": "x"}), 404)["code"] == "RESOURCE_NOT_FOUND"


def test_object_expected_and_observation_come_back(api: Client) -> None:
    profile = made(api, {"id": "e", "type": "ExactMatch"}, in_range(path="object.n", weight=0))
    for given in (
        {"output": "yes", "expected": "yes", "object": {"n": 5}},
        {"observation": {"output": {"text": "yes", "object": {"n": 5}}, "expected": {"answer": "yes"}}},
        {
            "output": "yes",
            "observation": {"output": {"text": "no", "object": {"n": 5}}, "expected": {"answer": ["yes"]}},
        },
    ):
        evaluation = evaluated(api, profile["id"], **given)
        assert [entry["score"] for entry in evaluation["breakdown"]] == [1, 1]
        assert {name: evaluation[name] for name in given} == given
        assert api.get(f"{HISTORY}/{evaluation['id']}").json() == evaluation
    alone = evaluated(api, profile["id"], object={"n": 5}, expected='{"n":5}')
    assert alone["output"] is None
    assert alone["score"] == 1


@pytest.mark.parametrize("value", [None, 0, False, "", [], {}, [[]], "text", 1.5])
def test_an_object_is_any_json(api: Client, value: Any) -> None:
    evaluation = evaluated(
        api, made(api, in_range(path="object", weight=0), contains())["id"], output="x", object=value
    )
    assert evaluation["object"] == value
    assert evaluation["breakdown"][0]["status"] == ("scored" if value in (0, 1.5) and value is not False else "error")


# ---- the verdict -------------------------------------------------------------------------------


@pytest.mark.parametrize("case", facts("composites")["cases"], ids=lambda case: str(case["scores"]))
def test_the_composites_of_the_contract(api: Client, case: dict[str, Any]) -> None:
    scorers = [
        {"id": str(index), "type": "RegexMatch", "pattern": "x", "scoreOnMatch": score, "weight": weight}
        for index, (weight, score) in enumerate(case["scores"])
    ]
    for method in ("weightedAvg", "minimum", "geometricMean"):
        evaluation = evaluated(api, made(api, *scorers, compositeMethod=method)["id"])
        assert evaluation["score"] == pytest.approx(case[method], abs=1e-9)
        assert [entry["weighted"] for entry in evaluation["breakdown"]] == pytest.approx(
            [w * s for w, s in case["scores"]]
        )


@pytest.mark.parametrize(
    ("threshold", "score", "passed"),
    [
        (0, 0, True),
        (0, 0.3, True),
        (None, 0, None),
        (None, 1, None),
        (0.3, 0.3, True),
        (0.3, 0.29999999999999993, False),
        (1, 1, True),
        (1, 0.9999999999999999, False),
    ],
)
def test_the_verdict_is_of_the_score_as_it_is(
    api: Client, threshold: float | None, score: float, passed: bool | None
) -> None:
    scorer = {"id": "r", "type": "RegexMatch", "pattern": "x", "scoreOnMatch": score, "weight": 0.3}
    evaluation = evaluated(api, made(api, scorer, passThreshold=threshold)["id"])
    assert (evaluation["status"], evaluation["score"], evaluation["passed"]) == ("scored", score, passed)


def test_the_verdict_is_not_rounded(api: Client) -> None:
    equals = {"id": "e", "type": "ExactMatch", "weight": 2}
    profile = made(api, equals, contains("c", value="world", weight=1))
    evaluation = evaluated(api, profile["id"], output="Goodbye world", expected="Hello world")
    assert evaluation["score"] == pytest.approx(1 / 3, abs=1e-15)
    assert evaluation["passed"] is False
    third = made(api, equals, contains("c", value="world", weight=1), passThreshold=0.3333)
    assert evaluated(api, third["id"], output="Goodbye world", expected="Hello world")["passed"] is True


@pytest.mark.parametrize("weight", [0, 1])
def test_a_required_scorer_fails_the_whole(api: Client, weight: float) -> None:
    profile = made(
        api, contains("good", weight=9), contains("must", value="q", required=True, weight=weight), passThreshold=0
    )
    failed = evaluated(api, profile["id"], output="x")
    assert (failed["score"], failed["passed"]) == (pytest.approx(9 / (9 + weight)), False)
    assert failed["breakdown"][1]["required"] is True
    assert "required" not in failed["breakdown"][0]
    assert evaluated(api, profile["id"], output="xq")["passed"] is True


def test_a_required_scorer_passes_at_its_own_threshold(api: Client) -> None:
    half = {"id": "h", "type": "RegexMatch", "pattern": "x", "scoreOnMatch": 0.5, "required": True}
    for threshold, passed in ((0.5, True), (0.6, False)):
        evaluation = evaluated(api, made(api, {**half, "passThreshold": threshold})["id"])
        assert (evaluation["score"], evaluation["breakdown"][0]["passed"], evaluation["passed"]) == (
            0.5,
            passed,
            passed,
        )


def test_an_error_is_not_a_zero(api: Client) -> None:
    profile = made(api, contains("good"), in_range("n"), passThreshold=0)
    evaluation = evaluated(api, profile["id"], output="x")
    assert (evaluation["status"], evaluation["score"], evaluation["passed"]) == ("errored", None, None)
    good, bad = evaluation["breakdown"]
    assert (good["status"], good["score"], good["passed"]) == ("scored", 1, True)
    assert (bad["status"], bad["score"], bad["passed"], bad["weighted"]) == ("error", None, None, None)
    assert bad["error"] == {"code": "missing_input", "message": "There is no number at metadata.n."}
    assert bad["explanation"] == bad["error"]["message"]
    assert "error" not in good
    assert api.get(f"{HISTORY}/{evaluation['id']}").json() == evaluation
    measured = evaluated(api, profile["id"], output="x", metadata={"n": 5})
    assert (measured["status"], measured["score"], measured["passed"]) == ("scored", 1, True)


def test_a_reported_error_does_not_cost_the_score(api: Client) -> None:
    evaluation = evaluated(api, made(api, contains("good"), in_range("n", weight=0))["id"], output="x")
    assert (evaluation["status"], evaluation["score"], evaluation["passed"]) == ("scored", 1, True)
    assert evaluation["breakdown"][1]["status"] == "error"


def test_a_required_scorer_that_cannot_measure_leaves_no_verdict(api: Client) -> None:
    profile = made(api, contains("good"), in_range("n", weight=0, required=True), passThreshold=0)
    evaluation = evaluated(api, profile["id"], output="x")
    assert evaluation["passed"] is not True
    assert (evaluation["status"], evaluation["score"], evaluation["passed"]) == ("errored", None, None)


@pytest.mark.parametrize("value", [None, "", "abc", True, False, [], [5], {}, "0x5", "NaN"], ids=repr)
def test_what_is_no_number_cannot_pass(api: Client, value: Any) -> None:
    profile = made(api, in_range(), passThreshold=0)
    assert evaluated(api, profile["id"], output="", metadata={"n": value})["status"] == "errored"


def test_a_runaway_pattern_is_its_scorers_error_alone(api: Client) -> None:
    runaway = {"id": "r", "type": "RegexMatch", "pattern": r"(a*)*\1b", "weight": 0}
    evaluation = evaluated(api, made(api, runaway, contains(value="a"))["id"], output="a" * 64)
    assert evaluation["breakdown"][0]["error"] == {
        "code": "limit",
        "message": "Regex evaluation exceeded the 100 ms limit",
    }
    assert evaluation["score"] == 1
    nested = made(api, {"id": "r", "type": "RegexMatch", "pattern": "^(a+)+$"}, contains(value="a"))
    finished = evaluated(api, nested["id"], output="a" * 30 + "!")
    assert finished["breakdown"][1]["score"] == 1
    assert finished["breakdown"][0]["score"] == 0 or finished["breakdown"][0]["error"]["code"] == "limit"


def test_no_place_for_a_pattern_stores_nothing(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = made(api, contains(), {"id": "r", "type": "RegexMatch", "pattern": "a", "weight": 0})

    def busy(pattern: str, flags: str, text: str) -> None:
        raise javascript.PoolBusy(retry_after=2)

    monkeypatch.setattr(javascript, "search", busy)
    response = post(api, EVALUATE, {"profileId": profile["id"], "output": "x"})
    assert error_of(response, 503)["code"] == "REGEX_CAPACITY"
    assert response.headers["Retry-After"] == "2"
    assert not Evaluation.objects.exists()


def test_a_crash_of_one_scorer_is_its_own_error(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from scoring.scorers.text import Contains

    def crash(self: Contains, observation: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Contains, "score", crash)
    evaluation = evaluated(api, made(api, contains(weight=0), in_range(path="length"))["id"], output="x")
    assert evaluation["breakdown"][0]["error"]["code"] == "scorer_failed"
    assert evaluation["score"] == 1


def test_the_breakdown_keeps_the_order_of_the_profile(api: Client) -> None:
    ids = ["z", "a", "m", "\u00e9", "0"]
    evaluation = evaluated(api, made(api, *(contains(scorer_id) for scorer_id in ids))["id"])
    assert [entry["scorerId"] for entry in evaluation["breakdown"]] == ids
