"""What the compare page draws and lists of a comparison: heat map, table, dumbbells, differences, several runs."""

import json
from typing import Any

import pytest

from evaluations.aggregates import aggregate
from evaluations.charts.comparison_table import cell_count, compared_rows, measured_rows
from evaluations.charts.differences import bin_words, differences
from evaluations.charts.dumbbell import MOST_DRAWN, dumbbell
from evaluations.charts.heat_map import Cell, heat_map
from evaluations.charts.run_matrix import MatrixCell, run_matrix
from evaluations.comparison import ComparedRun, compare
from tests.evaluations.results import measured, result, run

Said = dict[str, list[tuple[Any, Any]]]


def compared(kinds: Said) -> dict[str, Any]:
    """The comparison of runs whose items of each kind were said to be (before, now)."""
    sides: list[list[Any]] = [[], []]
    for kind, pairs in kinds.items():
        for place, pair in enumerate(pairs):
            for side, said in zip(sides, pair, strict=True):
                passed = None if said is None else said >= 0.5
                side.append(result(f"{kind}{place:04}", passed, position=len(side), said={"check": said}, group=kind))
    return compare(ComparedRun("base", sides[0]), ComparedRun("new", sides[1]), group_by="kind")


LOST = [(True, False)] * 12 + [(True, True)] * 8
KEPT = [(True, True)] * 20
WON = [(False, True)] * 12 + [(True, True)] * 8


def test_the_heat_map_says_size_direction_and_significance_worst_first() -> None:
    found = heat_map(compared({"kept": KEPT, "lost": LOST, "won": WON}))
    assert found is not None
    assert found.columns == ["Verdict", "check"]
    assert [(row.group, row.label) for row in found.rows] == [
        (None, "All items"), ("lost", "lost"), ("kept", "kept"), ("won", "won"),
    ]  # fmt: skip
    lost, kept, won = (row.cells for row in found.rows[1:])
    assert lost[0] == Cell("\u221260.0", "worse-3", significant=True)
    assert kept[0] == Cell("0.0")
    assert won[1] == Cell("+60.0", "better-3", significant=True)


def test_a_cell_without_a_pair_is_hatched_and_one_with_some_left_out_counts_them() -> None:
    found = heat_map(compared({"gone": [(True, None)] * 3, "part": [(True, None), *KEPT]}))
    assert found is not None
    rows = {row.group: row.cells for row in found.rows}
    assert rows["gone"][0] == Cell("–", "errored", left_out="3")
    assert rows["part"][0] == Cell("0.0", left_out="1")


@pytest.mark.parametrize(("share", "tint"), [(1, "worse-1"), (5, "worse-2"), (19, "worse-2"), (20, "worse-3")])
def test_the_tint_follows_the_size(share: int, tint: str) -> None:
    pairs = [(True, False)] * share + [(True, True)] * (100 - share)
    found = heat_map(compared({"kind": pairs}))
    assert found is not None
    assert found.rows[1].cells[0].tint == tint


def test_a_change_that_reads_as_nothing_has_no_tint() -> None:
    pairs = [(True, False), *[(True, True)] * 2999]
    found = heat_map(compared({"kind": pairs}))
    assert found is not None
    assert found.rows[1].cells[0] == Cell("0.0")


def test_there_is_no_heat_map_without_kinds_or_without_anything_compared() -> None:
    both = [ComparedRun(name, run([True] * 8)) for name in ("base", "new")]
    assert heat_map(compare(*both)) is None
    assert dumbbell(compare(*both)) is None
    nothing = compared({"gone": [(None, None)] * 3})
    assert heat_map(nothing) is None
    assert dumbbell(nothing) is None


def test_the_table_has_every_figure_of_every_scope() -> None:
    document = compared({"kept": KEPT, "lost": LOST})
    rows = compared_rows(document)
    assert [(row.scope, row.label) for row in rows] == [
        ("all", "All items"), ("scorer", "check"),
        ("group", "kept"), ("cell", "check"), ("group", "lost"), ("cell", "check"),
    ]  # fmt: skip
    assert cell_count(document) == 2
    whole, lost = rows[0], rows[4]
    assert (whole.baseline, whole.now, whole.difference) == ("100.0\u00a0%", "70.0\u00a0%", "\u221230.0 pts")
    assert (whole.corrected, whole.tone, whole.verdict) == ("–", "worse", "Worse")
    assert (lost.improved, lost.regressed, lost.count, lost.left_out) == ("0", "12", "20", "")
    assert lost.p_value == "<\u00a0.001"
    assert [row.scope for row in compared_rows(document, cells=False)] == ["all", "scorer", "group", "group"]
    assert [row.label for row in compared_rows(document, group="lost", cells=False)] == [
        "All items", "check", "lost", "check",
    ]  # fmt: skip


def test_scores_are_written_as_scores_and_verdicts_as_rates() -> None:
    rows = compared_rows(compared({"kind": [(0.2, 0.45)] * 8 + [(0.9, 0.6)] * 4}))
    assert (rows[0].baseline, rows[0].difference) == ("33.3\u00a0%", "0.0 pts")
    assert (rows[1].baseline, rows[1].now, rows[1].difference) == ("0.433", "0.500", "+0.067")
    assert (rows[1].improved, rows[1].regressed) == ("8", "4")
    assert rows[1].interval.startswith("\u2212")


