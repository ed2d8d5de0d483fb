"""The editor: what a browser sends is what is stored, errors at their fields, the proof, and who saved meanwhile."""

import html
import json
import time
from typing import Annotated, Any, Literal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pydantic import Field

from accounts.models import User
from scoring import javascript
from scoring.kit.observation import Observation
from scoring.kit.outcome import Reading
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.models import Profile
from scoring.queries.profiles import ProfileAt, profile_at
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
RANGE = {"id": "range", "type": "NumericRange", "valuePath": "length", "min": 2, "max": 9, "falloff": 4.5}
COUNT = {"id": "count", "type": "OccurrenceRatio", "needles": ["\n", "\\n", "."], "denominator": 4}


@pytest.fixture
def editing(editor: User, client_for: ClientFor) -> Client:
    return client_for(editor)


def address(at: ProfileAt) -> str:
    return f"/profiles/{at.row.pk}"


def now(at: ProfileAt) -> ProfileAt:
    return profile_at(at.row.pk)


# Saving


def test_a_form_nobody_touched_makes_no_version(editing: Client) -> None:
    at = made(
        "Support", REGEX, KEYWORDS, RANGE, COUNT, {**KEYWORDS, "id": "odd", "keywords": ["a\nb"]}, description="a\nb"
    )
    answer = editing.post(address(at), form_of(editing, address(at)))
    assert answer.status_code == 302
    assert "Nothing changed" in editing.get(address(at)).text
    assert now(at).version.number == 1
    assert now(at).content == at.content


def test_what_was_changed_is_a_new_version_told_in_words(editing: Client) -> None:
    at = made()
    form = form_of(editing, address(at))
    form |= {
        "scorers-0-pattern": "TODO|FIXME",
        "scorers-1-keywords": "fixed\r\n\r\nmended\r\n",
        "scorers-1-weight": "2",
    }
    answer = editing.post(address(at), {**form, "act": "save"})
    assert answer["Location"] == address(at)
    page = editing.get(address(at)).text
    assert "Saved version 2: " in page
    assert "pattern “TODO” → “TODO|FIXME”" in html.unescape(page)
    document = now(at).content.as_document()
    assert document["scorers"][0]["pattern"] == "TODO|FIXME"
    assert document["scorers"][1]["keywords"] == ["fixed", "mended"]
    assert document["scorers"][1]["weight"] == 2
    assert now(at).version.created_by_name == "edgar"


def test_a_new_profile_is_made_step_by_step_without_script(editing: Client) -> None:
    form = form_of(editing, "/profiles/new")
    assert form["version"] == ""
    form["name"] = "First"
    page = editing.post("/profiles/new", {**form, "act": "add:NumericRange"})
    assert page.status_code == 200
    form = controls(page.text)
    assert (form["name"], form["scorers-0-id"], form["scorers-0-weight"]) == ("First", "numeric-range", "1")
    assert 'class="field-error" id="scorers' not in page.text
    form |= {"scorers-0-valuePath": "wordCount", "scorers-0-max": "5"}
    form = controls(editing.post("/profiles/new", {**form, "act": "add:Contains"}).text)
    form = controls(editing.post("/profiles/new", {**form, "scorers-1-value": "x", "act": "move-up:1"}).text)
    assert form["order"] == "1,0"
    answer = editing.post("/profiles/new", {**form, "act": "save"})
    created = Profile.objects.get(built_in=False)
    assert answer["Location"] == f"/profiles/{created.pk}"
    document = profile_at(created.pk).content.as_document()
    assert [scorer["id"] for scorer in document["scorers"]] == ["contains", "numeric-range"]
    assert document["scorers"][1]["max"] == 5


