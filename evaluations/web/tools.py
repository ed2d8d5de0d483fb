"""One HTTP tool: its form, and what it answers when it is called."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.permissions import actor_of
from evaluations.forms.fields import add_refusal, json_text
from evaluations.forms.tools import CallForm, ToolForm, tool_initial
from evaluations.permissions import Act, may
from evaluations.queries.projects import project_at
from evaluations.queries.tools import evals_scored_by, tool_for
from evaluations.services.tools import tool_call, tool_create, tool_delete, tool_update
from evaluations.web.agents_tries import refusal_shown
from foundation.errors import Problem, ValidationFailed
from foundation.http.toasts import toast

_FIELDS = {"NAME_CONFLICT": "name", "FORBIDDEN": "headers"}


@require_http_methods(["GET", "HEAD", "POST"])
def tool_new(request: HttpRequest, project_id: str) -> HttpResponse:
    """The form of a new tool."""
    actor = actor_of(request)
    project = project_at(actor, project_id, Act.WRITE)
    form = ToolForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = tool_create(actor=actor, project=project, body=form.body())
        except Problem as problem:
            add_refusal(form, problem, field=_FIELDS.get(problem.code))
        else:
            toast(request, f"Made “{made.name}”. Nothing was called yet: try it.")
            return redirect("tool", made.public_id)
    context = {"project": project, "form": form, "may_write": True}
    return render(request, "evaluations/tool.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def tool(request: HttpRequest, tool_id: str) -> HttpResponse:
    """One tool in its form."""
    actor = actor_of(request)
    posted = request.method == "POST"
    row = tool_for(actor, tool_id, Act.WRITE if posted else Act.READ)
    form = ToolForm(request.POST) if posted else ToolForm(initial=tool_initial(row))
    if posted and form.is_valid():
        try:
            tool_update(actor=actor, tool=row, changes=form.body())
        except Problem as problem:
            add_refusal(form, problem, field=_FIELDS.get(problem.code))
        else:
            toast(request, "Saved.")
            return redirect("tool", row.public_id)
    context = {
        "project": row.project,
        "tool": row,
        "form": form,
        "evals": evals_scored_by(row),
        "may_write": may(actor, row.project, Act.WRITE),
        "may_run": may(actor, row.project, Act.RUN),
        "may_delete": may(actor, row.project, Act.DELETE),
    }
    return render(request, "evaluations/tool.html", context, status=422 if form.errors else 200)


@require_POST
def tool_remove(request: HttpRequest, tool_id: str) -> HttpResponse:
    """The list, without the tool."""
    actor = actor_of(request)
    row = tool_for(actor, tool_id, Act.DELETE)
    tool_delete(actor=actor, tool=row)
    toast(request, f"Deleted “{row.name}”.")
    return redirect("agent-list", row.project.public_id)


@require_http_methods(["GET", "HEAD", "POST"])
def tool_try(request: HttpRequest, tool_id: str) -> HttpResponse:
    """The form that calls the tool, and what it answered; nothing of it is stored."""
    actor = actor_of(request)
    row = tool_for(actor, tool_id, Act.RUN)
    form = CallForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"project": row.project, "tool": row, "form": form, "may_run": True}
    if form.is_bound and form.is_valid():
        given = form.cleaned_data["input"] or {}
        try:
            answer = tool_call(actor=actor, tool=row, given=given)
        except ValidationFailed as problem:
            add_refusal(form, problem)
        except Problem as problem:
            context["refusal"] = refusal_shown(problem)
        else:
            context["answer"] = {
                "status": answer.status,
                "body": answer.body if isinstance(answer.body, str) else json_text(answer.body) or "null",
                "total_s": answer.total_ms / 1000,
                "attempts": answer.attempts,
            }
        context["sent"] = json_text({**row.preset_parameters, **given})
    return render(request, "evaluations/tool_try.html", context, status=422 if form.errors else 200)
