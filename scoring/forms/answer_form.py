"""PURE: the form of an answer that is tried on a profile, derived from what the API takes."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from foundation.errors import FieldError
from scoring.evaluate_bodies import Answer
from scoring.forms.bound import BoundField
from scoring.forms.fields import Field, fields_of
from scoring.forms.widgets import OMITTED, Unreadable

_EXTRAS: Mapping[str, Mapping[str, Any]] = {
    "output": {"x-widget": "textarea", "description": "The agent's answer."},
    "action": {"x-widget": "textarea"},
    "metadata": {"x-widget": "json"},
    "expected": {"x-widget": "text-or-object", "description": "The answer, or the ground truth as a JSON object."},
    "object": {"x-widget": "json"},
    "observation": {"x-widget": "json", "description": "The whole observation document as JSON."},
}
_ORDER = ("action", "output", "expected", "object", "metadata", "agent", "taskId", "observation")


@cache
def answer_fields() -> Sequence[Field]:
    """The fields of an answer, in the order of the form."""
    return tuple(sorted(fields_of(Answer, _EXTRAS), key=lambda item: _ORDER.index(item.name)))


class AnswerForm:
    """What was typed, read into the body that the API takes."""

    def __init__(self, post: Mapping[str, str]) -> None:
        self.values = {item.name: _lines(post.get(item.name, "")) for item in answer_fields()}
        self.errors: dict[str, str] = {}
        self.general: list[str] = []

    @property
    def blank(self) -> bool:
        """Whether nothing was typed that could be scored."""
        return not any(self.values[name].strip() for name in ("output", "action", "object", "observation"))

    def document(self) -> tuple[dict[str, Any], list[FieldError]]:
        """The body without its profile, and what could not be read. What is blank is not given.

        An output left blank is an empty answer, unless the answer is given in another form.
        """
        document: dict[str, Any] = {}
        faults = []
        for item in answer_fields():
            text = self.values[item.name]
            if not text.strip() and item.name != "output":
                continue
            try:
                value = item.read(text)
            except Unreadable as fault:
                faults.append(FieldError(item.name, "malformed", str(fault)))
            else:
                if value is not OMITTED:
                    document[item.name] = value
        unread = {fault.path for fault in faults}
        if not document.get("output") and ({"object", "observation"} & (document.keys() | unread)):
            document.pop("output", None)
        return document, faults

    def tell(self, faults: Iterable[FieldError]) -> None:
        """Put each fault at its field; the rest above the form."""
        for fault in faults:
            name, _, inside = fault.path.partition(".")
            words = f"{inside}: {fault.message}" if inside else fault.message
            if name in self.values:
                self.errors[name] = f"{self.errors[name]} {words}" if name in self.errors else words
            else:
                self.general.append(f"{fault.path}: {words}" if fault.path else words)

    def bound(self) -> dict[str, BoundField]:
        """The fields with their text and errors, by name."""
        return {
            item.name: BoundField(item, item.name, self.values[item.name], self.errors.get(item.name, ""))
            for item in answer_fields()
        }


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
