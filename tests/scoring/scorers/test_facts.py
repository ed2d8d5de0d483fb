"""Every row of the scorers' facts, by its id; and the help desk that ships as an example, which some rows are about."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from foundation import strict_json
from foundation.errors import ValidationFailed
from scoring.kit.outcome import Outcome
from scoring.kit.registry import registry
from tests.scoring.cases import BATCH, FACTS, PROFILES, evaluated, facts, made, outcome, post, scorer

ROWS = facts("scorer-facts")
HELP_DESK = json.loads((Path(__file__).parents[3] / "docs" / "examples" / "helpdesk.json").read_text())
ATTEMPTS = {attempt["id"]: attempt for attempt in HELP_DESK["attempts"]}
DOCUMENT = strict_json.loads((FACTS / "observation.json").read_bytes())
TODAY = [row for row in ROWS["cases"] if registry.find(row["type"])]


def given(row: dict[str, Any]) -> dict[str, Any]:
    """What the row gives, as the body of an evaluate request has it; no output is absent, not empty."""
    if "attempt" in row:
        return dict(ATTEMPTS[row["attempt"]]["body"])
    return {"observation": DOCUMENT} if "document" in row else {"observation": {}, **row["given"]}


def broken(found: Outcome) -> list[str]:
    """The criteria of StateChange that fail."""
    return sorted(name for name, criterion in found.evidence["criteria"].items() if not criterion["passed"])


@pytest.mark.parametrize("row", TODAY, ids=lambda row: row["id"])
def test_a_fact(row: dict[str, Any]) -> None:
    if row.get("refused"):
        with pytest.raises(ValidationFailed):
            scorer(row["type"], **row["settings"])
        return
    found = outcome(row["type"], row["settings"], **given(row))
    assert found.error_code == row.get("error"), found.explanation
    if "score" in row:
        assert found.score == pytest.approx(row["score"], abs=1e-7)
    if "value" in row:
        assert (found.status, found.score) == ("measured", None)
        assert found.value == pytest.approx(row["value"], abs=1e-9)
    if "fails" in row:
        assert broken(found) == row["fails"]
    if "notScore" in row:
        assert found.score != pytest.approx(row["notScore"], abs=1e-3)
    for name, value in row.get("evidence", {}).items():
        assert found.evidence[name] == pytest.approx(value, abs=1e-7)


def test_the_rows_are_all_there() -> None:
    ids = [row["id"] for row in ROWS["cases"]]
    assert len(set(ids)) == len(ids) == 140
    assert not {id_.split("-")[0] for id_ in ids} & ROWS["leftOut"].keys()
    verdicts = {"score", "value", "error", "refused", "fails", "notScore"}
    assert [row["id"] for row in ROWS["cases"] if not verdicts & row.keys()] == []
    assert {row["type"] for row in ROWS["cases"]} - {row["type"] for row in TODAY} <= {"OutputSchema"}


@pytest.mark.parametrize("attempt", HELP_DESK["attempts"], ids=lambda attempt: attempt["id"])
def test_an_attempt_of_the_help_desk(attempt: dict[str, Any]) -> None:
    found = outcome("StateChange", {}, **attempt["body"])
    assert (broken(found), found.passed) == (attempt["fails"], attempt["passes"])
    task = next(task for task in HELP_DESK["tasks"] if task["name"] == attempt["task"])
    recorded = attempt["body"]["observation"]
    assert recorded["expected"] == task["expected"]
    assert recorded["input"]["messages"][0]["content"] == task["instruction"]
    assert recorded["state"]["before"] == HELP_DESK["world"]


def test_the_help_desk_as_a_user_posts_it(api: Client) -> None:
    profile = post(api, PROFILES, HELP_DESK["profile"]).json()
    bodies = [{**attempt["body"], "profileId": profile["id"]} for attempt in HELP_DESK["attempts"]]
    answers = json.loads(post(api, BATCH, bodies).getvalue())
    assert [answer["passed"] for answer in answers] == [attempt["passes"] for attempt in HELP_DESK["attempts"]]
    assert [answer["breakdown"][1]["value"] for answer in answers] == [
        len(body["observation"]["tool_calls"]) for body in bodies
    ]


def test_the_document_from_end_to_end(api: Client) -> None:
    rows = [row for row in TODAY if "document" in row]
    scorers = [{"id": row["id"], "type": row["type"], **row["settings"]} for row in rows]
    evaluation = evaluated(api, made(api, *scorers)["id"], observation=DOCUMENT)
    for row, entry in zip(rows, evaluation["breakdown"], strict=True):
        assert entry["score"] == (pytest.approx(row["score"], abs=1e-7) if "score" in row else None), row["id"]
        assert entry.get("value") == row.get("value")
