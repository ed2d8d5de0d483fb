"""The retrieved chunks in rank order, each with its grade, and the relevant ones that never came."""

from dataclasses import dataclass
from typing import Any

from scoring.channels.recorded import Recorded, Value, Window, name_of, rest_of, value_of
from scoring.kit.numbers import measured_number
from scoring.kit.outcome import Unmeasurable
from scoring.kit.relevance import relevant_chunks

MOST_MISSING = 50


@dataclass(frozen=True, slots=True)
class Grades:
    """The graded ground truth: the relevant chunks, and every id that was judged; `reason` when there is none."""

    relevant: dict[str, float]
    judged: frozenset[str]
    reason: str = ""

    def standing(self, chunk: str) -> str:
        """relevant, irrelevant, unjudged, or ungraded where nothing is graded at all."""
        if self.reason:
            return "ungraded"
        if chunk in self.relevant:
            return "relevant"
        return "irrelevant" if chunk in self.judged else "unjudged"

    def grade(self, chunk: str) -> float | None:
        """The grade, 0 for a chunk judged not relevant, None for one that was not judged."""
        return self.relevant.get(chunk, 0.0 if chunk in self.judged else None)


def grades_of(recorded: Recorded) -> Grades:
    """The grades of the case, as the scorers read them."""
    try:
        relevant = relevant_chunks(recorded.observation)
    except Unmeasurable as reason:
        return Grades({}, frozenset(), reason.message)
    return Grades(relevant, frozenset(map(str, recorded.observation.ground_truth("chunks"))))


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieved chunk. `rank` is None for a repeat, which does not count, and for a malformed one."""

    place: int
    rank: int | None
    id: str
    score: str
    grade: float | None
    standing: str
    more: Value | None = None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The chunks that are shown, the counts of all, and what is relevant and was not retrieved."""

    query: Value | None
    chunks: tuple[Chunk, ...]
    window: Window
    distinct: int
    found: int
    relevant: int
    repeats: int
    missing: tuple[tuple[str, float], ...]
    missing_more: int
    ungraded: str
    more: Value | None


def retrieval_of(recorded: Recorded) -> Retrieval:
    """The retrieval. Raises Unmeasurable when the channel is null, no object, or holds no list of chunks."""
    channel, listed = recorded.list_in("retrieval", "chunks")
    grades = grades_of(recorded)
    ranks = _ranks(listed)
    ids = {_id(chunk) for chunk in listed} - {None}
    window = recorded.window("retrieval", len(listed))
    numbers = range(window.first, window.last + 1) if window.total else ()
    missing = sorted(
        ((chunk, grade) for chunk, grade in grades.relevant.items() if chunk not in ids),
        key=lambda pair: (-pair[1], pair[0]),
    )
    place = ("observation", "retrieval")
    return Retrieval(
        query=value_of(channel["query"], (*place, "query")) if "query" in channel else None,
        chunks=tuple(_chunk(number, listed[number - 1], ranks[number - 1], grades) for number in numbers),
        window=window,
        distinct=len(ids),
        found=len(grades.relevant) - len(missing),
        relevant=len(grades.relevant),
        repeats=sum(rank is None and _id(chunk) is not None for rank, chunk in zip(ranks, listed, strict=True)),
        missing=tuple((name_of(chunk), grade) for chunk, grade in missing[:MOST_MISSING]),
        missing_more=max(0, len(missing) - MOST_MISSING),
        ungraded=grades.reason,
        more=rest_of(channel, ("query", "chunks"), place),
    )


def _id(chunk: Any) -> str | None:
    name = chunk.get("id") if isinstance(chunk, dict) else None
    return name if isinstance(name, str) and name else None


def _ranks(listed: list[Any]) -> list[int | None]:
    """The rank of each chunk: from 1 over the distinct ids, None for repeats."""
    seen: set[str] = set()
    ranks: list[int | None] = []
    for chunk in listed:
        name = _id(chunk)
        if name is None or name in seen:
            ranks.append(None)
            continue
        seen.add(name)
        ranks.append(len(seen))
    return ranks


def _chunk(number: int, chunk: Any, rank: int | None, grades: Grades) -> Chunk:
    place = ("observation", "retrieval", "chunks", number - 1)
    name = _id(chunk)
    if name is None:
        return Chunk(number, None, "", "", None, "malformed", value_of(chunk, place))
    score = measured_number(chunk.get("score"))
    return Chunk(
        place=number,
        rank=rank,
        id=name_of(name),
        score="" if "score" not in chunk else name_of(chunk["score"]) if score is None else f"{score:g}",
        grade=grades.grade(name),
        standing="repeat" if rank is None else grades.standing(name),
        more=rest_of(chunk, ("id", "score"), place),
    )
