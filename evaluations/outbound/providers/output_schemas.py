"""The agent's output schema, enforced: an answer that does not meet it is an error with the violations."""

from dataclasses import replace

from evaluations.outbound.errors import MOST_KEPT, OutputSchemaViolation, RequestFault
from evaluations.outbound.providers.generation import Generation
from foundation import strict_json
from foundation.errors import Problem
from scoring.kit.json_schema import CompiledSchema, SchemaFault, compiled
from scoring.kit.outcome import Unmeasurable

_MOST_VIOLATIONS = 50


def usable_schema(schema: object) -> CompiledSchema:
    """The schema ready for use; raises RequestFault when it cannot be used."""
    try:
        return compiled(schema)
    except SchemaFault as fault:
        raise RequestFault(f"The output schema cannot be used: {fault.message}", field="output_schema") from fault


def with_object(generation: Generation, schema: CompiledSchema) -> Generation:
    """The generation with its text read as JSON; raises OutputSchemaViolation."""
    try:
        value = strict_json.loads(generation.text)
    except Problem as problem:
        raise _no_json(generation, problem.message) from problem
    try:
        found = [violation.as_evidence() for violation in schema.violations(value)]
    except Unmeasurable as error:
        found = [{"path": "$", "keyword": "limit", "message": error.message}]
    if found:
        first = f"{found[0]['path']}: {found[0]['message']}"
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise _violation(generation, f"The model's answer does not meet the output schema: {first}{more}.", found)
    return replace(generation, object=value)


def _no_json(generation: Generation, why: str) -> OutputSchemaViolation:
    if not generation.text.strip():
        called = ": it called a tool instead" if generation.tool_calls else ""
        message = f"The model's answer is empty, where the output schema asks for JSON{called}."
    elif generation.finish_reason == "length":
        message = "The model's answer was cut off at the largest number of tokens, before its JSON was complete."
    else:
        message = f"The model's answer is not JSON. {why.replace('The body', 'It')}"
    return _violation(generation, message, [{"path": "$", "keyword": "json", "message": message}])


def _violation(generation: Generation, message: str, found: list[dict[str, str]]) -> OutputSchemaViolation:
    raw = generation.text[:MOST_KEPT]
    return OutputSchemaViolation(message, violations=found[:_MOST_VIOLATIONS], generation=generation, raw=raw)
