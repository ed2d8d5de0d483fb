"""What webhooks are told: sent, tried again, given up; by one worker at a time, and slow receivers wait alone."""

import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now

from accounts.actors import COMMAND_LINE
from accounts.models import Project
from evaluations.engine import delivering
from evaluations.engine.delivering import LEASE, MOST_ATTEMPTS, WAITS, claim_due, deliver_due, give_up, record
from evaluations.models import Webhook, WebhookDelivery
from evaluations.outbound.webhooks import Posted
from evaluations.services.webhooks import webhook_delete, webhook_update
from foundation import times
from tests.evaluations.cases import webhook_of
from tests.evaluations.outbound.stubs import Received, Stub, answer, resetting, saying, saying_in_turn, serving

pytestmark = pytest.mark.django_db
SECRET = "whsec_of_a_test"


@pytest.fixture(autouse=True)
def _loopback(settings: Any) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = ["127.0.0.1"]


@pytest.fixture
def receiver() -> Iterator[Stub]:
    with serving(saying(200)) as stub:
        yield stub


def due(webhook: Webhook, number: int = 0, **columns: Any) -> WebhookDelivery:
    """A delivery that is to be sent now."""
    given = {"event": "eval_run.completed", "payload": {"n": number}, "next_at": times.now(), **columns}
    return WebhookDelivery.objects.create(webhook=webhook, subject=f"evrun_{number}", **given)


def now_due(row: WebhookDelivery) -> None:
    WebhookDelivery.objects.filter(pk=row.pk).update(next_at=Now() - timedelta(seconds=1))


def seconds_to(row: WebhookDelivery) -> float:
    row.refresh_from_db()
    assert row.next_at is not None
    return (row.next_at - times.now()).total_seconds()


def eventually(holds: Callable[[], bool]) -> bool:
    ends = time.monotonic() + 8
    while time.monotonic() < ends and not holds():
        time.sleep(0.02)
    return holds()


def test_what_is_due_is_sent_once(project: Project, receiver: Stub) -> None:
    row = due(webhook_of(project, receiver.url("/hook")))
    later = due(row.webhook, 1, next_at=times.now() + timedelta(minutes=1))
    deliver_due()
    deliver_due()
    row.refresh_from_db()
    assert [sent.json() for sent in receiver.requests] == [{"n": 0}]
    assert receiver.last.headers["plumbline-delivery"] == row.public_id
    assert (row.state, row.attempts, row.status, row.error, row.next_at) == ("delivered", 1, 200, "", None)
    assert row.delivered_at is not None
    later.refresh_from_db()
    assert (later.state, later.attempts) == ("pending", 0)


def test_all_that_is_due_is_sent_one_after_the_other_to_each(project: Project, receiver: Stub) -> None:
    webhook, other = webhook_of(project, receiver.url("/a")), webhook_of(project, receiver.url("/b"))
    for number in range(10):
        due(webhook, number)
    due(other)
    deliver_due(seconds=8)
    assert [sent.json()["n"] for sent in receiver.requests if sent.target == "/a"] == list(range(10))
    assert not WebhookDelivery.objects.exclude(state="delivered").exists()


def test_what_is_not_taken_is_tried_again_after_longer_and_longer_and_then_given_up(project: Project) -> None:
    with serving(saying(500)) as stub:
        row = due(webhook_of(project, stub.url()))
        for attempt, pause in enumerate(WAITS, start=1):
            deliver_due()
            assert pause.total_seconds() - 5 < seconds_to(row) <= pause.total_seconds()
            assert (row.state, row.attempts, row.status) == ("pending", attempt, 500)
            deliver_due()
            assert len(stub.requests) == attempt
            now_due(row)
        deliver_due()
        row.refresh_from_db()
        assert (row.state, row.attempts, row.next_at, row.delivered_at) == ("failed", 6, None, None)
        assert row.error == f"127.0.0.1:{stub.port} answered with status 500 (Internal Server Error)."
        deliver_due()
        assert len(stub.requests) == MOST_ATTEMPTS == 6
    assert [pause.total_seconds() for pause in WAITS] == [10, 60, 300, 1800, 7200]


def test_a_later_attempt_that_is_taken_leaves_no_error(project: Project) -> None:
    with serving(saying_in_turn(resetting, saying(202))) as stub:
        row = due(webhook_of(project, stub.url()))
        deliver_due()
        row.refresh_from_db()
        assert (row.state, row.status) == ("pending", None)
        assert row.error
        now_due(row)
        deliver_due()
    row.refresh_from_db()
    assert (row.state, row.attempts, row.status, row.error) == ("delivered", 2, 202, "")
    first, second = (sent.headers["plumbline-delivery"] for sent in stub.requests)
    assert first == second


def test_a_blocked_address_is_said_and_not_called(project: Project, receiver: Stub, settings: Any) -> None:
    settings.PLUMBLINE_EGRESS_ALLOW = []
    row = due(webhook_of(project, receiver.url()))
    deliver_due()
    row.refresh_from_db()
    assert (row.state, row.status, receiver.connections) == ("pending", None, 0)
    assert "may not be called" in row.error


def test_a_secret_that_no_key_reads_is_said(project: Project, receiver: Stub) -> None:
    row = due(webhook_of(project, receiver.url(), secret_encrypted="gAAAA"))
    other = due(webhook_of(project, receiver.url()))
    deliver_due()
    row.refresh_from_db()
    other.refresh_from_db()
    assert row.error == "A stored secret cannot be read with this installation's keys."
    assert (other.state, len(receiver.requests)) == ("delivered", 1)


