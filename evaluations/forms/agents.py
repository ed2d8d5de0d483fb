"""The forms of agents and of what is tried on them."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from evaluations.forms.fields import MOST_NAME, MOST_TEXT, Json, LongText, json_text, name_field

MOST_QUESTION = 100_000


class AgentForm(forms.Form):
    """An agent with the content of its next version. `providers` are (identifier, name) pairs."""

    name = name_field()
    ai_provider_id = forms.ChoiceField(label="AI provider")
    model = forms.CharField(
        label="Model", required=False, max_length=MOST_NAME, help_text="Empty: the provider's default model."
    )
    instructions = LongText(
        label="Instructions", required=False, max_length=MOST_TEXT, rows=8, help_text="The system message of each call."
    )
    temperature = forms.FloatField(
        label="Temperature", required=False, min_value=0, max_value=2, help_text="0 to 2. Empty: the provider's."
    )
    max_tokens = forms.IntegerField(
        label="Most tokens", required=False, min_value=1, max_value=10_000_000, help_text="Empty: the provider's."
    )
    output_schema = Json(
        label="Output schema",
        required=False,
        is_object=True,
        rows=4,
        help_text="A JSON Schema: answers are then JSON that meets it, or errors. Empty: text.",
    )
    version_label = forms.CharField(
        label="Label of the version", required=False, max_length=MOST_NAME, help_text="What it tries, in a word."
    )

    def __init__(self, *args: Any, providers: Sequence[tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["ai_provider_id"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - tells the type checker
        field.choices = list(providers)

    def body(self) -> dict[str, Any]:
        """What the services take. The form must be valid."""
        given = dict(self.cleaned_data)
        return given | {name: given[name] or None for name in ("model", "instructions", "version_label")}


def agent_initial(name: str, version: Any) -> dict[str, Any]:
    """The form's first values for a stored agent at this version."""
    return {
        "name": name,
        "ai_provider_id": version.ai_provider.public_id,
        "model": version.model,
        "instructions": version.instructions,
        "temperature": version.temperature,
        "max_tokens": version.max_tokens,
        "output_schema": json_text(version.output_schema),
        "version_label": version.label,
    }


class QuestionForm(forms.Form):
    """What an agent is asked."""

    message = LongText(label="Message", max_length=MOST_QUESTION, rows=4)


def version_texts(version: Any, words: Mapping[str, str]) -> dict[str, str]:
    """What a version holds as texts, by the words of `words` (member → words)."""
    values = {name: getattr(version, name) for name in words}
    values["ai_provider"] = version.ai_provider.name
    return {
        words[name]: "" if value is None else value if isinstance(value, str) else json_text(value)
        for name, value in values.items()
    }
