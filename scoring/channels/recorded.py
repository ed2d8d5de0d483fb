"""What every channel's view is made of: values as text with their place, and the rows of a long list that are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from foundation import exact_json
from scoring.kit.json_shown import clean
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened

ROWS = 50
LONGEST_NAME = 120
_LONGEST_LINE = 60
_LONGEST_INLINE = 120
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Window:
    """The rows `first` to `last` (from 1) of `total`; both are 0 when there is none."""

    first: int
    last: int
    total: int

    @classmethod
    def starting(cls, start: int, total: int) -> "Window":
        """The at most 50 rows from `start` on; a start beyond the end gives the last ones."""
        if not total:
            return cls(0, 0, 0)
        first = min(max(1, start), (total - 1) // ROWS * ROWS + 1)
        return cls(first, min(total, first + ROWS - 1), total)

    def of(self, items: Sequence[Item]) -> Sequence[Item]:
        """Those of the items that are shown."""
        return items[max(0, self.first - 1) : self.last]

    @property
    def earlier(self) -> int | None:
        """Where the rows before these begin, or None."""
        return max(1, self.first - ROWS) if self.first > 1 else None

    @property
    def later(self) -> int | None:
        """Where the rows after these begin, or None."""
        return self.last + 1 if self.last < self.total else None

    @property
    def after(self) -> int:
        """How many rows come after these."""
        return self.total - self.last


@dataclass(frozen=True, slots=True)
class Value:
    """A recorded value as text, or in `words` what is there instead of one.

    `part` and `pointer` (RFC 6901) say where it stands in what the evaluation was given, so that a
    long one can be fetched whole; `block` asks for a box of its own.
    """

    text: str = ""
    words: str = ""
    part: str = ""
    pointer: str = ""
    block: bool = False


def value_of(value: Any, place: Sequence[str | int] = (), *, as_json: bool = False) -> Value:
    """`value` made readable: text as it is (with `as_json` in JSON's spelling), everything else as JSON.

    `place` is the part it stands in and the steps to it.
    """
    if value is ABSENT:
        return Value(words="not recorded")
    if value == "" and isinstance(value, str) and not as_json:
        return Value(words="empty text")
    text = value_text(value, as_json=as_json)
    part, pointer = (str(place[0]), json_pointer(place[1:])) if place else ("", "")
    return Value(text, part=part, pointer=pointer, block="\n" in text or len(text) > _LONGEST_INLINE)


def value_text(value: Any, *, as_json: bool = False) -> str:
    """The whole text that stands for a value: JSON on one line where it is short."""
    if isinstance(value, str) and not as_json:
        return clean(value)
    line = exact_json.dumps(value, spaced=True)
    long = len(line) > _LONGEST_LINE and isinstance(value, dict | list)
    return clean(exact_json.dumps(value, indent=2) if long else line)


def json_pointer(steps: Sequence[str | int]) -> str:
    """The JSON pointer of steps: `/tool_calls/3/result`."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def value_at(document: Any, pointer: str) -> Any:
    """What stands at a JSON pointer in a document, or ABSENT."""
    if pointer and not pointer.startswith("/"):
        return ABSENT
    value = document
    for raw in pointer.split("/")[1:]:
        step = raw.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict):
            value = value.get(step, ABSENT)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and len(step) < 9 and int(step) < len(value):
            value = value[int(step)]
        else:
            return ABSENT
    return value


def name_of(value: Any) -> str:
    """A name or id in a table, cut after 120 characters; other than text as JSON."""
    return shortened(value if isinstance(value, str) else value_text(value), LONGEST_NAME)


def rest_of(value: Mapping[str, Any], known: Sequence[str], place: Sequence[str | int]) -> Value | None:
    """The members of `value` that nobody knows, together; None when there are none."""
    rest = {name: member for name, member in value.items() if name not in known}
    return value_of(rest, place) if rest else None


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one evaluation was given: the observation as scorers read it, and where its parts stand.

    `starts` gives for a channel's id the row that its list is to begin at, where that is not the first.
    """

    observation: Observation
    inputs: Mapping[str, Any]
    starts: Mapping[str, int] = field(default_factory=dict)

    @property
    def document(self) -> Mapping[str, Any]:
        """The observation document; empty when none was given."""
        return self.inputs.get("observation") or {}

    def list_in(self, channel: str, member: str) -> tuple[dict[str, Any], list[Any]]:
        """A channel that is an object, and the list it holds under `member`. Raises Unmeasurable otherwise."""
        whole = self.observation.channel(channel)
        if not isinstance(whole, dict):
            raise Unmeasurable(ErrorCode.BAD_INPUT, f"{channel} must be an object with {member}.")
        listed = whole.get(member, ABSENT)
        if listed is ABSENT:
            raise Unmeasurable(ErrorCode.MISSING_INPUT, f"The observation did not record {channel}.{member}.")
        if not isinstance(listed, list):
            raise Unmeasurable(ErrorCode.BAD_INPUT, f"{channel}.{member} must be a list.")
        return whole, listed

    def expected_place(self, *steps: str | int) -> tuple[str | int, ...]:
        """Where a part of the ground truth stands."""
        own = "expected" in self.inputs
        return ("expected", *steps) if own else ("observation", "expected", *steps)

    def window(self, channel: str, total: int) -> Window:
        """The rows of a channel's list that are shown."""
        return Window.starting(self.starts.get(channel, 1), total)


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel: templates/scoring/channels/<kind>.html draws its `view`.

    `count` is how many items it holds, None where that means nothing. A channel that cannot be
    read has a `fault` in words, and `raw` in place of a view.
    """

    kind: str
    title: str
    view: Any = None
    count: int | None = None
    window: Window | None = None
    fault: str = ""
    raw: Value | None = None

    @property
    def id(self) -> str:
        """Its place in the page's address."""
        return self.kind.replace("_", "-")

    @property
    def template(self) -> str:
        """The template that draws it."""
        return f"scoring/channels/{self.kind}.html"
