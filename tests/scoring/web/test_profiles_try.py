"""Try a profile on an answer, and store the evaluation."""

import html

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from scoring.models import Evaluation
from tests.people import ClientFor
from tests.scoring.web.profile_forms import FRAGMENT, HOSTILE, KEYWORDS, LEGACY, REGEX, holding, made, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def trying(reviewer: User, client_for: ClientFor) -> Client:
    return client_for(reviewer)


@pytest.fixture
def where() -> str:
    return f"/profiles/{made('Support', REGEX, KEYWORDS).row.pk}/try"


def test_the_breakdown_comes_at_once_and_stores_nothing(where: str, trying: Client) -> None:
    assert "its breakdown appears here" in trying.get(where).text
    with CaptureQueriesContext(connection) as queries:
        page = trying.post(where, {"act": "check", "output": "TODO fixed"}, headers=FRAGMENT).text
    assert len(queries) <= 3
    assert "<html" not in page
    told = words(page)
    assert "0.333" in told
    assert "/TODO/ was found in the output" in told
    assert "<mark>TODO</mark>" in page
    assert Evaluation.objects.count() == 0
    whole = trying.post(where, {"act": "check", "output": "TODO fixed"})
    assert (whole.status_code, "0.333" in whole.text, "<html" in whole.text) == (200, True, True)


def test_everything_given_is_stored_and_opened(where: str, trying: Client) -> None:
    form = {
        "act": "save",
        "output": "fixed\r\nit",
        "action": "mending",
        "agent": "claude",
        "taskId": "t-1",
        "metadata": '{"tokens": 5}',
        "expected": '{"answer": "yes"}',
        "object": "[1, 2]",
    }
    answer = trying.post(where, form)
    row = Evaluation.objects.get()
    assert answer["Location"] == f"/history/{row.public_id}"
    assert (row.output, row.action, row.agent, row.task_id) == ("fixed\nit", "mending", "claude", "t-1")
    assert row.metadata["tokens"] == 5
    assert row.inputs == {"expected": {"answer": "yes"}, "object": [1, 2]}
    assert row.created_by_name == "rita"


@pytest.mark.parametrize(
    ("form", "inputs", "output"),
    [
        ({"output": ""}, {}, ""),
        ({"object": "null"}, {"object": None, "output": None}, ""),
        ({"expected": "plain", "output": "x"}, {"expected": "plain"}, "x"),
        ({"expected": "{not json", "output": "x"}, {"expected": "{not json"}, "x"),
        (
            {"observation": '{"output": {"text": "fixed"}}'},
            {"observation": {"output": {"text": "fixed"}}},
            "fixed",
        ),
    ],
)
def test_blank_is_not_given(
    form: dict[str, str], inputs: dict[str, object], output: str, where: str, trying: Client
) -> None:
    assert trying.post(where, {"act": "save", **form}).status_code == 302
    row = Evaluation.objects.get()
    assert (row.inputs, row.output) == (inputs, output)


@pytest.mark.parametrize(
    ("form", "field", "message"),
    [
        ({"output": "x" * 100_001}, "output", "Must have at most 100,000 characters"),
        ({"output": "x", "metadata": "{bad"}, "metadata", "This is not valid JSON"),
        ({"output": "x", "metadata": "[1]"}, "metadata", "Must be an object."),
        ({"output": "x", "metadata": '{"a": "' + "x" * 64_000 + '"}'}, "metadata", "at most 64,000 bytes"),
        ({"object": "{"}, "object", "This is not valid JSON"),
        ({"output": "x", "agent": "a" * 129}, "agent", "at most 128"),
        ({"output": "a\x00b"}, "output", "contains a NUL"),
        ({"observation": '{"nope": 1}'}, "observation", "There is no such field here"),
    ],
)
def test_faults_stand_at_their_fields(
    form: dict[str, str], field: str, message: str, where: str, trying: Client
) -> None:
    saved = trying.post(where, {"act": "save", **form})
    assert saved.status_code == 422
    assert f'id="{field}-error"' in saved.text
    assert message in html.unescape(saved.text)
    live = html.unescape(trying.post(where, {"act": "check", **form}, headers=FRAGMENT).text)
    assert f'data-fault="{field}"' in live
    assert message in live
    assert Evaluation.objects.count() == 0


def test_a_viewer_tries_and_does_not_store(where: str, viewer: User, client_for: ClientFor) -> None:
    client = client_for(viewer)
    assert "Save evaluation" not in client.get(where).text
    assert "1.000" in client.post(where, {"act": "check", "output": "fixed"}, headers=FRAGMENT).text
    assert client.post(where, {"act": "save", "output": "fixed"}).status_code == 403
    assert Evaluation.objects.count() == 0


def test_what_cannot_be_scored_says_why(trying: Client) -> None:
    where = f"/profiles/{holding('Old', LEGACY).row.pk}/try"
    assert "CustomExpression" in trying.post(where, {"act": "check", "output": "x"}, headers=FRAGMENT).text
    assert trying.post(where, {"act": "save", "output": "x"}).status_code == 422
    assert Evaluation.objects.count() == 0


def test_hostile_text_stays_text(where: str, trying: Client) -> None:
    page = trying.post(where, {"act": "check", "output": HOSTILE, "metadata": HOSTILE}).text
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "<img" not in page
