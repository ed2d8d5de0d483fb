"""The citation markers of a text, `[1]` and `[1, 3]`: the grammar that scoring and showing share."""

import re
from collections.abc import Iterator

# Not [1-3], [a], [0], [ ], and not [1](…), which is a Markdown link.
_MARKER = re.compile(r"\[[ \t]*([1-9][0-9]{0,8}(?:[ \t]*,[ \t]*[1-9][0-9]{0,8})*)[ \t]*\](?!\()")
_NUMBER = re.compile(r"[0-9]+")


def citations_in(text: str) -> Iterator[tuple[int, int, int]]:
    """(number, start, end) of each number cited, from the left; the offsets are of its digits, in characters."""
    for marker in _MARKER.finditer(text):
        for number in _NUMBER.finditer(text, marker.start(), marker.end()):
            yield int(number.group()), number.start(), number.end()
