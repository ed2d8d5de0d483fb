"""Scorers of a structured answer: one that must be the expected object, one that must fit a schema."""

from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from scoring.kit.budget import Budget
from scoring.kit.json_compare import MOST_STEPS, Comparison, Tally, without
from scoring.kit.json_schema import CompiledSchema, SchemaFault, compiled
from scoring.kit.json_text import NotJson, check_depth, structured_answer, without_fence
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.patterns import measured
from scoring.kit.possible_scores import ANY_SCORE, ZERO_OR_ONE, PossibleScores, only
from scoring.kit.scorer import Example, Scorer
from scoring.kit.settings import bounded, not_blank

_MOST_SHOWN = 50
_TRUTH = (ErrorCode.MISSING_GROUND_TRUTH, ErrorCode.BAD_GROUND_TRUTH)
_NO_DEMANDS = frozenset({"$schema", "$id", "$comment", "title", "description", "default", "examples", "$defs"})
_OK = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}


class JsonMatch(Scorer):
    """Whether the structured answer is the expected object, or holds it.

    Numbers are equal by value (1 = 1.0), true is not 1, null is not the same as absent. As a subset
    the answer may hold other members, and other items between the expected ones. Lists as sets:
    neither order nor repetition matters. With partial credit the score is the share of the
    expected leaves (numbers, texts, constants, empty lists and objects) that are there; leaves that
    nobody expected keep it under 1.
    """

    reads: ClassVar = ("output.object, else output.text as JSON", "expected.object")
    formula: ClassVar = (
        "1 if nothing differs; else partialCredit ? min(matched / expected, expected / (expected + extra)) leaves : 0"
    )
    gives: ClassVar = (*_TRUTH, ErrorCode.MISSING_INPUT, ErrorCode.LIMIT)
    origin: ClassVar = "Scorer contract, section 0"
    examples: ClassVar = (
        Example(
            "The same, whatever the order of members",
            {},
            {"object": {"b": 1.0, "a": [2]}, "expected": {"object": {"a": [2], "b": 1}}},
            score=1,
        ),
        Example(
            "Holds what was expected, and more",
            {"mode": "subset"},
            {"object": {"id": 7, "open": True}, "expected": {"object": {"open": True}}},
            score=1,
        ),
        Example(
            "One leaf of two",
            {"partialCredit": True},
            {"output": '{"a": 1, "b": true}', "expected": {"object": {"a": 1, "b": 1}}},
            score=0.5,
        ),
        Example(
            "Ids are left out of it",
            {"ignore": ["items.*.id"], "lists": "set"},
            {
                "object": {"items": [{"id": 9, "n": "b"}, {"id": 8, "n": "a"}]},
                "expected": {"object": {"items": [{"n": "a"}, {"n": "b"}]}},
            },
            score=1,
        ),
        Example("No object was expected", {}, {"object": {}, "expected": "yes"}, error=ErrorCode.MISSING_GROUND_TRUTH),
    )

    type: Literal["JsonMatch"] = "JsonMatch"
    mode: Literal["exact", "subset"] = Field(
        default="exact", title="Mode", description="exact: the same; subset: the expected object within the answer."
    )
    lists: Literal["ordered", "set"] = Field(
        default="ordered",
        title="Lists",
        description="ordered: items in their order; set: whatever their order and repetition.",
    )
    ignore: Annotated[
        tuple[Annotated[str, bounded(1, 256), AfterValidator(not_blank)], ...], Field(max_length=32, strict=False)
    ] = Field(
        default=(),
        title="Ignore",
        description="Paths left out of the comparison, one a line; * stands for any step: items.*.id.",
        json_schema_extra={"x-widget": "lines"},
    )
    partial_credit: bool = Field(
        default=False, title="Partial credit", description="Score the share of the expected values that are there."
    )

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """0 or 1; with partial credit any share."""
        return ANY_SCORE if self.partial_credit else ZERO_OR_ONE

    def score(self, observation: Observation) -> Reading:
        """1, 0 or the share; the evidence lists the differences, at most 50, and counts the leaves."""
        truth = observation.ground_truth("object")
        if truth is ABSENT:
            raise Unmeasurable(ErrorCode.MISSING_GROUND_TRUTH, "The case has no expected.object to compare with.")
        check_depth(truth)
        budget = Budget(MOST_STEPS, f"Comparing these objects needs more than {MOST_STEPS:,} steps.")
        ignored = [tuple(path.split(".")) for path in self.ignore]
        expected = without(truth, ignored, budget)
        if self.mode == "subset" and expected in ({}, []):
            message = "expected.object holds nothing to find, so every answer would hold it."
            raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, message, vacuous=True)
        try:
            answer = structured_answer(observation, self.target)
        except NotJson as reason:
            return Reading(0.0, f"The {self.target} is not JSON: {reason}.", {"json": False})
        comparison = Comparison(subset=self.mode == "subset", sets=self.lists == "set", budget=budget)
        tally = comparison.compare(expected, without(answer, ignored, budget))
        return self._reading(comparison, tally, comparison.leaves(expected))

    def _reading(self, comparison: Comparison, tally: Tally, leaves: int) -> Reading:
        differences = sorted(comparison.differences, key=lambda difference: difference.order)
        evidence = {
            "matched": tally.matched,
            "expected": leaves,
            "extra": tally.extra,
            "differences": [difference.as_evidence() for difference in differences[:_MOST_SHOWN]],
            "differenceCount": len(differences),
        }
        if not differences:
            how = "is the expected one" if self.mode == "exact" else "holds the expected one"
            return Reading(1.0, f"The object {how} ({_counted(leaves, 'value')}).", evidence)
        share = min(tally.matched / leaves, leaves / (leaves + tally.extra))
        more = f"; and {_counted(len(differences) - 1, 'difference')} more" if len(differences) > 1 else ""
        matching = f"{tally.matched} of {_counted(leaves, 'expected value')} match{'es' if tally.matched == 1 else ''}"
        return Reading(share if self.partial_credit else 0.0, f"{matching}; {differences[0]}{more}.", evidence)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


