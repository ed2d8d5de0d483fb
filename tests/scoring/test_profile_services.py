"""Duplicating, restoring and importing profiles, and what the audit log says of it."""

from typing import Any

import pytest

from accounts.actors import COMMAND_LINE, Role
from accounts.models import AuditEntry, User
from foundation.errors import Forbidden, NotFound, StaleVersion, Unauthorized, ValidationFailed
from scoring.evaluate_bodies import EvaluateBody, read_body
from scoring.evaluator import LegacyScorer
from scoring.kit.text import utf16_length
from scoring.models import Profile, ProfileVersion
from scoring.permissions import BuiltInProfile
from scoring.profile_documents import LEGACY_TYPE
from scoring.queries.documents import evaluation_document, profile_document
from scoring.queries.profiles import forget_loaded, profile_at, versions_listed
from scoring.services.evaluations import evaluation_create, evaluation_rescore
from scoring.services.profiles import (
    profile_create,
    profile_delete,
    profile_duplicate,
    profile_import,
    profile_restore,
    profile_update,
)
from tests.people import actor_for, person
from tests.scoring.cases import contains, profile_body

pytestmark = pytest.mark.django_db
BROKEN = {"id": "r", "type": "RegexMatch", "pattern": "([a-z", "weight": 1}


def create(**head: Any) -> str:
    return str(profile_create(actor=COMMAND_LINE, body=profile_body(**head)).row.pk)


def test_a_copy_of_a_built_in_is_ones_own() -> None:
    copy = profile_duplicate(actor=COMMAND_LINE, profile_id="code-quality")
    assert (copy.content.name, copy.row.built_in, copy.version.number) == ("Code Quality (copy)", False, 1)
    assert copy.version.document == {**profile_at("code-quality").version.document, "name": "Code Quality (copy)"}
    changed = profile_update(actor=COMMAND_LINE, profile_id=copy.row.pk, body={"passThreshold": 0.9})
    assert changed.version.number == 2
    assert profile_at("code-quality").content.pass_threshold == 0.5
    profile_delete(actor=COMMAND_LINE, profile_id=copy.row.pk)


@pytest.mark.parametrize("name", ["a" * 256, "\U0001f600" * 128, "a" + "\U0001f600" * 127])
def test_the_name_of_a_copy_is_one_that_may_be_saved(name: str) -> None:
    copy = profile_duplicate(actor=COMMAND_LINE, profile_id=create(name=name))
    assert copy.content.name.endswith(" (copy)")
    assert utf16_length(copy.content.name) <= 256
    sent = {**profile_document(copy), "description": "saved"}
    assert profile_update(actor=COMMAND_LINE, profile_id=copy.row.pk, body=sent).version.number == 2


def test_a_copy_of_an_old_version() -> None:
    profile_id = create(description="first")
    profile_update(actor=COMMAND_LINE, profile_id=profile_id, body={"description": "second"})
    assert profile_duplicate(actor=COMMAND_LINE, profile_id=profile_id, number=1).content.description == "first"
    with pytest.raises(NotFound):
        profile_duplicate(actor=COMMAND_LINE, profile_id=profile_id, number=3)


def test_restoring_makes_a_new_version_like_the_old() -> None:
    profile_id = create(description="first")
    for text in ("second", "third"):
        profile_update(actor=COMMAND_LINE, profile_id=profile_id, body={"description": text})
    restored = profile_restore(actor=COMMAND_LINE, profile_id=profile_id, number=1, if_match=3)
    assert (restored.version.number, restored.content.description) == (4, "first")
    assert restored.version.document == profile_at(profile_id, 1).version.document
    assert [listed.version.number for listed in versions_listed(profile_id)] == [4, 3, 2, 1]
    assert profile_restore(actor=COMMAND_LINE, profile_id=profile_id, number=4).version.number == 4
    assert profile_restore(actor=COMMAND_LINE, profile_id=profile_id, number=1).version.number == 4
    with pytest.raises(StaleVersion):
        profile_restore(actor=COMMAND_LINE, profile_id=profile_id, number=2, if_match=3)
    with pytest.raises(NotFound):
        profile_restore(actor=COMMAND_LINE, profile_id=profile_id, number=9)


def test_a_name_comes_back_with_its_version() -> None:
    profile_id = create(name="One")
    profile_update(actor=COMMAND_LINE, profile_id=profile_id, body={"name": "Two"})
    profile_restore(actor=COMMAND_LINE, profile_id=profile_id, number=1)
    row = Profile.objects.get(pk=profile_id)
    assert (row.name, row.name_key) == ("One", "one")


