"""The stream: its events on a line of time, one lane a kind, drawn with at most 2,000 marks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.channels.recorded import Recorded, Value, Window, name_of, rest_of
from scoring.kit.numbers import measured_number, plain
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT

MOST_MARKS = 2_000
_MOST_LANES = 5
_KNOWN = ("t", "kind", "tokens")
_OTHER = "other kinds"


@dataclass(frozen=True, slots=True)
class Lane:
    """The events of one kind: their marks as an SVG path over `columns` columns, and how many there are."""

    kind: str
    count: int
    marks: int
    columns: int
    path: str


@dataclass(frozen=True, slots=True)
class Event:
    """One event of the table: its time after the start, and after the event before, in ms."""

    number: int
    at: float | None
    gap: float | None
    kind: str
    tokens: str
    more: Value | None


@dataclass(frozen=True, slots=True)
class Label:
    """A moment named on the line: `share` of its length in percent, `anchor` as SVG's text has it."""

    words: str
    share: float
    anchor: str


@dataclass(frozen=True, slots=True)
class Stream:
    """The time line and the events that are shown. Times are in ms after the request was sent."""

    lanes: tuple[Lane, ...]
    labels: tuple[Label, ...]
    events: tuple[Event, ...]
    window: Window
    duration: float | None
    span: float
    tokens: float | None
    malformed: int
    backwards: int | None
    unit: str
    more: Value | None


def stream_of(recorded: Recorded) -> Stream:
    """The stream. Raises Unmeasurable when the channel is null, no object, or holds no list of events."""
    channel = recorded.observation.channel("stream")
    if not isinstance(channel, dict):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "stream must be an object.")
    listed = channel.get("events", ABSENT)
    if listed is ABSENT:
        listed = []
    if not isinstance(listed, list):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "stream.events must be a list.")
    start = measured_number(channel.get("start", 0)) or 0.0
    end = measured_number(channel.get("end"))
    times = [_time(event, start) for event in listed]
    known = [time for time in times if time is not None]
    duration = None if end is None else end - start
    span = max([*known, duration or 0.0, 0.0])
    window = recorded.window("stream", len(listed))
    numbers = range(window.first, window.last + 1) if window.total else ()
    return Stream(
        lanes=_lanes(listed, times, span),
        labels=_labels(listed, times, span, duration),
        events=tuple(_event(number, listed, times) for number in numbers),
        window=window,
        duration=duration,
        span=span,
        tokens=_tokens(listed),
        malformed=len(times) - len(known),
        backwards=_backwards(times),
        unit=name_of(channel.get("unit", "ms")),
        more=rest_of(channel, ("unit", "start", "end", "events"), ("observation", "stream")),
    )


def _time(event: Any, start: float) -> float | None:
    moment = measured_number(event.get("t")) if isinstance(event, dict) else None
    return None if moment is None else moment - start


def _kind(event: Any) -> str:
    kind = event.get("kind", "text") if isinstance(event, dict) else ""
    return kind if isinstance(kind, str) else name_of(kind)


def _tokens(listed: Sequence[Any]) -> float | None:
    """The tokens of all events together, or None where one does not say."""
    counts = [measured_number(event.get("tokens")) if isinstance(event, dict) else None for event in listed]
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _backwards(times: Sequence[float | None]) -> int | None:
    """The number of the first event that comes before the one before it, or before the request."""
    earlier = 0.0
    for number, time in enumerate(times, start=1):
        if time is None:
            continue
        if time < earlier:
            return number
        earlier = time
    return None


def _lanes(listed: Sequence[Any], times: Sequence[float | None], span: float) -> tuple[Lane, ...]:
    kinds = [_kind(event) if time is not None else None for event, time in zip(listed, times, strict=True)]
    counts = Counter(kind for kind in kinds if kind is not None)
    named = [kind for kind, _ in counts.most_common(_MOST_LANES if len(counts) <= _MOST_LANES else _MOST_LANES - 1)]
    other = sum(count for kind, count in counts.items() if kind not in named)
    names = [*named, *([_OTHER] if other else [])]
    if not names:
        return ()
    columns = MOST_MARKS // len(names)
    places: dict[str, set[int]] = {name: set() for name in names}
    for kind, time in zip(kinds, times, strict=True):
        if kind is not None and time is not None:
            share = min(1.0, max(0.0, time / span)) if span else 0.0
            places[kind if kind in named else _OTHER].add(min(columns - 1, int(share * columns)))
    return tuple(
        Lane(
            kind=name_of(name) or "(no kind)",
            count=other if name == _OTHER else counts[name],
            marks=len(places[name]),
            columns=columns,
            path="".join(f"M{place}.5 0v1" for place in sorted(places[name])),
        )
        for name in names
    )


def _labels(
    listed: Sequence[Any], times: Sequence[float | None], span: float, duration: float | None
) -> tuple[Label, ...]:
    """The first and the last token of the text, and the end of the request, where they are apart."""
    tokens = [time for event, time in zip(listed, times, strict=True) if time is not None and _kind(event) == "text"]
    if not tokens or not span:
        return ()
    found = [("first token", tokens[0])]
    if len(tokens) > 1:
        found.append(("last token", tokens[-1]))
    if duration is not None:
        found.append(("end", duration))
    return tuple(_label(words, moment, span) for words, moment in found)


def _label(words: str, moment: float, span: float) -> Label:
    share = min(1.0, max(0.0, moment / span))
    # Towards the middle, so that the words stay on the line however narrow it is.
    anchor = "start" if share < 0.5 else "end"
    return Label(f"{words} {plain(moment)} ms", round(100 * share, 2), anchor)


def _event(number: int, listed: Sequence[Any], times: Sequence[float | None]) -> Event:
    event, at = listed[number - 1], times[number - 1]
    before = times[number - 2] if number > 1 else 0.0
    place = ("observation", "stream", "events", number - 1)
    members = event if isinstance(event, dict) else {"": event}
    return Event(
        number=number,
        at=at,
        gap=None if at is None or before is None else at - before,
        kind=name_of(_kind(event)),
        tokens=name_of(members["tokens"]) if "tokens" in members else "",
        more=rest_of(members, _KNOWN, place),
    )
