"""Evidence of likeness: the pieces that output and answer share, marked in both."""

import re
from collections.abc import Sequence

from scoring.evidence.parts import Left, Part, Source, is_count, is_texts, taken
from scoring.kit.text import utf16_length

_WORD = re.compile(r"\S+")
# Finding which pieces are shared takes as many steps as one side has pieces times the other.
_MOST_STEPS = 40_000
_MOST_PIECES = 2_000
_CONTEXT = 60
Span = tuple[int, int]


def likeness(left: Left, source: Source) -> Part | None:
    """How many pieces are shared, and which, where that is the number that was scored."""
    counted = all(is_count(left.get(name)) for name in ("shared", "output", "expected"))
    if not counted or not isinstance(left.get("answer"), str):
        return None
    found = taken(left, "shared", "output", "expected", "answer", "unit", "order", "target", "missing")
    text = source.texts.get(str(found["target"]), "")
    given, wanted = _pieces(text, found["unit"]), _pieces(found["answer"], found["unit"])
    pairs = _pairs(given, wanted, any_order=found["order"] == "any")
    shown = bool(text) and len(pairs) == found["shared"]
    return Part(
        "likeness",
        {
            "shared": found["shared"],
            "given": found["output"],
            "wanted": found["expected"],
            "unit": found["unit"] if found["unit"] in {"words", "characters"} else "pieces",
            "answer": found["answer"],
            "text": text if shown else "",
            "answer_spans": _spans(found["answer"], [wanted[right][1] for _, right in pairs]) if shown else [],
            "text_spans": _spans(text, [given[place][1] for place, _ in pairs]) if shown else [],
            "context": _CONTEXT,
            "missing": found["missing"] if is_texts(found["missing"]) else [],
        },
    )


def _pieces(text: str, unit: object) -> list[tuple[str, Span]]:
    """The pieces with their places in characters; none where there are too many to tell them apart."""
    if unit == "characters":
        return [(character, (place, place + 1)) for place, character in enumerate(text[: _MOST_PIECES + 1])]
    found = [(match.group().lower(), match.span()) for match in _WORD.finditer(text)]
    return found[: _MOST_PIECES + 1]


def _pairs(
    given: Sequence[tuple[str, Span]], wanted: Sequence[tuple[str, Span]], *, any_order: bool
) -> list[tuple[int, int]]:
    """(index in the output, index in the answer) of each shared piece; empty when finding them takes too long."""
    if any_order:
        return _in_any_order([piece for piece, _ in given], [piece for piece, _ in wanted])
    if len(given) * len(wanted) > _MOST_STEPS:
        return []
    return _in_order([piece for piece, _ in given], [piece for piece, _ in wanted])


def _in_any_order(given: Sequence[str], wanted: Sequence[str]) -> list[tuple[int, int]]:
    free: dict[str, list[int]] = {}
    for place in reversed(range(len(given))):
        free.setdefault(given[place], []).append(place)
    pairs = []
    for place, piece in enumerate(wanted):
        if free.get(piece):
            pairs.append((free[piece].pop(), place))
    return pairs


def _in_order(given: Sequence[str], wanted: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence, by the table of its lengths."""
    lengths = [[0] * (len(wanted) + 1) for _ in range(len(given) + 1)]
    for left in reversed(range(len(given))):
        row, below = lengths[left], lengths[left + 1]
        for right in reversed(range(len(wanted))):
            same = given[left] == wanted[right]
            row[right] = below[right + 1] + 1 if same else max(below[right], row[right + 1])
    pairs, left, right = [], 0, 0
    while left < len(given) and right < len(wanted):
        if given[left] == wanted[right]:
            pairs.append((left, right))
            left, right = left + 1, right + 1
        elif lengths[left + 1][right] >= lengths[left][right + 1]:
            left += 1
        else:
            right += 1
    return pairs


def _spans(text: str, places: Sequence[Span]) -> list[list[int]]:
    """Places in characters as [start, end] in UTF-16 units, which is how marks are given; neighbours joined."""
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + utf16_length(character))
    joined: list[list[int]] = []
    for start, end in sorted(places):
        if joined and joined[-1][1] == start:
            joined[-1][1] = end
        else:
            joined.append([start, end])
    return [[offsets[start], offsets[end]] for start, end in joined]
