"""What a call of a provider or a tool that failed is to the person who asked for it."""

from typing import Any

from evaluations.outbound.errors import (
    Blocked,
    HttpError,
    InvalidUrl,
    OutboundError,
    OutputSchemaViolation,
    RequestFault,
)
from foundation.errors import Problem, ValidationFailed


class ToolEgressBlocked(Problem):
    """The address of a tool or provider is one that this server may not call."""

    status = 403
    code = "TOOL_EGRESS_BLOCKED"
    default_message = "This server may not call that address."
    default_hint = "Use a public address, or ask an operator to allow this one: docs/operating.md."


class ToolHttpError(Problem):
    """The tool answered, with a status that is no success."""

    status = 502
    code = "TOOL_HTTP_ERROR"
    default_message = "The tool answered with an error."
    default_hint = "meta.status and meta.body hold what it answered."


class ToolUnreachable(Problem):
    """The tool gave no answer, or none that can be read."""

    status = 502
    code = "TOOL_UNREACHABLE"
    default_message = "The tool gave no answer."
    default_hint = "Check that it runs, and its address and timeout_s."


class AiProviderError(Problem):
    """The provider gave no answer, or reported an error."""

    status = 502
    code = "AI_PROVIDER_ERROR"
    default_message = "The AI provider gave no answer."
    default_hint = "Check the provider's address, key and model; meta holds what it said."


class OutputSchemaValidationFailed(Problem):
    """The model's answer does not meet the agent's output schema."""

    status = 502
    code = "OUTPUT_SCHEMA_VALIDATION_FAILED"
    default_message = "The model's answer does not meet the agent's output schema."
    default_hint = "meta.violations lists where; change the instructions, the model or the schema."


def tool_problem(error: OutboundError) -> Problem:
    """The refusal that a failed call of a tool stands for; what the caller wrote wrongly is a fault at its field."""
    if isinstance(error, HttpError):
        return ToolHttpError(error.message, meta={**_meta(error), "body": error.body})
    if isinstance(error, RequestFault) and error.field.startswith("secret:"):
        return ValidationFailed.one("execute.headers", error.code, error.message)
    if isinstance(error, RequestFault | InvalidUrl):
        field = getattr(error, "field", "url")
        path = "input" if field in ("input", "url") else field if field.startswith("headers") else f"input.{field}"
        return ValidationFailed.one(path, error.code, error.message)
    return _blocked(error) or ToolUnreachable(error.message, meta=_meta(error))


def provider_problem(error: OutboundError) -> Problem:
    """The refusal that a failed question to a model stands for."""
    if isinstance(error, OutputSchemaViolation):
        return OutputSchemaValidationFailed(error.message, meta=_meta(error))
    if isinstance(error, RequestFault):
        return ValidationFailed.one(error.field, error.code, error.message)
    return _blocked(error) or AiProviderError(error.message, meta=_meta(error))


def _blocked(error: OutboundError) -> Problem | None:
    if not isinstance(error, Blocked):
        return None
    return ToolEgressBlocked(error.message, meta={"address": error.address, "setting": error.setting})


def _meta(error: OutboundError) -> dict[str, Any]:
    """What is known of it beside the sentence; `cause` is the kind of failure."""
    known = error.as_dict()
    del known["message"]
    return {"cause": known.pop("code"), **known}
