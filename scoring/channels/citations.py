"""The citations: each number of the output with the chunk it names and that chunk's grade."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.channels.recorded import ROWS, Recorded, Value, Window, name_of, rest_of, value_of
from scoring.channels.retrieval import Grades, grades_of
from scoring.kit.citation_markers import citations_in
from scoring.kit.numbers import whole_number

_KNOWN = ("n", "chunk_id", "doc_id", "uri")


@dataclass(frozen=True, slots=True)
class Cited:
    """One number: a ledger entry, or (standing unknown) one that the output cites and the ledger does not hold.

    `standing` is relevant, irrelevant, unjudged, ungraded, unknown, repeated (the number stands twice)
    or malformed; `times` is how often the output cites it.
    """

    number: int | None
    chunk: str
    document: str
    standing: str
    grade: float | None
    times: int
    more: Value | None = None


@dataclass(frozen=True, slots=True)
class CitedPiece:
    """A stretch of the output; one that cites has the `number`, and the row its page of the table starts at."""

    text: str
    number: int | None = None
    start: int = 1


@dataclass(frozen=True, slots=True)
class Citations:
    """The numbers that are shown, unknown ones first, and the counts of all."""

    rows: tuple[Cited, ...]
    window: Window
    ledger: int
    cited: int
    unknown: int
    ungraded: str
    more: Value | None
    order: dict[int, int]


def citations_of(recorded: Recorded) -> Citations:
    """The citations. Raises Unmeasurable when the channel is null, no object, or holds no ledger."""
    channel, ledger = recorded.list_in("citations", "ledger")
    grades = grades_of(recorded)
    times = _times(recorded)
    rows = _rows(ledger, times, grades)
    window = recorded.window("citations", len(rows))
    unknown = [row for row in rows if row.standing == "unknown"]
    order: dict[int, int] = {}
    for place, row in enumerate(rows):
        if row.number is not None:
            order.setdefault(row.number, place)
    return Citations(
        rows=tuple(window.of(rows)),
        window=window,
        ledger=len(ledger),
        cited=len(times),
        unknown=len(unknown),
        ungraded=grades.reason,
        more=rest_of(channel, ("ledger",), ("observation", "citations")),
        order=order,
    )


def cited_pieces(text: str, citations: Citations | None) -> tuple[CitedPiece, ...]:
    """`text` cut into pieces, each number it cites one of its own; a single piece where nothing is linked."""
    pieces: list[CitedPiece] = []
    position = 0
    for number, start, end in citations_in(text) if citations else ():
        place = citations.order.get(number) if citations else None
        if place is None:
            continue
        pieces += [
            CitedPiece(text[position:start]),
            CitedPiece(text[start:end], number, place // ROWS * ROWS + 1),
        ]
        position = end
    return (*pieces, CitedPiece(text[position:]))


def _times(recorded: Recorded) -> Counter[int]:
    text = recorded.observation.output
    return Counter(number for number, _, _ in citations_in(text)) if isinstance(text, str) else Counter()


def _rows(ledger: Sequence[Any], times: Counter[int], grades: Grades) -> list[Cited]:
    known = {_number(entry) for entry in ledger}
    rows = [Cited(number, "", "", "unknown", None, times[number]) for number in sorted(times) if number not in known]
    seen: set[int] = set()
    for place, entry in enumerate(ledger):
        rows.append(_entry(entry, place, times, grades, seen))
    return rows


def _number(entry: Any) -> int | None:
    return whole_number(entry.get("n")) if isinstance(entry, dict) else None


def _entry(entry: Any, place: int, times: Counter[int], grades: Grades, seen: set[int]) -> Cited:
    at = ("observation", "citations", "ledger", place)
    number = _number(entry)
    chunk = entry.get("chunk_id") if isinstance(entry, dict) else None
    if number is None or not isinstance(chunk, str) or not chunk:
        return Cited(None, "", "", "malformed", None, 0, value_of(entry, at))
    repeated = number in seen
    seen.add(number)
    sources = [name_of(entry[name]) for name in ("doc_id", "uri") if entry.get(name) not in (None, "")]
    return Cited(
        number=number,
        chunk=name_of(chunk),
        document=" · ".join(sources),
        standing="repeated" if repeated else grades.standing(chunk),
        grade=grades.grade(chunk),
        times=times[number],
        more=rest_of(entry, _KNOWN, at),
    )
