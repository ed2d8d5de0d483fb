"""The scorer reference, whole from the scorers' own declarations."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.permissions import actor_of
from foundation.errors import NotFound
from foundation.text import code_pieces
from scoring import javascript
from scoring.evaluator import RegexCapacity
from scoring.kit.outcome import ERROR_MEANINGS
from scoring.kit.registry import registry
from scoring.kit.scorer import Example, Scorer
from scoring.kit.spelling import snake_case
from scoring.permissions import Act, may, permit
from scoring.reference import (
    codes,
    description,
    example_settings,
    families,
    family,
    matching,
    run_example,
    setting_rows,
    spellings,
)


@require_safe
def scorer_list(request: HttpRequest) -> HttpResponse:
    """Every scorer type by family, or those that hold every word of `?q=`."""
    permit(actor_of(request), Act.READ)
    search = request.GET.get("q", "").strip()[:200]
    groups = {
        name: [_listed(declared) for declared in declared_types if matching(declared, search)]
        for name, declared_types in families().items()
    }
    context = {
        "search": search,
        "groups": {name: listed for name, listed in groups.items() if listed},
        "found": sum(len(listed) for listed in groups.values()),
        "total": len(registry),
    }
    return render(request, "scoring/scorer_list.html", context)


def _listed(declared: type[Scorer]) -> dict[str, Any]:
    kind = declared.type_name() or ""
    return {"type": kind, "name": snake_case(kind), "summary": declared.summary(), "reads": ", ".join(declared.reads)}


@require_safe
def scorer(request: HttpRequest, scorer_type: str) -> HttpResponse:
    """One scorer type, its examples run now. Either spelling of the type names it."""
    actor = permit(actor_of(request), Act.READ)
    declared = registry.find(scorer_type) if len(scorer_type) <= 128 else None
    if declared is None:
        raise NotFound("There is no scorer of this type.", hint="The list of scorers shows every type.")
    kind = declared.type_name() or ""
    written = spellings(declared)
    context = {
        "type": kind,
        "name": snake_case(kind),
        "declared": {
            "summary": declared.summary(),
            "description": code_pieces(description(declared)),
            "formula": declared.formula,
            "reads": declared.reads,
            "source": declared.origin,
            "version": declared.version,
            "family": family(declared),
        },
        "settings": setting_rows(declared),
        "errors": [(code, ERROR_MEANINGS[code]) for code in codes(declared)],
        "examples": [_shown(declared, example) for example in declared.examples],
        "profile_form": _json(written["profile"]),
        "eval_form": _json(written["eval"]),
        "may_write": may(actor, Act.WRITE_PROFILE),
    }
    return render(request, "scoring/scorer.html", context)


def _shown(declared: type[Scorer], example: Example) -> dict[str, Any]:
    try:
        run = run_example(declared, example)
    except javascript.PoolBusy as error:
        raise RegexCapacity(headers={"Retry-After": str(max(1, round(error.retry_after)))}) from error
    return {
        "title": example.title,
        "settings": _json(example_settings(declared, example)),
        "observation": _json(dict(example.observation)),
        "outcome": run.outcome,
        "agrees": run.agrees,
        "declared": example,
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
