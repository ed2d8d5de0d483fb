"""Answering a repeated request as the first time: Idempotency-Key on POST."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from evaluations.models import IdempotentRequest
from foundation.errors import Problem

KEPT_FOR = timedelta(hours=24)
_STALE = timedelta(minutes=2)


class KeyReused(Problem):
    """The Idempotency-Key came with another body before."""

    status = 422
    code = "IDEMPOTENCY_KEY_REUSED"
    default_message = "This Idempotency-Key was used with another body within the last 24 hours."
    default_hint = "Use a new key for a new request."


class StillWorking(Problem):
    """The first request with this key is not answered yet."""

    status = 409
    code = "REQUEST_IN_PROGRESS"
    default_message = "The first request with this Idempotency-Key is still being worked on."
    default_hint = "Send it again in a moment."


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a JSON body."""

    status: int
    body: Any


def answer_once(
    *, user_id: int, route: str, key: str, body_hash: str, work: Callable[[], Answer]
) -> tuple[Answer, bool]:
    """The answer of `work`, or of the first request with this key; and whether it was an earlier one's.

    A refusal is not kept: what `work` raises goes through, and the key may be used again. Raises
    KeyReused for another body, StillWorking while the first request is being answered.
    """
    mine = IdempotentRequest.objects.filter(user_id=user_id, route=route, key=key)
    mine.filter(created_at__lt=Now() - KEPT_FOR).delete()
    # A process that died in the middle left its row without an answer.
    mine.filter(status=None, created_at__lt=Now() - _STALE).delete()
    try:
        with transaction.atomic():
            row = IdempotentRequest.objects.create(user_id=user_id, route=route, key=key, body_hash=body_hash)
    except IntegrityError:
        return _earlier(mine.get(), body_hash), True
    try:
        answer = work()
    except BaseException:
        row.delete()
        raise
    mine.update(status=answer.status, answer=answer.body)
    return answer, False


def _earlier(row: IdempotentRequest, body_hash: str) -> Answer:
    if row.body_hash != body_hash:
        raise KeyReused
    if row.status is None:
        raise StillWorking(headers={"Retry-After": "1"})
    return Answer(row.status, row.answer)


def requests_forget() -> None:
    """Drop the answers that are older than a day."""
    IdempotentRequest.objects.filter(created_at__lt=Now() - KEPT_FOR).delete()
