"""Many outputs at once: in order, errors in place, all or nothing of a body that is not one list."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from foundation import json_stream
from scoring import javascript
from scoring.models import Evaluation
from tests.scoring.cases import BATCH, HISTORY, contains, error_of, listed, made, paths_of, post, send

pytestmark = pytest.mark.django_db


def bodies(count: int, profile_id: str = "code-quality") -> list[dict[str, Any]]:
    return [{"profileId": profile_id, "output": f"output {number}", "taskId": str(number)} for number in range(count)]


def test_one_answer_each_in_order(api: Client) -> None:
    response = post(api, BATCH, bodies(230))
    assert response.status_code == 201
    answers = listed(response)
    assert [answer["taskId"] for answer in answers] == [str(number) for number in range(230)]
    assert Evaluation.objects.count() == 230
    newest = listed(api.get(HISTORY, {"limit": 500}))
    assert {answer["id"]: answer for answer in newest} == {answer["id"]: answer for answer in answers}
    assert newest == sorted(answers, key=lambda answer: (answer["createdAt"], int(answer["taskId"])), reverse=True)


def test_errors_are_in_their_place(api: Client) -> None:
    profile = made(api, contains(value="x"))
    good = {"profileId": profile["id"], "output": "x"}
    sent: list[Any] = [
        good,
        {"output": "x"},
        {**good, "profileId": "nope"},
        5,
        None,
        [],
        {**good, "typo": 1},
        {**good, "output": "a" * 100_001},
        good,
    ]
    answers = listed(post(api, BATCH, sent))
    assert [answer.get("score", answer.get("error", {}).get("code")) for answer in answers] == [
        1,
        "VALIDATION_FAILED",
        "RESOURCE_NOT_FOUND",
        "VALIDATION_FAILED",
        "VALIDATION_FAILED",
        "VALIDATION_FAILED",
        "VALIDATION_FAILED",
        "VALIDATION_FAILED",
        1,
    ]
    assert answers[1]["error"]["meta"]["fields"][0]["path"] == "profileId"
    assert answers[6]["error"]["meta"]["fields"][0]["path"] == "typo"
    assert Evaluation.objects.count() == 2


def test_text_that_cannot_be_stored_costs_its_own_item_alone(api: Client) -> None:
    bad = ['"output":"a"', r'"output":"\u0000"', r'"output":"","metadata":{"\ud800":1}', '"output":"b"']
    raw = ",".join(f'{{"profileId":"code-quality",{members}}}' for members in bad)
    answers = listed(send(api, "POST", BATCH, f"[{raw}]"))
    assert [answer.get("output") for answer in answers] == ["a", None, None, "b"]
    assert [field["path"] for field in answers[1]["error"]["meta"]["fields"]] == ["output"]
    assert answers[2]["error"]["code"] == "VALIDATION_FAILED"
    assert Evaluation.objects.count() == 2


def test_an_errored_evaluation_is_an_evaluation(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = made(api, contains(), {"id": "r", "type": "RegexMatch", "pattern": "a", "weight": 0})
    real, calls = javascript.search, iter(range(10))

    def search(pattern: str, flags: str, text: str) -> Any:
        if next(calls) == 1:
            raise javascript.PoolBusy(retry_after=1)
        return real(pattern, flags, text)

    monkeypatch.setattr(javascript, "search", search)
    answers = listed(post(api, BATCH, [{"profileId": profile["id"], "output": "x"}] * 3))
    assert [answer.get("score", answer.get("error", {}).get("code")) for answer in answers] == [1, "REGEX_CAPACITY", 1]
    assert Evaluation.objects.count() == 2


@pytest.mark.parametrize(
    "raw",
    [
        b"{}",
        b'{"a":[]}',
        b"5",
        b'"x"',
        b"null",
        b"[{}",
        b"[{}]x",
        b"[{}] []",
        b"[{},]",
        b"[,{}]",
        b"",
        b" ",
        b"[NaN]",
        b'[{"a":1,"a":2}]',
        b'["\xff"]',
        b"[" * 100,
    ],
)
def test_a_body_that_is_not_one_list_stores_nothing(api: Client, raw: bytes) -> None:
    good = json.dumps(bodies(1)[0]).encode()
    for data in (raw, raw.replace(b"{}", good)):
        assert error_of(send(api, "POST", BATCH, data), 400)["code"] == "MALFORMED_JSON"
    assert not Evaluation.objects.exists()


@pytest.mark.parametrize("count", [0, 1_001])
def test_1_to_1000_bodies(api: Client, count: int) -> None:
    assert paths_of(post(api, BATCH, bodies(count))) == [""]
    assert not Evaluation.objects.exists()


def test_a_thousand_in_a_few_queries(api: Client) -> None:
    with CaptureQueriesContext(connection) as captured:
        response = post(api, BATCH, bodies(1_000))
        assert len(listed(response)) == 1_000
    assert Evaluation.objects.count() == 1_000
    assert len(captured) < 60


def test_torn_at_every_chunk_boundary(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    item = {"profileId": "code-quality", "output": 'a"\\\U0001f600\u00e9', "metadata": {"]": "}"}}
    whole = json.dumps([item] * 2, ensure_ascii=False).encode()
    for size in (1, 2, 3, 5, 7, 64):
        monkeypatch.setattr(json_stream, "_CHUNK", size)
        assert [answer["output"] for answer in listed(send(api, "POST", BATCH, whole))] == [item["output"]] * 2
        for end in range(0, len(whole), 9):
            error_of(send(api, "POST", BATCH, whole[:end]), 400)
    assert Evaluation.objects.count() == 12


def test_an_item_of_more_than_5_mb(api: Client) -> None:
    large = {**bodies(1)[0], "action": "a" * 5_000_001}
    assert error_of(post(api, BATCH, [bodies(1)[0], large]), 413)["code"] == "BODY_TOO_LARGE"
    assert not Evaluation.objects.exists()


def test_a_large_body_of_small_items(api: Client) -> None:
    answers = listed(post(api, BATCH, [{**body, "output": "word " * 20_000} for body in bodies(40)]))
    assert [answer["metadata"]["outputWordCount"] for answer in answers] == [20_000] * 40


class Untouchable:
    """A body that must not be read."""

    def read(self, *_: Any) -> bytes:
        raise AssertionError("the body was read")

    readline = read


def test_more_than_64_mb_is_refused_before_it_is_read(api: Client) -> None:
    response = api.generic(
        "POST", BATCH, **{"wsgi.input": Untouchable(), "CONTENT_LENGTH": "64000001", "CONTENT_TYPE": "application/json"}
    )
    error = error_of(response, 413)
    assert (error["code"], error["meta"]) == ("BODY_TOO_LARGE", {"limitBytes": 64_000_000})


class Endless:
    """A body sent in chunks that never ends."""

    given = 0

    def read(self, size: int = -1) -> bytes:
        assert 0 < size <= 1_000_000
        piece = b"[" if not self.given else b" " * size
        self.given += len(piece)
        return piece

    readline = read


def test_more_than_64_mb_in_chunks_is_refused_at_the_limit(api: Client) -> None:
    body = Endless()
    environ = {"wsgi.input": body, "wsgi.input_terminated": True, "HTTP_TRANSFER_ENCODING": "chunked"}
    response = api.generic("POST", BATCH, CONTENT_TYPE="application/json", CONTENT_LENGTH="", **environ)
    assert error_of(response, 413)["code"] == "BODY_TOO_LARGE"
    assert body.given < 65_000_000
