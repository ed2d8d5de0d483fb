"""Changing profiles over HTTP: partial, conditional, and versions that stay as they were."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry
from tests.scoring.cases import (
    EVALUATE,
    PROFILES,
    contains,
    error_of,
    evaluated,
    made,
    paths_of,
    post,
    put,
)

pytestmark = pytest.mark.django_db


def versions(client: Client, profile_id: str) -> list[dict[str, Any]]:
    return list(client.get(f"{PROFILES}/{profile_id}/versions").json())


def test_only_the_keys_sent_change(api: Client) -> None:
    profile = made(api, contains("a"), contains("b"), description="Why", passThreshold=0.75, compositeMethod="minimum")
    address = f"{PROFILES}/{profile['id']}"
    response = put(api, address, {"description": None})
    assert response.headers["ETag"] == '"2"'
    assert {**response.json(), "updatedAt": 0} == {**profile, "description": None, "version": 2, "updatedAt": 0}
    changed = put(api, address, {"scorers": [contains("b", weight=2)]}).json()
    assert [scorer["id"] for scorer in changed["scorers"]] == ["b"]
    assert (changed["passThreshold"], changed["compositeMethod"], changed["version"]) == (0.75, "minimum", 3)
    assert put(api, address, {"passThreshold": None}).json()["passThreshold"] is None
    assert put(api, address, {"name": " N "}).json()["name"] == "N"
    assert api.get(PROFILES).json()[-1]["name"] == "N"


@pytest.mark.parametrize(
    "body", [{}, {"id": "x", "version": 7}, {"name": "Ours"}, {"passThreshold": 0.5}, {"scorers": [contains()]}]
)
def test_a_change_that_changes_nothing_makes_no_version(api: Client, body: dict[str, Any]) -> None:
    profile = made(api)
    entries = AuditEntry.objects.count()
    assert put(api, f"{PROFILES}/{profile['id']}", body).json() == profile
    assert put(api, f"{PROFILES}/{profile['id']}", profile).json() == profile
    assert len(versions(api, profile["id"])) == 1
    assert AuditEntry.objects.count() == entries


def test_versions_stay_as_they_were(api: Client) -> None:
    profile = made(api)
    address = f"{PROFILES}/{profile['id']}"
    second = put(api, address, {"name": "Second", "scorers": [contains(value="y", weight=3)]}).json()
    assert api.get(address, {"version": 1}).json() == profile
    assert api.get(address, {"version": 2}).json() == second
    listed = versions(api, profile["id"])
    assert [version["version"] for version in listed] == [2, 1]
    assert [version["createdBy"] for version in listed] == ["olga", "olga"]
    assert listed[1]["changes"] == []
    assert {(change["path"], change["kind"]) for change in listed[0]["changes"]} == {
        ("name", "changed"),
        ("scorers.s.value", "changed"),
        ("scorers.s.weight", "changed"),
    }
    for number in (0, 3, 999_999_999):
        assert error_of(api.get(address, {"version": number}), 404)["code"] == "RESOURCE_NOT_FOUND"
    for raw in ("", "x", "-1", "1.5", "\u0661", "9" * 24):
        assert paths_of(api.get(address, {"version": raw})) == ["version"], raw


def test_an_evaluation_names_the_version_that_it_used(api: Client) -> None:
    profile = made(api, contains(value="x"))
    first = evaluated(api, profile["id"])
    put(
        api,
        f"{PROFILES}/{profile['id']}",
        {"name": "New", "compositeMethod": "minimum", "scorers": [contains(value="y")]},
    )
    second = evaluated(api, profile["id"])
    assert [
        (item["profileVersion"], item["profileName"], item["compositeMethod"], item["score"])
        for item in (first, second)
    ] == [
        (1, "Ours", "weightedAvg", 1),
        (2, "New", "minimum", 0),
    ]


@pytest.mark.parametrize("tag", ['"1"', "1", 'W/"1"', "*", "", ' "1" '])
def test_a_fresh_condition_lets_the_change_through(api: Client, tag: str) -> None:
    profile = made(api)
    assert put(api, f"{PROFILES}/{profile['id']}", {"name": "New"}, If_Match=tag).json()["version"] == 2


def test_a_stale_condition_shows_both_versions(api: Client) -> None:
    profile = made(api)
    address = f"{PROFILES}/{profile['id']}"
    theirs = put(api, address, {"name": "Theirs"}, If_Match='"1"').json()
    error = error_of(put(api, address, {"name": "Mine"}, If_Match='"1"'), 412)
    assert error["code"] == "STALE_VERSION"
    assert (error["meta"]["yourVersion"], error["meta"]["currentVersion"]) == (1, 2)
    assert error["meta"]["current"] == theirs
    assert error_of(put(api, address, {}, If_Match='"3"'), 412)["meta"]["currentVersion"] == 2
    assert api.get(address).json() == theirs
    assert put(api, address, {"name": "Mine"}, If_Match="*").json()["version"] == 3


@pytest.mark.parametrize(
    "tag", ['""', '"x"', '"-1"', '"1.0"', '"1", "2"', '"1', '"1234567890"', '"\u0661"', "W/", "null"]
)
def test_a_malformed_condition_is_refused(api: Client, tag: str) -> None:
    profile = made(api)
    assert paths_of(put(api, f"{PROFILES}/{profile['id']}", {"name": "New"}, If_Match=tag)) == ["If-Match"]
    assert len(versions(api, profile["id"])) == 1


def test_a_deleted_profile_is_gone_and_what_it_said_stays(api: Client) -> None:
    profile = made(api)
    evaluation = evaluated(api, profile["id"])
    address = f"{PROFILES}/{profile['id']}"
    response = api.delete(address)
    assert (response.status_code, response.content) == (204, b"")
    for gone in (
        api.get(address),
        put(api, address, {}),
        api.delete(address),
        api.get(address + "/versions"),
        api.get(address, {"version": 1}),
    ):
        assert error_of(gone, 404)["code"] == "RESOURCE_NOT_FOUND"
    assert (
        error_of(post(api, EVALUATE, {"profileId": profile["id"], "output": "x"}), 404)["code"] == "RESOURCE_NOT_FOUND"
    )
    assert profile["id"] not in [item["id"] for item in api.get(PROFILES).json()]
    assert api.get(f"/api/scoring/history/{evaluation['id']}").json() == evaluation
    assert AuditEntry.objects.filter(action="profile.deleted", object_id=profile["id"]).count() == 1
    assert made(api, name=profile["name"])["version"] == 1
