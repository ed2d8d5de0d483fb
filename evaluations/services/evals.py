"""Evals: made, changed, deleted. What they refer to is of their own project."""

from collections.abc import Mapping
from typing import Any, cast

from django.db import IntegrityError, transaction

from accounts.actors import Actor
from accounts.models import Project
from accounts.services.audit import audit_record
from evaluations.eval_scorers import ToolScorer, read_eval_scorers
from evaluations.models import Agent, Dataset, Eval, Run, Tool
from evaluations.permissions import Act, permit
from evaluations.queries.things import referred
from foundation import times
from foundation.errors import FieldError, NameConflict, NotFound, ValidationFailed
from scoring.models import Profile
from scoring.queries.profiles import profile_at

# Columns that a body names as they are; what refers to something is looked up below.
_PLAIN = ("name", "pass_threshold", "group_by", "min_coverage")


def eval_create(*, actor: Actor | None, project: Project, body: Mapping[str, Any]) -> Eval:
    """A new eval of the project. `body` is a read EvalBody without project_id.

    Raises ValidationFailed by path, and NameConflict.
    """
    actor = permit(actor, project, Act.WRITE)
    row = Eval(project=project)
    _apply(row, body)
    _check_judges(row)
    with transaction.atomic():
        _save(row)
        _record(actor, "eval.created", row)
    return row


def eval_update(*, actor: Actor | None, row: Eval, changes: Mapping[str, Any]) -> Eval:
    """The eval with `changes`; everything is checked again, also what did not change. Runs keep what they froze."""
    actor = permit(actor, row.project, Act.WRITE)
    if "scorers" in changes and "profile_id" not in changes and changes["scorers"] is not None:
        changes = {**changes, "profile_id": None}
    if changes.get("profile_id") is not None and "scorers" not in changes:
        changes = {**changes, "scorers": None}
    _apply(row, changes)
    _check_judges(row)
    if row.scorers is not None and "scorers" not in changes:
        _checked_scorers(row.project, row.scorers)
    row.updated_at = times.now()
    with transaction.atomic():
        _save(row)
        _record(actor, "eval.updated", row, fields=sorted(changes))
    return row


def eval_delete(*, actor: Actor | None, row: Eval) -> None:
    """The eval is gone, with its runs and their results."""
    actor = permit(actor, row.project, Act.DELETE)
    with transaction.atomic():
        runs = Run.objects.filter(eval=row).count()
        _record(actor, "eval.deleted", row, runs=runs)
        Eval.objects.filter(pk=row.pk).delete()


def _apply(row: Eval, body: Mapping[str, Any]) -> None:
    for field in _PLAIN:
        if field in body:
            setattr(row, field, body[field])
    if "dataset_id" in body:
        row.dataset = cast("Dataset", referred(row.project, Dataset.objects.all(), body["dataset_id"], "dataset_id"))
    if "agent_id" in body:
        row.agent = referred(row.project, Agent.objects.all(), body["agent_id"], "agent_id")
    if "scorers" in body:
        row.scorers = None if body["scorers"] is None else _checked_scorers(row.project, body["scorers"])
    if "profile_id" in body:
        row.profile = None if body["profile_id"] is None else _profile(body["profile_id"])
    if "baseline_run_id" in body:
        row.baseline_run = _baseline(row, body["baseline_run_id"])


def _profile(profile_id: str) -> Profile:
    try:
        return profile_at(profile_id).row
    except NotFound as error:
        message = "There is no profile with this identifier."
        raise ValidationFailed.one("profile_id", "unknown", message) from error


def _baseline(row: Eval, run_id: str | None) -> Run | None:
    if run_id is None:
        return None
    run = Run.objects.filter(public_id=run_id, eval_id=row.pk).first() if row.pk else None
    if run is None:
        raise ValidationFailed.one("baseline_run_id", "unknown", "This eval has no run with this identifier.")
    if run.status != Run.Status.COMPLETED:
        raise ValidationFailed.one("baseline_run_id", "not_finished", "Only a completed run can be a baseline.")
    return run


def _checked_scorers(project: Project, raw: Any) -> list[dict[str, Any]]:
    scorers = read_eval_scorers(raw)
    wanted = {
        index: keyed.scorer.tool_id for index, keyed in enumerate(scorers) if isinstance(keyed.scorer, ToolScorer)
    }
    there = Tool.objects.filter(project=project, public_id__in=wanted.values()).values_list("public_id", flat=True)
    known = set(there)
    missing = [index for index, tool_id in wanted.items() if tool_id not in known]
    if missing:
        message = "There is no tool with this identifier in the project."
        raise ValidationFailed(FieldError(f"scorers.{index}.tool_id", "unknown", message) for index in missing)
    return [dict(keyed.document) for keyed in scorers]


def _check_judges(row: Eval) -> None:
    if (row.scorers is None) == (row.profile_id is None and row.profile is None):
        message = "Give scorers or profile_id, one of the two."
        raise ValidationFailed.one("scorers", "one_of", message)


def _save(row: Eval) -> None:
    taken = Eval.objects.filter(project=row.project, name=row.name).exclude(pk=row.pk)
    conflict = NameConflict(f'The project has an eval with the name "{row.name}" already.')
    if taken.exists():
        raise conflict
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        raise conflict from error


def _record(actor: Actor, action: str, row: Eval, **changes: Any) -> None:
    audit_record(
        actor=actor, action=action, kind="eval", object_id=row.public_id, object_name=row.name, changes=changes
    )