def test_an_import_keeps_what_does_not_compile_and_says_so() -> None:
    imported = profile_import(actor=COMMAND_LINE, body=profile_body(contains(), BROKEN))
    assert [scorer.id for scorer in imported.content.scorers] == ["s", "r"]
    body = read_body(EvaluateBody, {"profileId": imported.row.pk, "output": "x"})
    breakdown = evaluation_document(evaluation_create(actor=COMMAND_LINE, body=body))["breakdown"]
    assert [(entry["status"], entry.get("error", {}).get("code")) for entry in breakdown] == [
        ("scored", None),
        ("error", "config"),
    ]
    with pytest.raises(ValidationFailed):
        profile_create(actor=COMMAND_LINE, body=profile_body(contains(), BROKEN))
    exported = profile_document(imported)
    assert profile_document(profile_import(actor=COMMAND_LINE, body=exported))["scorers"] == exported["scorers"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"weight": -1},
        {"typo": 1},
        {"id": ""},
        {"pattern": ""},
        {"pattern": "a" * 257},
        {"type": LEGACY_TYPE},
        {"type": "Nope"},
    ],
)
def test_an_import_keeps_nothing_else_that_is_wrong(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationFailed):
        profile_import(actor=COMMAND_LINE, body=profile_body(contains(), {**BROKEN, **wrong}))
    with pytest.raises(ValidationFailed):
        profile_import(actor=COMMAND_LINE, body=profile_body(contains("r"), BROKEN))


def test_no_built_in_is_changed_by_any_service() -> None:
    for call in (
        lambda: profile_update(actor=COMMAND_LINE, profile_id="code-quality", body={}),
        lambda: profile_restore(actor=COMMAND_LINE, profile_id="code-quality", number=1),
        lambda: profile_delete(actor=COMMAND_LINE, profile_id="code-quality"),
    ):
        with pytest.raises(BuiltInProfile):
            call()


def test_who_may(viewer: User, reviewer: User) -> None:
    profile_id = create()
    for user in (viewer, reviewer):
        with pytest.raises(Forbidden):
            profile_duplicate(actor=actor_for(user), profile_id=profile_id)
        with pytest.raises(Forbidden):
            profile_restore(actor=actor_for(user), profile_id=profile_id, number=1)
        with pytest.raises(Forbidden):
            profile_import(actor=actor_for(user), body=profile_body())
    with pytest.raises(Unauthorized):
        profile_create(actor=None, body=profile_body())
    with pytest.raises(Forbidden):
        profile_delete(actor=actor_for(person("emma", Role.EDITOR)), profile_id=profile_id)


def test_the_audit_log_says_who_changed_what(editor: User) -> None:
    actor = actor_for(editor)
    profile_id = str(profile_create(actor=actor, body=profile_body()).row.pk)
    profile_update(actor=actor, profile_id=profile_id, body={"name": "New"})
    profile_restore(actor=actor, profile_id=profile_id, number=1)
    profile_duplicate(actor=actor, profile_id=profile_id)
    entries = AuditEntry.objects.filter(object_kind="profile").order_by("pk")
    assert [entry.action for entry in entries] == [
        "profile.created",
        "profile.updated",
        "profile.restored",
        "profile.duplicated",
    ]
    assert entries[1].changes["version"] == [1, 2]
    assert "name" in entries[1].changes["changes"][0]
    assert entries[2].changes["restored"] == 1
    assert entries[3].changes["from"] == profile_id


def test_a_stored_output_scored_again_leaves_the_old_one() -> None:
    profile_id = create()
    body = read_body(
        EvaluateBody, {"profileId": profile_id, "output": "y", "agent": "A", "object": {"n": 1}, "metadata": {"k": 1}}
    )
    old = evaluation_create(actor=COMMAND_LINE, body=body)
    before = evaluation_document(old)
    profile_update(actor=COMMAND_LINE, profile_id=profile_id, body={"scorers": [contains(value="y")]})
    new = evaluation_rescore(actor=COMMAND_LINE, evaluation_id=old.public_id, profile_id=profile_id)
    document = evaluation_document(new)
    assert (document["score"], document["profileVersion"], before["score"]) == (1, 2, 0)
    for name in ("output", "agent", "object", "metadata", "action", "taskId"):
        assert document[name] == before[name]
    old.refresh_from_db()
    assert evaluation_document(old) == before
    first = evaluation_rescore(actor=COMMAND_LINE, evaluation_id=old.public_id, profile_id=profile_id, number=1)
    assert (first.profile_version, first.score) == (1, 0)


def test_a_copy_of_what_is_never_run_is_not_run_either() -> None:
    row = Profile.objects.create(name="Old", name_key="old")
    ProfileVersion.objects.create(
        profile=row, number=1, document=profile_body(contains(), {"id": "c", "type": LEGACY_TYPE})
    )
    copy = profile_duplicate(actor=COMMAND_LINE, profile_id=row.pk)
    with pytest.raises(LegacyScorer):
        evaluation_create(actor=COMMAND_LINE, body=read_body(EvaluateBody, {"profileId": copy.row.pk, "output": "x"}))


def test_a_version_whose_number_is_given_again_is_not_the_one_remembered() -> None:
    profile_id = create()
    version = ProfileVersion.objects.get(profile_id=profile_id)
    assert profile_at(profile_id).content.name == "Ours"
    other = Profile.objects.create(name="Other", name_key="other")
    key = version.pk
    version.delete()
    ProfileVersion.objects.create(pk=key, profile=other, number=1, document=profile_body(name="Other"))
    assert profile_at(other.pk).content.name == "Other"
    forget_loaded()
    assert profile_at(other.pk).content.name == "Other"
