"""The figures from points alone: what is averaged, what is counted, how many marks."""

import json
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scoring.charts.distribution import distribution
from scoring.charts.over_time import MOST_BUCKETS, MOST_LINES, over_time
from scoring.charts.points import Figure, Point, summary
from scoring.charts.scorers import MOST_DRAWN, ScorerTallies, by_scorer

START = datetime(2026, 3, 1, tzinfo=UTC)
MOST_POINTS = 2_000


def point(score: float | None = 0.5, minutes: float = 0, **changes: Any) -> Point:
    status = "scored" if score is not None else "errored"
    given = {
        "created_at": START + timedelta(minutes=minutes),
        "profile_id": "p",
        "profile_name": "P",
        "profile_version": 1,
        "agent": None,
        "status": status,
        "score": score,
        "passed": None if score is None else score >= 0.5,
        "pass_threshold": 0.5,
    }
    return Point(**(given | changes))


def drawn(figure: Figure) -> int:
    return sum(len(trace.get("x", [])) for trace in figure.plot["data"])


# -- over time


def test_errors_are_counted_beside_the_mean_and_never_in_it() -> None:
    figure = over_time([point(1.0), point(0.5), point(None), point(None, status="measured")], by_agent=False)
    (trace,) = figure.plot["data"]
    assert trace["y"] == [0.75]
    assert trace["customdata"] == ["0.750 · 2 of 4 scored · 1 errored"]
    assert figure.rows[0][1] == "0.750 · 2 of 4 scored · 1 errored"
    assert figure.note.endswith("Left out: 1 errored of 4, 1 measured without a score.")


def test_a_stretch_of_errors_alone_has_no_mark_but_a_row() -> None:
    figure = over_time([point(None), point(0.5, minutes=5)], by_agent=False)
    assert figure.plot["data"][0]["x"] == ["2026-03-01 00:05"]
    assert [row[1] for row in figure.rows] == ["0.500 · 1 of 1 scored", "– · 0 of 1 scored · 1 errored"]


def test_only_errors_draw_nothing() -> None:
    figure = over_time([point(None)], by_agent=False)
    assert figure.plot["data"] == []


@pytest.mark.parametrize("days", [0, 0.01, 0.5, 1, 30, 400, 40_000])
def test_at_most_sixty_stretches_however_long(days: float) -> None:
    random.seed(1)
    points = [point(0.5, minutes=days * 1440 * number / 500) for number in range(501)]
    figure = over_time(points, by_agent=False)
    (trace,) = figure.plot["data"]
    assert 1 <= len(trace["x"]) <= MOST_BUCKETS
    counted = sum(int(words.split(" of ")[1].split(" ")[0].replace(",", "")) for words in trace["customdata"])
    assert counted == 501


def test_a_line_for_each_profile_and_the_rare_ones_together() -> None:
    points = [
        point(0.1 * number, profile_id=f"p{number}", profile_name=f"P{number}")
        for number in range(9)
        for _ in range(10 - number)
    ]
    figure = over_time(points, by_agent=False)
    names = [trace["name"] for trace in figure.plot["data"]]
    assert names == ["P0", "P1", "P2", "P3", "P4", "All others"]
    assert figure.plot["layout"]["showlegend"] is True
    others = figure.plot["data"][-1]
    assert others["customdata"] == ["0.614 · 14 of 14 scored"]
    assert len(figure.columns) == MOST_LINES + 1


def test_agents_are_told_apart_from_no_agent() -> None:
    figure = over_time([point(agent="a"), point(agent=None), point(agent="")], by_agent=True)
    assert "by agent" in figure.title
    names = {trace["name"] for trace in figure.plot["data"]}
    assert len(names) == 3, "two lines of one name would be drawn as one"
    assert "a" in names


def test_profiles_of_one_name_stay_two_lines() -> None:
    figure = over_time(
        [point(profile_id="p1", profile_name="Same"), point(profile_id="p2", profile_name="Same")], by_agent=False
    )
    assert [trace["name"] for trace in figure.plot["data"]] == ["Same (p1)", "Same (p2)"]


def test_a_renamed_profile_is_one_line_under_its_newest_name() -> None:
    figure = over_time([point(minutes=9, profile_name="New"), point(profile_name="Old")], by_agent=False)
    assert [trace["name"] for trace in figure.plot["data"]] == ["New"]


def test_a_single_mark_has_room_on_its_axis() -> None:
    figure = over_time([point()], by_agent=False)
    assert figure.plot["layout"]["xaxis"]["range"] == ["2026-02-28 23:59", "2026-03-01 00:01"]


# -- distribution


