"""The form of an AI provider. Its key goes in and never comes out."""

from typing import Any

from django import forms

from evaluations.forms.fields import MOST_NAME, Json, json_text, name_field

_KINDS = (
    ("ollama", "Ollama"),
    ("openai", "OpenAI"),
    ("openai_compatible", "OpenAI-compatible"),
    ("anthropic", "Anthropic"),
)
_MOST_ADDRESS, _MOST_KEY = 2_000, 8_000


class ProviderForm(forms.Form):
    """A provider; `api_key` left empty keeps the stored one."""

    name = name_field()
    provider = forms.ChoiceField(label="Kind", choices=_KINDS, help_text="The format that it speaks.")
    default_model = forms.CharField(label="Default model", max_length=MOST_NAME)
    base_url = forms.CharField(
        label="Address",
        required=False,
        max_length=_MOST_ADDRESS,
        help_text="Empty: the kind's usual address. Only owners of the project may set one.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false", "autocomplete": "off"}),
    )
    api_key = forms.CharField(
        label="API key",
        required=False,
        max_length=_MOST_KEY,
        help_text="Kept encrypted and never shown again. Empty: the stored key stays.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
    remove_key = forms.BooleanField(label="Remove the stored key", required=False)
    config = Json(
        label="More",
        required=False,
        is_object=True,
        rows=3,
        help_text='A JSON object: "headers", "parameters" of each request, "timeout_s" (1 to 600), "stream".',
    )

    def body(self) -> dict[str, Any]:
        """What the services take. The form must be valid."""
        given = dict(self.cleaned_data)
        key, removed = given.pop("api_key"), given.pop("remove_key")
        given |= {"base_url": given["base_url"] or None, "config": given["config"] or {}}
        return given | ({"api_key": key} if key else {"api_key": None} if removed else {})


def provider_initial(row: Any) -> dict[str, Any]:
    """The form's first values for a stored provider: all but its key."""
    return {
        "name": row.name,
        "provider": row.provider,
        "default_model": row.default_model,
        "base_url": row.base_url,
        "config": json_text(row.config or None),
    }
