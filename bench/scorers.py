"""Scoring alone, no HTTP and no database: observations a second for each scorer, and for a profile of ten."""

import argparse
import time
from typing import Any

from bench.batch import outputs
from bench.figures import line
from scoring.evaluator import evaluate
from scoring.kit.outcome import ErrorCode
from scoring.kit.registry import registry
from scoring.kit.samples import observation_of
from scoring.profile_documents import read_profile, read_scorer

TEN: tuple[dict[str, Any], ...] = (
    {"type": "RegexMatch", "pattern": "implement(ed|s)", "flags": "i"},
    {"type": "KeywordContains", "keywords": ["tests", "lint", "parser"], "matchMode": "all"},
    {"type": "NumericRange", "valuePath": "wordCount", "min": 30, "max": 90, "falloff": 20},
    {"type": "OccurrenceRatio", "needles": ["just", "really"], "denominatorPath": "wordCount"},
    {"type": "TokenF1"},
    {"type": "RougeL"},
    {
        "type": "OutputSchema",
        "schema": {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}},
    },
    {"type": "JsonMatch"},
    {"type": "JsonLogic", "expression": {"==": [{"var": "object.ok"}, True]}},
    {"type": "NDCG", "k": 10},
)
# What an evaluate body and the function that reads it call the same.
_MEMBERS = {"observation": "document"}
_RECORDED = {
    "expected": {
        "answer": "implemented the parser and verified it with tests",
        "object": {"ok": True, "count": 3},
        "chunks": {"a": 2, "b": 1, "c": 1},
    },
    "retrieval": {"chunks": [{"id": name} for name in "xaybzc"]},
}


def measure(arguments: argparse.Namespace) -> None:
    """One row a scorer: its first example that does not err, over 1,000 texts of some 70 words; then the ten."""
    registry.discover("scoring.scorers")
    rounds = 1 if arguments.quick else 5
    for declared in registry:
        example = next(example for example in declared.examples if example.error is None)
        scorer = read_scorer({"id": "bench", "type": declared.type_name(), **example.settings}, "scorer")
        given = {_MEMBERS.get(name, name): value for name, value in example.observation.items() if name != "output"}
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
    _measure_ten(rounds)


def _measure_ten(rounds: int) -> None:
    """A profile of ten scorers of different families: whole verdicts a second, as an evaluation stores them."""
    scorers = [{"id": f"s{index}", **scorer} for index, scorer in enumerate(TEN)]
    profile = read_profile({"name": "Ten", "scorers": scorers})
    observations = [
        observation_of(output=text, object={"ok": True, "count": 3}, document=_RECORDED) for text in outputs(1000)
    ]
    verdicts = [evaluate(profile, observation) for observation in observations]
    best = 0.0
    for _ in range(rounds):
        began = time.perf_counter()
        for observation in observations:
            evaluate(profile, observation)
        best = max(best, len(observations) / (time.perf_counter() - began))
    scored = sum(verdict.status == "scored" for verdict in verdicts)
    line(
        "a profile of ten mixed scorers",
        f"{best:,.0f}/s",
        f"{1e6 / best:.1f} us each",
        f"{scored:,} of {len(verdicts):,} scored",
    )
