"""The API's documents as a page, made here from our own OpenAPI document; and the help page."""

from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from accounts.permissions import actor_of
from foundation.http.api_reference import errors_by_status, read_document
from scoring.kit.outcome import ERROR_MEANINGS
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.permissions import Act, permit


@lru_cache(maxsize=2)
def _document(_scorers: tuple[type[Scorer], ...]) -> dict[str, Any]:
    """The OpenAPI document; it differs within one process only by the scorers that are declared."""
    document: dict[str, Any] = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    return document


@login_not_required
@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """Every operation, schema and error code. For everybody, as `/api/schema` is: it says nothing about data."""
    document = _document(tuple(registry))
    base = request.build_absolute_uri("/").rstrip("/")
    with_key = settings.PLUMBLINE_MODE != "local"
    context = {
        "reference": read_document(document, base=base, with_key=with_key),
        "problems": errors_by_status(),
        "scorer_errors": list(ERROR_MEANINGS.items()),
        "base": base,
        "with_key": with_key,
    }
    return render(request, "scoring/api_docs.html", context)


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """How to read what the pages show: the words, the figures, the keys."""
    permit(actor_of(request), Act.READ)
    return render(request, "help.html")