def test_a_scorer_declared_elsewhere_is_edited_and_stored(editing: Client) -> None:
    with registry.forgetting_additions():

        class VowelCount(Scorer):
            """Whether there are enough vowels."""

            type: Literal["VowelCount"] = "VowelCount"
            wanted: Annotated[int, Field(ge=2, le=9)] = Field(title="Wanted vowels", description="How many at least.")

            def score(self, observation: Observation) -> Reading:
                found = sum(letter in "aeiou" for letter in observation.text(self.target))
                return Reading(min(1.0, found / self.wanted), f"{found} vowels.")

        page = editing.get("/profiles/new").text
        assert "Whether there are enough vowels." in page
        form = {**controls(page), "name": "Vowels", "act": "add:VowelCount"}
        page = editing.post("/profiles/new", form).text
        assert ">Wanted vowels</label>" in page
        assert "How many at least. 2 to 9." in page
        assert '<input type="number" id="scorers-0-wanted"' in page
        assert 'min="2" max="9"' in page
        form = {**controls(page), "act": "save", "scorers-0-wanted": "1"}
        refused = editing.post("/profiles/new", form)
        assert refused.status_code == 422
        assert 'id="scorers-0-wanted-error"' in refused.text
        assert "Must be at least 2." in refused.text
        proof = {**form, "scorers-0-wanted": "4", "act": "check", "proof-source": "text", "proof-output": "aeb"}
        assert "0.500" in editing.post("/profiles/new", proof, headers=FRAGMENT).text
        assert editing.post("/profiles/new", {**form, "scorers-0-wanted": "4"}).status_code == 302
        stored = Profile.objects.get(built_in=False)
        scorer = editing.get(f"/api/scoring/profiles/{stored.pk}").json()["scorers"][0]
        assert (scorer["type"], scorer["wanted"]) == ("VowelCount", 4)


def test_64_scorers_with_64_keywords_render_and_save(editing: Client) -> None:
    scorers = [
        {"id": f"s{n}", "type": "KeywordContains", "keywords": [f"word {n} {k}" for k in range(64)]} for n in range(64)
    ]
    at = made("Big", *scorers)
    start = time.perf_counter()
    form = form_of(editing, address(at))
    assert sum(name.endswith("-keywords") for name in form) == 64
    form["scorers-63-keywords"] += "\r\nmore"
    answer = editing.post(address(at), form)
    assert answer.status_code == 422  # one keyword too many
    assert "Must have at most 64 of them." in answer.text
    form["scorers-63-keywords"] = "one"
    assert editing.post(address(at), form).status_code == 302
    assert now(at).version.number == 2
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize("act", ["", "save:", "save:x", "save:99999999999", "explode", "remove", "view:x", "add:"])
def test_a_hostile_button_harms_nothing(act: str, editing: Client) -> None:
    at = made()
    answer = editing.post(address(at), {**form_of(editing, address(at)), "act": act})
    assert answer.status_code in {200, 302}
    assert now(at).version.number == 1


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"version": "x", "order": ",,x,9", "scorers-x-id": "1", "scorers-1": "2"},
        {"name": "x", "scorers-0-type": "Nope", "scorers-0-id": "a"},
        {"name": "x", "scorers-0-mode": "json", "scorers-0-json": '{"a": NaN}'},
        {"view": "json", "document": "[" * 100},
        {"view": "json", "document": '{"name": "\\ud800"}'},
        {"name": "\x00", "scorers-0-type": "Contains", "scorers-0-value": "\x00", "scorers-0-id": "a"},
    ],
)
@pytest.mark.parametrize("act", ["save", "check", "view:json", "view:form", "as-json:0", "duplicate:0"])
def test_a_hostile_form_is_answered_with_its_faults(form: dict[str, str], act: str, editing: Client) -> None:
    at = made()
    for target in (address(at), "/profiles/new"):
        answer = editing.post(target, {**form, "act": act})
        assert answer.status_code == (422 if act == "save" or answer.status_code == 422 else 200)
        assert answer.status_code < 500
    assert now(at).version.number == 1
    assert Profile.objects.filter(built_in=False).count() == 1


# Errors


def test_errors_stand_at_their_fields_and_nothing_typed_is_lost(editing: Client) -> None:
    at = made()
    form = form_of(editing, address(at))
    form |= {
        "name": "",
        "scorers-0-pattern": "(unclosed",
        "scorers-1-weight": "heavy",
        "scorers-1-keywords": "fixed\r\n ",
    }
    answer = editing.post(address(at), form)
    assert answer.status_code == 422
    page = answer.text
    again = controls(page)
    for name in ("name", "scorers-0-pattern", "scorers-1-weight", "scorers-1-keywords"):
        assert f'id="{name}-error"' in page
        assert again[name] == form[name]
    assert "Invalid regular expression" in page
    assert "4 to mend" in words(page)
    assert 'data-unsaved="changed"' in page
    assert now(at).version.number == 1


