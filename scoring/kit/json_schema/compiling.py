"""Schemas made ready once, and what an answer does against them."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from jsonschema.exceptions import ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from foundation import exact_json
from scoring.kit.json_schema.checking import MOST_BYTES, Examined, examine
from scoring.kit.json_schema.drafts import subschemas
from scoring.kit.json_schema.faults import SchemaFault
from scoring.kit.json_schema.keywords import NEVER
from scoring.kit.json_schema.quick import quick_checks
from scoring.kit.json_schema.run import Run
from scoring.kit.json_shown import json_path
from scoring.kit.outcome import ErrorCode, Unmeasurable

_MOST_KEPT: Final = 256
_STEPS_A_VIOLATION: Final = 2
# Escapes may make six bytes of one.
_LONGEST_KEY: Final = 6 * MOST_BYTES
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """One demand that was not met: where, of which keyword, in words."""

    path: Path
    keyword: str
    message: str

    @property
    def order(self) -> tuple[Any, ...]:
        """What violations are sorted by: the path (a list's items by number, after the list), then the keyword."""
        return (
            *((0, step, "") if isinstance(step, int) else (1, 0, step) for step in self.path),
            (-1, 0, f"{self.keyword} {self.message}"),
        )

    def as_evidence(self) -> dict[str, str]:
        """The violation as JSON."""
        return {"path": json_path(self.path), "keyword": self.keyword, "message": self.message}

    def __str__(self) -> str:
        return f"{json_path(self.path)}: {self.message}"


class CompiledSchema:
    """A schema that was looked through and can be used, from any thread."""

    def __init__(self, schema: Any, examined: Examined) -> None:
        self._draft = examined.draft
        prepared = _prepared(schema, examined.schemas)
        self._schema = prepared
        self._checks = quick_checks(prepared, examined.draft)
        # An empty registry: nothing is fetched, and nothing known by name.
        self._validator = examined.draft.validator(prepared, registry=Registry())

    def violations(self, value: Any) -> list[Violation]:
        """Every demand that a JSON value does not meet, in order; none when it is valid.

        Raises Unmeasurable (limit): beyond 90,000 steps (a keyword applied is one, with schemas
        inside two, a violation two), 200 schemas inside each other, and what patterns may take.
        """
        run = Run(self._draft.formats, self._checks)
        if run.passes(self._schema, value):
            return []
        try:
            errors = []
            for error in self._validator.evolve(format_checker=run).iter_errors(value):
                run.budget.spend(_STEPS_A_VIOLATION)
                errors.append(_violation(error))
        except RecursionError as error:
            raise Unmeasurable(ErrorCode.LIMIT, "Schemas apply inside each other too deeply.") from error
        except Unresolvable as error:
            raise Unmeasurable(ErrorCode.CONFIG, "A $ref of the schema leads nowhere.") from error
        return sorted(errors, key=lambda violation: violation.order)


def _violation(error: ValidationError) -> Violation:
    keyword = str(error.validator)
    return Violation(tuple(error.path), "false" if keyword == NEVER else keyword, error.message)


def _prepared(value: Any, schemas: dict[int, dict[str, Any]]) -> Any:
    """A copy for our validators.

    Without `$schema`, which would change them for the package's own, and with a keyword in the
    place of `false`, for which the package would write the whole value out.
    """
    if value is False and not schemas:
        return {NEVER: True}
    if isinstance(value, list):
        return [_prepared(item, schemas) for item in value]
    if not isinstance(value, dict):
        return value
    if id(value) not in schemas:
        return {name: _prepared(member, schemas) for name, member in value.items()}
    copy = {name: _prepared(member, schemas) for name, member in value.items() if name != "$schema"}
    for steps, part in subschemas(copy):
        if part is False:
            holder: Any = copy
            for step in steps[:-1]:
                holder = holder[step]
            holder[steps[-1]] = {NEVER: True}
    return copy


def compiled(schema: Any) -> CompiledSchema:
    """The schema ready for use; the last 256 are kept. Raises SchemaFault where it cannot be used."""
    try:
        text = exact_json.dumps(schema)
    except RecursionError as error:
        raise SchemaFault((), "The schema is nested too deeply.") from error
    if len(text) > _LONGEST_KEY:
        raise SchemaFault((), f"A schema may have at most {MOST_BYTES:,} bytes as JSON.")
    found = _compiled(text)
    if isinstance(found, SchemaFault):
        # A new one: the kept one would grow by a traceback each time.
        raise SchemaFault(found.steps, found.message)
    return found


@lru_cache(maxsize=_MOST_KEPT)
def _compiled(text: str) -> CompiledSchema | SchemaFault:
    schema = exact_json.loads(text)
    try:
        return CompiledSchema(schema, examine(schema))
    except SchemaFault as fault:
        return fault
