"""What must never be stored, never be a fault of ours, and always be answered as JSON."""

import io
import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEntry
from scoring.models import Evaluation, Profile, ProfileVersion
from tests.scoring.cases import (
    BATCH,
    EVALUATE,
    HISTORY,
    LINT,
    PREVIEW,
    PROFILES,
    contains,
    error_of,
    evaluated,
    facts,
    listed,
    made,
    paths_of,
    profile_body,
    put,
    send,
)

pytestmark = pytest.mark.django_db
HOSTILE = facts("hostile-json")
WRITES = [
    ("POST", PROFILES),
    ("PUT", f"{PROFILES}/own"),
    ("POST", EVALUATE),
    ("POST", PREVIEW),
    ("POST", LINT),
    ("POST", BATCH),
]
every_write = pytest.mark.parametrize(("method", "path"), WRITES, ids=[f"{method} {path}" for method, path in WRITES])


def rows() -> tuple[int, ...]:
    return tuple(table.objects.count() for table in (Profile, ProfileVersion, Evaluation, AuditEntry))


@pytest.fixture
def own(api: Client) -> Client:
    """The client, when there is a profile of the id that WRITES names."""
    profile = made(api)
    ProfileVersion.objects.filter(profile_id=profile["id"]).delete()
    row = Profile.objects.get(pk=profile["id"])
    row.delete()
    row.id = "own"
    row.save(force_insert=True)
    ProfileVersion.objects.create(profile=row, number=1, document=profile_body())
    return api


def readable(client: Client) -> None:
    """Every list still answers."""
    for path in (PROFILES, HISTORY, "/api/scoring/scorers"):
        json.loads(client.get(path).getvalue())


@pytest.mark.parametrize("raw", HOSTILE["refused"].values(), ids=HOSTILE["refused"].keys())
def test_hostile_json_is_refused_wherever_it_stands(own: Client, raw: str) -> None:
    before = rows()
    for method, path in WRITES:
        for body in (f'{{"profileId":"code-quality","output":"x","metadata":{{"a":{raw}}}}}', f'{{"name":{raw}}}', raw):
            response = send(own, method, path, f"[{body}]" if path == BATCH else body)
            if path == BATCH and response.status_code == 201:
                assert [set(answer) for answer in listed(response)] == [{"error"}]
                continue
            assert error_of(response, 400)["code"] in {"MALFORMED_JSON", "VALIDATION_FAILED"}
    assert rows() == before
    readable(own)


@pytest.mark.parametrize("raw", HOSTILE["accepted"].values(), ids=HOSTILE["accepted"].keys())
def test_unusual_json_is_stored_as_it_is(api: Client, raw: str) -> None:
    body = f'{{"profileId":"code-quality","output":"","metadata":{{"a":{raw}}},"object":{raw}}}'
    response = send(api, "POST", EVALUATE, body)
    assert response.status_code == 201, response.content
    evaluation = response.json()
    assert evaluation["metadata"]["a"] == evaluation["object"] == json.loads(raw)
    assert listed(api.get(HISTORY)) == [evaluation]
    assert repr(evaluation["object"]) == repr(json.loads(raw))


@pytest.mark.parametrize("bad", ["\\u0000", "a\\u0000b", "\\ud800", "\\udc00x", "\\udfff\\ud800"])
@pytest.mark.parametrize("field", ["output", "action", "agent", "taskId", "expected", "profileId"])
def test_no_text_field_takes_what_no_database_stores(api: Client, field: str, bad: str) -> None:
    members = {"profileId": "code-quality", "output": "x", field: "BAD"}
    response = send(api, "POST", EVALUATE, json.dumps(members).replace("BAD", bad))
    assert paths_of(response) == [field]
    assert not Evaluation.objects.exists()
    readable(api)


@pytest.mark.parametrize("bad", ["\\u0000", "\\ud800"])
@pytest.mark.parametrize(
    "path",
    [
        "name",
        "description",
        "compositeMethod",
        "scorers.0.id",
        "scorers.0.name",
        "scorers.0.description",
        "scorers.0.value",
        "scorers.0.type",
    ],
)
def test_no_field_of_a_profile_takes_it(api: Client, path: str, bad: str) -> None:
    body: dict[str, Any] = profile_body(contains(name="n", description="d"), description="d", compositeMethod="minimum")
    (body["scorers"][0] if path.startswith("scorers") else body)[path.rsplit(".", 1)[-1]] = "BAD"
    before = rows()
    assert paths_of(send(api, "POST", PROFILES, json.dumps(body).replace("BAD", bad))) == [path]
    assert rows() == before


ASTRAL = "\U0001f600\U00010400\U0010ffff"


