"""A breakdown made ready to be read: bars that add up, rows that decide, evidence in parts."""

from typing import Any

import pytest
from hypothesis import given as every
from hypothesis import strategies as st

from scoring.breakdowns import breakdown_of
from scoring.composites import composite
from scoring.evidence.parts import MOST_SHOWN, members_of
from scoring.evidence.reading import evidence_parts
from scoring.evidence.texts import MOST_PLACES
from scoring.kit.registry import registry
from tests.scoring.cases import observation, scorer


def entry(scorer_id: str = "s", score: float | None = 1.0, weight: float = 1, **changes: Any) -> dict[str, Any]:
    status = "error" if score is None else "scored"
    base = {
        "scorerId": scorer_id,
        "scorerName": scorer_id.title(),
        "type": "Contains",
        "status": status,
        "score": score,
        "weight": weight,
        "passed": None if score is None else score >= 1,
        "explanation": "Said.",
        "evidence": {},
    }
    return base | changes


def kinds(evidence: Any, **texts: str) -> list[str]:
    return [part.kind for part in evidence_parts(entry(evidence=evidence), texts)]


def test_the_bars_of_a_weighted_average_add_up_to_the_composite() -> None:
    pairs = [(0.4, 1.0), (0.3, 0.85), (0.3, 1.0), (0, 0.1)]
    entries = [entry(str(place), score, weight) for place, (weight, score) in enumerate(pairs)]
    found = breakdown_of(entries, method="weightedAvg")
    added = sum(row.weight / found.total_weight * (row.score or 0) for row in found.rows)
    assert added == pytest.approx(composite("weightedAvg", pairs))
    assert "add up" in found.note


def test_the_lowest_that_counts_decides_a_minimum() -> None:
    entries = [entry("a", 0.5), entry("b", 0.2, 0), entry("c", 0.5), entry("d", 0.9)]
    assert [row.decides for row in breakdown_of(entries, method="minimum").rows] == [True, False, True, False]
    assert not any(row.decides for row in breakdown_of(entries, method="weightedAvg").rows)
    assert not any(row.decides for row in breakdown_of([*entries, entry("e", None)], method="minimum").rows)


def test_errors_that_count_block_and_all_are_named() -> None:
    found = breakdown_of(
        [entry("a"), entry("b", None), entry("c", None, 0), entry("d", None, 0, required=True)], method="minimum"
    )
    assert found.errored == ("B", "C", "D")
    assert found.blocking == ("B", "D")
    assert (found.passed, found.counted) == (1, 4)
    assert "No composite" in found.note


def test_what_only_measured_takes_no_part() -> None:
    found = breakdown_of(
        [entry("a"), entry("b", None, 3, status="measured", value=320.0, unit="ms")], method="weightedAvg"
    )
    assert found.total_weight == 1
    assert found.rows[1].weight == 0
    assert found.counted == 1
    (part,) = found.rows[1].evidence
    assert (part.kind, part.data["value"], part.data["unit"], part.data["limit"]) == ("measured", 320, "ms", None)


@pytest.mark.parametrize(
    ("entries", "opened"),
    [
        ([entry("a"), entry("b")], []),
        ([entry("a", 0.5, 1), entry("b", 0.5, 2)], ["b"]),
        ([entry("a", 0.0, 0), entry("b", 0.9, 1)], ["b"]),
        ([entry("a", 0.0, 5), entry("b", None, 1)], ["b"]),
        ([entry("a", 0.0, 5), entry("b", None, 0)], ["a"]),
    ],
)
def test_the_worst_row_stands_open(entries: list[dict[str, Any]], opened: list[str]) -> None:
    found = breakdown_of(entries, method="weightedAvg", open_worst=True)
    assert [row.id for row in found.rows if row.opened] == opened
    assert not any(row.opened for row in breakdown_of(entries, method="weightedAvg").rows)


