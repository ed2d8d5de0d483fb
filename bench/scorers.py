"""Scoring alone, no HTTP and no database: observations a second for each scorer."""

import argparse
import time

from bench.batch import outputs
from bench.figures import line
from scoring.kit.outcome import ErrorCode
from scoring.kit.registry import registry
from scoring.kit.samples import observation_of
from scoring.profile_documents import read_scorer


def measure(arguments: argparse.Namespace) -> None:
    """One row a scorer: its first example that does not err, over 1,000 texts of some 70 words."""
    registry.discover("scoring.scorers")
    rounds = 1 if arguments.quick else 5
    for declared in registry:
        example = next(example for example in declared.examples if example.error is None)
        scorer = read_scorer({"id": "bench", "type": declared.type_name(), **example.settings}, "scorer")
        given = {name: value for name, value in example.observation.items() if name != "output"}
        observations = [observation_of(output=text, **given) for text in outputs(1000)]
        errors = sum(scorer.outcome(observation).status == "error" for observation in observations[:50])
        best = 0.0
        for _ in range(rounds):
            began = time.perf_counter()
            for observation in observations:
                scorer.outcome(observation)
            best = max(best, len(observations) / (time.perf_counter() - began))
        note = f"{errors} of 50 err ({ErrorCode.MISSING_INPUT} and the like)" if errors else ""
        line(declared.type_name() or "", f"{best:,.0f}/s", f"{1e6 / best:.1f} us each", note)
