"""The output evaluation procedure, request for request, as a newcomer types it."""

import json
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.scoring.cases import EVALUATE, HISTORY, PROFILES, facts, listed, post, put

SOP = facts("output-evaluation-requests")


@pytest.fixture
def local(settings: Settings, db: None) -> Client:
    """A program on this machine that brings no credentials."""
    settings.PLUMBLINE_MODE = "local"
    return Client(HTTP_HOST="localhost:3001", REMOTE_ADDR="127.0.0.1", enforce_csrf_checks=True)


def test_every_request_of_the_procedure(local: Client) -> None:
    created = post(local, PROFILES, SOP["create"])
    assert created.status_code == 201
    profile = created.json()
    assert profile["id"].startswith("prof_")
    assert {name: profile[name] for name in SOP["create"] if name != "scorers"} == {
        name: value for name, value in SOP["create"].items() if name != "scorers"
    }
    for sent, stored in zip(SOP["create"]["scorers"], profile["scorers"], strict=True):
        assert {name: stored[name] for name in sent} == sent
    assert profile["passThreshold"] == 0.5

    names = [item["name"] for item in local.get(PROFILES).json()]
    assert names == ["Code Quality", "Convention Compliance", "Task Efficiency", "Task Summary Quality"]

    answer = post(local, EVALUATE, {**SOP["evaluate"], "profileId": profile["id"]})
    assert answer.status_code == 201
    evaluation = answer.json()
    assert set(SOP["evaluation_fields"]) <= set(evaluation)
    assert [set(SOP["breakdown_fields"]) <= set(entry) for entry in evaluation["breakdown"]] == [True] * 3
    assert evaluation["id"].startswith("eval_")
    assert (evaluation["score"], evaluation["passed"], evaluation["status"]) == (1.0, True, "scored")
    assert [(entry["scorerId"], entry["score"]) for entry in evaluation["breakdown"]] == [
        ("has-action-items", 1),
        ("length-check", 1),
        ("no-apologies", 1),
    ]
    assert [entry["weighted"] for entry in evaluation["breakdown"]] == pytest.approx([0.4, 0.3, 0.3])
    assert (evaluation["agent"], evaluation["taskId"]) == ("TARS", "task_20260321_abc")
    assert len(evaluation["createdAt"]) == len("2026-03-21T14:00:00.000Z")
    assert evaluation["createdAt"].endswith("Z")

    assert listed(local.get(HISTORY)) == [evaluation]
    query = {"profileId": profile["id"], "agent": "TARS", "limit": 20}
    assert listed(local.get(HISTORY, query)) == [evaluation]
    assert listed(local.get(HISTORY, {**query, "agent": "CASE"})) == []

    updated = put(local, f"{PROFILES}/{profile['id']}", SOP["update"])
    assert updated.status_code == 200
    assert updated.json()["compositeMethod"] == "minimum"
    assert updated.json()["scorers"] == profile["scorers"]

    deleted = local.delete(f"{PROFILES}/{profile['id']}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert local.get(f"{PROFILES}/{profile['id']}").status_code == 404
    assert local.delete(f"{PROFILES}/code-quality").status_code == 403


def test_an_apology_is_found_as_the_procedure_means_it(local: Client) -> None:
    profile = post(local, PROFILES, SOP["create"]).json()
    for output in ("I'm sorry, it failed.", "UNFORTUNATELY not", "I apologize", "I cannot"):
        body = {"profileId": profile["id"], "output": output}
        entries = {entry["scorerId"]: entry for entry in post(local, EVALUATE, body).json()["breakdown"]}
        assert entries["no-apologies"]["score"] == 0, output


def _call(address: str, method: str = "GET", body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    headers = {} if body is None else {"Content-Type": "application/json"}
    request = urllib.request.Request(address, data=data, headers=headers, method=method)  # noqa: S310 - our own server
    try:
        with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310
            content = response.read()
            return response.status, json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_the_procedure_over_a_real_connection(live_server: LiveServer, settings: Settings) -> None:
    settings.PLUMBLINE_MODE = "local"
    profiles, evaluate, history = (live_server.url + path for path in (PROFILES, EVALUATE, HISTORY))
    status, profile = _call(profiles, "POST", SOP["create"])
    assert status == 201
    assert [item["builtIn"] for item in _call(profiles)[1]] == [True, True, True, False]
    status, evaluation = _call(evaluate, "POST", {**SOP["evaluate"], "profileId": profile["id"]})
    assert (status, evaluation["score"]) == (201, 1.0)
    assert _call(history) == (200, [evaluation])
    assert _call(f"{history}?{urlencode({'profileId': profile['id'], 'agent': 'TARS', 'limit': 20})}")[1] == [
        evaluation
    ]
    assert _call(f"{profiles}/{profile['id']}", "PUT", SOP["update"])[1]["compositeMethod"] == "minimum"
    assert _call(f"{profiles}/{profile['id']}", "DELETE") == (204, None)
    assert _call(f"{profiles}/code-quality", "DELETE")[0] == 403
    assert _call(f"{profiles}/{profile['id']}")[0] == 404
