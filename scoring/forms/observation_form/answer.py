"""PURE: what was asked and answered, and what the answer should have been."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.forms.observation_form.cells import LOOSE_HELP, Cell, Unshowable
from scoring.forms.observation_form.entries import MORE, FieldEntry, Part, RestEntry, RowsEntry
from scoring.kit.paths import ABSENT


def _answer(values: Mapping[str, Any]) -> Any:
    return values["text"]


def _from_answer(item: Any, _names: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(item, str):
        raise Unshowable
    return {"text": item}


def _answers(items: list[Any], flag: bool) -> Any:  # noqa: FBT001 - the box as it was ticked
    if len(items) == 1 and not flag:
        return items[0]
    return items or ABSENT


def _from_answers(value: Any) -> tuple[list[Any], bool]:
    if isinstance(value, list):
        return value, len(value) == 1
    return [value], False


ANSWER = Part(
    "answer",
    "Answer",
    "",
    ("target text", "the number at", "output"),
    (
        FieldEntry(
            ("output", "text"),
            Cell("text", "Output", "prose", "The agent's answer. Left blank, no text was recorded.", rows=6),
            empty="",
            empty_words="It answered with an empty text",
        ),
    ),
)
OBJECT = Part(
    "object",
    "Structured answer",
    "The answer as JSON, where the agent gave one beside its text.",
    ("output.object", "object"),
    (
        FieldEntry(("output", "object"), Cell("object", "Object", "json", "Any JSON.", rows=4)),
        FieldEntry(
            ("output", "finish_reason"), Cell("finish_reason", "Why it ended", "text", "Such as stop or length.")
        ),
    ),
)
EXPECTED_ANSWER = Part(
    "expected-answer",
    "Expected answer",
    "One accepted answer a row; any of them counts.",
    ("expected.answer",),
    (
        RowsEntry(
            ("expected", "answer"),
            "Accepted answers",
            "answer",
            (Cell("text", "Accepted answer", "prose"),),
            flag_words="Written as a list of one",
            flag_quiet=True,
            to_item=_answer,
            from_item=_from_answer,
            to_value=_answers,
            to_items=_from_answers,
        ),
    ),
)
EXPECTED_PATTERN = Part(
    "expected-pattern",
    "Expected pattern",
    "",
    ("expected.pattern",),
    (
        FieldEntry(
            ("expected", "pattern"),
            Cell("pattern", "Pattern", "code", "A regular expression that the answer should match."),
        ),
    ),
)
EXPECTED_OBJECT = Part(
    "expected-object",
    "Expected structure",
    "",
    ("expected.object", "expected.schema"),
    (
        FieldEntry(
            ("expected", "object"),
            Cell("object", "Expected object", "json", "What the structured answer should be.", rows=4),
        ),
        FieldEntry(
            ("expected", "schema"),
            Cell("schema", "JSON Schema", "json", "What the structured answer must fit.", rows=4),
        ),
    ),
)
EXPECTED_MORE = Part(
    "expected-more",
    "Other ground truth",
    "",
    ("expected",),
    (
        RestEntry(
            ("expected",),
            Cell(
                MORE,
                "Further members of expected",
                "object",
                """A JSON object, such as {"category": "refund"}.""",
                rows=3,
            ),
        ),
    ),
)
INPUT = Part(
    "input",
    "Question",
    "",
    ("input",),
    (
        FieldEntry(
            ("input",),
            Cell(
                "input",
                "Input",
                "loose",
                f"What the agent was asked: text, or JSON with messages. {LOOSE_HELP}",
                rows=3,
            ),
        ),
    ),
)
MORE_PART = Part(
    "more",
    "Everything else",
    "",
    ("outcome", "subject", "trace", "case_id", "sample", "schema"),
    (
        RestEntry(
            (),
            Cell(
                MORE,
                "Further members",
                "object",
                "A JSON object with case_id, sample, subject, outcome or trace.",
                rows=4,
            ),
        ),
    ),
)
