"""PURE: the filters of a run's results, read from query parameters."""

from collections.abc import Iterator, Mapping
from typing import Any

from foundation.errors import FieldError, ValidationFailed
from foundation.text import unstorable_reason

STATUSES = ("scored", "measured", "errored", "skipped", "pending", "canceled")
_BOOLEANS = {"true": True, "false": False}
_LONGEST = 1000
PARAMETERS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "passed": ({"type": "boolean"}, "Only results that passed, or that did not."),
    "status": ({"type": "string", "enum": list(STATUSES)}, "Only results with this status."),
    "group": ({"type": "string"}, "Only results of this kind."),
    "ungrouped": ({"type": "boolean"}, "Only results that belong to no kind."),
    "scorer": ({"type": "string"}, "With scorer_passed: the key of the scorer meant; alone: results where it errored."),
    "scorer_passed": ({"type": "boolean"}, "Only results that this scorer passed, or failed."),
    "changed": ({"type": "boolean"}, "Only results whose verdict differs from the baseline's, or does not."),
    "item_id": ({"type": "string"}, "Only the results of this item."),
    "q": ({"type": "string"}, "Only results with this text in question, answer, key or error; case is ignored."),
}


def read_filters(parameters: Mapping[str, str]) -> dict[str, Any]:
    """What to narrow by: the keys that `evaluations.queries.runs` knows. ValidationFailed names each bad parameter."""
    faults = list(_faults(parameters))
    if faults:
        raise ValidationFailed(faults)
    filters: dict[str, Any] = {
        name: _BOOLEANS[parameters[name]] for name in ("passed", "changed") if name in parameters
    }
    if "status" in parameters:
        filters |= _of_status(parameters["status"])
    if "group" in parameters:
        filters["group"] = parameters["group"]
    if parameters.get("ungrouped") == "true":
        filters["ungrouped"] = True
    if parameters.get("scorer"):
        filters[_about_scorer(parameters.get("scorer_passed"))] = parameters["scorer"]
    if "item_id" in parameters:
        filters["item_public_id"] = parameters["item_id"]
    if parameters.get("q"):
        filters["q"] = parameters["q"].casefold()
    return filters


def _faults(parameters: Mapping[str, str]) -> Iterator[FieldError]:
    for name in ("passed", "ungrouped", "changed", "scorer_passed"):
        if parameters.get(name, "true") not in _BOOLEANS:
            yield FieldError(name, "bool_type", "Must be true or false.")
    for name in ("group", "scorer", "item_id", "q"):
        raw = parameters.get(name, "")
        reason = unstorable_reason(raw)
        if reason or len(raw) > _LONGEST:
            yield FieldError(name, "invalid", f"This {reason or f'has more than {_LONGEST} characters'}.")
    if parameters.get("status", STATUSES[0]) not in STATUSES:
        yield FieldError("status", "literal_error", f"Must be one of {', '.join(STATUSES)}.")
    if "scorer_passed" in parameters and not parameters.get("scorer"):
        yield FieldError("scorer", "missing", "Say which scorer scorer_passed is about.")


def _of_status(status: str) -> dict[str, Any]:
    if status == "pending":
        return {"state__in": ["pending", "claimed", "generated"]}
    return {"state": "canceled"} if status == "canceled" else {"status": status}


def _about_scorer(passed: str | None) -> str:
    if passed is None:
        return "scorer_errored"
    return "scorer_passed" if passed == "true" else "scorer_failed"
