"""The proof with ground truth: an observation beside the text, its faults, and examples to begin with."""

import html
import json

import pytest
from django.test import Client

from accounts.models import User
from scoring.queries.profiles import ProfileAt
from tests.people import ClientFor
from tests.scoring.web.profile_forms import FRAGMENT, HOSTILE, controls, form_of, made, words

pytestmark = pytest.mark.django_db
NDCG = {"id": "ndcg", "type": "NDCG", "k": 3}
DOCUMENT = {"retrieval": {"chunks": [{"id": "b"}, {"id": "a"}]}, "expected": {"chunks": {"a": 1}}}


@pytest.fixture
def editing(editor: User, client_for: ClientFor) -> Client:
    return client_for(editor)


@pytest.fixture
def ranked() -> ProfileAt:
    return made("Ranked", NDCG)


def check(client: Client, at: ProfileAt, *, load: bool = False, fragment: bool = True, **typed: str) -> str:
    address = f"/profiles/{at.row.pk}"
    form = {**form_of(client, address), "act": "check", "proof-source": "text"}
    form |= {f"proof-{name}": text for name, text in typed.items()}
    answer = client.post(f"{address}?proof=example" if load else address, form, headers=FRAGMENT if fragment else {})
    assert answer.status_code == 200
    return answer.text


def test_a_profile_that_needs_ground_truth_is_proven(editing: Client, ranked: ProfileAt) -> None:
    told = words(check(editing, ranked, observation=json.dumps(DOCUMENT)))
    assert "0.631" in told
    assert "did not record" not in told
    assert "did not record" in words(
        check(editing, ranked, output="a text alone", observation='{"expected": {"chunks": ["a"]}}')
    )


def test_the_text_wins_over_the_observations(editing: Client) -> None:
    at = made("Both", {"id": "has", "type": "Contains", "value": "yes"})
    document = '{"output": {"text": "no"}}'
    assert "0.000" in check(editing, at, observation=document)
    assert "1.000" in check(editing, at, observation=document, output="yes")


@pytest.mark.parametrize(
    ("observation", "words_told"),
    [
        ("{", "This is not valid JSON"),
        ("[1]", "Must be an object."),
        ('{"nope": 1, "sample": -1}', "sample: Must be at least 0."),
        ('{"nope": 1, "sample": -1}', "nope: There is no such field here."),
        ('{"expected": {"answer": "\\u0000"}}', "expected.answer: The text contains a NUL"),
    ],
)
def test_faults_stand_at_the_observation(observation: str, words_told: str, editing: Client, ranked: ProfileAt) -> None:
    live = html.unescape(check(editing, ranked, observation=observation))
    assert 'data-fault="proof-observation"' in live
    assert "The observation is not valid. " in live
    assert words_told in live
    page = check(editing, ranked, observation=observation, fragment=False)
    assert 'id="proof-observation-error"' in page
    assert words_told in html.unescape(page)
    assert controls(page)["proof-observation"] == observation


def test_an_example_is_loaded_and_never_replaces_what_was_typed(editing: Client, ranked: ProfileAt) -> None:
    page = editing.get(f"/profiles/{ranked.row.pk}").text
    assert '<optgroup label="NDCG">' in page
    loaded = check(editing, ranked, load=True, example="NDCG.1")
    assert 'hx-target="#proof-channels"' in loaded
    assert "&quot;retrieval&quot;" in loaded
    assert "did not record" not in words(loaded)
    # Without script the whole page comes, and another example may take the place of the first.
    form = controls(check(editing, ranked, load=True, fragment=False, example="NDCG.1"))
    other = controls(
        check(
            editing,
            ranked,
            load=True,
            fragment=False,
            example="helpdesk.G01",
            observation=form["proof-observation"].replace("\r\n", "\n"),
        )
    )
    assert json.loads(other["proof-observation"])["case_id"] == "helpdesk-restock"
    mine = check(editing, ranked, load=True, fragment=False, example="NDCG.1", observation='{"case_id": "mine"}')
    assert "it would replace what you typed" in mine
    assert controls(mine)["proof-observation"] == '{"case_id": "mine"}'
    assert "Nothing was loaded" not in check(editing, ranked, load=True, example="nope", observation="{}")


def test_what_was_tried_last_is_there_again(editing: Client, ranked: ProfileAt) -> None:
    check(editing, ranked, observation="{}", example="NDCG.2")
    form = form_of(editing, f"/profiles/{ranked.row.pk}")
    assert (form["proof-observation"], form["proof-example"]) == ("{}", "NDCG.2")


def test_a_reader_proves_and_loads_too(viewer: User, client_for: ClientFor, ranked: ProfileAt) -> None:
    client = client_for(viewer)
    form = {"act": "check", "proof-source": "text", "proof-example": "NDCG.1", "proof-observation": ""}
    page = client.post(f"/profiles/{ranked.row.pk}?proof=example", form)
    assert page.status_code == 200
    assert '"retrieval"' in controls(page.text)["proof-observation"]


def test_hostile_text_stays_text(editing: Client, ranked: ProfileAt) -> None:
    page = check(editing, ranked, fragment=False, observation=HOSTILE, example=HOSTILE)
    assert "<script>alert" not in page
    assert "<img" not in page