def test_astral_characters_in_every_text_field(api: Client) -> None:
    scorers = [
        {"id": ASTRAL, "name": ASTRAL, "description": ASTRAL, "type": "Contains", "value": ASTRAL},
        {"id": "k", "type": "KeywordContains", "keywords": [ASTRAL, "x"]},
        {"id": "r", "type": "RegexMatch", "pattern": ASTRAL, "flags": "u"},
        {"id": "o", "type": "OccurrenceRatio", "needles": [ASTRAL], "denominatorPath": ASTRAL},
        {"id": "n", "type": "NumericRange", "valuePath": f"metadata.{ASTRAL}", "min": 0},
        {"id": "e", "type": "ExactMatch", "answer": ASTRAL},
    ]
    profile = made(api, *scorers, name=ASTRAL, description=ASTRAL)
    assert api.get(f"{PROFILES}/{profile['id']}").json() == profile
    evaluation = evaluated(
        api,
        profile["id"],
        output=ASTRAL,
        action=ASTRAL,
        agent=ASTRAL,
        taskId=ASTRAL,
        metadata={ASTRAL: 1},
        expected=ASTRAL,
        object={ASTRAL: ASTRAL},
    )
    assert [entry["score"] for entry in evaluation["breakdown"]] == [1] * 6
    assert listed(api.get(HISTORY, {"agent": ASTRAL, "taskId": ASTRAL, "q": ASTRAL})) == [evaluation]
    assert [item["name"] for item in api.get(PROFILES).json()][-1] == ASTRAL
    assert evaluation["breakdown"][2]["evidence"]["span"] == [0, 6]


@pytest.mark.parametrize("depth", [61, 62, 63, 64, 65, 5_000, 100_000])
def test_depth(api: Client, depth: int) -> None:
    # The body itself is the first level.
    raw = '{"profileId":"code-quality","output":"","object":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    response = send(api, "POST", EVALUATE, raw)
    if depth <= 64:
        assert response.status_code == 201
        assert listed(api.get(HISTORY)) == [response.json()]
    else:
        assert error_of(response, 400)["code"] == "MALFORMED_JSON"


BAD_IDS = [
    "nope",
    "a.b",
    "..",
    "%2e%2e",
    "a%2Fb",
    "%2F",
    "%00",
    "a%00b",
    "%ED%A0%80",
    "%FF",
    "a" * 300,
    "a" * 65,
    "9" * 24,
    "\u00e9",
    "%F0%9F%98%80",
    "code-quality%20",
    "code-quality.json",
    "code-quality;x",
    "%27%20OR%201=1",
    "%E2%80%AE",
    "*",
    "null",
    "%25",
    "%0A",
]


@pytest.mark.parametrize("raw_id", BAD_IDS)
def test_an_id_that_is_none(api: Client, raw_id: str) -> None:
    for response in (
        api.get(f"{PROFILES}/{raw_id}"),
        api.get(f"{PROFILES}/{raw_id}?version=1"),
        api.get(f"{PROFILES}/{raw_id}/versions"),
        put(api, f"{PROFILES}/{raw_id}", {"name": "x"}),
        api.delete(f"{PROFILES}/{raw_id}"),
        api.get(f"{HISTORY}/{raw_id}"),
    ):
        assert error_of(response, 404)["code"] == "RESOURCE_NOT_FOUND"


# ---- bodies ------------------------------------------------------------------------------------


@every_write
@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/jsonx",
        "text/json",
        "application/merge-patch+json",
    ],
)
def test_a_body_of_another_type(own: Client, method: str, path: str, content_type: str) -> None:
    before = rows()
    response = send(own, method, path, '{"name":"x"}', content_type)
    assert error_of(response, 415)["code"] == "UNSUPPORTED_MEDIA_TYPE"
    assert rows() == before


def test_the_types_that_are_taken(api: Client) -> None:
    for content_type in ("application/json", "application/json; charset=utf-8", "Application/JSON ;charset=UTF-8"):
        assert send(api, "POST", EVALUATE, {"profileId": "code-quality", "output": ""}, content_type).status_code == 201


@every_write
def test_no_body(own: Client, method: str, path: str) -> None:
    before = rows()
    for content_type in ("application/json", "text/plain"):
        error = error_of(send(own, method, path, b"", content_type), 400)
        assert (error["code"], error["message"]) == ("MALFORMED_JSON", "The body is empty.")
    error_of(own.generic(method, path, b"", content_type=""), 400)
    assert error_of(send(own, method, path, b" \n"), 400)["code"] == "MALFORMED_JSON"
    assert rows() == before


@every_write
@pytest.mark.parametrize("raw", ["[]", "[1]", "null", "5", '"x"', "true", "{", "{}{}", "not json"])
def test_a_body_that_is_no_object(own: Client, method: str, path: str, raw: str) -> None:
    before = rows()
    response = send(own, method, path, raw)
    if path == BATCH and raw == "[1]":
        assert [set(answer) for answer in listed(response)] == [{"error"}]
    else:
        assert error_of(response, 400)["code"] in {"MALFORMED_JSON", "VALIDATION_FAILED"}
    assert rows() == before


