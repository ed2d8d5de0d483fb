"""Each kind before and after: two marks and the line between them."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluations.charts.comparison_table import bare_probability
from evaluations.charts.heat_map import NO_NAME, loss_order, whole_delta
from evaluations.findings import VERDICT_WORDS
from foundation.figures import count_text, percent_text, score_text, signed_text
from scoring.charts.points import Figure, column, distinct

MOST_DRAWN = 20
Document = Mapping[str, Any]


def dumbbell(comparison: Document) -> Figure | None:
    """The pass rate of each kind in both runs, or its mean score; None without kinds that can be compared.

    The kinds that moved most are drawn, at most twenty, the greatest loss at the top; the table has all.
    """
    grouping = comparison.get("grouping", {})
    known = [(label, entry) for label, entry in grouping.get("groups", {}).items() if whole_delta(entry) is not None]
    if not known:
        return None
    known.sort(key=lambda pair: loss_order(pair[1]))
    labels = distinct([(label or NO_NAME, str(place)) for place, (label, _) in enumerate(known)])
    named = [(label, entry) for label, (_, entry) in zip(labels, known, strict=True)]
    moved_most = {label for label, _ in sorted(named, key=lambda pair: -abs(_delta(pair[1])))[:MOST_DRAWN]}
    drawn = [(label, entry) for label, entry in named if label in moved_most]
    rates = comparison["pass_rate_delta"] is not None
    measure = "Pass rate" if rates else "Mean score"
    return Figure(
        id="kinds-compared",
        title=f"{measure} by {grouping['group_by']}: baseline and candidate",
        note=_note(len(drawn), len(named)),
        plot={"data": [_lines(drawn), _marks(drawn, now=False), _marks(drawn, now=True)], "layout": _layout(measure)},
        columns=[
            column("Kind"),
            *(column(words, number=True) for words in ("Baseline", "Candidate", "Difference", "p corrected", "Items")),
            column("Verdict"),
        ],
        rows=[_cells(label, entry) for label, entry in named],
    )


def _delta(entry: Document) -> float:
    return whole_delta(entry) or 0.0


def _sides(entry: Document) -> tuple[float, float]:
    if entry["pass_rate_delta"] is not None:
        return entry["baseline_pass_rate"], entry["pass_rate"]
    return entry["score"]["baseline_mean"], entry["score"]["mean"]


def _lines(drawn: Sequence[tuple[str, Document]]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [value for _, entry in drawn for value in (*_sides(entry), None)],
        "y": [value for label, _ in drawn for value in (label, label, None)],
        "line": {"color": "var:muted", "width": 2},
        "hoverinfo": "skip",
    }


def _marks(drawn: Sequence[tuple[str, Document]], *, now: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "Candidate" if now else "Baseline",
        "x": [_sides(entry)[now] for _, entry in drawn],
        "y": [label for label, _ in drawn],
        "marker": {
            "size": 10,
            "symbol": "circle" if now else "circle-open",
            "color": [_color(entry) for _, entry in drawn] if now else "var:muted",
            "line": {"width": 2},
        },
        "customdata": [_words(label, entry) for label, entry in drawn],
        "hovertemplate": "%{customdata}<extra></extra>",
        "cliponaxis": False,
    }


def _color(entry: Document) -> str:
    return {"better": "var:good", "worse": "var:bad"}.get(entry["verdict"], "var:accent")


def _words(label: str, entry: Document) -> str:
    _, before, now, difference, p_value, count, verdict = _cells(label, entry)
    return f"{label}: {before} → {now}, {difference}, corrected p {p_value}, {count} items: {verdict}"


def _cells(label: str, entry: Document) -> list[str]:
    rates = entry["pass_rate_delta"] is not None
    written = percent_text if rates else score_text
    before, now = _sides(entry)
    delta = _delta(entry)
    return [
        label,
        written(before),
        written(now),
        f"{signed_text(100 * delta)} pts" if rates else signed_text(delta, 3),
        bare_probability(entry.get("p_value_holm")),
        count_text(entry["compared_item_count"]),
        VERDICT_WORDS[entry["verdict"]],
    ]


def _layout(measure: str) -> dict[str, Any]:
    ticks = {"tickformat": ".0%"} if measure == "Pass rate" else {}
    return {
        "meta": {"grid": "x"},
        "xaxis": {"range": [-0.03, 1.03], "tickvals": [0, 0.25, 0.5, 0.75, 1], "title": {"text": measure}, **ticks},
        "yaxis": {"type": "category", "autorange": "reversed", "dtick": 1},
        "hovermode": "closest",
    }


def _note(drawn: int, known: int) -> str:
    which = f"The {drawn} of {count_text(known)} that moved most" if drawn < known else "The greatest loss first"
    return f"{which}. Hollow: the baseline. Filled: the candidate, coloured where better or worse after correction."
