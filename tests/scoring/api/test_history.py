"""The history: newest first, page by page, each filter alone and together."""

import re
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client

from scoring.models import Evaluation
from tests.scoring.cases import (
    BATCH,
    HISTORY,
    contains,
    error_of,
    evaluated,
    in_range,
    listed,
    made,
    paths_of,
    post,
    put,
)

pytestmark = pytest.mark.django_db
START = datetime(2026, 3, 21, tzinfo=UTC)


def many(client: Client, profile_id: str, *bodies: dict[str, Any]) -> list[dict[str, Any]]:
    """These evaluations, made in one go."""
    answers = listed(post(client, BATCH, [{"profileId": profile_id, "output": "x", **body} for body in bodies]))
    assert all("id" in answer for answer in answers), answers
    return list(answers)


def at(evaluation: dict[str, Any], moment: datetime) -> None:
    """Let it have been made then."""
    Evaluation.objects.filter(public_id=evaluation["id"]).update(created_at=moment)


def found(client: Client, **query: Any) -> list[str]:
    """The tasks that the history lists."""
    return [item["taskId"] for item in listed(client.get(HISTORY, query))]


def next_page(response: Any) -> str | None:
    link = response.headers.get("Link")
    if link is None:
        return None
    match = re.fullmatch(r'<([^>]+)>; rel="next"', link)
    assert match, link
    return match.group(1)


def walk(client: Client, address: str) -> list[list[dict[str, Any]]]:
    pages, seen = [], set()
    following: str | None = address
    while following:
        assert following not in seen
        seen.add(following)
        response = client.get(following)
        pages.append(listed(response))
        following = next_page(response)
    return pages


