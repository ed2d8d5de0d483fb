"""The versions of an agent: the list, what one changed word by word, and restoring one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.permissions import actor_of
from evaluations.forms.agents import version_texts
from evaluations.permissions import Act, may
from evaluations.queries.agents import agent_for, version_of, versions_of
from evaluations.services.agents import CONTENT, agent_restore
from foundation.http.toasts import toast

_A_PAGE = 50
_SHORT = 100


@require_safe
def version_list(request: HttpRequest, agent_id: str) -> HttpResponse:
    """The versions, newest first, with what each changed; `?before=` goes on from there."""
    actor = actor_of(request)
    row = agent_for(actor, agent_id)
    before = request.GET.get("before", "")
    versions = versions_of(row)
    if before.isascii() and before.isdigit() and len(before) <= 9:
        versions = versions.filter(number__lt=int(before))
    found = list(versions[: _A_PAGE + 1])
    context = {
        "agent": row,
        "project": row.project,
        "versions": found[:_A_PAGE],
        "older": found[_A_PAGE - 1].number if len(found) > _A_PAGE else None,
        "before": before,
        "may_write": may(actor, row.project, Act.WRITE),
        "may_run": may(actor, row.project, Act.RUN),
    }
    return render(request, "evaluations/agent_versions.html", context)


@require_safe
def version(request: HttpRequest, agent_id: str, number: int) -> HttpResponse:
    """One version: what it holds, and what differs from the one before."""
    actor = actor_of(request)
    row = agent_for(actor, agent_id)
    shown = version_of(row, number)
    texts = version_texts(shown, CONTENT)
    before = version_texts(version_of(row, number - 1), CONTENT) if number > 1 else {}
    changes = [
        {"words": words, "before": before[words], "after": text}
        for words, text in texts.items()
        if before and before[words] != text
    ]
    context = {
        "agent": row,
        "project": row.project,
        "version": shown,
        "pairs": [(words, text) for words, text in texts.items() if text and _is_short(text)],
        "texts": [(words, text) for words, text in texts.items() if text and not _is_short(text)],
        "changes": changes,
        "may_restore": may(actor, row.project, Act.WRITE) and number != row.version,
        "may_run": may(actor, row.project, Act.RUN),
    }
    return render(request, "evaluations/agent_version.html", context)


def _is_short(text: str) -> bool:
    return len(text) <= _SHORT and "\n" not in text


@require_POST
def restore(request: HttpRequest, agent_id: str, number: int) -> HttpResponse:
    """The agent with the content of that version, as its newest."""
    actor = actor_of(request)
    row = agent_for(actor, agent_id, Act.WRITE)
    saved = agent_restore(actor=actor, agent=row, version=version_of(row, number))
    same = saved.version == row.version
    toast(request, "It has this content already." if same else f"Restored as version {saved.version}.")
    return redirect("agent", row.public_id)
