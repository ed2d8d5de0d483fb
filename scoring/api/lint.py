"""Lint before spend, over HTTP."""

from collections.abc import Mapping
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import actor_of
from foundation.http.api import StrictJsonParser, json_body
from foundation.http.openapi import contribute, describe, ref
from scoring.api import examples
from scoring.api.evaluations import unsaved_profile
from scoring.evaluate_bodies import read_body
from scoring.lint import CODES, lint
from scoring.lint.bodies import LintBody
from scoring.permissions import LEAST_ROLE, Act, permit
from scoring.queries.lint_samples import stored_samples
from scoring.queries.profiles import profile_at

MAX_LINT_BYTES = 16_000_000
_SAMPLE: Mapping[str, Any] = {"output": "Implemented the OAuth login feature."}
_WHOLE = {"type": "integer", "minimum": 0}


class _SamplesParser(StrictJsonParser):
    """Reads a body that may hold many observations; 16 MB at most."""

    most_bytes = MAX_LINT_BYTES


class Lint(APIView):
    """Check what a profile can tell apart."""

    parser_classes = (_SamplesParser,)

    @describe(
        "lint",
        "Which scorers of a profile say nothing, by its settings and by samples of answers. Stores nothing.",
        body=LintBody,
        answers={200: ref("LintReport")},
        needs=LEAST_ROLE[Act.PREVIEW],
        refusals=(404,),
        example={"profile": examples.PROFILE_BODY, "observations": [_SAMPLE]},
        tags=("evaluations",),
    )
    def post(self, request: Request) -> Response:
        """The findings, certain ones first, and what they rest on. Samples count from 0: observations, then recent."""
        permit(actor_of(request), Act.PREVIEW)
        body = read_body(LintBody, json_body(request))
        if body.profile_id is None:
            profile, recent = unsaved_profile(body.profile), stored_samples(None, 0)
        else:
            profile = profile_at(body.profile_id, body.version).content
            recent = stored_samples(body.profile_id, body.recent)
        report = lint(profile, [*(item.observe() for item in body.observations), *recent.observations])
        return Response({**report.as_document(), "evaluationIds": list(recent.evaluation_ids)})


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": dict(properties)}


@contribute
def lint_schemas() -> dict[str, Any]:
    """The report of lint."""
    finding = {
        "scorerId": {"type": ["string", "null"], "description": "null: it concerns the profile as a whole."},
        "code": {
            "enum": list(CODES),
            "description": " ".join(f"{code}: {meaning}" for code, meaning in CODES.items()),
        },
        "message": {"type": "string", "description": "One sentence a person can act on."},
        "certain": {
            "type": "boolean",
            "description": "Whether it holds whatever an agent answers; otherwise the samples only happen to show it.",
        },
        "samples": {**_WHOLE, "description": "How many samples it was looked for in; 0 when the settings show it."},
        "affected": {**_WHOLE, "description": "How many of them show it."},
        "indices": {"type": "array", "items": _WHOLE, "maxItems": 5, "description": "The first five that show it."},
        "atMost": {
            "type": ["number", "null"],
            "minimum": 0,
            "maximum": 1,
            "description": "How often it may be otherwise all the same: the upper end of the 95 % Wilson interval.",
        },
        "otherId": {"type": ["string", "null"], "description": "The scorer that it agrees with."},
    }
    checked = {"scorerId": {"type": "string"}} | dict.fromkeys(("passed", "failed", "measured", "errored"), _WHOLE)
    skipped = {
        "unfinished": {**_WHOLE, "description": "Samples whose agent did not finish."},
        "outOfTime": {**_WHOLE, "description": "Samples that there was no time left to score."},
    }
    report = {
        "findings": {"type": "array", "items": _object(finding)},
        "samples": {**_WHOLE, "description": "How many samples were scored."},
        "skipped": _object(skipped),
        "checked": {"type": "array", "items": _object(checked), "description": "Every scorer, in profile order."},
        "evaluationIds": {"type": "array", "items": {"type": "string"}, "description": "The evaluations of `recent`."},
    }
    return {"LintReport": _object(report)}
