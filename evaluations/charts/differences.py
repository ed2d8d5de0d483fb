"""How far items' scores moved: a distribution that a mean difference hides."""

from collections.abc import Sequence
from typing import Any

from evaluations.comparison.spreads import BIN_WIDTH, BINS_EACH_WAY
from foundation.figures import MINUS, count_text
from scoring.charts.points import Figure, column


def differences(key: str, counts: Sequence[int], place: int) -> Figure:
    """One scorer's differences, or the composite's when the key is empty; `place` makes the figure's id.

    `counts` as `evaluations.comparison.spreads.score_spreads` gives them.
    """
    spans = [bin_words(number) for number in range(len(counts))]
    down, same, up = sum(counts[:BINS_EACH_WAY]), counts[BINS_EACH_WAY], sum(counts[BINS_EACH_WAY + 1 :])
    subject = f"the score of {key}" if key else "the composite score"
    bars: dict[str, Any] = {
        "type": "bar",
        "x": [number - BINS_EACH_WAY for number in range(len(counts))],
        "y": list(counts),
        "marker": {"color": [_color(number) for number in range(len(counts))]},
        "customdata": [f"{count_text(count)}: {span}" for count, span in zip(counts, spans, strict=True)],
        "hovertemplate": "%{customdata}<extra></extra>",
    }
    ticks = (-10, -5, 0, 5, 10)
    return Figure(
        id=f"differences-{place}",
        title=f"How far {subject} moved, item by item",
        note=f"{count_text(down)} lower, {count_text(same)} the same, {count_text(up)} higher.",
        plot={
            "data": [bars] if sum(counts) else [],
            "layout": {
                "bargap": 0.15,
                "xaxis": {
                    "tickvals": list(ticks),
                    "ticktext": [f"{MINUS if tick < 0 else '+' if tick else ''}{abs(tick) / 10:g}" for tick in ticks],
                    "title": {"text": "Candidate − baseline"},
                },
                "yaxis": {"rangemode": "tozero", "title": {"text": "Items"}},
            },
        },
        columns=[column("Difference"), column("Items", number=True)],
        rows=[[span, count_text(count)] for span, count in zip(spans, counts, strict=True) if count],
    )


def bin_words(place: int) -> str:
    """`up by more than 0.1, to 0.2`, or `the same`."""
    steps = place - BINS_EACH_WAY
    if not steps:
        return "the same"
    low, high = (abs(steps) - 1) * BIN_WIDTH, abs(steps) * BIN_WIDTH
    least = f"more than {low:.1f}, " if low else ""
    return f"{'up' if steps > 0 else 'down'} by {least}{'up ' if not low else ''}to {high:.1f}"


def _color(place: int) -> str:
    if place == BINS_EACH_WAY:
        return "var:muted"
    return "var:good" if place > BINS_EACH_WAY else "var:bad"
