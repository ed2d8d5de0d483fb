"""Percentiles and lines, the same in every measurement."""

import math
from collections.abc import Sequence


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` (0..1) of `values` lie, by linear interpolation; NaN of none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def line(label: str, *figures: str) -> None:
    """One row of a table, flushed so that a long run can be watched."""
    print(f"{label:<44} " + "  ".join(f"{figure:>16}" for figure in figures), flush=True)


def milliseconds(values: Sequence[float]) -> tuple[str, str]:
    """`p50 1.2 ms`, `p95 3.4 ms` of times in seconds."""
    return f"p50 {percentile(values, 0.5) * 1000:.1f} ms", f"p95 {percentile(values, 0.95) * 1000:.1f} ms"
