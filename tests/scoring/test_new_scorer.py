"""One class in one file is all that a new scorer takes: every face of the product finds it."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from django.test import Client
from pydantic import Field

from scoring import reference
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.registry import registry
from scoring.kit.scorer import Example, Scorer
from tests.scoring.cases import EVALUATE, JSON, PROFILES, profile_body

pytestmark = pytest.mark.django_db


@pytest.fixture
def declared() -> Iterator[type[Scorer]]:
    with registry.forgetting_additions():

        class VowelShare(Scorer):
            """Whether enough of the letters are vowels.

            It counts `aeiou` alone.
            """

            formula = "vowels ÷ letters ÷ wanted, at most 1"
            gives = (ErrorCode.MISSING_INPUT, ErrorCode.UNDEFINED)
            origin = "This test"
            examples = (
                Example("Half of them", {"wanted": 0.5}, {"output": "abab"}, score=1),
                Example("No letters at all", {"wanted": 0.5}, {"output": "1"}, error=ErrorCode.UNDEFINED),
            )

            type: Literal["VowelShare"] = "VowelShare"
            wanted: Annotated[float, Field(gt=0, le=1)] = Field(title="Wanted", description="The share that scores 1.")

            def score(self, observation: Observation) -> Reading:
                letters = [letter for letter in observation.text(self.target) if letter.isalpha()]
                if not letters:
                    raise Unmeasurable(ErrorCode.UNDEFINED, "There is no letter.")
                share = sum(letter in "aeiou" for letter in letters) / len(letters)
                return Reading(min(1.0, share / self.wanted), f"{share:.0%} of the letters are vowels.")

        yield VowelShare
    assert registry.find("VowelShare") is None


def test_the_api_lists_it(declared: type[Scorer], api: Client) -> None:
    [listed] = [item for item in api.get("/api/scoring/scorers").json() if item["type"] == "VowelShare"]
    assert listed["name"] == "vowel_share"
    assert listed["summary"] == "Whether enough of the letters are vowels."
    assert listed["settings"]["properties"]["wanted"]["exclusiveMinimum"] == 0


def test_the_openapi_document_takes_it(declared: type[Scorer], client: Client) -> None:
    schemas = client.get("/api/schema").json()["components"]["schemas"]
    assert {"$ref": "#/components/schemas/VowelShare"} in schemas["Scorer"]["oneOf"]
    assert schemas["Scorer"]["discriminator"]["mapping"]["VowelShare"] == "#/components/schemas/VowelShare"
    assert schemas["VowelShare"]["required"] == ["id", "type", "wanted"]


def test_the_pages_show_it(declared: type[Scorer], api: Client) -> None:
    assert "VowelShare" in api.get("/scorers?q=vowels").text
    page = api.get("/scorers/vowel_share").text
    assert "vowels ÷ letters ÷ wanted" in page
    assert page.count("as declared") == 2
    assert "<code>aeiou</code>" in page
    assert 'id="schema-VowelShare"' in api.get("/api/docs").text


def test_the_generated_reference_holds_it(declared: type[Scorer]) -> None:
    text = reference.markdown()
    assert "## VowelShare" in text
    assert "| `wanted` | number > 0, ≤ 1 | `required` | The share that scores 1. |" in text
    assert "- No letters at all: " in text


def test_profiles_take_it_and_evaluations_use_it(declared: type[Scorer], api: Client) -> None:
    settings: dict[str, Any] = {"id": "vowels", "type": "VowelShare", "wanted": 0.5}
    refused = api.post(PROFILES, profile_body({**settings, "wanted": 0}), content_type=JSON)
    assert refused.status_code == 400
    assert refused.json()["error"]["meta"]["fields"][0]["path"] == "scorers.0.wanted"
    profile = api.post(PROFILES, profile_body(settings), content_type=JSON).json()
    evaluation = api.post(EVALUATE, {"profileId": profile["id"], "output": "abcd"}, content_type=JSON).json()
    assert evaluation["score"] == 0.5
    assert evaluation["breakdown"][0]["explanation"] == "25% of the letters are vowels."


def test_once_it_is_gone_no_face_shows_it(api: Client) -> None:
    assert api.get("/scorers/VowelShare").status_code == 404
    assert "VowelShare" not in api.get("/api/docs").text
    assert "VowelShare" not in reference.markdown()
