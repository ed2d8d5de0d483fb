"""The scorers of likeness, beyond their examples: against a plain table of subsequences, and their bounds."""

import random
from typing import Any

import pytest

from scoring.kit.subsequences import longest_common_subsequence
from tests.scoring.cases import outcome

KINDS = ["TokenF1", "RougeL", "Similarity"]


def table(left: Any, right: Any) -> int:
    """The length of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(right) + 1)
    for item in left:
        previous = row
        row = [0]
        for index, other in enumerate(right):
            row.append(previous[index] + 1 if item == other else max(previous[index + 1], row[index]))
    return row[-1]


def test_the_longest_common_subsequence() -> None:
    dice = random.Random(3)
    for _ in range(400):
        left, right = (dice.choices("abcd", k=dice.randint(0, 90)) for _ in range(2))
        assert longest_common_subsequence(left, right) == table(left, right) == longest_common_subsequence(right, left)


@pytest.mark.parametrize(
    ("kind", "output", "answer", "score"),
    [
        ("TokenF1", "the fox", "the quick brown fox", 2 / 3),
        ("TokenF1", "fox the", "The Fox", 1),
        ("TokenF1", "a a a", "a", 0.5),
        ("TokenF1", "a", "a a a", 0.5),
        ("TokenF1", "fox.", "fox", 0),
        ("TokenF1", "a\u00a0b\n c", "c b a", 1),
        ("RougeL", "the fox jumps", "the quick brown fox jumps over", 2 / 3),
        ("RougeL", "c b a", "a b c", 1 / 3),
        ("RougeL", "A B", "a b", 1),
        ("Similarity", "cart", "card", 0.75),
        ("Similarity", "Card", "card", 0.75),
        ("Similarity", "\u00e9", "\u00e9", 1),
        ("Similarity", "\u00e9", "\u00e8", 0),
        ("Similarity", "\U0001f600a", "\U0001f601a", 0.5),
        ("Similarity", "", "a", 0),
        ("RougeL", "", "a", 0),
    ],
)
def test_likeness(kind: str, output: str, answer: str, score: float) -> None:
    assert outcome(kind, {}, output=output, expected=answer).score == pytest.approx(score)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_of_the_answers_counts(kind: str) -> None:
    found = outcome(kind, {}, output="the fox", expected={"answer": ["a dog", "the fox", "the cat"]})
    assert (found.score, found.evidence["answer"]) == (1, "the fox")


@pytest.mark.parametrize("answer", ["", " \n", ["a", ""], [], None, 5, ["a", 5]])
@pytest.mark.parametrize("kind", KINDS)
def test_a_blank_answer_is_no_ground_truth(kind: str, answer: Any) -> None:
    assert outcome(kind, {}, observation={}, expected={"answer": answer}).error_code == "bad_ground_truth"


@pytest.mark.parametrize("kind", KINDS)
def test_no_output_and_another_target(kind: str) -> None:
    assert outcome(kind, {}, observation={}, expected={"answer": "a"}).error_code == "missing_input"
    assert outcome(kind, {"target": "action"}, action="a b", output="x", expected="a b").score == 1


@pytest.mark.parametrize(
    ("kind", "output", "answers"),
    [
        ("Similarity", "ab" * 50_000, ["ba" * 50_000]),
        ("Similarity", "a" * 100_000, ["a"] * 40),
        ("RougeL", "a " * 50_000, ["b a " * 25_000]),
        ("TokenF1", "a " * 50_000, ["a"] * 100),
    ],
)
def test_what_would_take_more_than_a_second_is_not_begun(kind: str, output: str, answers: list[str]) -> None:
    found = outcome(kind, {}, output=output, expected={"answer": answers})
    assert found.error_code == "limit"
    assert "within a second" in found.explanation


def test_the_sentences() -> None:
    words = 'the 4 words of "the quick brown fox" are in the output, which has 2'
    assert (
        outcome("TokenF1", {}, output="the fox", expected="the quick brown fox").explanation
        == f'2 of {words}; missing: "quick", "brown".'
    )
    assert (
        outcome("RougeL", {}, output="the fox", expected="the quick brown fox").explanation
        == f"2 of {words.replace('are in', 'are in the same order in')}."
    )
    assert "3 of the 4 characters" in outcome("Similarity", {}, output="cart", expected="card").explanation
