"""`python -m bench.million ROWS`: fill this installation's history with made-up evaluations, quickly.

Rows go past the services in large statements; the search index is made anew at the end.
"""

import random
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import django

from bench.batch import PROFILES, outputs
from scoring.kit.observation import counted_metadata

STEP = 10_000


def fill(count: int) -> None:
    """`count` evaluations of the three built-in profiles over eleven months, by forty agents."""
    # Django is set up only now.
    from django.db import connection

    from scoring.models import Evaluation
    from scoring.search_index import ensure_search_index

    _forget_index(connection)
    generator = random.Random(1)
    texts = outputs(5000)
    for start in range(0, count, STEP):
        rows = [
            _row(generator, texts[number % len(texts)], number, count)
            for number in range(start, min(count, start + STEP))
        ]
        Evaluation.objects.bulk_create([Evaluation(**row) for row in rows], batch_size=1000)
    ensure_search_index("default")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _forget_index(connection: Any) -> None:
    statements = (
        (
            "DROP TRIGGER IF EXISTS scoring_evaluation_search_add",
            "DROP TRIGGER IF EXISTS scoring_evaluation_search_remove",
            "DROP TABLE IF EXISTS scoring_evaluation_search",
        )
        if connection.vendor == "sqlite"
        else ("DROP INDEX IF EXISTS scoring_evaluation_search",)
    )
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def _row(generator: random.Random, text: str, number: int, count: int) -> dict[str, Any]:
    key = generator.choice(PROFILES)
    output = f"{text} needle-{number}"
    errored = generator.random() < 0.01
    score = None if errored else round(generator.random(), 6)
    breakdown = [
        {
            "scorerId": name,
            "scorerName": name,
            "type": "KeywordContains",
            "status": "error" if errored and index == 0 else "scored",
            "score": None if errored and index == 0 else score or 0,
            "weight": 0.35,
            "weighted": None if errored and index == 0 else 0.35 * (score or 0),
            "passed": None if errored and index == 0 else (score or 0) >= 1,
            "explanation": "Made up.",
            "evidence": {},
        }
        for index, name in enumerate(("first", "second", "third"))
    ]
    return {
        "profile_id": key,
        "profile_version": 1,
        "profile_name": key,
        "composite_method": "weightedAvg",
        "pass_threshold": 0.5,
        "status": "errored" if errored else "scored",
        "score": score,
        "passed": None if score is None else score >= 0.5,
        "worst_scorer": "second",
        "breakdown": breakdown,
        "action": "",
        "output": output,
        "agent": f"agent-{generator.randrange(40)}",
        "task_id": f"task-{number // 20}",
        "metadata": counted_metadata({}, "", output),
        "inputs": {},
        "search_text": f"\n{output}".casefold(),
        "created_at": datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=320) * (number / count),
        "created_by_name": "bench",
    }


if __name__ == "__main__":
    django.setup()
    fill(int(sys.argv[1]))
