"""Scorers beside the plain functions of the field's libraries: the same data, the same answers, ratios.

The libraries are no part of the product: they are installed into an environment of their own, which
is made for the run and thrown away, and run there by `bench/peers_worker.py`. Every answer of theirs
is held against ours, and one that differs ends the run.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import line
from scoring.kit.observation import Observation
from scoring.kit.outcome import Outcome, Reading
from scoring.kit.registry import registry
from scoring.kit.samples import observation_of
from scoring.kit.scorer import Scorer
from scoring.profile_documents import read_scorer

LIBRARIES = (
    "pytrec_eval-terrier==0.5.11",
    "jsonschema==4.26.0",
    "jsonschema-rs==0.61.2",
    "rouge-score==0.1.2",
    "rapidfuzz==3.14.6",
    "panzi-json-logic==1.0.1",
)
_TEXT = "the quick brown fox jumps over a lazy dog while seven wizards brew strange new potions at night"
_WORDS = _TEXT.split(" ")
SCHEMA = {
    "type": "object",
    "required": ["name", "quantity", "price", "done", "kind"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 40},
        "quantity": {"type": "integer", "minimum": 0},
        "price": {"type": "number", "exclusiveMaximum": 1000},
        "done": {"type": "boolean"},
        "kind": {"enum": ["a", "b", "c"]},
    },
}
RULE = {"and": [{"==": [{"var": "object.kind"}, "a"]}, {"<": [{"+": [{"var": "object.quantity"}, 1]}, 50]}]}


@dataclass(frozen=True, slots=True)
class Contest:
    """One scorer and the data it reads; `peers` are the functions of the worker that answer the same."""

    name: str
    settings: Mapping[str, Any]
    answers: Sequence[Mapping[str, Any]]
    peers: Sequence[str]


class _Nothing(Scorer):
    """A scorer that measures nothing: what an outcome costs whatever is measured."""

    def score(self, observation: Observation) -> Reading:
        """One, and no words."""
        return Reading(1.0, "")


def contests(count: int, seed: int = 1) -> Sequence[Contest]:
    """What is compared, `count` answers each, the same for the same seed."""
    made = random.Random(seed)
    ranked = [_ranked(made) for _ in range(count)]
    texts = [{"output": _text(made), "expected": _text(made)} for _ in range(count)]
    objects = [{"object": _object(made, wrong=0.0)} for _ in range(count)]
    wrong = [{"object": _object(made, wrong=0.5)} for _ in range(count)]
    lists = [{"object": [_object(made, wrong=0.0) for _ in range(100)]} for _ in range(max(1, count // 20))]
    of_items = {"type": "array", "items": SCHEMA}
    schema = ("jsonschema", "jsonschema_rs")
    return (
        Contest("HitAtK", {"k": 10}, ranked, ("success_10",)),
        Contest("MRR", {}, ranked, ("recip_rank",)),
        Contest("NDCG", {"k": 10}, ranked, ("ndcg_cut_10",)),
        Contest("PrecisionAtK", {"k": 10}, ranked, ("P_10",)),
        Contest("RecallAtK", {"k": 10}, ranked, ("recall_10",)),
        Contest("AveragePrecision", {}, ranked, ("map",)),
        Contest("OutputSchema", {"schema": SCHEMA}, objects, schema),
        Contest("OutputSchema", {"schema": SCHEMA}, wrong, schema),
        Contest("OutputSchema", {"schema": of_items}, lists, schema),
        Contest("JsonLogic", {"expression": RULE}, objects, ("json_logic",)),
        Contest("TokenF1", {}, texts, ("rouge_1",)),
        Contest("RougeL", {}, texts, ("rouge_l",)),
        Contest("Similarity", {}, texts, ("indel",)),
    )


def _ranked(made: random.Random) -> dict[str, Any]:
    found = made.sample(range(60), 20)
    relevant = {f"chunk-{number}": 1 for number in made.sample(range(60), 8)}
    chunks = [{"id": f"chunk-{number}"} for number in found]
    return {"document": {"retrieval": {"chunks": chunks}, "expected": {"chunks": relevant}}}


def _text(made: random.Random) -> str:
    return " ".join(made.choices(_WORDS, k=made.randint(20, 80)))


def _object(made: random.Random, *, wrong: float) -> dict[str, Any]:
    right = {
        "name": made.choice(_WORDS),
        "quantity": made.randint(0, 90),
        "price": made.randint(0, 99_999) / 100,
        "done": made.random() < 0.5,
        "kind": made.choice("abc"),
    }
    return {**right, "quantity": -1, "kind": "z"} if made.random() < wrong else right


def measure(arguments: argparse.Namespace) -> None:
    """One row a peer: both in answers a second, and how many times as long ours takes.

    The last figure adds to the peer what an outcome costs by itself, with its verdict and its record.
    """
    registry.discover("scoring.scorers")
    rounds, count = (1, 400) if arguments.quick else (5, 2_000)
    with tempfile.TemporaryDirectory(prefix="plumbline-peers-") as folder:
        python = _environment(Path(folder))
        empty = _Nothing(id="nothing", type="Nothing")
        for contest in contests(count):
            scorer = read_scorer({"id": "bench", "type": contest.name, **contest.settings}, "scorer")
            observations = [observation_of(**answer) for answer in contest.answers]
            outcomes, ours = _timed(scorer, observations, rounds)
            _, nothing = _timed(empty, observations, rounds)
            for peer, theirs in _asked(python, contest, rounds).items():
                _check(contest, peer, outcomes, theirs["scores"])
                each, label = theirs["seconds"] / len(observations), f"{contest.name}, {_words(contest)}"
                ratio, whole = ours / each, ours / (each + nothing)
                line(
                    label,
                    f"{1 / ours:,.0f}/s",
                    f"{peer} {1 / each:,.0f}/s",
                    f"{ratio:.1f} x as long",
                    f"{whole:.1f} x, outcome counted",
                )


def _words(contest: Contest) -> str:
    answer = contest.answers[0]
    if contest.name != "OutputSchema":
        return f"{len(contest.answers):,} answers"
    if isinstance(answer["object"], list):
        return "lists of 100 objects"
    wrong = any(given["object"]["kind"] == "z" for given in contest.answers)
    return "half of the objects wrong" if wrong else "valid objects"


def _timed(scorer: Any, observations: Sequence[Observation], rounds: int) -> tuple[list[Outcome], float]:
    """The outcomes, and the seconds for one of them in the best round."""
    outcomes: list[Outcome] = []
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        outcomes = [scorer.outcome(observation) for observation in observations]
        best = min(best, time.perf_counter() - began)
    return outcomes, best / len(observations)


def _environment(folder: Path) -> Path:
    """The Python of a new environment with the libraries; CalledProcessError where they cannot be had."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *LIBRARIES], check=True)
    return python


def _asked(python: Path, contest: Contest, rounds: int) -> dict[str, Any]:
    """What the peers answer: by the name of each, its scores and the seconds of its best round."""
    question = {
        "peers": contest.peers,
        "rounds": rounds,
        "settings": dict(contest.settings),
        "answers": list(contest.answers),
    }
    worker = Path(__file__).with_name("peers_worker.py")
    said = subprocess.run(
        [python, "-I", worker], input=json.dumps(question), check=True, capture_output=True, text=True
    )
    answer: dict[str, Any] = json.loads(said.stdout)
    return answer


def _check(contest: Contest, peer: str, outcomes: Sequence[Outcome], scores: Sequence[float]) -> None:
    for index, (outcome, score) in enumerate(zip(outcomes, scores, strict=True)):
        if outcome.score is None or abs(outcome.score - score) > 1e-9:
            sys.exit(f"{contest.name}, answer {index}: {outcome.score} here ({outcome.explanation}), {score} by {peer}")
