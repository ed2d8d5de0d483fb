"""Reads of evals: by identifier, in lists, and the scorers that one runs."""

from typing import Any

from accounts.actors import Actor
from evaluations.eval_scorers import KeyedScorer, load_eval_scorers, profile_scorers
from evaluations.models import Eval
from evaluations.permissions import Act
from evaluations.queries.things import thing_for, visible
from scoring.profile_documents import load_profile
from scoring.queries.profiles import profile_at

_RELATED = ("project", "dataset", "agent", "profile", "baseline_run")


def eval_for(actor: Actor | None, eval_id: str, act: Act = Act.READ) -> Eval:
    """The eval with what it refers to. Raises NotFound or Forbidden."""
    return thing_for(actor, Eval.objects.select_related(*_RELATED), eval_id, act)


def evals_listed(actor: Actor | None, project_id: str | None = None) -> Any:
    """The evals that the actor may read, newest first, each with what it refers to."""
    return visible(actor, Eval.objects.select_related(*_RELATED), project_id)


def scorers_of(row: Eval) -> tuple[KeyedScorer, ...]:
    """The scorers that a run of this eval would use now: its own, or those of its profile's newest version."""
    if row.profile_id is None:
        return load_eval_scorers(row.scorers)
    return profile_scorers(load_profile(profile_at(row.profile_id).version.document))
