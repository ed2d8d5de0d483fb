"""Profiles over HTTP: their fields and bounds, partial and conditional changes, the built-ins."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry, User
from scoring.models import Profile, ProfileVersion
from tests.people import ClientFor
from tests.scoring.cases import (
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
        "id": "s",
        "name": "s",
        "type": "Contains",
        "value": "x",
        "caseSensitive": False,
        "weight": 1,
        "required": False,
        "passThreshold": 1,
        "target": "output",
        "negate": False,
    }
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
    (
        {"scorers": [{"id": "o", "type": "OccurrenceRatio", "needles": ["a"], "denominator": 0}]},
        "scorers.0.denominator",
    ),
    ({"scorrers": []}, "scorrers"),
    ({"list": 1}, "list"),
    ({"passThreshhold": 1}, "passThreshhold"),
    ({"scorers": [contains(wieght=1)]}, "scorers.0.wieght"),
]


@pytest.mark.parametrize(
    ("wrong", "path"), HEAD_FAULTS, ids=[f"{path}: {json.dumps(wrong)[:50]}" for wrong, path in HEAD_FAULTS]
)
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
    many = [
        {"id": str(index), "type": "KeywordContains", "keywords": [f"word {index} {number}" for number in range(64)]}
        for index in range(64)
    ]
    profile = made(api, *many)
    evaluation = evaluated(api, profile["id"], output="word 63 63")
    assert [entry["score"] for entry in evaluation["breakdown"]] == [0] * 63 + [1]
    assert evaluation["score"] == 1 / 64


def test_what_a_client_read_may_be_sent_back(api: Client) -> None:
    profile = made(api)
    sent = {
        **profile,
        "id": "prof_other",
        "version": 99,
        "builtIn": True,
        "createdAt": "x",
        "updatedAt": 5,
        "name": "New",
    }
    changed = put(api, f"{PROFILES}/{profile['id']}", sent).json()
    assert {**changed, "updatedAt": None} == {**profile, "name": "New", "version": 2, "updatedAt": None}
    again = post(api, PROFILES, changed)
    assert again.status_code == 201
    assert again.json()["id"] != profile["id"]
    assert (again.json()["version"], again.json()["builtIn"]) == (1, False)


@pytest.mark.parametrize(
    "body",
    [
        {
            "name": "Ours",
            "composite_method": "minimum",
            "pass_threshold": 0.25,
            "scorers": [
                {
                    "id": "s",
                    "type": "numeric_range",
                    "value_path": "length",
                    "min": 1,
                    "score_on_miss": 0.5,
                    "pass_threshold": 0.5,
                }
            ],
        },
        {
            "name": "Ours",
            "compositeMethod": "minimum",
            "passThreshold": 0.25,
            "scorers": [
                {
                    "id": "s",
                    "type": "NumericRange",
                    "valuePath": "length",
                    "min": 1,
                    "scoreOnMiss": 0.5,
                    "passThreshold": 0.5,
                }
            ],
        },
    ],
)
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
    assert [profile["compositeMethod"] for profile in (quality, efficiency, compliance)] == [
        "weightedAvg",
        "geometricMean",
        "minimum",
    ]
    assert all(profile["builtIn"] and profile["version"] == 1 for profile in (quality, efficiency, compliance))
    assert [(s["id"], s["type"], s["weight"], s["target"]) for s in quality["scorers"]] == [
        ("mentions-verification", "KeywordContains", 0.35, "combined"),
        ("avoids-todo", "RegexMatch", 0.30, "output"),
        ("balanced-length", "NumericRange", 0.35, "output"),
    ]
    assert quality["scorers"][0]["keywords"] == ["test", "tests", "lint", "verified", "validation"]
    assert quality["scorers"][1]["pattern"] == r"\b(?:TODO|FIXME|XXX)\b"
    assert quality["scorers"][1]["invert"] is True
    assert [quality["scorers"][2][name] for name in ("valuePath", "min", "max")] == [
        "metadata.outputWordCount",
        40,
        1200,
    ]
    assert [(s["id"], s["type"], s["weight"]) for s in efficiency["scorers"]] == [
        ("action-oriented", "KeywordContains", 0.40),
        ("efficient-size", "NumericRange", 0.35),
        ("limited-filler", "OccurrenceRatio", 0.25),
    ]
    filler = efficiency["scorers"][2]
    assert [
        filler[name] for name in ("wholeWord", "denominatorPath", "denominatorScale", "minimumDenominator", "invert")
    ] == [
        True,
        "metadata.outputWordCount",
        50,
        1,
        True,
    ]
    assert [(s["id"], s["weight"]) for s in compliance["scorers"]] == [
        ("file-references", 0.34),
        ("mentions-test-status", 0.33),
        ("has-structure", 0.33),
    ]
    assert compliance["scorers"][0]["pattern"] == r"\[[^\]]+\]\(/[^)]+\)"
    assert compliance["scorers"][2]["needles"] == ["\n", "."]
    assert compliance["scorers"][2]["denominator"] == 4


def test_what_the_built_ins_say(api: Client) -> None:
    text = (
        "Implemented and tested the parser. "
        + "It reads every file once. " * 10
        + "\n\nSee [parser](/src/parser.py). Lint passes.\n"
    )
    for profile_id in BUILT_IN:
        evaluation = evaluated(api, profile_id, output=text, action="fix the parser")
        assert (evaluation["score"], evaluation["passed"]) == (1.0, True), profile_id
    poor = evaluated(api, "code-quality", output="TODO")
    assert (poor["score"], poor["passed"]) == (0.0, False)


@pytest.mark.parametrize("profile_id", BUILT_IN)
@pytest.mark.parametrize("who", ["viewer", "reviewer", "editor", "owner"])
def test_nobody_changes_or_deletes_a_built_in(
    profile_id: str, who: str, client_for: ClientFor, request: pytest.FixtureRequest
) -> None:
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
