"""The list of profiles, and duplicate, delete, import and export."""

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry, User
from foundation import times
from scoring.models import Evaluation, Profile, ProfileVersion
from scoring.queries.profiles import profile_at
from tests.people import ClientFor
from tests.scoring.web.profile_forms import HOSTILE, KEYWORDS, LEGACY, REGEX, evaluated, holding, made, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def editing(editor: User, client_for: ClientFor) -> Client:
    return client_for(editor)


# The list


def test_the_list_says_what_each_profile_is_and_how_it_was_used(viewer: User, client_for: ClientFor) -> None:
    at = made("Support", REGEX, KEYWORDS, compositeMethod="minimum", passThreshold=0.7)
    evaluated(at.row.pk, "fixed", "fixed TODO", "added")
    Evaluation.objects.filter(output="added").update(created_at=times.now() - timedelta(days=31))
    broken = made("Broken", {"id": "n", "type": "NumericRange", "valuePath": "metadata.none", "max": 1})
    evaluated(broken.row.pk, "a")
    made("Open", passThreshold=None)
    page = words(client_for(viewer).get("/profiles").text)
    assert "Support Minimum 2 0.700 2 0.500 · 2 of 2 scored just now" in page
    assert "Broken Weighted average 1 0.500 1 – · 0 of 1 scored · 1 errored" in page
    assert "Open Weighted average 2 not gated 0 – " in page
    assert "Code Quality built-in Weighted average 3 0.500 0 –" in page


@pytest.mark.parametrize(("who", "offered"), [("viewer", 0), ("reviewer", 0), ("editor", 1), ("owner", 1)])
def test_new_is_offered_to_those_who_may(
    who: str, offered: int, client_for: ClientFor, request: pytest.FixtureRequest
) -> None:
    page = client_for(request.getfixturevalue(who)).get("/profiles").text
    assert page.count('href="/profiles/new"') == offered
    assert page.count('href="/profiles/import"') == offered


def test_nobody_is_sent_to_sign_in(client: Client) -> None:
    for address in ("/profiles", "/profiles/new", "/profiles/code-quality", "/profiles/import"):
        answer = client.get(address)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/sign-in?next=")


def test_the_list_costs_the_same_for_many(editing: Client) -> None:
    counts = []
    for number in range(30):
        made(f"Profile {number}")
        if number in {2, 29}:
            with CaptureQueriesContext(connection) as queries:
                assert f"Profile {number}" in editing.get("/profiles").text
            counts.append(len(queries))
    assert counts[0] == counts[1] <= 4


@pytest.mark.parametrize(
    ("sort", "first", "second"),
    [
        ("name", "Abel", "Berta"),
        ("-name", "Berta", "Abel"),
        ("-scorers", "Abel", "Berta"),
        ("threshold", "Abel", "Berta"),
        ("-threshold", "Berta", "Abel"),
        ("-evaluations", "Berta", "Abel"),
        ("-mean", "Berta", "Abel"),
        ("-updated", "Berta", "Abel"),
        ("nonsense", "Abel", "Berta"),
    ],
)
def test_it_sorts(sort: str, first: str, second: str, editing: Client) -> None:
    made("Abel", passThreshold=0.2)
    later = made("Berta", REGEX, passThreshold=0.9)
    ProfileVersion.objects.filter(profile=later.row).update(created_at=times.now() + timedelta(minutes=1))
    evaluated(later.row.pk, "fixed")
    page = editing.get(f"/profiles?sort={sort}").text
    assert page.index(f">{first}</a>") < page.index(f">{second}</a>")


def test_it_searches_names_in_any_case_and_ids(editing: Client) -> None:
    at = made("Ünïcode answers")
    for search in ("ÜNÏ", "answers", at.row.pk):
        page = editing.get("/profiles", {"q": search}).text
        assert "Ünïcode answers" in page
        assert "Code Quality" not in page
    nothing = editing.get("/profiles", {"q": HOSTILE})
    assert "No profile has this in its name." in nothing.text
    assert HOSTILE not in nothing.text
    assert editing.get("/profiles", {"q": "\x00"}).status_code == 200


def test_hostile_names_are_text(editing: Client) -> None:
    at = made(HOSTILE, {**REGEX, "name": HOSTILE, "id": HOSTILE, "description": HOSTILE}, description=HOSTILE)
    evaluated(at.row.pk, HOSTILE)
    base = f"/profiles/{at.row.pk}"
    for address in ("/profiles", base, f"{base}?view=json", f"{base}/versions", f"{base}/versions/1", f"{base}/try"):
        page = editing.get(address).text
        assert "alert(1)" in page
        assert HOSTILE not in page
        assert "<img src=x" not in page


def test_a_profile_that_needs_mending_is_marked(editing: Client) -> None:
    holding("Old", LEGACY)
    assert "Old needs mending" in words(editing.get("/profiles").text)


# Duplicate and delete


def test_a_built_in_is_duplicated(editing: Client) -> None:
    answer = editing.post("/profiles/code-quality/duplicate")
    copy = Profile.objects.get(built_in=False)
    assert (answer.status_code, answer["Location"]) == (302, f"/profiles/{copy.pk}")
    page = editing.get(f"/profiles/{copy.pk}").text
    assert "Duplicated as “Code Quality (copy)”." in page
    assert 'name="scorers-0-keywords"' in page


def test_a_past_version_is_duplicated(editing: Client) -> None:
    at = made("First")
    editing.put(f"/api/scoring/profiles/{at.row.pk}", {"name": "Second"}, content_type="application/json")
    editing.post(f"/profiles/{at.row.pk}/duplicate", {"version": "1"})
    copy = Profile.objects.exclude(pk=at.row.pk).get(built_in=False)
    assert profile_at(copy.pk).content.name == "First (copy)"


