"""The header Idempotency-Key: a POST that may safely be sent twice."""

import hashlib
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.permissions import actor_of
from evaluations.services.requests import Answer, answer_once
from foundation.errors import ValidationFailed
from foundation.http.api import json_body
from scoring.kit.json_values import canonical_text

HEADER = "Idempotency-Key"
HEADER_WORDS = {HEADER: "The same key and body within 24 hours answer the first result again."}
_LONGEST = 255
Post = Callable[..., Response]


def idempotent(post: Callable[Concatenate[Any, Request, ...], Response]) -> Post:
    """Decorator of a view's `post`: with the header, a repeated request gets the first one's answer.

    The answer of a repetition has the header Idempotency-Replayed.
    """

    @wraps(post)
    def once(self: Any, request: Request, **path: str) -> Response:
        key = request.headers.get(HEADER)
        actor = actor_of(request._request)  # noqa: SLF001
        if key is None or actor is None or actor.user_id is None:
            return post(self, request, **path)
        if not 1 <= len(key) <= _LONGEST or not key.isprintable():
            raise ValidationFailed.one(HEADER, "invalid_header", f"Must be 1 to {_LONGEST} printable characters.")
        body = json_body(request) if request.stream is not None else None

        def work() -> Answer:
            response = post(self, request, **path)
            return Answer(response.status_code, response.data)

        said, earlier = answer_once(
            user_id=actor.user_id,
            route=request.path,
            key=key,
            body_hash=hashlib.sha256(canonical_text(body).encode()).hexdigest(),
            work=work,
        )
        return Response(said.body, status=said.status, headers={"Idempotency-Replayed": "true"} if earlier else {})

    return once
