"""Settling a run and comparing it with its baseline: 10,000 items, 3 scorers, 40 kinds; and the tests alone."""

import argparse
import random
import time
from collections.abc import Callable
from typing import Any

from bench.figures import line
from evaluations.aggregates import aggregate
from evaluations.comparison import ComparedRun, compare
from evaluations.findings import finding
from evaluations.run_results import RunResult, ScorerOutcome
from evaluations.statistics.bootstrap import mean_interval
from evaluations.statistics.permutation import sign_flip

KINDS = 40


def measure(arguments: argparse.Namespace) -> None:
    """The best of some rounds of each, in milliseconds."""
    items, rounds = (1_000, 2) if arguments.quick else (10_000, 7)
    base, new = _run(items, seed=1, rate=0.70), _run(items, seed=2, rate=0.73)
    sides = ComparedRun("baseline", base), ComparedRun("candidate", new)
    compared = compare(*sides, group_by="kind")
    generator = random.Random(3)
    differences = [generator.gauss(0.01, 1) for _ in range(items)]
    line(f"{items:,} items, 3 scorers, {KINDS} kinds", "best of", str(rounds))
    for label, work in (
        ("settle (aggregates)", lambda: aggregate(new, item_count=items, group_by="kind")),
        ("compare", lambda: compare(*sides, group_by="kind")),
        ("the answer in words", lambda: finding(compared)),
        ("sign-flip test of the differences", lambda: sign_flip(differences)),
        ("interval of the differences", lambda: mean_interval(differences)),
    ):
        line(label, f"{_best(work, rounds) * 1000:.1f} ms")


def _best(work: Callable[[], Any], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def _run(items: int, *, seed: int, rate: float) -> list[RunResult]:
    """Pass and fail, a score, and a time with a limit."""
    generator = random.Random(seed)
    results = []
    for place in range(items):
        passed = generator.random() < rate
        delay = generator.lognormvariate(6, 0.5)
        outcomes = (
            ScorerOutcome("pass_fail", "scored", float(passed), passed),
            ScorerOutcome("score", "scored", generator.random(), generator.random() < rate),
            ScorerOutcome("latency", "scored", min(1.0, 400 / delay), delay <= 400, delay, "ms"),
        )
        results.append(RunResult(f"{place:06}", place, "scored", passed, outcomes, group=f"kind {place % KINDS}"))
    return results
