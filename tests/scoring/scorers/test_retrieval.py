"""The scorers of retrieval, beyond the facts: repeats, cuts, grades, and the formulas done another way."""

import math
import random
from typing import Any

import pytest

from scoring.kit.outcome import Outcome
from tests.scoring.cases import outcome

KINDS = ["HitAtK", "MRR", "NDCG", "PrecisionAtK", "RecallAtK", "AveragePrecision"]


def ranked(kind: str, retrieved: Any, chunks: Any, **settings: Any) -> Outcome:
    listed = [{"id": chunk} for chunk in retrieved.split()] if isinstance(retrieved, str) else retrieved
    return outcome(kind, settings, observation={"retrieval": {"chunks": listed}}, expected={"chunks": chunks})


@pytest.mark.parametrize(
    ("kind", "settings", "score"),
    [
        ("HitAtK", {"k": 2}, 1),
        ("HitAtK", {"k": 1}, 0),
        ("MRR", {}, 1 / 2),
        ("PrecisionAtK", {"k": 2}, 1 / 2),
        ("RecallAtK", {"k": 2}, 1 / 2),
        ("NDCG", {"k": 2}, 1 / math.log2(3) / (1 + 1 / math.log2(3))),
        ("AveragePrecision", {}, (1 / 2 + 2 / 3) / 2),
    ],
)
def test_repeats_are_removed_before_the_cut(kind: str, settings: dict[str, Any], score: float) -> None:
    # Cut first, x x x would be all there is within the first 2 and even 3.
    assert ranked(kind, "x x x a x a c", ["a", "c"], **settings).score == pytest.approx(score)


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_ids_is_a_grade_of_one_each_and_may_repeat(kind: str) -> None:
    as_list = ranked(kind, "x a c", ["a", "c", "a"])
    assert as_list.score == ranked(kind, "x a c", {"a": 1, "c": 1.0}).score
    assert as_list.explanation == ranked(kind, "x a c", {"a": 1, "c": 1, "d": 0, "e": -3}).explanation


@pytest.mark.parametrize(
    "chunks",
    [
        None,
        "a",
        5,
        ["a", 5],
        [""],
        [None],
        {"a": "1"},
        {"a": True},
        {"a": None},
        {"a": 30.000001},
        {"a": 1, "b": 10**18},
        {"": 1},
        {"a": []},
    ],
)
@pytest.mark.parametrize("kind", [*KINDS, "CitationRecall"])
def test_malformed_grades_come_before_what_was_recorded(kind: str, chunks: Any) -> None:
    assert outcome(kind, {}, observation={}, expected={"chunks": chunks}).error_code == "bad_ground_truth"


@pytest.mark.parametrize("chunks", [[], {}, {"a": 0}, {"a": -0.5, "b": 0.0}])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_relevant_is_no_ground_truth(kind: str, chunks: Any) -> None:
    assert ranked(kind, "a", chunks).error_code == "missing_ground_truth"


