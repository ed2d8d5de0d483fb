"""The comparison of two runs of an eval, and what makes it less than fair."""

from typing import Any

from evaluations.comparison import ComparedRun, compare
from evaluations.models import Run
from evaluations.queries.run_results import run_results
from evaluations.specification import Specification


def comparison_of(candidate: Run, baseline: Run) -> dict[str, Any]:
    """The comparison document, grouped as the candidate was. Reads each run's results once."""
    group_by = Specification(candidate.specification).group_by
    return compare(_side(baseline), _side(candidate), group_by=group_by)


def _side(run: Run) -> ComparedRun:
    return ComparedRun(run.public_id, run_results(run.pk), Specification(run.specification).identities)


def differences_of_judgement(candidate: Run, baseline: Run) -> list[dict[str, Any]]:
    """What the two runs were not judged alike by: `{code, message, scorers?}`, empty for a fair comparison."""
    new, base = Specification(candidate.specification), Specification(baseline.specification)
    found: list[dict[str, Any]] = []
    keys = new.identities.keys() | base.identities.keys()
    differing = sorted(key for key in keys if new.identities.get(key) != base.identities.get(key))
    if differing:
        message = "These scorers are not the same in both runs; their figures measure different things."
        found.append({"code": "scorers_differ", "message": message, "scorers": differing})
    if (new.document.get("profile") or {}).get("id") != (base.document.get("profile") or {}).get("id"):
        found.append({"code": "profiles_differ", "message": "The runs were judged by different profiles."})
    if new.group_by != base.group_by:
        found.append({"code": "groups_differ", "message": "The runs were grouped by different labels."})
    if candidate.trials != baseline.trials:
        message = f"The runs had {candidate.trials} and {baseline.trials} trials an item."
        found.append({"code": "trials_differ", "message": message})
    return found
