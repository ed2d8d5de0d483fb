"""Two runs compared: which items count, what changed, and which word the numbers allow."""

import random
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.comparison import ComparedRun, compare
from evaluations.comparison.changes import score_change
from evaluations.run_results import RunResult
from evaluations.statistics.corrections import holm
from evaluations.statistics.permutation import sign_flip
from tests.evaluations.results import flips, measured, result, run


def against(baseline: list[RunResult], candidate: list[RunResult], **options: Any) -> dict[str, Any]:
    return compare(ComparedRun("evrun_base", baseline), ComparedRun("evrun_new", candidate), **options)


def flipped(document: dict[str, Any]) -> tuple[int, int]:
    return document["flipped"]["improved"], document["flipped"]["regressed"]


def of_flips(both: int, base_only: int, new_only: int, neither: int, **options: Any) -> dict[str, Any]:
    base, new = flips(both, base_only, new_only, neither)
    return against(run(base), run(new), **options)


def test_twelve_items_six_of_which_are_mended() -> None:
    document = of_flips(6, 0, 6, 0)
    assert document["run_id"] == "evrun_base"
    assert document["compared_item_count"] == 12
    assert (document["pass_rate"], document["baseline_pass_rate"], document["pass_rate_delta"]) == (1.0, 0.5, 0.5)
    assert flipped(document) == (6, 0)
    assert document["p_value"] == 0.03125
    assert document["verdict"] == "better"
    assert document["test"] == "mcnemar_exact"
    check = document["scorers"]["check"]
    assert (check["mean_delta"], check["pass_rate_delta"], check["p_value"]) == (0.5, 0.5, 0.03125)
    assert "delta_bounds" not in document
    assert "grouping" not in document


