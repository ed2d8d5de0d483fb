"""Members of a provider's answer, each of the type that its format says; BadAnswer for another."""

from collections.abc import Mapping, Sequence
from typing import Any, Never

from evaluations.outbound.errors import BadAnswer
from evaluations.outbound.providers.generation import Draft


def obj(value: Any, draft: Draft, place: str) -> Mapping[str, Any]:
    """An object; an empty one for null."""
    if value is None:
        return {}
    return value if isinstance(value, dict) else _refuse(draft, f"{place} is no object")


def listed(value: Any, draft: Draft, place: str) -> Sequence[Any]:
    """A list; an empty one for null."""
    if value is None:
        return []
    return value if isinstance(value, list) else _refuse(draft, f"{place} is no list")


def text(value: Any, draft: Draft, place: str) -> str:
    """A text; the empty one for null."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _refuse(draft, f"{place} is no text")


def count(value: Any) -> int | None:
    """A number of tokens; None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _refuse(draft: Draft, wrong: str) -> Never:
    raise BadAnswer(f"The answer of {draft.display} cannot be read: {wrong}.")
