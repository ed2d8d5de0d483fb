"""A JSON list read item by item from a stream, so that a large body never lies in memory at once."""

import re
from collections.abc import Iterator
from typing import Any, Protocol

from foundation import strict_json
from foundation.errors import MalformedJson, TooLarge, ValidationFailed

_CHUNK = 65_536
_SPACE = b" \t\r\n"
# What decides where an item ends: quotes with the escapes inside them, brackets, commas.
_TOKEN = re.compile(rb'\\.|["{}\[\],]', re.DOTALL)


class ByteStream(Protocol):
    """Anything that gives bytes, such as a request or a file."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


class _Splitter:
    """Finds the items of a list in pieces of bytes, without decoding them."""

    def __init__(self, item_limit: int) -> None:
        self.item_limit = item_limit
        self.depth = 0
        self.in_string = False
        self.item = bytearray()
        self.items = 0
        self.opened = self.closed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The items that `data` completes, as bytes."""
        position = 0
        for match in _TOKEN.finditer(data):
            token = match.group()
            if self.in_string:
                if token == b'"':
                    self.in_string = False
                continue
            if token[0:1] == b"\\":
                continue
            if self.depth == 1 and token in (b",", b"]"):
                self._take(data[position : match.start()])
                yield from self._complete(last=token == b"]")
                position = match.end()
            elif self.depth == 0:
                self._outside(data[position : match.start()])
                if token != b"[" or self.opened:
                    raise MalformedJson("The body must be one JSON list.")
                self.opened, position = True, match.end()
            self._step(token)
        rest = data[position:]
        self._take(rest) if self.depth else self._outside(rest)

    def _step(self, token: bytes) -> None:
        if token == b'"':
            self.in_string = True
        elif token in (b"[", b"{"):
            self.depth += 1
        elif token in (b"]", b"}"):
            self.depth -= 1
            self.closed = self.depth == 0

    def _take(self, piece: bytes) -> None:
        self.item += piece
        if len(self.item) > self.item_limit:
            raise TooLarge(f"Item {self.items} of the list is larger than {self.item_limit:,} bytes.")

    def _complete(self, *, last: bool) -> Iterator[bytes]:
        item = bytes(self.item).strip(_SPACE)
        self.item.clear()
        if not item and last and self.items == 0:
            return
        if not item:
            raise MalformedJson(f"Item {self.items} of the list is missing.")
        self.items += 1
        yield item

    def _outside(self, piece: bytes) -> None:
        if piece.strip(_SPACE):
            raise MalformedJson("The body must be one JSON list and nothing else.")


def list_items(stream: ByteStream, *, limit: int, item_limit: int) -> Iterator[Any]:
    """The items of the JSON list that `stream` holds, each through the strict door.

    An item with text that cannot be stored is its ValidationFailed: the list is sound and goes on.
    Raises MalformedJson where it is none, and TooLarge past `limit` bytes or at an item of more
    than `item_limit`. Memory stays within a few times `item_limit`.
    """
    splitter = _Splitter(item_limit)
    seen = 0
    carried = b""
    while chunk := stream.read(_CHUNK):
        seen += len(chunk)
        if seen > limit:
            raise TooLarge(f"The body is larger than {limit:,} bytes.", meta={"limitBytes": limit})
        chunk = carried + chunk
        # An escape must not be cut in two: its second half could read as a quote.
        backslashes = len(chunk) - len(chunk.rstrip(b"\\"))
        carried = b"\\" if backslashes % 2 else b""
        for item in splitter.feed(chunk[: len(chunk) - len(carried)]):
            yield _value(item)
    if carried or not splitter.closed:
        raise MalformedJson("The body must be one JSON list; it ends before the list does.")


def _value(item: bytes) -> Any:
    try:
        return strict_json.loads(item)
    except ValidationFailed as refusal:
        return refusal
