"""PURE: what an eval's scorers say of one answer: the outcomes, the verdict, the error.

The one thing that waits for the network, a tool's answer, comes in through a function.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evaluations.eval_scorers import KeyedScorer, ToolScorer
from evaluations.specification import Specification
from scoring.composites import composite
from scoring.evaluator import ERRORED, evaluate, subject_failure
from scoring.kit.observation import Observation
from scoring.kit.outcome import Outcome
from scoring.kit.paths import ABSENT
from scoring.kit.samples import observation_of
from scoring.profile_documents import Profile

SCORED, MEASURED, SKIPPED = "scored", "measured", "skipped"
AskTool = Callable[[ToolScorer, Mapping[str, Any]], Outcome]


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """What came of one answer.

    `status` is scored, measured (nothing gave a score), skipped (no scorer applies) or errored (a
    scorer could not measure). `scores` has an entry a scorer, `outcomes` the same without words:
    [key, status, score, passed, value, unit]. `error` is `{code, message, scorer}` of the first scorer
    that erred.
    """

    status: str
    score: float | None = None
    passed: bool | None = None
    scores: list[dict[str, Any]] = field(default_factory=list)
    outcomes: list[list[Any]] = field(default_factory=list)
    error: dict[str, Any] | None = None

    @property
    def failed_scorers(self) -> list[str]:
        """The keys of the scorers that scored and did not pass."""
        return [key for key, status, _, passed, *_ in self.outcomes if status == SCORED and not passed]

    @property
    def errored_scorers(self) -> list[str]:
        """The keys of the scorers that could not measure."""
        return [key for key, status, *_ in self.outcomes if status == "error"]


def expected_of(frozen: Mapping[str, Any]) -> Any:
    """The ground truth that scorers read: the structured one, with expected_output as its answer; ABSENT for none."""
    structured, answer = frozen.get("expected"), frozen.get("expected_output")
    if structured is None:
        return ABSENT if answer is None else answer
    if isinstance(answer, str) and "answer" not in structured:
        return {**structured, "answer": answer}
    return structured


def observe(frozen: Mapping[str, Any], document: Mapping[str, Any], case_id: str) -> Observation:
    """The observation of an answer to a frozen item; the question is the item's own."""
    return observation_of(
        expected=expected_of(frozen),
        metadata=frozen.get("metadata") or {},
        document={"input": frozen["input"], "case_id": case_id, **document},
    )


def judge(
    specification: Specification,
    frozen: Mapping[str, Any],
    document: Mapping[str, Any],
    case_id: str,
    ask_tool: AskTool,
) -> ItemVerdict:
    """The verdict on one answer (`document` is its observation document, without `expected`)."""
    observation = observe(frozen, document, case_id)
    applying = _applying(specification.scorers, frozen.get("scorers"))
    if not applying:
        return ItemVerdict(SKIPPED)
    if specification.profile is not None:
        own = tuple(keyed.scorer for keyed in applying if not isinstance(keyed.scorer, ToolScorer))
        return _by_profile(replace(specification.profile, scorers=own), observation)
    data = tool_data(frozen, observation, case_id)
    failure = subject_failure(observation)
    outcomes = [(keyed, failure or _outcome(keyed, observation, data, ask_tool)) for keyed in applying]
    return _verdict(outcomes)


def tool_data(frozen: Mapping[str, Any], observation: Observation, case_id: str) -> dict[str, Any]:
    """What a tool is sent: `{input, output, object?, expected, item: {metadata, key}}`."""
    members = {
        "input": frozen["input"],
        "output": observation.output,
        "object": observation.object,
        "expected": None if observation.expected is ABSENT else observation.expected,
        "item": {"metadata": frozen.get("metadata") or {}, "key": case_id},
    }
    return {name: value for name, value in members.items() if value is not ABSENT}


def _applying(scorers: Sequence[KeyedScorer], listed: Sequence[str] | None) -> list[KeyedScorer]:
    return list(scorers) if listed is None else [keyed for keyed in scorers if keyed.key in listed]


def _outcome(keyed: KeyedScorer, observation: Observation, data: Mapping[str, Any], ask_tool: AskTool) -> Outcome:
    if isinstance(keyed.scorer, ToolScorer):
        return ask_tool(keyed.scorer, data)
    return keyed.scorer.outcome(observation)


def _verdict(outcomes: Sequence[tuple[KeyedScorer, Outcome]]) -> ItemVerdict:
    """Every scorer must pass, whatever its weight; one that errs makes the item errored."""
    scores = [_entry(keyed, outcome) for keyed, outcome in outcomes]
    short = [_short(keyed.key, outcome) for keyed, outcome in outcomes]
    for keyed, outcome in outcomes:
        if outcome.status == "error":
            return ItemVerdict(ERRORED, scores=scores, outcomes=short, error=_error(keyed.key, outcome))
    judged = [(keyed, outcome) for keyed, outcome in outcomes if outcome.score is not None]
    if not judged:
        return ItemVerdict(MEASURED, scores=scores, outcomes=short)
    weighted = [(_weight(keyed), outcome.score) for keyed, outcome in judged if outcome.score is not None]
    passed = all(outcome.passed for _, outcome in judged)
    return ItemVerdict(SCORED, composite("weightedAvg", weighted), passed, scores, short)


def _by_profile(profile: Profile, observation: Observation) -> ItemVerdict:
    """The profile's composite against its threshold; without a threshold the item is scored and has no verdict."""
    verdict = evaluate(profile, observation)
    scores = [_from_breakdown(entry) for entry in verdict.breakdown]
    short = [
        [entry["scorer"], entry["status"], entry["score"], entry["passed"], entry.get("value"), entry.get("unit")]
        for entry in scores
    ]
    error = None
    if verdict.status == ERRORED:
        erring = next(entry for entry in scores if entry["status"] == "error")
        error = {**erring["error"], "scorer": erring["scorer"]}
    return ItemVerdict(verdict.status, verdict.score, verdict.passed, scores, short, error)


def _weight(keyed: KeyedScorer) -> float:
    return keyed.scorer.weight


def _short(key: str, outcome: Outcome) -> list[Any]:
    return [key, outcome.status, outcome.score, outcome.passed, outcome.value, outcome.unit]


def _error(key: str, outcome: Outcome) -> dict[str, Any]:
    # A tool's faults name the scorer by themselves.
    named = outcome.explanation.startswith(f"{key}: ")
    message = outcome.explanation if named else f"{key}: {outcome.explanation}"
    return {"code": str(outcome.error_code), "message": message, "scorer": key}


def _entry(keyed: KeyedScorer, outcome: Outcome) -> dict[str, Any]:
    """One member of a result's `scores`."""
    entry: dict[str, Any] = {
        "scorer": keyed.key,
        "type": keyed.type,
        "status": outcome.status,
        "score": outcome.score,
        "passed": outcome.passed,
        "reasoning": outcome.explanation or None,
        "evidence": dict(outcome.evidence),
    }
    if outcome.value is not None:
        entry |= {"value": outcome.value, "unit": outcome.unit}
    if outcome.error_code is not None:
        entry["error"] = {"code": str(outcome.error_code), "message": outcome.explanation}
    return entry


def _from_breakdown(entry: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        name: entry[name]
        for name in ("status", "score", "passed", "evidence", "value", "unit", "error")
        if name in entry
    }
    return {"scorer": entry["scorerId"], "type": entry["type"], "reasoning": entry["explanation"] or None, **kept}
