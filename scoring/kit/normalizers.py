"""Named normalizations of answers: what is ignored when two texts are compared."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import groupby

_OUTER_SAFE = ".,;:!?\"'“”‘’«»‹›()[]{}…¿¡。、，！？；：「」『』（）"
_EMPHASIS = ("**", "__", "*", "_", "`")
_SPACES = re.compile(r"\s+")
# More combining marks in a row than any script uses (Unicode's Stream-Safe Text Format allows as many).
_LONGEST_RUN = 30


def _fold_form(text: str) -> str:
    return _composed(_composed(text).casefold())


def _composed(text: str) -> str:
    """`text` in NFC."""
    return unicodedata.normalize("NFC", _with_sorted_marks(text))


def _with_sorted_marks(text: str) -> str:
    """`text` or its equal with long runs of combining marks in canonical order.

    Normalization sorts each run in quadratic time: seconds for a text of nothing but marks.
    """
    if text.isascii():
        return text
    pieces = []
    for marks, run in groupby(text, lambda character: unicodedata.combining(character) > 0):
        piece = "".join(run)
        if marks and len(piece) > _LONGEST_RUN:
            whole = "".join(unicodedata.normalize("NFD", mark) for mark in piece)
            piece = "".join(sorted(whole, key=unicodedata.combining))
        pieces.append(piece)
    return "".join(pieces)


def _outer_punctuation_safe(text: str) -> str:
    text = _fold_form(text)
    start, end = 0, len(text)
    while True:
        start, end = _without_space(text, start, end)
        mark = _emphasis(text, start, end)
        if mark:
            start, end = start + mark, end - mark
        elif start < end and text[end - 1] in _OUTER_SAFE:
            end -= 1
        elif start < end and text[start] in _OUTER_SAFE and not _begins_number(text, start, end):
            start += 1
        else:
            return _SPACES.sub(" ", text[start:end])


def _without_space(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _emphasis(text: str, start: int, end: int) -> int:
    """The length of the emphasis mark that stands at both ends of text[start:end], 0 without one."""
    for mark in _EMPHASIS:
        if end - start >= 2 * len(mark) and text.startswith(mark, start, end) and text.endswith(mark, start, end):
            return len(mark)
    return 0


def _begins_number(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] begins with a point or comma before a digit, which is no punctuation then."""
    return text[start] in ".," and start + 1 < end and text[start + 1].isdigit()


def _outer_punctuation(text: str) -> str:
    text = text.lower()
    start, end = 0, len(text)
    while start < end and (text[start].isspace() or unicodedata.category(text[start])[0] == "P"):
        start += 1
    while end > start and (text[end - 1].isspace() or unicodedata.category(text[end - 1])[0] == "P"):
        end -= 1
    return _SPACES.sub(" ", text[start:end])


NORMALIZERS: Mapping[str, Callable[[str], str]] = {
    "trim": str.strip,
    "outer-punct-safe/1": _outer_punctuation_safe,
    "outer-punct/1": _outer_punctuation,
}