def test_the_tutorial_four_items_cannot_say_anything() -> None:
    base = [
        result(str(place), place % 2 == 0, group="ab"[place // 2], said={"j": place % 2 == 0}) for place in range(4)
    ]
    new = [result(str(place), True, group="ab"[place // 2], said={"j": True}) for place in range(4)]
    document = against(base, new, group_by="kind")
    assert (document["pass_rate_delta"], document["p_value"], document["verdict"]) == (0.5, 0.5, "too_few_items")
    assert flipped(document) == (2, 0)
    for group in document["grouping"]["groups"].values():
        assert flipped(group) == (1, 0)
        assert group["p_value"] == 1.0
        assert group["verdict"] == "too_few_items"
        assert group["compared_item_count"] == 2


@pytest.mark.parametrize(
    ("cells", "p_value", "verdict"),
    [
        ((85, 9, 6, 0), 0.60723876953125, "no_clear_difference"),
        ((93, 5, 2, 0), 0.453125, "no_clear_difference"),
        ((97, 2, 1, 0), 1.0, "too_few_items"),
        ((0, 1000, 0, 0), 0.0, "worse"),
        ((95, 0, 5, 0), 0.0625, "too_few_items"),
        ((94, 0, 6, 0), 0.03125, "better"),
        ((94, 6, 0, 0), 0.03125, "worse"),
        # Nothing flipped among a hundred is an answer; among five it is not.
        ((100, 0, 0, 0), 1.0, "no_clear_difference"),
        ((5, 0, 0, 0), 1.0, "too_few_items"),
    ],
    ids=str,
)
def test_flips_and_their_word(cells: tuple[int, int, int, int], p_value: float, verdict: str) -> None:
    document = of_flips(*cells)
    assert document["p_value"] == pytest.approx(p_value, abs=1e-15)
    assert document["verdict"] == verdict


def test_f25_ten_points_are_clear_alone_and_not_as_one_of_five() -> None:
    alone = of_flips(70, 4, 14, 12)
    assert alone["pass_rate_delta"] == 0.1
    assert flipped(alone) == (14, 4)
    assert alone["p_value"] == pytest.approx(0.0309, abs=5e-5)
    assert alone["verdict"] == "better"
    base, new = flips(70, 4, 14, 12)
    sides = []
    for verdicts in (base, new):
        kinds = [
            result(f"{kind}{place:03}", passed, group=kind)
            for kind in "abcde"
            for place, passed in enumerate(verdicts if kind == "a" else base)
        ]
        sides.append(kinds)
    groups = against(*sides, group_by="kind")["grouping"]["groups"]
    assert groups["a"]["p_value"] == alone["p_value"]
    assert groups["a"]["p_value_holm"] == pytest.approx(0.154, abs=5e-4)
    assert {group["verdict"] for group in groups.values()} == {"no_clear_difference"}


def test_f24_only_shared_and_unedited_items_count() -> None:
    base = [result(str(place), True, content_hash="then", said={"a": True}) for place in (1, 2, 3)]
    new = [
        result("2", False, content_hash="then", said={"a": False}),
        result("3", False, content_hash="edited", said={"a": False}),
        result("4", True, content_hash="then", said={"a": True}),
    ]
    document = against(base, new)
    counts = ("compared", "edited", "removed", "added", "excluded")
    assert [document[f"{name}_item_count"] for name in counts] == [1, 1, 1, 1, 0]
    assert document["p_value"] is None
    assert document["verdict"] == "too_few_items"
    assert document["scorers"]["a"]["compared_count"] == 1


def test_f1_an_item_that_errored_is_in_neither_side() -> None:
    base = [result("1", True, said={"s": 1.0}), result("2", False, said={"s": 0.0})]
    new = [result("1", True, said={"s": 1.0}), result("2", None, said={"s": None})]
    document = against(base, new)
    assert (document["compared_item_count"], document["excluded_item_count"]) == (1, 1)
    assert (document["pass_rate"], document["baseline_pass_rate"]) == (1.0, 1.0)
    assert (document["pass_rate_delta"], document["verdict"]) == (0.0, "too_few_items")
    assert document["scorers"]["s"]["excluded_count"] == 1
    assert document["delta_bounds"] == {"low": -0.5, "high": 0.5}


def test_nothing_shared_has_no_figures() -> None:
    document = against([result("1", True)], [result("2", True)])
    assert document["compared_item_count"] == 0
    assert document["pass_rate_delta"] is None
    assert document["delta_interval"] is None
    assert document["p_value"] is None
    assert flipped(document) == (0, 0)
    assert document["scorers"] == {}
    assert document["verdict"] == "too_few_items"
    assert against([], [], group_by="k")["grouping"] == {"group_by": "k", "groups": {}, "ungrouped_item_count": 0}


@pytest.mark.parametrize(("errors", "verdict"), [(9, "better"), (10, "not_decided"), (30, "not_decided")])
def test_errors_that_could_change_the_sign_leave_it_undecided(errors: int, verdict: str) -> None:
    base, new = flips(70, 4, 14, 12)
    document = against(run([*base, *[True] * errors]), run([*new, *[None] * errors]))
    assert document["excluded_item_count"] == errors
    assert document["verdict"] == verdict
    assert document["pass_rate_delta"] == 0.1
    assert document["delta_bounds"] == {
        "low": pytest.approx((10 - errors) / (100 + errors)),
        "high": pytest.approx((10 + errors) / (100 + errors)),
    }
    mirrored = against(run([*new, *[None] * errors]), run([*base, *[True] * errors]))
    assert mirrored["verdict"] == verdict.replace("better", "worse")


def test_numbers_are_compared_by_permutation_of_their_differences() -> None:
    generator = random.Random(5)
    before = [generator.random() * 0.8 for _ in range(50)]
    after = [score + generator.random() * 0.2 for score in before]
    sides = [
        [result(f"{place:02}", None, status="scored", said={"n": score}) for place, score in enumerate(scores)]
        for scores in (before, after)
    ]
    scorer = against(*sides)["scorers"]["n"]
    assert scorer["p_value"] == 1 / 10_000
    assert (scorer["verdict"], scorer["test"]) == ("better", "sign_flip_monte_carlo")
    assert scorer["interval_method"] == "percentile_bootstrap"
    assert scorer["delta_interval"]["low"] < scorer["mean_delta"] < scorer["delta_interval"]["high"]
    assert scorer["mean_delta"] == pytest.approx(scorer["mean"] - scorer["baseline_mean"])
    assert scorer["moved"] == {"improved": 50, "regressed": 0}
    assert scorer["pass_rate_delta"] is None
    # The dataset's order decides nothing.
    shuffled = against(sides[0][::-1], sorted(sides[1], key=lambda entry: entry.item[::-1]))
    assert shuffled["scorers"]["n"] == scorer


def test_scorers_are_corrected_for_each_other() -> None:
    base, new = flips(70, 4, 14, 12)
    sides = []
    for verdicts in (base, new):
        entries = []
        for place, passed in enumerate(verdicts):
            said: dict[str, Any] = {f"s{key}": base[place] for key in range(4)}
            entries.append(result(f"{place:03}", passed, said={"moved": passed} | said))
        sides.append(entries)
    scorers = against(*sides)["scorers"]
    assert scorers["moved"]["p_value_holm"] == pytest.approx(5 * scorers["moved"]["p_value"])
    assert scorers["moved"]["verdict"] == "no_clear_difference"
    assert scorers["s0"]["p_value_holm"] == 1.0


def test_the_cells_of_the_heat_map_are_one_family() -> None:
    generator = random.Random(3)
    sides = [
        [
            result(
                f"{place:03}",
                generator.random() < 0.5 + shift,
                group="abc"[place % 3],
                said={key: generator.random() < 0.5 + shift for key in ("x", "y")},
            )
            for place in range(240)
        ]
        for shift in (0.0, 0.25)
    ]
    document = against(*sides, group_by="kind")
    groups = document["grouping"]["groups"]
    cells = [groups[label]["scorers"][key] for label in "abc" for key in ("x", "y")]
    assert [cell["p_value_holm"] for cell in cells] == holm([cell["p_value"] for cell in cells])
    marked = [cell["verdict"] == "better" for cell in cells]
    assert marked == [cell["p_value_holm"] < 0.05 for cell in cells]
    assert any(marked)
    assert [groups[label]["p_value_holm"] for label in "abc"] == holm([groups[label]["p_value"] for label in "abc"])
    assert sum(group["compared_item_count"] for group in groups.values()) == document["compared_item_count"]


def test_an_item_belongs_to_the_group_it_has_now() -> None:
    base = [result("1", True, group="old"), result("2", True, group="gone"), result("3", True), result("5", None)]
    new = [result("1", True, group="new"), result("3", True), result("4", True, group="new"), result("5", True)]
    grouping = against(base, new, group_by="kind")["grouping"]
    assert list(grouping["groups"]) == ["gone", "new"]
    assert grouping["groups"]["new"]["compared_item_count"] == 1
    assert grouping["groups"]["new"]["added_item_count"] == 1
    assert grouping["groups"]["gone"]["removed_item_count"] == 1
    assert grouping["ungrouped_item_count"] == 1


def tried(passes: list[int], trials: int) -> list[RunResult]:
    return [
        result(f"i{place:03}", trial < count, trial=trial, said={"check": trial < count})
        for place, count in enumerate(passes)
        for trial in range(trials)
    ]


def test_with_several_trials_the_item_is_the_unit() -> None:
    document = against(tried([0, 1, 1, 2, 3, 1, 0, 2], 3), tried([3, 2, 3, 3, 3, 3, 1, 2], 3))
    assert document["compared_item_count"] == 8
    assert document["pass_rate_delta"] == pytest.approx(10 / 24)
    assert flipped(document) == (6, 0)
    assert document["test"] == "sign_flip_exact"
    assert document["p_value"] == pytest.approx(2 / 64)
    assert document["interval_method"] == "percentile_bootstrap"
    assert "detectable_change" not in document
    assert document["scorers"]["check"]["test"] == "sign_flip_exact"


def test_runs_with_other_numbers_of_trials_are_compared_by_their_shares() -> None:
    document = against(tried([1] * 8, 2), tried([1] * 8, 1))
    assert document["pass_rate_delta"] == 0.5
    assert flipped(document) == (8, 0)
    assert document["p_value"] == pytest.approx(2 / 2**8)


def test_without_a_threshold_the_scores_are_compared() -> None:
    sides = [
        [result(f"{place}", None, status="scored", score=0.2 + place / 20 + shift) for place in range(8)]
        for shift in (0.0, 0.1)
    ]
    document = against(*sides)
    assert document["compared_item_count"] == 8
    assert document["pass_rate_delta"] is None
    assert document["score"]["mean_delta"] == pytest.approx(0.1)
    assert document["moved"] == {"improved": 8, "regressed": 0}
    assert "flipped" not in document
    assert document["p_value"] == document["score"]["p_value"] == pytest.approx(2 / 2**8)
    assert document["verdict"] == "better"


def test_what_was_measured_is_compared_by_medians_and_ratios() -> None:
    sides = [
        [result(f"{place}", True, outcomes=[measured("ttft", value * factor)]) for place, value in enumerate(times)]
        for factor, times in ((1.0, [100, 200, 300, 4000]), (0.5, [100, 200, 300, 4000]))
    ]
    entry = against(*sides)["scorers"]["ttft"]
    value = entry["value"]
    assert value["ratio"] == pytest.approx(0.5)
    assert (value["baseline_median"], value["median"], value["median_delta"]) == (250, 125, -125)
    assert (value["unit"], value["compared_count"]) == ("ms", 4)
    assert value["p_value"] == pytest.approx(2 / 16)
    assert entry["p_value"] is None
    assert "verdict" not in entry
    zero = [result("0", True, outcomes=[measured("ttft", 0.0)]), *sides[0][1:]]
    assert "ratio" not in against(zero, sides[1])["scorers"]["ttft"]["value"]
    other = [result(str(place), True, outcomes=[measured("ttft", 5.0, "s")]) for place in range(4)]
    assert "value" not in against(sides[0], other)["scorers"]["ttft"]


def test_what_the_runs_were_judged_by_is_named_where_it_differs() -> None:
    same = run([True] * 6)
    base = ComparedRun("a", same, {"kept": "1", "changed": "2", "gone": "3"})
    new = ComparedRun("b", same, {"kept": "1", "changed": "4", "fresh": "5"})
    document = compare(base, new)
    assert document["changed_scorers"] == ["changed"]
    assert document["added_scorers"] == ["fresh"]
    assert document["removed_scorers"] == ["gone"]
    assert not {"changed_scorers", "added_scorers", "removed_scorers"} & set(compare(base, base))


def test_a_scorer_of_one_run_alone_is_not_compared() -> None:
    document = against(run([True] * 6, key="old"), run([True] * 6, key="new"))
    assert document["scorers"] == {}
    assert document["compared_item_count"] == 6


sides = st.lists(st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False, None])), max_size=40)


@given(sides)
def test_exchanging_the_runs_turns_every_sign(pairs: list[tuple[bool | None, bool | None]]) -> None:
    base, new = run([before for before, _ in pairs]), run([after for _, after in pairs])
    there, back = against(base, new), against(new, base)
    turned = {"better": "worse", "worse": "better"}
    assert there["verdict"] == turned.get(back["verdict"], back["verdict"])
    assert there["p_value"] == back["p_value"]
    assert flipped(there) == flipped(back)[::-1]
    if there["pass_rate_delta"] is not None:
        assert there["pass_rate_delta"] == -back["pass_rate_delta"]
        assert there["delta_interval"]["low"] == pytest.approx(-back["delta_interval"]["high"], abs=1e-12)
        assert there["delta_interval"]["low"] <= there["pass_rate_delta"] <= there["delta_interval"]["high"]
    assert there["compared_item_count"] + there["excluded_item_count"] == len(pairs)


@given(sides)
def test_a_word_is_never_bolder_than_its_p_value(pairs: list[tuple[bool | None, bool | None]]) -> None:
    document = against(run([before for before, _ in pairs]), run([after for _, after in pairs]))
    if document["verdict"] in {"better", "worse"}:
        assert document["p_value"] < 0.05
        assert (document["pass_rate_delta"] > 0) == (document["verdict"] == "better")
        bounds = document.get("delta_bounds", {"low": document["pass_rate_delta"], "high": document["pass_rate_delta"]})
        assert (bounds["low"] > 0) == (document["verdict"] == "better")
        assert (bounds["high"] < 0) == (document["verdict"] == "worse")


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=60))
def test_scores_of_pass_and_fail_are_flips(pairs: list[tuple[bool, bool]]) -> None:
    change = score_change([(float(base), float(new)) for base, new in pairs], single=True)
    assert change.p_value == pytest.approx(sign_flip(change.differences).p_value)
    assert change.method == "mcnemar_exact"


@pytest.mark.load
def test_ten_thousand_items_of_forty_kinds_take_a_second() -> None:
    generator = random.Random(1)

    def side(shift: float) -> list[RunResult]:
        return [
            result(
                f"{place:05}",
                generator.random() < 0.7 + shift,
                position=place,
                group=f"kind {place % 40}",
                said={"a": generator.random() < 0.7, "b": generator.random(), "c": generator.random()},
            )
            for place in range(10_000)
        ]

    base, new = side(0), side(0.03)

    def seconds() -> float:
        began = time.process_time()
        against(base, new, group_by="kind")
        return time.process_time() - began

    assert min(seconds() for _ in range(3)) < 1
