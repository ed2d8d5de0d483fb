"""What a JavaScript regular expression costs here, in figures: `python bench/regex.py [--quick]`.

Ratios travel between machines, times do not: the cost of starting a process for each evaluation
is measured beside it.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.javascript import PatternLimit, configure, pool_status, search

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = (r"(\d{4})-(\d{2})", "", "due on 2026-10, paid on 2027-01, " * 6)
LONG = ("z$", "", "abcdefghij " * 10_000 + "z")
RUNAWAY = (r"\p{RGI_Emoji}" * 2, "v", "text")
SLOW_MATCH = (r"(a*)*\1b", "", "a" * 30_000)


def milliseconds(work: Callable[[], object]) -> float:
    """Return how long the work takes, in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def evaluation_time(pattern: str, flags: str, text: str) -> float:
    """Return how long one evaluation takes, in milliseconds."""
    return milliseconds(lambda: search(pattern, flags, text))


def show(label: str, times: list[float]) -> float:
    """Print the median and the 99th percentile of times in milliseconds; return the median."""
    median = statistics.median(times)
    worst = sorted(times)[int(len(times) * 0.99)]
    print(f"{label:<42} p50 {median:9.3f} ms   p99 {worst:9.3f} ms   ({len(times)})")
    return median


def evaluations_a_second(threads: int, seconds: float, evaluation: tuple[str, str, str]) -> float:
    """Return how many evaluations a second so many threads get."""
    ended = time.perf_counter() + seconds
    counts = [0] * threads

    def work(number: int) -> None:
        while time.perf_counter() < ended:
            search(*evaluation)
            counts[number] += 1

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(counts) / seconds


def limited(evaluation: tuple[str, str, str]) -> float:
    """Return how long an evaluation takes that ends at a limit, in milliseconds."""

    def work() -> None:
        try:
            search(*evaluation)
        except PatternLimit:
            return
        print("(it was answered)")

    return milliseconds(work)


def start_a_process() -> None:
    """Answer one match the simple way: a new interpreter with the engine in it."""
    code = (
        "import corvus_regex_ecma262 as engine, sys;print(engine.compile(sys.argv[1]).search(sys.stdin.read()).span())"
    )
    command = [sys.executable, "-I", "-c", code, SMALL[0]]
    subprocess.run(command, input=SMALL[2], text=True, capture_output=True, check=True)


def wait_until_ready() -> None:
    """Return when all workers are started."""
    while pool_status().starting:
        time.sleep(0.01)


def measure(*, quick: bool) -> None:
    """Print every figure."""
    count, seconds = (200, 0.3) if quick else (5_000, 2.0)
    print(f"first answer of a new pool                 {evaluation_time(*SMALL):9.1f} ms")
    wait_until_ready()
    small = show("small match, through the pool", [evaluation_time(*SMALL) for _ in range(count)])
    new = [evaluation_time(f"{n}x", "", SMALL[2]) for n in range(count // 4)]
    show("small match, pattern not seen before", new)
    show("110,001 characters", [evaluation_time(*LONG) for _ in range(count // 4)])
    for label, evaluation in (("small", SMALL), ("110,001", LONG)):
        for threads in (1, 4, 8):
            rate = evaluations_a_second(threads, seconds, evaluation)
            print(f"evaluations/s, {label:>7}, {threads} threads        {rate:12,.0f}")
    print(f"runaway match, answered after              {limited(SLOW_MATCH):9.1f} ms")
    print(f"  next small match                         {evaluation_time(*SMALL):9.3f} ms")
    print(f"runaway compilation, answered after        {limited(RUNAWAY):9.1f} ms")
    print(f"  next small match                         {evaluation_time(*SMALL):9.3f} ms")
    wait_until_ready()
    starts = [milliseconds(start_a_process) for _ in range(5 if quick else 30)]
    ratio = show("small match, a process started for it", starts) / small
    print(f"a process for each match costs             {ratio:9.0f} times as much")


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description="Measure JavaScript regular expressions.")
    parser.add_argument("--quick", action="store_true", help="a few seconds, for a look")
    parser.add_argument("--engine", default="corvus", choices=["corvus", "node"])
    options = parser.parse_args()
    configure(engine=options.engine)
    load = ", ".join(f"{figure:.1f}" for figure in os.getloadavg())
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, load {load}, {options.engine}")
    measure(quick=options.quick)


if __name__ == "__main__":
    main()
