"""The observation document: what a request may record, checked before any scorer reads it.

What is refused here would be lost without a word (a channel under a misspelt name) or is too large
to handle. What is inside a channel is for the scorers to judge: a malformed one is their error
`bad_input`, so that the others still score.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from foundation import exact_json
from foundation.errors import FieldError
from scoring.kit.faults import field_errors
from scoring.kit.settings import bounded

MOST_BYTES = 4 * 1024 * 1024
MOST_CHUNKS = 10_000
MOST_CALLS = 10_000
MOST_EVENTS = 200_000
MAX_OUTPUT = 100_000
_MOST_ID_BYTES = 512


def _short(text: str) -> str:
    if not 0 < len(text.encode("utf-8", "surrogatepass")) <= _MOST_ID_BYTES:
        raise PydanticCustomError("id_length", "Must have 1 to {most} bytes.", {"most": _MOST_ID_BYTES})
    return text


Identifier = Annotated[str, AfterValidator(_short)]
Text = Annotated[str, Field(max_length=100_000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Subject(_Part):
    """Who was observed."""

    name: Text | None = None
    version: Text | None = None
    model: Text | None = None


class Failure(_Part):
    """Why the subject did not finish."""

    type: Text | None = None
    message: Text | None = None


class SubjectOutcome(_Part):
    """Whether the subject finished. Anything but completed leaves nothing to measure."""

    status: Literal["completed", "error", "timeout", "limit", "awaiting_approval", "canceled"]
    error: Failure | None = None


class Output(BaseModel):
    """The answer: its text, its structured form, why it ended."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: Annotated[str, bounded(0, MAX_OUTPUT)] = ""
    object: Any = None
    finish_reason: Text | None = None


class ObservationDocument(_Part):
    """One observed answer. Absent members were not recorded; null channels are malformed ones."""

    schema_: Literal["observation/1"] = Field(default="observation/1", alias="schema")
    case_id: Identifier | None = None
    sample: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    subject: Subject | None = None
    outcome: SubjectOutcome | None = None
    input: Any = None
    output: Output | None = None
    expected: dict[str, Any] | None = None
    retrieval: Any = None
    citations: Any = None
    tool_calls: Any = None
    stream: Any = None
    state: Any = None
    usage: Any = None
    trace: dict[str, Any] | None = None


def document_faults(document: Mapping[str, Any]) -> list[FieldError]:
    """What is wrong with an observation document, each at its path; empty when it may be recorded.

    At most 4 MiB as JSON, 10,000 chunks, ledger entries and calls each, 200,000 stream events.
    """
    size = len(exact_json.dumps(document).encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        return [FieldError("", "too_large", f"Must be at most {MOST_BYTES:,} bytes as JSON; this is {size:,}.")]
    try:
        ObservationDocument.model_validate(dict(document))
    except ValidationError as error:
        return field_errors(error)
    lists = (
        ("retrieval", "chunks", MOST_CHUNKS),
        ("stream", "events", MOST_EVENTS),
        ("citations", "ledger", MOST_CHUNKS),
    )
    faults = [
        _too_many(f"{channel}.{member}", most)
        for channel, member, most in lists
        if _length((document.get(channel) or {}).get(member) if isinstance(document.get(channel), dict) else None)
        > most
    ]
    if _length(document.get("tool_calls")) > MOST_CALLS:
        faults.append(_too_many("tool_calls", MOST_CALLS))
    return faults


def _length(value: Any) -> int:
    return len(value) if isinstance(value, list) else 0


def _too_many(path: str, most: int) -> FieldError:
    return FieldError(path, "too_long", f"Must have at most {most:,} of them.")
