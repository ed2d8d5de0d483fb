"""Figures and names as Markdown in which a name is a name, whatever it is made of."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

_LONGEST = 120
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
NOTHING = "–"


def name(text: Any) -> str:
    """`text` on one line, with nothing in it that Markdown or HTML would read as markup; cut at 120 characters."""
    line = " ".join("".join(character if _shown(character) else " " for character in str(text)).split())
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST - 1]}…"
    return _PUNCTUATION.sub(r"\\\1", line) or "*(empty)*"


def _shown(character: str) -> bool:
    # Categories C*: controls, marks that turn the direction of writing, surrogates, what is not assigned.
    return not unicodedata.category(character).startswith("C")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; the first column is words, the others are figures."""
    marks = ["---", *("---:" for _ in heads[1:])]
    return [f"| {' | '.join(cells)} |" for cells in ([*heads], marks, *rows)]


def share(value: float | None) -> str:
    """A share in percent with one decimal; 0 % and 100 % are said of exactly these alone."""
    if value is None:
        return NOTHING
    shown = f"{value * 100:.1f}"
    if shown == "100.0" and value < 1:
        return "> 99.9 %"
    if shown == "0.0" and value > 0:
        return "< 0.1 %"
    return f"{shown} %"


def points(value: float | None) -> str:
    """A difference of shares in percentage points, signed; one that is there is never shown as none."""
    if not value:
        return NOTHING if value is None else "0.0"
    shown = f"{value * 100:+.1f}"
    return (f"{value * 100:+.1g}" if float(shown) == 0 else shown).replace("-", "−")


def figure(value: float | None) -> str:
    """A mean with three decimals."""
    return NOTHING if value is None else f"{value:.3f}"


def chance(value: float | None) -> str:
    """A p value with three decimals."""
    if value is None:
        return NOTHING
    return "< .001" if value < 0.001 else f"{value:.3f}"


def interval(bounds: dict[str, float] | None) -> str:
    """Both ends in percent."""
    return NOTHING if bounds is None else f"{share(bounds['low'])} to {share(bounds['high'])}"
