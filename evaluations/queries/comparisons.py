"""The comparison of two runs of an eval, and what makes it less than fair."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.cache import cache
from django.db.models import QuerySet

from evaluations.comparison import ComparedRun, compare
from evaluations.comparison.spreads import score_spreads
from evaluations.models import Eval, Run
from evaluations.queries.run_results import run_results
from evaluations.specification import Specification


def comparison_of(candidate: Run, baseline: Run) -> dict[str, Any]:
    """The comparison document, grouped as the candidate was. Reads each run's results once."""
    group_by = Specification(candidate.specification).group_by
    return compare(_side(baseline), _side(candidate), group_by=group_by)


def kept_comparison(candidate: Run, baseline: Run) -> Mapping[str, Any]:
    """The same document: the one that the run was settled with, else one that is kept while neither run changes."""
    if candidate.baseline_run_id == baseline.pk and _settled_after(candidate, baseline):
        stored: Mapping[str, Any] | None = (candidate.aggregates or {}).get("baseline")
        if stored is not None:
            return stored
    key = kept_key("comparison", candidate, baseline)
    document: Mapping[str, Any] | None = cache.get(key)
    if document is None:
        document = comparison_of(candidate, baseline)
        cache.set(key, document)
    return document


def kept_spreads(candidate: Run, baseline: Run, *, read: bool = True) -> Mapping[str, Sequence[int]] | None:
    """What `evaluations.comparison.spreads.score_spreads` says of the two; kept while neither run changes.

    None when nothing is kept and `read` is false: it takes a second or two to read ten thousand items twice.
    """
    key = kept_key("spreads", candidate, baseline)
    spreads: Mapping[str, Sequence[int]] | None = cache.get(key)
    if spreads is None and read:
        spreads = score_spreads(_side(baseline), _side(candidate))
        cache.set(key, spreads)
    return spreads


def kept_key(what: str, candidate: Run, baseline: Run) -> str:
    """The key in the cache of something about two completed runs: it changes when either is completed again."""
    ends = "-".join(
        f"{run.pk}.{run.finished_at.timestamp() if run.finished_at else 0}" for run in (candidate, baseline)
    )
    return f"evaluations-{what}-{ends}"


def _settled_after(candidate: Run, baseline: Run) -> bool:
    """Whether the stored document has seen the baseline as it is: errored results may have been tried again since."""
    ends = candidate.finished_at, baseline.finished_at
    return ends[0] is not None and ends[1] is not None and ends[1] <= ends[0]


def completed_runs(row: Eval) -> QuerySet[Run]:
    """The completed runs of an eval, newest first, without their documents."""
    completed = row.runs.filter(status=Run.Status.COMPLETED).select_related("agent_version")
    return completed.defer("aggregates", "specification", "metadata")


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
    profile, earlier = new.document.get("profile") or {}, base.document.get("profile") or {}
    if profile.get("id") != earlier.get("id"):
        found.append({"code": "profiles_differ", "message": "The runs were judged by different profiles."})
    elif profile.get("version") != earlier.get("version"):
        message = (
            f"The runs were judged by versions {profile.get('version')} and {earlier.get('version')} of the profile."
        )
        found.append({"code": "profile_versions_differ", "message": message})
    datasets = {_dataset_of(candidate), _dataset_of(baseline)} - {None}
    if len(datasets) > 1:
        found.append({"code": "datasets_differ", "message": "The runs were made over different datasets."})
    if new.group_by != base.group_by:
        found.append({"code": "groups_differ", "message": "The runs were grouped by different labels."})
    if candidate.trials != baseline.trials:
        message = f"The runs had {candidate.trials} and {baseline.trials} trials an item."
        found.append({"code": "trials_differ", "message": message})
    return found


def _dataset_of(run: Run) -> int | None:
    """The dataset that the run's items come from; None when all of them are gone."""
    rows = run.results.order_by("position").filter(item__isnull=False)
    dataset: int | None = rows.values_list("item__dataset_id", flat=True).first()
    return dataset
