"""Profiles over HTTP: their fields and bounds, partial and conditional changes, the built-ins."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry, User
from scoring.models import Profile, ProfileVersion
from scoring.queries.profiles import forget_loaded
from tests.people import ClientFor
from tests.scoring.cases import (
    EVALUATE,
    PROFILES,
    contains,
    error_of,
    evaluated,
    in_range,
    made,
    paths_of,
    post,
    profile_body,
    put,
)

pytestmark = pytest.mark.django_db
BUILT_IN = ["code-quality", "task-efficiency", "convention-compliance"]


def versions(client: Client, profile_id: str) -> list[dict[str, Any]]:
    return list(client.get(f"{PROFILES}/{profile_id}/versions").json())


def test_a_new_profile(api: Client) -> None:
    response = post(api, PROFILES, profile_body(contains(), name="  Ours\n"))
    profile = response.json()
    assert response.headers["Location"] == f"{PROFILES}/{profile['id']}"
    assert response.headers["ETag"] == '"1"'
    assert profile["id"].startswith("prof_")
    assert len(profile["id"]) == 5 + 16
    assert profile["id"][5:].isalnum()
    assert (profile["name"], profile["version"], profile["builtIn"]) == ("Ours", 1, False)
    assert (profile["compositeMethod"], profile["passThreshold"], profile["description"]) == ("weightedAvg", 0.5, None)
    assert profile["createdAt"] == profile["updatedAt"]
    (scorer,) = profile["scorers"]
    assert scorer == {
        "id": "s", "name": "s", "type": "Contains", "value": "x", "caseSensitive": False,
        "weight": 1, "required": False, "passThreshold": 1, "target": "output", "negate": False,
    }  # fmt: skip
    assert api.get(f"{PROFILES}/{profile['id']}").json() == profile
    assert AuditEntry.objects.filter(action="profile.created", object_id=profile["id"]).count() == 1


@pytest.mark.parametrize("method", ["weightedAvg", "minimum", "geometricMean"])
@pytest.mark.parametrize("threshold", [0, 0.123456789012345, 1, None])
def test_methods_and_thresholds(api: Client, method: str, threshold: float | None) -> None:
    profile = made(api, compositeMethod=method, passThreshold=threshold)
    assert (profile["compositeMethod"], profile["passThreshold"]) == (method, threshold)


HEAD_FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"name": None}, "name"),
    ({"name": ""}, "name"),
    ({"name": "   "}, "name"),
    ({"name": "\u3000\u2003\t"}, "name"),
    ({"name": 5}, "name"),
    ({"name": ["a"]}, "name"),
    ({"name": "a" * 257}, "name"),
    ({"name": "\U0001f600" * 128 + "a"}, "name"),
    ({"description": "a" * 4001}, "description"),
    ({"description": "\U0001f600" * 2000 + "a"}, "description"),
    ({"description": 1}, "description"),
    ({"compositeMethod": "average"}, "compositeMethod"),
    ({"compositeMethod": "weightedavg"}, "compositeMethod"),
    ({"compositeMethod": None}, "compositeMethod"),
    ({"compositeMethod": ["minimum"]}, "compositeMethod"),
    ({"passThreshold": -0.0000001}, "passThreshold"),
    ({"passThreshold": 1.0000001}, "passThreshold"),
    ({"passThreshold": "0.5"}, "passThreshold"),
    ({"passThreshold": True}, "passThreshold"),
    ({"passThreshold": []}, "passThreshold"),
    ({"scorers": []}, "scorers"),
    ({"scorers": None}, "scorers"),
    ({"scorers": {}}, "scorers"),
    ({"scorers": "x"}, "scorers"),
    ({"scorers": [contains(str(index)) for index in range(65)]}, "scorers"),
    ({"scorers": [contains(), None]}, "scorers.1"),
    ({"scorers": [contains(), []]}, "scorers.1"),
    ({"scorers": [contains("a"), contains("b"), contains("a")]}, "scorers.2.id"),
    ({"scorers": [contains(weight=0)]}, "scorers"),
    ({"scorers": [contains("a", weight=0), contains("b", weight=0, required=True)]}, "scorers"),
    ({"scorers": [{"id": "a"}]}, "scorers.0.type"),
    ({"scorers": [{"id": "a", "type": None}]}, "scorers.0.type"),
    ({"scorers": [{"id": "a", "type": 5}]}, "scorers.0.type"),
    ({"scorers": [{"id": "a", "type": "Nope"}]}, "scorers.0.type"),
    ({"scorers": [{"id": "a", "type": "CustomExpression", "expression": "1"}]}, "scorers.0.type"),
    ({"scorers": [contains(id="a" * 129)]}, "scorers.0.id"),
    ({"scorers": [contains(id="")]}, "scorers.0.id"),
    ({"scorers": [contains(id=5)]}, "scorers.0.id"),
    ({"scorers": [contains(name="")]}, "scorers.0.name"),
    ({"scorers": [contains(name="a" * 257)]}, "scorers.0.name"),
    ({"scorers": [contains(weight=-1)]}, "scorers.0.weight"),
    ({"scorers": [contains(weight=1_000_000.1)]}, "scorers.0.weight"),
    ({"scorers": [contains(weight="1")]}, "scorers.0.weight"),
    ({"scorers": [contains(weight=None)]}, "scorers.0.weight"),
    ({"scorers": [contains(required="yes")]}, "scorers.0.required"),
    ({"scorers": [contains(passThreshold=0)]}, "scorers.0.passThreshold"),
    ({"scorers": [contains(target="both")]}, "scorers.0.target"),
    ({"scorers": [{"id": "r", "type": "RegexMatch", "pattern": "([a-z"}]}, "scorers.0.pattern"),
    ({"scorers": [contains(), {"id": "r", "type": "RegexMatch", "pattern": "a", "flags": "uv"}]}, "scorers.1.pattern"),
    ({"scorers": [in_range(min=2, max=1)]}, "scorers.0.min"),
    ({"scorers": [{"id": "n", "type": "NumericRange", "valuePath": "length"}]}, "scorers.0.min"),
    ({"scorers": [in_range(falloff=0)]}, "scorers.0.falloff"),
    ({"scorers": [{"id": "k", "type": "KeywordContains", "keywords": ["a", " "]}]}, "scorers.0.keywords.1"),
    ({"scorers": [{"id": "k", "type": "KeywordContains", "keywords": []}]}, "scorers.0.keywords"),
    ({"scorers": [{"id": "o", "type": "OccurrenceRatio", "needles": ["a"], "denominator": 0}]}, "scorers.0.denominator"),
    ({"scorrers": []}, "scorrers"),
    ({"list": 1}, "list"),
    ({"passThreshhold": 1}, "passThreshhold"),
    ({"scorers": [contains(wieght=1)]}, "scorers.0.wieght"),
]


@pytest.mark.parametrize(("wrong", "path"), HEAD_FAULTS, ids=[f"{path}: {json.dumps(wrong)[:50]}" for wrong, path in HEAD_FAULTS])
def test_each_fault_is_named_at_its_path(api: Client, wrong: dict[str, Any], path: str) -> None:
    assert paths_of(post(api, PROFILES, {**profile_body(), **wrong})) == [path]
    assert Profile.objects.count() == len(BUILT_IN)
    profile = made(api)
    assert paths_of(put(api, f"{PROFILES}/{profile['id']}", wrong)) == [path]
    assert api.get(f"{PROFILES}/{profile['id']}").json() == profile


def test_all_faults_are_told_at_once_with_the_scorers_id(api: Client) -> None:
    body = {"passThreshold": 2, "typo": 1, "scorers": [contains("a", weight=-1), contains("b", target="x", value="")]}
    fields = error_of(post(api, PROFILES, body), 400)["meta"]["fields"]
    assert {(field["path"], field.get("scorerId")) for field in fields} == {
        ("name", None),
        ("passThreshold", None),
        ("typo", None),
        ("scorers.0.weight", "a"),
        ("scorers.1.target", "b"),
        ("scorers.1.value", "b"),
    }


def test_a_removed_scorer_type_names_its_replacement(api: Client) -> None:
    body = profile_body({"id": "old", "type": "CustomExpression", "expression": "output.length"})
    fault = error_of(post(api, PROFILES, body), 400)["meta"]["fields"][0]
    assert (fault["path"], fault["scorerId"]) == ("scorers.0.type", "old")
    assert "OccurrenceRatio" in fault["message"]


def test_the_largest_profile_there_is(api: Client) -> None:
    astral = "\U0001f600" * 127
    keywords = [f"{astral}{index:02}" for index in range(64)]
    scorers = [
        {"id": f"{index:02}" + "i" * 126, "name": "\U0001f600" * 128, "type": "KeywordContains", "keywords": keywords}
        for index in range(8)
    ]
    profile = made(api, *scorers, name="\U0001f600" * 128, description="\U0001f600" * 2000)
    assert profile["scorers"][7]["keywords"] == keywords
    many = [{"id": str(index), "type": "KeywordContains", "keywords": [f"word {index} {number}" for number in range(64)]} for index in range(64)]
    profile = made(api, *many)
    evaluation = evaluated(api, profile["id"], output="word 63 63")
    assert [entry["score"] for entry in evaluation["breakdown"]] == [0] * 63 + [1]
    assert evaluation["score"] == 1 / 64


def test_what_a_client_read_may_be_sent_back(api: Client) -> None:
    profile = made(api)
    sent = {**profile, "id": "prof_other", "version": 99, "builtIn": True, "createdAt": "x", "updatedAt": 5, "name": "New"}
    changed = put(api, f"{PROFILES}/{profile['id']}", sent).json()
    assert {**changed, "updatedAt": None} == {**profile, "name": "New", "version": 2, "updatedAt": None}
    again = post(api, PROFILES, changed)
    assert again.status_code == 201
    assert again.json()["id"] != profile["id"]
    assert (again.json()["version"], again.json()["builtIn"]) == (1, False)


@pytest.mark.parametrize(
    "body",
    [
        {"name": "Ours", "composite_method": "minimum", "pass_threshold": 0.25,
         "scorers": [{"id": "s", "type": "numeric_range", "value_path": "length", "min": 1, "score_on_miss": 0.5, "pass_threshold": 0.5}]},
        {"name": "Ours", "compositeMethod": "minimum", "passThreshold": 0.25,
         "scorers": [{"id": "s", "type": "NumericRange", "valuePath": "length", "min": 1, "scoreOnMiss": 0.5, "passThreshold": 0.5}]},
    ],
)  # fmt: skip
def test_both_spellings_are_taken_and_one_is_answered(api: Client, body: dict[str, Any]) -> None:
    profile = post(api, PROFILES, body).json()
    assert (profile["compositeMethod"], profile["passThreshold"]) == ("minimum", 0.25)
    assert profile["scorers"][0]["type"] == "NumericRange"
    assert profile["scorers"][0]["scoreOnMiss"] == profile["scorers"][0]["passThreshold"] == 0.5
    assert "score_on_miss" not in profile["scorers"][0]


def test_the_list_is_the_built_ins_and_then_by_name_in_any_script(api: Client) -> None:
    for name in ("b", "A", "\u00e4", "Z", "\u0416", "\u0436a", "\U0001f600", "a"):
        made(api, name=name)
    names = [profile["name"] for profile in api.get(PROFILES).json()]
    assert names[:3] == ["Code Quality", "Convention Compliance", "Task Efficiency"]
    assert [name.casefold() for name in names[3:]] == sorted(name.casefold() for name in names[3:])
    assert {"A", "a"} == set(names[3:5])


def test_the_built_ins_are_what_the_contract_says(api: Client) -> None:
    quality, efficiency, compliance = (api.get(f"{PROFILES}/{profile_id}").json() for profile_id in BUILT_IN)
    assert [profile["compositeMethod"] for profile in (quality, efficiency, compliance)] == ["weightedAvg", "geometricMean", "minimum"]
    assert all(profile["builtIn"] and profile["version"] == 1 for profile in (quality, efficiency, compliance))
    assert [(s["id"], s["type"], s["weight"], s["target"]) for s in quality["scorers"]] == [
        ("mentions-verification", "KeywordContains", 0.35, "combined"),
        ("avoids-todo", "RegexMatch", 0.30, "output"),
        ("balanced-length", "NumericRange", 0.35, "output"),
    ]
    assert quality["scorers"][0]["keywords"] == ["test", "tests", "lint", "verified", "validation"]
    assert quality["scorers"][1]["pattern"] == r"\b(?:TODO|FIXME|XXX)\b"
    assert quality["scorers"][1]["invert"] is True
    assert [quality["scorers"][2][name] for name in ("valuePath", "min", "max")] == ["metadata.outputWordCount", 40, 1200]
    assert [(s["id"], s["type"], s["weight"]) for s in efficiency["scorers"]] == [
        ("action-oriented", "KeywordContains", 0.40),
        ("efficient-size", "NumericRange", 0.35),
        ("limited-filler", "OccurrenceRatio", 0.25),
    ]
    filler = efficiency["scorers"][2]
    assert [filler[name] for name in ("wholeWord", "denominatorPath", "denominatorScale", "minimumDenominator", "invert")] == [
        True, "metadata.outputWordCount", 50, 1, True,
    ]  # fmt: skip
    assert [(s["id"], s["weight"]) for s in compliance["scorers"]] == [
        ("file-references", 0.34),
        ("mentions-test-status", 0.33),
        ("has-structure", 0.33),
    ]
    assert compliance["scorers"][0]["pattern"] == r"\[[^\]]+\]\(/[^)]+\)"
    assert compliance["scorers"][2]["needles"] == ["\n", "."]
    assert compliance["scorers"][2]["denominator"] == 4


def test_what_the_built_ins_say(api: Client) -> None:
    text = "Implemented and tested the parser. " + "It reads every file once. " * 10 + "\n\nSee [parser](/src/parser.py). Lint passes.\n"
    for profile_id in BUILT_IN:
        evaluation = evaluated(api, profile_id, output=text, action="fix the parser")
        assert (evaluation["score"], evaluation["passed"]) == (1.0, True), profile_id
    poor = evaluated(api, "code-quality", output="TODO")
    assert (poor["score"], poor["passed"]) == (0.0, False)


@pytest.mark.parametrize("profile_id", BUILT_IN)
@pytest.mark.parametrize("who", ["viewer", "reviewer", "editor", "owner"])
def test_nobody_changes_or_deletes_a_built_in(profile_id: str, who: str, client_for: ClientFor, request: pytest.FixtureRequest) -> None:
    user: User = request.getfixturevalue(who)
    client = client_for(user)
    before = client.get(f"{PROFILES}/{profile_id}").json()
    for response in (
        put(client, f"{PROFILES}/{profile_id}", {"name": "Mine"}),
        put(client, f"{PROFILES}/{profile_id}", {"name": "Mine"}, If_Match='"1"'),
        put(client, f"{PROFILES}/{profile_id}", {}),
        client.delete(f"{PROFILES}/{profile_id}"),
    ):
        error = error_of(response, 403)
        if who == "owner":
            assert error["code"] == "BUILT_IN_PROFILE"
            assert "uplicate" in error["hint"]
    assert client.get(f"{PROFILES}/{profile_id}").json() == before
    assert ProfileVersion.objects.filter(profile_id=profile_id).count() == 1


# ---- changes -----------------------------------------------------------------------------------


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


@pytest.mark.parametrize("body", [{}, {"id": "x", "version": 7}, {"name": "Ours"}, {"passThreshold": 0.5}, {"scorers": [contains()]}])
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
    put(api, f"{PROFILES}/{profile['id']}", {"name": "New", "compositeMethod": "minimum", "scorers": [contains(value="y")]})
    second = evaluated(api, profile["id"])
    assert [(item["profileVersion"], item["profileName"], item["compositeMethod"], item["score"]) for item in (first, second)] == [
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


@pytest.mark.parametrize("tag", ['""', '"x"', '"-1"', '"1.0"', '"1", "2"', '"1', '"1234567890"', '"\u0661"', "W/", "null"])
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
    for gone in (api.get(address), put(api, address, {}), api.delete(address), api.get(address + "/versions"), api.get(address, {"version": 1})):
        assert error_of(gone, 404)["code"] == "RESOURCE_NOT_FOUND"
    assert error_of(post(api, EVALUATE, {"profileId": profile["id"], "output": "x"}), 404)["code"] == "RESOURCE_NOT_FOUND"
    assert profile["id"] not in [item["id"] for item in api.get(PROFILES).json()]
    assert api.get(f"/api/scoring/history/{evaluation['id']}").json() == evaluation
    assert AuditEntry.objects.filter(action="profile.deleted", object_id=profile["id"]).count() == 1
    assert made(api, name=profile["name"])["version"] == 1


# ---- what is stored and not what is written today ----------------------------------------------


def stored(document: dict[str, Any]) -> str:
    """The id of a profile whose stored document is this, whatever is accepted today."""
    row = Profile.objects.create(name=str(document["name"]), name_key=str(document["name"]).casefold())
    ProfileVersion.objects.create(profile=row, number=1, document=document)
    forget_loaded()
    return str(row.pk)


OLD = {"name": "Old", "scorers": [{"id": "s", "type": "Contains", "value": "x"}, {"id": "n", "type": "numeric_range", "valuePath": "length", "max": 5}]}


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
    "name": "Legacy", "description": None, "compositeMethod": "minimum", "passThreshold": 0.5,
    "scorers": [contains(), {"id": "old", "name": "Old", "type": "CustomExpression", "weight": 1, "expression": "output.length > 5"}],
}  # fmt: skip


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
