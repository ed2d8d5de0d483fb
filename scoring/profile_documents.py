"""PURE: a profile as a document: read from a request, read back from the store, written out.

A document from a person is read strictly (`read_profile`): every fault is named at its path. A
stored one is read forgivingly (`load_profile`): what an earlier version wrote, or what no longer
works, must not take the rest of the profile with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationError

from foundation.errors import FieldError, ValidationFailed
from scoring.composites import METHODS, CompositeMethod
from scoring.kit.faults import field_errors
from scoring.kit.outcome import ErrorCode, Outcome
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.kit.settings import Fraction, Settings, bounded

MAX_SCORERS = 64
# A client that read a profile sends these back; they are the server's to say.
READ_ONLY = frozenset({"id", "builtIn", "version", "createdAt", "updatedAt", "built_in", "created_at", "updated_at"})
LEGACY_TYPE = "CustomExpression"


def _trimmed(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


class ProfileHead(Settings):
    """The fields of a profile beside its scorers."""

    name: Annotated[str, BeforeValidator(_trimmed), bounded(1, 256)] = Field(title="Name")
    description: Annotated[str, bounded(0, 4000)] | None = Field(default=None, title="Description")
    composite_method: CompositeMethod = Field(default="weightedAvg", title="Method")
    pass_threshold: Fraction | None = Field(default=0.5, title="Passes from")


@dataclass(frozen=True, slots=True)
class UnusableScorer:
    """A stored scorer that today's declarations do not accept: kept, shown, and an error when run."""

    document: Mapping[str, Any]
    reason: str

    @property
    def id(self) -> str:
        """Its id as stored."""
        return str(self.document.get("id", ""))

    @property
    def name(self) -> str:
        """Its name as stored, else its id."""
        return str(self.document.get("name") or self.id)

    @property
    def type(self) -> str:
        """Its type as stored."""
        return str(self.document.get("type", ""))

    @property
    def weight(self) -> float:
        """Its weight as stored, 1 when that is no number."""
        weight = self.document.get("weight", 1)
        return float(weight) if isinstance(weight, int | float | Decimal) else 1.0

    @property
    def required(self) -> bool:
        """Whether it was required, as stored."""
        return self.document.get("required") is True

    def outcome(self, observation: object) -> Outcome:
        """Always the error `config`, with the reason."""
        return Outcome.failed(ErrorCode.CONFIG, self.reason)

    def as_document(self) -> dict[str, Any]:
        """The settings as stored."""
        return dict(self.document)


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile that can score: its head and its scorers, usable or not."""

    name: str
    description: str | None
    composite_method: CompositeMethod
    pass_threshold: float | None
    scorers: tuple[Scorer | UnusableScorer, ...]

    def as_document(self) -> dict[str, Any]:
        """The five members in the API's spelling, the scorers with their settings in full."""
        return {
            "name": self.name,
            "description": self.description,
            "compositeMethod": self.composite_method,
            "passThreshold": self.pass_threshold,
            "scorers": [scorer.as_document() for scorer in self.scorers],
        }

    @property
    def has_legacy_scorer(self) -> bool:
        """Whether it still holds a CustomExpression, which is never run and never converted."""
        return any(scorer.type == LEGACY_TYPE for scorer in self.scorers)

    @property
    def unusable(self) -> tuple[UnusableScorer, ...]:
        """The scorers that cannot run as they are stored."""
        return tuple(scorer for scorer in self.scorers if isinstance(scorer, UnusableScorer))


def read_profile(body: Any, *, base: Mapping[str, Any] | None = None, keep_unusable: bool = False) -> Profile:
    """The profile that `body` asks for; with `base` (a stored document) only the keys sent change.

    Raises ValidationFailed with the path of every fault. With `keep_unusable` (imports), a scorer
    whose own settings do not work, such as a regex that does not compile, is kept as it is and
    gives an error when run; what the profile cannot do without is still refused.
    """
    if not isinstance(body, dict):
        raise ValidationFailed.one("", "dict_type", "A profile must be an object.")
    sent = {name: value for name, value in body.items() if name not in READ_ONLY}
    scorers_sent = "scorers" in sent
    raw_scorers = sent.pop("scorers", None)
    stored = {name: value for name, value in (base or {}).items() if name != "scorers"}
    faults: list[FieldError] = []
    head = None
    try:
        head = ProfileHead.model_validate(_merged(stored, sent))
    except ValidationError as error:
        faults.extend(field_errors(error))
    scorers: tuple[Scorer | UnusableScorer, ...] = ()
    if scorers_sent or base is None:
        scorers, scorer_faults = _read_scorers(raw_scorers, given=scorers_sent, keep_unusable=keep_unusable)
        faults.extend(scorer_faults)
    else:
        scorers = load_scorers(base.get("scorers", ()))
    if faults or head is None:
        raise ValidationFailed(faults)
    return Profile(head.name, head.description, head.composite_method, head.pass_threshold, scorers)


