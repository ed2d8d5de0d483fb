"""What lint finds, what it keeps silent about, and that what it calls certain is never contradicted."""

import copy
import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.evaluator import evaluate
from scoring.kit.observation import Observation
from scoring.kit.samples import observation_of
from scoring.lint import CODES, Finding, Report, lint
from scoring.lint.report import MOST_SECONDS
from scoring.profile_documents import Profile, load_profile, read_profile
from tests.scoring.cases import contains, in_range, observation, profile_body
from tests.scoring.scorers.test_invariants import RECORDED
from tests.scoring.scorers.test_possible_scores import EDGES, SCORERS

Key = tuple[str | None, str, bool]


def profile(*scorers: dict[str, Any], **head: Any) -> Profile:
    return read_profile(profile_body(*scorers, **head))


def texts(*outputs: str, **given_too: Any) -> list[Observation]:
    return [observation(output=output, **given_too) for output in outputs]


def keys(report: Report) -> list[Key]:
    return [(finding.scorer_id, finding.code, finding.certain) for finding in report.findings]


def only(report: Report, code: str) -> Finding:
    [found] = [finding for finding in report.findings if finding.code == code]
    return found


def logic(scorer_id: str, expression: Any, **more: Any) -> dict[str, Any]:
    return {"id": scorer_id, "type": "JsonLogic", "expression": expression, **more}


def regex(scorer_id: str, match: float, miss: float, **more: Any) -> dict[str, Any]:
    return {
        "id": scorer_id, "type": "RegexMatch", "pattern": "x", "scoreOnMatch": match, "scoreOnMiss": miss, **more,
    }  # fmt: skip


TRUE, FALSE = {"==": [1, 1]}, {"==": [1, 2]}
OTHER = contains("other", "o")


# By the settings alone.


@pytest.mark.parametrize(
    ("scorer", "code"),
    [
        (logic("s", TRUE), "never_fails"),
        (logic("s", FALSE), "never_passes"),
        (logic("s", TRUE, negate=True), "never_passes"),
        (logic("s", FALSE, negate=True), "never_fails"),
        (logic("s", {"/": [1, 0]}), "always_errs"),
        (logic("s", {"==": [{"var": "output"}, "x"]}), None),
        (regex("s", 0.5, 0.7, passThreshold=0.5), "never_fails"),
        (regex("s", 0.5, 0.7, passThreshold=0.6), None),
        (regex("s", 0.5, 0.7, passThreshold=0.7), None),
        (regex("s", 0.5, 0.7, passThreshold=0.8), "never_passes"),
        (regex("s", 0.25, 0.5, passThreshold=0.75, negate=True), None),
        (regex("s", 0.25, 0.5, passThreshold=0.5, negate=True), "never_fails"),
        (regex("s", 0.25, 0.5, passThreshold=0.8, negate=True), "never_passes"),
        (in_range("s", scoreOnMiss=0.4, passThreshold=0.4), "never_fails"),
        (in_range("s", scoreOnMiss=0.4, passThreshold=0.5), None),
        ({"id": "s", "type": "OutputSchema", "schema": False}, "never_passes"),
        ({"id": "s", "type": "OutputSchema", "schema": {}}, "vacuous_ground_truth"),
        ({"id": "s", "type": "ExactMatch", "answer": "\t"}, "always_errs"),
        ({"id": "s", "type": "TTFT", "weight": 1}, "counts_for_nothing"),
        ({"id": "s", "type": "TTFT", "weight": 0}, None),
        ({"id": "s", "type": "TTFT", "weight": 0, "required": True}, "never_passes"),
        ({"id": "s", "type": "TTFT", "weight": 1, "maxMs": 9}, None),
        (contains("s", weight=0), "counts_for_nothing"),
        (contains("s", weight=0, required=True), None),
        (contains("s"), None),
    ],
)
def test_the_settings_of_one_scorer(scorer: dict[str, Any], code: str | None) -> None:
    # Beside a scorer of any share every weight can decide.
    found = lint(profile(scorer, {"id": "other", "type": "MRR"}, passThreshold=0.4), [])
    own = [(finding.code, finding.certain, finding.samples) for finding in found.findings if finding.scorer_id == "s"]
    assert own == ([] if code is None else [(code, True, 0)])


