"""What a scorer says of itself for lint is never contradicted by what it does."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.kit.observation import Observation
from scoring.kit.outcome import Reading, Unmeasurable
from scoring.kit.possible_scores import PossibleScores, between, only
from scoring.kit.registry import registry
from scoring.kit.samples import observation_of
from scoring.kit.scorer import Scorer
from tests.scoring.cases import observation, scorer
from tests.scoring.scorers.test_facts import TODAY
from tests.scoring.scorers.test_facts import given as given_by
from tests.scoring.scorers.test_invariants import RECORDED, SCORERS, read

FEW = settings(max_examples=25, deadline=None, derandomize=True)
SHARE = st.sampled_from([0, 0.1, 0.25, 0.5, 0.9, 1])
# Settings at their edges, beside those of the examples.
EDGES: dict[str, list[dict[str, Any]]] = {
    "RegexMatch": [
        {"pattern": "a", "scoreOnMatch": 0.3, "scoreOnMiss": 0.3},
        {"pattern": "a", "invert": True, "scoreOnMiss": 0.5},
    ],
    "KeywordContains": [{"keywords": ["a", "b", "fox"], "matchMode": "all", "partialCredit": True}],
    "NumericRange": [
        {"valuePath": "length", "min": 3, "scoreOnMiss": 0.1, "falloff": 7},
        {"valuePath": "length", "max": 3, "scoreOnMiss": 1},
    ],
    "ExactMatch": [{"normalizer": "outer-punct-safe/1", "answer": "..."}, {"answer": "the fox"}],
    "JsonMatch": [{"partialCredit": True}, {"mode": "subset"}],
    "OutputSchema": [{"schema": {}}, {"schema": True}, {"schema": False}, {"schema": {"not": {}}}, {}],
    "JsonLogic": [
        {"expression": {"==": [1, 1]}},
        {"expression": {"if": [False, {"var": "output"}, 0]}},
        {"expression": {"/": [1, 0]}},
        {"expression": {"reduce": [[1, 2], {"+": [{"var": "current"}, {"var": "accumulator"}]}, 0]}},
        {"expression": {"var": ""}},
        {"expression": {"!": {"var": ["", 1]}}},
        {"expression": {"+": [{"var": "object"}, 1]}},
    ],
    "TTFT": [{}, {"maxMs": 20}, {"maxMs": 20, "zeroAtMs": 40}],
    "ToolCallCount": [{}, {"max": 1}, {"max": 1, "zeroAt": 3}],
    "ToolTrajectory": [{"order": order} for order in ("superset", "in_order", "subset", "unordered")],
    "PrecisionAtK": [{"k": 1}, {"k": 3}],
    "RecallAtK": [{"k": 1}, {"k": 3}],
    "HitAtK": [{"k": 1}],
}


def holds(one: Scorer, possible: PossibleScores, recorded: Observation) -> None:
    """The reading of the observation is among what was said to be possible."""
    found = one.outcome(recorded)
    if found.status == "error":
        return
    assert found.status == possible.kind, (one, possible, found)
    if found.score is not None:
        raw = one.score(recorded).score
        assert raw is not None
        assert possible.low <= raw <= possible.high, (one, possible, found)
        assert possible.values is None or raw in possible.values, (one, possible, found)


def check_all(one: Scorer, recorded: Observation) -> None:
    holds(one, one.possible_scores(), recorded)
    try:
        narrowed = one.possible_scores(recorded)
    except Unmeasurable as reason:
        assert one.outcome(recorded).error_code == reason.code  # noqa: PT017
        return
    holds(one, narrowed, recorded)


@pytest.mark.parametrize("declared", SCORERS, ids=lambda declared: declared.__name__)
def test_whatever_is_recorded_the_score_is_a_possible_one(declared: type[Scorer]) -> None:
    written = [*(example.settings for example in declared.examples), *EDGES.get(declared.__name__, ())]
    scorers = [read(declared, chosen) for chosen in written]

    @FEW
    @given(RECORDED)
    def check(recorded: dict[str, Any]) -> None:
        for one in scorers:
            check_all(one, observation_of(**copy.deepcopy(recorded)))

    check()


def test_the_facts_and_the_examples_are_possible() -> None:
    seen = 0
    for row in TODAY:
        if not row.get("refused"):
            check_all(scorer(row["type"], **row["settings"]), observation(**given_by(row)))
            seen += 1
    for declared in registry:
        for example in declared.examples:
            check_all(read(declared, example.settings), observation(**example.observation))
            seen += 1
    assert seen > 100


@FEW
@given(SHARE, SHARE, st.floats(0.001, 1e6), st.floats(-1e7, 1e7), st.floats(0, 100))
def test_a_range_with_a_falloff_never_scores_below_its_least(
    miss: float, bound: float, falloff: float, value: float, offset: float
) -> None:
    one = scorer("NumericRange", valuePath="metadata.n", max=bound, scoreOnMiss=miss, falloff=falloff)
    for number in (value, bound + falloff * (1 - 1e-16), bound + falloff * (1 - offset * 1e-16)):
        holds(one, one.possible_scores(), observation(output="", metadata={"n": number}))


def test_the_last_bit_of_a_falloff() -> None:
    """Just before the end of the line the formula gives a little less than the score outside."""
    miss, falloff, distance = 0.4588629081145595, 3.7105140155632377, 3.7105140155632372
    body = {"valuePath": "metadata.n", "max": 0, "scoreOnMiss": miss, "falloff": falloff, "passThreshold": miss}
    one, recorded = scorer("NumericRange", **body), observation(output="", metadata={"n": distance})
    assert one.outcome(recorded).passed is False
    holds(one, one.possible_scores(), recorded)


@pytest.mark.parametrize(
    ("kind", "given_settings", "expected"),
    [
        ("RegexMatch", {"pattern": "a", "scoreOnMatch": 0.2, "scoreOnMiss": 0.7}, (0.2, 0.7)),
        ("KeywordContains", {"keywords": ["a", "b"]}, (0, 1)),
        (
            "KeywordContains",
            {"keywords": ["a", "b", "b", "c"], "matchMode": "all", "partialCredit": True},
            (0, 1 / 3, 2 / 3, 1),
        ),
        ("NumericRange", {"valuePath": "length", "min": 1, "scoreOnMiss": 0.4}, (0.4, 1)),
        ("JsonLogic", {"expression": {"==": [1, 2]}}, (0,)),
        ("JsonLogic", {"expression": {"==": [{"var": "output"}, 2]}}, (0, 1)),
        ("JsonLogic", {"expression": {"var": ""}}, (0, 1)),
        ("OutputSchema", {"schema": False}, (0,)),
        ("OutputSchema", {"schema": {"not": {"title": "anything"}}}, (0,)),
        ("OutputSchema", {"schema": {"type": "object"}}, (0, 1)),
        ("TTFT", {"maxMs": 5}, (0, 1)),
        ("JsonMatch", {"partialCredit": True}, None),
        ("OccurrenceRatio", {"needles": ["a"]}, None),
    ],
)
def test_the_scores_that_settings_leave(
    kind: str, given_settings: dict[str, Any], expected: tuple[float, ...] | None
) -> None:
    found = scorer(kind, **given_settings).possible_scores()
    assert (found.kind, found.values) == ("scored", expected)
    if expected:
        assert (found.low, found.high) == (expected[0], expected[-1])


@pytest.mark.parametrize(
    ("kind", "given_settings", "status"),
    [
        ("TTFT", {}, "measured"),
        ("Cost", {}, "measured"),
        ("ExactMatch", {"answer": " "}, "error"),
        ("ExactMatch", {"answer": " a "}, "scored"),
        ("JsonLogic", {"expression": {"/": [1, 0]}}, "error"),
        ("JsonLogic", {"expression": {"/": [{"var": "object"}, 0]}}, "scored"),
    ],
)
def test_settings_that_never_score(kind: str, given_settings: dict[str, Any], status: str) -> None:
    found = scorer(kind, **given_settings).possible_scores()
    assert found.kind == status
    assert bool(found.why) is (status != "scored")


@pytest.mark.parametrize(
    ("kind", "k", "chunks", "highest"),
    [
        ("PrecisionAtK", 10, ["a", "b"], 0.2),
        ("PrecisionAtK", 2, ["a", "b"], 1),
        ("PrecisionAtK", 2, {"a": 1, "b": 0}, 0.5),
        ("RecallAtK", 1, ["a", "b", "c", "d"], 0.25),
        ("RecallAtK", 4, ["a", "b", "c", "d"], 1),
    ],
)
def test_what_the_ground_truth_leaves_of_a_ranking(kind: str, k: int, chunks: Any, highest: float) -> None:
    one = scorer(kind, k=k)
    found = one.possible_scores(observation(output="", expected={"chunks": chunks}))
    assert (found.low, found.high) == (0, highest)
    assert bool(found.why) is (highest < 1)
    assert one.possible_scores() == between(0, 1)


@pytest.mark.parametrize(
    ("kind", "given_settings", "expected", "vacuous"),
    [
        ("ToolTrajectory", {"order": "superset"}, {"tool_calls": []}, True),
        ("ToolTrajectory", {"order": "in_order"}, {"tool_calls": []}, True),
        ("ToolTrajectory", {"order": "strict"}, {"tool_calls": []}, False),
        ("ToolTrajectory", {"order": "superset"}, {"tool_calls": [{"name": "a"}]}, False),
        ("ToolTrajectory", {"order": "superset"}, {}, False),
        ("OutputSchema", {}, {"schema": {}}, True),
        ("OutputSchema", {}, {"schema": {"$comment": "anything"}}, True),
        ("OutputSchema", {}, {"schema": {"type": "object"}}, False),
        ("OutputSchema", {"schema": {"type": "object"}}, {"schema": {}}, False),
        ("StateChange", {}, {"state": {"required": [], "allowed": []}}, False),
        ("Contains", {"value": "a"}, {}, False),
    ],
)
def test_ground_truth_that_everything_meets(
    kind: str, given_settings: dict[str, Any], expected: dict[str, Any], vacuous: bool
) -> None:
    one = scorer(kind, **given_settings)
    assert bool(one.vacuous(observation(output="", expected=expected))) is vacuous
    assert one.vacuous() is None


@pytest.mark.parametrize(("schema", "vacuous"), [(True, True), ({}, True), ({"type": "object"}, False), (False, False)])
def test_a_schema_that_everything_meets(schema: Any, vacuous: bool) -> None:
    assert bool(scorer("OutputSchema", schema=schema).vacuous()) is vacuous


@pytest.mark.parametrize(
    ("kind", "given_settings", "expected"),
    [
        ("ExactMatch", {"normalizer": "outer-punct-safe/1"}, {"answer": "..."}),
        ("ExtractMatch", {"pattern": "a", "normalizer": "outer-punct-safe/1"}, {"answer": ["a", "?"]}),
        ("TokenF1", {}, {"answer": " "}),
        ("HitAtK", {}, {"chunks": {"a": 0}}),
        ("JsonMatch", {"mode": "subset"}, {"object": {}}),
    ],
)
def test_an_error_says_that_the_ground_truth_is_vacuous(
    kind: str, given_settings: dict[str, Any], expected: dict[str, Any]
) -> None:
    recorded = observation(output="x", object={"a": 1}, expected=expected)
    found = scorer(kind, **given_settings).outcome(recorded)
    assert (found.status, found.vacuous) == ("error", True)
    assert scorer(kind, **given_settings).outcome(observation(output="x")).vacuous is False


class Stub(Scorer):
    """Gives the reading it was told to."""

    def score(self, observation: Observation) -> Reading:
        raise NotImplementedError


def test_scores_turned_round_and_cut_at_a_threshold() -> None:
    assert only(0.2, 1, 0.2).values == (0.2, 1)
    turned = only(0.25, 1, why="So it is.").turned()
    assert (turned.low, turned.high, turned.values, turned.why) == (0, 0.75, (0, 0.75), "So it is.")
    assert between(0.25, 1).turned() == between(0, 0.75)
    assert only(0.2, 0.5, 1).passing(0.5).ranges == ((0.5, 0.5), (1, 1))
    assert between(0.2, 1).passing(0.5).ranges == ((0.5, 1),)
    assert Stub(id="s", type="Stub").possible_scores() == between(0, 1)
    assert Stub(id="s", type="Stub").vacuous() is None
