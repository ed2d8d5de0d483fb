"""PURE: the reference of the scorers, derived from their declarations: for the API, the pages and docs/scorers.md."""

import inspect
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from foundation.schema_words import words
from scoring.kit.observation import Observation
from scoring.kit.outcome import ERROR_MEANINGS, ErrorCode, Outcome
from scoring.kit.registry import registry
from scoring.kit.samples import observation_of
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
        "source": declared.origin,
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
        rows.append((info.alias or "", words(schema), default, schema.get("description") or schema.get("title", "")))
    return rows


def families() -> dict[str, list[type[Scorer]]]:
    """The scorer types by family, both in order of name."""
    found: dict[str, list[type[Scorer]]] = {}
    for declared in registry:
        found.setdefault(family(declared), []).append(declared)
    return dict(sorted(found.items()))


def matching(declared: type[Scorer], search: str) -> bool:
    """Whether every word of `search` stands in the type, its evals spelling, its sentences or its settings."""
    kind = declared.type_name() or ""
    settings = " ".join(str(info.alias) for info in declared.own_fields().values())
    text = f"{kind} {snake_case(kind)} {declared.summary()} {description(declared)} {family(declared)} {settings}"
    return all(word in text.casefold() for word in search.casefold().split())


@dataclass(frozen=True, slots=True)
class ExampleRun:
    """An example and what the scorer says of it now."""

    example: Example
    outcome: Outcome
    agrees: bool


def example_settings(declared: type[Scorer], example: Example) -> dict[str, Any]:
    """The example's settings as a whole scorer of a profile."""
    return {"id": snake_case(declared.type_name() or "").replace("_", "-"), "type": declared.type_name()} | dict(
        example.settings
    )


def example_observation(example: Example) -> Observation:
    """What the example is scored on."""
    given = dict(example.observation)
    document = given.pop("observation", None)
    return observation_of(**given, document=document)


def run_example(declared: type[Scorer], example: Example) -> ExampleRun:
    """The example, run. Raises javascript.PoolBusy when a regex finds no place to wait in."""
    outcome = declared.model_validate(example_settings(declared, example)).outcome(example_observation(example))
    return ExampleRun(example, outcome, _agrees(example, outcome))


def _agrees(example: Example, outcome: Outcome) -> bool:
    if example.error is not None:
        return outcome.error_code == example.error
    pairs = ((example.score, outcome.score), (example.value, outcome.value))
    said = [(wanted, got) for wanted, got in pairs if wanted is not None]
    return outcome.status != "error" and all(got is not None and math.isclose(wanted, got) for wanted, got in said)


def spellings(declared: type[Scorer]) -> dict[str, dict[str, Any]]:
    """The first example's scorer as a profile (camelCase) and as an eval (snake_case) spell it."""
    if not declared.examples:
        return {"profile": {"type": declared.type_name()}, "eval": {"type": snake_case(declared.type_name() or "")}}
    settings = example_settings(declared, declared.examples[0])
    names = {info.alias: name for name, info in declared.model_fields.items()}
    written = {names.get(member, member): value for member, value in settings.items()}
    return {"profile": settings, "eval": {**written, "type": snake_case(declared.type_name() or "")}}


def markdown() -> str:
    """docs/scorers.md, whole."""
    return "\n".join(_markdown_lines())


def _markdown_lines() -> Iterator[str]:
    yield "# The scorers\n"
    yield "Generated from the declarations by `python manage.py scorer_reference`; a test keeps it current.\n"
    yield "| type | in evals | reads | what it measures |"
    yield "|---|---|---|---|"
    for declared in registry:
        kind = declared.type_name() or ""
        reads = ", ".join(declared.reads)
        yield f"| [{kind}](#{kind.lower()}) | `{snake_case(kind)}` | {reads} | {declared.summary()} |"
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
    yield f"- **Source:** {declared.origin}; version {declared.version}\n"
    yield "| setting | takes | default | meaning |"
    yield "|---|---|---|---|"
    for name, takes, default, meaning in setting_rows(declared):
        yield f"| `{name}` | {_cell(takes)} | `{_cell(default)}` | {_cell(meaning)} |"
    yield ""
    for example in declared.examples:
        answer = (
            f"error `{example.error}`"
            if example.error
            else f"score {example.score:.4g}"
            if example.score is not None
            else f"value {example.value}"
        )
        settings = json.dumps(dict(example.settings), ensure_ascii=False)
        observation = json.dumps(dict(example.observation), ensure_ascii=False)
        yield f"- {example.title}: `{settings}` over `{observation}` → {answer}"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
