"""What a call that somebody tried and that failed says on its page."""

from typing import Any

from evaluations.forms.fields import json_text
from foundation.errors import Problem

_MOST_DETAIL = 20_000


def refusal_shown(problem: Problem) -> dict[str, Any]:
    """The sentence, what to do, and what else is known, as JSON."""
    detail = json_text(problem.meta) if problem.meta else ""
    return {"message": problem.message, "hint": problem.hint, "detail": detail[:_MOST_DETAIL]}