@pytest.mark.parametrize("limit", [1, 3, 7, 10, 20, 21, 500])
def test_paging_walks_every_row_once_when_times_are_equal(api: Client, limit: int) -> None:
    made_ = many(api, "code-quality", *({"taskId": str(number)} for number in range(20)))
    for number, evaluation in enumerate(made_):
        at(evaluation, START + timedelta(seconds=number // 7))
    pages = walk(api, f"{HISTORY}?limit={limit}")
    tasks = [item["taskId"] for page in pages for item in page]
    assert tasks == [str(number) for number in reversed(range(20))]
    assert all(len(page) == limit for page in pages[:-1])
    assert 1 <= len(pages[-1]) <= limit


def test_a_row_that_comes_meanwhile_moves_no_page(api: Client) -> None:
    many(api, "code-quality", *({"taskId": str(number)} for number in range(6)))
    first = api.get(f"{HISTORY}?limit=3")
    assert [item["taskId"] for item in listed(first)] == ["5", "4", "3"]
    many(api, "code-quality", {"taskId": "new"})
    assert [item["taskId"] for item in listed(api.get(next_page(first)))] == ["2", "1", "0"]


def test_fifty_at_a_time_unless_asked_for_more(api: Client) -> None:
    assert listed(api.get(HISTORY)) == []
    many(api, "code-quality", *({"taskId": str(number)} for number in range(51)))
    response = api.get(HISTORY)
    assert len(listed(response)) == 50
    assert next_page(response)
    response = api.get(HISTORY, {"limit": 51})
    assert (len(listed(response)), next_page(response)) == (51, None)


@pytest.mark.parametrize(
    "limit", ["0", "501", "-1", "1.5", "x", "1e2", "\u0661", "9" * 24, "+5", " 5", "0x5", "\x00", "NaN"]
)
def test_any_other_limit_is_refused(api: Client, limit: str) -> None:
    assert paths_of(api.get(HISTORY, {"limit": limit})) == ["limit"]


def test_the_address_of_the_next_page_keeps_the_filters(api: Client) -> None:
    many(
        api, "code-quality", *({"agent": "A & B/\u00e9%", "taskId": str(number)} for number in range(5)), {"agent": "C"}
    )
    query = {"agent": "A & B/\u00e9%", "limit": 2, "profileId": "code-quality", "count": "true"}
    response = api.get(HISTORY, query)
    address = next_page(response) or ""
    kept = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
    assert {**kept, "cursor": None} == {name: str(value) for name, value in query.items()} | {"cursor": None}
    assert urlsplit(address).path == HISTORY
    assert [len(page) for page in walk(api, f"{HISTORY}?{urlencode(query)}")] == [2, 2, 1]
    assert response.headers["X-Total-Count"] == "5"


def test_the_total_comes_only_when_asked_for(api: Client) -> None:
    many(api, "code-quality", {}, {}, {"agent": "A"})
    assert "X-Total-Count" not in api.get(HISTORY).headers
    assert "X-Total-Count" not in api.get(HISTORY, {"count": "false"}).headers
    assert api.get(HISTORY, {"count": "true", "limit": 1}).headers["X-Total-Count"] == "3"
    assert api.get(HISTORY, {"count": "true", "agent": "A"}).headers["X-Total-Count"] == "1"


# ---- filters -----------------------------------------------------------------------------------


@pytest.fixture
def stories(api: Client) -> dict[str, Any]:
    """Evaluations that differ in everything one can filter by; by task."""
    mixed = made(
        api,
        {"id": "r", "type": "RegexMatch", "pattern": "good", "scoreOnMatch": 0.75, "scoreOnMiss": 0.25},
        name="Mixed",
    )
    ungated = made(api, contains(value="good"), passThreshold=None, name="Ungated")
    erring = made(api, in_range(), name="Erring")
    reporting = made(api, contains(value="good"), in_range(weight=0), name="Reporting")
    rows = [
        *many(
            api,
            mixed["id"],
            {"output": "good", "agent": "A", "taskId": "pass"},
            {"output": "bad", "agent": "A", "taskId": "fail"},
        ),
        *many(api, ungated["id"], {"output": "good", "agent": "B", "taskId": "ungated"}),
        *many(api, erring["id"], {"output": "good", "agent": "B", "taskId": "errored"}),
        *many(api, reporting["id"], {"output": "good", "agent": "C", "taskId": "reported"}),
    ]
    put(api, f"/api/scoring/profiles/{mixed['id']}", {"passThreshold": 0.9})
    rows += many(api, mixed["id"], {"output": "good", "agent": "A", "taskId": "stricter"})
    for number, row in enumerate(rows):
        at(row, START + timedelta(days=number))
    return {row["taskId"]: row for row in rows}


ALL = ["stricter", "reported", "errored", "ungated", "fail", "pass"]
FILTERS: dict[str, tuple[str, set[str]]] = {
    "agent": ("A", {"pass", "fail", "stricter"}),
    "taskId": ("pass", {"pass"}),
    "profileVersion": ("2", {"stricter"}),
    "passed": ("true", {"pass", "reported"}),
    "status": ("errored", {"errored"}),
    "minScore": ("0.75", {"pass", "stricter", "ungated", "reported"}),
    "maxScore": ("0.75", {"pass", "stricter", "fail"}),
    "since": ("2026-03-23T00:00:00Z", {"ungated", "errored", "reported", "stricter"}),
    "until": ("2026-03-23T00:00:00Z", {"pass", "fail"}),
    "q": ("GOOD", {"pass", "ungated", "errored", "reported", "stricter"}),
}


def in_order(tasks: set[str]) -> list[str]:
    return [task for task in ALL if task in tasks]


def test_each_filter_alone_and_any_two_together(api: Client, stories: dict[str, Any]) -> None:
    assert found(api) == ALL
    for name, (value, expected) in FILTERS.items():
        assert found(api, **{name: value}) == in_order(expected), name
    for one, two in combinations(FILTERS, 2):
        expected = FILTERS[one][1] & FILTERS[two][1]
        assert found(api, **{one: FILTERS[one][0], two: FILTERS[two][0]}) == in_order(expected), (one, two)


def test_all_filters_together(api: Client, stories: dict[str, Any]) -> None:
    query = {
        "profileId": stories["pass"]["profileId"],
        "profileVersion": 1,
        "agent": "A",
        "taskId": "pass",
        "passed": "true",
        "status": "scored",
        "minScore": 0.75,
        "maxScore": 0.75,
        "since": "2026-03-21",
        "until": "2026-03-21",
        "q": "goo",
        "count": "true",
        "limit": 1,
    }
    response = api.get(HISTORY, query)
    assert [item["taskId"] for item in listed(response)] == ["pass"]
    assert response.headers["X-Total-Count"] == "1"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"passed": "false"}, {"fail", "stricter"}),
        ({"status": "scored"}, set(ALL) - {"errored"}),
        ({"status": "measured"}, set()),
        ({"profileId": "code-quality"}, set()),
        ({"profileId": "nope"}, set()),
        ({"minScore": "0", "maxScore": "1"}, set(ALL) - {"errored"}),
        ({"minScore": "0.9", "maxScore": "0.1"}, set()),
        ({"since": "2026-03-22", "until": "2026-03-23"}, {"fail", "ungated"}),
        ({"since": "2026-03-22T00:00:00.000Z", "until": "2026-03-22T00:00:00.001Z"}, {"fail"}),
        ({"since": "2026-03-22T02:00:00+02:00", "until": "2026-03-22T01:00:00"}, {"fail"}),
        ({"until": "0001-01-01"}, set()),
        ({"agent": "", "q": "", "passed": "", "limit": "", "cursor": ""}, set(ALL)),
        ({"agent": "a"}, set()),
    ],
)
def test_values_of_filters(api: Client, stories: dict[str, Any], query: dict[str, str], expected: set[str]) -> None:
    assert found(api, **query) == in_order(expected)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("passed", ["1", "True", "yes", "null"]),
        ("status", ["ok", "SCORED", "error"]),
        ("minScore", ["-0.1", "1.1", "x", "nan", "inf", "1e400", "0,5", "\x00"]),
        ("maxScore", ["2", "NaN", "--1"]),
        ("profileVersion", ["0", "-1", "1.0", "x", "2147483648", "9" * 24]),
        ("since", ["x", "yesterday", "2026-13-01", "2026-02-30", "1", "9" * 24, "0000-01-01", "\x00"]),
        ("until", ["x", "2026-3-1", "9999-12-31T23:59:59-14:00"]),
        ("cursor", ["x", "!", "AAAA", "a" * 300, "\x00", "\u00e9"]),
        ("count", ["1", "yes", "True"]),
        ("q", ["a" * 201, "a\x00b"]),
        ("agent", ["a" * 129, "\x00"]),
        ("taskId", ["a" * 129, "a\x00"]),
        ("profileId", ["a" * 65, "\x00"]),
        ("agnet", ["x", ""]),
        ("offset", ["5"]),
        ("limit[]", ["5"]),
    ],
)
def test_what_no_filter_understands_is_refused(api: Client, name: str, values: list[str]) -> None:
    for value in values:
        assert paths_of(api.get(HISTORY, {name: value, "limit": 5})) == [name], value


