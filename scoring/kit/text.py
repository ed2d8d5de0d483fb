"""Text as the contract counts it: UTF-16 code units, JavaScript's white space, folded case."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

# ECMAScript's WhiteSpace and LineTerminator, which is not Python's set (str.split has U+0085 and not U+FEFF).
_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_WORD_RUN = re.compile(f"[^{_SPACE}]+")
_TRIM = re.compile(f"^[{_SPACE}]+|[{_SPACE}]+$")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def utf16_length(text: str) -> int:
    """The number of UTF-16 code units, which is what JavaScript calls `length`."""
    return len(text) if text.isascii() else len(text) + len(_ASTRAL.findall(text))


def code_point_offset(text: str, offset: int) -> int:
    """The index in `text` of the character that holds UTF-16 code unit `offset`; len(text) past the end."""
    if text.isascii():
        return min(offset, len(text))
    units = 0
    for index, character in enumerate(text):
        units += 2 if ord(character) > 0xFFFF else 1
        if units > offset:
            return index
    return len(text)


def trim(text: str) -> str:
    """`text` without white space at its ends, as JavaScript's trim."""
    return _TRIM.sub("", text)


def word_count(text: str) -> int:
    """How many runs of other than white space there are; 0 when blank."""
    return sum(1 for _ in _WORD_RUN.finditer(text))


def line_count(text: str) -> int:
    """How many "\\n" there are, plus one."""
    return text.count("\n") + 1


def is_word_character(character: str) -> bool:
    """Whether it belongs to a word in any script: a letter, a mark, a decimal digit, or `_`."""
    if character.isascii():
        return character.isalnum() or character == "_"
    category = unicodedata.category(character)
    return category[0] in "LM" or category == "Nd"


class SearchedText:
    """A text in which pieces are looked for; places are UTF-16 [start, end], as JavaScript counts."""

    def __init__(self, text: str, *, case_sensitive: bool) -> None:
        self.text = text
        self.case_sensitive = case_sensitive
        self._positions: list[int] | None = None
        self._searched = text
        if not case_sensitive:
            self._searched = text.casefold()
            if len(self._searched) != len(text):
                # Some characters fold to several (ß to ss): remember where each came from.
                pieces = [character.casefold() for character in text]
                self._searched = "".join(pieces)
                self._positions = [index for index, piece in enumerate(pieces) for _ in piece]
        self._astral = [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]

    def first(self, piece: str) -> list[int] | None:
        """The first place of `piece`, or None."""
        wanted = self._folded(piece)
        index = self._searched.find(wanted)
        return None if index < 0 else self._span(index, len(wanted))

    def every(self, piece: str, *, whole_word: bool = False) -> Iterator[list[int]]:
        """Each place of `piece` from the left, none overlapping another."""
        wanted = self._folded(piece)
        for index in occurrences(self._searched, wanted, whole_word=whole_word):
            yield self._span(index, len(wanted))

    def places(self, piece: str, *, whole_word: bool = False, most: int) -> tuple[int, list[list[int]]]:
        """How often `piece` stands there, and the first `most` of its places."""
        if whole_word:
            starts = list(occurrences(self._searched, self._folded(piece), whole_word=True))
            count, first = len(starts), starts[:most]
        else:
            count = self._searched.count(self._folded(piece))
            first = list(islice(occurrences(self._searched, self._folded(piece)), most))
        return count, [self._span(index, len(self._folded(piece))) for index in first]

    def _folded(self, piece: str) -> str:
        return piece if self.case_sensitive else piece.casefold()

    def _span(self, index: int, length: int) -> list[int]:
        start, last = index, index + length - 1
        if self._positions is not None:
            start, last = self._positions[start], self._positions[last]
        end = last + 1
        return [start + bisect_left(self._astral, start), end + bisect_left(self._astral, end)]


def occurrences(text: str, needle: str, *, whole_word: bool = False) -> Iterator[int]:
    """The index of each occurrence of `needle`, from the left, none overlapping another.

    With `whole_word` only those with no word character (any script's) right before or after.
    `needle` must not be empty.
    """
    index = text.find(needle)
    while index >= 0:
        end = index + len(needle)
        if not whole_word or (
            (index == 0 or not is_word_character(text[index - 1]))
            and (end == len(text) or not is_word_character(text[end]))
        ):
            yield index
            index = text.find(needle, end)
        else:
            index = text.find(needle, index + 1)


def shortened(text: str, limit: int = 60) -> str:
    """`text` on one line for a sentence, cut with an ellipsis after `limit` characters."""
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def listed(items: list[str], limit: int = 5) -> str:
    """`"a", "b" and 3 more`: quoted, cut after `limit` items."""
    shown = ", ".join(f'"{shortened(item, 40)}"' for item in items[:limit])
    return shown if len(items) <= limit else f"{shown} and {len(items) - limit} more"
