"""The filters of a run's results as a form: the API's own parameters, each with its value, its fault and its chip."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from evaluations.result_filters import PARAMETERS, STATUSES, read_filters
from foundation.errors import ValidationFailed

_VERDICTS = (("", "Any"), ("true", "Passed"), ("false", "Failed"))
_CHANGED = (("", "Any"), ("true", "Changed"), ("false", "As before"))
_LONGEST_OPTION = 60


@dataclass(frozen=True, slots=True)
class ResultsForm:
    """What the address asks for. `wanted` is None when something in it is wrong."""

    given: Mapping[str, str]
    wanted: Mapping[str, Any] | None
    faults: Mapping[str, str] = field(default_factory=dict)


def read_results(parameters: Mapping[str, str]) -> ResultsForm:
    """The form of an address; its faults by field instead of a refusal. Other parameters are left out."""
    given = {name: parameters[name] for name in PARAMETERS if parameters.get(name)}
    if "scorer" not in given:
        # The form sends it beside a scorer that was not chosen.
        given.pop("scorer_passed", None)
    try:
        return ResultsForm(given, read_filters(given))
    except ValidationFailed as refusal:
        return ResultsForm(given, None, {fault.path: fault.message for fault in refusal.fields})


def address(given: Mapping[str, str], **changes: str | None) -> str:
    """`?…` with some parameters changed, empty ones left out; the empty string when nothing is left."""
    kept = {name: value for name, value in {**given, **changes}.items() if value}
    return f"?{urlencode(kept)}" if kept else ""


def fields(
    form: ResultsForm, scorers: Sequence[str], kinds: Sequence[str], *, compared: bool
) -> Iterator[dict[str, Any]]:
    """The parameters of components/input.html for each field."""
    yield _field(form, "q", "Text", kind="search", maxlength=200)
    yield _field(form, "passed", "Verdict", options=_VERDICTS)
    yield _field(form, "status", "Status", options=[("", "Any"), *((name, name.capitalize()) for name in STATUSES)])
    if form.given.get("scorer_passed", "false") == "false" and ("scorer" not in form.given or _about_failing(form)):
        yield _field(form, "scorer", "Failed scorer", options=[("", "Any"), *_named(scorers)])
    if kinds:
        yield _field(form, "group", "Kind", options=[("", "Any"), *_named(kinds)])
    if compared:
        yield _field(form, "changed", "Against the baseline", options=_CHANGED)


def _about_failing(form: ResultsForm) -> bool:
    return "scorer_passed" in form.given


def _named(names: Sequence[str]) -> list[tuple[str, str]]:
    return [
        (name, name if len(name) <= _LONGEST_OPTION else f"{name[: _LONGEST_OPTION - 1]}…") for name in names if name
    ]


def _field(form: ResultsForm, name: str, label: str, **rest: Any) -> dict[str, Any]:
    options = rest.pop("options", None)
    value = form.given.get(name, "")
    if options is not None:
        listed = [*options] if value in {option for option, _ in options} else [*options, (value, value)]
        rest["options"] = [{"value": option, "label": words} for option, words in listed]
    kind = "select" if options is not None else rest.pop("kind")
    common = {"id": f"filter-{name}", "name": name, "label": label, "kind": kind}
    return {**common, "value": value, "error": form.faults.get(name, ""), **rest}


def chips(form: ResultsForm) -> list[dict[str, str]]:
    """Words for each active filter, and the address without it."""
    found = []
    for name, value in form.given.items():
        if name != "scorer_passed":
            dropped = {name: None} | ({"scorer_passed": None} if name == "scorer" else {})
            found.append({"words": _words(form, name, value), "remove": address(form.given, **dropped) or "?"})
    return found


def _words(form: ResultsForm, name: str, value: str) -> str:
    if name == "passed":
        return f"Verdict: {'passed' if value == 'true' else 'failed'}"
    if name == "scorer":
        said = {None: "Errored", "true": "Passed", "false": "Failed"}.get(form.given.get("scorer_passed"), "Scorer")
        return f"{said}: {value}"
    if name == "changed":
        return "Changed against the baseline" if value == "true" else "As in the baseline"
    if name == "ungrouped":
        return "Of no kind"
    words = {"status": "Status: {}", "group": "Kind: {}", "item_id": "Item: {}", "q": "Text: “{}”"}
    return words[name].replace("{}", value)
