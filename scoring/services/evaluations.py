"""Writes of evaluations: one, a batch, and a stored one scored again."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction

from accounts.actors import Actor
from foundation import times
from foundation.errors import Problem
from scoring.evaluate_bodies import Answer, EvaluateBody, read_body
from scoring.evaluator import Verdict, evaluate
from scoring.kit.observation import Observation
from scoring.models import Evaluation, sort_key
from scoring.permissions import Act, permit
from scoring.queries.history import evaluation_get
from scoring.queries.previews import observation_of_row
from scoring.queries.profiles import ProfileAt, profile_at

BATCH_SIZE = 100


def evaluation_create(*, actor: Actor | None, body: EvaluateBody) -> Evaluation:
    """The evaluation of an output with the newest version of a profile, stored."""
    actor = permit(actor, Act.EVALUATE)
    row = _unsaved(actor, profile_at(body.profile_id), body)
    row.save(force_insert=True)
    return row


def evaluation_unsaved(*, actor: Actor | None, profile: ProfileAt, body: Answer) -> Evaluation:
    """The evaluation of an answer, not stored: for a caller that stores many, or sets when each was made."""
    return _unsaved(permit(actor, Act.EVALUATE), profile, body)


def evaluation_rescore(
    *, actor: Actor | None, evaluation_id: str, profile_id: str, number: int | None = None
) -> Evaluation:
    """A new evaluation of a stored output with another profile or version; the old one stays as it is."""
    actor = permit(actor, Act.EVALUATE)
    old = evaluation_get(evaluation_id)
    profile = profile_at(profile_id, number)
    observation = observation_of_row(old)
    row = _row(actor, profile, evaluate(profile.content, observation), observation)
    row.agent, row.task_id, row.inputs, row.rescored_from = old.agent, old.task_id, old.inputs, old
    row.save(force_insert=True)
    return row


def evaluations_create(*, actor: Actor | None, bodies: Iterable[Any]) -> Iterator[Evaluation | Problem]:
    """One answer for each body, in order: the stored evaluation, or why there is none.

    Stored a hundred at a time; `bodies` may be a stream, and is read no further than it is asked.
    A body that could not even be read stands among them as the Problem that it is.
    """
    actor = permit(actor, Act.EVALUATE)
    profiles: dict[str, ProfileAt] = {}
    pending: list[Evaluation | Problem] = []
    for body in bodies:
        pending.append(_answer(actor, body, profiles))
        if len(pending) == BATCH_SIZE:
            yield from _stored(pending)
            pending = []
    yield from _stored(pending)


def _answer(actor: Actor, raw: Any, profiles: dict[str, ProfileAt]) -> Evaluation | Problem:
    if isinstance(raw, Problem):
        return raw
    try:
        body = read_body(EvaluateBody, raw)
        if body.profile_id not in profiles:
            profiles[body.profile_id] = profile_at(body.profile_id)
        return _unsaved(actor, profiles[body.profile_id], body)
    except Problem as problem:
        return problem


def _stored(answers: list[Evaluation | Problem]) -> list[Evaluation | Problem]:
    with transaction.atomic():
        Evaluation.objects.bulk_create([answer for answer in answers if isinstance(answer, Evaluation)])
    return answers


def _unsaved(actor: Actor, profile: ProfileAt, body: Answer) -> Evaluation:
    observation = body.observe()
    row = _row(actor, profile, evaluate(profile.content, observation), observation)
    row.agent, row.task_id, row.inputs = body.agent, body.task_id, body.inputs()
    return row


def _row(actor: Actor, profile: ProfileAt, verdict: Verdict, observation: Observation) -> Evaluation:
    output = observation.output if isinstance(observation.output, str) else ""
    return Evaluation(
        profile=profile.row,
        profile_version=profile.version.number,
        profile_name=profile.content.name,
        composite_method=profile.content.composite_method,
        pass_threshold=profile.content.pass_threshold,
        status=verdict.status,
        score=verdict.score,
        passed=verdict.passed,
        worst_scorer=_worst(verdict),
        breakdown=list(verdict.breakdown),
        action=observation.action,
        output=output,
        metadata=dict(observation.metadata),
        search_text=sort_key(f"{observation.action}\n{output}"),
        created_at=times.now(),
        created_by_name=actor.name[:256],
    )


def _worst(verdict: Verdict) -> str:
    """The scorer that cost the composite most: an error first, else the largest weighted loss."""
    for entry in verdict.breakdown:
        if entry["status"] == "error" and entry["weight"] > 0:
            return str(entry["scorerName"])
    losses = [
        (entry["weight"] * (1 - entry["score"]), entry["scorerName"])
        for entry in verdict.breakdown
        if entry["score"] is not None
    ]
    loss, name = max(losses, key=lambda pair: pair[0], default=(0, ""))
    return str(name) if loss > 0 else ""
