"""The comparison document: the `baseline` block of a run, with what a page needs beside it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.comparison.changes import Change, score_change, value_document, verdict_change
from evaluations.comparison.pairing import ComparedRun, Pair, Paired, paired
from evaluations.run_results import ScorerFigures, Shares
from evaluations.statistics.corrections import holm
from evaluations.statistics.means import mean
from evaluations.statistics.planning import DISCORDANT_SHARE, detectable_rate_change

_NO_FIGURES = ScorerFigures()


@dataclass(slots=True)
class _Compared:
    """A scope's document while p values wait for the others that they are corrected with."""

    document: dict[str, Any]
    change: Change
    scorers: list[tuple[Change, dict[str, Any]]]


def compare(baseline: ComparedRun, candidate: ComparedRun, *, group_by: str | None = None) -> dict[str, Any]:
    """What changed from `baseline` to `candidate`; docs/statistics.md describes its members.

    Only items that are in both, unedited and scored on both sides count, and both sides' figures
    are over exactly these; the others are counted by why. The verdict of all items is the primary
    one and stands uncorrected; scorers are corrected among scorers, groups among groups, and the
    scorers of groups among all of these, each by Holm. Results as `item_figures` takes them, and
    its ValueError. Resampled figures are seeded: the same runs give the same document.
    """
    whole, groups, ungrouped = paired(baseline.results, candidate.results)
    overall = _compared(whole)
    _correct(overall.scorers)
    document = {"run_id": baseline.run_id, **overall.document, **_scorer_sets(baseline, candidate)}
    if group_by is not None:
        parts = {label: _compared(part) for label, part in groups.items()}
        _correct((part.change, part.document) for part in parts.values())
        _correct(cell for part in parts.values() for cell in part.scorers)
        document["grouping"] = {
            "group_by": group_by,
            "groups": {label: part.document for label, part in parts.items()},
            "ungrouped_item_count": ungrouped,
        }
    return document


def _correct(changes: Iterable[tuple[Change, dict[str, Any]]]) -> None:
    """Holm's correction over `changes`, and the verdicts that it leaves, written to their documents."""
    known = list(changes)
    tested = [(change, change.p_value) for change, _ in known if change.p_value is not None]
    for (change, _), p_value in zip(tested, holm([p_value for _, p_value in tested]), strict=True):
        change.corrected = p_value
    for change, document in known:
        document |= {"p_value_holm": change.corrected, "verdict": change.verdict}


def _compared(scope: Paired) -> _Compared:
    change, rates = verdict_change(scope.pairs)
    scorers = {key: _scorer(key, scope.pairs) for key in _shared_scorers(scope.pairs)}
    compared = sum(pair.compared for pair in scope.pairs)
    document: dict[str, Any] = {
        "compared_item_count": compared,
        "added_item_count": scope.added,
        "removed_item_count": scope.removed,
        "edited_item_count": scope.edited,
        "excluded_item_count": len(scope.pairs) - compared,
        **rates,
    }
    composite = score_change([(pair.base.score, pair.new.score) for pair in scope.pairs])
    if composite.differences:
        document["score"] = {
            **_means([(pair.base.score, pair.new.score) for pair in scope.pairs]),
            **composite.test_document(moves="moved"),
        }
        if not change.differences:
            # Nothing passes or fails without a threshold: then the scores are what is compared.
            change = composite
    document |= change.test_document(moves="flipped" if change is not composite else "moved")
    share = _detectable(change)
    if share is not None:
        document["detectable_change"] = share
    document["scorers"] = {key: entry for key, (_, entry) in scorers.items()}
    tested = [(scored, entry) for scored, entry in scorers.values() if scored is not None]
    return _Compared(document, change, tested)


def _detectable(change: Change) -> dict[str, Any] | None:
    """The least change that so many items would show, if as many verdicts flipped as did, or the usual fifth."""
    if change.cells is None:
        return None
    count = len(change.differences)
    share = max(DISCORDANT_SHARE, (change.improved + change.regressed) / count)
    return {"rate": detectable_rate_change(count, share), "discordant_share": share, "power": 0.8}


def _shared_scorers(pairs: Sequence[Pair]) -> list[str]:
    base = {key for pair in pairs for key in pair.base.scorers}
    new = dict.fromkeys(key for pair in pairs for key in pair.new.scorers)
    return [key for key in new if key in base]


def _scorer(key: str, pairs: Sequence[Pair]) -> tuple[Change | None, dict[str, Any]]:
    """One scorer over the pairs where it said anything on either side; no change of one that only measures."""
    everywhere = [(pair.base.scorers.get(key), pair.new.scorers.get(key)) for pair in pairs]
    sides = [(base or _NO_FIGURES, new or _NO_FIGURES) for base, new in everywhere if base or new]
    scores = [(base.score, new.score) for base, new in sides]
    entry: dict[str, Any] = {**_means(scores), **_rates(sides), "p_value": None}
    value = value_document(sides)
    if value is not None:
        entry["value"] = value
    both = [figures for pair in sides for figures in pair]
    if any(figures.measured for figures in both) and not any(figures.scored for figures in both):
        return None, entry
    change = score_change(scores, single=all(figures.scored <= 1 for figures in both))
    counts = {"compared_count": len(change.differences), "excluded_count": change.excluded}
    return change, entry | counts | change.test_document(moves="moved")


def _rates(sides: Sequence[tuple[ScorerFigures, ScorerFigures]]) -> dict[str, Any]:
    """Both pass rates of a scorer over the items that it judged on both sides, and the items that flipped."""
    base_shares, new_shares = Shares(), Shares()
    improved = regressed = 0
    for base, new in sides:
        if base.verdicts and new.verdicts:
            base_shares.add(base.passes, base.verdicts)
            new_shares.add(new.passes, new.verdicts)
            before, after = base.passes * new.verdicts, new.passes * base.verdicts
            improved += after > before
            regressed += after < before
    delta = float((new_shares.total - base_shares.total) / new_shares.items) if new_shares.items else None
    return {
        "pass_rate": new_shares.rate,
        "baseline_pass_rate": base_shares.rate,
        "pass_rate_delta": delta,
        "flipped": {"improved": improved, "regressed": regressed},
    }


def _means(scores: Sequence[tuple[float | None, float | None]]) -> dict[str, Any]:
    both = [(base, new) for base, new in scores if base is not None and new is not None]
    if not both:
        return {"mean": None, "baseline_mean": None, "mean_delta": None}
    return {
        "mean": mean([new for _, new in both]),
        "baseline_mean": mean([base for base, _ in both]),
        "mean_delta": mean([new - base for base, new in both]),
    }


def _scorer_sets(baseline: ComparedRun, candidate: ComparedRun) -> dict[str, Any]:
    """What the two runs were judged by, where it differs; nothing where it does not."""
    base, new = baseline.identities, candidate.identities
    differing = {
        "changed_scorers": sorted(key for key in base.keys() & new.keys() if base[key] != new[key]),
        "added_scorers": sorted(new.keys() - base.keys()),
        "removed_scorers": sorted(base.keys() - new.keys()),
    }
    return {name: keys for name, keys in differing.items() if keys}
