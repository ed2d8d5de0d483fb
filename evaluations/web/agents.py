"""The agents of a project, beside its providers and tools; one agent, and what it answers when it is asked."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.permissions import actor_of
from evaluations.forms.agents import AgentForm, QuestionForm, agent_initial
from evaluations.forms.fields import add_refusal, json_text
from evaluations.permissions import Act, may
from evaluations.queries.agents import agent_for, agents_listed, evals_asking, newest_version, providers_listed
from evaluations.queries.projects import project_at
from evaluations.queries.tools import tools_listed
from evaluations.services.agents import agent_create, agent_delete, agent_generate, agent_update
from evaluations.web.agents_tries import refusal_shown
from foundation.errors import Problem, ValidationFailed
from foundation.http.toasts import toast
from scoring.kit.paths import ABSENT

MOST_LISTED = 200
_MOST_CHOICES = 500


@require_safe
def agent_list(request: HttpRequest, project_id: str) -> HttpResponse:
    """The newest 200 agents, providers and tools of the project."""
    actor = actor_of(request)
    project = project_at(actor, project_id)
    listed = {
        "agents": agents_listed(actor, project.public_id),
        "providers": providers_listed(actor, project.public_id),
        "tools": tools_listed(actor, project.public_id),
    }
    context: dict[str, Any] = {name: list(rows[:MOST_LISTED]) for name, rows in listed.items()}
    context["agents"] = [{"agent": agent, "version": newest_version(agent)} for agent in context["agents"]]
    context |= {"project": project, "may_write": may(actor, project, Act.WRITE), "most": MOST_LISTED}
    return render(request, "evaluations/agent_list.html", context)


def _choices(actor: Any, project: Any) -> list[tuple[str, str]]:
    rows = providers_listed(actor, project.public_id)[:_MOST_CHOICES]
    return [(row.public_id, f"{row.name} ({row.default_model})") for row in rows]


@require_http_methods(["GET", "HEAD", "POST"])
def agent_new(request: HttpRequest, project_id: str) -> HttpResponse:
    """The form of a new agent."""
    actor = actor_of(request)
    project = project_at(actor, project_id, Act.WRITE)
    providers = _choices(actor, project)
    form = AgentForm(request.POST if request.method == "POST" else None, providers=providers)
    if form.is_bound and form.is_valid():
        try:
            made = agent_create(actor=actor, project=project, body=form.body())
        except Problem as problem:
            add_refusal(form, problem, field="name" if problem.code == "NAME_CONFLICT" else None)
        else:
            toast(request, f"Made “{made.name}”.")
            return redirect("agent", made.public_id)
    context = {"project": project, "form": form, "providers": providers, "may_write": True}
    return render(request, "evaluations/agent.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def agent(request: HttpRequest, agent_id: str) -> HttpResponse:
    """One agent in its form; saving what changes its answers makes a version."""
    actor = actor_of(request)
    posted = request.method == "POST"
    row = agent_for(actor, agent_id, Act.WRITE if posted else Act.READ)
    providers = _choices(actor, row.project)
    version = newest_version(row)
    if posted:
        form = AgentForm(request.POST, providers=providers)
    else:
        form = AgentForm(initial=agent_initial(row.name, version), providers=providers)
    if posted and form.is_valid():
        try:
            saved = agent_update(actor=actor, agent=row, changes=form.body())
        except Problem as problem:
            add_refusal(form, problem, field="name" if problem.code == "NAME_CONFLICT" else None)
        else:
            new = saved.version != version.number
            toast(request, f"Saved as version {saved.version}." if new else "Saved. No new version: it answers alike.")
            return redirect("agent", row.public_id)
    context = {
        "project": row.project,
        "agent": row,
        "version": version,
        "schema": json_text(version.output_schema),
        "form": form,
        "providers": providers,
        "may_write": may(actor, row.project, Act.WRITE),
        "may_run": may(actor, row.project, Act.RUN),
        "may_delete": may(actor, row.project, Act.DELETE),
        "evals": evals_asking(row),
    }
    return render(request, "evaluations/agent.html", context, status=422 if form.errors else 200)


@require_POST
def agent_remove(request: HttpRequest, agent_id: str) -> HttpResponse:
    """The list, without the agent."""
    actor = actor_of(request)
    row = agent_for(actor, agent_id, Act.DELETE)
    agent_delete(actor=actor, agent=row)
    toast(request, f"Deleted “{row.name}”. Runs keep what they froze of it.")
    return redirect("agent-list", row.project.public_id)


@require_http_methods(["GET", "HEAD", "POST"])
def agent_try(request: HttpRequest, agent_id: str) -> HttpResponse:
    """The form that asks the agent, and what it answered; nothing of it is stored."""
    actor = actor_of(request)
    row = agent_for(actor, agent_id, Act.RUN)
    form = QuestionForm(request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {
        "project": row.project,
        "agent": row,
        "form": form,
        "version": newest_version(row),
        "may_run": True,
    }
    if form.is_bound and form.is_valid():
        asked = [{"role": "user", "content": form.cleaned_data["message"]}]
        try:
            context["answer"] = _answer(agent_generate(actor=actor, agent=row, messages=asked))
        except ValidationFailed as problem:
            add_refusal(form, problem)
        except Problem as problem:
            context["refusal"] = refusal_shown(problem)
    return render(request, "evaluations/agent_try.html", context, status=422 if form.errors else 200)


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000


def _answer(given: Any) -> dict[str, Any]:
    generation = given.generation
    return {
        "version": given.version.number,
        "model": generation.model,
        "text": generation.text,
        "object": None if generation.object is ABSENT else json_text(generation.object) or "null",
        "finish_reason": generation.finish_reason,
        "usage": generation.usage,
        "total_s": _seconds(generation.timing["total_ms"]),
        "first_s": _seconds(generation.timing["ttft_ms"]),
        "attempts": generation.attempts,
    }
