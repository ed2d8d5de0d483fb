"""The scorer reference: every declared type, found by its words, its examples run for the page."""

import re
from typing import Any, Literal

import pytest
from django.test import Client
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from scoring import javascript, reference
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading
from scoring.kit.registry import registry
from scoring.kit.scorer import Example, Scorer
from tests.people import ClientFor

pytestmark = pytest.mark.django_db


def links(page: str) -> list[str]:
    return re.findall(r'class="row-link[^"]*" href="/scorers/(\w+)"', page)


def test_every_type_is_listed_by_family(api: Client) -> None:
    page = api.get("/scorers").text
    assert sorted(links(page)) == sorted(declared.type_name() or "" for declared in registry)
    assert re.findall(r'id="family-\d+">(\w+)<', page) == sorted({reference.family(declared) for declared in registry})


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("regexmatch", ["RegexMatch"]),
        ("regex_match", ["RegexMatch"]),
        ("denominatorPath", ["OccurrenceRatio"]),
        ("  KEYWORDS any ", ["KeywordContains"]),
        ("no such words", []),
    ],
)
def test_a_search_finds_types_that_hold_every_word(search: str, found: list[str], api: Client) -> None:
    page = api.get("/scorers", {"q": search}).text
    assert links(page) == found
    assert f"{len(found)} of {len(registry)} scorers hold" in page


def test_a_hostile_search_is_text(api: Client) -> None:
    page = api.get("/scorers", {"q": '"><script>alert(1)</script>'}).text
    assert "<script>alert" not in page
    assert "No scorer holds all of these words" in page


@pytest.mark.parametrize("declared", list(registry), ids=lambda declared: declared.type_name())
def test_a_page_holds_all_of_the_declaration(declared: type[Scorer], api: Client) -> None:
    page = api.get(f"/scorers/{declared.type_name()}").text
    assert escape(declared.summary()) in page
    for name, _, _, _ in reference.setting_rows(declared):
        assert f"<code>{name}</code>" in page
    for code in reference.codes(declared):
        assert f"<code>{code}</code>" in page
    # Each example was run, and says what it was declared to say.
    assert page.count("as declared") == len(declared.examples)
    assert "differs from the declaration" not in page
    assert f"/profiles/new?scorer={declared.type_name()}" in page


def test_both_spellings_lead_to_the_page_and_others_nowhere(api: Client) -> None:
    assert "<h1>RegexMatch</h1>" in api.get("/scorers/regex_match").text
    assert "regex_match" in api.get("/scorers/RegexMatch").text
    for wrong in ("Nothing", "RegexMatch%00", "x" * 5_000, "%3Cscript%3E"):
        assert api.get(f"/scorers/{wrong}").status_code == 404


def test_an_example_that_is_not_true_any_more_is_marked(api: Client) -> None:
    with registry.forgetting_additions():

        class Stale(Scorer):
            """Whether an example can be wrong."""

            examples = (
                Example("Claims too much", {}, {"output": "x"}, score=1),
                Example("Claims an error", {}, {"output": "x"}, error=ErrorCode.UNDEFINED),
                Example("True", {}, {"output": "x"}, score=0.25),
            )
            type: Literal["Stale"] = "Stale"

            def score(self, observation: Observation) -> Reading:
                return Reading(0.25, "A quarter.")

        page = api.get("/scorers/Stale").text
    assert page.count("differs from the declaration") == 2
    assert page.count("as declared") == 1
    assert "Declared: error undefined" in page
    assert "Declared: 1.000" in page
    assert "0.250" in page


def test_a_full_regex_pool_is_a_503_and_no_fault(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: Any) -> None:
        raise javascript.PoolBusy(2.0)

    monkeypatch.setattr(javascript, "search", busy)
    answer = api.get("/scorers/RegexMatch")
    assert answer.status_code == 503
    assert answer["Retry-After"] == "2"


@pytest.mark.parametrize(("who", "writes"), [("viewer", False), ("reviewer", False), ("editor", True), ("owner", True)])
def test_everybody_reads_and_editors_may_use_it(
    who: str, writes: bool, request: pytest.FixtureRequest, client_for: ClientFor
) -> None:
    client = client_for(request.getfixturevalue(who))
    assert client.get("/scorers").status_code == 200
    assert ("Use in a new profile" in client.get("/scorers/Contains").text) is writes


def test_nobody_is_sent_to_sign_in(client: Client) -> None:
    for address in ("/scorers", "/scorers/Contains"):
        assert client.get(address)["Location"].startswith("/sign-in")


def test_the_pages_read_nothing_but_who_asks(
    api: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(2):
        api.get("/scorers")
    with django_assert_max_num_queries(2):
        api.get("/scorers/NumericRange")
