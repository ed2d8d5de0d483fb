"""The scorer of a rule in JSON over everything an answer came with."""

from functools import cached_property
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from scoring.kit.json_logic import Evaluation, RuleFault, check_rule, explain, variables_of
from scoring.kit.json_logic.coercion import truthy
from scoring.kit.json_shown import clean, excerpt
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.possible_scores import ZERO_OR_ONE, PossibleScores, never, only
from scoring.kit.scorer import Example, Scorer
from scoring.kit.text import shortened

_MOST_VARIABLES = 20
_CATEGORY = {"==": [{"var": "object.category"}, {"var": "expected.category"}]}


class _Watched(Evaluation):
    """An evaluation that tells whether its data was looked at."""

    looked = False

    def variable(self, path: Any, data: Any, fallback: Any = None) -> Any:
        self.looked = self.looked or data is self.data
        return super().variable(path, data, fallback)


class JsonLogic(Scorer):
    """Whether a rule in JsonLogic holds for the answer and what came with it.

    Its variables read `input`, `output` (the text), `object`, `expected` and `item` (`metadata`,
    `key`); one that is not there is null. A list or a text has a `length`. Truth is JsonLogic's: an
    empty list is false. Comparisons convert as JavaScript does, except that lists and objects are
    equal when they hold the same; arithmetic takes numbers, and texts that are one number, and
    nothing else. A rule that nobody could evaluate is refused when it is saved.
    """

    reads: ClassVar = ("input", "output", "object", "expected", "item.metadata")
    formula: ClassVar = "1 if the value of the expression is true, else 0"
    gives: ClassVar = (ErrorCode.CONFIG, ErrorCode.BAD_INPUT, ErrorCode.UNDEFINED, ErrorCode.LIMIT)
    origin: ClassVar = "JsonLogic's operations page and shared tests; bounds and errors decided here"
    examples: ClassVar = (
        Example(
            "The category that was expected",
            {"expression": _CATEGORY},
            {"object": {"category": "refund"}, "expected": {"category": "refund"}},
            score=1,
        ),
        Example(
            "Another category",
            {"expression": _CATEGORY},
            {"object": {"category": "question"}, "expected": {"category": "refund"}},
            score=0,
        ),
        Example(
            "An empty list is false",
            {"expression": {"!!": {"filter": [{"var": "object.items"}, {">": [{"var": "price"}, 100]}]}}},
            {"object": {"items": [{"price": 20}]}},
            score=0,
        ),
        Example(
            "Arithmetic on what is no number",
            {"expression": {"<": [{"+": [{"var": "object.price"}, 1]}, 10]}},
            {"object": {"price": "cheap"}},
            error=ErrorCode.BAD_INPUT,
        ),
        Example(
            "A share of nothing",
            {"expression": {">": [{"/": [{"var": "object.right"}, {"var": "object.all"}]}, 0.5]}},
            {"object": {"right": 0, "all": 0}},
            error=ErrorCode.UNDEFINED,
        ),
    )

    type: Literal["JsonLogic"] = "JsonLogic"
    expression: dict[str, Any] = Field(
        title="Expression",
        description="A rule in JsonLogic over input, output, object, expected and item.metadata.",
        examples=[{"==": [{"var": "object.category"}, {"var": "expected.category"}]}],
        json_schema_extra={"x-widget": "logic"},
    )

    @model_validator(mode="after")
    def _is_a_rule(self, info: ValidationInfo) -> Self:
        # What is stored was checked when it was saved; it is looked at again when it is first used.
        fault = None if (info.context or {}).get("stored") else self._fault
        if fault is not None:
            path = f"expression.{fault.path}".rstrip(".")
            raise PydanticCustomError("invalid_rule", "{reason}", {"reason": fault.message, "field": path})
        return self

    @cached_property
    def _fault(self) -> RuleFault | None:
        try:
            check_rule(self.expression)
        except RuleFault as fault:
            return fault
        return None

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """0 or 1; one of them alone when no variable decides, none when it can never be evaluated."""
        if self._fault is not None:
            return never(f"The expression cannot be evaluated: {self._fault.message}")
        run = _Watched({})
        try:
            value = float(truthy(run.run(self.expression)))
        except Unmeasurable as reason:
            return ZERO_OR_ONE if run.looked else never(reason.message)
        return ZERO_OR_ONE if run.looked else only(value, why="No variable decides: the expression is a constant.")

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence holds the value and the variables that were read, at most 20."""
        if self._fault is not None:
            raise Unmeasurable(ErrorCode.CONFIG, f"The expression cannot be evaluated: {self._fault.message}")
        run = Evaluation(variables_of(observation))
        value = run.run(self.expression)
        read = sorted(run.read.items())[:_MOST_VARIABLES]
        evidence = {
            "value": excerpt(value),
            "variables": [
                {"path": clean(shortened(path, 200)), **({} if found is ABSENT else {"value": excerpt(found)})}
                for path, found in read
            ],
        }
        return Reading(float(truthy(value)), explain(run, self.expression), evidence)
