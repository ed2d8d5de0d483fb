"""PURE: evaluations as Plotly figures: scores over time, their distribution, each scorer's mean.

Errors are never averaged in; they are counted beside every mean. Each figure carries its numbers as
a table. Colours are named after the design's tokens, which the browser fills in for its theme.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from foundation.figures import count_text, date_text, score_text

MOST_BUCKETS = 60
MOST_LINES = 6
MOST_SCORERS = 40
MOST_DRAWN = 12
BINS = 20
_LONGEST_NAME = 24
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


@dataclass(frozen=True, slots=True)
class Point:
    """One evaluation, as far as the figures need it."""

    created_at: datetime
    profile_id: str
    profile_name: str
    profile_version: int
    agent: str | None
    status: str
    score: float | None
    passed: bool | None
    pass_threshold: float | None


@dataclass(slots=True)
class Tally:
    """Scores counted and summed, and beside them what could not be scored."""

    total: int = 0
    scored: int = 0
    errored: int = 0
    sum: float = 0.0

    def add(self, score: float | None, *, errored: bool) -> None:
        """Take in one more."""
        self.total += 1
        self.errored += errored
        if score is not None:
            self.scored += 1
            self.sum += score

    @property
    def mean(self) -> float | None:
        """The mean of those that have a score; None when none has."""
        return self.sum / self.scored if self.scored else None

    @property
    def counts(self) -> str:
        """`41 of 50 scored · 9 errored`."""
        words = f"{count_text(self.scored)} of {count_text(self.total)} scored"
        return f"{words} · {count_text(self.errored)} errored" if self.errored else words

    @property
    def words(self) -> str:
        """`0.820 · 41 of 50 scored · 9 errored`."""
        return f"{score_text(self.mean)} · {self.counts}"


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart as the template `components/figure.html` takes it."""

    id: str
    title: str
    note: str
    plot: Mapping[str, Any]
    columns: Sequence[Mapping[str, Any]]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures above the charts. `gated` is how many have a verdict."""

    scores: Tally
    passed: int
    gated: int


def summary(points: Iterable[Point]) -> Summary:
    """What all the evaluations together say."""
    scores, passed, gated = Tally(), 0, 0
    for point in points:
        scores.add(point.score, errored=point.status == "errored")
        passed += point.passed is True
        gated += point.passed is not None
    return Summary(scores, passed, gated)


# --- Score over time -------------------------------------------------------------------------


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
        note=f"Each mark is the mean of {_width_words(width)}. {_left_out(points)}",
        plot={
            "data": [trace for trace in traces if trace["x"]],
            "layout": {
                "showlegend": len(lines) > 1,
                "legend": {"yanchor": "bottom", "y": 1.02, "entrywidth": 0.48, "entrywidthmode": "fraction"},
                "hovermode": "closest",
                "xaxis": {"type": "date", "title": {"text": "Time (UTC)"}, "range": _time_range(tallies, width)},
                "yaxis": {"range": [-0.03, 1.05], "title": {"text": "Mean score"}},
            },
        },
        columns=[_column(f"From (UTC), for {_width_words(width)}"), *(_column(name, number=True) for name in lines)],
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
    labels = _distinct([(called[key], str(key)) for key in own])
    names: dict[str | None, str] = dict(zip(own, labels, strict=True))
    return names | dict.fromkeys(ordered[len(own) :], _OTHERS)


def _distinct(labels: Sequence[tuple[str, str]]) -> list[str]:
    """The labels cut to a length that fits a legend; those that are alike then, told apart by their key."""
    cut = [label if len(label) <= _LONGEST_NAME else label[: _LONGEST_NAME - 1] + "…" for label, _ in labels]
    counts = Counter(cut)
    return [f"{name} ({key})" if counts[name] > 1 else name for name, (_, key) in zip(cut, labels, strict=True)]


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


# --- Distribution ----------------------------------------------------------------------------


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
        note=f"{count_text(scored)} scores in bins of 0.05. {_left_out(points)}",
        plot={"data": [bars] if scored else [], "layout": layout},
        columns=[_column("Score"), _column("Evaluations", number=True)],
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


# --- By scorer -------------------------------------------------------------------------------


@dataclass(slots=True)
class ScorerTallies:
    """Each scorer's scores, taken from breakdowns one by one, the newest first."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    names: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    evaluations: int = 0
    entries: int = 0

    def add(self, profile_id: str, profile_name: str, breakdown: Iterable[Mapping[str, Any]]) -> None:
        """Take in one evaluation's breakdown."""
        self.evaluations += 1
        for entry in breakdown:
            self.entries += 1
            key = (profile_id, str(entry.get("scorerId")))
            if key not in self.tallies:
                self.tallies[key] = Tally()
                self.names[key] = (str(entry.get("scorerName")), profile_name)
            self.tallies[key].add(entry.get("score"), errored=entry.get("status") == "error")


