"""PURE: the tools that were called, and those that should have been."""

from scoring.forms.observation_form.cells import LOOSE_HELP, Cell, Option
from scoring.forms.observation_form.entries import MORE, FieldEntry, Part, RowsEntry
from scoring.kit.paths import ABSENT

_VERDICTS = (
    Option("", "not recorded", ABSENT),
    Option("allow", "allow", "allow"),
    Option("deny", "deny", "deny"),
    Option("hold", "hold", "hold"),
)
_FURTHER = Cell(MORE, "Further members", "object", "A JSON object, such as id or start_ms.", quiet=True)

EXPECTED_TOOL = Part(
    "expected-tool",
    "Expected tool",
    "",
    ("expected.tool",),
    (FieldEntry(("expected", "tool"), Cell("tool", "Tool", "code", "The name of a tool that must be called.")),),
)
EXPECTED_CALLS = Part(
    "expected-calls",
    "Expected tool calls",
    "The calls that should be made, in order.",
    ("expected.tool_calls",),
    (
        RowsEntry(
            ("expected", "tool_calls"),
            "Expected calls",
            "call",
            (
                Cell("name", "Tool", "code"),
                Cell("arguments", "Arguments", "object", 'JSON, such as {"id": "t1"}.'),
                _FURTHER,
            ),
            flag_words="No tool should be called",
            compact=False,
        ),
    ),
)
CALLS = Part(
    "calls",
    "Tool calls",
    "The calls that the agent made, in order.",
    ("tool_calls",),
    (
        RowsEntry(
            ("tool_calls",),
            "Recorded calls",
            "call",
            (
                Cell("name", "Tool", "code"),
                Cell("verdict", "Verdict", "choice", "Allow was run; not recorded counts as allow.", _VERDICTS),
                Cell("arguments", "Arguments", "object", 'JSON, such as {"id": "t1"}.'),
                Cell("result", "Result", "loose", "What came back: text or JSON."),
                Cell("error", "Error", "loose", "Why it failed: text or JSON; blank or null when it worked."),
                _FURTHER,
            ),
            help=LOOSE_HELP,
            flag_words="No tool was called",
            compact=False,
        ),
    ),
)