def test_the_sentences_say_the_numbers() -> None:
    found = lint(profile(regex("s", 0.2, 0.3, passThreshold=0.4), OTHER), [])
    assert only(found, "never_passes").message == "It scores at most 0.300 and passes from 0.400, so it can never pass."
    found = lint(profile(regex("s", 0.3, 0.3, passThreshold=0.3, negate=True), OTHER), [])
    assert only(found, "never_fails").message == (
        "A match and a miss score the same. "
        "Negated, it always scores 0.700 and passes from 0.300, so it can never fail."
    )


def test_a_stored_scorer_that_no_longer_works() -> None:
    document = profile_body(contains("s"), {"id": "old", "type": "Gone", "weight": 0})
    found = lint(load_profile(document), texts("x", "y"))
    assert keys(found) == [("old", "always_errs", True), ("old", "counts_for_nothing", True)]
    assert "no scorer of this type" in only(found, "always_errs").message


@pytest.mark.parametrize(
    ("change", "twins"),
    [
        ({}, True),
        ({"name": "N", "description": "D", "weight": 3, "required": True}, True),
        ({"value": "y"}, False),
        ({"negate": True}, False),
        ({"target": "action"}, False),
        ({"passThreshold": 0.5}, False),
        ({"caseSensitive": True}, False),
    ],
)
def test_the_same_settings_twice(change: dict[str, Any], twins: bool) -> None:
    found = lint(profile(contains("a"), {**contains("b"), **change}), [])
    own = [(one.scorer_id, one.other_id, one.certain) for one in found.findings if one.code == "agrees_with_another"]
    assert own == ([("b", "a", True)] if twins else [])


# The profile as a whole.


@pytest.mark.parametrize(
    ("scorers", "head", "code"),
    [
        ([regex("s", 0.2, 0.4, passThreshold=0.3)], {"passThreshold": 0.5}, "threshold_never_reached"),
        ([regex("s", 0.2, 0.5, passThreshold=0.3)], {"passThreshold": 0.5}, None),
        ([regex("s", 0.5, 0.9, passThreshold=0.6)], {"passThreshold": 0.5}, "threshold_always_reached"),
        ([regex("s", 0.4, 0.9, passThreshold=0.6)], {"passThreshold": 0.5}, None),
        ([contains("s")], {"passThreshold": 0}, "threshold_always_reached"),
        ([contains("s", required=True)], {"passThreshold": 0}, None),
        ([contains("s"), regex("r", 0.2, 0.4, passThreshold=0.3)], {"compositeMethod": "minimum", "passThreshold": 0.5},
         "threshold_never_reached"),
        ([contains("s"), logic("r", FALSE, required=True, weight=0)], {}, "threshold_never_reached"),
        ([contains("s"), logic("r", FALSE, weight=0)], {}, None),
        ([contains("s"), {"id": "t", "type": "TTFT", "required": True}], {}, "threshold_never_reached"),
        ([{"id": "t", "type": "TTFT"}], {}, "threshold_never_reached"),
        ([contains("s"), logic("r", {"/": [1, 0]})], {}, "threshold_never_reached"),
        ([contains("s"), logic("r", {"/": [1, 0]}, weight=0)], {}, None),
        ([contains("s"), logic("r", FALSE)], {"compositeMethod": "geometricMean"}, "threshold_never_reached"),
        ([contains("s"), logic("r", FALSE, required=True)], {"passThreshold": None}, None),
    ],
)  # fmt: skip
def test_a_threshold_out_of_reach(scorers: list[dict[str, Any]], head: dict[str, Any], code: str | None) -> None:
    found = lint(profile(*scorers, **head), [])
    assert [finding.code for finding in found.findings if finding.scorer_id is None] == ([code] if code else [])
    assert all(finding.certain for finding in found.findings)


def test_required_without_a_threshold_counts_for_nothing() -> None:
    found = lint(profile(contains("a", required=True), contains("b", "y"), passThreshold=None), [])
    assert keys(found) == [("a", "counts_for_nothing", True)]


