"""Where things stand along a drawn line: positions as shares of its length, from 0 to 1."""

from dataclasses import dataclass

# A value farther out than this many widths of the range would squeeze the range to a dot.
_MOST_WIDTHS = 12.0
_MARGIN = 0.12
_NARROW = 0.22
_NEAR_END = 0.1


def within(share: float | None) -> float:
    """`share` kept in [0, 1]; 0 for None."""
    return 0.0 if share is None else min(1.0, max(0.0, share))


@dataclass(frozen=True, slots=True)
class Scale:
    """A number against its range: each place a share of the line, None where there is no such bound."""

    value: float
    low: float | None
    high: float | None
    range_start: float
    range_end: float
    falloff_start: float
    falloff_end: float
    beyond: bool
    bounds_together: bool

    @staticmethod
    def anchor(place: float) -> str:
        """How SVG text at `place` is anchored so that it stays on the line."""
        if place < _NEAR_END:
            return "start"
        return "end" if place > 1 - _NEAR_END else "middle"


def range_scale(value: float, low: float | None, high: float | None, falloff: float | None = None) -> Scale:
    """The places of `value` and of the range from `low` to `high` (one of them may be None) on one line.

    The line covers the range, its `falloff` and the value with a margin. A value farther away than
    twelve widths of the range is put at the end of the line, and `beyond` says so.
    """
    known = [bound for bound in (low, high) if bound is not None] or [value]
    width = (max(known) - min(known)) or max(abs(known[0]), abs(value - known[0]), 1.0)
    slope = min(falloff or 0.0, width * _MOST_WIDTHS)
    first = min(known) - (slope if low is not None else width / 2)
    last = max(known) + (slope if high is not None else width / 2)
    seen = min(max(value, first - width * _MOST_WIDTHS), last + width * _MOST_WIDTHS)
    first, last = min(first, seen), max(last, seen)
    margin = (last - first) * _MARGIN or 1.0
    first, last = first - margin, last + margin

    def place(number: float) -> float:
        return within((number - first) / (last - first))

    start = place(low) if low is not None else 0.0
    end = place(high) if high is not None else 1.0
    return Scale(
        value=place(seen),
        low=None if low is None else start,
        high=None if high is None else end,
        range_start=start,
        range_end=end,
        falloff_start=start if low is None else place(low - slope),
        falloff_end=end if high is None else place(high + slope),
        beyond=seen != value,
        bounds_together=low is not None and high is not None and end - start < _NARROW,
    )
