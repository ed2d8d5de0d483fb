"""Named normalizations of answers: what is ignored when two texts are compared."""

import re
import unicodedata
from collections.abc import Callable, Mapping

_OUTER_SAFE = ".,;:!?\"'“”‘’«»‹›()[]{}…¿¡。、，！？；：「」『』（）"
_EMPHASIS = ("**", "__", "*", "_", "`")
_SPACES = re.compile(r"\s+")


def _fold_form(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _strip_one(text: str) -> str:
    """`text` with one layer less around it; the same text when there is none left."""
    stripped = text.strip()
    for mark in _EMPHASIS:
        if len(stripped) >= 2 * len(mark) and stripped.startswith(mark) and stripped.endswith(mark):
            return stripped[len(mark) : len(stripped) - len(mark)]
    if stripped and stripped[-1] in _OUTER_SAFE:
        return stripped[:-1]
    # A leading point or comma before a digit is the start of a number, not punctuation.
    if stripped and stripped[0] in _OUTER_SAFE and not (stripped[0] in ".," and stripped[1:2].isdigit()):
        return stripped[1:]
    return stripped


def _outer_punctuation_safe(text: str) -> str:
    text = _fold_form(text)
    while (shorter := _strip_one(text)) != text:
        text = shorter
    return _SPACES.sub(" ", text)


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
