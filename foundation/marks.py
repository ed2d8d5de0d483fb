"""Text cut into what is marked and what is not: matched spans, excerpts, and differences in words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# difflib's worst case is quadratic in the parts it compares, and worse on repetitive text.
_MOST_PARTS = 3_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and what became of it; an `elided` one stands for `length` characters left out."""

    kind: Literal["plain", "marked", "added", "removed", "elided"]
    text: str
    length: int = 0


def utf16_to_index(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """For each offset in UTF-16 code units, the index of the character it falls in (the end, when beyond)."""
    wanted = sorted(set(offsets))
    if text.isascii():
        return {offset: min(max(offset, 0), len(text)) for offset in wanted}
    found: dict[int, int] = {}
    units = index = 0
    for offset in wanted:
        while index < len(text) and units < offset:
            width = 2 if ord(text[index]) > 0xFFFF else 1
            if units + width > offset:
                break
            units += width
            index += 1
        found[offset] = index
    return found


def mark_spans(text: str, spans: Iterable[Sequence[int]], context: int | None = None) -> list[Piece]:
    """`text` as pieces, with each [start, end) of `spans` (UTF-16 code units) marked.

    Overlapping spans become one, those outside the text or empty are dropped. With `context`,
    only that many characters on either side of a mark are kept; the rest becomes `elided` pieces.
    Without any mark the text is cut after twice `context` characters.
    """
    marked = _merged(text, spans)
    pieces: list[Piece] = []
    position = 0
    for start, end in marked:
        pieces += _between(text[position:start], context, before=position > 0, after=True)
        pieces.append(Piece("marked", text[start:end]))
        position = end
    pieces += _between(text[position:], context, before=bool(marked), after=False)
    return [piece for piece in pieces if piece.text or piece.length]


def _merged(text: str, spans: Iterable[Sequence[int]]) -> list[tuple[int, int]]:
    pairs = [(int(span[0]), int(span[1])) for span in spans if len(span) >= 2]
    index = utf16_to_index(text, [offset for pair in pairs for offset in pair])
    merged: list[tuple[int, int]] = []
    for start, end in sorted((index[start], index[end]) for start, end in pairs):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _between(text: str, context: int | None, *, before: bool, after: bool) -> list[Piece]:
    """The unmarked stretch beside marks: all of it, or `context` characters at the marked ends."""
    if context is None:
        return [Piece("plain", text)]
    head = context if before else 0
    tail = context if after else 0
    if not before and not after:
        head = 2 * context
    if len(text) <= head + tail + 40:
        return [Piece("plain", text)]
    left_out = len(text) - head - tail
    return [
        Piece("plain", text[:head]),
        Piece("elided", "", left_out),
        Piece("plain", text[len(text) - tail :] if tail else ""),
    ]


def word_difference(before: str, after: str, context: int | None = None) -> list[Piece]:
    """What turns `before` into `after`, word by word: plain, removed and added pieces.

    Where more than 3,000 words differ the lines are compared instead, and where more than 3,000
    lines differ nothing is, so that the time stays bounded. With `context`, longer unchanged
    stretches keep that many characters beside each change and are elided between.
    """
    prefix, old, new, suffix = _trimmed(_WORD.findall(before), _WORD.findall(after))
    if max(len(old), len(new)) > _MOST_PARTS:
        old, new = _LINE.findall("".join(old)), _LINE.findall("".join(new))
    pieces = [Piece("plain", "".join(prefix)), *_compared(old, new), Piece("plain", "".join(suffix))]
    return _folded(pieces, context)


def _trimmed(old: list[str], new: list[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """The parts both begin with, what differs on either side, and the parts both end with."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[:start], old[start : len(old) - end], new[start : len(new) - end], old[len(old) - end :]


def _compared(old: list[str], new: list[str]) -> list[Piece]:
    if max(len(old), len(new)) > _MOST_PARTS:
        return [Piece("removed", "".join(old)), Piece("added", "".join(new))]
    pieces: list[Piece] = []
    for operation, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new).get_opcodes():
        if operation == "equal":
            pieces.append(Piece("plain", "".join(old[old_start:old_end])))
            continue
        pieces.append(Piece("removed", "".join(old[old_start:old_end])))
        pieces.append(Piece("added", "".join(new[new_start:new_end])))
    return pieces


def _folded(pieces: list[Piece], context: int | None) -> list[Piece]:
    """Without empty pieces, and with long unchanged stretches elided."""
    filled = [piece for piece in pieces if piece.text]
    joined: list[Piece] = []
    for piece in filled:
        if joined and piece.kind == joined[-1].kind == "plain":
            joined[-1] = Piece("plain", joined[-1].text + piece.text)
        else:
            joined.append(piece)
    last = len(joined) - 1
    folded: list[Piece] = []
    for place, piece in enumerate(joined):
        if piece.kind == "plain":
            folded += _between(piece.text, context, before=place > 0, after=place < last)
        else:
            folded.append(piece)
    return [piece for piece in folded if piece.text or piece.length]
