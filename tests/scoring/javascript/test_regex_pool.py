"""Four at once, 64 waiting, and recovery from whatever happens to a worker."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from scoring.javascript import (
    EngineFailed,
    InvalidPattern,
    Match,
    PatternLimit,
    PoolBusy,
    check,
    configure,
    pool,
    pool_status,
    search,
)
from scoring.javascript.engines import WorkerCommand, worker_command
from scoring.javascript.protocol import Operation, Request, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scoring.javascript.pool import Pool

    MakePool = Callable[..., Pool]
    Eventually = Callable[..., None]


EASY = Request(Operation.SEARCH, b"a\0", b"", b"a\0")
# Nothing can interrupt its compilation, which takes seconds and gigabytes where it is let.
RUNAWAY = r"\p{RGI_Emoji}" * 2
SLOW_MATCH = (r"(a*)*\1b", "", "a" * 30_000)


def processes_of(pool: Pool) -> list[int]:
    return [worker.pid for worker in list(pool._processes)]


@contextmanager
def stopped(pool: Pool) -> Iterator[None]:
    """Stop every worker, so that evaluations neither end nor cost anything."""
    for pid in processes_of(pool):
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in processes_of(pool):
            os.kill(pid, signal.SIGCONT)


def test_nothing_is_started_before_it_is_needed(make_pool: MakePool) -> None:
    pool = make_pool(ready=False)
    assert (pool.status().workers, pool.status().starting) == (0, 0)
    assert pool.evaluate(EASY).status is Status.MATCH


def test_four_at_once_and_the_sixty_fifth_in_the_queue_is_refused(
    make_pool: MakePool, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.javascript.bounds.WALL_SECONDS", 30.0)
    pool = make_pool()
    with ThreadPoolExecutor(68) as threads:
        with stopped(pool):
            answers = [threads.submit(pool.evaluate, EASY) for _ in range(68)]
            eventually(lambda: pool.status().waiting == 64)
            assert (pool.status().workers, pool.status().busy) == (4, 4)
            began = time.monotonic()
            with pytest.raises(PoolBusy) as busy:
                pool.evaluate(EASY)
            assert time.monotonic() - began < 0.5
            assert busy.value.retry_after >= 1
            assert pool.status().refused == 1
        assert {answer.result(20).status for answer in answers} == {Status.MATCH}
    status = pool.status()
    assert (status.busy, status.waiting, status.restarts) == (0, 0, 0)


def test_the_queue_is_served_in_order(
    make_pool: MakePool, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.javascript.bounds.WALL_SECONDS", 30.0)
    pool = make_pool(workers=1)
    order: list[int] = []

    def evaluate(number: int) -> None:
        worker = pool._take(again=False)
        order.append(number)
        pool._give_back(worker, usable=True)

    with ThreadPoolExecutor(9) as threads:
        worker = pool._take(again=False)
        for number in range(8):
            threads.submit(evaluate, number)
            eventually(lambda number=number: pool.status().waiting == number + 1)
        pool._give_back(worker, usable=True)
    assert order == list(range(8))


def test_slow_patterns_leave_the_others_their_turn(own_pool: Pool) -> None:
    """Three callers with slow patterns all the time; who comes between them is served."""
    ended = threading.Event()

    def hog() -> None:
        while not ended.is_set():
            with pytest.raises(PatternLimit):
                search(*SLOW_MATCH)

    with ThreadPoolExecutor(3) as threads:
        hogs = [threads.submit(hog) for _ in range(3)]
        try:
            slowest = 0.0
            for _ in range(30):
                began = time.monotonic()
                assert search("b", "", "ab") == Match(1, 2, ())
                slowest = max(slowest, time.monotonic() - began)
        finally:
            ended.set()
        for each in hogs:
            each.result(10)
    assert slowest < 1.0
    assert own_pool.status().restarts == 0


def test_a_caller_is_not_kept_for_ever(make_pool: MakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    one = make_pool(workers=1)
    monkeypatch.setattr(pool, "QUEUE_SECONDS", 0.05)
    worker = one._take(again=False)
    with pytest.raises(PoolBusy):
        one.evaluate(EASY)
    assert one.status().waiting == 0
    one._give_back(worker, usable=True)
    assert one.evaluate(EASY).status is Status.MATCH


def test_a_runaway_costs_its_caller_little_and_the_next_nothing(own_pool: Pool) -> None:
    before = set(processes_of(own_pool))
    began = time.monotonic()
    with pytest.raises(PatternLimit, match=r"^Regex evaluation exceeded the 100 ms limit$"):
        search(RUNAWAY, "v", "text")
    assert time.monotonic() - began < 1.5
    took = []
    for _ in range(5):
        began = time.monotonic()
        assert search("b", "", "ab") == Match(1, 2, ())
        took.append(time.monotonic() - began)
    assert min(took) < 0.05
    assert own_pool.status().restarts == 1
    assert len(before & set(processes_of(own_pool))) >= 3


def test_more_runaways_than_workers(own_pool: Pool, eventually: Eventually) -> None:
    with ThreadPoolExecutor(6) as threads:
        answers = [threads.submit(search, RUNAWAY, "v", "text") for _ in range(6)]
        for answer in answers:
            assert isinstance(answer.exception(20), PatternLimit)
    assert search("b", "", "ab") == Match(1, 2, ())
    eventually(lambda: own_pool.status().workers == 4)
    assert own_pool.status().restarts >= 6
    assert len(processes_of(own_pool)) == 4


def test_a_check_is_told_that_compiling_takes_too_long(own_pool: Pool) -> None:
    with pytest.raises(InvalidPattern, match=r"takes too long to compile$"):
        check(RUNAWAY, "v")
    assert own_pool.status().restarts == 1


def test_a_compilation_that_needs_too_much_memory(own_pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import os, resource; resource.setrlimit(4, (0, 0)); os.write(1, b'R' + bytes(5));"
    script += "os.read(0, 9); os.write(2, b'memory allocation of 9 bytes failed'); os.abort()"
    command = WorkerCommand((sys.executable, "-I", "-S", "-c", script), None)
    for worker in [own_pool._take(again=False) for _ in range(4)]:
        worker.kill()
        monkeypatch.setattr(pool, "worker_command", lambda *_: command)
        own_pool._give_back(worker, usable=False)
    with pytest.raises(PatternLimit) as limit:
        search("a", "", "a")
    assert limit.value.kind == "memory"
    with pytest.raises(InvalidPattern, match=r"too much memory to compile$"):
        check("a", "")


def test_idle_workers_killed_from_outside(own_pool: Pool, eventually: Eventually) -> None:
    for _ in range(3):
        for pid in processes_of(own_pool):
            os.kill(pid, signal.SIGKILL)
        for _ in range(5):
            assert search("b", "", "ab") == Match(1, 2, ())
        eventually(lambda: own_pool.status().workers == 4)
    assert len(processes_of(own_pool)) == 4


def test_workers_killed_while_they_start(make_pool: MakePool, eventually: Eventually) -> None:
    one = make_pool(ready=False, workers=1)
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(one.evaluate, EASY)
        for _ in range(3):
            eventually(lambda: len(processes_of(one)) == 1)
            starting = processes_of(one)[0]
            os.kill(starting, signal.SIGKILL)
            eventually(lambda starting=starting: starting not in processes_of(one))
        assert answer.result(10).status is Status.MATCH


def test_a_busy_worker_killed_from_outside(own_pool: Pool, eventually: Eventually) -> None:
    """The innocent evaluation that was lost with it is made again."""
    with ThreadPoolExecutor(1) as threads:
        with stopped(own_pool):
            answer = threads.submit(search, "b", "", "ab")
            eventually(lambda: own_pool.status().busy == 1)
            busy = next(iter(own_pool._busy)).pid
            os.kill(busy, signal.SIGKILL)
        assert answer.result(10) == Match(1, 2, ())
    assert own_pool.status().restarts == 1


def test_a_starved_worker_is_no_fault_of_the_pattern(
    own_pool: Pool, eventually: Eventually, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that got no processor time in the second it may have is replaced and asked again."""
    monkeypatch.setattr("scoring.javascript.bounds.WALL_SECONDS", 0.3)
    with ThreadPoolExecutor(1) as threads:
        worker = own_pool._idle[-1]
        os.kill(worker.pid, signal.SIGSTOP)
        answer = threads.submit(search, "b", "", "ab")
        assert answer.result(10) == Match(1, 2, ())
    assert own_pool.status().restarts == 1
    eventually(lambda: own_pool.status().workers == 4)


