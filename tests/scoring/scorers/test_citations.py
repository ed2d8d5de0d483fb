"""The scorers of citations, beyond the facts: what is a marker, the ledger, the three measures together."""

from typing import Any

import pytest

from scoring.kit.outcome import Outcome
from tests.scoring.cases import outcome

LEDGER = [{"n": 1, "chunk_id": "a"}, {"n": 2, "chunk_id": "b"}, {"n": 3, "chunk_id": "c"}, {"n": 4, "chunk_id": "a"}]
KINDS = ["CitationPrecision", "CitationRecall", "CitationF1"]


def cited(kind: str, text: str, ledger: Any = None, chunks: Any = None) -> Outcome:
    recorded = {"citations": {"ledger": LEDGER if ledger is None else ledger}}
    return outcome(kind, {}, output=text, observation=recorded, expected={"chunks": chunks or {"a": 2, "c": 1, "z": 0}})


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("[1]", [1]),
        ("[1][3]", [1, 3]),
        ("[1,3]", [1, 3]),
        ("[ 1 ,\t3 ]", [1, 3]),
        ("[1] [1] [1, 1]", [1]),
        ("x[1].", [1]),
        ("[1] (see there)", [1]),
        ("[[1]]", [1]),
        ("[12]", [12]),
        ("[1](http://x) [3]", [3]),
        ("[1, 3](#x)", []),
        ("[0] [01] [-1] [1-3] [1.5] [a] [] [ ] [1,] [,1] [1 3] [1;3]", []),
        ("[\u0661] [\u00b9] [\uff11]", []),
        ("[1\n]", []),
        ("1] [1", []),
    ],
)
def test_what_is_a_marker(text: str, numbers: list[int]) -> None:
    evidence = cited("CitationRecall", text, ledger=[]).evidence
    assert evidence["unknown"] == numbers


@pytest.mark.parametrize(
    ("text", "precision", "recall"),
    [
        ("[1][3]", 1, 1),
        ("[1][4]", 1, 0.5),
        ("[1][9]", 0.5, 0.5),
        ("[2]", 0, 0),
        ("[9]", 0, 0),
        ("[1][2][3][9]", 0.5, 1),
        ("[2][9][8]", 0, 0),
        ("nothing", None, 0),
        ("", None, 0),
    ],
)
def test_the_three_measures(text: str, precision: float | None, recall: float) -> None:
    found = {kind: cited(kind, text) for kind in KINDS}
    assert found["CitationPrecision"].score == precision
    assert found["CitationRecall"].score == recall
    if precision is None:
        assert [found[kind].error_code for kind in ("CitationPrecision", "CitationF1")] == ["undefined", "undefined"]
    else:
        total = precision + recall
        assert found["CitationF1"].score == pytest.approx(2 * precision * recall / total if total else 0)
    for outcome_ in found.values():
        assert (outcome_.evidence["precision"], outcome_.evidence["recall"]) == (precision, recall)


@pytest.mark.parametrize(
    "ledger",
    [
        [{"n": 1, "chunk_id": "a"}, {"n": 1, "chunk_id": "b"}],
        [{"n": 1, "chunk_id": "a"}, {"n": 1.0, "chunk_id": "a"}],
        [{"n": "1", "chunk_id": "a"}],
        [{"n": True, "chunk_id": "a"}],
        [{"n": 1.5, "chunk_id": "a"}],
        [{"n": 1}],
        [{"n": 1, "chunk_id": ""}],
        [{"n": 1, "chunk_id": 5}],
        [None],
        {},
        "x",
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_malformed_ledger(kind: str, ledger: Any) -> None:
    assert cited(kind, "[1]", ledger=ledger).error_code == "bad_input"


@pytest.mark.parametrize("citations", [None, [], "x", {"ledger": None}])
def test_a_malformed_channel(citations: Any) -> None:
    assert (
        outcome(
            "CitationRecall", {}, output="[1]", observation={"citations": citations}, expected={"chunks": ["a"]}
        ).error_code
        == "bad_input"
    )


def test_what_is_missing_and_in_which_order_it_is_told() -> None:
    truth, ledger = {"chunks": ["a"]}, {"citations": {"ledger": LEDGER}}
    for kind in KINDS:
        assert outcome(kind, {}, output="[1]", observation=ledger).error_code == "missing_ground_truth"
        assert outcome(kind, {}, observation=ledger, expected=truth).error_code == "missing_input"
        assert (
            outcome(kind, {}, output="[1]", observation={"citations": {}}, expected=truth).error_code == "missing_input"
        )
        assert outcome(kind, {}, observation={}, expected={"chunks": {"a": "x"}}).error_code == "bad_ground_truth"


def test_a_number_of_the_ledger_however_it_is_written() -> None:
    assert cited("CitationPrecision", "[1]", ledger=[{"n": 1.0, "chunk_id": "a"}]).score == 1


def test_the_sentences() -> None:
    found = cited("CitationF1", "[1][2][9][8]")
    assert found.explanation == (
        "1 of 4 citations are of relevant chunks; [8], [9] are not in the ledger; [2] is not relevant; "
        "1 of 2 relevant chunks are cited; not cited: c."
    )
    assert cited("CitationRecall", "none").explanation == "0 of 2 relevant chunks are cited; not cited: a, c."
    assert (
        cited("CitationPrecision", "none").explanation
        == "The answer cites nothing, so its citations have no precision."
    )
    assert cited("CitationRecall", "[3][4]").evidence["chunksCited"] == ["a", "c"]
