"""No input up to the bounds takes a scorer more than a second, however it is made.

Processor time is measured, so that other work on the machine does not count, and against a
generous bound: what is looked for is growth that has no bound, which takes minutes.
"""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from scoring.kit.observation import Observation
from scoring.kit.samples import observation_of
from tests.scoring.cases import scorer

pytestmark = pytest.mark.slow
SECONDS = 5.0
LONGEST, MOST = 100_000, 10_000
MARKS = "\u0300\u0316"
Given = Callable[[], dict[str, Any]]


def texts(output: str, answer: Any = None) -> Given:
    return lambda: {"output": output, **({} if answer is None else {"expected": {"answer": answer}})}


def ranking(retrieved: int, relevant: int) -> Given:
    return lambda: {
        "document": {"retrieval": {"chunks": [{"id": f"chunk {number % 9_000}"} for number in range(retrieved)]}},
        "expected": {"chunks": {f"chunk {number}": number % 30 for number in range(relevant)}},
    }


def citations(output: str, ledger: int = MOST) -> Given:
    return lambda: {
        "output": output,
        "document": {
            "citations": {"ledger": [{"n": number, "chunk_id": f"chunk {number}"} for number in range(1, ledger + 1)]}
        },
        "expected": {"chunks": [f"chunk {number}" for number in range(MOST)]},
    }


def calls(actual: Callable[[int], Any], expected: Callable[[int], Any], count: int = MOST) -> Given:
    def made() -> dict[str, Any]:
        sides = [[{"name": "f", "arguments": side(number)} for number in range(count)] for side in (actual, expected)]
        return {"document": {"tool_calls": sides[0]}, "expected": {"tool_calls": sides[1], "tool": "g"}}

    return made


def stream(times: Callable[[int], float] = float) -> Given:
    return lambda: {
        "document": {
            "stream": {
                "start": 0,
                "end": 1e9,
                "events": [{"t": times(number), "kind": "text", "tokens": 1} for number in range(200_000)],
            }
        }
    }


def world(rows: int, fields: int, value: Any) -> dict[str, Any]:
    return {"row": {str(row): {f"field {field}": value for field in range(fields)} for row in range(rows)}}


def state(
    before: Any, after: Any, required: Any = (), allowed: Any = (), tool_calls: Any = (), **criteria: Any
) -> Given:
    return lambda: {
        "document": {"state": {"before": before, "after": after}, "tool_calls": list(tool_calls)},
        "expected": {"state": {"required": list(required), "allowed": list(allowed), **criteria}},
    }


WIDE = {f"member {number}": number for number in range(200)}
HUGE = {"text": "x" * 1_000_000, "list": list(range(100_000))}
FIELDS = [{"entity": "row", "id": str(row), "field": f"field {row % 100}"} for row in range(1_000)]
ANYWHERE = [
    {"entity": "row", "id": "*", "field": "field 0", "where": {"field 1": [*range(100), number]}}
    for number in range(1_000)
]
READS = [
    {"name": "list_rows", "result": [{"id": str(number), "inside": [{"id": number}]} for number in range(20)]}
    for _ in range(5_000)
]

