"""The form that starts a run, and the answers that it may bring."""

from collections.abc import Iterator, Sequence
from typing import Any

from django import forms

from evaluations.forms.fields import LongText
from foundation import strict_json
from foundation.errors import MalformedJson, Problem, ValidationFailed

MOST_BYTES = 64_000_000
AGENT, RECORDED = "agent", "recorded"
EXAMPLE = '{"item_key": "case-1", "output": "Yes, within 30 days."}'


class RunForm(forms.Form):
    """How to run an eval: by its agent, or with outputs that were recorded elsewhere."""

    source = forms.ChoiceField(label="Answers", widget=forms.RadioSelect)
    outputs = LongText(
        label="Recorded outputs",
        required=False,
        rows=8,
        mono=True,
        help_text="JSON Lines or a list: item_key or item_id, with output, object, observation or error.",
    )
    file = forms.FileField(label="Or a file", required=False, help_text="JSON Lines or a JSON list, up to 64 MB.")
    name = forms.CharField(label="Name", required=False, max_length=256, help_text="What was tried, such as prompt v3.")
    trials = forms.IntegerField(
        label="Trials", initial=1, min_value=1, max_value=20, help_text="How often each item is asked."
    )
    baseline = forms.ChoiceField(label="Compare with", required=False)

    def __init__(
        self, data: Any = None, files: Any = None, *, has_agent: bool, baselines: Sequence[tuple[str, str]], **rest: Any
    ) -> None:
        super().__init__(data, files, **rest)
        recorded = (RECORDED, "Recorded outputs")
        source, baseline = self.fields["source"], self.fields["baseline"]
        if isinstance(source, forms.ChoiceField) and isinstance(baseline, forms.ChoiceField):
            source.choices = [(AGENT, "Ask the agent"), recorded] if has_agent else [recorded]
            baseline.choices = [("", "The eval's baseline, if it has one"), *baselines]
        source.initial = AGENT if has_agent else RECORDED

    def clean(self) -> dict[str, Any]:
        """With recorded outputs, `answers` holds them; faults stand at the field they came from."""
        given = super().clean() or {}
        if given.get("source") == RECORDED and not self.errors:
            file = given.get("file")
            at = "file" if file else "outputs"
            if file and file.size > MOST_BYTES:
                self.add_error(at, f"The file has {file.size:,} bytes; at most {MOST_BYTES:,} are taken.")
                return given
            try:
                given["answers"] = read_answers(file.read() if file else given["outputs"].encode())
            except Problem as problem:
                self.add_error(at, problem.message)
        return given

    def refuse(self, problem: Problem) -> None:
        """Put a service's refusal at the fields that it names; a fault of an answer says which."""
        at = "file" if self.cleaned_data.get("file") else "outputs"
        for fault in problem.fields if isinstance(problem, ValidationFailed) else ():
            first, _, rest = fault.path.partition(".")
            if first == "outputs":
                number, _, member = rest.partition(".")
                place = f"Answer {int(number) + 1}{', ' + member if member else ''}: " if number.isdigit() else ""
                self.add_error(at, f"{place}{fault.message}")
            else:
                name = {"baseline_run_id": "baseline", "trials": "trials", "name": "name"}.get(first)
                self.add_error(name, fault.message)
        if not isinstance(problem, ValidationFailed):
            self.add_error(None, problem.message)


def read_answers(data: bytes) -> list[Any]:
    """The answers in a JSON list or in JSON Lines. Raises ValidationFailed naming the line of the first fault."""
    text = data.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise ValidationFailed.one("", "missing", "Paste the outputs, or choose a file.")
    if text.startswith(b"["):
        try:
            listed: list[Any] = strict_json.loads(text)
        except MalformedJson as error:
            raise ValidationFailed.one("", error.code, error.message.replace("The body", "The list")) from error
        if not listed:
            raise ValidationFailed.one("", "missing", "The list is empty.")
        return listed
    return list(_lines(text))


def _lines(text: bytes) -> Iterator[Any]:
    for number, line in enumerate(text.split(b"\n"), start=1):
        if line.strip():
            try:
                yield strict_json.loads(line.strip())
            except Problem as error:
                message = error.message.replace("The body", "this")
                raise ValidationFailed.one("", error.code, f"Line {number}: {message}") from error
