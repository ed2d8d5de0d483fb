"""The input channel: what the agent was asked, message by message."""

from dataclasses import dataclass
from typing import Any

from scoring.channels.recorded import Recorded, Value, Window, name_of, rest_of, value_of
from scoring.kit.paths import ABSENT


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `more` is what it holds beside its role and content."""

    number: int
    role: str
    content: Value
    more: Value | None


@dataclass(frozen=True, slots=True)
class Messages:
    """The messages that are shown, and what else the input holds; `whole` in place of both where there are none."""

    messages: tuple[Message, ...]
    window: Window
    more: Value | None = None
    whole: Value | None = None


def messages_of(recorded: Recorded) -> Messages:
    """The input as messages, or whole. Raises Unmeasurable when it is null."""
    given = recorded.observation.channel("input")
    place = ("observation", "input")
    if not isinstance(given, dict) or not isinstance(given.get("messages"), list):
        return Messages((), Window(0, 0, 0), whole=value_of(given, place))
    listed = given["messages"]
    window = recorded.window("input", len(listed))
    shown = tuple(_message(number, message) for number, message in enumerate(window.of(listed), start=window.first))
    return Messages(shown, window, rest_of(given, ("messages",), place))


def _message(number: int, message: Any) -> Message:
    place = ("observation", "input", "messages", number - 1)
    if not isinstance(message, dict):
        return Message(number, "", value_of(message, place), None)
    content = message.get("content", ABSENT)
    parts = _text_parts(content)
    shown = value_of("\n".join(parts), place) if parts else value_of(content, (*place, "content"))
    return Message(number, name_of(message.get("role", "")), shown, rest_of(message, ("role", "content"), place))


def _text_parts(content: Any) -> list[str]:
    """The texts of a content that is a list of text parts; empty when it is anything else."""
    if not isinstance(content, list):
        return []
    texts = [part.get("text", part.get("content")) if isinstance(part, dict) else part for part in content]
    known = [text for text in texts if isinstance(text, str)]
    return known if len(known) == len(texts) else []
