"""The history page: filters in the address, paging both ways, its charts, who may see it, how many queries."""

import html
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import COMMAND_LINE
from accounts.models import User
from scoring.evaluate_bodies import Answer
from scoring.models import Evaluation
from scoring.queries import figures, listing
from scoring.queries.profiles import profile_at
from scoring.services.evaluations import evaluation_unsaved
from scoring.services.profiles import profile_create, profile_delete
from tests.people import ClientFor
from tests.scoring.cases import contains, in_range, profile_body

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'"
START = datetime(2026, 3, 1, tzinfo=UTC)


def stored(profile_id: str = "code-quality", count: int = 1, start: datetime = START, **body: Any) -> list[Evaluation]:
    """Evaluations a minute apart, the last the newest."""
    profile = profile_at(profile_id)
    rows = []
    for number in range(count):
        row = evaluation_unsaved(
            actor=COMMAND_LINE, profile=profile, body=Answer(**({"output": f"tests {number}"} | body))
        )
        row.created_at = start + timedelta(minutes=number)
        row.save()
        rows.append(row)
    return rows


def page(client: Client, address: str = "/history", status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.text


def shown(text: str) -> list[str]:
    """The ids of the evaluations in the table, from the top."""
    return re.findall(r'class="row-link nowrap" href="/history/(eval_\w+)', text)


def link(text: str, words: str) -> str:
    """The address of the link with these words."""
    found = re.search(rf'<a[^>]*href="([^"]*)"[^>]*>(?:<svg.*?</svg>)?\s*{words}', text)
    assert found is not None, words
    return html.unescape(found.group(1))


# -- what it shows


def test_a_fresh_instance_says_what_to_do(api: Client) -> None:
    text = page(api)
    assert "No evaluation is stored yet." in text
    assert 'href="/profiles"' in text
    assert "CSV" not in text


def test_a_row_tells_why_at_a_glance(api: Client) -> None:
    row = stored(output="\n  \nTODO first\nsecond", agent="support-agent", taskId="task-1")[0]
    text = page(api)
    assert shown(text) == [row.public_id]
    for words in (
        "Code Quality",
        "v1",
        "support-agent",
        "task-1",
        "TODO first",
        "0.000",
        "failed",
        "Mentions verification",
    ):
        assert words in text
    assert "second" not in text
    assert "1 of 1 evaluations" in text


def test_errors_are_neither_passed_nor_zero(api: Client) -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(in_range(name="Tokens")))
    stored(profile.row.pk, output="x")
    text = page(api)
    row = text[text.index("<tbody>") :]
    assert "errored" in row
    assert "Tokens" in row
    assert ">0.000<" not in row
    assert "score-errored" in row


def test_newest_first_and_ties_by_the_later_stored(api: Client) -> None:
    older, newer = stored(count=2)
    same = stored(start=newer.created_at)[0]
    assert shown(page(api)) == [same.public_id, newer.public_id, older.public_id]


def test_hostile_text_stays_text(api: Client) -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(contains(name=HOSTILE), name=HOSTILE))
    stored(profile.row.pk, output=HOSTILE, action=HOSTILE, agent=HOSTILE, taskId=HOSTILE)
    for address in (
        "/history?charts=1",
        f"/history?profileId={profile.row.pk}",
        "/history/charts",
        f"/history?q={HOSTILE}",
    ):
        text = page(api, address)
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_an_output_is_never_read_whole_for_the_table(api: Client) -> None:
    stored(output="a" * 50_000)
    with CaptureQueriesContext(connection) as captured:
        text = page(api)
    assert "a" * 200 in text
    assert "a" * 201 not in text
    rows = next(query["sql"] for query in captured if '"worst_scorer"' in query["sql"])
    assert '"breakdown"' not in rows
    assert '"search_text"' not in rows


# -- filters


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("agent=a", {"a"}),
        ("taskId=t2", {"b"}),
        ("passed=true", {"a"}),
        ("passed=false", {"b", "c"}),
        ("status=errored", {"e"}),
        ("status=scored&agent=e", set()),
        ("minScore=0.6", {"a"}),
        ("maxScore=0.1", {"c"}),
        ("minScore=0.2&maxScore=0.5", {"b"}),
        ("since=2026-03-02", {"b", "c", "e"}),
        ("until=2026-03-01", {"a"}),
        ("since=2026-03-02T00:00:00Z&until=2026-03-03T00:00:00Z", {"b"}),
        ("q=VERIFIED", {"a"}),
        ("q=no%20such", set()),
        ("profileId=code-quality", {"a", "b", "c"}),
        ("profileId=code-quality&profileVersion=2", set()),
    ],
)
def test_each_filter_narrows_rows_charts_and_count_alike(api: Client, query: str, expected: set[str]) -> None:
    errs = profile_create(actor=COMMAND_LINE, body=profile_body(in_range()))
    verified = "Verified by tests. " + "word " * 50
    stored(agent="a", output=verified)
    stored(agent="b", taskId="t2", output="a test without length", start=START + timedelta(days=1))
    stored(agent="c", output="TODO", start=START + timedelta(days=2))
    stored(errs.row.pk, agent="e", start=START + timedelta(days=3))
    Evaluation.objects.filter(agent="b").update(score=0.35, passed=False)
    rows = {row.public_id: row.agent for row in Evaluation.objects.all()}
    text = page(api, f"/history?{query}")
    assert {rows[key] for key in shown(text)} == expected
    charts = page(api, f"/history/charts?{query}")
    assert f'<span class="stat-value">{len(expected)}</span>' in charts
    if expected:
        assert f"{len(expected)} of {len(expected)} evaluations" in text
    else:
        assert "No evaluation matches these filters." in text


