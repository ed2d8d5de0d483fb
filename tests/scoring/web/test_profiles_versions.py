"""The versions of a profile: listed in words, read, compared, restored."""

import html

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEntry, User
from scoring.queries.profiles import ProfileAt, profile_at
from tests.people import ClientFor
from tests.scoring.web.profile_forms import REGEX, made, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def editing(editor: User, client_for: ClientFor) -> Client:
    return client_for(editor)


def changed(client: Client, at: ProfileAt, **body: object) -> None:
    answer = client.put(f"/api/scoring/profiles/{at.row.pk}", body, content_type="application/json")
    assert answer.status_code == 200


@pytest.fixture
def third(editing: Client) -> ProfileAt:
    """A profile with three versions."""
    at = made()
    changed(editing, at, name="Second")
    changed(editing, at, passThreshold=0.8, scorers=[{**REGEX, "pattern": "FIXME"}])
    return profile_at(at.row.pk)


def test_versions_are_listed_newest_first_in_words(third: ProfileAt, viewer: User, client_for: ClientFor) -> None:
    page = html.unescape(words(client_for(viewer).get(f"/profiles/{third.row.pk}/versions").text))
    assert page.index("Version 3 newest") < page.index("Version 2") < page.index("Version 1")
    assert "name “Support” → “Second”" in page
    assert "threshold 0.5 → 0.8" in page
    assert "scorer “words” removed" in page
    assert "by edgar" in page
    assert "Restore" not in page


def test_many_versions_come_in_pages(editing: Client) -> None:
    at = made()
    for number in range(60):
        changed(editing, at, name=f"Name {number}")
    page = editing.get(f"/profiles/{at.row.pk}/versions").text
    assert page.count('id="version-') == 50
    assert 'href="?before=12"' in page
    with CaptureQueriesContext(connection) as queries:
        older = editing.get(f"/profiles/{at.row.pk}/versions?before=12").text
    assert len(queries) <= 5
    assert older.count('id="version-') == 11
    assert "Name 9" in older
    assert "Older" not in older


def test_one_version_is_read_as_it_was(third: ProfileAt, editing: Client) -> None:
    page = html.unescape(editing.get(f"/profiles/{third.row.pk}/versions/1").text)
    assert "Version 1 of 3" in page
    assert "TODO" in page
    assert "FIXME" not in page
    assert editing.get(f"/profiles/{third.row.pk}/versions/4").status_code == 404
    assert editing.get(f"/profiles/{third.row.pk}/versions/0").status_code == 404


def test_the_proof_of_a_version_is_that_versions(third: ProfileAt, viewer: User, client_for: ClientFor) -> None:
    client = client_for(viewer)
    form = {"act": "check", "proof-source": "text", "proof-output": "TODO fixed"}
    headers = {"HX-Request": "true"}
    assert "0.500" in client.post(f"/profiles/{third.row.pk}/versions/1", form, headers=headers).text
    assert "1.000" in client.post(f"/profiles/{third.row.pk}/versions/3", form, headers=headers).text


@pytest.mark.parametrize(
    ("query", "title", "told"),
    [
        ("", "Version 2 → 3", "pattern “TODO” → “FIXME”"),
        ("?from=1&to=2", "Version 1 → 2", "name “Support” → “Second”"),
        ("?from=3&to=1", "Version 3 → 1", "scorer “words” added (KeywordContains)"),
        ("?from=2&to=2", "Version 2 → 2", "Nothing changed."),
    ],
)
def test_two_versions_differ_in_words(query: str, title: str, told: str, third: ProfileAt, editing: Client) -> None:
    page = html.unescape(words(editing.get(f"/profiles/{third.row.pk}/difference{query}").text))
    assert title in page
    assert told in page


@pytest.mark.parametrize("query", ["?from=x", "?to=-1", "?from=9", "?to=99999999999", "?from=1&to=\x00"])
def test_a_version_that_is_none_is_refused(query: str, third: ProfileAt, editing: Client) -> None:
    assert editing.get(f"/profiles/{third.row.pk}/difference{query}").status_code in {400, 404}
    assert editing.get(f"/profiles/{third.row.pk}/versions?before=x").status_code == 400


def test_a_version_is_restored_as_a_new_one(third: ProfileAt, editing: Client) -> None:
    answer = editing.post(f"/profiles/{third.row.pk}/versions/1/restore", {"current": "3"})
    assert answer["Location"] == f"/profiles/{third.row.pk}"
    now = profile_at(third.row.pk)
    assert (now.version.number, now.content) == (4, profile_at(third.row.pk, 1).content)
    assert "Restored version 1 as version 4." in editing.get(answer["Location"]).text
    assert AuditEntry.objects.filter(action="profile.restored").count() == 1


def test_a_restore_is_refused_when_somebody_saved_meanwhile(third: ProfileAt, editing: Client) -> None:
    assert editing.post(f"/profiles/{third.row.pk}/versions/1/restore", {"current": "2"}).status_code == 412
    assert profile_at(third.row.pk).version.number == 3


def test_a_built_in_has_nothing_to_restore(owner: User, client_for: ClientFor) -> None:
    client = client_for(owner)
    assert "Restore" not in words(client.get("/profiles/code-quality/versions").text)
    assert client.post("/profiles/code-quality/versions/1/restore").status_code == 403
