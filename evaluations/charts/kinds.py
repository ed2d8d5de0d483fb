"""PURE: how each kind of item did: a dot with its interval, and a hollow one for the baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foundation.figures import count_text, percent_text, score_text
from scoring.charts.points import Figure, column, distinct

MOST_DRAWN = 40


@dataclass(frozen=True, slots=True)
class Dot:
    """One kind. `value` is its pass rate, or its mean score where nothing passes or fails; None of no scored item.

    `before` is the baseline's figure over the items that are in both runs; None without one.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    before: float | None
    scored: int
    errored: int


def kind_chart(aggregates: Mapping[str, Any]) -> Figure | None:
    """The figure of a run's aggregate document; None when its items are in no groups, or none was scored.

    The lowest come first; of more than forty kinds the forty lowest are drawn, and the table has all.
    """
    groups: Mapping[str, Any] = aggregates.get("grouping", {}).get("groups", {})
    if not groups:
        return None
    rates = any(group["pass_rate"] is not None for group in groups.values())
    before = (aggregates.get("baseline") or {}).get("grouping", {}).get("groups", {})
    labels = distinct([(label or "(no name)", str(place)) for place, label in enumerate(groups, start=1)])
    dots = [
        _dot(shown, group, before.get(label, {}), rates=rates)
        for shown, (label, group) in zip(labels, groups.items(), strict=True)
    ]
    if all(dot.value is None for dot in dots):
        return None
    dots.sort(key=lambda dot: (dot.value is None, dot.value or 0.0))
    measure = "Pass rate" if rates else "Mean score"
    compared = any(dot.before is not None for dot in dots)
    words = percent_text if rates else score_text
    return Figure(
        id="by-kind",
        title=f"{measure} by {aggregates['grouping']['group_by']}",
        note=_note(len(dots), rates=rates, compared=compared),
        plot={
            "data": _traces(dots[:MOST_DRAWN], words, compared=compared),
            "layout": _layout(measure, min(len(dots), MOST_DRAWN), rates=rates),
        },
        columns=[
            column("Kind"),
            *(
                column(heading, number=True)
                for heading in (measure, "95 % interval", "Scored", "Errored", *(["Baseline"] if compared else []))
            ),
        ],
        rows=[_row(dot, words, compared=compared) for dot in dots],
    )


def _dot(label: str, group: Mapping[str, Any], before: Mapping[str, Any], *, rates: bool) -> Dot:
    interval = (group.get("pass_rate_interval") or {}) if rates else {}
    score = group.get("score") or {}
    return Dot(
        label=label,
        value=group["pass_rate"] if rates else score.get("mean"),
        low=interval.get("low"),
        high=interval.get("high"),
        before=before.get("baseline_pass_rate") if rates else (before.get("score") or {}).get("baseline_mean"),
        scored=group["scored_item_count"],
        errored=group["errored_item_count"],
    )


def _traces(dots: Sequence[Dot], words: Any, *, compared: bool) -> list[dict[str, Any]]:
    known = [dot for dot in dots if dot.value is not None]
    traces = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "This run",
            "x": [dot.value for dot in known],
            "y": [dot.label for dot in known],
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": [0 if dot.high is None else dot.high - (dot.value or 0) for dot in known],
                "arrayminus": [0 if dot.low is None else (dot.value or 0) - dot.low for dot in known],
                "thickness": 1.5,
                "width": 0,
                "color": "var:accent",
            },
            "customdata": [f"{dot.label}: {words(dot.value)} · {_counts(dot)}" for dot in known],
            "hovertemplate": "%{customdata}<extra>This run</extra>",
            "marker": {"color": "var:accent", "size": 9},
            "cliponaxis": False,
        }
    ]
    if compared:
        earlier = [dot for dot in dots if dot.before is not None]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "Baseline",
                "x": [dot.before for dot in earlier],
                "y": [dot.label for dot in earlier],
                "customdata": [f"{dot.label}: {words(dot.before)} over the shared items" for dot in earlier],
                "hovertemplate": "%{customdata}<extra>Baseline</extra>",
                "marker": {"color": "var:muted", "size": 9, "symbol": "circle-open", "line": {"width": 2}},
                "cliponaxis": False,
            }
        )
    return traces


def _layout(measure: str, count: int, *, rates: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {"range": [-0.04, 1.08], "tickvals": [0, 0.25, 0.5, 0.75, 1], "title": {"text": measure}}
    if rates:
        axis["ticktext"] = ["0 %", "25 %", "50 %", "75 %", "100 %"]
    return {
        "meta": {"grid": "x"},
        "xaxis": axis,
        "yaxis": {"type": "category", "range": [count - 0.4, -0.6]},
    }


def _counts(dot: Dot) -> str:
    words = f"{count_text(dot.scored)} of {count_text(dot.scored + dot.errored)} scored"
    return f"{words} · {count_text(dot.errored)} errored" if dot.errored else words


def _row(dot: Dot, words: Any, *, compared: bool) -> list[str]:
    interval = "–" if dot.low is None or dot.high is None else f"{words(dot.low)} to {words(dot.high)}"
    cells = [dot.label, words(dot.value), interval, count_text(dot.scored), count_text(dot.errored)]
    return [*cells, words(dot.before)] if compared else cells


def _note(count: int, *, rates: bool, compared: bool) -> str:
    notes = [f"The {MOST_DRAWN} lowest of {count_text(count)}." if count > MOST_DRAWN else "The lowest first."]
    if rates:
        notes.append("Lines are 95 % intervals.")
    if compared:
        notes.append("Hollow dots: the baseline, over the items that are in both runs.")
    return " ".join(notes)
