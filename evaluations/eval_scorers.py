"""PURE: the scorers of an eval, as `/api/v1` writes them: snake_case, each under its own key.

They are the scorers of the one registry, and `tool`, which asks an HTTP tool of the project.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from foundation.errors import FieldError, ValidationFailed
from scoring.kit.faults import field_errors
from scoring.kit.json_values import canonical_text
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.kit.settings import Fraction, Settings, bounded
from scoring.kit.spelling import snake_case
from scoring.profile_documents import Profile, UnusableScorer, load_scorers, read_scorer

MOST_SCORERS = 64
TOOL = "tool"
_TOOL_VERSION = 1
# What a scorer has in a profile and not in an eval: there the key is its name, and all of them gate.
_NOT_IN_EVALS = ("id", "required")


class ToolScorer(Settings):
    """Asks a tool of the project, which answers `{score, passed?, reasoning?}`."""

    type: Literal["tool"] = "tool"
    name: Annotated[str, bounded(1, 128)]
    tool_id: Annotated[str, bounded(1, 64)]
    preset_parameters: dict[str, Any] = Field(default_factory=dict)
    pass_threshold: Fraction | None = None
    weight: Annotated[float, Field(ge=0, le=1_000_000)] = 1
    negate: bool = False

    @property
    def id(self) -> str:
        """The key of its results."""
        return self.name


EvalScorer = Scorer | ToolScorer | UnusableScorer


@dataclass(frozen=True, slots=True)
class KeyedScorer:
    """A scorer, and its document as the API answers it."""

    key: str
    scorer: EvalScorer
    document: Mapping[str, Any]

    @property
    def type(self) -> str:
        """The type in the evals' spelling."""
        return str(self.document["type"])

    @property
    def identity(self) -> str:
        """SHA-256 of type, version and every setting in force: two runs are comparable where it is the same.

        The key, the words and the weight are not part of it: they change no score.
        """
        if isinstance(self.scorer, UnusableScorer):
            settings: Mapping[str, Any] = dict(self.scorer.document)
            version = 0
        else:
            settings = self.scorer.model_dump(exclude={"id", "name", "description", "weight", "required"})
            version = _TOOL_VERSION if isinstance(self.scorer, ToolScorer) else self.scorer.version
        text = canonical_text({"type": self.type, "version": version, "settings": _plain(settings)})
        return hashlib.sha256(text.encode()).hexdigest()


def read_eval_scorers(raw: Any, path: str = "scorers") -> tuple[KeyedScorer, ...]:
    """The scorers that a body asks for. ValidationFailed names every fault by its path."""
    if not isinstance(raw, list):
        raise ValidationFailed.one(path, "list_type", "Must be a list.")
    if not 1 <= len(raw) <= MOST_SCORERS:
        message = f"Must have 1 to {MOST_SCORERS} scorers; this has {len(raw)}."
        raise ValidationFailed.one(path, "scorer_count", message)
    scorers: list[KeyedScorer] = []
    faults: list[FieldError] = []
    for index, item in enumerate(raw):
        try:
            scorers.append(_read_one(item, f"{path}.{index}"))
        except ValidationFailed as error:
            faults.extend(error.fields)
    if not faults:
        faults.extend(_faults_between(scorers, path))
    if faults:
        raise ValidationFailed(faults)
    return tuple(scorers)


def load_eval_scorers(documents: Sequence[Mapping[str, Any]]) -> tuple[KeyedScorer, ...]:
    """The stored scorers; one that today's declarations do not accept gives an error when it is run."""
    return tuple(_load_one(document) for document in documents)


def profile_scorers(profile: Profile) -> tuple[KeyedScorer, ...]:
    """The scorers of a profile, keyed by their ids."""
    return tuple(
        KeyedScorer(scorer.id, scorer, {**scorer.as_document(), "type": snake_case(scorer.type)})
        for scorer in profile.scorers
    )


def _read_one(raw: Any, path: str) -> KeyedScorer:
    if not isinstance(raw, dict):
        raise ValidationFailed.one(path, "dict_type", "A scorer must be an object.")
    if raw.get("type") == TOOL:
        return _tool(raw, path)
    refused = [name for name in _NOT_IN_EVALS if name in raw]
    if refused:
        message = "There is no such field here: in an eval a scorer has a name, and every scorer must pass."
        raise ValidationFailed(FieldError(f"{path}.{name}", "extra_forbidden", message) for name in refused)
    kind = raw.get("type")
    if isinstance(kind, str) and registry.find(kind) is None:
        known = ", ".join(sorted([TOOL, *(snake_case(declared.type_name() or "") for declared in registry)]))
        message = f"There is no scorer of this type. The types are {known}."
        raise ValidationFailed.one(f"{path}.type", "unknown_type", message)
    name = raw.get("name")
    if name is not None and not isinstance(name, str):
        raise ValidationFailed.one(f"{path}.name", "string_type", "Must be text.")
    scorer = read_scorer({**_settings(raw), "id": name or _type_key(raw.get("type"))}, path)
    return KeyedScorer(scorer.id, scorer, _document(scorer, name))


def _tool(raw: Mapping[str, Any], path: str) -> KeyedScorer:
    try:
        scorer = ToolScorer.model_validate(raw)
    except ValidationError as error:
        raise ValidationFailed(field_errors(error, path)) from error
    document = scorer.model_dump(exclude_unset=True) | {"type": TOOL}
    return KeyedScorer(scorer.id, scorer, document)


def _load_one(document: Mapping[str, Any]) -> KeyedScorer:
    if document.get("type") == TOOL:
        return _tool(document, "")
    key = str(document.get("name") or _type_key(document.get("type")))
    (scorer,) = load_scorers([{**_settings(document), "id": key}])
    return KeyedScorer(key, scorer, document)


def _settings(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in raw.items() if name != "name"}


def _type_key(kind: Any) -> str:
    return snake_case(kind) if isinstance(kind, str) and kind else "scorer"


def _document(scorer: Scorer, name: str | None) -> dict[str, Any]:
    """What was set, in the evals' spelling; what was left to its default stays left out."""
    fields = type(scorer).model_fields
    values = scorer.model_dump(exclude_unset=True)
    own = {
        snake_case(fields[field].alias or field): _plain(value)
        for field, value in values.items()
        if field not in {"id", "name", "type"}
    }
    named = {"name": name} if name else {}
    return {"type": snake_case(scorer.type), **named, **own}


def _plain(value: Any) -> Any:
    """Tuples as the lists that JSON has."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def _faults_between(scorers: Sequence[KeyedScorer], path: str) -> list[FieldError]:
    faults: list[FieldError] = []
    first: dict[str, int] = {}
    for index, scorer in enumerate(scorers):
        place = f"{path}.{index}.name"
        if scorer.key in first:
            message = f'The name "{scorer.key}" is taken by scorer {first[scorer.key] + 1} of this eval; give another.'
            faults.append(FieldError(place, "duplicate_name", message))
        first.setdefault(scorer.key, index)
        declared = registry.find(scorer.key)
        if (declared is not None and snake_case(declared.type_name() or "") != scorer.type) or scorer.key == TOOL:
            message = f'"{scorer.key}" is the name of another type of scorer; results would be mistaken for its own.'
            faults.append(FieldError(place, "name_of_a_type", message))
    return faults