def test_an_interrupted_caller_does_not_leave_its_answer_to_the_next(
    own_pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def alarm(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        with pytest.raises(TimeoutError):
            search(*SLOW_MATCH)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    for _ in range(8):
        assert search("b", "", "ab") == Match(1, 2, ())
    assert (own_pool.status().busy, own_pool.status().restarts) == (0, 1)


def test_an_interrupted_waiter_leaves_the_queue(make_pool: MakePool) -> None:
    def alarm(*_: object) -> None:
        raise TimeoutError

    one = make_pool(workers=1)
    worker = one._take(again=False)
    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.03)
        with pytest.raises(TimeoutError):
            one.evaluate(EASY)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert one.status().waiting == 0
    one._give_back(worker, usable=True)
    assert one.evaluate(EASY).status is Status.MATCH


def test_a_worker_whose_caller_vanished_is_replaced(make_pool: MakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "RECLAIM_SECONDS", 0.1)
    one = make_pool(workers=1)
    vanished = one._take(again=False)
    time.sleep(0.15)
    assert one.evaluate(EASY).status is Status.MATCH
    one._give_back(vanished, usable=True)
    assert one.status().restarts == 1
    assert one.evaluate(EASY).status is Status.MATCH


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"executable": "/nowhere/python"}, "No worker could be started: .*No such file"),
        ({"executable": "/bin/false"}, "did not start: The worker ended with exit code 1"),
        ({"engine": "node", "executable": "/bin/true"}, "did not start: The worker ended with"),
    ],
)
def test_an_engine_that_cannot_start_says_why(make_pool: MakePool, settings: dict[str, Any], reason: str) -> None:
    broken = make_pool(ready=False, **settings)
    for _ in range(3):
        began = time.monotonic()
        with pytest.raises(EngineFailed, match=reason):
            broken.evaluate(EASY)
        assert time.monotonic() - began < 5
    assert broken.status().starting == 0
    assert not processes_of(broken)


