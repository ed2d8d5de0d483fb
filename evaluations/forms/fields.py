"""Fields of forms: names, texts that come back as they were stored, and JSON."""

import re
from typing import Any

from django import forms

from foundation import exact_json, strict_json
from foundation.errors import MalformedJson, Problem, ValidationFailed

MOST_NAME = 256
MOST_TEXT = 100_000
_LINE_END = re.compile(r"\r\n?")


def with_plain_lines(text: str) -> str:
    """`text` with the line ends of a browser's form (CRLF) as LF."""
    return _LINE_END.sub("\n", text)


def json_text(value: Any) -> str:
    """A JSON value as a form shows it: indented, its numbers as they are; empty for None."""
    return "" if value is None else exact_json.dumps(value, indent=2)


def name_field(label: str = "Name", **options: Any) -> forms.CharField:
    """A name of at most 256 characters."""
    widget = forms.TextInput(attrs={"autocomplete": "off"})
    return forms.CharField(label=label, max_length=MOST_NAME, widget=widget, **options)


class LongText(forms.CharField):
    """A text of several lines, with LF between them; nothing is taken off its ends."""

    def __init__(self, *, rows: int = 4, mono: bool = False, **options: Any) -> None:
        attributes: dict[str, Any] = {"rows": rows}
        if mono:
            attributes |= {"class": "mono", "spellcheck": "false"}
        super().__init__(**{"strip": False, "widget": forms.Textarea(attrs=attributes), **options})

    def to_python(self, value: Any) -> str:
        """The text as it is stored."""
        return with_plain_lines(super().to_python(value) or "")


class Json(LongText):
    """A JSON value; None for nothing but white space. With `is_object`, an object."""

    def __init__(self, *, is_object: bool = False, **options: Any) -> None:
        super().__init__(mono=True, **options)
        self.is_object = is_object

    def clean(self, value: Any) -> Any:
        """The value. Raises Django's ValidationError with the place of the first fault."""
        text = super().clean(value)
        if not text.strip():
            return None
        try:
            read = strict_json.loads(text)
        except ValidationFailed as error:
            raise forms.ValidationError(error.message, code="unstorable_text") from error
        except MalformedJson as error:
            raise forms.ValidationError(error.message.replace("The body", "This"), code="malformed_json") from error
        if self.is_object and not isinstance(read, dict):
            raise forms.ValidationError('Must be a JSON object, such as {"kind": "refund"}.', code="dict_type")
        return read


def add_refusal(form: forms.Form, problem: Problem, *, field: str | None = None) -> None:
    """Put a service's refusal beside the fields it names, also where it names a part of one; else at `field`."""
    if not isinstance(problem, ValidationFailed):
        form.add_error(field, f"{problem.message} {problem.hint}" if field is None else problem.message)
        return
    for fault in problem.fields:
        parts = fault.path.split(".")
        name = next((part for part in parts if part in form.fields), None)
        inside = ".".join(parts[parts.index(name) + 1 :]) if name else fault.path
        form.add_error(name, f"{inside}: {fault.message}" if inside else fault.message)
