"""The chart by kind: the lowest first, intervals, the baseline, and what is left out."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.aggregates import aggregate
from evaluations.charts.kinds import MOST_DRAWN, kind_chart
from evaluations.comparison import ComparedRun, compare
from evaluations.run_results import RunResult, ScorerOutcome


def result(number: int, group: str | None, *, passed: bool | None) -> RunResult:
    """One item that passed, failed, or (None) errored."""
    status = "errored" if passed is None else "scored"
    outcome = ScorerOutcome("a", "error" if passed is None else "scored", passed and 1.0, passed, None, None)
    score = None if passed is None else float(passed)
    return RunResult(
        item=f"i{number}",
        position=number,
        status=status,
        passed=passed,
        outcomes=[outcome],
        trial=0,
        group=group,
        content_hash="",
        score=score,
    )


def document(results: list[RunResult], before: list[RunResult] | None = None) -> dict[str, Any]:
    found = aggregate(results, item_count=len(results), group_by="kind")
    if before is not None:
        found["baseline"] = compare(ComparedRun("b", before, {}), ComparedRun("c", results, {}), group_by="kind")
    return found


def test_the_lowest_first_with_interval_and_baseline() -> None:
    before = [result(number, "ab"[number % 2], passed=True) for number in range(20)]
    now = [result(number, "ab"[number % 2], passed=number % 2 == 0) for number in range(20)]
    figure = kind_chart(document(now, before))
    assert figure is not None
    this, baseline = figure.plot["data"]
    assert this["y"] == ["b", "a"]
    assert this["x"] == [0.0, 1.0]
    assert this["error_x"]["array"][0] == pytest.approx(0.2775, abs=1e-3)
    assert this["error_x"]["arrayminus"][0] == 0
    assert (baseline["x"], baseline["marker"]["symbol"]) == ([1.0, 1.0], "circle-open")
    assert figure.rows[0] == ["b", "0.0\xa0%", "0.0\xa0% to 27.8\xa0%", "10", "0", "100.0\xa0%"]
    assert "Hollow dots" in figure.note
    assert figure.title == "Pass rate by kind"


def test_without_a_baseline_nothing_is_hollow() -> None:
    figure = kind_chart(document([result(0, "a", passed=True), result(1, "b", passed=None)]))
    assert figure is not None
    assert len(figure.plot["data"]) == 1
    assert figure.plot["data"][0]["y"] == ["a"]
    assert figure.rows[1] == ["b", "–", "–", "0", "1"]


def test_no_kinds_and_nothing_scored_are_no_figure() -> None:
    assert kind_chart(aggregate([result(0, "a", passed=True)], item_count=1)) is None
    assert kind_chart(document([result(0, None, passed=True)])) is None
    assert kind_chart(document([result(0, "a", passed=None)])) is None


def test_of_many_kinds_the_lowest_are_drawn_and_all_are_listed() -> None:
    results = [result(number, f"kind {number // 2}", passed=number % 2 == 0) for number in range(2 * MOST_DRAWN + 10)]
    figure = kind_chart(document(results))
    assert figure is not None
    assert len(figure.plot["data"][0]["y"]) == MOST_DRAWN
    assert len(figure.rows) == MOST_DRAWN + 5
    assert f"The {MOST_DRAWN} lowest of {MOST_DRAWN + 5}" in figure.note


@given(st.lists(st.tuples(st.text(max_size=30), st.sampled_from([True, False, None])), max_size=40))
def test_every_kind_is_in_the_table_and_no_two_are_drawn_on_one_line(cases: list[tuple[str, bool | None]]) -> None:
    results = [result(number, group, passed=passed) for number, (group, passed) in enumerate(cases)]
    figure = kind_chart(document(results))
    if figure is None:
        assert all(passed is None for _, passed in cases)
    else:
        labels = [row[0] for row in figure.rows]
        assert len(set(labels)) == len(labels) == len({group for group, _ in cases})
        for trace in figure.plot["data"]:
            assert all(0 <= value <= 1 for value in trace["x"])
            assert all(length >= -1e-9 for length in trace["error_x"]["array"] + trace["error_x"]["arrayminus"])
