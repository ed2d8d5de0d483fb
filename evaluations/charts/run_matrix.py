"""Two to six runs side by side: each run's own rates, kind by kind, beside how many items they are over."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.charts.heat_map import ALL_ITEMS, NO_NAME
from foundation.figures import count_text, percent_text, score_text


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A run's rate of one kind (or its mean score), and what it is over; `value` is empty when it has none."""

    value: str = ""
    counts: str = ""
    errored: str = ""


@dataclass(frozen=True, slots=True)
class RunMatrix:
    """A column a run, a row a kind, all items first."""

    runs: Sequence[str]
    rows: Sequence[tuple[str, Sequence[MatrixCell]]]


def run_matrix(runs: Sequence[tuple[str, Mapping[str, Any]]]) -> RunMatrix:
    """The matrix of runs, given as (words, aggregate document). These are no paired differences: items may differ."""
    grouped = [document.get("grouping", {}).get("groups", {}) for _, document in runs]
    labels = sorted({label for groups in grouped for label in groups})
    rows = [(ALL_ITEMS, [_cell(document) for _, document in runs])]
    rows += [(label or NO_NAME, [_cell(groups.get(label)) for groups in grouped]) for label in labels]
    return RunMatrix([words for words, _ in runs], rows)


def _cell(entry: Mapping[str, Any] | None) -> MatrixCell:
    if not entry:
        return MatrixCell()
    rate, score = entry.get("pass_rate"), (entry.get("score") or {}).get("mean")
    value = percent_text(rate) if rate is not None else score_text(score) if score is not None else ""
    scored, errored = entry.get("scored_item_count", 0), entry.get("errored_item_count", 0)
    return MatrixCell(value, f"{count_text(scored)} scored", f"{count_text(errored)} errored" if errored else "")
