"""Kinds × scorers: how each changed, in cells that say size, direction, significance and what could not be measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.comparison.changes import BETTER, WORSE
from foundation.figures import ABSENT, count_text, signed_text

ALL_ITEMS = "All items"
NO_NAME = "(no name)"
_STEPS = (0.05, 0.2)
Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """A change in points. `tint` is better-1 … worse-3, errored when nothing could be compared, or empty.

    `left_out` is how many items of the cell could not be compared.
    """

    words: str
    tint: str = ""
    significant: bool = False
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One kind: `group` as it is stored (None for all items), `label` as it is read."""

    group: str | None
    label: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The first column is the items' verdict (or composite score), then a column a scorer."""

    columns: Sequence[str]
    rows: Sequence[HeatRow]


def heat_map(comparison: Document) -> HeatMap | None:
    """The map of a comparison document, the kinds that lost most first; None when nothing is grouped or compared."""
    groups: Mapping[str, Document] = comparison.get("grouping", {}).get("groups", {})
    if not groups or whole_delta(comparison) is None:
        return None
    keys = [key for key, entry in comparison["scorers"].items() if "compared_count" in entry]
    first = "Verdict" if comparison["pass_rate_delta"] is not None else "Score"
    ordered = sorted(groups.items(), key=lambda pair: loss_order(pair[1]))
    rows = [_row(None, ALL_ITEMS, comparison, keys)]
    rows += [_row(label, label or NO_NAME, entry, keys) for label, entry in ordered]
    return HeatMap([first, *keys], rows)


def whole_delta(entry: Document) -> float | None:
    """What the verdict of a scope is about: its pass rate's change, or its mean score's."""
    if entry["pass_rate_delta"] is not None:
        return float(entry["pass_rate_delta"])
    delta = entry.get("score", {}).get("mean_delta")
    return None if delta is None else float(delta)


def loss_order(entry: Document) -> tuple[float, int]:
    """Sorts what lost most first, of equal losses the one over more items, and what has no delta last."""
    delta = whole_delta(entry)
    return float("inf") if delta is None else delta, -entry["compared_item_count"]


def _row(group: str | None, label: str, entry: Document, keys: Sequence[str]) -> HeatRow:
    whole = _cell(whole_delta(entry), entry["verdict"], entry["excluded_item_count"])
    scorers: Mapping[str, Document] = entry["scorers"]
    return HeatRow(group, label, [whole, *(_of_scorer(scorers.get(key)) for key in keys)])


def _of_scorer(entry: Document | None) -> Cell:
    if entry is None or "compared_count" not in entry:
        return Cell(ABSENT)
    return _cell(entry["mean_delta"], entry["verdict"], entry["excluded_count"])


def _cell(delta: float | None, verdict: str, excluded: int) -> Cell:
    left_out = count_text(excluded) if excluded else ""
    if delta is None:
        return Cell(ABSENT, "errored" if excluded else "", left_out=left_out)
    words = signed_text(100 * delta)
    tint = ""
    if words[0] in "+\u2212":
        size = 1 + sum(abs(delta) >= step for step in _STEPS)
        tint = f"{'better' if delta > 0 else 'worse'}-{size}"
    return Cell(words, tint, verdict in {BETTER, WORSE}, left_out)
