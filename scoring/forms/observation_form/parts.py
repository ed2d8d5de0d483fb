"""PURE: every part of the form in order, and which of them a profile's scorers read."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.forms.observation_form.answer import (
    ANSWER,
    EXPECTED_ANSWER,
    EXPECTED_MORE,
    EXPECTED_OBJECT,
    EXPECTED_PATTERN,
    INPUT,
    MORE_PART,
    OBJECT,
)
from scoring.forms.observation_form.calls import CALLS, EXPECTED_CALLS, EXPECTED_TOOL
from scoring.forms.observation_form.chunks import CITATIONS, EXPECTED_CHUNKS, RETRIEVED
from scoring.forms.observation_form.entries import Entry, Part
from scoring.forms.observation_form.measures import STREAM, USAGE
from scoring.forms.observation_form.state import STATE, TASK

PARTS: tuple[Part, ...] = (
    ANSWER,
    OBJECT,
    EXPECTED_ANSWER,
    EXPECTED_PATTERN,
    EXPECTED_OBJECT,
    EXPECTED_CHUNKS,
    RETRIEVED,
    CITATIONS,
    EXPECTED_TOOL,
    EXPECTED_CALLS,
    CALLS,
    TASK,
    STATE,
    STREAM,
    USAGE,
    INPUT,
    EXPECTED_MORE,
    MORE_PART,
)
# Members of an answer that stand beside the observation document.
ACTION, METADATA = "action", "metadata"
_BESIDE = {"item.metadata": METADATA, "metadata": METADATA}
_TOKENS = {token: part.name for part in PARTS for token in part.tokens} | _BESIDE
_WORD = re.compile(r"[a-z_]+(?:\.[a-z_]+)*")
_PHRASES = tuple(token for token in _TOKENS if " " in token)


def entries() -> Iterator[Entry]:
    """Every entry of every part."""
    return (entry for part in PARTS for entry in part.entries)


def parts_named(reads: Iterable[str]) -> set[str]:
    """The names of the parts that a scorer's `reads` speak of."""
    found = set()
    for words in reads:
        phrase = next((phrase for phrase in _PHRASES if words.startswith(phrase)), "")
        named = [phrase, *_WORD.findall(words.removeprefix(phrase))]
        found |= {part for name in named if (part := _part_of(name))}
    return found


def _part_of(name: str) -> str:
    """The part of the longest channel that `name` is or lies in; "" when it is no channel's name."""
    steps = name.split(".")
    tokens = (".".join(steps[:length]) for length in range(len(steps), 0, -1))
    exact = next((token for token in tokens if token in _TOKENS), "")
    # Something else of the ground truth than what has a part is read as `expected` is.
    return _TOKENS.get(exact, "")


def parts_read(scorers: Iterable[Any]) -> set[str]:
    """The names of the parts that these scorers read, with `action` and `metadata` where they read those."""
    found: set[str] = set()
    for scorer in scorers:
        named = parts_named(getattr(scorer, "reads", ()))
        target = getattr(scorer, "target", "output")
        if ANSWER.name in named and target != "output":
            named |= {ACTION}
            named -= {ANSWER.name} if target == "action" else set()
        found |= named
    return found
