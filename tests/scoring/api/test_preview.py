"""Trying a profile that is not saved: it answers as an evaluation would, and stores nothing."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry
from scoring.models import Evaluation, Profile
from tests.scoring.cases import PREVIEW, contains, error_of, evaluated, in_range, made, paths_of, post, profile_body

pytestmark = pytest.mark.django_db


def test_a_preview_of_an_answer_says_what_the_evaluation_would(api: Client) -> None:
    body = profile_body(contains("a", weight=2), in_range("n", weight=0), contains("b", value="q"))
    answer = {"output": "x", "action": "do", "metadata": {"n": "7"}, "expected": "y", "object": [1]}
    (preview,) = post(api, PREVIEW, {"profile": body, **answer}).json()["results"]
    evaluation = evaluated(api, made(api, *body["scorers"])["id"], **answer)
    assert set(preview) == {"status", "score", "passed", "breakdown"}
    assert preview == {name: evaluation[name] for name in preview}


def test_nothing_is_stored(api: Client) -> None:
    first = evaluated(api, "code-quality", output="x")
    before = (Profile.objects.count(), Evaluation.objects.count(), AuditEntry.objects.count())
    assert post(api, PREVIEW, {"profile": profile_body(), "output": "x"}).status_code == 200
    assert post(api, PREVIEW, {"profile": profile_body(), "evaluationIds": [first["id"]]}).status_code == 200
    assert (Profile.objects.count(), Evaluation.objects.count(), AuditEntry.objects.count()) == before


def test_stored_evaluations_are_scored_again_in_the_order_asked_for(api: Client) -> None:
    profile = made(api, contains(value="x"))
    ids = [evaluated(api, profile["id"], output=output)["id"] for output in ("x", "y", "xy", "")]
    asked = [ids[2], ids[0], ids[3], ids[1], ids[0]]
    results = post(api, PREVIEW, {"profile": profile_body(contains(value="y")), "evaluationIds": asked}).json()[
        "results"
    ]
    assert [result["evaluationId"] for result in results] == asked
    assert [result["score"] for result in results] == [1, 0, 0, 1, 0]
    assert [result["previous"]["score"] for result in results] == [1, 1, 0, 0, 1]
    assert [result["flips"] for result in results] == [False, True, False, True, True]
    assert results[0]["previous"] == {"status": "scored", "score": 1, "passed": True}


def test_what_was_given_beside_the_output_is_seen_again(api: Client) -> None:
    given: dict[str, Any] = {"object": {"n": 4}, "expected": "yes", "action": "act", "metadata": {"m": 1}}
    stored = evaluated(api, "code-quality", output="yes", **given)
    without_text = evaluated(api, "code-quality", object={"n": 5})
    body = profile_body(
        {"id": "e", "type": "ExactMatch"}, in_range(path="object.n"), contains("c", value="act", target="action")
    )
    results = post(api, PREVIEW, {"profile": body, "evaluationIds": [stored["id"], without_text["id"]]}).json()[
        "results"
    ]
    assert [entry["score"] for entry in results[0]["breakdown"]] == [1, 1, 1]
    assert [entry["status"] for entry in results[1]["breakdown"]] == ["error", "scored", "scored"]


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        ({}, ["profile"]),
        ({"profile": profile_body()}, ["output"]),
        ({"profile": profile_body(), "output": "x", "evaluationIds": ["eval_x"]}, ["evaluationIds"]),
        ({"profile": profile_body(), "object": 1, "evaluationIds": ["eval_x"]}, ["evaluationIds"]),
        ({"profile": profile_body(), "evaluationIds": []}, ["evaluationIds"]),
        ({"profile": profile_body(), "evaluationIds": ["e"] * 51}, ["evaluationIds"]),
        ({"profile": profile_body(), "evaluationIds": "eval_x"}, ["evaluationIds"]),
        ({"profile": profile_body(), "evaluationIds": [5]}, ["evaluationIds.0"]),
        ({"profile": [], "output": "x"}, ["profile"]),
        ({"profile": {}, "output": "x"}, ["profile.name", "profile.scorers"]),
        ({"profile": profile_body(contains(weight=-1)), "output": "x"}, ["profile.scorers.0.weight"]),
        (
            {"profile": profile_body({"id": "r", "type": "RegexMatch", "pattern": "("}), "output": "x"},
            ["profile.scorers.0.pattern"],
        ),
        ({"profile": profile_body(), "output": "x", "profileId": "code-quality"}, ["profileId"]),
        ({"profile": profile_body(), "output": "a" * 100_001}, ["output"]),
    ],
)
def test_each_fault_is_named(api: Client, body: dict[str, Any], paths: list[str]) -> None:
    assert paths_of(post(api, PREVIEW, body)) == paths


def test_an_unknown_evaluation_is_named(api: Client) -> None:
    known = evaluated(api, "code-quality", output="x")["id"]
    error = error_of(post(api, PREVIEW, {"profile": profile_body(), "evaluationIds": [known, "eval_nope"]}), 404)
    assert error["meta"]["evaluationId"] == "eval_nope"


def test_fifty_at_once(api: Client) -> None:
    ids = [evaluated(api, "code-quality", output=str(number))["id"] for number in range(50)]
    results = post(api, PREVIEW, {"profile": profile_body(contains(value="7")), "evaluationIds": ids}).json()["results"]
    assert [index for index, result in enumerate(results) if result["score"]] == [7, 17, 27, 37, 47]
