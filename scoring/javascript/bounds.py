"""The bounds of one evaluation, and what is refused before a worker is asked.

Lengths are UTF-16 code units, which is what JavaScript counts.
"""

from __future__ import annotations

import codecs
from typing import Final

from scoring.javascript.errors import InvalidPattern

PATTERN_UNITS: Final = 256
TEXT_UNITS: Final = 110_001
FLAGS: Final = "dgimsuvy"
# Of one search for every match: a thousand, and one more to see that there are more.
MOST_MATCHES: Final = 1_001

# The limit of one match, or of every match together, counted in the worker from its start.
MATCH_SECONDS: Final = 0.1
# A second try is made when the first got so little of a busy processor that its clock said
# nothing about the pattern; the clock then allows for the waiting, too.
LITTLE_CPU_SECONDS: Final = 0.05
PATIENT_MATCH_SECONDS: Final = 0.2
# Processor time after which a worker is killed, for what its own clock cannot interrupt.
# Compiling at a check gets less than compiling and matching at a search, so that a pattern
# accepted when it was saved does not fail later for its compilation.
CHECK_CPU_SECONDS: Final = 0.1
SEARCH_CPU_SECONDS: Final = 0.25
# And the same by the clock on the wall, for a worker that was stopped or starved.
WALL_SECONDS: Final = 1.0

# Python imports a codec when it is first used; a process forked by one thread while another is at
# it would wait for that import for ever.
codecs.lookup("utf-16-le")


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units, as JavaScript's `length` has it."""
    return len(text) if text.isascii() else len(utf16_encode(text)) // 2


def utf16_encode(text: str) -> bytes:
    """Return the text as UTF-16, little-endian, lone surrogates kept as they are."""
    return text.encode("utf-16-le", "surrogatepass")


def encode_pattern(pattern: str) -> bytes:
    """Return the pattern as UTF-16; ValueError beyond 256 code units."""
    return _encode_bounded(pattern, "pattern", PATTERN_UNITS)


def encode_text(text: str) -> bytes:
    """Return the text as UTF-16; ValueError beyond 110,001 code units."""
    return _encode_bounded(text, "text", TEXT_UNITS)


def encode_flags(flags: str) -> bytes:
    """Return the flags as ASCII; InvalidPattern when one is unknown or repeated, or u meets v."""
    for position, flag in enumerate(flags):
        if flag not in FLAGS:
            choice = ", ".join(FLAGS)
            raise InvalidPattern(f"The flag {flag!a} is unknown; the flags are {choice}")
        if flag in flags[:position]:
            raise InvalidPattern(f'The flag "{flag}" is given twice')
    if "u" in flags and "v" in flags:
        raise InvalidPattern('The flags "u" and "v" cannot be used together')
    return flags.encode("ascii")


def _encode_bounded(value: str, noun: str, most: int) -> bytes:
    # A string never has more characters than code units: spare the encoding of a huge one.
    encoded = utf16_encode(value) if len(value) <= most else b""
    if len(value) > most or len(encoded) // 2 > most:
        raise ValueError(f"The {noun} is longer than {most:,} UTF-16 code units")
    return encoded
