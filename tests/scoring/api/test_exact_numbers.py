"""Numbers from end to end: what was sent is scored, stored, shown, exported and sent again as it was."""

import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from scoring.kit.registry import registry
from scoring.models import Evaluation
from tests.scoring.cases import EVALUATE, HISTORY, PREVIEW, PROFILES, made, send

pytestmark = pytest.mark.django_db
LONG = "0.1000000000000000055511151231257827"
NUMBERS = [
    LONG,
    "9007199254740993.0",
    "9007199254740992.0",
    "9007199254740993",
    "1e-400",
    "5.0",
    "1.50",
    "-0.0",
    "1e300",
]
LIST = f"[{','.join(NUMBERS)}]"
OBSERVATION = f"""{{
  "output": {{"text": "{{\\"n\\": {LONG}}} [1]", "object": {{"n": {LIST}, "m": {LONG}}}}},
  "input": {LIST},
  "expected": {{"answer": "x", "object": {{"n": {LIST}, "m": 0.1}}, "chunks": {{"a": {LONG}, "b": 1}},
    "schema": {{"properties": {{"m": {{"const": {LONG}, "minimum": 0.1}}}}}},
    "tool": "t", "tool_calls": [{{"name": "t", "arguments": {{"n": {LONG}}}}}],
    "state": {{"required": [{{"entity": "e", "id": "1", "field": "f", "value": {LONG}}}],
      "allowed": [{{"entity": "e", "id": "1", "field": "f"}}]}}}},
  "retrieval": {{"chunks": [{{"id": "a", "score": {LONG}}}, {{"id": "b", "score": 0.1}}]}},
  "citations": {{"ledger": [{{"n": 1, "chunk_id": "a", "score": {LONG}}}]}},
  "tool_calls": [{{"name": "t", "arguments": {{"n": {LONG}}}, "result": {LONG}, "start_ms": {LONG}}}],
  "stream": {{"start": {LONG}, "end": 9007199254740993.5, "events": [{{"t": {LONG}1}}, {{"t": 9007199254740993.25}}]}},
  "state": {{"before": {{"e": {{"1": {{"f": 0.1}}}}}}, "after": {{"e": {{"1": {{"f": {LONG}}}}}}}}},
  "usage": {{"input_tokens": 5.0, "output_tokens": 9007199254740993.0, "cost": {{"amount": "0.1", "currency": "EUR"}}}}
}}"""
SETTINGS: dict[str, dict[str, Any]] = {
    "OutputSchema": {},
    "NumericRange": {"valuePath": "object.m", "min": 0, "max": 1},
    "JsonLogic": {"expression": {"and": [{">": [{"var": "object.m"}, 0.1]}, {"+": [{"var": "object.m"}, 1]}]}},
}


def exact(text: str | bytes) -> Any:
    """A document with every number as its exact decimal value."""
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def every_scorer() -> list[dict[str, Any]]:
    return [
        {"id": kind, "type": kind, **SETTINGS.get(kind, dict(declared.examples[0].settings)), "weight": 1}
        for declared in registry
        if (kind := declared.type_name()) is not None
    ]


def evaluated(api: Client, body: str) -> Any:
    response = send(api, "POST", EVALUATE, body.encode())
    assert response.status_code == 201, response.content
    return response


def entries(document: Any) -> dict[str, Any]:
    return {entry["scorerId"]: entry for entry in document["breakdown"]}


def test_every_scorer_and_every_page_take_them(api: Client) -> None:
    profile = made(api, *every_scorer())
    body = f'{{"profileId": "{profile["id"]}", "metadata": {{"n": {LIST}}}, "observation": {OBSERVATION}}}'
    document = evaluated(api, body).json()
    found = entries(document)
    assert not [entry for entry in found.values() if (entry.get("error") or {}).get("code") == "scorer_failed"]
    for kind in ("OutputSchema", "StateChange", "ToolTrajectory", "ToolCallF1", "JsonLogic", "NDCG", "NumericRange"):
        assert found[kind]["score"] is not None, found[kind]
    assert found["JsonLogic"]["score"] == 1
    assert found["StateChange"]["score"] == 1
    assert found["JsonMatch"]["score"] == 0
    assert (found["JsonMatch"]["evidence"]["differences"][0]["path"], found["OutputSchema"]["score"]) == ("$.m", 1)
    assert LONG in found["JsonMatch"]["explanation"]
    address = f"/history/{document['id']}"
    for page in (
        address,
        f"{address}/text/observation",
        "/history",
        f"/profiles/{profile['id']}/try",
        "/admin/",
    ):
        assert api.get(page).status_code in {200, 302}, page
    assert LONG in api.get(address).content.decode()