def test_every_wrong_parameter_is_told_at_once(api: Client) -> None:
    assert set(paths_of(api.get(HISTORY, {"limit": 0, "passed": "x", "typo": 1, "cursor": "x"}))) == {
        "limit",
        "passed",
        "typo",
        "cursor",
    }


# ---- text --------------------------------------------------------------------------------------

TEXTS = {
    "percent": "100% sure",
    "under": "snake_case",
    "slash": "C:\\temp\\new",
    "quote": "it's \"quoted\" 'twice'",
    "turkish": "\u0130stanbul I\u015f\u0131k",
    "german": "Die STRASSE und die Stra\u00dfe",
    "emoji": "done \U0001f600\U0001f680!",
    "sql": "x' OR 1=1 --",
    "fts": 'AND OR NOT NEAR("a" b) * ^',
    "cyrillic": "\u041f\u0440\u0438\u0432\u0435\u0442",
    "lines": "first\nsecond",
    "plain": "abcdefghij" * 30,
}
SEARCHES = [
    ("%", {"percent"}),
    ("100%", {"percent"}),
    ("0% s", {"percent"}),
    ("_", {"under"}),
    ("e_c", {"under"}),
    ("snakeXcase", set()),
    ("\\", {"slash"}),
    ("\\temp\\", {"slash"}),
    ("C:\\", {"slash"}),
    ("'", {"quote", "sql"}),
    ('"', {"quote", "fts"}),
    ('"quoted"', {"quote"}),
    ("' OR 1=1", {"sql"}),
    ("--", {"sql"}),
    ("AND OR NOT", {"fts"}),
    ('NEAR("a" b)', {"fts"}),
    ("*", {"fts"}),
    ("* ^", {"fts"}),
    ("stanbul", {"turkish"}),
    ("\u0130STANBUL", {"turkish"}),
    ("I\u015e", {"turkish"}),
    ("stra\u00dfe", {"german"}),
    ("STRASSE", {"german"}),
    ("strasse UND", {"german"}),
    ("\U0001f600", {"emoji"}),
    ("\U0001f680!", {"emoji"}),
    ("\u043f\u0440\u0438\u0412\u0415\u0422", {"cyrillic"}),
    ("t\nsecond", {"lines"}),
    ("a", None),
    ("E", None),
    ("x", {"sql"}),
    ("zz", set()),
    ("\u00e9", set()),
    ("J" + "ABCDEFGHIJ" * 10, {"plain"}),
    ("abcdefghij" * 20, {"plain"}),
    ("abcdefghijX", set()),
    (" ", None),
    ("  ", set()),
]


