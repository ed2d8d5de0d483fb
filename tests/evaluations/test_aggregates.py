"""The aggregate document of a run: what is counted, what is a mean of what, and what is left out."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.aggregates import aggregate, run_passed
from evaluations.run_results import RunResult, Shares, item_figures
from tests.evaluations.results import measured, result, run


def of(results: list[RunResult], **options: Any) -> dict[str, Any]:
    trials = options.get("trials", 1)
    return aggregate(results, item_count=options.pop("item_count", len(results) // trials), **options)


def test_a_run_has_exactly_the_members_that_apply() -> None:
    document = of(run([True, True, False, True]))
    assert document == {
        "scorers": {"check": {"mean": 0.75, "pass_rate": 0.75, "scored_count": 4, "errored_count": 0}},
        "pass_rate": 0.75,
        "pass_rate_interval": {
            "low": pytest.approx(0.300642, abs=5e-7),
            "high": pytest.approx(0.954413, abs=5e-7),
            "level": 0.95,
        },
        "scored_item_count": 4,
        "errored_item_count": 0,
        "coverage": 1.0,
    }


def test_items_are_grouped_by_text_alone() -> None:
    """The contract's row: refusal pass, fail, error; multi_step pass; no metadata pass; kind 7 fail."""
    results = [
        result("1", True, group="refusal"),
        result("2", False, group="refusal"),
        result("3", None, group="refusal"),
        result("4", True, group="multi_step"),
        result("5", True),
        result("6", False, group=7),
    ]
    document = of(results, group_by="kind")
    assert document["pass_rate"] == 0.6
    grouping = document["grouping"]
    assert grouping["group_by"] == "kind"
    assert grouping["ungrouped_item_count"] == 2
    assert list(grouping["groups"]) == ["multi_step", "refusal"]
    refusal, multi_step = grouping["groups"]["refusal"], grouping["groups"]["multi_step"]
    assert (refusal["scored_item_count"], refusal["errored_item_count"], refusal["pass_rate"]) == (2, 1, 0.5)
    assert (multi_step["scored_item_count"], multi_step["pass_rate"]) == (1, 1.0)
    assert set(multi_step) == {
        "scorers",
        "pass_rate",
        "pass_rate_interval",
        "scored_item_count",
        "errored_item_count",
    }


def test_any_text_names_a_group_and_one_with_nothing_scored_appears() -> None:
    labels = ["__proto__", "", "constructor", "Ä", "a", "B"]
    results = [result(label or "empty", None if label == "a" else True, group=label) for label in labels]
    groups = of(results, group_by="kind")["grouping"]["groups"]
    assert list(groups) == sorted(labels)
    assert groups["a"] == {
        "scorers": {},
        "pass_rate": None,
        "pass_rate_interval": None,
        "scored_item_count": 0,
        "errored_item_count": 1,
    }
    assert groups["__proto__"]["pass_rate"] == 1.0
    assert "grouping" not in of(results)
    assert of([result("x", True)], group_by="kind")["grouping"] == {
        "group_by": "kind",
        "groups": {},
        "ungrouped_item_count": 1,
    }


def test_one_pass_and_one_errored() -> None:
    document = of([result("1", True, said={"a": True}), result("2", None)])
    assert document["pass_rate"] == 1.0
    assert document["scored_item_count"] == 1
    assert document["scorers"]["a"]["scored_count"] == 1
    assert document["coverage"] == 0.5


def test_only_errored() -> None:
    document = of([result("1", None), result("2", None)])
    assert document["pass_rate"] is None
    assert document["pass_rate_interval"] is None
    assert document["scorers"] == {}
    assert document["errored_item_count"] == 2
    assert run_passed(document, pass_threshold=0.0, min_coverage=0.0) is False


@pytest.mark.parametrize(
    ("passes", "items", "threshold", "expected"),
    [(4, 5, 0.8, True), (79, 100, 0.8, False), (7, 10, 0.7, True), (0, 3, 0.0, True), (3, 3, None, None)],
)
def test_the_run_passes_at_its_threshold_exactly(
    passes: int, items: int, threshold: float | None, expected: bool | None
) -> None:
    document = of(run([place < passes for place in range(items)]))
    assert run_passed(document, pass_threshold=threshold, min_coverage=0.9) is expected
    assert run_passed(document, pass_threshold=threshold, min_coverage=0.9, canceled=True) is None


def test_too_many_errors_fail_a_run_that_would_pass() -> None:
    """3 of 4 items errored: the one that was scored passed, and says nothing of the others."""
    document = of(run([True, None, None, None]))
    assert document["pass_rate"] == 1.0
    assert document["coverage"] == 0.25
    assert run_passed(document, pass_threshold=0.8, min_coverage=0.9) is False
    assert run_passed(document, pass_threshold=0.8, min_coverage=0.25) is True


