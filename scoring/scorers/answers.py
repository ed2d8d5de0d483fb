"""Scorers of an answer that has to be taken out of the text first: a number, a matched piece."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, ValidationInfo, model_validator

from scoring.kit.answers import expected_answers
from scoring.kit.normalizers import NORMALIZERS
from scoring.kit.numbers import measured_number
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.patterns import check_pattern, matches
from scoring.kit.possible_scores import ZERO_OR_ONE
from scoring.kit.scorer import Example, Scorer
from scoring.kit.settings import bounded
from scoring.kit.text import code_point_offset, listed, shortened

_TRUTH = (ErrorCode.MISSING_GROUND_TRUTH, ErrorCode.BAD_GROUND_TRUTH, ErrorCode.MISSING_INPUT)
_MINUS = str.maketrans({"−": "-", "‐": "-", "‑": "-", "–": "-", "＋": "+", "，": ",", "．": "."})
_CURRENCY = r"[$€£¥₹₩₽¢]"
_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|\.[0-9]+"
_VULGAR = "".join(
    character
    for code in range(0xBC, 0x218A)
    if unicodedata.decomposition(character := chr(code)).startswith("<fraction>")
)
_NUMBER = re.compile(
    rf"(?:(?P<sign>[+-])\s?)?(?:(?P<before>{_CURRENCY})\s?)?(?P<inner>[+-])?"
    rf"(?:(?P<digits>{_DIGITS})(?P<exponent>[eE][+-]?[0-9]{{1,3}})?(?P<mixed>\s?[{_VULGAR}])?|(?P<vulgar>[{_VULGAR}]))"
    rf"(?:\s?(?P<after>%|{_CURRENCY}))?"
)
# What may stand beside a number that is taken out of a sentence; a letter or digit makes it part of a name.
_BESIDE = re.compile(r"[^\W_]")


def _fraction(character: str) -> Decimal:
    return Decimal(repr(unicodedata.numeric(character)))


def _value(match: re.Match[str]) -> tuple[Decimal, str]:
    """The number and its symbol (`$`, `%` or empty)."""
    digits, vulgar = match["digits"], match["vulgar"]
    if digits is not None:
        number = Decimal(digits.replace(",", "") + (match["exponent"] or ""))
        if match["mixed"]:
            number += _fraction(match["mixed"].strip())
    else:
        number = _fraction(vulgar)
    if "-" in (match["sign"], match["inner"]):
        number = -number
    return number, match["before"] or match["after"] or ""


def read_number(text: str) -> tuple[Decimal, str] | None:
    """The number that the whole text is, and its symbol; None when it is none."""
    match = _NUMBER.fullmatch(text.translate(_MINUS).strip())
    try:
        return _value(match) if match else None
    except InvalidOperation:
        return None


def numbers_in(text: str) -> list[tuple[Decimal, str]]:
    """Every number that stands by itself in the text, from the left."""
    plain = text.translate(_MINUS)
    found = []
    for match in _NUMBER.finditer(plain):
        before, after = plain[max(0, match.start() - 1) : match.start()], plain[match.end() : match.end() + 1]
        sign = match["sign"]
        joined = bool(sign) and before and not before.isspace()
        if not joined and not _BESIDE.match(before) and not _BESIDE.match(after):
            found.append(_value(match))
        elif joined and not _BESIDE.match(after):
            number, symbol = _value(match)
            found.append((abs(number), symbol))
    return found


class NumericMatch(Scorer):
    """Whether the number in the output is the expected one, within a tolerance.

    "1,242.00", "−3" with a real minus sign, "½", "$20" and "20 %" are numbers; a symbol that both
    sides have must be the same. "5 apples" is a number only when extracting.
    """

    reads: ClassVar = ("target text", "expected.answer")
    formula: ClassVar = "1 if |v − a| ≤ max(absTolerance, relTolerance · |a|) for one of the expected answers a, else 0"
    gives: ClassVar = _TRUTH
    origin: ClassVar = "Scorer contract, section 0"
    examples: ClassVar = (
        Example("Grouped and with decimals", {}, {"output": "1,242.00", "expected": "1242"}, score=1),
        Example("25 is not 5", {}, {"output": "25", "expected": "5"}, score=0),
        Example(
            "The last number of a sentence",
            {"extract": "last"},
            {"output": "Of 7 apples 5 are left.", "expected": "5"},
            score=1,
        ),
        Example("No number was expected", {}, {"output": "5", "expected": "five"}, error=ErrorCode.BAD_GROUND_TRUTH),
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["NumericMatch"] = "NumericMatch"
    abs_tolerance: Annotated[float, Field(ge=0, le=1e15)] = Field(
        default=0, title="Absolute tolerance", description="How far off the number may be."
    )
    rel_tolerance: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0, title="Relative tolerance", description="How far off, as a share of the expected number."
    )
    extract: Literal["whole", "first", "last"] = Field(
        default="whole",
        title="Take",
        description="The whole output must be the number, or the first or last number in it counts.",
    )

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence holds both numbers. An output without a number is a wrong answer, 0."""
        wanted = [self._wanted(answer) for answer in expected_answers(observation)]
        given = self._given(observation.text(self.target))
        shown = [shortened(str(number), 40) for number, _ in wanted[:10]]
        if given is None:
            what = "is no number" if self.extract == "whole" else "holds no number"
            return Reading(0.0, f"The {self.target} {what}; expected {listed(shown, 3)}.", {"expected": shown})
        hit = any(self._same(given, answer) for answer in wanted)
        # A number beyond every double is shown as it was written.
        number = measured_number(given[0])
        written = shortened(str(given[0]) if number is None else f"{given[0]:f}", 40)
        evidence = {"value": written if number is None else number, "symbol": given[1], "expected": shown}
        return Reading(float(hit), f"The number is {given[1]}{written}; expected {listed(shown, 3)}.", evidence)

    @staticmethod
    def _wanted(answer: str) -> tuple[Decimal, str]:
        number = read_number(answer)
        if number is None:
            raise Unmeasurable(
                ErrorCode.BAD_GROUND_TRUTH, f'The expected answer "{shortened(answer, 40)}" is no number.'
            )
        return number

    def _given(self, text: str) -> tuple[Decimal, str] | None:
        if self.extract == "whole":
            return read_number(text)
        found = numbers_in(text)
        return None if not found else found[0 if self.extract == "first" else -1]

    def _same(self, given: tuple[Decimal, str], wanted: tuple[Decimal, str]) -> bool:
        if given[1] and wanted[1] and given[1] != wanted[1]:
            return False
        tolerance = max(Decimal(repr(self.abs_tolerance)), Decimal(repr(self.rel_tolerance)) * abs(wanted[0]))
        return abs(given[0] - wanted[0]) <= tolerance


