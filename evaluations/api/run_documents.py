"""Runs and results as the API answers them."""

from typing import Any, Literal

from pydantic import Field

from evaluations.api.texts import JsonObject
from evaluations.models import Result, Run
from evaluations.queries.runs import Progress, status_of
from foundation.http.bodies import Moment, StrictBody, write_answer
from foundation.times import iso

RunStatus = Literal["queued", "running", "completed", "failed", "canceled"]
ResultStatus = Literal["scored", "measured", "errored", "skipped", "pending", "canceled"]


class RunAnswer(StrictBody):
    """A run. The counts are of results, items times trials, and move while it runs.

    `passed` is null without a threshold, while it runs, and when it was canceled.
    """

    id: str
    eval_id: str
    name: str
    status: RunStatus
    source: Literal["agent", "recorded", "rescore"]
    rescore_of: str | None
    baseline_run_id: str | None
    agent_id: str | None
    agent_version: int | None
    trials: int
    metadata: JsonObject
    item_count: int
    result_count: int
    completed_count: int
    errored_count: int
    passed: bool | None
    aggregate_scores: JsonObject | None
    error: JsonObject | None
    created_by: str
    created_at: Moment
    updated_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class RunList(StrictBody):
    """A part of an eval's runs, newest first."""

    data: list[RunAnswer]
    total: int
    limit: int
    offset: int


class ResultAnswer(StrictBody):
    """What came of one item in one trial. An errored one has no verdict, and says why in `error`."""

    id: str
    eval_run_id: str
    dataset_item_id: str | None
    item_key: str | None
    position: int
    trial: int
    status: ResultStatus
    input: Any
    expected_output: Any
    metadata: JsonObject
    output: str | None
    object: Any
    observation: JsonObject | None
    scores: list[JsonObject]
    score: float | None = Field(ge=0, le=1)
    passed: bool | None
    error: JsonObject | None
    group: str | None
    timing: JsonObject | None
    usage: JsonObject | None
    created_at: Moment


class ResultList(StrictBody):
    """A part of a run's results, in dataset order."""

    data: list[ResultAnswer]
    total: int
    limit: int
    offset: int


def run_document(run: Run, progress: Progress) -> dict[str, Any]:
    """The run as the API answers it."""
    version = run.agent_version
    answer = RunAnswer(
        id=run.public_id,
        eval_id=run.eval.public_id,
        name=run.name,
        status=run.status,  # type: ignore[arg-type]
        source=run.source,  # type: ignore[arg-type]
        rescore_of=run.rescore_of.public_id if run.rescore_of else None,
        baseline_run_id=run.baseline_run.public_id if run.baseline_run else None,
        agent_id=version.agent.public_id if version else None,
        agent_version=version.number if version else None,
        trials=run.trials,
        metadata={},
        item_count=run.item_count,
        result_count=progress.total,
        completed_count=progress.completed,
        errored_count=progress.errored,
        passed=run.passed,
        aggregate_scores=None,
        error=run.error,
        created_by=run.created_by_name,
        created_at=run.created_at,
        updated_at=run.updated_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
    return {**write_answer(answer), "metadata": run.metadata, "aggregate_scores": run.aggregates}


def result_document(result: Result) -> dict[str, Any]:
    """The result as the API answers it. The frozen and recorded JSON passes as it is."""
    frozen, observation = result.frozen, result.observation
    output = (observation or {}).get("output") or {}
    return {
        "id": result.public_id,
        "eval_run_id": result.run.public_id,
        "dataset_item_id": result.item.public_id if result.item else None,
        "item_key": result.item_key,
        "position": result.position,
        "trial": result.trial,
        "status": status_of(result),
        "input": frozen["input"],
        "expected_output": frozen["expected_output"],
        "metadata": frozen["metadata"],
        "output": output.get("text"),
        "object": output.get("object"),
        "observation": observation,
        "scores": result.scores,
        "score": result.score,
        "passed": result.passed,
        "error": result.error,
        "group": result.group,
        "timing": result.timing,
        "usage": result.usage,
        "created_at": iso(result.created_at),
    }
