"""The form of one item: messages as rows, what is expected, and what people noted about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms

from evaluations.forms.fields import Json, LongText, json_text, with_plain_lines
from evaluations.item_documents import MAX_MESSAGES, ItemContent
from foundation.errors import FieldError, Problem, ValidationFailed
from foundation.text import unstorable_reason

ROLES = ("system", "user", "assistant", "tool")
_KINDS = (("text", "Text"), ("json", "JSON"))
_FIELD_OF = {"expected_output": "output", "input": None}


class ItemForm(forms.Form):
    """All of an item but its messages."""

    key = forms.CharField(
        label="Key",
        required=False,
        strip=False,
        help_text="A name of your own that stays the same; once in the dataset. An import can change the item by it.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "class": "mono", "spellcheck": "false"}),
    )
    output_kind = forms.ChoiceField(label="The expected answer is", choices=_KINDS, widget=forms.RadioSelect)
    output = LongText(
        label="Expected answer", required=False, rows=3, help_text="The answer that is hoped for. Empty: none."
    )
    metadata = Json(
        label="Metadata",
        required=False,
        is_object=True,
        rows=4,
        help_text='What people noted, as a JSON object: {"kind": "refund"}. Charts divide items by it.',
    )
    expected = Json(
        label="Ground truth",
        required=False,
        is_object=True,
        rows=3,
        help_text="Structured, as a JSON object: what scorers of tools, retrieval and objects compare with.",
    )
    scorers = LongText(
        label="Scorers",
        required=False,
        rows=2,
        mono=True,
        help_text="Keys of those that apply, one a line. Empty: all.",
    )


@dataclass
class Message:
    """One row: who says what, and what is wrong with it."""

    role: str = "user"
    content: str = ""
    error: str = ""


@dataclass
class ItemDraft:
    """What stands in the form. `seen` is when the item that it began from was edited last."""

    form: ItemForm
    messages: list[Message] = field(default_factory=lambda: [Message()])
    seen: str = ""
    error: str = ""
    """What is wrong with the messages as a whole."""

    @property
    def general(self) -> Sequence[str]:
        """Faults that no field has."""
        return [*self.form.non_field_errors()] if self.form.is_bound else []

    @property
    def full(self) -> bool:
        """Whether there is no room for another message."""
        return len(self.messages) >= MAX_MESSAGES

    def add_problem(self, problem: Problem) -> None:
        """Put a service's refusal beside the fields it names, else above the form."""
        if not isinstance(problem, ValidationFailed):
            self.form.add_error("key" if problem.code == "NAME_CONFLICT" else None, problem.message)
            return
        for fault in problem.fields:
            self._add_fault(fault)

    def _add_fault(self, fault: FieldError) -> None:
        member, _, inside = fault.path.partition(".")
        index = inside.partition(".")[0]
        if member == "input" and index.isdigit() and int(index) < len(self.messages):
            self.messages[int(index)].error = fault.message
        elif member == "input":
            self.error = fault.message
        else:
            name = _FIELD_OF.get(member, member)
            words = f"{inside}: {fault.message}" if inside else fault.message
            self.form.add_error(name if name in self.form.fields else None, words)


def new_draft() -> ItemDraft:
    """The form of an item that is not there yet."""
    return ItemDraft(ItemForm(initial={"output_kind": "text"}))


def draft_of(content: ItemContent, seen: str) -> ItemDraft:
    """The form of a stored item."""
    kind, output = _output_shown(content.expected_output)
    initial = {
        "key": content.key or "",
        "output_kind": kind,
        "output": output,
        "metadata": json_text(content.metadata or None),
        "expected": json_text(content.expected),
        "scorers": "\n".join(content.scorers or []),
    }
    messages = [Message(message["role"], message["content"]) for message in content.input]
    return ItemDraft(ItemForm(initial=initial), messages, seen)


def _output_shown(value: Any) -> tuple[str, str]:
    """How the expected answer stands in the form: as text, or as JSON where a text would mean something else."""
    if value is None:
        return "text", ""
    return ("text", value) if isinstance(value, str) and value.strip() else ("json", json_text(value))


def read_draft(posted: Mapping[str, str]) -> ItemDraft:
    """The form as it was sent."""
    number = posted.get("messages", "")
    count = min(int(number), MAX_MESSAGES) if number.isascii() and number.isdigit() and len(number) <= 9 else 0
    messages = [
        Message(posted.get(f"message-{index}-role", "user"), posted.get(f"message-{index}-content", ""))
        for index in range(count)
    ]
    return ItemDraft(ItemForm(posted), messages, posted.get("seen", ""))


def rearranged(draft: ItemDraft, act: str) -> bool:
    """Whether `act` (`add`, `up:2`, `down:2`, `remove:2`) was one, and then the rows are as it asks."""
    verb, _, place = act.partition(":")
    rows = draft.messages
    if verb == "add":
        if not draft.full:
            # Who spoke last is answered by the other.
            rows.append(Message("assistant" if rows and rows[-1].role == "user" else "user"))
        return True
    index = int(place) if place.isascii() and place.isdigit() and len(place) <= 9 else len(rows)
    if verb not in {"up", "down", "remove"} or index >= len(rows):
        return False
    row = rows.pop(index)
    if verb != "remove":
        rows.insert(max(0, index - 1) if verb == "up" else index + 1, row)
    return True


def item_body(draft: ItemDraft, stored: ItemContent | None = None) -> dict[str, Any] | None:
    """The item that the form means, as the services take it; None when the form has faults, which it then shows.

    A text that differs from the stored one in its line ends alone is the stored one: a browser
    sends all of them alike.
    """
    for row in draft.messages:
        reason = unstorable_reason(row.content)
        row.error = f"This {reason}." if reason else ""
    if not draft.form.is_valid() or any(row.error for row in draft.messages):
        return None
    given = draft.form.cleaned_data
    kept = _stored_texts(stored)
    key = given["key"]
    if stored and stored.key is not None and key == stored.key.replace("\r", "").replace("\n", ""):
        key = stored.key
    messages = [
        {"role": row.role, "content": kept.get(with_plain_lines(row.content), with_plain_lines(row.content))}
        for row in draft.messages
    ]
    output: Any = kept.get(given["output"], given["output"])
    if given["output_kind"] == "json":
        try:
            output = Json(required=False).clean(given["output"])
        except forms.ValidationError as error:
            draft.form.add_error("output", error)
            return None
    return {
        "key": key or None,
        "input": messages,
        "expected_output": None if output == "" and given["output_kind"] == "text" else output,
        "metadata": given["metadata"] or {},
        "expected": given["expected"],
        "scorers": [line for line in given["scorers"].split("\n") if line] or None,
    }


def _stored_texts(stored: ItemContent | None) -> dict[str, str]:
    if stored is None:
        return {}
    texts = [message["content"] for message in stored.input]
    if isinstance(stored.expected_output, str):
        texts.append(stored.expected_output)
    return {with_plain_lines(text): text for text in texts}
