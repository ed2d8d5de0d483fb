"""Profiles that are stored and not what is written today: they are shown, and err where they must."""

import json
from typing import Any

import pytest
from django.test import Client

from scoring.models import Profile, ProfileVersion
from scoring.queries.profiles import forget_loaded
from tests.scoring.cases import (
    EVALUATE,
    PROFILES,
    contains,
    error_of,
    evaluated,
    paths_of,
    post,
    put,
)

pytestmark = pytest.mark.django_db


def versions(client: Client, profile_id: str) -> list[dict[str, Any]]:
    return list(client.get(f"{PROFILES}/{profile_id}/versions").json())


def stored(document: dict[str, Any]) -> str:
    """The id of a profile whose stored document is this, whatever is accepted today."""
    row = Profile.objects.create(name=str(document["name"]), name_key=str(document["name"]).casefold())
    ProfileVersion.objects.create(profile=row, number=1, document=document)
    forget_loaded()
    return str(row.pk)


OLD = {
    "name": "Old",
    "scorers": [
        {"id": "s", "type": "Contains", "value": "x"},
        {"id": "n", "type": "numeric_range", "valuePath": "length", "max": 5},
    ],
}


def test_a_profile_that_an_older_version_wrote(api: Client) -> None:
    profile_id = stored(OLD)
    profile = api.get(f"{PROFILES}/{profile_id}").json()
    assert (profile["compositeMethod"], profile["passThreshold"], profile["description"]) == ("weightedAvg", 0.5, None)
    assert [scorer["name"] for scorer in profile["scorers"]] == ["s", "n"]
    assert profile["scorers"][1]["type"] == "NumericRange"
    assert evaluated(api, profile_id, output="x")["score"] == 1
    for body in ({}, profile, {"name": "Old"}, {"scorers": profile["scorers"]}):
        assert put(api, f"{PROFILES}/{profile_id}", body).json()["version"] == 1
    changed = put(api, f"{PROFILES}/{profile_id}", {"description": "New"}).json()
    assert changed["version"] == 2
    assert [change["path"] for change in versions(api, profile_id)[0]["changes"]] == ["description"]


LEGACY = {
    "name": "Legacy",
    "description": None,
    "compositeMethod": "minimum",
    "passThreshold": 0.5,
    "scorers": [
        contains(),
        {"id": "old", "name": "Old", "type": "CustomExpression", "weight": 1, "expression": "output.length > 5"},
    ],
}


def test_a_stored_custom_expression_is_never_run(api: Client) -> None:
    profile_id = stored(LEGACY)
    address = f"{PROFILES}/{profile_id}"
    shown = api.get(address).json()
    assert shown["scorers"][1] == LEGACY["scorers"][1]  # type: ignore[index]
    error = error_of(post(api, EVALUATE, {"profileId": profile_id, "output": "x"}), 422)
    assert error["code"] == "LEGACY_SCORER"
    assert error["meta"]["scorerIds"] == ["old"]
    assert api.get("/api/scoring/history").getvalue() == b"[]"
    renamed = put(api, address, {"name": "Renamed"})
    assert renamed.status_code == 200
    assert renamed.json()["scorers"][1]["expression"] == "output.length > 5"
    assert error_of(post(api, EVALUATE, {"profileId": profile_id, "output": "x"}), 422)
    assert paths_of(put(api, address, {"scorers": shown["scorers"]})) == ["scorers.1.type"]
    ratio = {"id": "old", "type": "OccurrenceRatio", "needles": ["x"]}
    assert put(api, address, {"scorers": [contains(), ratio]}).status_code == 200
    assert evaluated(api, profile_id)["score"] == 1
    assert api.get(address, {"version": 1}).json()["scorers"][1]["type"] == "CustomExpression"


@pytest.mark.parametrize("weight", [0, 1])
def test_a_stored_scorer_that_no_longer_works_errs_alone(api: Client, weight: float) -> None:
    broken = {"id": "r", "type": "RegexMatch", "pattern": "([a-z", "weight": weight}
    unknown = {"id": "g", "type": "GoneType", "weight": 0}
    worn = {"id": "w", "type": "Contains", "value": 5, "weight": 0}
    profile_id = stored({**OLD, "scorers": [contains(), broken, unknown, worn]})
    evaluation = evaluated(api, profile_id)
    assert [(entry["status"], entry.get("error", {}).get("code")) for entry in evaluation["breakdown"]] == [
        ("scored", None),
        ("error", "config"),
        ("error", "config"),
        ("error", "config"),
    ]
    assert evaluation["status"] == ("errored" if weight else "scored")
    assert evaluation["score"] == (None if weight else 1)
    assert "value" in evaluation["breakdown"][3]["explanation"]
    listed = api.get("/api/scoring/history")
    assert json.loads(listed.getvalue()) == [evaluation]
    assert len(api.get(f"{PROFILES}/{profile_id}").json()["scorers"]) == 4
