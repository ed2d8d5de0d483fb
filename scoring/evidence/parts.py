"""What the readers of evidence share: the part that a template draws, and how shapes are told."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from foundation import exact_json
from scoring.kit.numbers import measured_number

MOST_SHOWN = 30
Left = dict[str, Any]
"""The members of the evidence that no part shows yet; a reader takes those that it draws."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a scorer's evidence; templates/scoring/evidence/<kind>.html draws it from `data`."""

    kind: str
    data: Mapping[str, Any]

    @property
    def template(self) -> str:
        """The template that draws it."""
        return f"scoring/evidence/{self.kind}.html"


@dataclass(frozen=True, slots=True)
class Source:
    """What stands beside the evidence: the texts by the name of their target, and what was measured."""

    texts: Mapping[str, str] = field(default_factory=dict)
    value: float | None = None
    unit: str = ""


Reader = Callable[[Left, Source], Part | None]


def taken(left: Left, *names: str) -> dict[str, Any]:
    """The named members, None for one that is not there; they are no longer left."""
    return {name: left.pop(name, None) for name in names}


def is_count(value: Any) -> TypeGuard[int]:
    """Whether it is a whole number from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_texts(value: Any) -> TypeGuard[list[str]]:
    """Whether it is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_objects(value: Any, *names: str) -> TypeGuard[list[dict[str, Any]]]:
    """Whether it is a list of objects that all have these members."""
    return isinstance(value, list) and all(isinstance(item, dict) and item.keys() >= set(names) for item in value)


def is_spans(value: Any) -> TypeGuard[list[list[int]]]:
    """Whether it is a list of [start, end]."""
    return isinstance(value, list) and all(
        isinstance(span, list) and len(span) == 2 and all(map(is_count, span)) for span in value
    )


def number_in(value: Any) -> float | None:
    """The number that a member is, or None."""
    return measured_number(value)


def written(value: Any) -> str:
    """A JSON value on one line, in JSON's spelling."""
    return exact_json.dumps(value, spaced=True)


def beyond(items: Sequence[Any], total: Any = None) -> int:
    """How many there are beyond those that are shown; `total` counts them where the evidence lists fewer."""
    return max(len(items), total if is_count(total) else 0) - min(len(items), MOST_SHOWN)


def members_of(document: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """(name, text, whether it is a block) of each member: scalars on a line, everything else as indented JSON."""
    return [(name, *_member(value)) for name, value in document.items()]


def _member(value: Any) -> tuple[str, bool]:
    if isinstance(value, str):
        return value, "\n" in value or len(value) > 200
    if isinstance(value, dict | list) and value:
        return exact_json.dumps(value, indent=2), True
    return exact_json.dumps(value), False


def needle(text: str) -> str:
    """A text with its line feeds and other invisible characters written out."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
