"""PURE: server-sent events, read from bytes as they come (WHATWG HTML, 9.2.6)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Event:
    """One event: its name (`message` when it has none) and its data."""

    name: str
    data: str


class EventReader:
    """Turns pieces of a stream, cut anywhere, into its events. Raises UnicodeDecodeError for other than UTF-8."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._name = ""
        self._data: list[str] = []
        self._begun = False

    def feed(self, data: bytes) -> Iterator[Event]:
        """The events that are complete with these bytes."""
        held = self._rest.endswith(b"\r")
        self._rest += data
        if not held and b"\n" not in data and b"\r" not in data:
            return
        whole = bytes(self._rest)
        start = 0
        for end in _LINE_END.finditer(whole):
            # A return at the very end may be half of a line end.
            if end.group() == b"\r" and end.end() == len(whole):
                break
            yield from self._line(whole[start : end.start()])
            start = end.end()
        del self._rest[:start]

    def finish(self) -> Iterator[Event]:
        """What the end of the stream completes: servers leave out the last empty line."""
        yield from self._line(bytes(self._rest).removesuffix(b"\r"))
        self._rest.clear()
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[Event]:
        if not self._begun:
            line = line.removeprefix(_BOM)
            self._begun = True
        if not line:
            if self._data:
                yield Event(self._name or "message", "\n".join(self._data))
            self._name, self._data = "", []
            return
        field, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8")
        if field == b"data":
            self._data.append(text)
        elif field == b"event":
            self._name = text