def test_items_that_never_came_to_a_result_lower_the_coverage() -> None:
    unfinished = result("9", None, status="", said={"check": True})
    document = of([*run([True, True]), unfinished], item_count=4)
    assert document["coverage"] == 0.5
    assert document["scored_item_count"] == 2
    assert document["errored_item_count"] == 0
    assert document["scorers"]["check"]["scored_count"] == 2
    assert "skipped_item_count" not in document


def test_f1_a_rate_over_fewer_items_says_so() -> None:
    first, second = of(run([True, False])), of(run([True, None]))
    assert (first["pass_rate"], first["scored_item_count"], first["coverage"]) == (0.5, 2, 1.0)
    assert (second["pass_rate"], second["scored_item_count"], second["coverage"]) == (1.0, 1, 0.5)
    assert second["errored_item_count"] == 1
    assert run_passed(second, pass_threshold=0.5, min_coverage=0.9) is False


@pytest.mark.parametrize("good", [True, 0.25])
def test_f2_a_scorer_that_fails_at_first_has_its_figures(good: bool | float) -> None:
    said: list[bool | float | None] = [None, good, None, good]
    results = [
        result(str(place), None if what is None else True, said={"check": what}) for place, what in enumerate(said)
    ]
    document = of(results)
    assert document["scorers"]["check"]["scored_count"] == 2
    assert document["scorers"]["check"]["errored_count"] == 2
    assert document["scorers"]["check"]["mean"] == float(good)
    assert (document["scored_item_count"], document["errored_item_count"]) == (2, 2)


def test_f3_an_error_is_no_zero() -> None:
    scores = [0.75, 0.80, 0.85, 0.95]
    results = [result(str(place), True, said={"s": score}) for place, score in enumerate(scores)]
    scorer = of([*results, result("nan", None, said={"s": None})])["scorers"]["s"]
    assert scorer["mean"] == pytest.approx(0.8375)
    assert (scorer["scored_count"], scorer["errored_count"]) == (4, 1)
    assert scorer["pass_rate"] is None


def test_f4_an_item_that_nothing_scored_is_skipped() -> None:
    document = of([result("1", None, status="skipped"), result("2", True, said={"a": 0.5})])
    assert document["skipped_item_count"] == 1
    assert (document["scored_item_count"], document["errored_item_count"]) == (1, 0)
    assert document["pass_rate"] == 1.0
    assert document["scorers"]["a"] == {"mean": 0.5, "pass_rate": None, "scored_count": 1, "errored_count": 0}


def test_f7_without_a_threshold_there_is_no_rate() -> None:
    document = of([result(str(place), None, status="scored", score=place / 4) for place in range(3)])
    assert document["pass_rate"] is None
    assert document["scored_item_count"] == 3
    assert document["score"] == {"mean": 0.25, "scored_count": 3}


def test_a_tool_may_pass_what_it_scores_low() -> None:
    scorer = of([result("1", True, said={"tool": (0.25, True)})])["scorers"]["tool"]
    assert (scorer["mean"], scorer["pass_rate"]) == (0.25, 1.0)


def test_what_others_said_of_an_errored_item_is_in_no_mean_but_counted() -> None:
    results = [
        result("1", None, said={"broken": None, "fine": True}),
        result("2", False, said={"broken": True, "fine": False}),
    ]
    assert of(results)["scorers"] == {
        "broken": {"mean": 1.0, "pass_rate": 1.0, "scored_count": 1, "errored_count": 1},
        "fine": {"mean": 0.0, "pass_rate": 0.0, "scored_count": 1, "errored_count": 0, "excluded_count": 1},
    }


def test_a_scorer_that_only_reports_may_fail_on_a_scored_item() -> None:
    scorer = of([result("1", True, said={"extra": None, "a": True})])["scorers"]["extra"]
    assert scorer == {"mean": None, "pass_rate": None, "scored_count": 0, "errored_count": 1}


def test_measured_values_have_their_median_and_their_unit() -> None:
    times = [10.0, 20.0, 30.0, 100.0]
    results = [result(str(place), True, outcomes=[measured("itl", value)]) for place, value in enumerate(times)]
    scorer = of([*results, result("e", None, outcomes=[measured("itl", 1e9)])])["scorers"]["itl"]
    assert scorer == {
        "mean": None,
        "pass_rate": None,
        "scored_count": 0,
        "errored_count": 0,
        "measured_count": 4,
        "excluded_count": 1,
        "value": {"mean": 40.0, "p50": 25.0, "p95": pytest.approx(89.5), "unit": "ms", "count": 4},
    }


