"""PURE: one dataset item: what is asked, what should be answered, and what people noted about it.

The same reader stands behind the API's bodies and every row of an import, so that an item is right
or wrong in the same words wherever it comes from.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from foundation import exact_json
from foundation.errors import ValidationFailed
from scoring.kit.faults import field_errors
from scoring.kit.json_values import canonical_text
from scoring.kit.observation_document import document_faults
from scoring.kit.settings import bounded, not_blank

MAX_ITEM_BYTES = 1_000_000
MAX_METADATA_BYTES = 64_000
MAX_KEY = 256
MAX_MESSAGES = 1_000
MAX_SCORERS = 100
MEMBERS = ("key", "input", "expected_output", "metadata", "expected", "scorers")
"""What an item holds, in the order in which documents and exports give it."""
Role = Literal["system", "user", "assistant", "tool"]
_SORTED = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _ground_truth(expected: dict[str, Any]) -> dict[str, Any]:
    for fault in document_faults({"expected": expected}):
        raise PydanticCustomError("bad_ground_truth", "{reason}", {"reason": fault.message})
    return expected


def _named_once(keys: list[str]) -> list[str]:
    if len(set(keys)) != len(keys):
        raise PydanticCustomError("repeated", "Each scorer may be named once.")
    return keys


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Message(_Part):
    """One message: who says it, and the text."""

    role: Role
    content: str


Messages = Annotated[list[Message], Field(min_length=1, max_length=MAX_MESSAGES)]
Key = Annotated[str, bounded(1, MAX_KEY), AfterValidator(not_blank)]
GroundTruth = Annotated[dict[str, Any], AfterValidator(_ground_truth)]
ScorerKeys = Annotated[
    list[Annotated[str, bounded(1, MAX_KEY)]],
    Field(min_length=1, max_length=MAX_SCORERS),
    AfterValidator(_named_once),
]


class ItemBody(_Part):
    """A new item of a dataset."""

    input: Messages = Field(description="What the agent is sent: at least one message.")
    expected_output: Any = Field(default=None, description="The answer that is hoped for: any JSON. Null is none.")
    metadata: dict[str, Any] = Field(default_factory=dict, description="Any object, at most 64,000 bytes as JSON.")
    key: Key | None = Field(default=None, description="A name of your own that stays the same; unique in the dataset.")
    expected: GroundTruth | None = Field(
        default=None, description="The structured ground truth: `expected` of an observation document."
    )
    scorers: ScorerKeys | None = Field(
        default=None, description="The keys of the scorers that apply; null or left out for all."
    )


class ItemChange(ItemBody):
    """What to change of an item; what is left out stays."""

    input: Messages = Field(default_factory=list, description="All messages anew.")


@dataclass(frozen=True, slots=True)
class ItemContent:
    """What an item holds. `input` is a list of `{role, content}`; None is "there is none"."""

    input: list[dict[str, str]]
    expected_output: Any = None
    metadata: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    expected: dict[str, Any] | None = None
    scorers: list[str] | None = None

    def as_document(self) -> dict[str, Any]:
        """Every member, null where there is none, in the order of MEMBERS."""
        return {name: getattr(self, name) for name in MEMBERS}

    def content_hash(self) -> str:
        """SHA-256 in hex of what is asked and what is expected, the same for the same JSON values.

        Input, expected output and structured ground truth count. Metadata, key and the choice of
        scorers do not: relabelling an item leaves its results comparable.
        """
        asked = [self.input, self.expected_output, self.expected]
        only_texts = self.expected is None and isinstance(self.expected_output, str | None)
        # Without numbers the encoder of the standard library gives the canonical text, at a tenth of the cost.
        text = _SORTED.encode(asked) if only_texts else canonical_text(asked)
        return hashlib.sha256(text.encode()).hexdigest()

    def labels_hash(self) -> bytes:
        """SHA-256 of the rest but the key: two items of one content hash and one of these are copies."""
        return hashlib.sha256(canonical_text([self.metadata, self.scorers]).encode()).digest()

    def search_text(self) -> str:
        """Everything that a search looks in, case folded, one part a line."""
        values: list[Any] = [self.key, *(message["content"] for message in self.input)]
        values += [self.expected_output, self.expected, self.metadata or None]
        parts = [value if isinstance(value, str) else exact_json.dumps(value) for value in values if value is not None]
        return "\n".join(part for part in parts if part).casefold()


def read_item(body: Any) -> ItemContent:
    """The item that a body holds. Raises ValidationFailed, naming the path of every fault."""
    return read_item_text(body)[0]


def read_item_text(body: Any) -> tuple[ItemContent, str]:
    """The item that a body holds, and its document as JSON. Raises ValidationFailed."""
    _parsed(ItemBody, body)
    return _content({name: body[name] for name in MEMBERS if name in body})


def changed_item(stored: ItemContent, body: Any) -> ItemContent:
    """The item with the members of `body` instead of its own. Raises ValidationFailed."""
    _parsed(ItemChange, body)
    return _content({**stored.as_document(), **body})[0]


def item_from(document: Mapping[str, Any]) -> ItemContent:
    """The item of a document that was read before, such as a stored row's; nothing is checked."""
    return ItemContent(**{name: document[name] for name in MEMBERS if name in document})


def _parsed(kind: type[BaseModel], body: Any) -> None:
    if not isinstance(body, dict):
        raise ValidationFailed.one("", "dict_type", "An item must be an object.")
    try:
        kind.model_validate(body)
    except ValidationError as error:
        raise ValidationFailed(field_errors(error)) from error


def _content(members: dict[str, Any]) -> tuple[ItemContent, str]:
    content = ItemContent(**members)
    text = exact_json.dumps(content.as_document())
    if len(text) > MAX_METADATA_BYTES // 4:
        _check_size("metadata", exact_json.dumps(content.metadata), MAX_METADATA_BYTES)
        _check_size("", text, MAX_ITEM_BYTES)
    return content, text


def _check_size(path: str, text: str, most: int) -> None:
    size = len(text.encode())
    if size > most:
        raise ValidationFailed.one(path, "too_large", f"Must be at most {most:,} bytes as JSON; this is {size:,}.")
