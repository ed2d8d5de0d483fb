"""The panel that checks a profile before anything is spent: over the unsaved form, and on the profile's page."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from scoring.models import Evaluation, ProfileVersion
from tests.people import ClientFor
from tests.scoring.web.profile_forms import (
    FRAGMENT,
    HOSTILE,
    KEYWORDS,
    LEGACY,
    REGEX,
    controls,
    evaluated,
    form_of,
    holding,
    made,
    words,
)

pytestmark = pytest.mark.django_db
NOTHING = "Nothing to mend: the one scorer both passed and failed at least once in 2 samples."
CONSTANT = {"id": "always", "name": "Always", "type": "RegexMatch", "pattern": "x", "scoreOnMiss": 1}


@pytest.fixture
def editing(editor: User, client_for: ClientFor) -> Client:
    return client_for(editor)


@pytest.fixture
def reading(viewer: User, client_for: ClientFor) -> Client:
    return client_for(viewer)


def lint_address(at: Any) -> str:
    return f"/profiles/{at.row.pk}/lint"


def checked(client: Client, at: Any, **typed: str) -> Any:
    """The answer to the button, whatever was typed before."""
    form = {**form_of(client, f"/profiles/{at.row.pk}"), **typed}
    answer = client.post(lint_address(at), form, headers=FRAGMENT)
    assert answer.status_code == 200
    return answer


def test_the_unsaved_profile_is_checked_over_its_evaluations(editing: Client) -> None:
    at = made("Support", REGEX)
    evaluated(at.row.pk, "TODO", "done")
    answer = checked(editing, at, **{"proof-source": "profile"})
    assert NOTHING in words(answer.text)
    assert "<html" not in answer.text
    answer = checked(editing, at, **{"proof-source": "profile", "scorers-0-pattern": "never there"})
    told = words(answer.text)
    assert "1 thing to look at in 1 scorer, by 2 samples." in told
    assert "It passed both samples that it scored; up to 65.8" in told
    assert 'href="#card-0"' in answer.text
    assert "never fails" in told
    assert (ProfileVersion.objects.filter(profile=at.row).count(), Evaluation.objects.count()) == (1, 2)


def test_as_many_evaluations_as_the_proof_looks_at(editing: Client) -> None:
    at, other = made("Support", REGEX), made("Other", REGEX)
    evaluated(at.row.pk, *["TODO"] * 12)
    evaluated(other.row.pk, "done")
    own = words(checked(editing, at, **{"proof-source": "profile", "proof-count": "10"}).text)
    assert "It failed all 10 samples" in own
    every = words(checked(editing, at, **{"proof-source": "all", "proof-count": "25"}).text)
    assert "both passed and failed at least once in 13 samples" in every


def test_the_text_of_the_proof_is_one_sample(editing: Client) -> None:
    at = made("Support", CONSTANT, {"id": "n", "type": "NumericRange", "valuePath": "metadata.n", "max": 3})
    typed = {"proof-source": "text", "proof-output": "hello", "proof-action": ""}
    told = words(checked(editing, at, **typed).text)
    assert "It always scores 1.000 and passes from 1.000, so it can never fail." in told
    assert "It could not measure the only sample; missing_input: There is no number at metadata.n." in told
    told = words(checked(editing, at, **{**typed, "proof-output": ""}).text)
    assert "by the settings alone" in told
    assert "missing_input" not in told


def test_a_profile_that_is_not_valid_is_not_checked(editing: Client) -> None:
    at = made("Support", REGEX)
    told = words(checked(editing, at, **{"scorers-0-pattern": "("}).text)
    assert "Nothing is checked: the profile is not valid." in told


def test_without_javascript_the_whole_page_comes_back_with_everything_typed(editing: Client) -> None:
    at = made("Support", REGEX, KEYWORDS)
    form = {**form_of(editing, f"/profiles/{at.row.pk}"), "name": "Renamed", "scorers-0-scoreOnMiss": "1"}
    answer = editing.post(lint_address(at), form)
    assert answer.status_code == 200
    told = words(answer.text)
    assert "A match and a miss score the same." in told
    again = controls(answer.text)
    assert (again["name"], again["scorers-0-scoreOnMiss"]) == ("Renamed", "1")
    assert f'action="/profiles/{at.row.pk}"' in answer.text
    assert ProfileVersion.objects.filter(profile=at.row).count() == 1


def test_a_new_profile(editing: Client) -> None:
    page = editing.get("/profiles/new")
    assert 'formaction="/profiles/new/lint#lint"' in page.text
    form = controls(page.text) | {"name": "New", "view": "json"}
    form["document"] = json.dumps({"name": "New", "scorers": [CONSTANT]})
    answer = editing.post("/profiles/new/lint", form, headers=FRAGMENT)
    assert "It always scores 1.000" in words(answer.text)
    # As JSON there are no cards to go to.
    assert "#card-" not in answer.text
    whole = editing.post("/profiles/new/lint", form)
    assert "It always scores 1.000" in words(whole.text)
    assert "Create profile" in whole.text
    assert editing.get("/profiles/new/lint").headers["Location"] == "/profiles/new"


def test_the_page_of_those_who_may_only_read(reading: Client) -> None:
    at = made("Support", CONSTANT, REGEX)
    page = reading.get(f"/profiles/{at.row.pk}")
    assert f'formaction="{lint_address(at)}#lint"' in page.text
    form = controls(page.text)
    fragment = reading.post(lint_address(at), form, headers=FRAGMENT)
    assert 'href="#card-0"' in fragment.text
    assert "<html" not in fragment.text
    whole = reading.post(lint_address(at), form)
    assert "so it can never fail" in words(whole.text)
    assert 'id="card-0"' in whole.text
    assert f'action="/profiles/{at.row.pk}"' in whole.text
    # What is posted of a profile is nobody's to check here: the stored one is.
    assert "It always scores" in reading.post(lint_address(at), {**form, "scorers-0-scoreOnMiss": "0"}).text
    assert reading.get(lint_address(at)).headers["Location"] == f"/profiles/{at.row.pk}"
    assert reading.post("/profiles/new/lint", form).status_code == 403


def test_who_may_check(client: Client, reading: Client) -> None:
    at = made("Support", REGEX)
    assert reading.post(lint_address(at), {}).status_code == 200
    assert reading.post("/profiles/prof_unknown/lint", {}).status_code == 404
    assert client.post(lint_address(at), {}).status_code in {302, 401, 403}


def test_a_built_in_profile_is_checked_as_it_is(editing: Client) -> None:
    answer = editing.post("/profiles/code-quality/lint", {"proof-source": "all"}, headers=FRAGMENT)
    assert answer.status_code == 200
    assert "scorers" in words(answer.text)


def test_an_old_version_has_no_panel(editing: Client) -> None:
    at = made("Support", REGEX)
    assert "Check it" in editing.get(f"/profiles/{at.row.pk}").text
    assert "Check it" not in editing.get(f"/profiles/{at.row.pk}/versions/1").text


def test_evaluations_whose_ground_truth_is_at_fault_are_linked(editing: Client) -> None:
    at = made("Support", {"id": "t", "type": "TokenF1"})
    evaluated(at.row.pk, "a")
    row = Evaluation.objects.get()
    row.inputs = {"expected": " "}
    row.save()
    evaluated(at.row.pk, "b")
    answer = checked(editing, at, **{"proof-source": "profile"})
    assert f'href="/history/{row.public_id}"' in answer.text
    assert "1 of 2 samples, by their ground truth: 1" in words(answer.text)
    assert "holds nothing to compare with" in words(answer.text)


def test_hostile_names_and_a_scorer_that_was_removed(editing: Client) -> None:
    at = holding("Old", {**CONSTANT, "name": HOSTILE, "id": HOSTILE}, LEGACY)
    answer = editing.post(lint_address(at), form_of(editing, f"/profiles/{at.row.pk}"), headers=FRAGMENT)
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<img src=x" not in answer.text
    assert "can never measure" in words(answer.text)


def test_the_panel_when_nothing_was_checked_yet(editing: Client) -> None:
    at = made("Support", REGEX)
    told = words(editing.get(f"/profiles/{at.row.pk}").text)
    assert "Before you spend" in told
    assert "to look at" not in told
