"""The bodies and answers that the API documents show. A test sends each body and compares the answer."""

from collections.abc import Mapping
from typing import Any

_ID, _MADE, _CHANGED = "prof_4cRzT1x8Qm0aVn5k", "2026-03-21T13:55:00.000Z", "2026-03-21T14:05:00.000Z"
_KEYWORDS: Mapping[str, Any] = {
    "id": "has-action-items",
    "name": "Contains action items",
    "type": "KeywordContains",
    "weight": 0.4,
    "target": "output",
    "keywords": ["completed", "implemented", "fixed", "added"],
    "matchMode": "any",
    "caseSensitive": False,
}
_LENGTH: Mapping[str, Any] = {
    "id": "length-check",
    "name": "Summary length",
    "type": "NumericRange",
    "weight": 0.3,
    "target": "output",
    "valuePath": "length",
    "min": 50,
    "max": 500,
}
_APOLOGIES: Mapping[str, Any] = {
    "id": "no-apologies",
    "name": "No apology language",
    "type": "RegexMatch",
    "weight": 0.3,
    "target": "output",
    "pattern": "I apologize|I'm sorry|unfortunately|I cannot",
    "flags": "i",
    "scoreOnMatch": 0,
    "scoreOnMiss": 1,
    "invert": False,
}
_DEFAULTS: Mapping[str, Any] = {"required": False, "passThreshold": 1.0, "negate": False}

PROFILE_BODY: Mapping[str, Any] = {
    "name": "Task Summary Quality",
    "description": "Evaluate quality of agent task completion summaries.",
    "compositeMethod": "weightedAvg",
    "scorers": [_KEYWORDS, _LENGTH, _APOLOGIES],
}
PROFILE: Mapping[str, Any] = {
    "id": _ID,
    "name": PROFILE_BODY["name"],
    "description": PROFILE_BODY["description"],
    "compositeMethod": "weightedAvg",
    "passThreshold": 0.5,
    "scorers": [
        {**_KEYWORDS, **_DEFAULTS, "partialCredit": False},
        {**_LENGTH, **_DEFAULTS, "scoreOnMiss": 0.0},
        {**_APOLOGIES, **_DEFAULTS},
    ],
    "version": 1,
    "builtIn": False,
    "createdAt": _MADE,
    "updatedAt": _MADE,
}
PROFILE_CHANGE: Mapping[str, Any] = {"compositeMethod": "minimum"}
CHANGED_PROFILE: Mapping[str, Any] = {**PROFILE, **PROFILE_CHANGE, "version": 2, "updatedAt": _CHANGED}
VERSION: Mapping[str, Any] = {
    "version": 2,
    "createdAt": _CHANGED,
    "createdBy": "Olga Owner",
    "changes": [
        {
            "path": "compositeMethod",
            "kind": "changed",
            "text": "method weighted average → minimum",
            "before": "weightedAvg",
            "after": "minimum",
        },
    ],
}

EVALUATE: Mapping[str, Any] = {
    "profileId": _ID,
    "output": "Implemented the OAuth login feature using Passport.js. Added Google and GitHub providers. Tests pass.",
    "action": "task-completion",
    "agent": "TARS",
    "taskId": "task_20260321_abc",
}
EVALUATION: Mapping[str, Any] = {
    "id": "eval_b7Yw2KfN0sXe9LdU",
    "profileId": _ID,
    "profileName": PROFILE_BODY["name"],
    "profileVersion": 1,
    "compositeMethod": "weightedAvg",
    "passThreshold": 0.5,
    "status": "scored",
    "score": 1.0,
    "passed": True,
    "breakdown": [
        {
            "scorerId": "has-action-items",
            "scorerName": "Contains action items",
            "type": "KeywordContains",
            "status": "scored",
            "score": 1.0,
            "weight": 0.4,
            "weighted": 0.4,
            "passed": True,
            "explanation": 'Found "implemented", "added".',
            "evidence": {
                "found": ["implemented", "added"],
                "missing": ["completed", "fixed"],
                "spans": [[0, 11], [55, 60]],
                "target": "output",
            },
        },
        {
            "scorerId": "length-check",
            "scorerName": "Summary length",
            "type": "NumericRange",
            "status": "scored",
            "score": 1.0,
            "weight": 0.3,
            "weighted": 0.3,
            "passed": True,
            "explanation": "length is 101, within 50 to 500.",
            "evidence": {"value": 101.0, "path": "length", "source": "text", "min": 50.0, "max": 500.0},
        },
        {
            "scorerId": "no-apologies",
            "scorerName": "No apology language",
            "type": "RegexMatch",
            "status": "scored",
            "score": 1.0,
            "weight": 0.3,
            "weighted": 0.3,
            "passed": True,
            "explanation": "/I apologize|I'm sorry|unfortunately|I cannot/i was not found in the output.",
            "evidence": {"found": False},
        },
    ],
    "action": EVALUATE["action"],
    "output": EVALUATE["output"],
    "agent": EVALUATE["agent"],
    "taskId": EVALUATE["taskId"],
    "metadata": {
        "actionLength": 15,
        "outputLength": 101,
        "totalLength": 116,
        "actionWordCount": 1,
        "outputWordCount": 14,
        "totalWordCount": 15,
        "outputLineCount": 1,
    },
    "createdAt": "2026-03-21T14:00:00.000Z",
}
