"""The named schemas of `/api/scoring`: what it takes and answers, for the OpenAPI document."""

from collections.abc import Mapping
from typing import Any

from foundation.http.openapi import contribute, model_schemas, ref
from scoring.composites import METHODS
from scoring.evaluate_bodies import EvaluateBody
from scoring.history_filters import DEFAULT_LIMIT, MAX_LIMIT, PARAMETERS, STATUSES
from scoring.kit.outcome import ErrorCode
from scoring.kit.registry import registry
from scoring.profile_documents import MAX_SCORERS, READ_ONLY, ProfileHead

PROFILE, PROFILE_BODY, PROFILE_CHANGE = ref("Profile"), ref("ProfileBody"), ref("ProfileChange")
VERSION, EVALUATION, PREVIEWS = ref("ProfileVersion"), ref("Evaluation"), ref("Previews")
BATCH_ANSWER, SCORER_TYPE = ref("BatchAnswer"), ref("ScorerType")

MAX_BATCH = 1_000
BATCH = {"type": "array", "minItems": 1, "maxItems": MAX_BATCH, "items": ref("EvaluateBody")}
WHOLE = {"type": "integer", "minimum": 1}
_FRACTION = {"type": "number", "minimum": 0, "maximum": 1}
_HISTORY_TYPES: Mapping[str, Mapping[str, Any]] = {
    "profileId": {"type": "string", "maxLength": 64},
    "profileVersion": WHOLE,
    "agent": {"type": "string", "maxLength": 128},
    "taskId": {"type": "string", "maxLength": 128},
    "passed": {"type": "boolean"},
    "status": {"type": "string", "enum": list(STATUSES)},
    "minScore": _FRACTION,
    "maxScore": _FRACTION,
    "since": {"type": "string"},
    "until": {"type": "string"},
    "q": {"type": "string", "maxLength": 200},
}
HISTORY_PARAMETERS: Mapping[str, tuple[Mapping[str, Any], str]] = {
    **{name: (_HISTORY_TYPES[name], words) for name, words in PARAMETERS.items()},
    "limit": (
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
        "How many at most.",
    ),
    "cursor": ({"type": "string"}, "Where the page starts, as the Link header of the one before gives it."),
    "count": ({"type": "boolean"}, "true: give the number of all matching evaluations in X-Total-Count."),
}

_HEAD_WORDS: Mapping[str, str] = {
    "name": "What people read; white space at its ends is taken off.",
    "description": "What it measures, and for whom; null clears it.",
    "compositeMethod": "How the scorers' scores become one.",
    "passThreshold": "The score from which an output passes; null reports without a verdict.",
}
_TIME = {"type": "string", "format": "date-time"}
_SCORE = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_PASSED = {"type": ["boolean", "null"]}
_TEXT_OR_NULL = {"type": ["string", "null"]}


def _object(properties: Mapping[str, Any], *, optional: tuple[str, ...] = (), **rest: Any) -> dict[str, Any]:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "required": required, "properties": dict(properties), **rest}


@contribute
def scorer_schemas() -> dict[str, Any]:
    """One schema a type, and `Scorer`, which is one of them by its `type`."""
    types = [declared for declared in registry if declared.type_name()]
    names = [declared.__name__ for declared in types]
    mapping = {declared.type_name() or "": ref(declared.__name__)["$ref"] for declared in types}
    union = {
        "oneOf": [ref(name) for name in names],
        "discriminator": {"propertyName": "type", "mapping": mapping},
    }
    schemas = model_schemas(types)
    for name in names:
        # The models give `type` a default so that code need not repeat it; a client must say it.
        schemas[name]["required"] = sorted({*schemas[name].get("required", ()), "type"})
    return {**schemas, "Scorer": union}


def _profile_body() -> dict[str, Any]:
    """What a profile takes, nothing of it required yet."""
    head = model_schemas([ProfileHead])["ProfileHead"]
    described = {name: {"description": _HEAD_WORDS[name], **member} for name, member in head["properties"].items()}
    scorers = {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_SCORERS,
        "items": ref("Scorer"),
        "description": "Each id once; at least one must have a weight above 0.",
    }
    ignored = {name: {"description": "Ignored: the server's to say."} for name in sorted(READ_ONLY) if "_" not in name}
    fields = {**described, "scorers": scorers, **ignored}
    return {"type": "object", "additionalProperties": False, "properties": fields}