def test_a_fault_of_ours_is_logged_and_holds_up_nobody(
    project: Project, receiver: Stub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*given: Any, **named: Any) -> Posted:
        raise RuntimeError

    monkeypatch.setattr(delivering, "post_event", broken)
    row = due(webhook_of(project, receiver.url()))
    deliver_due()
    assert row.public_id in caplog.text
    assert SECRET not in caplog.text
    monkeypatch.undo()
    now_due(row)
    deliver_due()
    row.refresh_from_db()
    assert row.state == "delivered"


def test_one_of_two_workers_gets_a_delivery(project: Project) -> None:
    row = due(webhook_of(project, "http://127.0.0.1:1/"))
    (first,) = claim_due(8)
    assert claim_due(8) == []
    assert 0 < seconds_to(row) <= LEASE.total_seconds()
    now_due(row)
    # Whoever claimed it first died, or is late: what it has to say does not count any more.
    (second,) = claim_due(8)
    assert (first.attempts, second.attempts) == (1, 2)
    assert not record(first, Posted(200))
    assert record(second, Posted(500, "No."))
    row.refresh_from_db()
    assert (row.state, row.error) == ("pending", "No.")


def test_of_two_who_look_at_once_one_takes_it(project: Project) -> None:
    row = due(webhook_of(project, "http://127.0.0.1:1/"))
    others: list[WebhookDelivery] = []

    def other_first(execute: Any, sql: str, *given: Any) -> Any:
        if sql.startswith("UPDATE") and not others:
            others.append(row)
            others[:] = claim_due(8)
        return execute(sql, *given)

    with connection.execute_wrapper(other_first):
        assert claim_due(8) == []
    row.refresh_from_db()
    assert ([other.pk for other in others], row.attempts) == ([row.pk], 1)


def test_no_more_is_claimed_than_there_is_room_for(project: Project) -> None:
    hooks = [webhook_of(project, "http://127.0.0.1:1/") for _ in range(3)]
    for hook in hooks:
        due(hook)
        due(hook, 1)
    assert [row.webhook_id for row in claim_due(2)] == [hook.pk for hook in hooks[:2]]
    assert claim_due(0) == []
    assert {row.webhook_id for row in claim_due(8, without={hooks[0].pk})} == {hooks[1].pk, hooks[2].pk}


def test_a_worker_that_dies_each_time_ends_it(project: Project) -> None:
    row = due(webhook_of(project, "http://127.0.0.1:1/"))
    for _ in range(MOST_ATTEMPTS):
        assert give_up() == 0
        assert claim_due(8)
        assert give_up() == 0
        now_due(row)
    assert claim_due(8) == []
    assert give_up() == 1
    row.refresh_from_db()
    assert (row.state, row.next_at) == ("failed", None)
    assert "worker ended" in row.error


def test_a_webhook_that_is_deleted_while_it_answers_is_no_fault(project: Project) -> None:
    held = threading.Event()

    def slow(connection: socket.socket, received: Received) -> None:
        held.wait(5)
        connection.sendall(answer(200))

    with serving(slow) as stub:
        webhook = webhook_of(project, stub.url())
        due(webhook)
        (row,) = claim_due(1)
        webhook_delete(actor=COMMAND_LINE, webhook=webhook)
        assert not record(row, Posted(200))
        held.set()
    assert not WebhookDelivery.objects.exists()
    deliver_due()


def test_what_waits_for_one_that_is_switched_off_is_given_up(project: Project, receiver: Stub) -> None:
    row = due(webhook_of(project, receiver.url()))
    webhook_update(actor=COMMAND_LINE, webhook=row.webhook, changes={"active": False})
    deliver_due()
    row.refresh_from_db()
    assert (row.state, row.next_at, receiver.connections) == ("failed", None, 0)
    assert "switched off" in row.error


@pytest.mark.parametrize("count", [1, 8])
def test_looking_takes_two_queries_and_each_claim_one(
    count: int, project: Project, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):
        deliver_due()
    for _ in range(count):
        due(webhook_of(project, "http://127.0.0.1:1/"))
    with django_assert_num_queries(1 + count):
        assert len(claim_due(8)) == count


@pytest.mark.django_db(transaction=True)
def test_a_slow_receiver_holds_up_neither_the_worker_nor_the_others(
    project: Project, receiver: Stub, caplog: pytest.LogCaptureFixture
) -> None:
    release = threading.Event()

    def slow(connection: socket.socket, received: Received) -> None:
        release.wait(8)
        connection.sendall(answer(200))

    with serving(slow) as stub:
        slowly = due(webhook_of(project, stub.url()))
        waiting = due(slowly.webhook, 1)
        quick = due(webhook_of(project, receiver.url()))
        began = time.monotonic()
        deliver_due(seconds=0.5)
        deliver_due(seconds=0.5)
        assert time.monotonic() - began < 4
        quick.refresh_from_db()
        slowly.refresh_from_db()
        waiting.refresh_from_db()
        assert (quick.state, slowly.state, slowly.attempts) == ("delivered", "pending", 1)
        # Its receiver has one of our threads, and gets no second one.
        assert (waiting.attempts, len(stub.requests)) == (0, 1)
        release.set()
        assert eventually(lambda: WebhookDelivery.objects.get(pk=slowly.pk).state == "delivered")
        deliver_due()
        waiting.refresh_from_db()
        assert waiting.state == "delivered"
    assert not [entry for entry in caplog.records if entry.levelno >= logging.WARNING]
