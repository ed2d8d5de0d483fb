"""Lint over HTTP: what it takes, what it answers, and that it stores nothing."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry
from scoring.models import Evaluation, Profile
from tests.scoring.api.test_query_counts import queries
from tests.scoring.api.test_stored_profiles import stored
from tests.scoring.cases import (
    BATCH,
    LINT,
    PROFILES,
    contains,
    error_of,
    evaluated,
    in_range,
    listed,
    made,
    paths_of,
    post,
    profile_body,
    put,
)

pytestmark = pytest.mark.django_db
SAMPLES = [{"output": "x"}, {"output": "y"}, {"output": "xy"}]
CONSTANT = {"id": "c", "type": "JsonLogic", "expression": {"==": [1, 1]}}


def linted(api: Client, body: Any) -> Any:
    response = post(api, LINT, body)
    assert response.status_code == 200, response.content
    return response.json()


def test_an_unsaved_profile_and_samples(api: Client) -> None:
    body = {"profile": profile_body(contains("a"), CONSTANT, in_range("n")), "observations": SAMPLES}
    found = linted(api, body)
    assert set(found) == {"findings", "samples", "skipped", "checked", "evaluationIds"}
    assert (found["samples"], found["skipped"], found["evaluationIds"]) == (3, {"unfinished": 0, "outOfTime": 0}, [])
    assert found["checked"] == [
        {"scorerId": "a", "passed": 2, "failed": 1, "measured": 0, "errored": 0},
        {"scorerId": "c", "passed": 3, "failed": 0, "measured": 0, "errored": 0},
        {"scorerId": "n", "passed": 0, "failed": 0, "measured": 0, "errored": 3},
    ]
    certain, shown = found["findings"]
    assert certain == {
        "scorerId": "c",
        "code": "never_fails",
        "message": certain["message"],
        "certain": True,
        "samples": 0,
        "affected": 0,
        "indices": [],
        "atMost": None,
        "otherId": None,
    }
    assert (shown["scorerId"], shown["code"], shown["certain"]) == ("n", "always_errs", False)
    assert (shown["samples"], shown["affected"], shown["indices"]) == (3, 3, [0, 1, 2])
    assert shown["atMost"] == pytest.approx(0.5615, abs=1e-4)
    assert "missing_input" in shown["message"]


def test_settings_alone(api: Client) -> None:
    found = linted(api, {"profile": profile_body(contains("a"), CONSTANT)})
    assert [finding["code"] for finding in found["findings"]] == ["never_fails"]
    assert found["samples"] == 0


def test_a_stored_profile_and_its_newest_evaluations(api: Client) -> None:
    profile, other = made(api, contains("a")), made(api, contains("a"))
    ids = [evaluated(api, profile["id"], output=output)["id"] for output in ("y", "x", "x", "x")]
    evaluated(api, other["id"], output="y")
    found = linted(api, {"profileId": profile["id"], "recent": 3})
    assert found["evaluationIds"] == ids[:0:-1]
    assert [(item["code"], item["samples"]) for item in found["findings"]] == [("never_fails", 3)]
    found = linted(api, {"profileId": profile["id"], "recent": 200})
    assert (found["samples"], found["findings"]) == (4, [])


def test_observations_come_before_stored_ones(api: Client) -> None:
    profile = made(api, {"id": "h", "type": "HitAtK"})
    chunks = {"retrieval": {"chunks": [{"id": "a"}]}}
    evaluated(api, profile["id"], observation=chunks, expected={"chunks": {"a": 0}})
    good = {"observation": chunks, "expected": {"chunks": ["a"]}}
    found = linted(api, {"profileId": profile["id"], "recent": 5, "observations": [good, good]})
    assert found["samples"] == 3
    [vacuous] = [item for item in found["findings"] if item["code"] == "vacuous_ground_truth"]
    assert (vacuous["indices"], vacuous["affected"], vacuous["samples"]) == ([2], 1, 3)
    assert len(found["evaluationIds"]) == 1


def test_a_version_of_a_stored_profile(api: Client) -> None:
    profile = made(api, contains("a"), CONSTANT)
    address = f"{PROFILES}/{profile['id']}"
    assert put(api, address, {"scorers": [contains("a")]}).status_code == 200
    assert linted(api, {"profileId": profile["id"]})["findings"] == []
    assert [item["scorerId"] for item in linted(api, {"profileId": profile["id"], "version": 1})["findings"]] == ["c"]
    assert error_of(post(api, LINT, {"profileId": profile["id"], "version": 3}), 404)["code"] == "RESOURCE_NOT_FOUND"
    assert error_of(post(api, LINT, {"profileId": "prof_unknown"}), 404)["code"] == "RESOURCE_NOT_FOUND"


def test_an_agent_that_did_not_finish_is_no_sample(api: Client) -> None:
    broken = {"observation": {"outcome": {"status": "timeout"}}}
    found = linted(api, {"profile": profile_body(contains("a")), "observations": [broken, *SAMPLES]})
    assert (found["samples"], found["skipped"]["unfinished"], found["findings"]) == (3, 1, [])


def test_items_of_a_batch_are_taken_as_they_are(api: Client) -> None:
    items = [{"profileId": "code-quality", "agent": "A", "taskId": "1", **sample} for sample in SAMPLES]
    assert len(listed(post(api, BATCH, items))) == 3
    assert linted(api, {"profile": profile_body(contains("a")), "observations": items})["samples"] == 3


def test_a_stored_profile_with_a_scorer_that_was_removed(api: Client) -> None:
    old = {"id": "old", "type": "CustomExpression", "weight": 1, "expression": "1"}
    profile_id = stored({"name": "Old", "scorers": [contains("a"), old]})
    found = linted(api, {"profileId": profile_id, "observations": SAMPLES})["findings"]
    assert [(item["scorerId"], item["code"]) for item in found] == [
        (None, "threshold_never_reached"),
        ("old", "always_errs"),
    ]
    assert "removed" in found[1]["message"]


BODY = {"profile": profile_body(contains("a"))}


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "profile"),
        ([], ""),
        ({**BODY, "profileId": "code-quality"}, "profileId"),
        ({**BODY, "recent": 5}, "recent"),
        ({**BODY, "version": 1}, "version"),
        ({**BODY, "extra": 1}, "extra"),
        ({**BODY, "observations": {}}, "observations"),
        ({**BODY, "observations": [{"output": "x"}] * 101}, "observations"),
        ({**BODY, "observations": [{"output": "x"}, {"output": "x", "extra": 1}]}, "observations.1.extra"),
        ({**BODY, "observations": [{}]}, "observations.0.output"),
        ({**BODY, "observations": [{"output": 5}]}, "observations.0.output"),
        (
            {**BODY, "observations": [{"output": "x"}, {"observation": {"output": {"text": 5}}}]},
            "observations.1.observation.output.text",
        ),
        ({**BODY, "observations": [None]}, "observations.0"),
        ({"profile": {"name": "x"}}, "profile.scorers"),
        ({"profile": profile_body(contains("a", weight=-1))}, "profile.scorers.0.weight"),
        ({"profile": 5}, "profile"),
        ({"profileId": "code-quality", "recent": 201}, "recent"),
        ({"profileId": "code-quality", "recent": -1}, "recent"),
        ({"profileId": "code-quality", "recent": 1.5}, "recent"),
        ({"profileId": "code-quality", "recent": True}, "recent"),
        ({"profileId": "code-quality", "version": 0}, "version"),
        ({"profileId": "code-quality", "version": 2**31}, "version"),
        ({"profileId": "p" * 65}, "profileId"),
        ({"profileId": ""}, "profileId"),
    ],
)
def test_what_is_wrong_is_named_at_its_path(api: Client, body: Any, path: str) -> None:
    assert path in paths_of(post(api, LINT, body))


def test_the_bounds_are_met_at_their_edges(api: Client) -> None:
    assert linted(api, {**BODY, "observations": [{"output": "x"}, {"output": "y"}] * 50})["samples"] == 100
    assert linted(api, {"profileId": "code-quality", "recent": 200})["samples"] == 0


def test_nothing_is_stored(api: Client) -> None:
    profile = made(api, contains("a"))
    evaluated(api, profile["id"], output="x")
    before = (Profile.objects.count(), Evaluation.objects.count(), AuditEntry.objects.count())
    linted(api, {"profileId": profile["id"], "recent": 10, "observations": SAMPLES})
    assert (Profile.objects.count(), Evaluation.objects.count(), AuditEntry.objects.count()) == before


def test_few_queries(api: Client) -> None:
    profile = made(api, contains("a"))
    post(api, BATCH, [{"profileId": profile["id"], "output": "x"}] * 60).getvalue()
    # The session, the person, the profile with its version, the evaluations.
    assert queries(lambda: post(api, LINT, {"profileId": profile["id"], "recent": 60})) <= 4
