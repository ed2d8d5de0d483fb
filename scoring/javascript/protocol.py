"""The frames between the supervisor and a worker; every engine's worker speaks them.

All numbers are little-endian, all text but messages is UTF-16LE code units.

    request  u8 operation ("S" search, "A" every match, "C" check), u8 length of the flags,
             u16 limit of the matching in ms, u16 most matches (of "A"), u16 length of the
             pattern, u32 length of the text (code units); then pattern, flags (ASCII), text
    answer   u8 status, u8 1 if the worker leaves after this answer, u32 length of the payload
             in bytes; then the payload: of a match a pair of u32 (start, end) for the whole
             and for each group, 0xFFFFFFFF twice for a group that took no part; of "A" the u32
             number of pairs a match has, then those of each match; of a refusal or a failure
             its message in UTF-8

A worker sends one answer unasked, READY or FAILED, when it has started.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

REQUEST_HEADER: Final = struct.Struct("<BBHHHI")
ANSWER_HEADER: Final = struct.Struct("<BBI")
# As many matches as are ever asked for, of a pattern with as many groups as fit in its length.
LARGEST_PAYLOAD: Final = 1_048_576
NO_POSITION: Final = 0xFFFF_FFFF


class Operation(IntEnum):
    """What is asked of a worker."""

    SEARCH = ord("S")
    EVERY = ord("A")
    CHECK = ord("C")


class Status(IntEnum):
    """How an evaluation ended. The first row are answers, the second limits, the rest failures."""

    MATCH = ord("M")
    NO_MATCH = ord("N")
    INVALID = ord("I")

    TIME = ord("T")
    MEMORY = ord("X")
    TOO_LARGE = ord("L")

    READY = ord("R")
    FAILED = ord("F")


@dataclass(frozen=True, slots=True)
class Request:
    """One evaluation: the operation, and its texts in the encodings of the frame.

    `most` is the number of matches after which EVERY stops.
    """

    operation: Operation
    pattern: bytes
    flags: bytes
    text: bytes = b""
    most: int = 0

    def frame(self, match_seconds: float) -> bytes:
        """Return the bytes to send, with the limit of the match in seconds."""
        header = REQUEST_HEADER.pack(
            self.operation,
            len(self.flags),
            round(match_seconds * 1000),
            self.most,
            len(self.pattern) // 2,
            len(self.text) // 2,
        )
        return b"".join((header, self.pattern, self.flags, self.text))


def read_spans(payload: bytes) -> list[tuple[int, int] | None]:
    """Return the spans of a MATCH payload in code units: the whole match, then each group."""
    return [None if start == NO_POSITION else (start, end) for start, end in struct.iter_unpack("<II", payload)]


def read_every_span(payload: bytes) -> list[list[tuple[int, int] | None]]:
    """Return the spans of each match in the MATCH payload that answers EVERY, as read_spans does."""
    (pairs,) = struct.unpack_from("<I", payload)
    spans = read_spans(payload[4:])
    return [spans[first : first + pairs] for first in range(0, len(spans), pairs)]
