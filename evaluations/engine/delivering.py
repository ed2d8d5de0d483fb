"""Sending what webhooks are to be told: claimed, posted from a few threads, tried again, given up.

At least once: a worker that dies with an answer in its hands leaves the delivery to be sent again.
"""

import logging
import threading
import time
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import timedelta
from functools import cache, partial
from typing import Any

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now

from evaluations.egress import door
from evaluations.encryption import decrypt
from evaluations.models import WebhookDelivery
from evaluations.outbound.webhooks import Posted, post_event
from foundation import times
from foundation.errors import Problem

logger = logging.getLogger(__name__)
WAITS = tuple(timedelta(seconds=seconds) for seconds in (10, 60, 300, 1_800, 7_200))
MOST_ATTEMPTS = len(WAITS) + 1
# Longer than a post may take, and storing what came of it on a busy database.
LEASE = timedelta(seconds=60)
_AT_ONCE = 8
_SECONDS = 3.0
_PENDING = WebhookDelivery.State.PENDING
_CRASHED = f"The worker ended while it sent this for the {MOST_ATTEMPTS}th time; it is not tried again."
_FAULT = "The event could not be sent; see the server's log."


def deliver_due(*, seconds: float = _SECONDS) -> None:
    """Send what is due, for so long at most; an answer that takes longer is stored whenever it comes."""
    give_up()
    _courier().deliver(seconds)


def give_up() -> int:
    """How many deliveries were given up now, because the worker died at each of their attempts."""
    worn = WebhookDelivery.objects.filter(state=_PENDING, next_at__lte=Now(), attempts__gte=MOST_ATTEMPTS)
    return worn.update(state=WebhookDelivery.State.FAILED, next_at=None, error=_CRASHED, updated_at=times.now())


def claim_due(most: int, *, without: Collection[int] = ()) -> list[WebhookDelivery]:
    """Up to `most` due deliveries, now the caller's to send, with their webhooks.

    One for each webhook, and none for those in `without` (keys of webhooks): who answers slowly
    holds up nobody else. Two workers never get the same one.
    """
    due = WebhookDelivery.objects.filter(state=_PENDING, next_at__lte=Now(), attempts__lt=MOST_ATTEMPTS)
    waiting = due.exclude(webhook__in=without).order_by("next_at", "pk").select_related("webhook")
    first: dict[int, WebhookDelivery] = {}
    for row in waiting[: most * _AT_ONCE]:
        first.setdefault(row.webhook_id, row)
    claimed = []
    for row in list(first.values())[:most]:
        # One statement both asks and takes, with the database's clock.
        if due.filter(pk=row.pk).update(next_at=Now() + LEASE, attempts=F("attempts") + 1):
            row.attempts += 1
            claimed.append(row)
    return claimed


def record(row: WebhookDelivery, posted: Posted) -> bool:
    """Whether what came of this attempt was stored: not where the delivery is gone, or somebody else's by now."""
    changes: dict[str, Any] = {"status": posted.status, "error": posted.error, "updated_at": times.now()}
    if not posted.error:
        changes |= {"state": WebhookDelivery.State.DELIVERED, "next_at": None, "delivered_at": times.now()}
    elif row.attempts < MOST_ATTEMPTS:
        changes |= {"next_at": Now() + WAITS[row.attempts - 1]}
    else:
        changes |= {"state": WebhookDelivery.State.FAILED, "next_at": None}
    held = WebhookDelivery.objects.filter(pk=row.pk, state=_PENDING, attempts=row.attempts)
    return held.update(**changes) == 1


class _Courier:
    """The threads of this process that post. The database is touched by the caller's thread, unless it has left."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="webhook")
        self._busy: set[int] = set()
        """The webhooks that a thread waits for."""

    def deliver(self, seconds: float) -> None:
        ends = time.monotonic() + seconds
        flying: dict[Future[Posted], WebhookDelivery] = {}
        while (left := ends - time.monotonic()) > 0:
            busy = frozenset(self._busy)
            for row in claim_due(_AT_ONCE - len(busy), without=busy):
                self._busy.add(row.webhook_id)
                flying[self._send(row)] = row
            if not flying:
                return
            finished, _ = wait(flying, timeout=left, return_when=FIRST_COMPLETED)
            for future in finished:
                self._land(flying.pop(future), future)
        for future, row in flying.items():
            future.add_done_callback(partial(self._land_late, row, threading.get_ident()))

    def _send(self, row: WebhookDelivery) -> Future[Posted]:
        try:
            secret = decrypt(row.webhook.secret_encrypted)
        except Problem as problem:
            unsent: Future[Posted] = Future()
            unsent.set_result(Posted(None, problem.message))
            return unsent
        return self._pool.submit(
            post_event,
            door(),
            url=row.webhook.url,
            secret=secret,
            event=row.event,
            delivery_id=row.public_id,
            payload=row.payload,
        )

    def _land(self, row: WebhookDelivery, future: Future[Posted]) -> None:
        self._busy.discard(row.webhook_id)
        fault = future.exception()
        if fault is not None:
            logger.error("the delivery %s could not be sent", row.public_id, exc_info=fault)
        record(row, Posted(None, _FAULT) if fault is not None else future.result())

    def _land_late(self, row: WebhookDelivery, caller: int, future: Future[Posted]) -> None:
        try:
            self._land(row, future)
        finally:
            # A connection belongs to its thread, and nobody else would end this one.
            if threading.get_ident() != caller:
                connection.close()


@cache
def _courier() -> _Courier:
    # Made where it is first needed: a worker's process may be a copy of another one.
    return _Courier()