@pytest.mark.parametrize(
    ("scorers", "head", "powerless"),
    [
        ([contains("a", weight=0.9), contains("b", "y", weight=0.1)], {}, ["b"]),
        ([contains("a", weight=0.5), contains("b", "y", weight=0.5)], {}, []),
        ([contains("a", weight=0.5), contains("b", "y", weight=0.5)], {"passThreshold": 0.6}, []),
        # 0.6 alone is enough; without it 0.4 is not: only the first decides.
        ([contains("a", weight=0.6), contains("b", "y", weight=0.2), contains("c", "z", weight=0.2)], {}, ["b", "c"]),
        # Only while the first passes is there a verdict to turn, and then 0.4 is there whatever the other says.
        ([contains("a", weight=0.4, required=True), contains("b", "y", weight=0.6)], {"passThreshold": 0.3}, ["b"]),
        ([contains("a", weight=0.4), contains("b", "y", weight=0.6)], {"passThreshold": 0.3}, []),
        ([contains("a", weight=0.6, required=True), contains("b", "y", weight=0.4)], {"passThreshold": 0.7}, []),
        # What is required decides by that.
        ([contains("a", weight=0.9), contains("b", "y", weight=0.1, required=True)], {}, []),
        # A share of anything can make up for a tenth.
        ([{"id": "a", "type": "MRR", "weight": 0.9}, contains("b", "y", weight=0.1)], {}, []),
        ([contains("a"), regex("b", 0.6, 1)], {"compositeMethod": "minimum", "passThreshold": 0.6}, ["b"]),
        ([contains("a"), regex("b", 0.5, 1)], {"compositeMethod": "minimum", "passThreshold": 0.6}, []),
        # √(1 · 0.5) ≥ 0.7, and √(0 · 1) is 0.
        ([contains("a"), regex("b", 0.5, 1)], {"compositeMethod": "geometricMean", "passThreshold": 0.7}, ["b"]),
        ([contains("a"), regex("b", 0.5, 1)], {"compositeMethod": "geometricMean", "passThreshold": 0.74}, []),
        ([contains("a"), regex("b", 0.4, 1)], {"compositeMethod": "geometricMean", "passThreshold": 0.7}, []),
        # A scorer without a limit has no share in the composite.
        ([contains("a", weight=0.5), contains("b", "y", weight=0.5), {"id": "t", "type": "TTFT", "weight": 9}],
         {"passThreshold": 0.6}, ["t"]),
    ],
)  # fmt: skip
def test_a_weight_that_decides_nothing(
    scorers: list[dict[str, Any]], head: dict[str, Any], powerless: list[str]
) -> None:
    found = lint(profile(*scorers, **head), [])
    assert [finding.scorer_id for finding in found.findings if finding.code == "counts_for_nothing"] == powerless


def test_of_very_many_sums_nothing_is_said() -> None:
    many = [contains(f"s{number}", str(number), weight=1 + number * 0.001001) for number in range(30)]
    assert lint(profile(*many, contains("last", weight=0.000001)), []).findings == ()


# By samples.


def test_a_scorer_that_passes_everything_is_told_with_its_evidence() -> None:
    found = only(lint(profile(contains("a"), OTHER), texts("x", *["xo"] * 49)), "never_fails")
    assert (found.scorer_id, found.certain, found.samples, found.affected) == ("a", False, 50, 50)
    assert found.indices == (0, 1, 2, 3, 4)
    # z² / (n + z²), the upper end of Wilson's interval of 0 in 50.
    assert found.at_most == pytest.approx(3.8414588 / 53.8414588)
    assert "all 50 samples" in found.message
    assert "7.1" in found.message


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        (["x", "x"], [("a", "never_fails", False)]),
        (["y", "y", "y"], [("a", "never_passes", False)]),
        (["x", "y"], []),
        (["x"], []),
        ([], []),
    ],
)
def test_verdicts_that_never_differ(outputs: list[str], expected: list[Key]) -> None:
    assert keys(lint(profile(contains("a")), texts(*outputs))) == expected


def test_only_what_was_scored_counts() -> None:
    samples = [observation(output="", metadata={"n": number}) for number in (1, "no number", 2, 3)]
    found = only(lint(profile(in_range("n")), samples), "never_fails")
    assert (found.samples, found.indices) == (3, (0, 2, 3))
    report = lint(profile(in_range("n")), samples[:2])
    assert report.findings == ()
    assert (report.checked[0].passed, report.checked[0].errored) == (1, 1)


