"""Which text may be stored, on every database alike; and prose with code in it."""

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def unstorable_reason(text: str) -> str | None:
    """One phrase saying why `text` cannot be stored, or None when it can.

    PostgreSQL refuses NUL, and a lone surrogate has no UTF-8 form: once such a row is
    stored, every page that lists it fails.
    """
    if "\x00" in text:
        return "contains a NUL character (U+0000)"
    if _SURROGATE.search(text):
        return "contains half of a surrogate pair, which is not a character"
    return None


def code_pieces(prose: str) -> list[tuple[str, bool]]:
    """`prose` cut at its backticks: each piece, and whether it stood between two of them."""
    pieces = [(piece, index % 2 == 1) for index, piece in enumerate(prose.split("`"))]
    return [(piece, code) for piece, code in pieces if piece]