class ExtractMatch(Scorer):
    """Whether the piece that a pattern takes out of the output is the expected answer."""

    reads: ClassVar = ("target text", "expected.answer")
    formula: ClassVar = (
        "1 if N(piece) = N(a) for the pieces the occurrence asks for and one expected answer a, else 0; no match → 0"
    )
    gives: ClassVar = (ErrorCode.CONFIG, *_TRUTH, ErrorCode.LIMIT)
    origin: ClassVar = "Scorer contract, section 0"
    advanced: ClassVar = frozenset({"group"})
    examples: ClassVar = (
        Example(
            "The first group",
            {"pattern": "answer: (\\w+)"},
            {"output": "The answer: Lyon.", "expected": "Lyon"},
            score=1,
        ),
        Example("No match", {"pattern": "answer: (\\w+)"}, {"output": "Lyon.", "expected": "Lyon"}, score=0),
        Example("Nothing to compare with", {"pattern": "\\d+"}, {"output": "7"}, error=ErrorCode.MISSING_GROUND_TRUTH),
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["ExtractMatch"] = "ExtractMatch"
    pattern: Annotated[str, bounded(1, 256)] = Field(
        title="Pattern",
        description="A JavaScript regular expression, without slashes.",
        json_schema_extra={"x-widget": "pattern"},
    )
    flags: Annotated[str, bounded(0, 8)] = Field(
        default="",
        title="Flags",
        description="Any of d g i m s u v y that are valid together.",
        json_schema_extra={"x-widget": "flags"},
    )
    group: Annotated[int, Field(ge=0, le=99)] | None = Field(
        default=None,
        title="Group",
        description="Which group is the piece, 0 for the whole match; left empty, the first group if there is one.",
    )
    occurrence: Literal["first", "any", "all"] = Field(
        default="first", title="Occurrence", description="Which matches must be the answer: the first, any, or all."
    )
    normalizer: Literal["trim", "outer-punct-safe/1", "outer-punct/1"] = Field(
        default="trim", title="Compare", description="What is ignored when the two are compared."
    )

    @model_validator(mode="after")
    def _compiles(self, info: ValidationInfo) -> Self:
        check_pattern(self.pattern, self.flags, info)
        return self

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence holds the pieces and their places."""
        normalize = NORMALIZERS[self.normalizer]
        wanted = [normalize(answer) for answer in expected_answers(observation)]
        if not all(wanted):
            message = "An expected answer is empty once normalized."
            raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, message, vacuous=True)
        text = observation.text(self.target)
        spans = [
            span
            for match in matches(self.pattern, self.flags, text, every=self.occurrence != "first")
            if (span := self._span(match.start, match.end, match.groups))
        ]
        pieces = [text[code_point_offset(text, start) : code_point_offset(text, end)] for start, end in spans]
        evidence = {
            "pieces": [shortened(piece, 200) for piece in pieces[:20]],
            "expected": [shortened(answer, 200) for answer in wanted[:10]],
            "spans": [list(span) for span in spans[:100]],
            "target": self.target,
        }
        if not pieces:
            told = f"The pattern was not found in the {self.target}; expected {listed(wanted, 3)}."
            return Reading(0.0, told, evidence)
        hits = [normalize(piece) in wanted for piece in pieces]
        fits = all(hits) if self.occurrence == "all" else any(hits)
        return Reading(float(fits), f"Found {listed(pieces, 3)}; expected {listed(wanted, 3)}.", evidence)

    def _span(self, start: int, end: int, groups: tuple[tuple[int, int] | None, ...]) -> tuple[int, int] | None:
        group = self.group if self.group is not None else min(1, len(groups))
        if group == 0:
            return (start, end)
        if group > len(groups):
            raise Unmeasurable(ErrorCode.CONFIG, f"The pattern has no group {group}.")
        return groups[group - 1]
