"""Answers whose status is not 2xx, as errors with a sentence."""

from http import HTTPStatus
from typing import Any

from evaluations.outbound.clock import Clock
from evaluations.outbound.door import Answer
from evaluations.outbound.errors import HttpError, kept
from evaluations.outbound.retries import retry_after_s
from foundation import strict_json
from foundation.errors import Problem


def body_value(text: str) -> Any:
    """A body's JSON value; the text itself when it is none that can be used."""
    try:
        return strict_json.loads(text)
    except Problem:
        return text


def http_error(answer: Answer, clock: Clock, secrets: tuple[str, ...] = (), said: str = "") -> HttpError:
    """The error of an answer with another status than 2xx; `said` is what it says of itself."""
    text = kept(answer.body, secrets)
    words = f": {said}" if said else "."
    return HttpError(
        f"{answer.display} answered with status {status_words(answer.status)}{words}",
        status=answer.status,
        body=body_value(text),
        raw=text,
        retry_after_s=retry_after_s(answer.headers.get("retry-after"), clock.now()),
    )


def status_words(status: int) -> str:
    """`404 (Not Found)`."""
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)
