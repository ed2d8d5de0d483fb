"""The figures of a run's documents as tables show them: rates with their denominators, deltas with their words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.charts.comparison_table import TONES
from foundation.figures import count_text
from foundation.intervals import wilson


@dataclass(frozen=True, slots=True)
class Rate:
    """A pass rate as the tag `rate` takes it. `counts` are words where several trials make shares of items."""

    value: float | None
    passed: int
    judged: int
    errored: int
    low: float | None
    high: float | None
    counts: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A difference as the tag `delta` takes it; `points` is None where scores and not verdicts are compared."""

    points: float | None
    verdict: str
    p: float | None


@dataclass(frozen=True, slots=True)
class Line:
    """A scorer or a kind in its table. `values` are what was measured: `{mean, p50, p95, unit, count}` of each unit."""

    label: str
    words: str
    rate: Rate
    mean: float | None
    scored: int
    errored: int
    excluded: int
    values: list[Mapping[str, Any]]
    delta: Delta | None


def rate_of(document: Mapping[str, Any], *, scored: int, errored: int, trials: int = 1) -> Rate:
    """The pass rate of an aggregate document, of one group of it, or of a scorer, with Wilson's interval."""
    value = document.get("pass_rate")
    known = document.get("pass_rate_interval")
    computed = None if value is None or known else wilson(value * scored, scored)
    low, high = (known["low"], known["high"]) if known else computed or (None, None)
    words = f"over {count_text(scored)} items × {count_text(trials)} trials" if trials > 1 else ""
    return Rate(
        value=value,
        passed=round((value or 0.0) * scored),
        judged=scored,
        errored=errored,
        low=low,
        high=high,
        counts=words,
    )


def run_rate(aggregates: Mapping[str, Any], trials: int) -> Rate:
    """The pass rate of the whole run."""
    scored, errored = aggregates["scored_item_count"], aggregates["errored_item_count"]
    return rate_of(aggregates, scored=scored, errored=errored, trials=trials)


def delta_of(comparison: Mapping[str, Any] | None) -> Delta | None:
    """The difference that a comparison document, or a group or scorer of it, tells; None where nothing was tested."""
    if not comparison or "verdict" not in comparison:
        return None
    change = comparison.get("pass_rate_delta")
    p_value = comparison["p_value_holm"] if "p_value_holm" in comparison else comparison.get("p_value")
    return Delta(None if change is None else 100 * change, TONES[comparison["verdict"]], p_value)


def scorer_lines(aggregates: Mapping[str, Any], types: Mapping[str, str], trials: int) -> list[Line]:
    """A line for each scorer, in the eval's order; `types` are their types by key."""
    compared = (aggregates.get("baseline") or {}).get("scorers", {})
    scorers: Mapping[str, Any] = aggregates["scorers"]
    ordered = sorted(scorers, key=lambda key: list(types).index(key) if key in types else len(types))
    return [_line(key, types.get(key, ""), scorers[key], compared.get(key), trials) for key in ordered]


def kind_lines(aggregates: Mapping[str, Any], trials: int) -> list[Line]:
    """A line for each kind, by name."""
    compared = (aggregates.get("baseline") or {}).get("grouping", {}).get("groups", {})
    groups = aggregates.get("grouping", {}).get("groups", {})
    return [_line(label, "", _as_scorer(group), compared.get(label), trials) for label, group in groups.items()]


def _as_scorer(group: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "pass_rate": group["pass_rate"],
        "pass_rate_interval": group["pass_rate_interval"],
        "mean": (group.get("score") or {}).get("mean"),
        "scored_count": group["scored_item_count"],
        "errored_count": group["errored_item_count"],
    }


def _line(label: str, words: str, document: Mapping[str, Any], compared: Mapping[str, Any] | None, trials: int) -> Line:
    scored, errored = document["scored_count"], document["errored_count"]
    values = document.get("values") or ([document["value"]] if "value" in document else [])
    return Line(
        label=label,
        words=words,
        rate=rate_of(document, scored=scored, errored=errored, trials=trials),
        mean=document["mean"],
        scored=scored,
        errored=errored,
        excluded=document.get("excluded_count", 0),
        values=list(values),
        delta=delta_of(compared),
    )
