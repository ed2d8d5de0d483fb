"""Validation errors in plain words, each at the path of its field."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from foundation.errors import FieldError

_WORDS: Mapping[str, str] = {
    "missing": "This is required.",
    "extra_forbidden": "There is no such field here.",
    "string_type": "Must be text.",
    "bool_type": "Must be true or false.",
    "float_type": "Must be a number.",
    "int_type": "Must be a whole number.",
    "int_from_float": "Must be a whole number.",
    "dict_type": "Must be an object.",
    "model_type": "Must be an object.",
    "model_attributes_type": "Must be an object.",
    "list_type": "Must be a list.",
    "tuple_type": "Must be a list.",
    "none_required": "Must be null.",
    "finite_number": "Must be a finite number.",
}
_BOUNDS: Mapping[str, tuple[str, str]] = {
    "greater_than_equal": ("ge", "Must be at least {bound}."),
    "greater_than": ("gt", "Must be more than {bound}."),
    "less_than_equal": ("le", "Must be at most {bound}."),
    "less_than": ("lt", "Must be less than {bound}."),
    "too_short": ("min_length", "Must have at least {bound} of them."),
    "too_long": ("max_length", "Must have at most {bound} of them."),
}


def field_errors(
    error: ValidationError,
    prefix: str = "",
    about: Mapping[str, str] | None = None,
) -> list[FieldError]:
    """One FieldError for each fault of `error`, its path under `prefix`.

    `about` is added to each, such as the scorer's id.
    """
    faults = []
    for fault in error.errors(include_url=False, include_input=False):
        *outer, last = fault["loc"] or ("",)
        # The name of a member that is unknown is the sender's own, whatever it looks like.
        steps = [str(step) for step in outer if not _is_noise(step)]
        steps.extend([str(last)] if fault["type"] == "extra_forbidden" or not _is_noise(last) else [])
        # A fault of the model as a whole says itself which field it is best shown at.
        steps.extend([fault["ctx"]["field"]] if "field" in fault.get("ctx", {}) else [])
        path = ".".join([part for part in (prefix, *steps) if part != ""])
        faults.append(FieldError(path, fault["type"], _sentence(fault), about or {}))
    # A list whose items are refused is also "too short" then; that says nothing of its own.
    return [
        fault
        for fault in faults
        if not (fault.code == "too_short" and any(other.path.startswith(f"{fault.path}.") for other in faults))
    ]


def _is_noise(step: str | int) -> bool:
    """Pydantic puts the names of union members and validators among the steps of a path."""
    return isinstance(step, str) and ("[" in step or step in {"float", "int", "str", "bool", "list", "dict"})


def _sentence(fault: Mapping[str, Any]) -> str:
    kind, context = fault["type"], fault.get("ctx", {})
    if kind in _BOUNDS and _BOUNDS[kind][0] in context:
        name, words = _BOUNDS[kind]
        bound = context[name]
        return words.format(bound=f"{bound:,}" if isinstance(bound, int) else bound)
    if kind == "literal_error":
        return f"Must be one of {context['expected']}."
    if kind == "value_error":
        return str(context.get("error", fault["msg"]))
    return _WORDS.get(kind, fault["msg"])