@contribute
def profile_schemas() -> dict[str, Any]:
    """Profiles as they are sent and answered."""
    body = _profile_body()
    answered = {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "description": _TEXT_OR_NULL,
        "compositeMethod": {"enum": list(METHODS)},
        "passThreshold": _SCORE,
        "scorers": {
            "type": "array",
            "items": {
                "type": "object",
                "description": "A Scorer; a stored one that was removed since is shown as it is.",
            },
        },
        "version": {"type": "integer", "minimum": 1},
        "builtIn": {"type": "boolean"},
        "createdAt": _TIME,
        "updatedAt": _TIME,
    }
    return {
        "ProfileBody": {**body, "required": ["name", "scorers"]},
        "ProfileChange": body,
        "Profile": _object(answered),
        "ProfileVersion": _object(
            {
                "version": {"type": "integer", "minimum": 1},
                "createdAt": _TIME,
                "createdBy": _TEXT_OR_NULL,
                "changes": {"type": "array", "items": ref("Difference")},
            }
        ),
        "Difference": _object(
            {
                "path": {"type": "string"},
                "kind": {"enum": ["added", "removed", "changed", "moved"]},
                "text": {"type": "string", "description": "The change in words."},
                "before": {},
                "after": {},
            }
        ),
    }


def _verdict() -> dict[str, Any]:
    return {
        "status": {"enum": ["scored", "errored", "measured"]},
        "score": _SCORE,
        "passed": _PASSED,
        "breakdown": {"type": "array", "items": ref("BreakdownEntry")},
    }


def _breakdown_entry() -> dict[str, Any]:
    entry = {
        "scorerId": {"type": "string"},
        "scorerName": {"type": "string"},
        "type": {"type": "string"},
        "status": {"enum": ["scored", "measured", "error"]},
        "score": _SCORE,
        "weight": {"type": "number", "minimum": 0},
        "weighted": {"type": ["number", "null"], "description": "weight × score"},
        "passed": _PASSED,
        "explanation": {"type": "string", "description": "One sentence a person can act on."},
        "evidence": {"type": "object"},
        "required": {"type": "boolean"},
        "value": {"type": "number"},
        "unit": {"type": "string"},
        "error": _object({"code": {"enum": [str(code) for code in ErrorCode]}, "message": {"type": "string"}}),
    }
    return _object(entry, optional=("required", "value", "unit", "error"))


@contribute
def evaluation_schemas() -> dict[str, Any]:
    """Evaluations, their breakdowns and previews."""
    evaluation = {
        "id": {"type": "string"},
        "profileId": {"type": "string"},
        "profileName": {"type": "string"},
        "profileVersion": {"type": "integer", "minimum": 1},
        "compositeMethod": {"enum": list(METHODS)},
        "passThreshold": _SCORE,
        **_verdict(),
        "action": _TEXT_OR_NULL,
        "output": _TEXT_OR_NULL,
        "agent": _TEXT_OR_NULL,
        "taskId": _TEXT_OR_NULL,
        "metadata": {"type": "object"},
        "createdAt": _TIME,
        "object": {},
        "expected": {},
        "observation": {"type": ["object", "null"]},
    }
    preview = {
        "evaluationId": {"type": "string"},
        **_verdict(),
        "previous": _object({"status": {"type": "string"}, "score": _SCORE, "passed": _PASSED}),
        "flips": {"type": "boolean", "description": "Whether the stored verdict would change."},
    }
    return {
        **model_schemas([EvaluateBody]),
        "BreakdownEntry": _breakdown_entry(),
        "Evaluation": _object(evaluation, optional=("object", "expected", "observation")),
        "Previews": _object(
            {"results": {"type": "array", "items": _object(preview, optional=("evaluationId", "previous", "flips"))}}
        ),
        "BatchAnswer": {"anyOf": [ref("Evaluation"), ref("Error")]},
    }


@contribute
def scorer_type_schemas() -> dict[str, Any]:
    """What the list of scorer types holds."""
    example = _object(
        {
            "title": {"type": "string"},
            "settings": {"type": "object"},
            "observation": {"type": "object"},
            "score": {"type": "number"},
            "error": {"type": "string"},
            "value": {"type": "number"},
        },
        optional=("score", "error", "value"),
    )
    return {
        "ScorerType": _object(
            {
                "type": {"type": "string"},
                "name": {"type": "string", "description": "The type's spelling in evals."},
                "family": {"type": "string"},
                "version": {"type": "integer"},
                "summary": {"type": "string"},
                "description": {"type": "string"},
                "formula": {"type": "string"},
                "reads": {"type": "array", "items": {"type": "string"}},
                "errors": {"type": "array", "items": {"type": "string"}},
                "source": {"type": "string"},
                "settings": {"type": "object", "description": "JSON Schema of the settings."},
                "examples": {"type": "array", "items": example},
            }
        ),
    }
