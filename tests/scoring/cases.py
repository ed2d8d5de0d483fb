"""What the tests of scoring ask again and again: facts from files, scorers from settings, calls of the API."""

import json
from pathlib import Path
from typing import Any

from django.test import Client

from scoring.evaluate_bodies import Answer, read_body
from scoring.kit.observation import Observation
from scoring.kit.outcome import Outcome
from scoring.kit.scorer import Scorer
from scoring.profile_documents import read_scorer

FACTS = Path(__file__).parent.parent / "facts"
PROFILES = "/api/scoring/profiles"
EVALUATE = "/api/scoring/evaluate"
BATCH = "/api/scoring/evaluate/batch"
PREVIEW = "/api/scoring/preview"
LINT = "/api/scoring/lint"
HISTORY = "/api/scoring/history"
JSON = "application/json"


def facts(name: str) -> Any:
    """The document tests/facts/`name`.json."""
    return json.loads((FACTS / f"{name}.json").read_text())


def scorer(kind: str, **settings: Any) -> Scorer:
    """A scorer as a profile's body gives it, with an id."""
    return read_scorer({"id": "s", "type": kind, **settings}, "scorers.0")


def observation(**given: Any) -> Observation:
    """An observation as the body of an evaluate request gives it."""
    return read_body(Answer, given or {"output": ""}).observe()


def outcome(kind: str, settings: dict[str, Any], **given: Any) -> Outcome:
    """What a scorer of these settings says of such an observation."""
    return scorer(kind, **settings).outcome(observation(**given))


def contains(scorer_id: str = "s", value: str = "x", **settings: Any) -> dict[str, Any]:
    """The document of a scorer that needs nothing but the output."""
    return {"id": scorer_id, "type": "Contains", "value": value, **settings}


def in_range(scorer_id: str = "n", path: str = "metadata.n", **settings: Any) -> dict[str, Any]:
    """The document of a scorer that errs where the path holds no number, and scores 1 from 0 to 10."""
    return {"id": scorer_id, "type": "NumericRange", "valuePath": path, "min": 0, "max": 10, **settings}


def profile_body(*scorers: dict[str, Any], **head: Any) -> dict[str, Any]:
    """The body of a profile."""
    return {"name": "Ours", "scorers": list(scorers) or [contains()], **head}


def send(client: Client, method: str, path: str, body: Any, content_type: str = JSON, **headers: str) -> Any:
    """The answer to a body: bytes and text as they are, anything else as JSON."""
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.generic(method, path, data, content_type=content_type, headers=headers)


def post(client: Client, path: str, body: Any, **headers: str) -> Any:
    """The answer to a POST."""
    return send(client, "POST", path, body, **headers)


def put(client: Client, path: str, body: Any, **headers: str) -> Any:
    """The answer to a PUT."""
    return send(client, "PUT", path, body, **headers)


def made(client: Client, *scorers: dict[str, Any], **head: Any) -> dict[str, Any]:
    """A new profile, as the API answered it."""
    response = post(client, PROFILES, profile_body(*scorers, **head))
    assert response.status_code == 201, response.content
    return dict(response.json())


def evaluated(client: Client, profile_id: str, **given: Any) -> dict[str, Any]:
    """A new evaluation, as the API answered it."""
    body = {"profileId": profile_id, **(given or {"output": "x"})}
    response = post(client, EVALUATE, body)
    assert response.status_code == 201, response.content
    return dict(response.json())


def listed(response: Any) -> Any:
    """The JSON of a streamed answer."""
    return json.loads(response.getvalue())


def error_of(response: Any, status: int) -> dict[str, Any]:
    """The error of an answer that must have this status and the one shape."""
    content = response.getvalue()
    assert response.status_code == status, (response.status_code, content[:500])
    assert response.headers["Content-Type"].startswith(JSON)
    body = json.loads(content)
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "hint", "meta"}
    assert body["error"]["message"]
    assert body["error"]["hint"]
    return dict(body["error"])


def paths_of(response: Any, status: int = 400) -> list[str]:
    """The paths of the fields that an answer says are wrong."""
    return [field["path"] for field in error_of(response, status)["meta"].get("fields", ())]
