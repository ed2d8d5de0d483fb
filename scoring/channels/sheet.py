"""Everything that was recorded beside the texts: a view of each channel, and what was not recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.channels.citations import Citations, citations_of
from scoring.channels.facts import Fact, expected_of, object_of, subject_of, usage_of
from scoring.channels.messages import messages_of
from scoring.channels.recorded import Channel, Recorded, Value, value_of
from scoring.channels.retrieval import retrieval_of
from scoring.channels.state import state_difference_of
from scoring.channels.stream import stream_of
from scoring.channels.tool_calls import tool_calls_of
from scoring.kit.observation import Observation
from scoring.kit.outcome import Unmeasurable

_VIEWS: tuple[tuple[str, str, Callable[[Recorded], Any]], ...] = (
    ("input", "Input", messages_of),
    ("tool_calls", "Tool calls", tool_calls_of),
    ("retrieval", "Retrieval", retrieval_of),
    ("citations", "Citations", citations_of),
    ("stream", "Stream", stream_of),
    ("state", "State", state_difference_of),
    ("usage", "Usage", usage_of),
)
_COUNTED = frozenset({"input", "tool_calls", "retrieval", "citations", "stream", "state"})


@dataclass(frozen=True, slots=True)
class Sheet:
    """The channels that were recorded, in reading order, and the names of those that were not.

    `subject` and `expected` are the facts that belong to no channel, `object` the structured answer;
    `given` says whether there was an observation document at all.
    """

    given: bool
    channels: tuple[Channel, ...]
    absent: tuple[str, ...]
    object: Value | None
    subject: tuple[Fact, ...]
    expected: tuple[Fact, ...]

    @property
    def asked(self) -> Channel | None:
        """The input, which stands before the answer."""
        return next((channel for channel in self.channels if channel.kind == "input"), None)

    @property
    def done(self) -> tuple[Channel, ...]:
        """The other channels, which stand after it."""
        return tuple(channel for channel in self.channels if channel.kind != "input")

    @property
    def citations(self) -> Citations | None:
        """The view of the citations, where there is one."""
        return next((channel.view for channel in self.channels if channel.kind == "citations"), None)


def sheet_of(observation: Observation, inputs: Mapping[str, Any], starts: Mapping[str, int] | None = None) -> Sheet:
    """The sheet of an evaluation that was given `inputs` (its object, expected, observation by name).

    `starts` gives the row that a channel's list begins at, by the channel's id.
    """
    recorded = Recorded(observation, inputs, starts or {})
    return Sheet(
        given=bool(recorded.document),
        channels=tuple(_channel(recorded, *declared) for declared in _VIEWS if declared[0] in observation.channels),
        absent=tuple(title.lower() for kind, title, _ in _VIEWS if kind not in observation.channels),
        object=object_of(recorded),
        subject=subject_of(recorded),
        expected=expected_of(recorded),
    )


def _channel(recorded: Recorded, kind: str, title: str, read: Callable[[Recorded], Any]) -> Channel:
    try:
        view = read(recorded)
    except Unmeasurable as fault:
        value = recorded.observation.channels[kind]
        raw = None if value is None else value_of(value, ("observation", kind))
        return Channel(kind, title, fault=fault.message, raw=raw)
    window = view.window if kind in _COUNTED else None
    return Channel(kind, title, view, None if window is None else window.total, window)
