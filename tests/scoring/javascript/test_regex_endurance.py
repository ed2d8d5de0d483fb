"""Nothing grows: files, processes, threads and memory stay where they were."""

from __future__ import annotations

import gc
import os
import random
import resource
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scoring.javascript import JavaScriptError, search

if TYPE_CHECKING:
    from collections.abc import Callable

    from scoring.javascript.pool import Pool


def resident_bytes(pid: int | str = "self") -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def held(pool: Pool) -> tuple[int, int, int]:
    """Open files, threads and processes of this process."""
    gc.collect()
    return len(list(Path("/proc/self/fd").iterdir())), threading.active_count(), len(pool._processes)


def evaluate(count: int) -> None:
    """Evaluate all sorts: cached and new patterns, short and long texts, matches and errors."""
    chance = random.Random(count)
    texts = ["", "abc " * 10, "x" * 110_001, "\U0001f600 " * 200, "\ud800"]
    for number in range(count):
        pattern = chance.choice(["b", "(a)(b)?", rf"x{number}", "(", r"(?<=\s)a\b", "\\p{L}+"])
        with suppress(JavaScriptError):
            search(pattern, chance.choice(["", "i", "u", "v", "gy"]), texts[number % 50 % len(texts)])


def in_four_threads(count: int) -> None:
    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(evaluate, count // 4) for _ in range(4)]:
            each.result()


def does_not_grow(pool: Pool, count: int, own_bytes: int, worker_bytes: int) -> None:
    in_four_threads(2_000)
    before, own = held(pool), resident_bytes()
    workers = {worker.pid: resident_bytes(worker.pid) for worker in pool._processes}
    in_four_threads(count)
    assert held(pool) == before
    assert pool.status().restarts == 0
    assert resident_bytes() - own < own_bytes
    for pid, then in workers.items():
        assert resident_bytes(pid) - then < worker_bytes


def test_five_thousand_evaluations(own_pool: Pool) -> None:
    does_not_grow(own_pool, 5_000, 8_000_000, 16_000_000)


@pytest.mark.slow
def test_a_hundred_thousand_evaluations(own_pool: Pool) -> None:
    does_not_grow(own_pool, 100_000, 8_000_000, 24_000_000)


def test_replaced_workers_leave_nothing(own_pool: Pool, eventually: Callable[..., None]) -> None:
    before = held(own_pool)
    for _ in range(6):
        for worker in list(own_pool._processes):
            worker.kill()
        assert search("b", "", "ab") is not None
        eventually(lambda: own_pool.status().workers == 4)
    eventually(lambda: held(own_pool) == before)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    stats = [Path(f"/proc/{pid}/stat").read_text() for pid in children]
    assert not [stat for stat in stats if stat.rsplit(")", 1)[1].split()[0] == "Z"]
