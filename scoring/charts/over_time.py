"""Scores over time: the mean in each stretch of it, a line a profile or agent."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from foundation.figures import date_text
from scoring.charts.points import Figure, Point, Tally, column, distinct, left_out

MOST_BUCKETS = 60
MOST_LINES = 6
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_WIDTHS: Mapping[int, str] = {
    _MINUTE: "a minute",
    5 * _MINUTE: "5 minutes",
    15 * _MINUTE: "15 minutes",
    30 * _MINUTE: "30 minutes",
    _HOUR: "an hour",
    3 * _HOUR: "3 hours",
    6 * _HOUR: "6 hours",
    12 * _HOUR: "12 hours",
    _DAY: "a day",
    2 * _DAY: "2 days",
    7 * _DAY: "7 days",
    14 * _DAY: "14 days",
    30 * _DAY: "30 days",
    90 * _DAY: "90 days",
    180 * _DAY: "180 days",
    360 * _DAY: "360 days",
}
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
_OTHERS = "All others"


def over_time(points: Sequence[Point], *, by_agent: bool) -> Figure:
    """The mean score in at most sixty stretches of time: a line a profile, or an agent.

    The five with most evaluations have a line of their own when there are more than six.
    """
    what = "agent" if by_agent else "profile"
    names = _line_names(points, by_agent=by_agent)
    width = _bucket_width(points)
    tallies: dict[str, dict[int, Tally]] = defaultdict(lambda: defaultdict(Tally))
    for point in points:
        name = names[_line_key(point, by_agent=by_agent)]
        bucket = int((point.created_at - _EPOCH).total_seconds()) // width
        tallies[name][bucket].add(point.score, errored=point.status == "errored")
    lines = list(dict.fromkeys(names.values()))
    traces = [_line(name, tallies[name], width, symbol) for name, symbol in zip(lines, _SYMBOLS, strict=False)]
    return Figure(
        id="score-over-time",
        title=f"Score over time, by {what}",
        note=f"Each mark is the mean of {_width_words(width)}. {left_out(points)}",
        plot={
            "data": [trace for trace in traces if trace["x"]],
            "layout": {
                "showlegend": len(lines) > 1,
                "legend": {"yanchor": "bottom", "y": 1.02, "font": {"size": 11}},
                "hovermode": "closest",
                "xaxis": {
                    "type": "date",
                    "range": _time_range(tallies, width),
                    "nticks": 4,
                    "tickangle": 0,
                    "title": {"text": "Time (UTC)"},
                },
                "yaxis": {"range": [-0.03, 1.05], "title": {"text": "Mean score"}},
            },
        },
        columns=[column(f"From (UTC), for {_width_words(width)}"), *(column(name, number=True) for name in lines)],
        rows=_time_rows(lines, tallies, width),
    )


def _line_key(point: Point, *, by_agent: bool) -> str | None:
    return point.agent if by_agent else point.profile_id


def _line_names(points: Sequence[Point], *, by_agent: bool) -> dict[str | None, str]:
    """The name of each line by its key, the most frequent first; the rare ones share one."""
    counts = Counter(_line_key(point, by_agent=by_agent) for point in points)
    # The newest name comes first, and a profile may have had several.
    called: dict[str | None, str] = {}
    for point in points:
        label = (point.agent or "No agent") if by_agent else point.profile_name
        called.setdefault(_line_key(point, by_agent=by_agent), label)
    ordered = [key for key, _ in counts.most_common()]
    own = ordered if len(ordered) <= MOST_LINES else ordered[: MOST_LINES - 1]
    labels = distinct([(called[key], str(key)) for key in own])
    names: dict[str | None, str] = dict(zip(own, labels, strict=True))
    return names | dict.fromkeys(ordered[len(own) :], _OTHERS)


def _bucket_width(points: Sequence[Point]) -> int:
    """The shortest width, in seconds, that needs at most sixty buckets."""
    if not points:
        return _DAY
    moments = [point.created_at for point in points]
    first, last = int((min(moments) - _EPOCH).total_seconds()), int((max(moments) - _EPOCH).total_seconds())
    for width in _WIDTHS:
        if last // width - first // width < MOST_BUCKETS:
            return width
    longest = max(_WIDTHS)
    return longest * (1 + (last - first) // (longest * (MOST_BUCKETS - 1)))


def _width_words(width: int) -> str:
    return _WIDTHS.get(width) or f"{width // _DAY:,} days"


def _moment(bucket: int, width: int) -> datetime:
    return _EPOCH + timedelta(seconds=bucket * width)


def _time_range(tallies: Mapping[str, Mapping[int, Tally]], width: int) -> list[str]:
    """From one bucket before the first to one after the last, so that a single mark has an axis too."""
    buckets = [bucket for line in tallies.values() for bucket in line] or [0]
    return [_axis_moment(min(buckets) - 1, width), _axis_moment(max(buckets) + 1, width)]


def _axis_moment(bucket: int, width: int) -> str:
    return f"{_moment(bucket, width):%Y-%m-%d %H:%M}"


def _line(name: str, tallies: Mapping[int, Tally], width: int, symbol: str) -> dict[str, Any]:
    drawn = [(bucket, tally) for bucket, tally in sorted(tallies.items()) if tally.scored]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [_axis_moment(bucket, width) for bucket, _ in drawn],
        "y": [tally.mean for _, tally in drawn],
        "customdata": [tally.words for _, tally in drawn],
        "marker": {"symbol": symbol, "size": 7},
        "line": {"width": 1.5},
        "hovertemplate": "%{x}<br>%{customdata}<extra>%{fullData.name}</extra>",
    }


def _time_rows(lines: Sequence[str], tallies: Mapping[str, Mapping[int, Tally]], width: int) -> list[list[str]]:
    buckets = sorted({bucket for name in lines for bucket in tallies[name]}, reverse=True)
    rows = []
    for bucket in buckets:
        moment = _moment(bucket, width)
        when = date_text(moment) if width % _DAY == 0 else f"{date_text(moment)} {moment:%H:%M}"
        cells = [tallies[name][bucket].words if bucket in tallies[name] else "–" for name in lines]
        rows.append([when, *cells])
    return rows
