"""Asking an agent and the tools: what runs in the threads of a worker, away from the database."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evaluations.engine.context import RunContext
from evaluations.eval_scorers import ToolScorer
from evaluations.item_scoring import ItemVerdict, judge
from evaluations.outbound.errors import OutboundError
from evaluations.outbound.providers import GenerationRequest, generate
from evaluations.outbound.tools import ToolDefinition, call_tool
from evaluations.tool_answers import UnreadableToolAnswer, read_tool_score
from scoring import javascript
from scoring.kit.outcome import ErrorCode, Outcome

logger = logging.getLogger(__name__)
_FAULT = "The server could not work on this item; the operator finds the cause in the log."


@dataclass(frozen=True, slots=True)
class Answered:
    """What an agent gave: a document, or an error, or the wish to be asked again later (`wait_s`)."""

    document: Mapping[str, Any] | None = None
    timing: Mapping[str, Any] | None = None
    usage: Mapping[str, Any] | None = None
    error: dict[str, Any] | None = None
    wait_s: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, or an error that no scorer gave, or no free place for regular expressions (`busy`)."""

    verdict: ItemVerdict | None = None
    error: dict[str, Any] | None = None
    busy: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """What the threads know of a result: nothing of its row."""

    name: str
    frozen: Mapping[str, Any]
    attempt: int
    document: Mapping[str, Any] = field(default_factory=dict)


def answer(context: RunContext, case: Case) -> Answered:
    """Ask the agent. Never raises: what goes wrong is the item's error, with its cause."""
    agent = context.specification.agent
    if agent is None or context.provider is None:
        return Answered(error={"code": "no_agent", "message": "The run has no agent to ask."})
    request = GenerationRequest(
        messages=case.frozen["input"],
        instructions=agent["instructions"] or None,
        model=agent["model"] or None,
        temperature=agent["temperature"],
        max_tokens=agent["max_tokens"],
        output_schema=agent["output_schema"],
        idempotency_key=f"{context.run_public_id}:{case.name}:{case.attempt}",
    )
    try:
        given = generate(context.provider, request, door=context.door)
    except OutboundError as error:
        logger.info("no answer for %s: %s", case.name, error.operator_message)
        if error.retry_after_s is not None and error.retryable:
            return Answered(error=error.as_dict(), wait_s=error.retry_after_s)
        return Answered(error=error.as_dict())
    except Exception:
        logger.exception("asking the agent for %s failed", case.name)
        return Answered(error={"code": "engine_failed", "message": _FAULT})
    document = given.observation()
    return Answered(document=document, timing=given.timing, usage=given.usage)


def score(context: RunContext, case: Case) -> Judged:
    """Let the scorers judge the case's document. Never raises."""

    def ask_tool(scorer: ToolScorer, data: Mapping[str, Any]) -> Outcome:
        return _tool_outcome(context, scorer, data)

    try:
        return Judged(judge(context.specification, case.frozen, case.document, case.name, ask_tool))
    except javascript.PoolBusy:
        return Judged(busy=True)
    except Exception:
        logger.exception("scoring %s failed", case.name)
        return Judged(error={"code": "engine_failed", "message": _FAULT})


def _tool_outcome(context: RunContext, scorer: ToolScorer, data: Mapping[str, Any]) -> Outcome:
    tool = context.specification.tools[scorer.tool_id]
    try:
        definition = ToolDefinition.of(tool["execute"], tool["preset_parameters"])
        said = call_tool(context.door, definition, {**scorer.preset_parameters, **data}, secrets=context.secrets)
        read = read_tool_score(said.body, scorer=scorer.name, pass_threshold=scorer.pass_threshold)
    except OutboundError as error:
        return Outcome.failed(ErrorCode.TOOL_FAILED, error.message, error.as_dict())
    except UnreadableToolAnswer as error:
        return Outcome.failed(ErrorCode.TOOL_FAILED, error.message)
    value = 1 - read.score if scorer.negate else read.score
    passed = (not read.passed) if scorer.negate else read.passed
    return Outcome("scored", value, passed, read.reasoning or "")