def test_known_evidence_is_drawn_and_the_rest_listed() -> None:
    assert kinds({"value": 3, "min": 0, "max": 5, "path": "n", "source": "text"}) == ["range"]
    assert kinds({"found": ["a"], "missing": [], "spans": [[0, 1]], "target": "output"}, output="abc") == [
        "keywords",
        "places",
    ]
    assert kinds({"counts": {"a": 1}, "count": 1, "denominator": 4.0, "spans": []}) == ["counts"]
    assert kinds({"compared": "a", "expected": ["b"]}) == ["comparison"]
    assert kinds({"violations": [{"path": "a.0", "message": "no"}]}) == ["violations"]
    assert kinds({"found": True, "span": [1, 2], "target": "action"}, action="abc") == ["places"]
    assert kinds({"found": False}) == []
    assert kinds({"expectedCalls": [{"name": "a"}], "n": 1}) == ["document"]
    assert kinds({"value": 3, "min": 0, "surprise": {"a": [1]}}) == ["range", "document"]
    assert kinds(None) == []
    assert kinds(["a", "b"]) == ["document"]


@pytest.mark.parametrize(
    "evidence",
    [
        {"spans": "x"},
        {"spans": [[1]]},
        {"spans": [["a", "b"]]},
        {"spans": [[-1, 2]]},
        {"span": None},
        {"found": "x", "missing": 3},
        {"counts": {"a": "many"}},
        {"counts": []},
        {"value": "3", "min": 0},
        {"value": True, "min": 0},
        {"violations": ["plain"]},
        {"violations": {}},
        {"compared": 3, "expected": ["a"]},
    ],
)
def test_evidence_of_another_shape_is_listed_and_breaks_nothing(evidence: dict[str, Any]) -> None:
    assert kinds(evidence, output="text") == ["document"]


def test_of_many_places_the_first_are_marked() -> None:
    spans = [[place, place + 1] for place in range(200)]
    (part,) = evidence_parts(entry(evidence={"spans": spans, "target": "output"}), {"output": "x" * 300})
    assert part.data["places"] == 200
    assert part.data["shown"] == len(part.data["spans"]) == MOST_PLACES


def test_the_combined_text_is_what_the_scorer_read() -> None:
    given = {"action": "Fix 🎉", "output": "parser"}
    outcome = scorer("Contains", value="parser", target="combined").outcome(observation(**given))
    found = breakdown_of([entry(evidence=dict(outcome.evidence))], method="weightedAvg", **given)
    (part,) = found.rows[0].evidence
    start, end = part.data["spans"][0]
    assert part.data["text"].encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le") == "parser"


@pytest.mark.parametrize("declared", list(registry), ids=lambda declared: declared.type_name())
def test_the_evidence_of_every_scorer_is_drawn_without_leftovers(declared: Any) -> None:
    """A member that no part shows would stand on the page as JSON: give it a reader in scoring/evidence."""
    for example in declared.examples:
        given = dict(example.observation) or {"output": ""}
        outcome = scorer(declared.type_name(), **example.settings).outcome(observation(**given))
        texts = {"output": str(given.get("output", "")), "action": "", "combined": str(given.get("output", ""))}
        told = entry(evidence=dict(outcome.evidence), value=outcome.value, unit=outcome.unit)
        assert "document" not in [part.kind for part in evidence_parts(told, texts)], example.title


def drawn(kind: str, settings: dict[str, Any], **given: Any) -> dict[str, Any]:
    """The parts that a scorer's evidence is drawn in, by kind."""
    outcome = scorer(kind, **settings).outcome(observation(**given))
    told = entry(evidence=dict(outcome.evidence), value=outcome.value, unit=outcome.unit)
    return {part.kind: part.data for part in evidence_parts(told, {"output": given.get("output", "")})}


def test_a_time_is_drawn_against_its_limit() -> None:
    stream = {"start": 0, "end": 9, "events": [{"t": 5, "kind": "text"}, {"t": 8, "kind": "text"}]}
    part = drawn("ITL", {"maxMs": 2, "zeroAtMs": 6}, observation={"stream": stream})["measured"]
    assert (part["value"], part["limit"], part["falloff"], part["unit"]) == (3, 2, 4, "ms")
    assert part["facts"] == [("gaps", 1, ""), ("the longest gap", 3.0, "ms")]


def test_calls_are_marked_on_the_side_where_they_are_alone() -> None:
    calls = [{"name": name} for name in ("a", "x", "a")]
    given = {"expected": {"tool_calls": [{"name": "a"}, {"name": "b"}]}, "observation": {"tool_calls": calls}}
    part = drawn("ToolTrajectory", {}, **given)["sequences"]
    assert part["actual"] == [("a", False), ("x", True), ("a", True)]
    assert part["expected"] == [("a", False), ("b", True)]
    part = drawn("ToolCallF1", {}, **given)["pairs"]
    assert (part["matched"], part["missing"], part["extra"]) == (1, ["b"], ["x", "a"])


