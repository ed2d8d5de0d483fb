"""PURE: what was measured of an answer: when its tokens came, how many there were, what it cost."""

from scoring.forms.observation_form.cells import Cell
from scoring.forms.observation_form.entries import MORE, FieldEntry, Part, RestEntry

STREAM = Part(
    "stream",
    "Stream",
    "When the tokens came, in milliseconds on one clock.",
    ("stream",),
    (
        FieldEntry(("stream", "start"), Cell("start", "Start (ms)", "number", "When the request was sent.")),
        FieldEntry(("stream", "end"), Cell("end", "End (ms)", "number", "When the answer was complete.")),
        FieldEntry(
            ("stream", "events"),
            Cell(
                "events",
                "Events",
                "events",
                "One a line: time, kind and tokens, such as 120 text 3. Kind and tokens may be left out.",
                rows=5,
            ),
            empty=[],
            empty_words="No event came",
        ),
        RestEntry(("stream",), Cell(MORE, "Further members of stream", "object", quiet=True)),
    ),
)
USAGE = Part(
    "usage",
    "Usage",
    "",
    ("usage",),
    (
        FieldEntry(("usage", "input_tokens"), Cell("input_tokens", "Input tokens", "number")),
        FieldEntry(("usage", "output_tokens"), Cell("output_tokens", "Output tokens", "number")),
        FieldEntry(("usage", "cost", "amount"), Cell("amount", "Cost", "code", "A decimal number, such as 0.00123.")),
        FieldEntry(("usage", "cost", "currency"), Cell("currency", "Currency", "text", "Such as USD.")),
        RestEntry(("usage", "cost"), Cell(MORE, "Further members of cost", "object", quiet=True)),
        RestEntry(("usage",), Cell(MORE, "Further members of usage", "object", quiet=True)),
    ),
)
