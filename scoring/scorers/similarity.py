"""Scorers of likeness: how much of the expected answer's words or characters the output shares."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from scoring.kit.answers import expected_answers
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.scorer import Example, Scorer
from scoring.kit.subsequences import longest_common_subsequence
from scoring.kit.text import listed, shortened

_GIVES = (ErrorCode.MISSING_GROUND_TRUTH, ErrorCode.BAD_GROUND_TRUTH, ErrorCode.MISSING_INPUT, ErrorCode.LIMIT)
_READS = ("target text", "expected.answer")
_NO_TRUTH = Example("Nothing to compare with", {}, {"output": "the fox"}, error=ErrorCode.MISSING_GROUND_TRUTH)
# Beyond this many steps, over all answers, the longest common subsequences would take more than a second.
_MOST_STEPS = 2_000_000_000
# What one round of its loop costs, in steps of one bit.
_ROUND = 2_000
_MOST_WORDS = 2_000_000


@dataclass(frozen=True, slots=True)
class _Likeness:
    """How an answer and the output compare: the pieces they share, and how many each has."""

    shared: int
    given: int
    wanted: int

    @property
    def score(self) -> float:
        total = self.given + self.wanted
        return 2 * self.shared / total if total else 1.0


class _Likened(Scorer):
    """What they share: the best of the expected answers counts."""

    def pieces(self, text: str) -> Sequence[str]:
        """The words of a text, or its characters."""
        return text.lower().split()

    def measure(self, given: Sequence[str], wanted: Sequence[str]) -> _Likeness:
        """The pieces shared in the same order."""
        return _Likeness(longest_common_subsequence(given, wanted), len(given), len(wanted))

    def score(self, observation: Observation) -> Reading:
        """The best likeness; the evidence counts the pieces shared with that answer."""
        answers = expected_answers(observation)
        if not all(answer.strip() for answer in answers):
            raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, "An expected answer is blank.", vacuous=True)
        given = self.pieces(observation.text(self.target))
        wanted = [self.pieces(answer) for answer in answers]
        self.refuse_too_long(given, wanted)
        likenesses = [self.measure(given, pieces) for pieces in wanted]
        best = max(range(len(answers)), key=lambda index: likenesses[index].score)
        return self._reading(likenesses[best], answers[best], given, wanted[best])

    def refuse_too_long(self, given: Sequence[str], wanted: Sequence[Sequence[str]]) -> None:
        """Raise Unmeasurable (limit) when comparing would take more than a second."""
        steps = sum(max(len(given), len(pieces)) * (min(len(given), len(pieces)) + _ROUND) for pieces in wanted)
        if steps > _MOST_STEPS:
            longest = max(len(pieces) for pieces in wanted)
            raise Unmeasurable(
                ErrorCode.LIMIT,
                f"An output of {len(given):,} {self.unit()} and {len(wanted):,} answers of up to {longest:,} "
                "are too much to compare within a second.",
            )

    def _reading(self, best: _Likeness, answer: str, given: Sequence[str], wanted: Sequence[str]) -> Reading:
        missing = self.missing(given, wanted)
        evidence = {
            "shared": best.shared,
            "output": best.given,
            "expected": best.wanted,
            "answer": shortened(answer, 200),
            "unit": self.unit(),
            "order": self.order(),
            "target": self.target,
        }
        told = f"; missing: {listed(missing)}" if missing else ""
        shared = f'{best.shared} of the {best.wanted} {self.unit()} of "{shortened(answer)}"'
        place = "in the same order in" if self.order() == "same" else "in"
        sentence = f"{shared} are {place} the {self.target}, which has {best.given}{told}."
        return Reading(best.score, sentence, {**evidence, **({"missing": missing[:50]} if missing else {})})

    def missing(self, given: Sequence[str], wanted: Sequence[str]) -> list[str]:
        """The pieces of the answer that the output lacks, where that can be told."""
        return []

    def unit(self) -> str:
        """What the pieces are called."""
        return "words"

    def order(self) -> str:
        """Whether shared pieces must stand in the same order ("same") or in any ("any")."""
        return "same"


class TokenF1(_Likened):
    """The words shared with the expected answer, whatever their order."""

    reads: ClassVar = _READS
    formula: ClassVar = "F1 over lower-cased words split at white space, each counted as often as it occurs in both"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer contract, section 1.11"
    examples: ClassVar = (
        Example("Two of two in two of four", {}, {"output": "the fox", "expected": "the quick brown fox"}, score=2 / 3),
        Example("Nothing in common", {}, {"output": "", "expected": "fox"}, score=0),
        _NO_TRUTH,
    )

    type: Literal["TokenF1"] = "TokenF1"

    def measure(self, given: Sequence[str], wanted: Sequence[str]) -> _Likeness:
        """The words that both have, each as often as it occurs in both."""
        return _Likeness(len(wanted) - len(self.missing(given, wanted)), len(given), len(wanted))

    def missing(self, given: Sequence[str], wanted: Sequence[str]) -> list[str]:
        """The words of the answer that the output does not have as often, in the answer's order."""
        left = Counter(given)
        missing = []
        for word in wanted:
            if left[word] > 0:
                left[word] -= 1
            else:
                missing.append(word)
        return missing

    def order(self) -> str:
        """Words count wherever they stand."""
        return "any"

    def refuse_too_long(self, given: Sequence[str], wanted: Sequence[Sequence[str]]) -> None:
        """Counting words is quick: only very many answers are too much."""
        if sum(len(given) + len(pieces) for pieces in wanted) > _MOST_WORDS:
            raise Unmeasurable(
                ErrorCode.LIMIT,
                f"{len(given):,} words and {len(wanted):,} answers are too much to compare within a second.",
            )


class RougeL(_Likened):
    """The words shared with the expected answer in the same order (longest common subsequence)."""

    reads: ClassVar = _READS
    formula: ClassVar = (
        "F1 of LCS / words of the output and LCS / words of the answer; lower-cased words split at white space"
    )
    gives: ClassVar = _GIVES
    origin: ClassVar = "Lin 2004, ROUGE-L"
    examples: ClassVar = (
        Example(
            "Three of three in three of six",
            {},
            {"output": "the fox jumps", "expected": "the quick brown fox jumps over"},
            score=2 / 3,
        ),
        Example("Order counts", {}, {"output": "b a", "expected": "a b"}, score=0.5),
        _NO_TRUTH,
    )

    type: Literal["RougeL"] = "RougeL"


class Similarity(_Likened):
    """The characters shared with the expected answer in the same order."""

    reads: ClassVar = _READS
    formula: ClassVar = "2·LCS / (|a| + |b|) over code points"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer contract, section 1.11"
    examples: ClassVar = (
        Example("One letter differs", {}, {"output": "cart", "expected": "card"}, score=0.75),
        Example("Nothing in common", {}, {"output": "abc", "expected": "xyz"}, score=0),
        _NO_TRUTH,
    )

    type: Literal["Similarity"] = "Similarity"

    def pieces(self, text: str) -> Sequence[str]:
        """The code points, as they are."""
        return text

    def unit(self) -> str:
        """What the pieces are called."""
        return "characters"
