"""Every figure of a comparison as rows of a table: what a heat map or a chart only shows."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.charts.heat_map import ALL_ITEMS, NO_NAME
from evaluations.comparison.changes import BETTER, NO_CLEAR_DIFFERENCE, NOT_DECIDED, TOO_FEW_ITEMS, WORSE
from evaluations.findings import VERDICT_WORDS
from foundation.figures import ABSENT, count_text, number_text, percent_text, probability_text, score_text, signed_text

TONES: Mapping[str, str] = {
    BETTER: "better",
    WORSE: "worse",
    NO_CLEAR_DIFFERENCE: "none",
    TOO_FEW_ITEMS: "few",
    NOT_DECIDED: "undecided",
}
"""How the verdicts of the contract are coloured: the modifier of the class `delta`."""
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One thing compared, in words. `scope` is all, scorer, group or cell; what has no value is a dash."""

    scope: str
    label: str
    baseline: str
    now: str
    difference: str
    interval: str
    p_value: str
    corrected: str
    improved: str
    regressed: str
    count: str
    left_out: str
    tone: str
    verdict: str


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One thing measured without a score: medians over the same items, in `unit`."""

    label: str
    unit: str
    baseline: str
    now: str
    difference: str
    ratio: str
    p_value: str
    count: str


def compared_rows(comparison: Document, *, group: str | None = None, cells: bool = True) -> list[ComparedRow]:
    """All items, each scorer, each kind, and each scorer of a kind: of all kinds, or of `group` alone."""
    # A scorer is written one way everywhere: a kind of one item has no test that tells passes from scores.
    rated = {key for key, entry in comparison["scorers"].items() if entry.get("test") == "mcnemar_exact"}
    rows = [_whole("all", ALL_ITEMS, comparison), *_scorers("scorer", comparison, rated)]
    for label, entry in comparison.get("grouping", {}).get("groups", {}).items():
        if group is not None and label != group:
            continue
        rows.append(_whole("group", label or NO_NAME, entry))
        if cells or group is not None:
            rows += _scorers("cell", entry, rated)
    return rows


def cell_count(comparison: Document) -> int:
    """How many scorers of kinds there are, which is what makes the table long."""
    return sum(len(entry["scorers"]) for entry in comparison.get("grouping", {}).get("groups", {}).values())


def measured_rows(comparison: Document) -> list[MeasuredRow]:
    """What scorers measured in units of its own: times, tokens, money."""
    found = [(key, entry["value"]) for key, entry in comparison["scorers"].items() if "value" in entry]
    return [
        MeasuredRow(
            label=key,
            unit=value["unit"] or "",
            baseline=number_text(value["baseline_median"]),
            now=number_text(value["median"]),
            difference=_plus(value["median_delta"]),
            ratio=f"× {value['ratio']:.3g}" if "ratio" in value else ABSENT,
            p_value=bare_probability(value["p_value"]),
            count=count_text(value["compared_count"]),
        )
        for key, value in found
    ]


def bare_probability(p_value: float | None) -> str:
    """A p value for a column that is headed p: `.012`, `< .001`, a dash for None."""
    return probability_text(p_value).removeprefix("p\u00a0") or ABSENT


def _plus(value: float) -> str:
    return f"+{number_text(value)}" if value > 0 else number_text(value)


def _scorers(scope: str, entry: Document, rated: Container[str]) -> Iterator[ComparedRow]:
    for key, scorer in entry["scorers"].items():
        if "compared_count" not in scorer:
            continue
        yield _row(
            scope,
            key,
            scorer,
            (scorer["baseline_mean"], scorer["mean"], scorer["mean_delta"]),
            (scorer["compared_count"], scorer["excluded_count"]),
            rates=key in rated,
        )


def _whole(scope: str, label: str, entry: Document) -> ComparedRow:
    counts = (entry["compared_item_count"], entry["excluded_item_count"])
    if entry["pass_rate_delta"] is not None or "score" not in entry:
        sides = (entry["baseline_pass_rate"], entry["pass_rate"], entry["pass_rate_delta"])
        return _row(scope, label, entry, sides, counts, rates=True)
    score = entry["score"]
    return _row(scope, label, entry, (score["baseline_mean"], score["mean"], score["mean_delta"]), counts, rates=False)


def _row(
    scope: str,
    label: str,
    entry: Document,
    sides: tuple[float | None, float | None, float | None],
    counts: tuple[int, int],
    *,
    rates: bool,
) -> ComparedRow:
    written = percent_text if rates else score_text
    moved = entry.get("flipped") if scope in {"all", "group"} else entry.get("moved")
    moved = moved or entry.get("moved") or entry.get("flipped") or {}
    interval = entry.get("delta_interval")
    return ComparedRow(
        scope=scope,
        label=label,
        baseline=written(sides[0]),
        now=written(sides[1]),
        difference=_difference(sides[2], rates=rates),
        interval=f"{_signed(interval['low'], rates=rates)} … {_signed(interval['high'], rates=rates)}"
        if interval
        else ABSENT,
        p_value=bare_probability(entry["p_value"]),
        corrected=bare_probability(entry.get("p_value_holm")),
        improved=count_text(moved.get("improved", 0)),
        regressed=count_text(moved.get("regressed", 0)),
        count=count_text(counts[0]),
        left_out=count_text(counts[1]) if counts[1] else "",
        tone=TONES[entry["verdict"]],
        verdict=VERDICT_WORDS[entry["verdict"]],
    )


def _signed(value: float, *, rates: bool) -> str:
    return signed_text(100 * value) if rates else signed_text(value, 3)


def _difference(value: float | None, *, rates: bool) -> str:
    if value is None:
        return ABSENT
    return f"{_signed(value, rates=rates)}{' pts' if rates else ''}"