def test_euros_and_dollars_have_no_common_mean() -> None:
    results = [
        result("1", True, outcomes=[measured("cost", 2.0, "USD")]),
        result("2", True, outcomes=[measured("cost", 1.0, "EUR")]),
        result("3", True, outcomes=[measured("cost", 3.0, "EUR")]),
    ]
    scorer = of(results)["scorers"]["cost"]
    assert "value" not in scorer
    assert [(value["unit"], value["mean"], value["count"]) for value in scorer["values"]] == [
        ("EUR", 2.0, 2),
        ("USD", 2.0, 1),
    ]


def tried(verdicts: dict[str, list[bool | None]]) -> list[RunResult]:
    return [
        result(item, passed, trial=trial, said={"check": passed})
        for item, trials in verdicts.items()
        for trial, passed in enumerate(trials)
    ]


def test_with_several_trials_the_item_is_the_unit() -> None:
    document = of(
        tried({"a": [True, True, True], "b": [True, False, False], "c": [None, True, None], "d": [None, None, None]}),
        trials=3,
    )
    assert document["pass_rate"] == pytest.approx((1 + 1 / 3 + 1) / 3, abs=1e-15)
    assert (document["scored_item_count"], document["errored_item_count"]) == (3, 1)
    assert document["coverage"] == 7 / 12
    assert document["scorers"]["check"]["scored_count"] == 3
    assert document["scorers"]["check"]["errored_count"] == 1
    trials = document["trials"]
    assert (trials["trials_per_item"], trials["scored_trial_count"], trials["errored_trial_count"]) == (3, 7, 5)
    assert trials["flaky_items"] == ["b"]
    assert trials["flaky_item_count"] == 1
    # c was judged once: nothing is known of two of its trials.
    assert [entry["item_count"] for entry in trials["pass_hat_k"]] == [3, 2, 2]
    assert [entry["rate"] for entry in trials["pass_hat_k"]] == pytest.approx([7 / 9, 0.5, 0.5])
    assert [entry["rate"] for entry in trials["pass_at_k"]] == pytest.approx([7 / 9, (1 + 2 / 3) / 2, 1])


def test_a_rate_of_trials_meets_its_threshold_exactly() -> None:
    """Thirds and fifths have no exact floats; their mean does."""
    document = of(tried({"a": [True, False, False], "b": [True, True, False], "c": [True, True, False]}), trials=3)
    assert document["pass_rate"] == 5 / 9
    shares = Shares()
    for _ in range(10):
        shares.add(7, 10)
    assert shares.rate == 0.7


def test_results_that_come_twice_or_apart_are_refused() -> None:
    for wrong in ([result("a", True), result("b", True), result("a", True)], [result("a", True), result("a", False)]):
        with pytest.raises(ValueError, match="'a' come twice or out of order"):
            of(wrong)


verdicts = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=30)


@given(verdicts)
def test_every_item_is_counted_once(said: list[bool | None]) -> None:
    document = of(run(said, group="g"), group_by="kind")
    assert document["scored_item_count"] + document["errored_item_count"] == len(said)
    assert document["coverage"] == document["scored_item_count"] / len(said)
    assert document["pass_rate"] == (
        said.count(True) / (len(said) - said.count(None)) if any(what is not None for what in said) else None
    )
    [group] = document["grouping"]["groups"].values()
    assert {member: document[member] for member in group} == group


@given(st.lists(verdicts, min_size=1, max_size=6))
def test_trials_that_agree_say_what_one_would(said: list[list[bool | None]]) -> None:
    one = [what[0] for what in said]
    once = of(run(one))
    thrice = of(tried({f"i{place:03}": [what] * 3 for place, what in enumerate(one)}), trials=3)
    assert thrice.pop("trials")["flaky_items"] == []
    assert thrice == once


@pytest.mark.parametrize(("passed", "score"), [(True, 0.25), (False, None), (None, 0.5)])
def test_the_figures_of_an_item_of_one_trial_are_those_of_many(passed: bool | None, score: float | None) -> None:
    fields: dict[str, Any] = {"status": "scored", "score": score, "group": "g", "content_hash": "h"}
    fields["said"] = {"a": True, "b": None, "c": 0.5, "f": (0.2, False)}
    fields["outcomes"] = [measured("d", math.inf), measured("e", 2.0)]
    first = result("x", passed, **fields.copy())
    [one] = item_figures([first])
    [many] = item_figures([first, result("x", None, trial=1, status="")])
    assert one == many
    assert one.scorers["d"].values == ()