CASES: dict[str, tuple[str, dict[str, Any], Given]] = {
    "contains, a needle that nearly fits": ("Contains", {"value": "a" * 9_999 + "b"}, texts("a" * LONGEST)),
    "keywords, all there are": (
        "KeywordContains",
        {"keywords": ["a" * (200 + number % 56) + "b" for number in range(64)]},
        texts("a" * LONGEST),
    ),
    "keywords, folded": ("KeywordContains", {"keywords": ["\u00df" * 128, "x"]}, texts("\u00df" * LONGEST)),
    "occurrences, everywhere": ("OccurrenceRatio", {"needles": ["a"] * 32}, texts("a" * LONGEST)),
    "occurrences, in no whole word": (
        "OccurrenceRatio",
        {"needles": ["a"] * 32, "wholeWord": True},
        texts("a" * LONGEST),
    ),
    "exact, marks": (
        "ExactMatch",
        {"normalizer": "outer-punct-safe/1"},
        texts("a" + MARKS * (LONGEST // 2), ["a" + MARKS[::-1] * (LONGEST // 2)]),
    ),
    "exact, outer marks": (
        "ExactMatch",
        {"normalizer": "outer-punct-safe/1"},
        texts("`!" * (LONGEST // 2), ["a" + "!`" * (LONGEST // 2)]),
    ),
    "exact, emphasis": (
        "ExactMatch",
        {"normalizer": "outer-punct-safe/1"},
        texts("_*" * (LONGEST // 4) + "a" + "*_" * (LONGEST // 4), ["a"]),
    ),
    "exact, outer marks of every kind": (
        "ExactMatch",
        {"normalizer": "outer-punct/1"},
        texts("-" * LONGEST, ["a" + "%" * LONGEST]),
    ),
    "exact, many answers": (
        "ExactMatch",
        {"normalizer": "outer-punct-safe/1"},
        texts("yes", [f"answer {number}" for number in range(MOST)]),
    ),
    "numbers, many": ("NumericMatch", {"extract": "last"}, texts("1 " * (LONGEST // 2), ["2"])),
    "numbers, one": ("NumericMatch", {}, texts("1" * LONGEST, ["2"])),
    "numbers, signs": ("NumericMatch", {"extract": "first"}, texts("+-$" * (LONGEST // 3), ["2"])),
    "numbers, groups": ("NumericMatch", {"extract": "last"}, texts("1,000" * (LONGEST // 5), ["2"])),
    "extract, many": ("ExtractMatch", {"pattern": "\\w", "occurrence": "all"}, texts("a" * LONGEST, ["a"])),
    "likeness of words": ("TokenF1", {}, texts("a " * (LONGEST // 2), ["b a " * (LONGEST // 4)])),
    "likeness in order": ("RougeL", {}, texts("a b " * 10_000, ["b a " * 10_000])),
    "likeness of characters": ("Similarity", {}, texts("ab" * 20_000, ["ba" * 20_000])),
    "likeness, the shortest of many": ("Similarity", {}, texts("ab" * 1_000, ["b"] * 400)),
    "hit": ("HitAtK", {"k": MOST}, ranking(MOST, MOST)),
    "reciprocal rank": ("MRR", {}, ranking(MOST, MOST)),
    "gain": ("NDCG", {"k": MOST}, ranking(MOST, MOST)),
    "precision": ("PrecisionAtK", {"k": MOST}, ranking(MOST, MOST)),
    "recall": ("RecallAtK", {"k": MOST}, ranking(MOST, MOST)),
    "average precision": ("AveragePrecision", {}, ranking(MOST, MOST)),
    "citations, each number": ("CitationF1", {}, citations("".join(f"[{number}]" for number in range(1, 15_000)))),
    "citations, one list": ("CitationPrecision", {}, citations("[" + "1 , " * (LONGEST // 4) + "1]")),
    "citations, a list without an end": ("CitationRecall", {}, citations("[" + "1 , " * (LONGEST // 4))),
    "citations, brackets": ("CitationRecall", {}, citations("[ " * (LONGEST // 2))),
    "citations, spaces": ("CitationRecall", {}, citations("[1" + " " * LONGEST)),
    "calls in place": ("ToolTrajectory", {}, calls(lambda number: {"n": number}, lambda number: {"n": number})),
    "calls in order": (
        "ToolTrajectory",
        {"order": "in_order"},
        calls(lambda number: {"n": number}, lambda number: HUGE if not number else {"n": 0}, 1_000),
    ),
    "calls in any order": (
        "ToolTrajectory",
        {"order": "unordered"},
        calls(lambda number: {"n": number}, lambda number: {"n": MOST - number}),
    ),
    "calls all alike": (
        "ToolCallF1",
        {"arguments": "ignore"},
        calls(lambda number: {"n": number}, lambda number: {"n": -number}),
    ),
    "calls, too many pairs": (
        "ToolCallF1",
        {"arguments": "superset"},
        calls(lambda number: {"n": number}, lambda _: {}),
    ),
    "calls, wide arguments": (
        "ToolCallF1",
        {"arguments": "superset"},
        calls(lambda number: {**WIDE, "n": number}, lambda number: {**WIDE, "n": -number}, 400),
    ),
    "calls, a hard matching": (
        "ToolTrajectory",
        {"order": "superset", "arguments": "superset"},
        calls(lambda number: {str(number): 1, str(number + 1): 1}, lambda number: {str(440 - number): 1}, 440),
    ),
    "calls, equal and large": (
        "ToolCallF1",
        {},
        calls(lambda number: {**WIDE, "n": number}, lambda number: {**WIDE, "n": -number}, 500),
    ),
    "calls that succeed": ("ToolSuccess", {}, calls(lambda _: {}, lambda _: {})),
    "calls of a name": ("ToolCalled", {}, calls(lambda _: {}, lambda _: {})),
    "calls counted": ("ToolCallCount", {}, calls(lambda _: {}, lambda _: {})),
    "first token": ("TTFT", {}, stream()),
    "last token": ("TTLT", {}, stream()),
    "gaps": ("ITL", {"statistic": "median"}, stream(lambda number: number**1.5)),
    "time per token": ("TPOT", {}, stream()),
    "latency": ("Latency", {}, stream()),
    "state, every field": ("StateChange", {}, state(world(1_000, 100, 1), world(1_000, 100, 2), (), FIELDS)),
    "state, unchanged": ("StateChange", {}, state(world(1_000, 100, [1, 2]), world(1_000, 100, [1.0, 2.0]))),
    "state, all required": (
        "StateChange",
        {},
        state(world(1_000, 100, 1), world(1_000, 100, 2), [{**key, "value": 2} for key in FIELDS], FIELDS),
    ),
    "state, wild entries": (
        "StateChange",
        {},
        state(world(900, 4, [*range(100)]), world(900, 4, [*range(101)]), (), ANYWHERE),
    ),
    "state, one new row of many fields": (
        "StateChange",
        {},
        state(
            {},
            world(1, 50_000, 1),
            [{"entity": "row", "id": "0", "created": True, "fields": world(1, 50_000, 1)["row"]["0"]}],
            [{"entity": "row", "id": "0", "created": True}],
        ),
    ),
    "state, many rows gone": (
        "StateChange",
        {},
        state(world(50_000, 1, 1), {}, (), [{"entity": "row", "id": "*", "deleted": True}]),
    ),
    "state, many calls": (
        "StateChange",
        {},
        state(
            {},
            {},
            (),
            (),
            [*READS, *[{"name": "set_row", "arguments": {"id": number}} for number in range(5_000)]],
            read_before_write=True,
            no_write_after_deny=True,
        ),
    ),
}


def made(given: Given) -> Observation:
    return observation_of(**given())


@pytest.mark.parametrize("name", CASES)
def test_no_input_takes_more_than_a_second(name: str) -> None:
    kind, settings, given = CASES[name]
    measured, observation = scorer(kind, **settings), made(given)
    began = time.process_time()
    found = measured.outcome(observation)
    assert time.process_time() - began < SECONDS
    assert found.error_code in {None, "limit"}, found.explanation
    assert len(found.explanation) < 1_000
    assert len(json.dumps(dict(found.evidence), allow_nan=False)) < 200_000
