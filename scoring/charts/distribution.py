"""How many evaluations have which score."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from foundation.figures import count_text
from scoring.charts.points import Figure, Point, column, left_out

BINS = 20


def distribution(points: Sequence[Point]) -> Figure:
    """How many evaluations have which score, in twenty bins; the threshold where all have the same one."""
    bins = [0] * BINS
    for point in points:
        if point.score is not None:
            # The small addition undoes 0.15 * 20 coming out below 3; a score of 1 is in the last bin.
            bins[min(BINS - 1, int(point.score * BINS + 1e-9))] += 1
    spans = [_bin_words(place) for place in range(BINS)]
    bars = {
        "type": "bar",
        "x": [(place + 0.5) / BINS for place in range(BINS)],
        "y": bins,
        "width": [0.9 / BINS] * BINS,
        "marker": {"color": "var:accent"},
        "customdata": [f"{count_text(count)} with {span}" for count, span in zip(bins, spans, strict=True)],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    layout: dict[str, Any] = {
        "xaxis": {"range": [0, 1], "title": {"text": "Score"}},
        "yaxis": {"rangemode": "tozero", "title": {"text": "Evaluations"}},
    }
    threshold = _only(point.pass_threshold for point in points)
    if threshold is not None and _only(point.profile_id for point in points) is not None:
        layout |= _threshold_line(threshold)
    scored = sum(bins)
    return Figure(
        id="score-distribution",
        title="Distribution of scores",
        note=f"{count_text(scored)} scores in bins of 0.05. {left_out(points)}",
        plot={"data": [bars] if scored else [], "layout": layout},
        columns=[column("Score"), column("Evaluations", number=True)],
        rows=[[span, count_text(count)] for span, count in zip(spans, bins, strict=True)] if scored else [],
    )


def _bin_words(place: int) -> str:
    low, high = place / BINS, (place + 1) / BINS
    return f"{low:.2f} to {high:.2f}" if place == BINS - 1 else f"{low:.2f} to under {high:.2f}"


def _only(values: Iterable[Hashable]) -> Any:
    """The value that all are; None when they differ or there are none."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def _threshold_line(threshold: float) -> dict[str, Any]:
    line = {"type": "line", "x0": threshold, "x1": threshold, "yref": "paper", "y0": 0, "y1": 1}
    words = {
        "x": threshold,
        "yref": "paper",
        "y": 1,
        "text": f"passes from {threshold:g}",
        "showarrow": False,
        "xanchor": "right" if threshold > 0.5 else "left",
        "yanchor": "bottom",
        "font": {"color": "var:muted"},
    }
    return {
        "shapes": [{**line, "line": {"color": "var:text", "width": 1.5}}],
        "annotations": [words],
        "margin": {"t": 24},
    }