def sized(length: int) -> bytes:
    """A body of so many bytes that would be taken."""
    start, end = b'{"profileId":"code-quality","output":""', b"}"
    return start + b" " * (length - len(start) - len(end)) + end


def test_1_mb_and_no_more_or_5_where_an_observation_may_stand(api: Client) -> None:
    assert send(api, "POST", EVALUATE, sized(5_000_000)).status_code == 201
    for method, path in [write for write in WRITES if write[1] != BATCH]:
        most = {EVALUATE: 5_000_000, PREVIEW: 5_000_000, LINT: 16_000_000}.get(path, 1_000_000)
        error = error_of(send(api, method, path, sized(most + 1)), 413)
        assert (error["code"], error["meta"]) == ("BODY_TOO_LARGE", {"limitBytes": most})
        assert f"{most:,} bytes" in error["message"]
    assert Evaluation.objects.count() == 1


def observed(length: int) -> bytes:
    """An observation document of so many bytes, compact, with a number that no double holds."""
    chunks = [{"id": f"chunk-{index}", "score": 0.5, "text": "\u00e9" * 180} for index in range(9_000)]
    document = {"output": {"text": "x"}, "retrieval": {"chunks": chunks}, "input": ""}
    short = length - len(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
    return json.dumps({**document, "input": "y" * short}, ensure_ascii=False, separators=(",", ":")).encode()


def test_an_observation_of_4_mib_and_no_more(api: Client) -> None:
    most = 4 * 1024 * 1024
    profile = {"name": "p", "scorers": [contains("c", value="x")]}
    for path, start in (
        (EVALUATE, b'{"profileId":"code-quality","observation":'),
        (PREVIEW, b'{"profile":' + json.dumps(profile).encode() + b',"observation":'),
    ):
        assert send(api, "POST", path, start + observed(most) + b"}").status_code in {200, 201}
        error = error_of(send(api, "POST", path, start + observed(most + 1) + b"}"), 400)
        assert error["meta"]["fields"] == [
            {
                "path": "observation",
                "code": "bad_observation",
                "message": "Must be at most 4,194,304 bytes as JSON; this is 4,194,305.",
            }
        ]
    assert Evaluation.objects.count() == 1


def test_an_observation_of_4_mib_in_a_batch(api: Client) -> None:
    most = 4 * 1024 * 1024
    items = [b'{"profileId":"code-quality","observation":' + observed(size) + b"}" for size in (most, most + 1)]
    answers = listed(send(api, "POST", BATCH, b"[" + b",".join(items) + b"]"))
    assert [set(answer) & {"error", "id"} for answer in answers] == [{"id"}, {"error"}]
    assert "4,194,304 bytes" in answers[1]["error"]["meta"]["fields"][0]["message"]
    error = error_of(send(api, "POST", BATCH, b"[" + sized(5_000_001) + b"]"), 413)
    assert "5,000,000 bytes" in error["message"]


def chunked(client: Client, method: str, path: str, body: bytes, *, terminated: bool = True) -> Any:
    """The answer to a body without a declared length, as a server passes it on."""
    environ: dict[str, Any] = {"wsgi.input": io.BytesIO(body), "HTTP_TRANSFER_ENCODING": "chunked"}
    environ |= {"CONTENT_LENGTH": "", "CONTENT_TYPE": "application/json"}
    if terminated:
        environ["wsgi.input_terminated"] = True
    return client.generic(method, path, **environ)


def test_a_body_sent_in_chunks_is_read_to_its_end(api: Client) -> None:
    assert chunked(api, "POST", EVALUATE, sized(500)).status_code == 201
    assert chunked(api, "POST", EVALUATE, sized(5_000_000)).status_code == 201
    assert error_of(chunked(api, "POST", EVALUATE, sized(5_000_001)), 413)["code"] == "BODY_TOO_LARGE"
    assert error_of(chunked(api, "POST", EVALUATE, b""), 400)["code"] == "MALFORMED_JSON"
    assert len(listed(chunked(api, "POST", BATCH, b"[" + sized(500) + b"]"))) == 1
    profile = made(api)
    assert chunked(api, "PUT", f"{PROFILES}/{profile['id']}", b'{"name":"New"}').json()["version"] == 2


def test_a_body_whose_end_the_server_does_not_mark_is_refused_and_not_taken_for_none(api: Client) -> None:
    profile = made(api)
    response = chunked(api, "PUT", f"{PROFILES}/{profile['id']}", b'{"name":"New"}', terminated=False)
    assert "length" in error_of(response, 400)["message"]
    assert api.get(f"{PROFILES}/{profile['id']}").json() == profile


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "\u0661"])
def test_a_length_that_is_none(api: Client, length: str) -> None:
    response = api.generic("POST", EVALUATE, sized(100), content_type="application/json", CONTENT_LENGTH=length)
    assert error_of(response, 400)
    assert not Evaluation.objects.exists()