@pytest.mark.parametrize(
    "recorded",
    [
        None,
        [],
        "a",
        {"chunks": None},
        {"chunks": {}},
        {"chunks": ["a"]},
        {"chunks": [{"id": 5}]},
        {"chunks": [{"id": ""}]},
        {"chunks": [{}]},
        {"chunks": [None]},
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_malformed_channel(kind: str, recorded: Any) -> None:
    assert outcome(kind, {}, observation={"retrieval": recorded}, expected={"chunks": ["a"]}).error_code == "bad_input"


@pytest.mark.parametrize("kind", KINDS)
def test_chunks_that_were_not_recorded_and_none_that_came_back(kind: str) -> None:
    assert (
        outcome(kind, {}, observation={"retrieval": {"query": "q"}}, expected={"chunks": ["a"]}).error_code
        == "missing_input"
    )
    empty = ranked(kind, "", ["a"])
    assert (empty.score, empty.evidence["judged"]["share"]) == (0, None)


@pytest.mark.parametrize("grade", [1e-300, 1e-17, 0.5, 1, 30])
def test_the_smallest_and_the_largest_grade(grade: float) -> None:
    assert ranked("NDCG", "a", {"a": grade}).score == 1
    assert 0 < (ranked("NDCG", "x a", {"a": grade}).score or 0) < 1
    assert ranked("HitAtK", "a", {"a": grade}).score == 1
    assert ranked("NDCG", "a", {"a": 5e-324}).score == 1


def test_the_evidence_says_what_was_judged() -> None:
    evidence = ranked("NDCG", "x a z c", {"a": 2, "z": 0, "c": 1}, k=3).evidence
    assert evidence["judged"] == {"count": 2, "of": 3, "share": pytest.approx(2 / 3)}
    assert evidence["ranks"] == [
        {"rank": 1, "id": "x", "grade": None},
        {"rank": 2, "id": "a", "grade": 2},
        {"rank": 3, "id": "z", "grade": 0},
    ]
    assert (evidence["retrieved"], evidence["relevant"]) == (4, 2)


def test_unjudged_scores_do_not_reorder() -> None:
    listed = [{"id": "x", "score": 0.1}, {"id": "a", "score": 0.9}, {"id": "c", "score": None}]
    assert ranked("MRR", listed, ["a"]).score == 0.5


def another_way(kind: str, ids: list[str], grades: dict[str, float], k: int) -> float:
    """The formulas as a textbook has them, over lists of grades."""
    seen: list[str] = []
    for chunk in ids:
        if chunk not in seen:
            seen.append(chunk)
    grade = [max(0.0, grades.get(chunk, 0)) for chunk in seen]
    relevant = sorted([value for value in grades.values() if value > 0], reverse=True)
    dcg = [
        sum((2**value - 1) / math.log2(place + 2) for place, value in enumerate(values[:k]))
        for values in (grade, relevant)
    ]
    hits = [index + 1 for index, value in enumerate(grade) if value > 0]
    within = sum(value > 0 for value in grade[:k])
    return {
        "HitAtK": float(within > 0),
        "MRR": 1 / hits[0] if hits else 0.0,
        "NDCG": dcg[0] / dcg[1],
        "PrecisionAtK": within / k,
        "RecallAtK": within / len(relevant),
        "AveragePrecision": sum((index + 1) / rank for index, rank in enumerate(hits)) / len(relevant),
    }[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_against_the_formulas_done_another_way(kind: str) -> None:
    dice = random.Random(11)
    for _ in range(150):
        ids = dice.choices("abcdefgh", k=dice.randint(0, 12))
        grades: dict[str, float] = {
            chunk: dice.choice([-1, 0, 1, 2, 3, 0.5]) for chunk in dice.sample("abcdefghij", 6)
        } | {"k": 1}
        k = dice.randint(1, 10)
        settings = {} if kind in {"MRR", "AveragePrecision"} else {"k": k}
        found = ranked(kind, " ".join(ids), grades, **settings)
        assert found.score == pytest.approx(another_way(kind, ids, grades, k), abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "retrieved", "settings", "words"),
    [
        ("HitAtK", "b a", {"k": 1}, "hit@1: first relevant chunk at rank 2, beyond the first 1."),
        ("HitAtK", "", {"k": 1}, "hit@1: nothing was retrieved; missing: a, c."),
        ("MRR", "x y", {}, "MRR 0.000: none of 2 retrieved chunks is relevant; missing: a, c."),
        (
            "NDCG",
            "b a a c",
            {"k": 3},
            "nDCG@3 0.659: first relevant chunk at rank 2; 2 of 2 relevant chunks within the first 3.",
        ),
        (
            "NDCG",
            "b a",
            {"k": 3},
            "nDCG@3 0.521: first relevant chunk at rank 2; 1 of 2 relevant chunks within the first 3; missing: c.",
        ),
        (
            "PrecisionAtK",
            "a x",
            {"k": 4},
            "precision@4: 1 of 4 places hold a relevant chunk; not relevant: x; only 2 came back.",
        ),
        ("RecallAtK", "a x", {"k": 4}, "recall@4: 1 of 2 relevant chunks were retrieved; missing: c."),
        (
            "AveragePrecision",
            "x a",
            {},
            (
                "Average precision 0.250: first relevant chunk at rank 2; "
                "1 of 2 relevant chunks were retrieved; missing: c."
            ),
        ),
    ],
)
def test_the_sentences(kind: str, retrieved: str, settings: dict[str, Any], words: str) -> None:
    assert ranked(kind, retrieved, {"a": 2, "c": 1}, **settings).explanation == words
