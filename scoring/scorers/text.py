"""Scorers that look for something in the text: a pattern, keywords, a piece, an exact answer."""

from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, ValidationInfo, model_validator

from scoring.kit.answers import expected_answers
from scoring.kit.json_values import canonical_text
from scoring.kit.normalizers import NORMALIZERS
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.paths import ABSENT, Absent
from scoring.kit.patterns import check_pattern, first_match
from scoring.kit.possible_scores import ZERO_OR_ONE, PossibleScores, never, only
from scoring.kit.scorer import Example, Scorer
from scoring.kit.settings import Fraction, bounded, distinct, not_blank
from scoring.kit.text import SearchedText, code_point_offset, listed, shortened


class RegexMatch(Scorer):
    """Whether a JavaScript regular expression is found anywhere in the text.

    The pattern means what it means in JavaScript: it is run by an ECMAScript engine, in a process
    of its own, for at most 100 ms. It is tried as `new RegExp(pattern, flags).test(text)` on a
    fresh expression, so `g` keeps no state and `y` must match at the start.
    """

    reads: ClassVar = ("target text",)
    formula: ClassVar = "matched = invert ? not found : found; score = matched ? scoreOnMatch : scoreOnMiss"
    gives: ClassVar = (ErrorCode.CONFIG, ErrorCode.MISSING_INPUT, ErrorCode.LIMIT)
    origin: ClassVar = "Output evaluation SOP; semantics: ECMAScript RegExp"
    advanced: ClassVar = frozenset({"score_on_match", "score_on_miss"})
    examples: ClassVar = (
        Example(
            "An apology is found",
            {"pattern": "I apologize|unfortunately", "flags": "i", "scoreOnMatch": 0, "scoreOnMiss": 1},
            {"output": "Unfortunately it failed."},
            score=0,
        ),
        Example(
            "No open task is left: the absence scores",
            {"pattern": r"\b(?:TODO|FIXME)\b", "invert": True},
            {"output": "All done."},
            score=1,
        ),
        Example("Sticky must match at the start", {"pattern": "b", "flags": "y"}, {"output": "abc"}, score=0),
        Example("Runs out of time", {"pattern": r"(a*)*\1b", "flags": ""}, {"output": "a" * 64}, error=ErrorCode.LIMIT),
    )

    type: Literal["RegexMatch"] = "RegexMatch"
    pattern: Annotated[str, bounded(1, 256)] = Field(
        title="Pattern",
        description="A JavaScript regular expression, without slashes.",
        json_schema_extra={"x-widget": "pattern"},
    )
    flags: Annotated[str, bounded(0, 8)] = Field(
        default="",
        title="Flags",
        description=(
            "Any of d g i m s u v y that are valid together: i ignores case, "
            "m makes ^ and $ match at lines, s lets . match a line feed."
        ),
        json_schema_extra={"x-widget": "flags"},
    )
    invert: bool = Field(default=False, title="Invert", description="Count the absence of the pattern as the match.")
    score_on_match: Fraction = Field(default=1, title="Score on match")
    score_on_miss: Fraction = Field(default=0, title="Score on miss")

    @model_validator(mode="after")
    def _compiles(self, info: ValidationInfo) -> "RegexMatch":
        check_pattern(self.pattern, self.flags, info)
        return self

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """The two that were set."""
        same = self.score_on_match == self.score_on_miss
        return only(self.score_on_match, self.score_on_miss, why="A match and a miss score the same." if same else "")

    def score(self, observation: Observation) -> Reading:
        """ScoreOnMatch or scoreOnMiss; the evidence holds the first match as UTF-16 [start, end]."""
        text = observation.text(self.target)
        match = first_match(self.pattern, self.flags, text)
        matched = (match is None) if self.invert else (match is not None)
        value = self.score_on_match if matched else self.score_on_miss
        shown = f"/{shortened(self.pattern, 60)}/{self.flags}"
        if match is None:
            return Reading(value, f"{shown} was not found in the {self.target}.", {"found": False})
        start, end = code_point_offset(text, match.start), code_point_offset(text, match.end)
        found = shortened(text[start:end])
        where = f'"{found}" at {match.start}' if found else f"nothing at {match.start}"
        return Reading(
            value,
            f"{shown} was found in the {self.target}: {where}.",
            {"found": True, "span": [match.start, match.end], "target": self.target},
        )