@pytest.mark.parametrize("who", ["viewer", "reviewer", "editor", "owner"])
def test_only_owners_delete(who: str, client_for: ClientFor, request: pytest.FixtureRequest) -> None:
    at = made("Support")
    evaluated(at.row.pk, "fixed")
    client = client_for(request.getfixturevalue(who))
    offered = 'id="delete-profile"' in client.get(f"/profiles/{at.row.pk}").text
    answer = client.post(f"/profiles/{at.row.pk}/delete")
    if who == "owner":
        assert offered
        assert answer["Location"] == "/profiles"
        assert "Deleted “Support”." in client.get("/profiles").text
        assert client.get(f"/profiles/{at.row.pk}").status_code == 404
        gone = client.get(f"/profiles/{at.row.pk}/versions/1")
        assert "This profile was deleted." in gone.text
        assert "Duplicate" not in gone.text
    else:
        assert not offered
        assert answer.status_code == 403
        assert Profile.objects.get(pk=at.row.pk).deleted_at is None


def test_nobody_deletes_a_built_in(owner: User, client_for: ClientFor) -> None:
    client = client_for(owner)
    answer = client.post("/profiles/code-quality/delete")
    assert answer.status_code == 403
    assert "Built-in profiles cannot be changed or deleted." in answer.text
    assert client.get("/profiles/code-quality").status_code == 200


@pytest.mark.parametrize("who", ["viewer", "reviewer"])
def test_writing_needs_an_editor(who: str, client_for: ClientFor, request: pytest.FixtureRequest) -> None:
    at = made("Support")
    client = client_for(request.getfixturevalue(who))
    entries = AuditEntry.objects.count()
    for address in ("/profiles/new", "/profiles/import", f"/profiles/{at.row.pk}", f"/profiles/{at.row.pk}/duplicate"):
        assert client.post(address, {"act": "save", "name": "x"}).status_code == 403
    assert client.post(f"/profiles/{at.row.pk}/versions/1/restore").status_code == 403
    assert client.get("/profiles/new").status_code == 403
    assert client.get("/profiles/import").status_code == 403
    assert AuditEntry.objects.count() == entries


# Export and import


def test_an_export_is_the_api_document_as_a_file(viewer: User, client_for: ClientFor) -> None:
    at = made('Süpport: "answers"/../ 🎉', REGEX)
    client = client_for(viewer)
    answer = client.get(f"/profiles/{at.row.pk}/export.json")
    assert answer["Content-Type"] == "application/json"
    assert answer["Content-Disposition"] == 'attachment; filename="support-answers-v1.json"'
    assert json.loads(answer.content) == client.get(f"/api/scoring/profiles/{at.row.pk}").json()
    unnamed = made("🎉")
    assert f'"{unnamed.row.pk}-v1.json"' in client.get(f"/profiles/{unnamed.row.pk}/export.json")["Content-Disposition"]
    assert client.get(f"/profiles/{at.row.pk}/export.json?version=7").status_code == 404


@pytest.mark.parametrize("way", ["file", "text"])
def test_what_was_exported_is_imported(way: str, editing: Client) -> None:
    exported = editing.get("/profiles/code-quality/export.json").content
    body: dict[str, Any] = {"document": exported.decode()}
    if way == "file":
        body = {"file": SimpleUploadedFile("x.json", b"\xef\xbb\xbf" + exported, "application/json"), "document": ""}
    answer = editing.post("/profiles/import", body)
    imported = Profile.objects.get(built_in=False)
    assert answer["Location"] == f"/profiles/{imported.pk}"
    assert profile_at(imported.pk).content == profile_at("code-quality").content
    assert "Imported “Code Quality”." in editing.get(answer["Location"]).text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Choose a file, or paste the document."),
        ("{", "The document is not valid JSON"),
        ('{"a": 1, "a": 2}', "stands twice"),
        ("[" * 70 + "]" * 70, "nested more than 64"),
        ("[]", "A profile must be an object."),
        ('{"name": "a"}', "<code>scorers</code> This is required."),
        ('{"name": "\\u0000", "scorers": []}', "<code>name</code> The text contains a NUL"),
        (
            '{"name": "a", "scorers": [{"id": "x", "type": "RegexMatch", "pattern": "a", "wieght": 1}]}',
            "<code>scorers.0.wieght</code> There is no such field here.",
        ),
    ],
)
def test_what_cannot_be_imported_says_why(text: str, told: str, editing: Client) -> None:
    answer = editing.post("/profiles/import", {"document": text})
    assert answer.status_code == 422
    assert told in answer.text
    assert Profile.objects.filter(built_in=False).count() == 0


def test_a_file_that_is_too_large_or_no_text_is_refused(editing: Client) -> None:
    for data, told in ((b" " * (1024 * 1024 + 1), "at most 1 MB"), (b"\xff\xfe", "not valid UTF-8")):
        answer = editing.post("/profiles/import", {"file": io.BytesIO(data)})
        assert answer.status_code == 422
        assert told in answer.text


def test_a_scorer_that_cannot_run_is_imported_and_named(editing: Client) -> None:
    bad = {"id": "bad", "name": "Bad pattern", "type": "RegexMatch", "pattern": "("}
    answer = editing.post("/profiles/import", {"document": json.dumps({"name": "Mixed", "scorers": [KEYWORDS, bad]})})
    page = editing.get(answer["Location"]).text
    assert "1 scorer cannot run as they are: “Bad pattern”." in page
    assert "Invalid regular expression" in page
    assert 'id="scorers-1-pattern-error"' in page
