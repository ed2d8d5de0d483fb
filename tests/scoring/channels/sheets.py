"""Sheets from observation documents, as the evaluation page makes them."""

from typing import Any

from scoring.channels.recorded import Channel
from scoring.channels.sheet import Sheet, sheet_of
from scoring.evaluate_bodies import Answer, read_body


def sheet(starts: dict[str, int] | None = None, **body: Any) -> Sheet:
    """The sheet of an evaluation that was sent this body."""
    answer = read_body(Answer, body)
    return sheet_of(answer.observe(), answer.inputs(), starts)


def channel(kind: str, recorded: Any, start: int = 1, **document: Any) -> Channel:
    """The view of one channel that was recorded so; what else the document holds stands beside it."""
    whole = sheet({kind.replace("_", "-"): start}, observation={kind: recorded, **document})
    return next(found for found in whole.channels if found.kind == kind)
