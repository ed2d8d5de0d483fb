"""The form of an HTTP tool, and of what it is tried with."""

from typing import Any

from django import forms

from evaluations.forms.fields import MOST_TEXT, Json, LongText, json_text, name_field

_METHODS = ("POST", "GET", "PUT", "PATCH", "DELETE")
_MOST_ADDRESS = 8_000


class ToolForm(forms.Form):
    """A tool."""

    name = name_field()
    description = LongText(label="Description", required=False, max_length=MOST_TEXT, rows=2)
    method = forms.ChoiceField(label="Method", choices=[(method, method) for method in _METHODS])
    url = forms.CharField(
        label="Address",
        max_length=_MOST_ADDRESS,
        help_text="{name} in its path or query is filled from the input.",
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false", "autocomplete": "off"}),
    )
    timeout_s = forms.FloatField(label="Seconds", required=False, min_value=1, max_value=300, help_text="Empty: 30.")
    headers = Json(
        label="Headers",
        required=False,
        is_object=True,
        rows=2,
        help_text="A JSON object. {{secret:NAME}} is a secret of the project; only owners may name one.",
    )
    preset_parameters = Json(
        label="Always sent",
        required=False,
        is_object=True,
        rows=2,
        help_text="A JSON object; what the input says otherwise wins.",
    )
    parameters = Json(
        label="Input schema",
        required=False,
        is_object=True,
        rows=2,
        help_text="A JSON Schema that says for people and models what the input holds.",
    )

    def body(self) -> dict[str, Any]:
        """What the services take. The form must be valid."""
        given = self.cleaned_data
        execute = {"url": given["url"], "method": given["method"]}
        execute |= {name: given[name] for name in ("headers", "timeout_s") if given[name]}
        return {
            "name": given["name"],
            "description": given["description"],
            "execute": execute,
            "preset_parameters": given["preset_parameters"] or {},
            "parameters": given["parameters"],
        }


def tool_initial(row: Any) -> dict[str, Any]:
    """The form's first values for a stored tool."""
    execute = row.execute
    return {
        "name": row.name,
        "description": row.description,
        "method": str(execute.get("method") or "POST").upper(),
        "url": execute.get("url", ""),
        "timeout_s": execute.get("timeout_s"),
        "headers": json_text(execute.get("headers") or None),
        "preset_parameters": json_text(row.preset_parameters or None),
        "parameters": json_text(row.parameters),
    }


class CallForm(forms.Form):
    """What a tool is called with."""

    input = Json(
        label="Input", required=False, is_object=True, rows=6, help_text="A JSON object, sent as the body of the call."
    )