def test_the_json_of_the_whole_is_checked_the_same(editing: Client) -> None:
    at = made()
    form = form_of(editing, f"{address(at)}?view=json")
    assert set(form) >= {"document", "view", "version"}
    document = json.loads(form["document"])
    assert document["scorers"][0]["pattern"] == "TODO"
    document["scorers"][0] |= {"pattern": "(", "weight": "heavy"}
    answer = editing.post(address(at), {**form, "document": json.dumps(document)})
    assert answer.status_code == 422
    assert "scorers.0.weight: Must be a number." in answer.text
    document["scorers"][0] |= {"pattern": "b", "weight": 3}
    assert editing.post(address(at), {**form, "document": json.dumps(document)}).status_code == 302
    assert now(at).content.as_document()["scorers"][0]["weight"] == 3
    del document["description"]
    editing.post(address(at), {**form, "version": "2", "document": json.dumps({**document, "name": "Less"})})
    assert (now(at).content.name, now(at).content.description) == ("Less", None)


def test_form_and_json_carry_over_what_was_typed(editing: Client) -> None:
    at = made()
    form = {**form_of(editing, address(at)), "name": "Renamed", "scorers-0-pattern": "("}
    page = editing.post(f"{address(at)}?view=json", {**form, "act": "view:json"}).text
    as_json = controls(page)
    assert '"name": "Renamed"' in as_json["document"]
    page = editing.post(address(at), {**as_json, "act": "view:form"}).text
    back = controls(page)
    assert (back["name"], back["scorers-0-pattern"]) == ("Renamed", "(")
    broken = editing.post(address(at), {**as_json, "document": "{", "act": "view:form"})
    assert broken.status_code == 422
    assert controls(broken.text)["document"] == "{"
    assert "not valid JSON" in broken.text


def test_one_card_is_edited_as_json(editing: Client) -> None:
    at = made()
    form = form_of(editing, address(at))
    form = controls(editing.post(address(at), {**form, "act": "as-json:1"}).text)
    assert json.loads(form["scorers-1-json"])["keywords"] == ["fixed", "added"]
    form["scorers-1-json"] = '{"id": "words", "type": "KeywordContains", "keywords": []}'
    refused = editing.post(address(at), form)
    assert "keywords: Must have at least 1 of them." in refused.text
    form["scorers-1-json"] = '{"id": "words", "type": "keyword_contains", "keywords": ["ok"], "weight": 0.5}'
    assert editing.post(address(at), form).status_code == 302
    assert now(at).content.as_document()["scorers"][1]["keywords"] == ["ok"]


def test_a_scorer_that_was_removed_shows_its_reason_and_is_replaced(editing: Client) -> None:
    at = holding("Old", LEGACY, KEYWORDS)
    page = editing.get(address(at)).text
    assert "Use OccurrenceRatio instead." in page
    form = controls(page)
    assert json.loads(form["scorers-0-json"]) == LEGACY
    assert editing.post(address(at), {**form, "name": "Renamed"}).status_code == 302
    assert now(at).content.name == "Renamed"
    assert now(at).version.document["scorers"][0] == LEGACY
    form = form_of(editing, address(at))
    assert editing.post(address(at), {**form, "scorers-1-keywords": "x"}).status_code == 422
    form = controls(editing.post(address(at), {**form, "act": "remove:0"}).text)
    assert editing.post(address(at), form).status_code == 302
    assert [scorer.id for scorer in now(at).content.scorers] == ["words"]


# Somebody else saved meanwhile


def test_both_sides_are_shown_and_nothing_is_lost(editing: Client, owner: User, client_for: ClientFor) -> None:
    at = made()
    mine = {**form_of(editing, address(at)), "scorers-1-keywords": "fixed", "name": "Mine"}
    theirs = client_for(owner)
    assert theirs.post(address(at), {**form_of(theirs, address(at)), "scorers-0-weight": "7"}).status_code == 302
    answer = editing.post(address(at), mine)
    assert answer.status_code == 412
    page = html.unescape(words(answer.text))
    assert "Somebody saved version 2 meanwhile" in page
    assert "olga" in page
    assert "“No TODO”: weight 1 → 7" in page
    assert "keywords: “added” removed" in page
    again = controls(answer.text)
    assert (again["name"], again["scorers-1-keywords"], again["version"]) == ("Mine", "fixed", "1")
    assert editing.post(address(at), again).status_code == 412
    assert now(at).version.number == 2
    assert editing.post(address(at), {**again, "act": "save:2"}).status_code == 302
    saved = now(at)
    assert (saved.version.number, saved.content.name) == (3, "Mine")
    assert saved.content.as_document()["scorers"][0]["weight"] == 1


