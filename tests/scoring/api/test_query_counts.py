"""How often the database is asked: no more for many rows than for few."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.scoring.cases import (
    BATCH,
    EVALUATE,
    HISTORY,
    PREVIEW,
    PROFILES,
    contains,
    listed,
    made,
    post,
    profile_body,
    put,
)

pytestmark = pytest.mark.django_db


def queries(call: Callable[[], Any]) -> int:
    call()
    with CaptureQueriesContext(connection) as captured:
        response = call()
        response.getvalue()
    assert response.status_code < 300, response.getvalue()
    return len([query for query in captured if not query["sql"].startswith(("SAVEPOINT", "RELEASE"))])


@pytest.mark.parametrize("count", [3, 30])
def test_the_list_of_profiles(api: Client, count: int) -> None:
    for number in range(count - 3):
        made(api, name=str(number))
    # The session, the person, the profiles.
    assert queries(lambda: api.get(PROFILES)) <= 3
    assert len(api.get(PROFILES).json()) == count


@pytest.mark.parametrize("count", [5, 50])
@pytest.mark.parametrize(
    ("query", "most"), [("", 3), ("?count=true", 4), ("?q=needle", 5), ("?agent=A&status=scored", 3)]
)
def test_a_page_of_the_history(api: Client, count: int, query: str, most: int) -> None:
    post(api, BATCH, [{"profileId": "code-quality", "output": "needle", "agent": "A"}] * count).getvalue()
    assert queries(lambda: api.get(HISTORY + query)) <= most
    assert len(listed(api.get(HISTORY + query))) == count


@pytest.mark.parametrize("count", [2, 20])
def test_the_versions_of_a_profile(api: Client, count: int) -> None:
    address = f"{PROFILES}/{made(api)['id']}"
    for number in range(count - 1):
        put(api, address, {"description": str(number)})
    assert queries(lambda: api.get(address + "/versions")) <= 4


@pytest.mark.parametrize("scorers", [1, 30])
def test_an_evaluation(api: Client, scorers: int) -> None:
    profile = made(api, *(contains(str(number)) for number in range(scorers)))
    # The session, the person, the profile with its version, the row.
    assert queries(lambda: post(api, EVALUATE, {"profileId": profile["id"], "output": "x"})) <= 4


def test_a_change_and_a_deletion(api: Client) -> None:
    address = f"{PROFILES}/{made(api)['id']}"
    with CaptureQueriesContext(connection) as captured:
        assert put(api, address, {"name": "New"}).status_code == 200
    assert len(captured) <= 12
    with CaptureQueriesContext(connection) as captured:
        assert api.delete(address).status_code == 204
    assert len(captured) <= 10


def test_a_preview_of_fifty(api: Client) -> None:
    answers = listed(post(api, BATCH, [{"profileId": "code-quality", "output": "x"}] * 50))
    body = {"profile": profile_body(), "evaluationIds": [answer["id"] for answer in answers]}
    assert queries(lambda: post(api, PREVIEW, body)) <= 3