def test_an_engine_that_is_not_installed(make_pool: MakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(EngineFailed, match="corvus-regex-ecma262 is not installed"):
        make_pool(ready=False).evaluate(EASY)
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(EngineFailed, match="Node is not installed"):
        make_pool(ready=False, engine="node").evaluate(EASY)


def test_it_starts_again_once_the_cause_is_gone(make_pool: MakePool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "RESTART_PAUSE_SECONDS", 0.05)
    healthy = worker_command
    monkeypatch.setattr(pool, "worker_command", lambda *_: healthy("corvus", "/bin/false"))
    broken = make_pool(ready=False)
    with pytest.raises(EngineFailed):
        broken.evaluate(EASY)
    monkeypatch.setattr(pool, "worker_command", healthy)
    time.sleep(0.1)
    assert broken.evaluate(EASY).status is Status.MATCH


def test_a_closed_pool_refuses_and_leaves_nothing(make_pool: MakePool, eventually: Eventually) -> None:
    one = make_pool(workers=1)
    pids = processes_of(one)
    worker = one._take(again=False)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(one.evaluate, EASY)
        eventually(lambda: one.status().waiting == 1)
        one.close()
        assert isinstance(waiting.exception(5), EngineFailed)
    one._give_back(worker, usable=False)
    with pytest.raises(EngineFailed, match="shut down"):
        one.evaluate(EASY)
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_pool_closed_while_it_starts(make_pool: MakePool) -> None:
    for _ in range(3):
        one = make_pool(ready=False)
        with ThreadPoolExecutor(1) as threads:
            answer = threads.submit(one.evaluate, EASY)
            time.sleep(0.02)
            one.close()
            assert isinstance(answer.exception(5), EngineFailed)
        assert not processes_of(one)


def test_a_worker_that_grew_is_replaced_without_a_fault(own_pool: Pool) -> None:
    """Patterns of 2.5 MB each: the worker leaves past 256 MB, having answered."""
    for number in range(300):
        assert search(rf"\p{{RGI_Emoji}}{number}", "iv", "\U0001f600") is None
        if own_pool.status().restarts:
            break
    assert own_pool.status().restarts == 1
    assert search("b", "", "ab") == Match(1, 2, ())


def test_the_status_of_the_pool(own_pool: Pool) -> None:
    assert pool_status() == pool.PoolStatus(engine="corvus", workers=4)
    configure(engine="corvus")
    assert pool_status().workers == 4


def test_another_engine_from_the_next_evaluation_on(own_pool: Pool, node: str) -> None:
    pids = processes_of(own_pool)
    configure(engine="node", executable=node)
    try:
        assert pool_status() == pool.PoolStatus(engine="node")
        for pid in pids:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)
        assert search("(b)", "", "ab") == Match(1, 2, ((1, 2),))
        assert pool_status().engine == "node"
    finally:
        configure()
    assert search("(b)", "", "ab") == Match(1, 2, ((1, 2),))