def test_chips_say_what_is_active_and_each_can_be_taken_out(api: Client) -> None:
    stored(agent="a&b")
    text = page(
        api, "/history?profileId=code-quality&profileVersion=1&agent=a%26b&passed=false&q=tests&since=2026-01-01"
    )
    for words in (
        "Profile: Code Quality",
        "Version: 1",
        "Agent: a&amp;b",
        "Verdict: failed",
        "Text: “tests”",
        "From 2026-01-01",
    ):
        assert f'title="{words}"' in text
    removals = [html.unescape(address) for address in re.findall(r'class="chip-remove" href="([^"]*)"', text)]
    assert "?agent=a%26b&passed=false&since=2026-01-01&q=tests" in removals, "without its profile a version goes too"
    assert "?profileId=code-quality&profileVersion=1&passed=false&since=2026-01-01&q=tests" in removals
    assert len(removals) == 6


def test_what_was_filtered_by_stands_in_the_form_again(api: Client) -> None:
    stored()
    text = page(api, "/history?agent=x&minScore=0.25&since=2026-01-01T10:00:00Z&status=errored")
    assert 'name="agent" value="x"' in text
    assert 'name="minScore" value="0.25"' in text
    assert 'type="text" id="filter-since" name="since" value="2026-01-01T10:00:00Z"' in text
    assert '<option value="errored" selected>' in text
    assert '<details class="disclosure" open>' in text


def test_empty_fields_do_not_stay_in_the_address(api: Client) -> None:
    answer = api.get("/history?q=&agent=x&passed=")
    assert answer.status_code == 302
    assert answer["Location"] == "/history?agent=x"
    assert api.get("/history?q=&agent=")["Location"] == "/history?"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("minScore=7", "minScore"),
        ("passed=maybe", "passed"),
        ("since=yesterday", "since"),
        ("profileVersion=0", "profileVersion"),
    ],
)
def test_a_wrong_value_is_told_at_its_field(api: Client, query: str, field: str) -> None:
    stored()
    text = page(api, f"/history?{query}", status=422)
    assert f'id="filter-{field}-error"' in text
    assert f'aria-describedby="filter-{field}-error"' in text
    assert "nothing was looked up" in text
    assert shown(text) == []


def test_a_misspelt_filter_shows_nothing_instead_of_everything(api: Client) -> None:
    stored()
    text = page(api, "/history?agnet=x", status=422)
    assert "agnet: There is no such parameter here." in text
    assert shown(text) == []
    page(api, "/history?cursor=nonsense", status=422)


def test_a_deleted_profile_that_left_evaluations_can_be_chosen(api: Client) -> None:
    used = profile_create(actor=COMMAND_LINE, body=profile_body(name="Used"))
    unused = profile_create(actor=COMMAND_LINE, body=profile_body(name="Unused"))
    stored(used.row.pk)
    for profile in (used, unused):
        profile_delete(actor=COMMAND_LINE, profile_id=profile.row.pk)
    text = page(api)
    assert f'<option value="{used.row.pk}">Used (deleted)</option>' in text
    assert "Unused" not in text


def test_only_failures_and_back(api: Client) -> None:
    stored(output="tests " * 50)
    failed = stored(output="TODO")[0]
    text = page(api, "/history?profileId=code-quality")
    there = re.search(r'data-failures-link href="([^"]*)"', text)
    assert there is not None
    failures = page(api, html.unescape(there.group(1)))
    assert shown(failures) == [failed.public_id]
    back = re.search(r'data-failures-link href="([^"]*)"', failures)
    assert back is not None
    assert len(shown(page(api, html.unescape(back.group(1))))) == 2


# -- paging


