"""What the field's libraries say of the same answers; run by `bench/peers.py` in their environment.

Reads the question from the standard input and writes the answers and the times as JSON. Each
function gets the answers as they were recorded, and what it makes ready of each is part of its time.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

Ask = Callable[[Any], float]


def ranking(measure: str) -> Ask:
    """pytrec_eval, which wants a score that falls with the rank."""
    import pytrec_eval

    def ask(answer: Any) -> float:
        document = answer["document"]
        chunks = document["retrieval"]["chunks"]
        run = {"q": {chunk["id"]: float(-rank) for rank, chunk in enumerate(chunks)}}
        evaluator = pytrec_eval.RelevanceEvaluator({"q": document["expected"]["chunks"]}, {measure})
        return float(evaluator.evaluate(run)["q"][measure])

    return ask


def with_jsonschema(schema: Any) -> Ask:
    """jsonschema, the validator made once: all complaints, as ours tells them."""
    import jsonschema

    validator = jsonschema.Draft202012Validator(schema)
    return lambda answer: float(not list(validator.iter_errors(answer["object"])))


def with_jsonschema_rs(schema: Any) -> Ask:
    """jsonschema-rs, likewise; of what is valid it is only asked whether it is."""
    import jsonschema_rs

    validator = jsonschema_rs.Draft202012Validator(schema)

    def ask(answer: Any) -> float:
        value = answer["object"]
        return float(validator.is_valid(value) or not list(validator.iter_errors(value)))

    return ask


def with_rouge(name: str) -> Ask:
    """rouge-score, without stemming."""
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer([name])
    return lambda answer: float(scorer.score(answer["expected"], answer["output"])[name].fmeasure)


def with_rapidfuzz() -> Ask:
    """rapidfuzz, whose Indel similarity is 2·LCS / (|a| + |b|) over code points."""
    from rapidfuzz.distance import Indel

    return lambda answer: Indel.normalized_similarity(answer["expected"], answer["output"])


def with_json_logic(rule: Any) -> Ask:
    """panzi-json-logic."""
    from json_logic import jsonLogic

    return lambda answer: float(bool(jsonLogic(rule, answer)))


def peer(name: str, settings: Any) -> Ask:
    """The function of that name, ready to be asked."""
    makers: dict[str, Callable[[], Ask]] = {
        "jsonschema": lambda: with_jsonschema(settings["schema"]),
        "jsonschema_rs": lambda: with_jsonschema_rs(settings["schema"]),
        "json_logic": lambda: with_json_logic(settings["expression"]),
        "rouge_1": lambda: with_rouge("rouge1"),
        "rouge_l": lambda: with_rouge("rougeL"),
        "indel": with_rapidfuzz,
    }
    return makers[name]() if name in makers else ranking(name)


def timed(ask: Ask, answers: Sequence[Any], rounds: int) -> dict[str, Any]:
    """The scores, and the seconds for all of them in the best round."""
    scores: list[float] = []
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        scores = [ask(answer) for answer in answers]
        best = min(best, time.perf_counter() - began)
    return {"scores": scores, "seconds": best}


def main() -> None:
    """One question, one answer."""
    question = json.load(sys.stdin)
    said = {
        name: timed(peer(name, question["settings"]), question["answers"], question["rounds"])
        for name in question["peers"]
    }
    json.dump(said, sys.stdout)


main()
