"""A breakdown made ready to be read: bars that add up, rows that decide, evidence in parts."""

from typing import Any

import pytest

from scoring.breakdowns import MOST_PLACES, breakdown_of, evidence_parts, members_of
from scoring.composites import composite
from scoring.kit.registry import registry
from scoring.reference import family
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
    assert found.rows[1].evidence[0].data["members"] == [("measured", "320 ms", False)]


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


DRAWN = [declared for declared in registry if family(declared) in {"text", "numbers"}]


@pytest.mark.parametrize("declared", DRAWN, ids=lambda declared: declared.type_name())
def test_evidence_of_text_and_numbers_is_drawn_without_leftovers(declared: Any) -> None:
    """A scorer whose evidence no part knows is listed as a document: fine for a new one, not for these."""
    for example in declared.examples:
        if example.error is None:
            given = dict(example.observation) or {"output": ""}
            outcome = scorer(declared.type_name(), **example.settings).outcome(observation(**given))
            texts = {"output": str(given.get("output", "")), "action": "", "combined": str(given.get("output", ""))}
            parts = list(evidence_parts(entry(evidence=dict(outcome.evidence)), texts))
            assert "document" not in [part.kind for part in parts], example.title


def test_members_on_a_line_and_in_blocks() -> None:
    document = {"a": "x", "b": "x\ny", "c": {"d": [1]}, "e": None, "f": [], "g": 1.5, "h": True, "i": "é" * 300}
    assert [(name, block) for name, _, block in members_of(document)] == [
        ("a", False), ("b", True), ("c", True), ("e", False), ("f", False), ("g", False), ("h", False), ("i", True),
    ]  # fmt: skip
    assert {name: text for name, text, _ in members_of(document)}["e"] == "null"
