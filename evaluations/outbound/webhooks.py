"""One event, posted to one webhook, signed."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluations.outbound.connections import Limits
from evaluations.outbound.door import Door, Request
from evaluations.outbound.errors import OutboundError
from evaluations.outbound.statuses import status_words
from foundation import exact_json

LIMITS = Limits(connect_s=5, read_s=10, total_s=10, body_bytes=100_000)
LONGEST_ERROR = 500
_SUCCESS = range(200, 300)
_REDIRECTION = range(300, 400)


@dataclass(frozen=True, slots=True)
class Posted:
    """What came of a post: the answer's status, None without an answer, and one sentence unless it was taken."""

    status: int | None
    error: str = ""


def signature(secret: str, moment: int, body: bytes) -> str:
    """The header's value: `t=<unix seconds>,v1=<HMAC-SHA-256 of "t.body" in hexadecimal>`."""
    mac = hmac.new(secret.encode(), b"%d." % moment + body, "sha256")
    return f"t={moment},v1={mac.hexdigest()}"


def post_event(
    door: Door, *, url: str, secret: str, event: str, delivery_id: str, payload: Mapping[str, Any]
) -> Posted:
    """What came of posting `payload` as JSON. It takes ten seconds at most, and follows no redirect."""
    body = exact_json.dumps(payload).encode()
    headers = (
        ("Content-Type", "application/json"),
        ("Plumbline-Event", event),
        ("Plumbline-Delivery", delivery_id),
        ("Plumbline-Signature", signature(secret, int(door.clock.now().timestamp()), body)),
    )
    try:
        answer = door.fetch(Request(url, "POST", headers, body, LIMITS, secrets=(secret,)))
    except OutboundError as error:
        return Posted(None, error.message[:LONGEST_ERROR])
    if answer.status in _SUCCESS:
        return Posted(answer.status)
    more = ", and redirects are not followed" if answer.status in _REDIRECTION else ""
    return Posted(answer.status, f"{answer.display} answered with status {status_words(answer.status)}{more}.")