@pytest.mark.parametrize(
    ("score", "place"),
    [(0, 0), (0.049, 0), (0.05, 1), (0.15, 3), (0.3, 6), (0.55, 11), (0.7, 14), (0.95, 19), (0.999, 19), (1, 19)],
)
def test_each_score_falls_into_its_bin(score: float, place: int) -> None:
    figure = distribution([point(score)])
    bins = figure.plot["data"][0]["y"]
    assert bins.index(1) == place
    assert sum(bins) == 1


def test_bins_count_scores_alone() -> None:
    figure = distribution([point(0.5), point(None), point(1.0)])
    assert sum(figure.plot["data"][0]["y"]) == 2
    assert figure.note == "2 scores in bins of 0.05. Left out: 1 errored of 3."
    assert figure.rows[-1] == ["0.95 to 1.00", "1"]


def test_the_threshold_is_drawn_where_there_is_one() -> None:
    assert distribution([point(), point()]).plot["layout"]["shapes"][0]["x0"] == 0.5
    for other in (point(pass_threshold=0.6), point(pass_threshold=None), point(profile_id="q")):
        assert "shapes" not in distribution([point(), other]).plot["layout"]


def test_nothing_to_distribute() -> None:
    assert distribution([]).rows == []
    assert distribution([point(None)]).rows == []


# -- by scorer


def entry(scorer_id: str, score: float | None, **changes: Any) -> dict[str, Any]:
    status = "error" if score is None else "scored"
    return {"scorerId": scorer_id, "scorerName": scorer_id.title(), "status": status, "score": score, **changes}


def tallies(*breakdowns: list[dict[str, Any]], profile: str = "p") -> ScorerTallies:
    found = ScorerTallies()
    for breakdown in breakdowns:
        found.add(profile, profile.upper(), breakdown)
    return found


def test_each_scorer_has_its_mean_its_counts_and_its_errors() -> None:
    figure = by_scorer(tallies([entry("a", 1.0), entry("b", 0.5)], [entry("a", None), entry("b", 0.0)]), 2)
    assert [list(row) for row in figure.rows] == [["B", "0.250", "2", "0", "2"], ["A", "1.000", "1", "1", "2"]]
    (dots,) = figure.plot["data"]
    assert dots["text"] == [" 2/2 ", " 1/2 \u26a0 "]
    assert dots["customdata"] == ["B: 0.250 · 2 of 2 scored", "A: 1.000 · 1 of 2 scored · 1 errored"]


def test_a_scorer_that_always_errs_has_no_mean() -> None:
    figure = by_scorer(tallies([entry("a", None), entry("b", 0.5)]), 1)
    assert [row[:2] for row in figure.rows] == [["B", "0.500"], ["A", "–"]]
    assert figure.plot["data"][0]["x"] == [0.5, None]


def test_scorers_of_one_name_stay_apart() -> None:
    figure = by_scorer(tallies([entry("a", 1.0, scorerName="Same"), entry("b", 0.0, scorerName="Same")]), 1)
    assert [row[0] for row in figure.rows] == ["Same (b)", "Same (a)"]


def test_several_profiles_are_named() -> None:
    found = tallies([entry("a", 1.0)])
    found.add("q", "Q", [entry("a", 0.5)])
    assert [row[0] for row in by_scorer(found, 2).rows] == ["A · Q", "A · P"]


def test_of_many_scorers_the_lowest_are_drawn_and_it_says_so() -> None:
    figure = by_scorer(tallies([entry(f"s{number}", number / 64) for number in range(64)]), 1)
    assert len(figure.plot["data"][0]["y"]) == MOST_DRAWN
    assert len(figure.rows) == 40
    assert "The 12 lowest" in figure.note
    assert "Of the 40 most used of 64 scorers." in figure.note


# -- all of them


def test_no_chart_has_more_marks_than_the_browser_draws() -> None:
    random.seed(2)
    points = [
        point(
            random.random(),
            minutes=number * 7,
            profile_id=f"p{number % 20}",
            profile_name=f"P{number % 20}",
            agent=f"a{number % 30}",
        )
        for number in range(20_000)
    ]
    found = tallies(*([entry(f"s{number}", 0.5) for number in range(64)] for _ in range(3)))
    for figure in (
        over_time(points, by_agent=False),
        over_time(points, by_agent=True),
        distribution(points),
        by_scorer(found, 3),
    ):
        assert drawn(figure) <= MOST_POINTS
        json.dumps(figure.plot, allow_nan=False)


def test_the_summary_counts_verdicts_and_scores_apart() -> None:
    found = summary([point(1.0), point(0.2), point(None), point(0.9, passed=None)])
    assert (found.passed, found.gated) == (1, 2)
    assert found.scores.counts == "3 of 4 scored · 1 errored"
    assert found.scores.mean == pytest.approx(0.7)
