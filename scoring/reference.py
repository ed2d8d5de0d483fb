"""PURE: the reference of the scorers, derived from their declarations: for the API, the pages and docs/scorers.md."""

import inspect
import json
from collections.abc import Iterator
from typing import Any

from scoring.kit.outcome import ERROR_MEANINGS, ErrorCode
from scoring.kit.registry import registry
from scoring.kit.scorer import Example, Scorer
from scoring.kit.spelling import snake_case


def scorer_documents() -> list[dict[str, Any]]:
    """Every scorer type as `/api/scoring/scorers` answers it, by type."""
    return [scorer_document(declared) for declared in registry]


def scorer_document(declared: type[Scorer]) -> dict[str, Any]:
    """One scorer type in full."""
    kind = declared.type_name() or ""
    return {
        "type": kind,
        "name": snake_case(kind),
        "family": family(declared),
        "version": declared.version,
        "summary": declared.summary(),
        "description": description(declared),
        "formula": declared.formula,
        "reads": list(declared.reads),
        "errors": [str(code) for code in codes(declared)],
        "source": declared.source,
        "settings": declared.model_json_schema(by_alias=True),
        "examples": [_example(example) for example in declared.examples],
    }


def family(declared: type[Scorer]) -> str:
    """The family a scorer belongs to: the name of its module."""
    return declared.__module__.rsplit(".", 1)[-1]


def description(declared: type[Scorer]) -> str:
    """What the docstring says after its first line; empty when it says no more."""
    return inspect.cleandoc(declared.__doc__ or "").partition("\n")[2].strip()


def codes(declared: type[Scorer]) -> tuple[ErrorCode, ...]:
    """The error codes the scorer can give."""
    return (*declared.gives, ErrorCode.SCORER_FAILED)


def _example(example: Example) -> dict[str, Any]:
    answer = {"score": example.score, "error": example.error and str(example.error), "value": example.value}
    return {
        "title": example.title,
        "settings": dict(example.settings),
        "observation": dict(example.observation),
        **{name: value for name, value in answer.items() if value is not None},
    }


def setting_rows(declared: type[Scorer]) -> list[tuple[str, str, str, str]]:
    """(name, type and bounds, default, meaning) of each setting of the type alone."""
    properties = declared.model_json_schema(by_alias=True)["properties"]
    required = {info.alias for info in declared.own_fields().values() if info.is_required()}
    rows = []
    for info in declared.own_fields().values():
        schema = properties[info.alias]
        if info.alias == "type":
            continue
        default = "required" if info.alias in required else json.dumps(schema.get("default"))
        rows.append((info.alias or "", bounds(schema), default, schema.get("description") or schema.get("title", "")))
    return rows


def bounds(schema: dict[str, Any]) -> str:
    """A JSON Schema in a few words: `number > 0`, `one of any, all`, `list of 1 to 64 texts of 1 to 256`."""
    if "anyOf" in schema:
        return " or ".join(bounds(option) for option in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind = schema.get("type", "any JSON")
    if kind == "array":
        return f"list of {_span(schema, 'minItems', 'maxItems')}{bounds(schema.get('items', {}))}"
    if kind == "string":
        return f"text of {_span(schema, 'minLength', 'maxLength')}characters" if "maxLength" in schema else "text"
    limits = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    words = [f"{sign} {schema[name]:g}" for name, sign in limits.items() if name in schema]
    return " ".join([str(kind), ", ".join(words)]).strip()


def _span(schema: dict[str, Any], low: str, high: str) -> str:
    if high not in schema:
        return ""
    return f"{schema.get(low, 0):,} to {schema[high]:,} " if schema.get(low) else f"up to {schema[high]:,} "


def markdown() -> str:
    """docs/scorers.md, whole."""
    return "\n".join(_markdown_lines())


def _markdown_lines() -> Iterator[str]:
    yield "# The scorers\n"
    yield "Generated from the declarations by `python manage.py scorer_reference`; a test keeps it current. Do not edit.\n"
    yield "| type | in evals | reads | what it measures |"
    yield "|---|---|---|---|"
    for declared in registry:
        kind = declared.type_name() or ""
        yield f"| [{kind}](#{kind.lower()}) | `{snake_case(kind)}` | {', '.join(declared.reads)} | {declared.summary()} |"
    yield ""
    for declared in registry:
        yield from _entry(declared)
    yield "## Error codes\n"
    yield "A measurement that could not be made is an error with one of these codes, never a score.\n"
    yield "| code | meaning |"
    yield "|---|---|"
    for code, meaning in ERROR_MEANINGS.items():
        yield f"| `{code}` | {meaning} |"
    yield ""


def _entry(declared: type[Scorer]) -> Iterator[str]:
    yield f"## {declared.type_name()}\n"
    yield f"{declared.summary()}\n"
    if description(declared):
        yield f"{description(declared)}\n"
    yield f"- **Formula:** {declared.formula}"
    yield f"- **Reads:** {', '.join(declared.reads)}"
    yield f"- **Errors:** {', '.join(f'`{code}`' for code in codes(declared))}"
    yield f"- **Source:** {declared.source}; version {declared.version}\n"
    yield "| setting | takes | default | meaning |"
    yield "|---|---|---|---|"
    for name, takes, default, meaning in setting_rows(declared):
        yield f"| `{name}` | {_cell(takes)} | `{_cell(default)}` | {_cell(meaning)} |"
    yield ""
    for example in declared.examples:
        answer = f"error `{example.error}`" if example.error else f"score {example.score:.4g}" if example.score is not None else f"value {example.value}"
        settings = json.dumps(dict(example.settings), ensure_ascii=False)
        observation = json.dumps(dict(example.observation), ensure_ascii=False)
        yield f"- {example.title}: `{settings}` over `{observation}` → {answer}"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