def test_a_scorer_that_always_errs_is_told_with_its_most_frequent_error() -> None:
    samples = [observation(object={"a": 1}), observation(object={}), observation(output="1", expected=" ")]
    found = only(lint(profile({"id": "e", "type": "TokenF1"}, OTHER), samples), "always_errs")
    assert (found.scorer_id, found.samples, found.affected, found.certain) == ("e", 3, 3, False)
    assert found.message == (
        "It could measure none of 3 samples; missing_ground_truth (2 of 3): "
        "The case has no expected answer to compare with."
    )
    report = lint(profile({"id": "e", "type": "TokenF1"}, OTHER), [*samples, observation(output="a", expected="b")])
    assert "always_errs" not in {finding.code for finding in report.findings if finding.scorer_id == "e"}


def test_one_sample_that_cannot_be_measured_is_told() -> None:
    found = lint(profile({"id": "e", "type": "TokenF1"}), texts("x"))
    assert keys(found) == [("e", "always_errs", False)]
    assert "the only sample" in found.findings[0].message


def test_two_scorers_that_agree() -> None:
    pair = (contains("a", "x"), {"id": "k", "type": "KeywordContains", "keywords": ["x"]})
    assert keys(lint(profile(*pair), texts("x", "y"))) == [("k", "agrees_with_another", False)]
    found = only(lint(profile({**pair[0], "name": "First"}, pair[1]), texts("x", "y")), "agrees_with_another")
    assert (found.message, found.other_id) == ("It gave the same score as “First” on both samples.", "a")
    # Not when it was always the same score: that is told of each.
    assert "agrees_with_another" not in {key[1] for key in keys(lint(profile(*pair), texts("x", "x")))}
    differing = (contains("a", "x"), contains("b", "y"))
    assert keys(lint(profile(*differing), texts("x", "y"))) == []
    # Not when one of them could not measure all of them.
    erring = (contains("a", "x"), in_range("n"))
    samples = [observation(output="x", metadata={"n": 1}), observation(output="", metadata={"n": 11}), *texts("")]
    assert keys(lint(profile(*erring), samples)) == []
    assert keys(lint(profile(*erring), samples[:2])) == [("n", "agrees_with_another", False)]


def test_three_that_agree_are_told_against_the_first() -> None:
    three = (contains("a"), contains("b", "xy"), {"id": "k", "type": "KeywordContains", "keywords": ["xyz"]})
    found = lint(profile(*three), texts("xyz", "o"))
    assert [(finding.scorer_id, "“a”" in finding.message) for finding in found.findings] == [("b", True), ("k", True)]


RETRIEVED = {"retrieval": {"chunks": [{"id": "a"}, {"id": "b"}]}}


@pytest.mark.parametrize(
    ("scorer", "expected", "code"),
    [
        ({"type": "HitAtK"}, {"chunks": {"a": 0}}, "vacuous_ground_truth"),
        ({"type": "HitAtK"}, {"chunks": {"a": "high"}}, "unsatisfiable_ground_truth"),
        ({"type": "HitAtK"}, {}, "missing_ground_truth"),
        ({"type": "PrecisionAtK", "k": 5}, {"chunks": ["b"]}, "unsatisfiable_ground_truth"),
        ({"type": "PrecisionAtK", "k": 5, "passThreshold": 0.2}, {"chunks": ["b"]}, None),
        ({"type": "PrecisionAtK", "k": 5, "negate": True, "passThreshold": 0.8}, {"chunks": ["b"]},
         "vacuous_ground_truth"),
        ({"type": "RecallAtK", "k": 1}, {"chunks": ["b", "c"]}, "unsatisfiable_ground_truth"),
        ({"type": "TokenF1"}, {"answer": " "}, "vacuous_ground_truth"),
        ({"type": "NumericMatch"}, {"answer": "five"}, "unsatisfiable_ground_truth"),
        ({"type": "ToolTrajectory", "order": "superset"}, {"tool_calls": []}, "vacuous_ground_truth"),
        ({"type": "ToolTrajectory", "order": "strict"}, {"tool_calls": []}, None),
        ({"type": "JsonMatch", "mode": "subset"}, {"object": {}}, "vacuous_ground_truth"),
        ({"type": "OutputSchema"}, {"schema": True}, "vacuous_ground_truth"),
        ({"type": "OutputSchema"}, {"schema": False}, "unsatisfiable_ground_truth"),
        ({"type": "StateChange"}, {"state": {"required": [], "allowed": []}}, None),
        ({"type": "StateChange"},
         {"state": {"required": [{"entity": "t", "id": "1", "field": "f", "value": 1}], "allowed": []}},
         "unsatisfiable_ground_truth"),
    ],
)  # fmt: skip
def test_ground_truth(scorer: dict[str, Any], expected: dict[str, Any], code: str | None) -> None:
    document = {**RETRIEVED, "tool_calls": [], "state": {"before": {}, "after": {}}}
    bad = observation(output="{}", expected=expected, observation=document)
    good = observation(
        output="{}",
        observation=document,
        expected={
            "answer": "1", "chunks": ["a", "b", "c", "d", "e"], "tool_calls": [{"name": "a"}], "object": {"a": 1},
            "schema": {"type": "object"}, "state": {"required": [], "allowed": []},
        },
    )  # fmt: skip
    if scorer["type"] == "RecallAtK":
        good = observation(output="", observation=document, expected={"chunks": ["a"]})
    report = lint(profile({"id": "s", **scorer}), [good, bad, good])
    found = [finding for finding in report.findings if finding.code.endswith("ground_truth")]
    expected_found = [] if code is None else [(code, True, 3, 1, (1,))]
    assert [(one.code, one.certain, one.samples, one.affected, one.indices) for one in found] == expected_found


