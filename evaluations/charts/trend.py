"""PURE: the pass rate of run after run, each with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foundation.figures import count_text, moment_text, percent_text
from scoring.charts.points import Figure, column


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One completed run; `rate` and its interval are shares, None when nothing was judged."""

    label: str
    finished: datetime
    rate: float | None
    low: float | None
    high: float | None
    scored: int
    errored: int


def trend_chart(points: Sequence[TrendPoint]) -> Figure | None:
    """The figure of the runs, oldest first; None when fewer than two have a pass rate."""
    known = [(number, point) for number, point in enumerate(points, start=1) if point.rate is not None]
    if len(known) < 2:
        return None
    return Figure(
        id="trend",
        title="Pass rate of each run",
        note=f"The newest {count_text(len(points))} completed runs, oldest first. Lines are 95 % intervals.",
        plot={"data": [_trace(known)], "layout": _layout(len(points))},
        columns=[
            column("Run"),
            *(column(words, number=True) for words in ("Finished", "Pass rate", "95 % interval", "Scored", "Errored")),
        ],
        rows=[_row(number, point) for number, point in reversed(list(enumerate(points, start=1)))],
    )


def _trace(known: Sequence[tuple[int, TrendPoint]]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [number for number, _ in known],
        "y": [point.rate for _, point in known],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [0 if point.high is None else point.high - (point.rate or 0) for _, point in known],
            "arrayminus": [0 if point.low is None else (point.rate or 0) - point.low for _, point in known],
            "thickness": 1,
            "width": 0,
            "color": "var:muted",
        },
        "customdata": [f"{point.label}: {percent_text(point.rate)} · {_counts(point)}" for _, point in known],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {"color": "var:accent", "size": 7},
        "line": {"color": "var:accent", "width": 1.5},
        "cliponaxis": False,
    }


def _layout(count: int) -> dict[str, Any]:
    return {
        "xaxis": {
            "range": [0.5, count + 0.5],
            "title": {"text": "Run, oldest to newest"},
            "tickformat": "d",
            "nticks": 8,
        },
        "yaxis": {
            "range": [0, 1.03],
            "tickvals": [0, 0.25, 0.5, 0.75, 1],
            "ticktext": ["0 %", "25 %", "50 %", "75 %", "100 %"],
            "title": {"text": "Pass rate"},
        },
    }


def _counts(point: TrendPoint) -> str:
    words = f"{count_text(point.scored)} scored"
    return f"{words} · {count_text(point.errored)} errored" if point.errored else words


def _row(number: int, point: TrendPoint) -> list[str]:
    low, high = point.low, point.high
    interval = "–" if low is None or high is None else f"{percent_text(low)} to {percent_text(high)}"
    return [
        f"{number}. {point.label}",
        moment_text(point.finished),
        percent_text(point.rate),
        interval,
        count_text(point.scored),
        count_text(point.errored),
    ]