def test_a_third_who_saves_is_not_overwritten_unseen(editing: Client) -> None:
    at = made()
    mine = {**form_of(editing, address(at)), "name": "Mine"}
    for name in ("Second", "Third"):
        editing.put(f"/api/scoring/profiles/{at.row.pk}", {"name": name}, content_type="application/json")
    assert editing.post(address(at), {**mine, "act": "save:2"}).status_code == 412
    assert now(at).content.name == "Third"


def test_theirs_are_taken(editing: Client) -> None:
    at = made()
    mine = {**form_of(editing, address(at)), "name": "Mine"}
    editing.put(f"/api/scoring/profiles/{at.row.pk}", {"name": "Theirs"}, content_type="application/json")
    assert editing.post(address(at), {**mine, "act": "take-theirs"})["Location"] == address(at)
    assert form_of(editing, address(at))["name"] == "Theirs"


def test_typing_says_that_somebody_saved(editing: Client) -> None:
    at = made()
    mine = {**form_of(editing, address(at)), "act": "add:Contains"}
    editing.put(f"/api/scoring/profiles/{at.row.pk}", {"name": "Theirs"}, content_type="application/json")
    assert "Somebody saved a newer version since you began." in editing.post(address(at), mine).text


# The proof


def check(client: Client, at: ProfileAt, **changes: str) -> str:
    form = {**form_of(client, address(at)), "act": "check"}
    form |= {name.replace("_", "-"): text for name, text in changes.items()}
    answer = client.post(address(at), form, headers=FRAGMENT)
    assert answer.status_code == 200
    assert "<html" not in answer.text
    return html.unescape(answer.text)


def test_a_text_is_scored_with_what_is_not_saved(editing: Client) -> None:
    at = made()
    page = check(editing, at, proof_source="text", proof_output="a late TODO", scorers_0_pattern="late")
    assert "0.000" in page
    assert "/late/ was found in the output" in page
    assert "<mark>late</mark>" in page
    assert "1 change:" in words(page)
    assert "pattern “TODO” → “late”" in page
    assert now(at).content == at.content


def test_marks_of_the_combined_text_stand_in_their_own_part(editing: Client) -> None:
    at = made("Both", {**KEYWORDS, "keywords": ["fix 🎉", "done"], "target": "combined"})
    page = check(editing, at, proof_source="text", proof_action="🎉 fix 🎉 it", proof_output="🎉 all done 🎉")
    assert "🎉 <mark>fix 🎉</mark> it" in page
    assert "🎉 all <mark>done</mark> 🎉" in page


def test_stored_evaluations_show_which_verdicts_flip(editing: Client) -> None:
    at = made()
    evaluated(at.row.pk, "fixed", "added TODO", "nothing")
    page = check(editing, at, proof_source="profile", scorers_0_pattern="fixed")
    told = words(page)
    assert "2 of 3 verdicts flip; mean 0.667 → 0.667 over 3 scored." in told
    assert told.count("flips") == 2
    assert "1.000 → 0.333" in told
    assert "0.333 → 1.000" in told


def test_errors_are_counted_apart(editing: Client) -> None:
    at = made("Errors", KEYWORDS)
    evaluated(at.row.pk, "fixed", "nothing")
    form = form_of(editing, address(at))
    form = controls(editing.post(address(at), {**form, "act": "add:NumericRange"}).text)
    form |= {"scorers-1-valuePath": "metadata.none", "scorers-1-max": "1", "act": "check"}
    told = words(editing.post(address(at), form, headers=FRAGMENT).text)
    assert "2 of 2 verdicts flip; no mean over 0 scored, 2 errored." in told
    assert "There is no number at metadata.none." in told


def test_all_evaluations_and_how_many(editing: Client) -> None:
    at, other = made(), made("Other")
    evaluated(other.row.pk, *[f"fixed {number}" for number in range(12)])
    assert "This profile has no evaluations yet." in check(editing, at, proof_source="profile")
    assert "of 10 verdicts flip" in check(editing, at, proof_source="all")
    assert "of 12 verdicts flip" in check(editing, at, proof_source="all", proof_count="25")
    assert "of 10 verdicts flip" in check(editing, at, proof_source="all", proof_count="9999")
    assert form_of(editing, address(at))["proof-source"] == "all"