def by_scorer(scorers: ScorerTallies, total: int) -> Figure:
    """Each scorer's mean, the lowest first: of more than forty, those with most evaluations.

    The twelve lowest are drawn; the table has all forty.

    `total` is how many evaluations the other figures cover: said when these cover fewer.
    """
    frequent = sorted(scorers.tallies, key=lambda key: -scorers.tallies[key].total)[:MOST_SCORERS]
    several = len({profile_id for profile_id, _ in frequent}) > 1
    labels = _distinct(
        [
            (f"{name} · {profile}" if several else name, scorer_id)
            for (_, scorer_id), (name, profile) in ((key, scorers.names[key]) for key in frequent)
        ]
    )
    rows = [(label, scorers.tallies[key]) for label, key in zip(labels, frequent, strict=True)]
    rows.sort(key=lambda row: (row[1].mean is None, row[1].mean or 0.0, -row[1].total, row[0]))
    return Figure(
        id="score-by-scorer",
        title="Mean score by scorer",
        note=_scorers_note(scorers, total),
        plot={"data": [_dots(rows[:MOST_DRAWN])], "layout": _dots_layout()},
        columns=[_column("Scorer"), *(_column(words, number=True) for words in ("Mean", "Scored", "Errored", "All"))],
        rows=[
            [label, score_text(tally.mean), *map(count_text, (tally.scored, tally.errored, tally.total))]
            for label, tally in rows
        ],
    )


def _dots(rows: Sequence[tuple[str, Tally]]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [tally.mean for _, tally in rows],
        "y": [label for label, _ in rows],
        "text": [tally.counts.replace(" scored", "") for _, tally in rows],
        "textposition": "middle right",
        "textfont": {"color": "var:muted", "size": 11},
        "customdata": [f"{label}: {tally.words}" for label, tally in rows],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {"color": "var:accent", "size": 9},
        "cliponaxis": False,
    }


def _dots_layout() -> dict[str, Any]:
    return {
        "meta": {"grid": "x"},
        # Room on the right for the counts beside a mean of 1.
        "xaxis": {"range": [-0.03, 1.6], "tickvals": [0, 0.5, 1], "title": {"text": "Mean score"}},
        "yaxis": {"type": "category", "autorange": "reversed"},
    }


def _scorers_note(scorers: ScorerTallies, total: int) -> str:
    drawn = f"The {MOST_DRAWN} lowest" if len(scorers.tallies) > MOST_DRAWN else "The lowest first"
    notes = [f"{drawn}. Errors are counted and never averaged in."]
    if scorers.evaluations < total:
        notes.append(f"Over the newest {count_text(scorers.evaluations)} of these {count_text(total)} evaluations.")
    if len(scorers.tallies) > MOST_SCORERS:
        notes.append(f"Of the {MOST_SCORERS} most used of {count_text(len(scorers.tallies))} scorers.")
    return " ".join(notes)


# --- Words -----------------------------------------------------------------------------------


def _left_out(points: Sequence[Point]) -> str:
    errored = sum(point.status == "errored" for point in points)
    measured = sum(point.status == "measured" for point in points)
    words = f"Left out: {count_text(errored)} errored of {count_text(len(points))}."
    return f"{words[:-1]}, {count_text(measured)} measured without a score." if measured else words


def _column(words: str, *, number: bool = False) -> dict[str, Any]:
    return {"words": words, "number": number}
