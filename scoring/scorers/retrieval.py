"""Scorers of retrieval: the ranked chunks against the graded ones of the ground truth."""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading
from scoring.kit.possible_scores import ANY_SCORE, ZERO_OR_ONE, PossibleScores, between
from scoring.kit.relevance import Ranking, ranking_of, relevant_chunks
from scoring.kit.scorer import Example, Scorer
from scoring.kit.text import shortened

_GIVES = (
    ErrorCode.CONFIG,
    ErrorCode.MISSING_GROUND_TRUTH,
    ErrorCode.BAD_GROUND_TRUTH,
    ErrorCode.MISSING_INPUT,
    ErrorCode.BAD_INPUT,
)
_READS = ("retrieval.chunks", "expected.chunks")
_WORKED: Mapping[str, Any] = {
    "expected": {"chunks": {"a": 2, "c": 1}},
    "observation": {"retrieval": {"chunks": [{"id": "b"}, {"id": "a"}, {"id": "a"}, {"id": "c"}]}},
}
_NO_TRUTH = Example(
    "No graded chunks", {}, {"observation": {"retrieval": {"chunks": []}}}, error=ErrorCode.MISSING_GROUND_TRUTH
)
_NOTHING_CAME_BACK = {"expected": {"chunks": ["a"]}, "observation": {"retrieval": {"chunks": []}}}
_MOST_IDEAL = 100
Cutoff = Annotated[int, Field(ge=1, le=10_000)]
_K = Field(default=10, title="k", description="How many of the first chunks count, after repeats are removed.")


def _first_relevant(ranking: Ranking, k: int | None = None) -> str:
    """Where the first relevant chunk stands, or that there is none; `k` is the cut, if any."""
    rank = ranking.first_relevant_rank
    if rank is None:
        found = f"none of {len(ranking.ids)} retrieved chunks is relevant" if ranking.ids else "nothing was retrieved"
        return f"{found}{_some(sorted(ranking.relevant))}"
    beyond = f", beyond the first {k}" if k is not None and rank > k else ""
    return f"first relevant chunk at rank {rank}{beyond}"


def _some(chunks: Sequence[str], what: str = "missing") -> str:
    """`; missing: a, b and 3 more`, or nothing."""
    more = f" and {len(chunks) - 3} more" if len(chunks) > 3 else ""
    return f"; {what}: {', '.join(shortened(chunk, 40) for chunk in chunks[:3])}{more}" if chunks else ""


def gain(grade: float) -> float:
    """2^grade − 1; exact for whole grades, and above 0 for the smallest."""
    return 2**grade - 1 if grade >= 1 else math.expm1(grade * math.log(2))


