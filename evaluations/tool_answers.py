"""PURE: what a tool answered, read as the score of an item."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from foundation import strict_json
from foundation.errors import Problem
from scoring.kit.json_shown import shown

_SHOWN = 80


class UnreadableToolAnswer(Exception):
    """An answer that is no score; its text names the scorer and the value."""

    def __init__(self, scorer: str, message: str) -> None:
        self.message = f"{scorer}: {message}"
        super().__init__(self.message)


@dataclass(frozen=True, slots=True)
class ToolScore:
    """What a tool says of an item: a score from 0 to 1, a verdict, and why, when it says."""

    score: float
    passed: bool
    reasoning: str | None


def read_tool_score(body: Any, *, scorer: str, pass_threshold: float | None) -> ToolScore:
    """The score in `body`, a JSON value or a text that holds one object between its first `{` and last `}`.

    `passed` is the tool's own verdict, else score ≥ `pass_threshold`. Raises UnreadableToolAnswer
    for everything that is not `{score: 0..1, passed?: boolean, reasoning?: text}`: nothing is
    clamped, converted or taken for 0.
    """
    answer = _object(body, scorer)
    score = _score(answer, scorer)
    verdict = answer.get("passed")
    if verdict is not None and not isinstance(verdict, bool):
        raise UnreadableToolAnswer(scorer, f"passed must be true or false; the tool answered {_shown(verdict)}.")
    if verdict is None:
        if pass_threshold is None:
            raise UnreadableToolAnswer(scorer, "answered without a passed verdict and declares no pass_threshold.")
        verdict = score >= pass_threshold
    reasoning = answer.get("reasoning")
    if reasoning is not None and (not isinstance(reasoning, str) or not reasoning.strip()):
        raise UnreadableToolAnswer(scorer, f"reasoning must be text; the tool answered {_shown(reasoning)}.")
    return ToolScore(score, verdict, reasoning)


def _object(body: Any, scorer: str) -> dict[str, Any]:
    value = _embedded(body, scorer) if isinstance(body, str) else body
    if isinstance(value, dict):
        return value
    raise UnreadableToolAnswer(scorer, f"the tool must answer an object with a score; it answered {_shown(value)}.")


def _embedded(text: str, scorer: str) -> Any:
    first, last = text.find("{"), text.rfind("}")
    if not 0 <= first < last:
        raise UnreadableToolAnswer(scorer, f"the tool's answer holds no JSON object: {_shown(text)}.")
    try:
        return strict_json.loads(text[first : last + 1])
    except Problem as problem:
        why = problem.message.replace("The body", "it").replace("The document", "it")
        raise UnreadableToolAnswer(
            scorer, f"what stands between {{ and }} in the tool's answer cannot be read: {why}"
        ) from problem


def _score(answer: dict[str, Any], scorer: str) -> float:
    if "score" not in answer:
        raise UnreadableToolAnswer(scorer, f"the tool's answer has no score: {_shown(answer)}.")
    score = answer["score"]
    if isinstance(score, bool) or not isinstance(score, int | float | Decimal):
        raise UnreadableToolAnswer(scorer, f"score must be a number from 0 to 1; the tool answered {_shown(score)}.")
    if not math.isfinite(score) or not 0 <= score <= 1:
        raise UnreadableToolAnswer(scorer, f"score must be from 0 to 1; the tool answered {_shown(score)}.")
    return float(score)


def _shown(value: Any) -> str:
    return shown(value, _SHOWN)