Keyword = Annotated[str, bounded(1, 256), AfterValidator(not_blank)]


class KeywordContains(Scorer):
    """Whether any, or all, of a list of keywords stand in the text."""

    reads: ClassVar = ("target text",)
    formula: ClassVar = "any: 1 if one is found; all: 1 if all are found, else partialCredit ? found / listed : 0"
    gives: ClassVar = (ErrorCode.MISSING_INPUT,)
    origin: ClassVar = "Output evaluation SOP"
    examples: ClassVar = (
        Example("One of several is enough", {"keywords": ["fixed", "added"]}, {"output": "Added OAuth."}, score=1),
        Example(
            "All are asked for, with credit for some",
            {"keywords": ["alpha", "beta", "gamma"], "matchMode": "all", "partialCredit": True},
            {"output": "alpha only"},
            score=1 / 3,
        ),
        Example(
            "A keyword listed twice counts once",
            {"keywords": ["a", "a", "b"], "matchMode": "all", "partialCredit": True},
            {"output": "a"},
            score=0.5,
        ),
        Example("No output was recorded", {"keywords": ["a"]}, {"object": {"a": 1}}, error=ErrorCode.MISSING_INPUT),
    )

    type: Literal["KeywordContains"] = "KeywordContains"
    keywords: Annotated[tuple[Keyword, ...], Field(min_length=1, max_length=64, strict=False)] = Field(
        title="Keywords",
        description="One a line. A keyword is found wherever it stands, also inside a word.",
        json_schema_extra={"x-widget": "lines"},
    )
    match_mode: Literal["any", "all"] = Field(default="any", title="How many", description="Any one of them, or all.")
    case_sensitive: bool = Field(default=False, title="Mind case", description="Tell capital letters from small ones.")
    partial_credit: bool = Field(
        default=False, title="Partial credit", description="With all: score the share that was found."
    )

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """0 or 1; with partial credit the shares of so many keywords."""
        total = len(distinct(self.keywords)) if self.match_mode == "all" and self.partial_credit else 1
        return only(*(found / total for found in range(total + 1)))

    def score(self, observation: Observation) -> Reading:
        """The score by mode; the evidence lists what was found (with its first place) and what is missing."""
        text = SearchedText(observation.text(self.target), case_sensitive=self.case_sensitive)
        keywords = distinct(self.keywords)
        places = {keyword: place for keyword in keywords if (place := text.first(keyword))}
        found = list(places)
        missing = [keyword for keyword in keywords if keyword not in places]
        evidence = {"found": found, "missing": missing, "spans": list(places.values()), "target": self.target}
        return Reading(self._value(len(found), len(keywords)), self._explanation(found, missing), evidence)

    def _value(self, found: int, listed_count: int) -> float:
        if self.match_mode == "any":
            return 1.0 if found else 0.0
        if found == listed_count:
            return 1.0
        return found / listed_count if self.partial_credit else 0.0

    def _explanation(self, found: list[str], missing: list[str]) -> str:
        total = len(found) + len(missing)
        if self.match_mode == "any":
            return (
                f"Found {listed(found)}."
                if found
                else f"None of {total} keywords was found; one of {listed(missing)} is needed."
            )
        if not missing:
            return f"All {total} keywords were found." if total > 1 else f"Found {listed(found)}."
        return f"{len(found)} of {total} keywords were found; missing: {listed(missing)}."


