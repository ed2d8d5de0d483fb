"""POST /api/scoring/evaluate/batch: 1,000 outputs with each of the three built-in profiles."""

import argparse
import random
import time

from bench.figures import line
from bench.servers import databases, site

PROFILES = ("code-quality", "task-efficiency", "convention-compliance")
_TEXT = "implemented the parser and verified it with tests just really fixed [docs](/docs/a.md) added lint . done"
_WORDS = _TEXT.split(" ")


def outputs(count: int, seed: int = 1) -> list[str]:
    """Texts of 20 to 120 words, the same for the same seed."""
    generator = random.Random(seed)
    return [" ".join(generator.choices(_WORDS, k=generator.randint(20, 120))) for _ in range(count)]


def measure(arguments: argparse.Namespace) -> None:
    """Evaluations a second, stored, for each profile."""
    count = 200 if arguments.quick else 1000
    for database in databases(arguments.database):
        with site(database) as place:
            place.serve()
            for profile in PROFILES:
                body = [{"profileId": profile, "output": output} for output in outputs(count)]
                place.post("/api/scoring/evaluate/batch", body[:20])
                began = time.perf_counter()
                status, _ = place.post("/api/scoring/evaluate/batch", body)
                seconds = time.perf_counter() - began
                rate, note = f"{count / seconds:.0f} evaluations/s", f"status {status}"
                line(f"{database}, {profile}", rate, f"{seconds:.2f} s", note)