def test_verdicts_that_the_ground_truth_decided_say_nothing_of_the_scorer() -> None:
    sample = observation(output="", expected={"chunks": ["a"]}, observation=RETRIEVED)
    report = lint(profile({"id": "p", "type": "PrecisionAtK", "k": 5}), [sample] * 4)
    assert keys(report) == [("p", "unsatisfiable_ground_truth", True)]


# The report.

UNSEEN = "Nothing to mend in the settings of 1 scorer. What a scorer really does shows in 2 samples."


def test_an_agent_that_did_not_finish_is_skipped_and_keeps_its_place() -> None:
    broken = observation_of(output="x", document={"outcome": {"status": "error"}})
    report = lint(profile(contains("a")), [broken, *texts("x", "x")])
    assert (report.samples, report.unfinished, report.out_of_time) == (2, 1, 0)
    assert report.findings[0].indices == (1, 2)
    assert report.left_out == "1 skipped: the agent did not finish."


def test_samples_that_there_is_no_time_for_are_skipped() -> None:
    ticks = itertools.chain([0.0, 1.0, MOST_SECONDS, MOST_SECONDS + 1], itertools.repeat(1e9))
    report = lint(profile(contains("a")), texts("x", "y", "x", "y", "x"), clock=lambda: next(ticks))
    assert (report.samples, report.unfinished, report.out_of_time) == (2, 0, 3)
    assert report.left_out == "3 skipped: scoring all took longer than 20 s."


@pytest.mark.parametrize(
    ("scorers", "outputs", "sentence"),
    [
        ([contains("a"), contains("b", "y")], ["x", "y"],
         "Nothing to mend: each of the 2 scorers both passed and failed at least once in 2 samples."),
        ([contains("a")], ["x", "y"],
         "Nothing to mend: the one scorer both passed and failed at least once in 2 samples."),
        ([contains("a")], [], UNSEEN),
        ([contains("a")], ["x"], UNSEEN),
        ([contains("a")], ["x", "x"], "1 thing to look at in 1 scorer, by 2 samples."),
        ([logic("l", TRUE), contains("a")], [], "1 thing to look at in 2 scorers, by the settings alone."),
    ],
)  # fmt: skip
def test_the_report_in_a_sentence(scorers: list[dict[str, Any]], outputs: list[str], sentence: str) -> None:
    assert lint(profile(*scorers, passThreshold=0.6), texts(*outputs)).sentence == sentence


def test_a_clean_report_does_not_claim_what_was_not_seen() -> None:
    samples = [observation(output="x", metadata={"n": 1}), observation(output="y")]
    report = lint(profile(contains("a"), in_range("n")), samples)
    assert report.findings == ()
    assert report.sentence == "Nothing to mend; 1 of 2 scorers both passed and failed at least once in 2 samples."


def test_the_order_is_the_profile_then_certain_ones_then_what_samples_show() -> None:
    report = lint(
        profile(contains("a"), logic("l", FALSE), regex("r", 0.1, 0.2, passThreshold=0.15), passThreshold=0.9),
        texts("x", "x"),
    )
    assert keys(report) == [
        (None, "threshold_never_reached", True),
        ("l", "never_passes", True),
        ("a", "never_fails", False),
        ("r", "never_passes", False),
    ]
    assert {finding.meaning for finding in report.findings} <= set(CODES.values())