def _merged(stored: Mapping[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """`stored` under `sent`, in whichever spelling `sent` names a field."""
    aliases = {info.alias: name for name, info in ProfileHead.model_fields.items()}
    kept = {name: value for name, value in stored.items() if name in aliases and aliases[name] not in sent}
    return {**kept, **sent}


def _read_scorers(
    raw: Any, *, given: bool, keep_unusable: bool
) -> tuple[tuple[Scorer | UnusableScorer, ...], list[FieldError]]:
    if not given:
        return (), [FieldError("scorers", "missing", "This is required.")]
    if not isinstance(raw, list):
        return (), [FieldError("scorers", "list_type", "Must be a list.")]
    if not 1 <= len(raw) <= MAX_SCORERS:
        return (), [
            FieldError("scorers", "scorer_count", f"Must have 1 to {MAX_SCORERS} scorers; this has {len(raw)}.")
        ]
    scorers: list[Scorer | UnusableScorer] = []
    faults: list[FieldError] = []
    for index, item in enumerate(raw):
        try:
            scorers.append(read_scorer(item, f"scorers.{index}"))
        except ValidationFailed as error:
            if keep_unusable and _only_settings_fail(error, item):
                scorers.append(UnusableScorer(item, error.message))
            else:
                faults.extend(error.fields)
    if not faults:
        faults.extend(_faults_between(scorers))
    return tuple(scorers), faults


def _only_settings_fail(error: ValidationFailed, item: Any) -> bool:
    """Whether the scorer has what the profile needs of it, and only what it would run does not compile."""
    return isinstance(item, dict) and all(fault.code.startswith("invalid_") for fault in error.fields)


def read_scorer(raw: Any, path: str) -> Scorer:
    """The scorer that `raw` asks for, in either spelling; ValidationFailed with paths under `path`."""
    if not isinstance(raw, dict):
        raise ValidationFailed.one(path, "dict_type", "A scorer must be an object.")
    about = {"scorerId": raw["id"]} if isinstance(raw.get("id"), str) else {}
    kind = raw.get("type")
    if not isinstance(kind, str):
        code, message = ("missing", "This is required.") if kind is None else ("string_type", "Must be text.")
        raise ValidationFailed([FieldError(f"{path}.type", code, message, about)])
    declared = registry.find(kind)
    if declared is None:
        raise ValidationFailed([FieldError(f"{path}.type", "unknown_type", _unknown_type(kind), about)])
    try:
        return declared.model_validate({**raw, "type": declared.type_name()})
    except ValidationError as error:
        raise ValidationFailed(field_errors(error, path, about=about)) from error


def _unknown_type(kind: str) -> str:
    known = ", ".join(declared.type_name() or "" for declared in registry)
    if kind == LEGACY_TYPE:
        return "CustomExpression was removed, because it ran code. Use OccurrenceRatio instead."
    return f"There is no scorer of this type. The types are {known}."


def _faults_between(scorers: Sequence[Scorer | UnusableScorer]) -> list[FieldError]:
    """Faults that no scorer has alone: the same id twice, nothing that counts."""
    faults = []
    first: dict[str, int] = {}
    for index, scorer in enumerate(scorers):
        if scorer.id in first:
            message = f'The id "{scorer.id}" is taken by scorer {first[scorer.id] + 1} of this profile.'
            faults.append(FieldError(f"scorers.{index}.id", "duplicate_id", message, {"scorerId": scorer.id}))
        first.setdefault(scorer.id, index)
    if all(scorer.weight == 0 for scorer in scorers):
        faults.append(FieldError("scorers", "all_weights_zero", "At least one scorer must have a weight above 0."))
    return faults


def load_profile(document: Mapping[str, Any]) -> Profile:
    """The profile that a stored document holds, whatever version of the product wrote it."""
    method = document.get("compositeMethod", "weightedAvg")
    return Profile(
        name=str(document.get("name", "")),
        description=document.get("description"),
        composite_method=method if method in METHODS else "weightedAvg",
        pass_threshold=document.get("passThreshold", 0.5),
        scorers=load_scorers(document.get("scorers", ())),
    )


def load_scorers(documents: Sequence[Mapping[str, Any]]) -> tuple[Scorer | UnusableScorer, ...]:
    """The stored scorers, each usable or kept with the reason why it is not."""
    return tuple(_load_scorer(document) for document in documents)


def _load_scorer(document: Mapping[str, Any]) -> Scorer | UnusableScorer:
    kind = str(document.get("type", ""))
    declared = registry.find(kind)
    if declared is None:
        return UnusableScorer(document, _unknown_type(kind))
    try:
        return declared.model_validate({**document, "type": declared.type_name()}, context={"stored": True})
    except ValidationError as error:
        first = field_errors(error)[0]
        return UnusableScorer(
            document, f"The stored setting {first.path or 'of this scorer'} no longer works: {first.message}"
        )
