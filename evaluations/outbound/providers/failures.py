"""What providers say when they cannot answer, as one short sentence."""

from collections.abc import Mapping
from typing import Any

from evaluations.outbound.errors import ProviderFailure
from evaluations.outbound.providers.generation import Draft
from scoring.kit.json_shown import clean

_MOST = 300


def said_error(document: Any) -> str:
    """The sentence in an error document: `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`; else nothing."""
    if not isinstance(document, Mapping):
        return ""
    error = document.get("error", document)
    words = error.get("message") if isinstance(error, Mapping) else error
    return clean(words).strip()[:_MOST] if isinstance(words, str) else ""


def refuse_error(draft: Draft, document: Mapping[str, Any], event: str) -> None:
    """Raise ProviderFailure when a document, or the event that brought it, reports an error."""
    if event != "error" and not document.get("error"):
        return
    words = said_error(document) or "it gave no reason"
    when = "in the middle of its answer" if draft.begun else "instead of an answer"
    raise ProviderFailure(f"{draft.display} reported an error {when}: {words}")
