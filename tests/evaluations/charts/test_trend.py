"""The trend: each run with its interval, in their order; a run without a rate leaves a gap and stays in the table."""

from datetime import UTC, datetime

from evaluations.charts.trend import TrendPoint, trend_chart

WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def point(label: str, rate: float | None) -> TrendPoint:
    low, high = (None, None) if rate is None else (max(0.0, rate - 0.1), min(1.0, rate + 0.1))
    return TrendPoint(label, WHEN, rate, low, high, 40, 2)


def test_runs_in_their_order_with_intervals() -> None:
    figure = trend_chart([point("one", 0.5), point("two", None), point("three", 0.95)])
    assert figure is not None
    (trace,) = figure.plot["data"]
    assert (trace["x"], trace["y"]) == ([1, 3], [0.5, 0.95])
    assert [round(length, 6) for length in trace["error_y"]["array"]] == [0.1, 0.05]
    assert [row[0] for row in figure.rows] == ["3. three", "2. two", "1. one"]
    assert figure.rows[1][2:4] == ["–", "–"]
    assert trace["customdata"][0] == "one: 50.0\xa0% · 40 scored · 2 errored"


def test_one_run_is_no_trend() -> None:
    assert trend_chart([]) is None
    assert trend_chart([point("one", 0.5), point("two", None)]) is None
