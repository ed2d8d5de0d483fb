"""Scorers of tool use: did the calls work, was the right one made, was it the right sequence."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from scoring.kit.call_arguments import Arguments, ReadCall, argument_difference, read_calls, unmatched_names
from scoring.kit.json_values import Catalogue
from scoring.kit.matching import maximum_matching
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.possible_scores import ZERO_OR_ONE
from scoring.kit.scorer import Example, Scorer
from scoring.kit.settings import bounded
from scoring.kit.text import shortened
from scoring.kit.tool_calls import ToolCall, dispatched, expected_calls, not_called, tool_calls

_READS = ("tool_calls", "expected.tool_calls")
_GIVES = (ErrorCode.MISSING_INPUT, ErrorCode.BAD_INPUT)
_TRUTH = (ErrorCode.MISSING_GROUND_TRUTH, ErrorCode.BAD_GROUND_TRUTH)
# Beyond this many pairs, or steps of comparing their arguments, pairing would take more than a second.
_MOST_PAIRS = 200_000
_MOST_STEPS = 5_000_000
_EXTRA_ALLOWED = frozenset({"in_order", "superset"})
_NOT_RECORDED = Example("Not recorded", {}, {"output": "done"}, error=ErrorCode.MISSING_INPUT)
_TWO_OF_THREE = {
    "observation": {"tool_calls": [{"name": "search"}, {"name": "fetch", "error": "HTTP 404"}, {"name": "parse"}]}
}
ToolName = Annotated[str, bounded(1, 256)]
_Places = dict[str, list[int]]


def _calls(names: str, expected: str) -> dict[str, Any]:
    return {
        "observation": {"tool_calls": [{"name": name} for name in names.split()]},
        "expected": {"tool_calls": [{"name": name} for name in expected.split()]},
    }


class ToolSuccess(Scorer):
    """The share of the dispatched tool calls that came back without an error.

    Calls that were denied or held are not counted; with none dispatched there is nothing to say.
    """

    reads: ClassVar = ("tool_calls",)
    formula: ClassVar = "dispatched without error / dispatched; 0/0 is undefined"
    gives: ClassVar = (*_GIVES, ErrorCode.UNDEFINED)
    origin: ClassVar = "Scorer module, section 4"
    examples: ClassVar = (
        Example("Two of three", {}, _TWO_OF_THREE, score=2 / 3),
        Example(
            "No call was made: undefined, not perfect",
            {},
            {"observation": {"tool_calls": []}},
            error=ErrorCode.UNDEFINED,
        ),
        _NOT_RECORDED,
    )

    type: Literal["ToolSuccess"] = "ToolSuccess"

    def score(self, observation: Observation) -> Reading:
        """The share; the evidence names each call that failed, and why."""
        calls = dispatched(tool_calls(observation))
        if not calls:
            raise Unmeasurable(ErrorCode.UNDEFINED, "No tool call was dispatched, so there is no share of successes.")
        failed = [call for call in calls if call.failed]
        succeeded = len(calls) - len(failed)
        sentence = f"{succeeded} of {len(calls)} tool calls succeeded"
        for call in failed[:3]:
            sentence += f"; {call.shown_name} failed: {call.failure}"
        if len(failed) > 3:
            sentence += f"; {len(failed) - 3} more failed"
        failures = [{"name": call.name, "error": call.failure} for call in failed[:50]]
        return Reading(
            succeeded / len(calls),
            f"{sentence}.",
            {"dispatched": len(calls), "succeeded": succeeded, "failures": failures},
        )


class ToolCalled(Scorer):
    """Whether a given tool was called, and the call worked."""

    reads: ClassVar = ("tool_calls", "expected.tool")
    formula: ClassVar = "1 if a dispatched call of exactly that name came back without an error, else 0"
    gives: ClassVar = (*_GIVES, *_TRUTH)
    origin: ClassVar = "Scorer module, section 4"
    examples: ClassVar = (
        Example("Called, and it worked", {"tool": "search"}, _TWO_OF_THREE, score=1),
        Example("Called, and it failed", {"tool": "fetch"}, _TWO_OF_THREE, score=0),
        Example("Nobody said which", {}, _TWO_OF_THREE, error=ErrorCode.MISSING_GROUND_TRUTH),
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["ToolCalled"] = "ToolCalled"
    tool: ToolName | None = Field(
        default=None, title="Tool", description="The exact name; the case's expected.tool when left empty."
    )

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence counts the calls of that name."""
        name = self._name(observation)
        calls = tool_calls(observation)
        named = [call for call in calls if call.name == name]
        sent = dispatched(named)
        worked = [call for call in sent if not call.failed]
        evidence = {"tool": name, "calls": len(named), "dispatched": len(sent), "succeeded": len(worked)}
        sentence = self._sentence(shortened(name), named, sent, worked) if named else not_called(name, calls)
        return Reading(float(bool(worked)), f"{sentence}.", evidence)

    def _name(self, observation: Observation) -> str:
        name = self.tool if self.tool is not None else observation.ground_truth("tool")
        if name is ABSENT:
            raise Unmeasurable(
                ErrorCode.MISSING_GROUND_TRUTH, "Neither the scorer nor the case says which tool was to be called."
            )
        if not isinstance(name, str) or not name:
            raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, "expected.tool must be a text that is not empty.")
        return name

    @staticmethod
    def _sentence(name: str, named: Sequence[ToolCall], sent: Sequence[ToolCall], worked: Sequence[ToolCall]) -> str:
        if worked:
            return f"{name} was called and succeeded"
        if sent:
            return f"{name} was called and failed: {sent[-1].failure}"
        return f"{name} was asked for and not let through ({shortened(named[-1].verdict)})"