def test_a_scorer_is_written_alike_in_every_kind() -> None:
    rows = compared_rows(compared({"many": KEPT, "one": [(True, True)]}))
    assert [row.now for row in rows if row.scope == "cell"] == ["100.0\u00a0%"] * 2
    rows = compared_rows(compared({"many": [(0.2, 0.3)] * 8, "whole": [(1.0, 0.0)] * 8}))
    assert [row.now for row in rows if row.scope == "cell"] == ["0.300", "0.000"]


def test_a_run_without_verdicts_is_compared_by_its_scores() -> None:
    sides = [
        [result(f"i{n:02}", None, status="scored", score=score, group="kind", position=n) for n in range(12)]
        for score in (0.25, 0.5)
    ]
    document = compare(ComparedRun("base", sides[0]), ComparedRun("new", sides[1]), group_by="kind")
    whole = compared_rows(document)[0]
    assert (whole.baseline, whole.now, whole.difference, whole.improved) == ("0.250", "0.500", "+0.250", "12")
    found, figure = heat_map(document), dumbbell(document)
    assert found is not None
    assert figure is not None
    assert (found.columns[0], found.rows[1].cells[0].words) == ("Score", "+25.0")
    assert figure.title.startswith("Mean score by kind")
    assert figure.rows[0][:4] == ["kind", "0.250", "0.500", "+0.250"]


def test_what_is_measured_has_medians_and_no_verdict() -> None:
    sides = [
        [result(f"i{n}", True, position=n, outcomes=[measured("time", value)]) for n in range(3)]
        for value in (200, 100)
    ]
    (row,) = measured_rows(compare(ComparedRun("base", sides[0]), ComparedRun("new", sides[1])))
    assert (row.label, row.unit, row.baseline, row.now) == ("time", "ms", "200", "100")
    assert (row.difference, row.ratio, row.p_value, row.count) == ("\u2212100", "× 0.5", ".25", "3")


def test_dumbbells_show_both_marks_the_greatest_loss_first() -> None:
    figure = dumbbell(compared({"kept": KEPT, "lost": LOST, "won": WON}))
    assert figure is not None
    lines, before, now = figure.plot["data"]
    assert before["y"] == now["y"] == ["lost", "kept", "won"]
    assert (before["x"], now["x"]) == ([1, 1, 0.4], [0.4, 1, 1])
    assert lines["x"][:3] == [1, 0.4, None]
    assert (before["marker"]["symbol"], now["marker"]["symbol"]) == ("circle-open", "circle")
    assert now["marker"]["color"] == ["var:bad", "var:accent", "var:good"]
    assert [row[0] for row in figure.rows] == ["lost", "kept", "won"]
    assert len(figure.columns) == len(figure.rows[0])
    json.dumps(figure.plot, allow_nan=False)


def test_of_many_kinds_those_that_moved_most_are_drawn_and_all_are_listed() -> None:
    kinds = {f"kind {number:02}": KEPT for number in range(38)}
    figure = dumbbell(compared({**kinds, "lost": LOST, "won": WON}))
    assert figure is not None
    drawn = figure.plot["data"][1]["y"]
    assert len(drawn) == MOST_DRAWN
    assert (drawn[0], drawn[-1]) == ("lost", "won")
    assert len(figure.rows) == 40
    assert "The 20 of 40 that moved most" in figure.note


def test_names_that_look_alike_once_cut_stay_apart() -> None:
    figure = dumbbell(compared({f"{'x' * 40}{end}": KEPT for end in "ab"} | {"": KEPT}))
    assert figure is not None
    assert len({row[0] for row in figure.rows}) == 3
    assert "(no name)" in [row[0] for row in figure.rows]


def test_differences_are_counted_on_both_sides_of_nothing() -> None:
    counts = [0] * 21
    counts[7], counts[10], counts[11] = 2, 5, 1
    figure = differences("tone", counts, 3)
    assert (figure.id, figure.note) == ("differences-3", "2 lower, 5 the same, 1 higher.")
    assert figure.title == "How far the score of tone moved, item by item"
    (bars,) = figure.plot["data"]
    assert (bars["x"][0], bars["x"][10], bars["x"][20]) == (-10, 0, 10)
    assert [bars["marker"]["color"][place] for place in (9, 10, 11)] == ["var:bad", "var:muted", "var:good"]
    assert figure.rows == [
        ["down by more than 0.2, to 0.3", "2"], ["the same", "5"], ["up by up to 0.1", "1"],
    ]  # fmt: skip
    assert "composite" in differences("", counts, 0).title
    assert bin_words(0) == "down by more than 0.9, to 1.0"


def test_runs_side_by_side_keep_their_denominators() -> None:
    first = aggregate(run([True, False, None], group="a"), item_count=3, trials=1, group_by="kind")
    second = aggregate(run([True, True], group="b"), item_count=2, trials=1, group_by="kind")
    matrix = run_matrix([("first", first), ("second", second), ("empty", {})])
    assert matrix.runs == ["first", "second", "empty"]
    assert [label for label, _ in matrix.rows] == ["All items", "a", "b"]
    whole, in_a, in_b = (cells for _, cells in matrix.rows)
    assert whole == [
        MatrixCell("50.0\u00a0%", "2 scored", "1 errored"),
        MatrixCell("100.0\u00a0%", "2 scored"),
        MatrixCell(),
    ]
    assert (in_a[1], in_b[0]) == (MatrixCell(), MatrixCell())
