"""Graded ground truth and ranked chunks, as the retrieval and citation scorers read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.kit.json_values import shown
from scoring.kit.numbers import measured_number
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT

HIGHEST_GRADE = 30
_MOST_RANKS = 100


def relevant_chunks(observation: Observation) -> dict[str, float]:
    """The relevant chunks of the ground truth: id to grade above 0.

    Raises Unmeasurable: missing_ground_truth when none is left, bad_ground_truth when a grade is
    no number of at most 30 (2^1100 is no double) or an id is no text.
    """
    chunks = observation.ground_truth("chunks")
    if chunks is ABSENT:
        raise Unmeasurable(ErrorCode.MISSING_GROUND_TRUTH, "The case has no expected.chunks to compare with.")
    if isinstance(chunks, list):
        grades: Mapping[Any, Any] = dict.fromkeys(_checked_ids(chunks), 1)
    elif isinstance(chunks, dict):
        grades = chunks
    else:
        raise _bad("expected.chunks must be an object of id to grade, or a list of ids.")
    relevant = {str(chunk): grade for chunk, raw in grades.items() if (grade := _grade(chunk, raw)) > 0}
    if not relevant:
        message = "No chunk of expected.chunks has a grade above 0."
        raise Unmeasurable(ErrorCode.MISSING_GROUND_TRUTH, message, vacuous=True)
    return relevant


def _bad(message: str) -> Unmeasurable:
    return Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, message)


def _checked_ids(chunks: list[Any]) -> list[str]:
    if not all(isinstance(chunk, str) and chunk for chunk in chunks):
        raise _bad("Every id in expected.chunks must be a text that is not empty.")
    return chunks


def _grade(chunk: Any, raw: Any) -> float:
    grade = measured_number(raw)
    if not chunk or grade is None or grade > HIGHEST_GRADE:
        raise _bad(
            f"The grade of chunk {shown(chunk)} is {shown(raw)}; it must be a number of at most {HIGHEST_GRADE}."
        )
    return grade


@dataclass(frozen=True, slots=True)
class Ranking:
    """The retrieved ids in rank order, repeats removed, and what is relevant."""

    ids: tuple[str, ...]
    relevant: Mapping[str, float]
    graded: frozenset[str]

    def grades_within(self, k: int) -> list[float]:
        """The grades of the first k, 0 for what is not relevant or not judged."""
        return [self.relevant.get(chunk, 0.0) for chunk in self.ids[:k]]

    @property
    def first_relevant_rank(self) -> int | None:
        """From 1; None when none is relevant."""
        return next((rank for rank, chunk in enumerate(self.ids, start=1) if chunk in self.relevant), None)

    def evidence(self, k: int) -> dict[str, Any]:
        """The first ranks with their grades, and how many of the first k were judged at all."""
        first = self.ids[: min(k, _MOST_RANKS)]
        ranks = [
            {"rank": rank, "id": chunk, "grade": self.relevant.get(chunk, 0.0) if chunk in self.graded else None}
            for rank, chunk in enumerate(first, start=1)
        ]
        within = self.ids[:k]
        judged = sum(chunk in self.graded for chunk in within)
        return {
            "ranks": ranks,
            "retrieved": len(self.ids),
            "relevant": len(self.relevant),
            "judged": {"count": judged, "of": len(within), "share": judged / len(within) if within else None},
        }


def ranking_of(observation: Observation) -> Ranking:
    """The ranking of an observation. Raises Unmeasurable as `relevant_chunks` and for the channel."""
    relevant = relevant_chunks(observation)
    channel = observation.channel("retrieval")
    if not isinstance(channel, dict):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "retrieval must be an object with chunks.")
    listed = channel.get("chunks", ABSENT)
    if listed is ABSENT:
        raise Unmeasurable(ErrorCode.MISSING_INPUT, "The observation did not record retrieval.chunks.")
    if not isinstance(listed, list):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "retrieval.chunks must be a list.")
    ids = [chunk.get("id") if isinstance(chunk, dict) else None for chunk in listed]
    if not all(isinstance(chunk, str) and chunk for chunk in ids):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "Every retrieved chunk must have an id that is a text.")
    graded = observation.ground_truth("chunks")
    return Ranking(tuple(dict.fromkeys(map(str, ids))), relevant, frozenset(graded))
