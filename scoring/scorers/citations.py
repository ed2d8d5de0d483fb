"""Scorers of citations: the numbers cited in the output against the ledger and the relevant chunks."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from scoring.kit.citation_markers import citations_in
from scoring.kit.numbers import whole_number
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.relevance import relevant_chunks
from scoring.kit.scorer import Example, Scorer
from scoring.kit.text import shortened

_MOST_LISTED = 100
_READS = ("output.text", "citations.ledger", "expected.chunks")
_CITED = {
    "output": "The window is 30 days [1].",
    "expected": {"chunks": {"a": 2, "c": 1}},
    "observation": {"citations": {"ledger": [{"n": 1, "chunk_id": "a"}]}},
}
_UNCITED = {**_CITED, "output": "The window is 30 days."}
_NO_LEDGER = Example(
    "The ledger was not recorded", {}, {"output": "[1]", "expected": {"chunks": ["a"]}}, error=ErrorCode.MISSING_INPUT
)
_GIVES = (ErrorCode.MISSING_GROUND_TRUTH, ErrorCode.BAD_GROUND_TRUTH, ErrorCode.MISSING_INPUT, ErrorCode.BAD_INPUT)


@dataclass(frozen=True, slots=True)
class _Cited:
    """What the output cites: distinct numbers by what they are, and the relevant chunks they name."""

    good: tuple[int, ...]
    wrong: tuple[int, ...]
    unknown: tuple[int, ...]
    chunks: frozenset[str]
    missing: tuple[str, ...]

    @property
    def relevant(self) -> int:
        return len(self.chunks) + len(self.missing)

    @property
    def precision(self) -> float | None:
        total = len(self.good) + len(self.wrong) + len(self.unknown)
        return len(self.good) / total if total else None

    @property
    def recall(self) -> float:
        return len(self.chunks) / self.relevant

    def evidence(self) -> dict[str, Any]:
        return {
            "good": list(self.good[:_MOST_LISTED]),
            "notRelevant": list(self.wrong[:_MOST_LISTED]),
            "unknown": list(self.unknown[:_MOST_LISTED]),
            "chunksCited": sorted(self.chunks)[:_MOST_LISTED],
            "chunksMissing": list(self.missing[:_MOST_LISTED]),
            "relevant": self.relevant,
            "precision": self.precision,
            "recall": self.recall,
        }

    def sentence(self) -> str:
        cited = len(self.good) + len(self.wrong) + len(self.unknown)
        if not cited:
            return "The answer cites nothing"
        parts = [f"{len(self.good)} of {cited} citations are of relevant chunks"]
        if self.unknown:
            parts.append(f"{_numbers(self.unknown)} not in the ledger")
        if self.wrong:
            parts.append(f"{_numbers(self.wrong)} not relevant")
        return "; ".join(parts)

    def coverage(self) -> str:
        told = f"{len(self.chunks)} of {self.relevant} relevant chunks are cited"
        if not self.missing:
            return told
        more = f" and {len(self.missing) - 3} more" if len(self.missing) > 3 else ""
        return f"{told}; not cited: {', '.join(shortened(chunk, 40) for chunk in self.missing[:3])}{more}"


def _numbers(numbers: tuple[int, ...]) -> str:
    shown = ", ".join(f"[{number}]" for number in numbers[:5])
    return f"{shown}{' and more' if len(numbers) > 5 else ''} {'is' if len(numbers) == 1 else 'are'}"


def _cited(observation: Observation) -> _Cited:
    relevant = relevant_chunks(observation)
    text = observation.text("output")
    ledger = _ledger(observation)
    numbers = sorted({number for number, _, _ in citations_in(text)})
    good = tuple(number for number in numbers if ledger.get(number) in relevant)
    cited = frozenset(ledger[number] for number in good)
    return _Cited(
        good=good,
        wrong=tuple(number for number in numbers if number in ledger and ledger[number] not in relevant),
        unknown=tuple(number for number in numbers if number not in ledger),
        chunks=cited,
        missing=tuple(sorted(relevant.keys() - cited)),
    )


def _ledger(observation: Observation) -> dict[int, str]:
    channel = observation.channel("citations")
    if not isinstance(channel, dict):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "citations must be an object with a ledger.")
    entries = channel.get("ledger", ABSENT)
    if entries is ABSENT:
        raise Unmeasurable(ErrorCode.MISSING_INPUT, "The observation did not record citations.ledger.")
    if not isinstance(entries, list):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "citations.ledger must be a list.")
    ledger: dict[int, str] = {}
    for entry in entries:
        number, chunk = (
            (whole_number(entry.get("n")), entry.get("chunk_id")) if isinstance(entry, dict) else (None, None)
        )
        if number is None or not isinstance(chunk, str) or not chunk:
            raise Unmeasurable(ErrorCode.BAD_INPUT, "Every ledger entry must have a whole number n and a chunk_id.")
        if number in ledger:
            raise Unmeasurable(ErrorCode.BAD_INPUT, f"The ledger has the number {number} twice.")
        ledger[number] = chunk
    return ledger


class CitationPrecision(Scorer):
    """The share of the citations that name a relevant chunk; a number nobody gave is a wrong one.

    Undefined for an answer that cites nothing, so read it together with the recall: a model that
    rarely cites can have a high precision.
    """

    reads: ClassVar = _READS
    formula: ClassVar = "|good| / (|used| + |unknown|) over distinct cited numbers; 0/0 is undefined"
    gives: ClassVar = (*_GIVES, ErrorCode.UNDEFINED)
    origin: ClassVar = "Scorer module, section 5"
    examples: ClassVar = (
        Example("The one citation is right", {}, _CITED, score=1),
        Example("No citation: undefined", {}, _UNCITED, error=ErrorCode.UNDEFINED),
        _NO_LEDGER,
    )

    type: Literal["CitationPrecision"] = "CitationPrecision"

    def score(self, observation: Observation) -> Reading:
        """The share; the evidence sorts the numbers into good, not relevant and unknown."""
        cited = _cited(observation)
        if cited.precision is None:
            raise Unmeasurable(
                ErrorCode.UNDEFINED, "The answer cites nothing, so its citations have no precision.", cited.evidence()
            )
        return Reading(cited.precision, f"{cited.sentence()}.", cited.evidence())


class CitationRecall(Scorer):
    """The share of the relevant chunks that the answer cites; 0 when it cites nothing."""

    reads: ClassVar = _READS
    formula: ClassVar = "|distinct relevant chunks cited| / |relevant|"
    gives: ClassVar = _GIVES
    origin: ClassVar = "Scorer module, section 5"
    examples: ClassVar = (
        Example("One of two relevant chunks", {}, _CITED, score=0.5),
        Example("No citation: 0", {}, _UNCITED, score=0),
        _NO_LEDGER,
    )

    type: Literal["CitationRecall"] = "CitationRecall"

    def score(self, observation: Observation) -> Reading:
        """The share; the evidence names the chunks cited."""
        cited = _cited(observation)
        return Reading(cited.recall, f"{cited.coverage()}.", cited.evidence())


class CitationF1(Scorer):
    """The harmonic mean of the citations' precision and recall."""

    reads: ClassVar = _READS
    formula: ClassVar = "2PR / (P + R); undefined when P is, 0 when P + R = 0"
    gives: ClassVar = (*_GIVES, ErrorCode.UNDEFINED)
    origin: ClassVar = "decided here"
    examples: ClassVar = (
        Example("Precision 1, recall a half", {}, _CITED, score=2 / 3),
        Example("No citation: undefined", {}, _UNCITED, error=ErrorCode.UNDEFINED),
        _NO_LEDGER,
    )

    type: Literal["CitationF1"] = "CitationF1"

    def score(self, observation: Observation) -> Reading:
        """The mean; the evidence holds both."""
        cited = _cited(observation)
        if cited.precision is None:
            raise Unmeasurable(
                ErrorCode.UNDEFINED, "The answer cites nothing, so its citations have no precision.", cited.evidence()
            )
        total = cited.precision + cited.recall
        value = 2 * cited.precision * cited.recall / total if total else 0.0
        return Reading(value, f"{cited.sentence()}; {cited.coverage()}.", cited.evidence())