class Contains(Scorer):
    """Whether one given piece of text stands in the output."""

    reads: ClassVar = ("target text",)
    formula: ClassVar = "1 if value is found, else 0"
    gives: ClassVar = (ErrorCode.MISSING_INPUT,)
    origin: ClassVar = "Evaluation tutorial"
    examples: ClassVar = (
        Example("Found, whatever the case", {"value": "World"}, {"output": "Goodbye world"}, score=1),
        Example(
            "Not found when case matters",
            {"value": "World", "caseSensitive": True},
            {"output": "Goodbye world"},
            score=0,
        ),
        Example("No output was recorded", {"value": "a"}, {"object": {}}, error=ErrorCode.MISSING_INPUT),
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["Contains"] = "Contains"
    value: Annotated[str, bounded(1, 10_000)] = Field(
        title="Text",
        description="What must stand in the output, taken literally.",
        json_schema_extra={"x-widget": "textarea"},
    )
    case_sensitive: bool = Field(default=False, title="Mind case", description="Tell capital letters from small ones.")

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence holds the first place."""
        text = SearchedText(observation.text(self.target), case_sensitive=self.case_sensitive)
        span = text.first(self.value)
        if span is None:
            return Reading(0.0, f'"{shortened(self.value)}" was not found in the {self.target}.', {"found": False})
        return Reading(
            1.0,
            f'"{shortened(self.value)}" was found at {span[0]}.',
            {"found": True, "span": span, "target": self.target},
        )


Answer = Annotated[str, bounded(1, 100_000)]


class ExactMatch(Scorer):
    """Whether the output is the expected answer, after a named normalization of both.

    `trim` compares the text without white space at its ends. `outer-punct-safe/1` also ignores
    case, Unicode form, outer punctuation and emphasis marks, and keeps what carries meaning: -5 is
    not 5, 5% is not 5, C# is not C. `outer-punct/1` strips every outer punctuation character, so
    -5 equals 5: it is there for comparison with tools that do so. An object is compared as the one
    JSON text of its value: members sorted, no spaces, and 5.0 written 5.
    """

    version: ClassVar = 2
    reads: ClassVar = ("target text, or the object as JSON when there is no text", "expected.answer")
    formula: ClassVar = "1 if N(output) = N(a) for one of the expected answers a, else 0"
    gives: ClassVar = (ErrorCode.MISSING_GROUND_TRUTH, ErrorCode.BAD_GROUND_TRUTH, ErrorCode.MISSING_INPUT)
    origin: ClassVar = "Scorer module, section 2; normalizers decided here"
    examples: ClassVar = (
        Example(
            "Case and outer marks ignored",
            {"normalizer": "outer-punct-safe/1"},
            {"output": "“Yes!”", "expected": "yes"},
            score=1,
        ),
        Example(
            "A sign is not punctuation",
            {"normalizer": "outer-punct-safe/1"},
            {"output": "-5", "expected": "5"},
            score=0,
        ),
        Example("One of several answers", {}, {"output": "Lyon", "expected": {"answer": ["Paris", "Lyon"]}}, score=1),
        Example("Nothing to compare with", {}, {"output": "yes"}, error=ErrorCode.MISSING_GROUND_TRUTH),
        Example(
            "An answer that normalizes to nothing",
            {"normalizer": "outer-punct-safe/1"},
            {"output": "!!!", "expected": "..."},
            error=ErrorCode.BAD_GROUND_TRUTH,
        ),
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["ExactMatch"] = "ExactMatch"
    normalizer: Literal["trim", "outer-punct-safe/1", "outer-punct/1"] = Field(
        default="trim", title="Compare", description="What is ignored when the two are compared."
    )
    answer: Answer | None = Field(
        default=None,
        title="Answer",
        description="Overrides the expected answer of the case.",
        json_schema_extra={"x-widget": "textarea"},
    )

    def possible_scores(self, observation: Observation | None = None) -> PossibleScores:
        """0 or 1; none at all when its own answer normalizes to nothing."""
        if self.answer is not None and not NORMALIZERS[self.normalizer](self.answer):
            return never("Its own answer is empty once normalized, so everything empty would match it.")
        return self.scale

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence holds both sides as they were compared."""
        normalize = NORMALIZERS[self.normalizer]
        wanted = [normalize(answer) for answer in self._answers(observation)]
        if not all(wanted):
            raise Unmeasurable(
                ErrorCode.BAD_GROUND_TRUTH,
                "An expected answer is empty once normalized, so everything empty would match it.",
                vacuous=True,
            )
        given = normalize(self._given(observation))
        evidence = {"compared": shortened(given, 500), "expected": [shortened(answer, 500) for answer in wanted[:10]]}
        if given in wanted:
            return Reading(1.0, f'The output is the expected "{shortened(given)}".', evidence)
        return Reading(0.0, f'Expected {listed(wanted, 3)}, got "{shortened(given)}".', evidence)

    def _given(self, observation: Observation) -> str:
        if self.target == "output" and isinstance(observation.output, Absent) and observation.object is not ABSENT:
            return canonical_text(observation.object)
        return observation.text(self.target)

    def _answers(self, observation: Observation) -> list[str]:
        if self.answer is not None:
            return [self.answer]
        return expected_answers(observation)