class _Compared(Scorer):
    """What the scorers of sequences share: how arguments compare, and which calls count."""

    arguments: Arguments = Field(
        default="exact",
        title="Arguments",
        description="exact: the same; superset: at least the expected ones; subset: at most; ignore: only names count.",
    )
    tool_arguments: Annotated[dict[ToolName, Arguments], Field(max_length=64)] = Field(
        default_factory=dict,
        title="Arguments by tool",
        description="Another comparison for some tools.",
        json_schema_extra={"x-widget": "pairs"},
    )
    scope: Literal["dispatched", "attempted"] = Field(
        default="dispatched", title="Which calls", description="Those let through, or all that were attempted."
    )

    def sides(self, observation: Observation) -> tuple[list[ReadCall], list[ReadCall]]:
        """The actual calls in scope and the expected ones."""
        expected = expected_calls(observation)
        actual = tool_calls(observation)
        catalogue = Catalogue()
        in_scope = dispatched(actual) if self.scope == "dispatched" else actual
        return read_calls(in_scope, catalogue), read_calls(expected, catalogue)

    def mode(self, name: str) -> Arguments:
        """How the arguments of this tool compare."""
        return self.tool_arguments.get(name, self.arguments)

    def fits(self, actual: ReadCall, expected: ReadCall) -> bool:
        """Whether one actual call is what one expected call asks for."""
        return actual.name == expected.name and actual.fits(expected, self.mode(expected.name))

    def matched(self, actual: Sequence[ReadCall], expected: Sequence[ReadCall]) -> list[int]:
        """For each expected call the index of the actual one it is paired with, or -1; the most pairs.

        Calls of different names never pair, so each name is matched by itself. Raises Unmeasurable (limit).
        """
        pairs = [-1] * len(expected)
        wanted, given = _places(expected), _places(actual)
        self._refuse_too_many(actual, expected, wanted, given)
        for name, places in wanted.items():
            mode = self.mode(name)
            lefts, rights = [expected[place] for place in places], [actual[place] for place in given.get(name, [])]
            found = _by_key(lefts, rights, mode) if mode in {"exact", "ignore"} else _by_matching(lefts, rights, mode)
            for place, partner in zip(places, found, strict=True):
                pairs[place] = given[name][partner] if partner != -1 else -1
        return pairs

    def difference(self, missing: Sequence[ReadCall], extra: Sequence[ReadCall], order: str = "unordered") -> str:
        """What is missing and what is not expected, in words; a call of the right name by its arguments."""
        spare = {call.name: call for call in reversed(extra)}
        other = next((call for call in missing if call.name in spare), None)
        if other is not None:
            wrong = argument_difference(spare[other.name], other, self.mode(other.name))
            return f"{other.call.shown_name} was called with other arguments: {wrong}"
        parts = [f"missing: {_named(missing)}"] if missing and order != "subset" else []
        parts += [f"not expected: {_named(extra)}"] if extra and order not in _EXTRA_ALLOWED else []
        return "; ".join(parts)

    def _refuse_too_many(
        self, actual: Sequence[ReadCall], expected: Sequence[ReadCall], wanted: _Places, given: _Places
    ) -> None:
        loose = [name for name in wanted if self.mode(name) in {"superset", "subset"}]
        pairs = sum(len(wanted[name]) * len(given.get(name, [])) for name in loose)
        steps = 0
        for name in loose:
            sizes = [
                sum(calls[place].size for place in places.get(name, []))
                for calls, places in ((expected, wanted), (actual, given))
            ]
            steps += min(sizes[0] * len(given.get(name, [])), sizes[1] * len(wanted[name]))
        if pairs > _MOST_PAIRS or steps > _MOST_STEPS:
            raise Unmeasurable(
                ErrorCode.LIMIT,
                f"Pairing these calls needs {pairs:,} comparisons of arguments, which takes too long; "
                "compare exactly, or fewer calls.",
            )


