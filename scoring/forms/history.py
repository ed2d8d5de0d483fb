"""The history's filter form: the API's own parameters as fields, each with its value, its fault and its chip."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from foundation.errors import FieldError, ValidationFailed
from scoring.history_filters import PARAMETERS, HistoryFilter, HistoryPage, read_history
from scoring.queries.listing import ProfileChoice

# What the page adds to the API's parameters: whether the charts are shown, which need no script then.
PAGE_PARAMETERS = frozenset({"charts"})
_VERDICTS = (("", "Any"), ("true", "Passed"), ("false", "Failed"))
_STATUSES = (("", "Any"), ("scored", "Scored"), ("errored", "Errored"), ("measured", "Measured"))
_MORE = ("profileVersion", "taskId", "status", "minScore", "maxScore", "since", "until")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|")


@dataclass(frozen=True, slots=True)
class HistoryForm:
    """What the address asks for. `wanted` and `page` are None when something in it is wrong."""

    given: Mapping[str, str]
    wanted: HistoryFilter | None
    page: HistoryPage | None
    faults: Mapping[str, str] = field(default_factory=dict)

    @property
    def active(self) -> dict[str, str]:
        """The filters that are set, in the order of the API's parameters."""
        return {name: self.given[name] for name in PARAMETERS if self.given.get(name)}

    @property
    def other_faults(self) -> list[str]:
        """Faults of what has no field: a cursor, a parameter that does not exist."""
        return [f"{name}: {message}" for name, message in self.faults.items() if name not in PARAMETERS]

    @property
    def wants_more(self) -> bool:
        """Whether one of the fields that are folded away is in use."""
        return any(self.given.get(name) or name in self.faults for name in _MORE)


def read_form(parameters: Mapping[str, str]) -> HistoryForm:
    """The form of an address; its faults by field instead of a refusal."""
    given = {name: value for name, value in parameters.items() if name not in PAGE_PARAMETERS}
    try:
        wanted, page = read_history(given)
    except ValidationFailed as refusal:
        return HistoryForm(given, None, None, {fault.path: fault.message for fault in refusal.fields})
    return HistoryForm(given, wanted, page)


def address(parameters: Mapping[str, str], **changes: str | None) -> str:
    """`?…` with some parameters changed; those that are None or empty are left out."""
    merged = {**parameters, **changes}
    return "?" + urlencode({name: value for name, value in merged.items() if value})


def fields(form: HistoryForm, profiles: Sequence[ProfileChoice]) -> dict[str, dict[str, Any]]:
    """The parameters of components/input.html for each field, by the parameter's name."""
    return {item["name"]: item for item in _fields(form, profiles)}


def _fields(form: HistoryForm, profiles: Sequence[ProfileChoice]) -> Iterator[dict[str, Any]]:
    yield _field(form, "q", "Text", kind="search", maxlength=200)
    yield _field(form, "profileId", "Profile", options=_profile_options(form, profiles))
    yield _field(form, "passed", "Verdict", options=_options(_VERDICTS))
    yield _field(form, "agent", "Agent", kind="text", maxlength=128)
    yield _field(form, "profileVersion", "Version", kind="number", min=1, step=1)
    yield _field(form, "taskId", "Task", kind="text", maxlength=128)
    yield _field(form, "status", "Status", options=_options(_STATUSES))
    yield _field(form, "minScore", "Score from", kind="number", min=0, max=1)
    yield _field(form, "maxScore", "Score to", kind="number", min=0, max=1)
    for name, label in (("since", "From (UTC)"), ("until", "To (UTC), included")):
        # A time of day, which the API takes too, has no place in a date field.
        plain = _DATE.fullmatch(form.given.get(name, "")) is not None
        yield _field(form, name, label, kind="date" if plain else "text")


def _field(form: HistoryForm, name: str, label: str, **rest: Any) -> dict[str, Any]:
    kind = "select" if "options" in rest else rest.pop("kind")
    common = {"id": f"filter-{name}", "name": name, "label": label, "kind": kind}
    return {**common, "value": form.given.get(name, ""), "error": form.faults.get(name, ""), **rest}


def _options(pairs: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"value": value, "label": label} for value, label in pairs]


def _profile_options(form: HistoryForm, profiles: Sequence[ProfileChoice]) -> list[dict[str, str]]:
    options = [("", "Any"), *((choice.id, _profile_words(choice)) for choice in profiles)]
    asked = form.given.get("profileId", "")
    if asked not in {value for value, _ in options}:
        options.append((asked, asked))
    return _options(options)


def _profile_words(choice: ProfileChoice) -> str:
    name = choice.name if len(choice.name) <= 60 else f"{choice.name[:59]}…"
    return f"{name} (deleted)" if choice.deleted else name


_CHIP_WORDS = {
    "profileVersion": "Version: {}",
    "agent": "Agent: {}",
    "taskId": "Task: {}",
    "status": "Status: {}",
    "minScore": "Score from {}",
    "maxScore": "Score to {}",
    "since": "From {}",
    "until": "To {}",
    "q": "Text: “{}”",
}


def chips(form: HistoryForm, profiles: Sequence[ProfileChoice]) -> list[dict[str, str]]:
    """Words and the address without it, for each active filter."""
    names = {choice.id: choice.name for choice in profiles}
    found = []
    for name, value in form.active.items():
        if name == "profileId":
            words = f"Profile: {names.get(value, value)}"
        elif name == "passed":
            words = f"Verdict: {'passed' if value == 'true' else 'failed'}"
        else:
            words = _CHIP_WORDS[name].replace("{}", value)
        # A version means nothing without its profile.
        dropped = {name: None} | ({"profileVersion": None} if name == "profileId" else {})
        found.append({"words": words, "remove": address(form.active, **dropped)})
    return found


@dataclass(frozen=True, slots=True)
class RescoreForm:
    """What to score an evaluation again with; `faults` by field."""

    profile_id: str
    version: str
    number: int | None
    faults: Mapping[str, str]


def read_rescore(posted: Mapping[str, str]) -> RescoreForm:
    """The profile and version that were chosen; an empty version is the newest."""
    profile_id, version = posted.get("profileId", ""), posted.get("version", "").strip()
    faults = [] if profile_id else [FieldError("profileId", "missing", "Choose a profile.")]
    number = int(version) if version.isascii() and version.isdigit() and len(version) <= 9 else None
    if version and not number:
        faults.append(FieldError("version", "invalid", "Must be a whole number from 1, or empty for the newest."))
    return RescoreForm(profile_id, version, number, {fault.path: fault.message for fault in faults})