def test_older_and_newer_go_through_every_row_once_and_back_the_same_way(api: Client) -> None:
    stored(count=5)
    stored(count=2, start=START + timedelta(minutes=2))  # the same moments as two of the five
    everything = shown(page(api))
    text = page(api, "/history?limit=3")
    pages = [shown(text)]
    while "Older" in text:
        text = page(api, "/history" + link(text, "Older"))
        pages.append(shown(text))
    assert [key for keys in pages for key in keys] == everything
    assert [len(keys) for keys in pages] == [3, 3, 1]
    for number in range(len(pages) - 1, 0, -1):
        assert "Newer" in text
        text = page(api, "/history" + link(text, "Newer"))
        assert shown(text) == pages[number - 1]
    assert "Newer" not in text


def test_paging_keeps_the_filter(api: Client) -> None:
    stored(count=4, agent="a")
    stored(count=4, agent="b")
    text = page(api, "/history?agent=a&limit=3")
    assert "3 of 4 evaluations" in text
    assert len(shown(page(api, "/history" + link(text, "Older")))) == 1


def test_the_count_stops_at_its_cap(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(count=4)
    monkeypatch.setattr(listing, "COUNT_CAP", 2)
    monkeypatch.setattr("scoring.web.history.COUNT_CAP", 2)
    assert "2 of 2+ evaluations" in page(api, "/history?limit=2")


def test_a_text_that_many_hold_is_not_counted(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(count=4, output="the same words")
    monkeypatch.setattr("scoring.queries.search.MOST_KEYS", 2)
    assert "too common to count" in page(api, "/history?q=same")
    monkeypatch.setattr(figures, "MOST_LOOKED_AT", 2)
    charts = page(api, "/history/charts?q=same")
    assert "among the newest 2" in charts
    assert '<span class="stat-value">2</span>' in charts


# -- charts


def test_charts_are_fetched_once_the_page_stands_and_linked_without_script(api: Client) -> None:
    stored(count=2)
    text = page(api, "/history?agent=x")
    assert "hx-get" not in text, "nothing to draw"
    text = page(api, "/history?profileId=code-quality")
    assert 'hx-get="/history/charts?profileId=code-quality"' in text
    assert "score-over-time" not in text
    with_charts = page(api, "/history" + link(text, "Show charts").removeprefix("/history"))
    assert 'id="score-over-time-data"' in with_charts
    assert 'hx-get="/history/charts' not in with_charts


def test_charts_cover_the_newest_and_say_that_there_are_more(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(count=5)
    monkeypatch.setattr(figures, "MOST_ROWS", 3)
    text = page(api, "/history/charts")
    assert "the newest 3 of more" in text
    monkeypatch.setattr(figures, "MOST_ROWS", 5)
    assert "all that match" in page(api, "/history/charts")


def test_many_scorers_give_fewer_evaluations_to_the_figure_by_scorer(
    api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored(count=5)
    monkeypatch.setattr(figures, "MOST_ENTRIES", 6)
    assert "Over the newest 2 of these 5 evaluations." in page(api, "/history/charts")


def test_errors_stand_beside_every_mean(api: Client) -> None:
    profile = profile_create(actor=COMMAND_LINE, body=profile_body(in_range(name="Tokens"), contains(value="tests")))
    for metadata in ({"n": 5}, {"n": 6}, {}):
        stored(profile.row.pk, metadata=metadata)
    text = page(api, f"/history/charts?profileId={profile.row.pk}")
    assert "2 of 3 scored · 1 errored" in text
    assert "1.000 · 2 of 3 scored · 1 errored" in html.unescape(text)


def test_wrong_filters_of_the_fragment_are_refused(api: Client) -> None:
    assert api.get("/history/charts?minScore=9").status_code == 400


# -- who may, and at what cost


@pytest.mark.parametrize("person", ["owner", "editor", "reviewer", "viewer"])
def test_everyone_who_is_signed_in_reads(person: str, request: pytest.FixtureRequest, client_for: ClientFor) -> None:
    client = client_for(request.getfixturevalue(person))
    for address in ("/history", "/history/charts", "/history/export.csv"):
        assert client.get(address).status_code == 200


def test_nobody_else_does(client: Client, outsider: User, client_for: ClientFor) -> None:
    for somebody in (client, client_for(outsider)):
        for address in ("/history", "/history/charts", "/history/export.csv", "/history/eval_x"):
            answer = somebody.get(address)
            assert answer.status_code == 302
            assert answer["Location"].startswith("/sign-in?next=")


def test_as_many_queries_for_fifty_rows_as_for_one(api: Client) -> None:
    stored(count=1, agent="one")
    stored(count=60, agent="many", output="the words")

    def queries(address: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            page(api, address)
        return len(captured)

    assert queries("/history?agent=many") == queries("/history?agent=one&limit=1") + 1, (
        "the count, as there is a second page"
    )
    # Session and user, profiles, rows, count.
    assert queries("/history?agent=many") == 5
    assert queries("/history?agent=many&q=words") == 6
    text = page(api, "/history?agent=many")
    assert queries("/history" + link(text, "Older")) == 6
    assert queries("/history/charts?agent=many") == 4