def test_what_was_tried_last_is_there_again(editing: Client) -> None:
    at = made()
    check(editing, at, proof_source="text", proof_output="kept text", proof_action="kept action")
    form = form_of(editing, f"/profiles/{made('Second').row.pk}")
    assert (form["proof-source"], form["proof-output"], form["proof-action"]) == ("text", "kept text", "kept action")


def test_an_invalid_profile_has_no_proof_and_says_where(editing: Client) -> None:
    at = made()
    page = check(editing, at, proof_source="text", proof_output="x", scorers_0_pattern="(")
    assert "No proof yet: the profile is not valid." in page
    assert 'data-fault="scorers-0-pattern"' in page
    assert 'data-message="Invalid regular expression' in page


def test_what_stops_the_whole_proof_is_said(editing: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    at = made()

    def busy(*_args: Any) -> None:
        raise javascript.PoolBusy(1.0)

    assert "100,000 characters" in check(editing, at, proof_source="text", proof_output="x" * 100_001)
    monkeypatch.setattr(javascript, "search", busy)
    assert "Too many regular expressions" in check(editing, at, proof_source="text", proof_output="x")
    old = holding("Old", LEGACY)
    assert "CustomExpression" in check(editing, old, proof_source="text", proof_output="x")


def test_a_check_costs_few_queries(editing: Client) -> None:
    at = made()
    evaluated(at.row.pk, *["fixed"] * 30)
    form = {**form_of(editing, address(at)), "act": "check", "proof-source": "profile"}
    editing.post(address(at), {**form, "proof-count": "50"}, headers=FRAGMENT)
    with CaptureQueriesContext(connection) as queries:
        editing.post(address(at), {**form, "proof-count": "50"}, headers=FRAGMENT)
    assert len(queries) <= 5


# Reading alone


@pytest.mark.parametrize("who", ["viewer", "reviewer"])
def test_those_who_may_not_write_read_and_try(who: str, client_for: ClientFor, request: pytest.FixtureRequest) -> None:
    at = made("Support", REGEX, KEYWORDS)
    client = client_for(request.getfixturevalue(who))
    page = client.get(address(at)).text
    assert 'name="scorers-0-pattern"' not in page
    assert "Save" not in words(page).replace("Saved", "").replace("saved", "")
    assert "No TODO" in page
    form = {**controls(page), "act": "check", "proof-source": "text", "proof-output": "fixed"}
    assert "1.000" in client.post(address(at), form, headers=FRAGMENT).text
    assert "1.000" in client.post(address(at), form).text
    assert client.post(address(at), {**form, "act": "save"}).status_code == 403
    assert '"pattern": "TODO"' in html.unescape(client.get(f"{address(at)}?view=json").text)


def test_a_built_in_is_read_only_for_an_owner_too(owner: User, client_for: ClientFor) -> None:
    client = client_for(owner)
    page = client.get("/profiles/code-quality").text
    assert "Delete" not in words(page)
    assert 'name="scorers-0-pattern"' not in page
    assert page.count("button-primary") == 1
    assert "Duplicate" in page
    refused = client.post("/profiles/code-quality", {"act": "save", "name": "Mine"})
    assert refused.status_code == 403
    assert "Built-in profiles cannot be changed" in refused.text


@pytest.mark.parametrize("profile_id", ["nope", "prof_" + "a" * 16, "%00", "a" * 300, "..", "a.b"])
def test_unknown_profiles_are_not_found(profile_id: str, editing: Client) -> None:
    for rest in ("", "/versions", "/versions/1", "/difference", "/try", "/export.json"):
        assert editing.get(f"/profiles/{profile_id}{rest}").status_code == 404


def test_hostile_text_stays_text_in_the_form_and_the_proof(editing: Client) -> None:
    at = made(HOSTILE, {**REGEX, "pattern": "script", "name": HOSTILE})
    page = editing.post(
        address(at),
        {**form_of(editing, address(at)), "act": "check", "proof-source": "text", "proof-output": HOSTILE},
    ).text
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "<img" not in page
    assert controls(page)["name"] == HOSTILE
