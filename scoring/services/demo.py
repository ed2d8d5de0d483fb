"""The demo: evaluations that show what every page looks like in use, loaded and removed as one."""

from datetime import timedelta

from django.db import transaction

from accounts.actors import Actor
from accounts.services.audit import audit_record
from foundation import times
from scoring.evaluate_bodies import Answer
from scoring.models import Evaluation, Profile, ProfileVersion, sort_key
from scoring.permissions import Act, permit
from scoring.profile_documents import read_profile
from scoring.queries.demo import DEMO_PROFILE_ID, DEMO_SIZE, demo_evaluation_ids, demo_is_loaded
from scoring.queries.profiles import profile_at
from scoring.services import demo_answers
from scoring.services.evaluations import evaluation_unsaved

DEMO_MAKER = "Demo"
"""What the demo's rows say made them."""
_EVALUATION = "scoring.Evaluation"


def demo_load(*, actor: Actor | None) -> int:
    """How many evaluations were made: 60 over the last 14 days, of two agents; 0 when they are here already.

    They are made by the scorers as any other, with the demo's own profile and the built-in ones.
    """
    actor = permit(actor, Act.WRITE_PROFILE)
    if demo_is_loaded():
        return 0
    with transaction.atomic():
        _profile_ensure()
        rows = _evaluations(actor)
        Evaluation.objects.bulk_create(rows)
        _audit(actor, "demo.loaded", len(rows))
    return len(rows)


def demo_remove(*, actor: Actor | None) -> int:
    """How many evaluations were removed: those the demo made, by their identifiers, and no others.

    The demo's profile goes too; it stays as a deleted one while evaluations of yours were made with it.
    """
    actor = permit(actor, Act.WRITE_PROFILE)
    with transaction.atomic():
        removed = Evaluation.objects.filter(public_id__in=demo_evaluation_ids()).delete()[1]
        count = removed.get(_EVALUATION, 0)
        profile = Profile.objects.filter(pk=DEMO_PROFILE_ID)
        if Evaluation.objects.filter(profile_id=DEMO_PROFILE_ID).exists():
            profile.filter(deleted_at=None).update(deleted_at=times.now())
        else:
            ProfileVersion.objects.filter(profile_id=DEMO_PROFILE_ID).delete()
            profile.delete()
        _audit(actor, "demo.removed", count)
    return count


def _audit(actor: Actor, action: str, count: int) -> None:
    audit_record(
        actor=actor,
        action=action,
        kind="demo",
        object_id=DEMO_PROFILE_ID,
        object_name=str(demo_answers.PROFILE["name"]),
        changes={"evaluations": count},
    )


def _profile_ensure() -> None:
    """The demo's profile, made or, when a removal kept it for its evaluations, listed again."""
    if Profile.objects.filter(pk=DEMO_PROFILE_ID).update(deleted_at=None):
        return
    document = read_profile(dict(demo_answers.PROFILE)).as_document()
    name = str(document["name"])
    made = times.now() - timedelta(days=demo_answers.DAYS + 1)
    row = Profile.objects.create(
        id=DEMO_PROFILE_ID, name=name, name_key=sort_key(name), created_at=made, updated_at=made
    )
    ProfileVersion.objects.create(profile=row, number=1, document=document, created_at=made, created_by_name=DEMO_MAKER)


def _evaluations(actor: Actor) -> list[Evaluation]:
    rows, now = [], times.now()
    profiles = {}
    pairs = zip(demo_evaluation_ids(), demo_answers.answers(DEMO_SIZE, DEMO_PROFILE_ID), strict=True)
    for public_id, answer in pairs:
        if answer.profile_id not in profiles:
            profiles[answer.profile_id] = profile_at(answer.profile_id)
        body = Answer(**answer.body)
        row = evaluation_unsaved(actor=actor, profile=profiles[answer.profile_id], body=body)
        made = now - timedelta(days=answer.age)
        row.public_id, row.created_by_name = public_id, DEMO_MAKER
        row.created_at = made.replace(microsecond=made.microsecond // 1000 * 1000)
        rows.append(row)
    return rows