@pytest.mark.parametrize("field", ["output", "action"])
def test_text_is_found_as_it_stands_whatever_its_case(api: Client, field: str) -> None:
    other = "action" if field == "output" else "output"
    many(api, "code-quality", *({"taskId": task, field: text, other: ""} for task, text in TEXTS.items()))
    for text, expected in SEARCHES:
        wanted = (
            {task for task, held in TEXTS.items() if text.casefold() in held.casefold()}
            if expected is None
            else expected
        )
        assert set(found(api, q=text)) == wanted, text
        assert api.get(HISTORY, {"q": text, "count": "true"}).headers["X-Total-Count"] == str(len(wanted)), text


def test_text_is_looked_for_in_action_and_output(api: Client) -> None:
    many(api, "code-quality", {"taskId": "t", "action": "alpha one", "output": "two omega"})
    for text, hit in (("alpha", True), ("omega", True), ("one\ntwo", True), ("alpha omega", False), ("onetwo", False)):
        assert bool(found(api, q=text)) is hit, text


def test_text_with_paging_and_filters(api: Client) -> None:
    many(
        api,
        "code-quality",
        *(
            {"taskId": str(number), "output": f"needle {number}" if number % 2 else "hay", "agent": str(number % 3)}
            for number in range(30)
        ),
    )
    pages = walk(api, f"{HISTORY}?q=NEEDLE&limit=4")
    assert [item["taskId"] for page in pages for item in page] == [str(number) for number in range(29, 0, -2)]
    assert found(api, q="needle", agent="0") == ["27", "21", "15", "9", "3"]


def test_text_that_very_many_rows_hold(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from scoring.queries import search

    monkeypatch.setattr(search, "MOST_KEYS", 5)
    many(
        api,
        "code-quality",
        *({"taskId": str(number), "output": "common" if number else "common and rare"} for number in range(12)),
    )
    assert found(api, q="common") == [str(number) for number in reversed(range(12))]
    assert found(api, q="and rare") == ["0"]


# ---- one ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "evaluation_id",
    [
        "nope",
        "eval_0000000000000000",
        "1",
        "%00",
        "a%00b",
        "..",
        "%2e%2e",
        "a" * 300,
        "eval.x",
        "\u00e9",
        "%ED%A0%80",
        "9" * 24,
    ],
)
def test_an_unknown_evaluation(api: Client, evaluation_id: str) -> None:
    assert error_of(api.get(f"{HISTORY}/{evaluation_id}"), 404)["code"] == "RESOURCE_NOT_FOUND"


def test_one_is_what_the_list_shows(api: Client) -> None:
    evaluation = evaluated(api, "code-quality", output="x", metadata={"b": 1, "a": {"z": 1.0, "y": None}})
    (item,) = listed(api.get(HISTORY))
    assert item == evaluation == api.get(f"{HISTORY}/{evaluation['id']}").json()
    assert list(item["metadata"])[:2] == ["b", "a"]
