"""Observations from their short form, as evaluate bodies and the scorers' examples write them."""

from collections.abc import Mapping
from typing import Any

from scoring.kit.observation import Observation, counted_metadata
from scoring.kit.paths import ABSENT

CHANNELS = (
    "case_id",
    "input",
    "outcome",
    "retrieval",
    "citations",
    "tool_calls",
    "stream",
    "state",
    "usage",
    "trace",
    "subject",
)


def observation_of(
    *,
    action: str | None = None,
    output: Any = ABSENT,
    object: Any = ABSENT,  # noqa: A002 - the document's own word
    expected: Any = ABSENT,
    metadata: Mapping[str, Any] | None = None,
    document: Mapping[str, Any] | None = None,
) -> Observation:
    """The observation that the parts make, with the server's counts in its metadata.

    `document` is an observation document; what is given beside it wins over what it holds.
    """
    recorded = dict(document or {})
    answer = recorded.get("output")
    answer = answer if isinstance(answer, dict) else {}
    if output is ABSENT:
        output = answer.get("text", ABSENT)
    if object is ABSENT:
        object = answer.get("object", ABSENT)  # noqa: A001
    if expected is ABSENT:
        expected = recorded.get("expected", ABSENT)
    text = output if isinstance(output, str) else ""
    return Observation(
        output=output,
        action=action or "",
        object=object,
        expected=expected,
        metadata=counted_metadata(metadata or {}, action or "", text),
        channels={name: recorded[name] for name in CHANNELS if name in recorded},
    )