class HitAtK(Scorer):
    """Whether any of the first k retrieved chunks is relevant."""

    reads: ClassVar = _READS
    formula: ClassVar = "1 if an id among the first k (repeats removed) has a grade above 0, else 0"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer module, section 2"
    examples: ClassVar = (
        Example("Found within the first two", {"k": 2}, _WORKED, score=1),
        Example("Rank one is not relevant", {"k": 1}, _WORKED, score=0),
        _NO_TRUTH,
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["HitAtK"] = "HitAtK"
    k: Cutoff = _K

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence lists the ranks with their grades."""
        ranking = ranking_of(observation)
        hit = any(ranking.grades_within(self.k))
        return Reading(float(hit), f"hit@{self.k}: {_first_relevant(ranking, self.k)}.", ranking.evidence(self.k))


class MRR(Scorer):
    """The reciprocal rank of the first relevant chunk."""

    reads: ClassVar = _READS
    formula: ClassVar = "1 / rank of the first relevant id (repeats removed), 0 if none; not cut"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer module, section 2"
    examples: ClassVar = (
        Example("First relevant at rank two", {}, _WORKED, score=0.5),
        Example("Recorded and empty: nothing was found", {}, _NOTHING_CAME_BACK, score=0),
        _NO_TRUTH,
    )

    type: Literal["MRR"] = "MRR"

    def score(self, observation: Observation) -> Reading:
        """1/rank; the evidence lists the ranks with their grades."""
        ranking = ranking_of(observation)
        rank = ranking.first_relevant_rank
        value = 1 / rank if rank else 0.0
        return Reading(
            value, f"MRR {value:.3f}: {_first_relevant(ranking)}.", ranking.evidence(max(1, len(ranking.ids)))
        )


def discounted_gain(grades: list[float]) -> float:
    """DCG of grades in rank order: Σ (2^g − 1) / log2(rank + 1)."""
    return math.fsum(gain(grade) / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


class NDCG(Scorer):
    """How near the order of the first k chunks is to the best possible one, by their grades.

    Gains are 2^grade − 1 and the ideal is made of all graded chunks, retrieved or not. Tools that
    use the grade itself as the gain print another number for grades beyond 0 and 1.
    """

    reads: ClassVar = _READS
    formula: ClassVar = "DCG@k / IDCG@k, DCG@k = Σ_{i ≤ min(k, m)} (2^g_i − 1) / log2(i + 1)"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer module, section 2"
    examples: ClassVar = (
        Example("The worked example", {"k": 3}, _WORKED, score=0.6590018048024133),
        Example(
            "The ideal counts what was not retrieved",
            {"k": 10},
            {"expected": {"chunks": ["a", "c"]}, "observation": {"retrieval": {"chunks": [{"id": "a"}]}}},
            score=0.6131471927654584,
        ),
        _NO_TRUTH,
    )

    type: Literal["NDCG"] = "NDCG"
    k: Cutoff = _K

    def score(self, observation: Observation) -> Reading:
        """nDCG@k; the evidence holds both sums, the ranks, the ideal order and the share that was judged."""
        ranking = ranking_of(observation)
        gained = discounted_gain(ranking.grades_within(self.k))
        ideal = discounted_gain(sorted(ranking.relevant.values(), reverse=True)[: self.k])
        value = min(1.0, gained / ideal)
        within = sum(grade > 0 for grade in ranking.grades_within(self.k))
        best = sorted(ranking.relevant.items(), key=lambda pair: (-pair[1], pair[0]))[: min(self.k, _MOST_IDEAL)]
        order = [{"id": chunk, "grade": grade} for chunk, grade in best]
        evidence = {**ranking.evidence(self.k), "dcg": gained, "idealDcg": ideal, "ideal": order}
        missing = sorted(ranking.relevant.keys() - set(ranking.ids[: self.k])) if within else []
        return Reading(
            value,
            f"nDCG@{self.k} {value:.3f}: {_first_relevant(ranking, self.k)}; "
            f"{within} of {len(ranking.relevant)} relevant chunks within the first {self.k}{_some(missing)}.",
            evidence,
        )


class PrecisionAtK(Scorer):
    """The share of the first k places that hold a relevant chunk."""

    reads: ClassVar = _READS
    formula: ClassVar = "relevant among the first k (repeats removed) / k, even when fewer came back"
    gives: ClassVar = _GIVES
    origin: ClassVar = "trec_eval's P"
    examples: ClassVar = (
        Example("Two of four", {"k": 4}, _WORKED, score=0.5),
        Example("Divided by k although three came back", {"k": 10}, _WORKED, score=0.2),
        _NO_TRUTH,
    )

    type: Literal["PrecisionAtK"] = "PrecisionAtK"
    k: Cutoff = _K

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """Up to 1; with fewer relevant chunks than places, up to their share of the places."""
        relevant = self.k if observation is None else len(relevant_chunks(observation))
        if relevant >= self.k:
            return ANY_SCORE
        return between(0.0, relevant / self.k, f"Of {self.k} places at most {relevant} can hold a relevant chunk.")

    def score(self, observation: Observation) -> Reading:
        """The share; the evidence lists the ranks with their grades."""
        ranking = ranking_of(observation)
        found = sum(grade > 0 for grade in ranking.grades_within(self.k))
        few = f"; only {len(ranking.ids)} came back" if len(ranking.ids) < self.k else ""
        others = _some([chunk for chunk in ranking.ids[: self.k] if chunk not in ranking.relevant], "not relevant")
        sentence = f"precision@{self.k}: {found} of {self.k} places hold a relevant chunk{others}{few}."
        return Reading(found / self.k, sentence, ranking.evidence(self.k))


class RecallAtK(Scorer):
    """The share of the relevant chunks that stand among the first k."""

    reads: ClassVar = _READS
    formula: ClassVar = "relevant among the first k (repeats removed) / all relevant"
    gives: ClassVar = _GIVES
    origin: ClassVar = "trec_eval's recall"
    examples: ClassVar = (
        Example("Both found", {"k": 4}, _WORKED, score=1),
        Example("One of two within the first two", {"k": 2}, _WORKED, score=0.5),
        _NO_TRUTH,
    )

    type: Literal["RecallAtK"] = "RecallAtK"
    k: Cutoff = _K

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """Up to 1; with more relevant chunks than places, up to the share that the places can hold."""
        relevant = 0 if observation is None else len(relevant_chunks(observation))
        if relevant <= self.k:
            return ANY_SCORE
        return between(0.0, self.k / relevant, f"{self.k} places hold at most {self.k} of {relevant} relevant chunks.")

    def score(self, observation: Observation) -> Reading:
        """The share; the evidence names the relevant chunks that are missing."""
        ranking = ranking_of(observation)
        within = set(ranking.ids[: self.k])
        missing = sorted(chunk for chunk in ranking.relevant if chunk not in within)
        found, total = len(ranking.relevant) - len(missing), len(ranking.relevant)
        evidence = {**ranking.evidence(self.k), "missing": missing[:100]}
        return Reading(
            found / total,
            f"recall@{self.k}: {found} of {total} relevant chunks were retrieved{_some(missing)}.",
            evidence,
        )


class AveragePrecision(Scorer):
    """The mean of the precision at each relevant chunk's rank."""

    reads: ClassVar = _READS
    formula: ClassVar = "Σ over relevant ranks r of precision@r / all relevant; not cut"
    gives: ClassVar = _GIVES
    origin: ClassVar = "trec_eval's map, for one query"
    examples: ClassVar = (
        Example("Ranks two and three of three", {}, _WORKED, score=(1 / 2 + 2 / 3) / 2),
        Example("Recorded and empty", {}, _NOTHING_CAME_BACK, score=0),
        _NO_TRUTH,
    )

    type: Literal["AveragePrecision"] = "AveragePrecision"

    def score(self, observation: Observation) -> Reading:
        """The mean; the evidence lists the ranks with their grades."""
        ranking = ranking_of(observation)
        precisions: list[float] = []
        for rank, chunk in enumerate(ranking.ids, start=1):
            if chunk in ranking.relevant:
                precisions.append((len(precisions) + 1) / rank)
        value = math.fsum(precisions) / len(ranking.relevant)
        missing = sorted(ranking.relevant.keys() - set(ranking.ids))
        sentence = (
            f"Average precision {value:.3f}: {_first_relevant(ranking)}; "
            f"{len(precisions)} of {len(ranking.relevant)} relevant chunks were retrieved"
            f"{_some(missing) if precisions else ''}."
        )
        return Reading(value, sentence, ranking.evidence(max(1, len(ranking.ids))))