def _places(calls: Sequence[ReadCall]) -> _Places:
    places: _Places = defaultdict(list)
    for index, call in enumerate(calls):
        places[call.name].append(index)
    return dict(places)


def _by_key(expected: Sequence[ReadCall], actual: Sequence[ReadCall], mode: Arguments) -> list[int]:
    """The most pairs where arguments are equal or ignored: calls that fit each other are alike, so any will do."""
    free: dict[int, list[int]] = defaultdict(list)
    for index in range(len(actual) - 1, -1, -1):
        free[actual[index].key(mode)].append(index)
    return [free[call.key(mode)].pop() if free.get(call.key(mode)) else -1 for call in expected]


def _by_matching(expected: Sequence[ReadCall], actual: Sequence[ReadCall], mode: Arguments) -> list[int]:
    choices = [[index for index, call in enumerate(actual) if call.fits(wanted, mode)] for wanted in expected]
    return maximum_matching(choices, len(actual))


def _named(calls: Sequence[ReadCall]) -> str:
    counts = Counter(call.call.shown_name for call in calls)
    words = [name if count == 1 else f"{name} ×{count}" for name, count in list(counts.items())[:5]]
    return ", ".join(words) + (" and more" if len(counts) > 5 else "")


class ToolTrajectory(_Compared):
    """Whether the tool calls are the expected ones, in the order that is asked for."""

    reads: ClassVar = _READS
    formula: ClassVar = (
        "strict: same length, i-th matches i-th; in_order: expected is a subsequence; unordered: a perfect matching; "
        "superset: a matching covers every expected call; subset: one covers every actual call"
    )
    gives: ClassVar = (*_GIVES, *_TRUTH, ErrorCode.LIMIT)
    origin: ClassVar = "Scorer contract, section 1.7"
    examples: ClassVar = (
        Example("The same calls in the same order", {}, _calls("a b", "a b"), score=1),
        Example("One call too many, in order all the same", {"order": "in_order"}, _calls("a x b", "a b"), score=1),
        Example("An empty list means: call nothing", {}, _calls("a", ""), score=0),
        Example(
            "Nobody said what was expected",
            {},
            {"observation": {"tool_calls": []}},
            error=ErrorCode.MISSING_GROUND_TRUTH,
        ),
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["ToolTrajectory"] = "ToolTrajectory"
    order: Literal["strict", "in_order", "unordered", "superset", "subset"] = Field(
        default="strict",
        title="Order",
        description=(
            "strict: exactly these in this order; in_order: these in this order, others between; "
            "unordered: exactly these; superset: at least these; subset: at most these."
        ),
    )

    def vacuous(self, observation: Observation | None = None) -> str | None:
        """An empty list that any calls cover."""
        expected = ABSENT if observation is None else observation.ground_truth("tool_calls")
        if self.order in _EXTRA_ALLOWED and expected == []:
            return f"expected.tool_calls is empty, which any calls cover ({self.order}); strict means: call nothing."
        return None

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence lists both sides and what is missing or extra."""
        actual, expected = self.sides(observation)
        fits, missing, extra = self._judged(actual, expected)
        evidence = {
            "actual": [call.name for call in actual[:100]],
            "expected": [call.name for call in expected[:100]],
            "missing": [call.name for call in missing[:50] if self.order != "subset"],
            "extra": [call.name for call in extra[:50] if self.order not in _EXTRA_ALLOWED],
        }
        if fits:
            made = {0: "No tool call was made,", 1: "The one tool call is"}.get(
                len(actual), f"The {len(actual)} tool calls are"
            )
            return Reading(1.0, f"{made} as expected ({self.order}).", evidence)
        reason = self.difference(missing, extra, self.order) or self._first_difference(actual, expected)
        return Reading(0.0, f"The tool calls are not as expected ({self.order}): {reason}.", evidence)

    def _judged(self, actual: list[ReadCall], expected: list[ReadCall]) -> tuple[bool, list[ReadCall], list[ReadCall]]:
        if self.order in {"strict", "in_order"}:
            fits = (
                self._in_place(actual, expected) if self.order == "strict" else self._unfound(actual, expected) is None
            )
            return fits, unmatched_names(expected, actual), unmatched_names(actual, expected)
        pairs = self.matched(actual, expected)
        taken = set(pairs)
        missing = [call for call, place in zip(expected, pairs, strict=True) if place == -1]
        extra = [call for index, call in enumerate(actual) if index not in taken]
        covered, nothing_else = self.order == "subset" or not missing, self.order == "superset" or not extra
        return covered and nothing_else, missing, extra

    def _in_place(self, actual: list[ReadCall], expected: list[ReadCall]) -> bool:
        return len(actual) == len(expected) and all(self.fits(*pair) for pair in zip(actual, expected, strict=True))

    def _unfound(self, actual: list[ReadCall], expected: list[ReadCall]) -> int | None:
        """The index of the first expected call that does not come after those before it; None when all do."""
        remaining = iter(actual)
        return next(
            (index for index, wanted in enumerate(expected) if not any(self.fits(call, wanted) for call in remaining)),
            None,
        )

    def _first_difference(self, actual: list[ReadCall], expected: list[ReadCall]) -> str:
        """Where calls of the right names differ all the same: in their order or their arguments."""
        if self.order == "strict":
            pairs = enumerate(zip(actual, expected, strict=True), start=1)
            index, given, wanted = next(
                (index, given, wanted) for index, (given, wanted) in pairs if not self.fits(given, wanted)
            )
            if given.name != wanted.name:
                return f"call {index} is {given.call.shown_name}, expected {wanted.call.shown_name}"
            return (
                f"call {index}, {wanted.call.shown_name}: {argument_difference(given, wanted, self.mode(wanted.name))}"
            )
        index = self._unfound(actual, expected) or 0
        wanted = expected[index]
        named = [call for call in actual if call.name == wanted.name]
        if any(self.fits(call, wanted) for call in named):
            return f"{wanted.call.shown_name} was not called after {expected[index - 1].call.shown_name}"
        wrong = argument_difference(named[-1], wanted, self.mode(wanted.name))
        return f"{wanted.call.shown_name} was called with other arguments: {wrong}"


class ToolCallF1(_Compared):
    """How well the tool calls cover the expected ones, whatever their order."""

    reads: ClassVar = _READS
    formula: ClassVar = "2·|M| / (|actual| + |expected|), M a maximum matching; both empty → 1"
    gives: ClassVar = (*_GIVES, *_TRUTH, ErrorCode.LIMIT)
    origin: ClassVar = "Scorer contract, section 1.7"
    examples: ClassVar = (
        Example("Two of three each way", {}, _calls("a b c", "a b d"), score=2 / 3),
        Example("Nothing wanted, nothing done", {}, _calls("", ""), score=1),
        Example(
            "Nobody said what was expected",
            {},
            {"observation": {"tool_calls": []}},
            error=ErrorCode.MISSING_GROUND_TRUTH,
        ),
    )

    type: Literal["ToolCallF1"] = "ToolCallF1"

    def score(self, observation: Observation) -> Reading:
        """The F1; the evidence counts both sides and the pairs."""
        actual, expected = self.sides(observation)
        pairs = self.matched(actual, expected)
        found = sum(place != -1 for place in pairs)
        total = len(actual) + len(expected)
        value = 2 * found / total if total else 1.0
        taken = set(pairs)
        missing = [call for call, place in zip(expected, pairs, strict=True) if place == -1]
        extra = [call for index, call in enumerate(actual) if index not in taken]
        evidence = {
            "matched": found,
            "actual": len(actual),
            "expected": len(expected),
            "missing": [call.name for call in missing[:50]],
            "extra": [call.name for call in extra[:50]],
        }
        reason = self.difference(missing, extra)
        told = f"; {reason}" if reason else ""
        if not total:
            return Reading(value, "No tool call was expected, and none was made.", evidence)
        sentence = f"{found} of {len(expected)} expected calls were made, of {len(actual)} in all{told}."
        return Reading(value, sentence, evidence)