# What is called certain holds whatever is recorded.

SETTINGS = [
    {"type": declared.type_name(), **chosen}
    for declared in SCORERS
    for chosen in [*(dict(example.settings) for example in declared.examples), *EDGES.get(declared.__name__, ())]
]
SCORER = st.builds(
    lambda chosen, more: {**copy.deepcopy(chosen), **more},
    st.one_of(st.sampled_from(SETTINGS), st.sampled_from([logic("", TRUE), logic("", FALSE), regex("", 0.3, 0.6)])),
    st.fixed_dictionaries(
        {"weight": st.sampled_from([0, 0.1, 0.2, 1, 3])},
        optional={
            "passThreshold": st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.9, 1]),
            "negate": st.booleans(),
            "required": st.booleans(),
        },
    ),
)
PROFILES = st.builds(
    lambda scorers, head: {
        "name": "P",
        "scorers": [
            {**scorer, "id": str(number), **({"weight": 1} if number == 0 else {})}
            for number, scorer in enumerate(scorers)
        ],
        **head,
    },
    st.lists(SCORER, min_size=1, max_size=4),
    st.fixed_dictionaries(
        {
            "compositeMethod": st.sampled_from(["weightedAvg", "minimum", "geometricMean"]),
            "passThreshold": st.sampled_from([None, 0, 0.1, 0.3, 0.5, 0.6, 0.9, 1]),
        }
    ),
)


def never_contradicted(content: Profile, finding: Finding, recorded: Observation) -> None:
    verdict = evaluate(content, recorded)
    if finding.code == "threshold_never_reached":
        assert verdict.passed is not True, (finding, verdict)
    elif finding.code == "threshold_always_reached":
        assert verdict.passed is not False, (finding, verdict)
    entry = next((entry for entry in verdict.breakdown if entry["scorerId"] == finding.scorer_id), None)
    if finding.code == "never_fails":
        assert entry is not None
        assert entry["passed"] is not False, (finding, entry)
    elif finding.code == "never_passes":
        assert entry is not None
        assert entry["passed"] is not True, (finding, entry)
    elif finding.code == "always_errs":
        assert entry is not None
        assert entry["status"] == "error", (finding, entry)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(PROFILES, st.lists(RECORDED, min_size=1, max_size=3))
def test_what_is_certain_is_never_contradicted(document: dict[str, Any], recorded: list[dict[str, Any]]) -> None:
    content = read_profile(document)
    samples = [observation_of(**one) for one in recorded]
    for finding in lint(content, []).findings:
        assert finding.certain
        for sample in samples:
            never_contradicted(content, finding, sample)
    for finding in lint(content, samples).findings:
        assert finding.affected <= finding.samples <= len(samples)
        assert all(place < len(samples) for place in finding.indices)


SCALE = st.lists(st.sampled_from([0, 0.1, 0.3, 0.5, 0.6, 0.9, 1]), min_size=2, max_size=2)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(SCALE, st.sampled_from([0.1, 0.2, 0.3, 1, 2]), st.booleans()), min_size=2, max_size=4),
    st.sampled_from(["weightedAvg", "minimum", "geometricMean"]),
    st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.9, 1]),
)
def test_a_weight_that_is_said_to_decide_nothing_decides_nothing(
    scales: list[tuple[list[float], float, bool]], method: str, threshold: float
) -> None:
    """Every combination of matches and misses is tried, with each score of the scorer in question."""
    scorers = [
        {
            **regex(str(number), scale[0], scale[1], weight=weight, required=required, passThreshold=0.5),
            "pattern": chr(ord("a") + number),
        }
        for number, (scale, weight, required) in enumerate(scales)
    ]
    content = profile(*scorers, compositeMethod=method, passThreshold=threshold)
    letters = [scorer["pattern"] for scorer in scorers]
    passed = {
        present: evaluate(content, observation(output="".join(present))).passed
        for size in range(len(letters) + 1)
        for present in itertools.combinations(letters, size)
    }
    said = {finding.scorer_id for finding in lint(content, []).findings if finding.code == "counts_for_nothing"}
    for scorer, letter in zip(scorers, letters, strict=True):
        turns = any(
            passed[present] != passed[tuple(other for other in present if other != letter)] for present in passed
        )
        assert not (turns and scorer["id"] in said), (scorer, passed)
