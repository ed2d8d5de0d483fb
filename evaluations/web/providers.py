"""One AI provider: its form, whose key goes in and never comes out."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.permissions import actor_of
from evaluations.forms.fields import add_refusal
from evaluations.forms.providers import ProviderForm, provider_initial
from evaluations.permissions import Act, may
from evaluations.queries.agents import agents_using, provider_for
from evaluations.queries.projects import project_at
from evaluations.services.providers import provider_create, provider_delete, provider_update
from foundation.errors import Problem
from foundation.http.toasts import toast


@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
def provider_new(request: HttpRequest, project_id: str) -> HttpResponse:
    """The form of a new provider."""
    actor = actor_of(request)
    project = project_at(actor, project_id, Act.WRITE)
    form = ProviderForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = provider_create(actor=actor, project=project, body=form.body())
        except Problem as problem:
            add_refusal(form, problem, field=_field_of(problem))
        else:
            toast(request, f"Made “{made.name}”. Now an agent that asks it.")
            return redirect("agent-list", project.public_id)
    context = {"project": project, "form": form, "may_write": True}
    return render(request, "evaluations/provider.html", context, status=422 if form.errors else 200)


@sensitive_post_parameters("api_key")
@require_http_methods(["GET", "HEAD", "POST"])
def provider(request: HttpRequest, ai_provider_id: str) -> HttpResponse:
    """One provider in its form; of its key only whether there is one, and its last four characters."""
    actor = actor_of(request)
    posted = request.method == "POST"
    row = provider_for(actor, ai_provider_id, Act.WRITE if posted else Act.READ)
    form = ProviderForm(request.POST) if posted else ProviderForm(initial=provider_initial(row))
    if posted and form.is_valid():
        try:
            _, dropped = provider_update(actor=actor, provider=row, changes=form.body())
        except Problem as problem:
            add_refusal(form, problem, field=_field_of(problem))
        else:
            words = "Saved. The stored key was given for another address and was dropped: set one for this address."
            if dropped:
                toast(request, words, level=messages.WARNING)
            else:
                toast(request, "Saved.")
            return redirect("provider", row.public_id)
    context: dict[str, Any] = {
        "project": row.project,
        "provider": row,
        "form": form,
        "key_set": bool(row.api_key_encrypted),
        "agents": agents_using(row),
        "may_write": may(actor, row.project, Act.WRITE),
        "may_delete": may(actor, row.project, Act.DELETE),
    }
    return render(request, "evaluations/provider.html", context, status=422 if form.errors else 200)


def _field_of(problem: Problem) -> str | None:
    return {"NAME_CONFLICT": "name", "FORBIDDEN": "base_url"}.get(problem.code)


@require_POST
def provider_remove(request: HttpRequest, ai_provider_id: str) -> HttpResponse:
    """The list, without the provider."""
    actor = actor_of(request)
    row = provider_for(actor, ai_provider_id, Act.DELETE)
    provider_delete(actor=actor, provider=row)
    toast(request, f"Deleted “{row.name}”, with its key.")
    return redirect("agent-list", row.project.public_id)
