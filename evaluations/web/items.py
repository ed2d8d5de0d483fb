"""One item of a dataset: edited in place, with what it was before; added, duplicated, deleted."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.permissions import actor_of
from evaluations.forms.fields import json_text
from evaluations.forms.items import ROLES, ItemDraft, draft_of, item_body, new_draft, read_draft, rearranged
from evaluations.item_documents import MEMBERS, ItemContent, item_from
from evaluations.permissions import Act, may
from evaluations.queries.datasets import dataset_for
from evaluations.queries.items import item_content, item_of, neighbours_of, revisions_of
from evaluations.services.items import changed_members, item_create, item_delete, item_update
from evaluations.web.datasets import one_line
from evaluations.web.paging import Paging, page_from
from foundation import times
from foundation.errors import Problem
from foundation.http.toasts import toast

_EDITS = 20
_WORDS = {
    "key": "Key",
    "input": "Messages",
    "expected_output": "Expected answer",
    "metadata": "Metadata",
    "expected": "Ground truth",
    "scorers": "Scorers",
}


@require_http_methods(["GET", "HEAD", "POST"])
def item(request: HttpRequest, dataset_id: str, item_id: str) -> HttpResponse:
    """An item in its form; for those who may not write, to read."""
    actor = actor_of(request)
    dataset = dataset_for(actor, dataset_id, Act.WRITE if request.method == "POST" else Act.READ)
    row = item_of(dataset, item_id)
    content, seen = item_content(row), times.iso(row.updated_at)
    context = _context(dataset, row, content) | {"may_write": may(actor, dataset.project, Act.WRITE)}
    if request.method != "POST":
        return render(request, "evaluations/item.html", context | {"draft": draft_of(content, seen)})
    draft = read_draft(request.POST.dict())
    if rearranged(draft, request.POST.get("act", "")):
        return render(request, "evaluations/item.html", context | {"draft": draft, "changed": True})
    body = item_body(draft, content)
    if body is not None and draft.seen != seen:
        draft.seen = seen
        context |= {"draft": draft, "changed": True, "conflict": _difference(item_from(body), content)}
        return render(request, "evaluations/item.html", context, status=409)
    if body is not None:
        try:
            item_update(actor=actor, dataset=dataset, item_id=item_id, body=body)
        except Problem as problem:
            draft.add_problem(problem)
        else:
            toast(request, "Saved. What it was before stands in its history.")
            return redirect("dataset-item", dataset.public_id, item_id)
    return render(request, "evaluations/item.html", context | {"draft": draft, "changed": True}, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
def item_new(request: HttpRequest, dataset_id: str) -> HttpResponse:
    """The form of an item that is not there yet."""
    actor = actor_of(request)
    dataset = dataset_for(actor, dataset_id, Act.WRITE)
    context: dict[str, Any] = {"dataset": dataset, "roles": ROLES, "may_write": True}
    if request.method != "POST":
        return render(request, "evaluations/item.html", context | {"draft": new_draft()})
    draft = read_draft(request.POST.dict())
    if rearranged(draft, request.POST.get("act", "")):
        return render(request, "evaluations/item.html", context | {"draft": draft, "changed": True})
    made = _created(request, dataset, draft)
    if made is not None:
        toast(request, "Added.", address=reverse("dataset-item-new", args=[dataset.public_id]), words="Add another")
        return redirect("dataset-item", dataset.public_id, made.public_id)
    return render(request, "evaluations/item.html", context | {"draft": draft, "changed": True}, status=422)


def _created(request: HttpRequest, dataset: Any, draft: ItemDraft) -> Any:
    """The new item, or None when the form shows why there is none."""
    body = item_body(draft)
    if body is None:
        return None
    try:
        return item_create(actor=actor_of(request), dataset=dataset, body=body)
    except Problem as problem:
        draft.add_problem(problem)
        return None


@require_POST
def item_duplicate(request: HttpRequest, dataset_id: str, item_id: str) -> HttpResponse:
    """A copy at the end of the dataset, without its key, opened."""
    actor = actor_of(request)
    dataset = dataset_for(actor, dataset_id, Act.WRITE)
    content = item_content(item_of(dataset, item_id))
    copy = item_create(actor=actor, dataset=dataset, body=content.as_document() | {"key": None})
    toast(request, "Duplicated. This is the copy; it has no key.")
    return redirect("dataset-item", dataset.public_id, copy.public_id)


@require_POST
def item_remove(request: HttpRequest, dataset_id: str, item_id: str) -> HttpResponse:
    """The dataset, without the item."""
    actor = actor_of(request)
    dataset = dataset_for(actor, dataset_id, Act.WRITE)
    item_delete(actor=actor, dataset=dataset, item_id=item_id)
    toast(request, "Deleted the item. Results of runs keep the copy that they froze.")
    return redirect("dataset", dataset.public_id)


@require_safe
def item_history(request: HttpRequest, dataset_id: str, item_id: str) -> HttpResponse:
    """The edits of an item, newest first, with what each changed, twenty a page."""
    dataset = dataset_for(actor_of(request), dataset_id)
    row = item_of(dataset, item_id)
    revisions, paging = revisions_of(row), Paging(request.GET, _EDITS)
    found = page_from(revisions, paging)
    # An edit lies between what an item was and what it became: that is what it was before the edit after it.
    after = item_content(row)
    for later in revisions[paging.offset - 1 : paging.offset] if paging.offset else ():
        after = item_from(later.content)
    edits = []
    for revision in found:
        before = item_from(revision.content)
        edits.append({"revision": revision, "changes": _difference(before, after)})
        after = before
    context = _context(dataset, row, item_content(row)) | {
        "edits": edits,
        "pages": paging.counted(len(found), revisions.count, "edits"),
    }
    return render(request, "evaluations/item_history.html", context)


def _context(dataset: Any, row: Any, content: ItemContent) -> dict[str, Any]:
    before, after = neighbours_of(row)
    return {
        "dataset": dataset,
        "item": row,
        "title": one_line(next((said["content"] for said in content.input if said["role"] == "user"), "")) or "Item",
        "roles": ROLES,
        "before": before,
        "after": after,
        "parts": [(_WORDS[name], _text(content, name)) for name in MEMBERS if name != "input" and _text(content, name)],
        "content": content,
        "item_address": reverse("dataset-item", args=[dataset.public_id, row.public_id]),
        "edits_address": reverse("dataset-item-history", args=[dataset.public_id, row.public_id]),
    }


def _difference(before: ItemContent, after: ItemContent) -> list[dict[str, str]]:
    """What changed, member by member, as texts to compare word by word."""
    return [
        {"words": _WORDS[name], "before": _text(before, name), "after": _text(after, name)}
        for name in changed_members(before, after)
    ]


def _text(content: ItemContent, name: str) -> str:
    value = getattr(content, name)
    if name == "input":
        return "\n\n".join(f"{message['role']}: {message['content']}" for message in value)
    if value is None or value == {}:
        return ""
    if name == "scorers":
        return "\n".join(value)
    return value if isinstance(value, str) else json_text(value)