def test_a_ranking_stands_above_the_best_possible_one() -> None:
    chunks = [{"id": name} for name in ("b", "a", "z")]
    given = {"expected": {"chunks": {"a": 3, "c": 1, "z": 0}}, "observation": {"retrieval": {"chunks": chunks}}}
    part = drawn("NDCG", {"k": 3}, **given)["ranking"]
    assert [(place["id"], place["grade"], place["tint"]) for place in part["ranks"]] == [
        ("b", None, None),
        ("a", 3, 3),
        ("z", 0, 0),
    ]
    assert [(place["id"], place["tint"]) for place in part["ideal"]] == [("a", 3), ("c", 1)]


def test_of_many_ranks_the_first_are_drawn_and_the_rest_counted() -> None:
    ids = [str(number) for number in range(70)]
    chunks = [{"id": name} for name in ids]
    given = {"expected": {"chunks": ids}, "observation": {"retrieval": {"chunks": chunks}}}
    part = drawn("NDCG", {"k": 100}, **given)["ranking"]
    assert len(part["ranks"]) == len(part["ideal"]) == MOST_SHOWN
    assert part["more"] == part["ideal_more"] == 70 - MOST_SHOWN


@pytest.mark.parametrize(
    ("kind", "output", "answer", "in_answer", "in_text"),
    [
        ("TokenF1", "fox The", "the quick fox", [[0, 3], [10, 13]], [[0, 3], [4, 7]]),
        ("RougeL", "fox The 🎉 fox", "the quick fox", [[0, 3], [10, 13]], [[4, 7], [11, 14]]),
        ("Similarity", "🎉cart", "card", [[0, 3]], [[2, 5]]),
    ],
)
def test_what_output_and_answer_share_is_marked_in_both(
    kind: str, output: str, answer: str, in_answer: list[list[int]], in_text: list[list[int]]
) -> None:
    part = drawn(kind, {}, output=output, expected=answer)["likeness"]
    assert (part["answer_spans"], part["text_spans"], part["text"]) == (in_answer, in_text, output)


def test_nothing_is_marked_where_finding_it_would_be_something_else_than_was_scored() -> None:
    part = drawn("RougeL", {}, output="a b " * 500, expected="b a " * 500)["likeness"]
    assert part["text"] == ""
    assert part["shared"] > 0


@every(st.text("ab c", max_size=12), st.text("ab c", min_size=1, max_size=12))
def test_marked_pieces_are_as_many_as_were_scored(output: str, answer: str) -> None:
    if not answer.strip():
        return
    for kind in ("TokenF1", "RougeL"):
        part = drawn(kind, {}, output=output, expected=answer)["likeness"]
        words = "".join(part["answer"][start:end] + " " for start, end in part["answer_spans"]).split()
        assert len(words) == part["shared"] or not output


def test_criteria_name_what_broke_them() -> None:
    task = {"required": [{"entity": "t", "id": "1", "field": "s", "value": "done"}], "allowed": []}
    task["allowed"] = [{"entity": "t", "id": "1", "field": "s"}]
    state = {"before": {"t": {"1": {"s": "open", "o": 1}}}, "after": {"t": {"1": {"s": "open", "o": None}}}}
    parts = drawn("StateChange", {}, expected={"state": task}, observation={"state": state})
    assert [(row["name"], row["passed"], row["faults"]) for row in parts["criteria"]["rows"]] == [
        ("required_changes", False, ['t/1.s was not changed to "done"']),
        ("only_requested_changes", False, ["t/1.o changed but was not asked for"]),
    ]
    assert parts["state_changes"]["rows"] == [{"place": "t/1.o", "kind": "field", "before": "1", "after": "null"}]


def test_members_on_a_line_and_in_blocks() -> None:
    document = {"a": "x", "b": "x\ny", "c": {"d": [1]}, "e": None, "f": [], "g": 1.5, "h": True, "i": "é" * 300}
    assert [(name, block) for name, _, block in members_of(document)] == [
        ("a", False), ("b", True), ("c", True), ("e", False), ("f", False), ("g", False), ("h", False), ("i", True),
    ]  # fmt: skip
    assert {name: text for name, text, _ in members_of(document)}["e"] == "null"