def test_what_comes_back_is_what_was_sent_and_may_be_sent_again(api: Client) -> None:
    profile = made(api)
    sent = f'{{"profileId": "{profile["id"]}", "metadata": {{"n": {LIST}}}, "observation": {OBSERVATION}}}'
    answered = evaluated(api, sent)
    identifier = answered.json()["id"]
    exported = b"".join(api.get("/history/export.jsonl"))
    table = b"".join(api.get("/history/export.csv")).decode()
    for text in (answered.content, api.get(f"{HISTORY}/{identifier}").content, exported, api.get(HISTORY).getvalue()):
        found = exact(text)
        document = found[0] if isinstance(found, list) else found
        assert document["observation"] == exact(OBSERVATION)
        assert document["metadata"]["n"] == exact(LIST)
    assert LONG in table
    line = json.loads(exported, parse_float=str)
    assert line["observation"]["output"]["object"]["m"] == LONG
    assert Evaluation.objects.get().inputs["observation"]["output"]["object"]["m"] == Decimal(LONG)
    kept = exported.decode().split('"observation":', 1)[1].strip().removesuffix("}")
    again = evaluated(api, f'{{"profileId": "{profile["id"]}", "observation": {kept}}}')
    assert exact(again.content)["observation"] == exact(OBSERVATION)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("5", "5.0", True),
        ("5", "5e0", True),
        ("0.1", "0.10", True),
        ("9007199254740992", "9007199254740993", False),
        ("9007199254740992.0", "9007199254740993.0", False),
        ("9007199254740993", "9007199254740993.0", True),
        ("0.1", LONG, False),
        ("0", "1e-400", False),
        ("true", "1", False),
    ],
)
def test_numbers_are_the_same_by_their_exact_value(api: Client, left: str, right: str, same: bool) -> None:
    schema = f'{{"id": "s", "type": "OutputSchema", "schema": {{"properties": {{"v": {{"const": {left}}}}}}}}}'
    rule = f'{{"id": "l", "type": "JsonLogic", "expression": {{"===": [{{"var": "object.v"}}, {left}]}}}}'
    body = f"""{{"profile": {{"name": "p", "scorers": [{{"id": "m", "type": "JsonMatch"}}, {schema}, {rule}]}},
        "object": {{"v": {right}}}, "expected": {{"object": {{"v": {left}}}}}}}"""
    response = send(api, "POST", PREVIEW, body.encode())
    assert response.status_code == 200, response.content
    scores = {name: entry["score"] for name, entry in entries(response.json()["results"][0]).items()}
    assert scores == dict.fromkeys(("m", "s", "l"), float(same))


def test_a_profile_keeps_exact_numbers_in_schemas_and_takes_doubles_for_settings(api: Client) -> None:
    schema = f'{{"properties": {{"v": {{"enum": [{LIST}]}}}}}}'
    body = f"""{{"name": "p", "passThreshold": {LONG}, "scorers": [
        {{"id": "s", "type": "OutputSchema", "weight": {LONG}, "schema": {schema}}}]}}"""
    response = send(api, "POST", PROFILES, body.encode())
    assert response.status_code == 201, response.content
    stored = api.get(f"{PROFILES}/{response.json()['id']}").content
    kept = exact(stored)
    assert kept["scorers"][0]["schema"] == exact(schema)
    assert (kept["passThreshold"], kept["scorers"][0]["weight"]) == (Decimal("0.1"), Decimal("0.1"))
    pages = ("", "/versions", "/versions/1", "/try", "/export.json")
    for page in pages:
        answer = api.get(f"/profiles/{response.json()['id']}{page}")
        assert answer.status_code == 200, page
    assert LONG in api.get(f"/profiles/{response.json()['id']}").content.decode()
    changed = send(api, "PUT", f"{PROFILES}/{response.json()['id']}", stored)
    assert changed.json()["version"] == 1


@pytest.mark.parametrize("number", ["1e999999999999", "0." + "1" * 401, "1e309", "123456789012345678901"])
def test_a_number_that_cannot_be_kept_is_refused(api: Client, number: str) -> None:
    response = send(api, "POST", EVALUATE, f'{{"profileId": "code-quality", "object": {number}}}'.encode())
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "MALFORMED_JSON"


def test_an_object_is_compared_as_the_one_text_of_its_value(api: Client) -> None:
    profile = made(api, {"id": "e", "type": "ExactMatch"})
    for written in ('{"b":5.0,"a":[1.50,1e2]}', '{"a":[1.5,100],"b":5}'):
        body = f'{{"profileId": "{profile["id"]}", "object": {written}, "expected": "{{\\"a\\":[1.5,100],\\"b\\":5}}"}}'
        assert evaluated(api, body).json()["score"] == 1
