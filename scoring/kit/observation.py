"""What scorers read: one answer of an agent, with everything that was recorded beside it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT, Absent
from scoring.kit.text import line_count, utf16_length, word_count

Target = Literal["output", "action", "combined"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One answer. A member that was not recorded is ABSENT, which is neither empty nor null.

    `output` is the answer's text, `action` what the agent was doing, `object` its structured form,
    `expected` the ground truth (a string, or the object that holds `answer`, `chunks`, …), and
    `channels` the rest of the observation document by name (`tool_calls`, `retrieval`, …).
    """

    output: str | Absent = ABSENT
    action: str = ""
    object: Any = ABSENT
    expected: Any = ABSENT
    metadata: Mapping[str, Any] = field(default_factory=dict)
    channels: Mapping[str, Any] = field(default_factory=dict)

    def text(self, target: Target) -> str:
        """The text a scorer with this target reads.

        `combined` is the action, a line feed and the output, without an empty part. Raises
        Unmeasurable (missing_input) when the output was not recorded.
        """
        if target == "action":
            return self.action
        if isinstance(self.output, Absent):
            raise Unmeasurable(ErrorCode.MISSING_INPUT, "No output text was recorded.")
        if target == "output":
            return self.output
        return "\n".join(part for part in (self.action, self.output) if part)

    def channel(self, name: str) -> Any:
        """What was recorded under `name`; raises Unmeasurable when nothing was, or null."""
        value = self.channels.get(name, ABSENT)
        if value is ABSENT:
            raise Unmeasurable(ErrorCode.MISSING_INPUT, f"The observation did not record {name}.")
        if value is None:
            raise Unmeasurable(ErrorCode.BAD_INPUT, f"{name} was recorded as null.")
        return value

    def ground_truth(self, name: str) -> Any:
        """The member `name` of `expected`, or ABSENT. A bare string in `expected` is the `answer`."""
        if isinstance(self.expected, str):
            return self.expected if name == "answer" else ABSENT
        if isinstance(self.expected, dict):
            return self.expected.get(name, ABSENT)
        return ABSENT

    def document(self) -> dict[str, Any]:
        """The members that a path may name: action, output, object, metadata, expected."""
        members = {
            "action": self.action,
            "output": self.output,
            "object": self.object,
            "metadata": self.metadata,
            "expected": self.expected,
        }
        return {name: value for name, value in members.items() if value is not ABSENT}


def counted_metadata(metadata: Mapping[str, Any], action: str, output: str) -> dict[str, Any]:
    """`metadata` with the seven counts the server adds, which overwrite the caller's.

    Lengths are UTF-16 code units; words are runs of other than white space; the total is of both
    parts (their lengths and words added).
    """
    action_length, output_length = utf16_length(action), utf16_length(output)
    action_words, output_words = word_count(action), word_count(output)
    return {
        **metadata,
        "actionLength": action_length,
        "outputLength": output_length,
        "totalLength": action_length + output_length,
        "actionWordCount": action_words,
        "outputWordCount": output_words,
        "totalWordCount": action_words + output_words,
        "outputLineCount": line_count(output),
    }