class OutputSchema(Scorer):
    """Whether the structured answer is valid by a JSON Schema.

    Any draft that `$schema` names, 2020-12 by default. Nothing is fetched: every `$ref` leads
    into the schema itself. `format` is asserted, `pattern` is a JavaScript pattern with the flag
    u. Text must be JSON and nothing else: prose around it, a member that stands twice, or NaN is
    a wrong answer. What the draft defines and nothing here checks is refused when it is saved.
    """

    reads: ClassVar = ("output.object, else output.text as JSON", "expected.schema, unless the scorer has its own")
    formula: ClassVar = "1 if the answer is valid by the schema, else 0"
    gives: ClassVar = (ErrorCode.CONFIG, *_TRUTH, ErrorCode.MISSING_INPUT, ErrorCode.LIMIT)
    origin: ClassVar = "JSON Schema; scorer contract, section 1.3"
    examples: ClassVar = (
        Example("Valid", {"schema": _OK}, {"object": {"ok": True}}, score=1),
        Example("Of another type", {"schema": _OK}, {"output": '{"ok": "yes"}'}, score=0),
        Example("Prose is no JSON", {"schema": _OK}, {"output": "sorry, no"}, score=0),
        Example(
            "A code fence, allowed",
            {"schema": _OK, "extract": "fence"},
            {"output": '```json\n{"ok": true}\n```'},
            score=1,
        ),
        Example("The schema of the case", {}, {"object": 3, "expected": {"schema": {"type": "integer"}}}, score=1),
        Example("No schema anywhere", {}, {"object": {}}, error=ErrorCode.MISSING_GROUND_TRUTH),
    )

    type: Literal["OutputSchema"] = "OutputSchema"
    json_schema: dict[str, Any] | bool | None = Field(
        default=None,
        alias="schema",
        title="Schema",
        description="A JSON Schema of any draft; left empty, the case's expected.schema.",
        json_schema_extra={"x-widget": "schema"},
    )
    source: Literal["auto", "object", "text"] = Field(
        default="auto",
        title="Source",
        description="auto: the object if one was recorded, else the text read as JSON; or one of the two.",
    )
    extract: Literal["none", "fence"] = Field(
        default="none",
        title="Extract",
        description="fence: read the first code block of the text, where there is one, instead of all of it.",
    )

    @model_validator(mode="after")
    def _is_a_schema(self, info: ValidationInfo) -> Self:
        # What is stored was checked when it was saved; it is made ready when it is first used.
        if self.json_schema is not None and not (info.context or {}).get("stored"):
            try:
                compiled(self.json_schema)
            except SchemaFault as fault:
                path = f"schema.{fault.path}".rstrip(".")
                raise PydanticCustomError(
                    "invalid_schema", "{reason}", {"reason": fault.message, "field": path}
                ) from fault
        return self

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """0 or 1; 0 alone by a schema that allows nothing."""
        if _allows_nothing(self._schema_given(observation)):
            return only(0.0, why="The schema allows no answer at all.")
        return ZERO_OR_ONE

    def vacuous(self, observation: Observation | None = None) -> str | None:
        """By a schema that allows everything, only what is no JSON is not valid."""
        if _allows_everything(self._schema_given(observation)):
            return "The schema allows everything: whatever is JSON is valid."
        return None

    def _schema_given(self, observation: Observation | None) -> Any:
        """The scorer's own schema, else the case's, else ABSENT."""
        if self.json_schema is not None:
            return self.json_schema
        return ABSENT if observation is None else observation.ground_truth("schema")

    @cached_property
    def _own_schema(self) -> CompiledSchema | SchemaFault:
        try:
            return measured(lambda: compiled(self.json_schema))
        except SchemaFault as fault:
            return fault

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence lists what is not as the schema demands, at most 50, and counts it."""
        schema = self._schema_for(observation)
        prepare = without_fence if self.extract == "fence" else str
        try:
            answer = structured_answer(observation, self.target, source=self.source, prepare=prepare)
        except NotJson as reason:
            return Reading(0.0, f"The {self.target} is not JSON: {reason}.", {"json": False})
        violations = schema.violations(answer)
        evidence = {
            "violations": [violation.as_evidence() for violation in violations[:_MOST_SHOWN]],
            "violationCount": len(violations),
        }
        if not violations:
            return Reading(1.0, "The answer is valid by the schema.", evidence)
        more = f"; and {len(violations) - 3:,} more" if len(violations) > 3 else ""
        shown = "; ".join(str(violation) for violation in violations[:3])
        return Reading(0.0, f"{_counted(len(violations), 'violation')} of the schema: {shown}{more}.", evidence)

    def _schema_for(self, observation: Observation) -> CompiledSchema:
        """The scorer's own schema, else the case's."""
        if self.json_schema is not None:
            own = self._own_schema
            if isinstance(own, SchemaFault):
                raise Unmeasurable(ErrorCode.CONFIG, f"The schema cannot be used: {_at(own)}")
            return own
        given = observation.ground_truth("schema")
        if given is ABSENT:
            message = "Neither the scorer nor the case's expected.schema has a schema to hold the answer against."
            raise Unmeasurable(ErrorCode.MISSING_GROUND_TRUTH, message)
        try:
            return measured(lambda: compiled(given))
        except SchemaFault as fault:
            message = f"expected.schema cannot be used: {_at(fault)}"
            raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, message) from fault


def _allows_everything(schema: Any) -> bool:
    """Whether nothing in the schema is a demand. Not all such schemas are told."""
    return schema is True or (isinstance(schema, dict) and schema.keys() <= _NO_DEMANDS)


def _allows_nothing(schema: Any) -> bool:
    """Whether the schema plainly refuses every value. Not all such schemas are told."""
    if isinstance(schema, dict) and schema.keys() == {"not"}:
        return _allows_everything(schema["not"])
    return schema is False


def _at(fault: SchemaFault) -> str:
    return f"{fault.path}: {fault.message}" if fault.steps else fault.message
