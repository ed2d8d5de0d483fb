"""The datasets of a project, and one of them: its items, and how they divide."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.forms import add_problem
from accounts.permissions import actor_of
from evaluations.forms.datasets import DatasetForm
from evaluations.permissions import Act, may
from evaluations.queries.datasets import Kinds, dataset_for, datasets_listed, evals_of, item_count, kinds_of
from evaluations.queries.items import LONGEST_FILTER, METADATA_PREFIX, items_of
from evaluations.queries.projects import project_at
from evaluations.services.datasets import dataset_create, dataset_delete, dataset_update
from evaluations.web.paging import Paging, page_from
from foundation.errors import Problem, ValidationFailed
from foundation.figures import count_text
from foundation.http.toasts import toast
from foundation.text import unstorable_reason
from scoring.kit.json_shown import shown

A_PAGE = 50
_DEFAULT_KEY = "kind"
_MOST_BARS = 12
_MOST_SHOWN = 120
_FILTERS = ("q", "by", "kind", "offset")


def address(given: Mapping[str, str], **changes: str) -> str:
    """`?…` with some parameters changed; those that are empty are left out."""
    return "?" + urlencode({name: value for name, value in {**given, **changes}.items() if value})


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_list(request: HttpRequest, project_id: str) -> HttpResponse:
    """The datasets of a project, and the form that makes another."""
    actor = actor_of(request)
    project = project_at(actor, project_id, Act.WRITE if request.method == "POST" else Act.READ)
    form = DatasetForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = dataset_create(actor=actor, project=project, **form.cleaned_data)
        except Problem as problem:
            add_problem(form, problem, field="name")
        else:
            toast(request, f"Made “{made.name}”. Now its items: import a file, or add them one by one.")
            return redirect("dataset", made.public_id)
    found, paging = datasets_listed(actor, project.public_id), Paging(request.GET, A_PAGE)
    rows = page_from(found, paging)
    context = {
        "project": project,
        "rows": rows,
        "pages": paging.counted(len(rows), found.count),
        "form": form,
        "may_write": may(actor, project, Act.WRITE),
    }
    return render(request, "evaluations/dataset_list.html", context, status=422 if form.errors else 200)


@require_safe
def dataset(request: HttpRequest, dataset_id: str) -> HttpResponse:
    """One page of the items that the address means, in their order, and the kinds of all of them."""
    actor = actor_of(request)
    row = dataset_for(actor, dataset_id)
    given = {name: value for name, value in request.GET.dict().items() if name in _FILTERS}
    if any(value == "" for value in given.values()):
        # A form sends its empty fields too; the address without them is the one to pass on.
        return redirect(reverse("dataset", args=[row.public_id]) + address(given))
    by = given.get("by", _DEFAULT_KEY)[:LONGEST_FILTER]
    context: dict[str, Any] = {
        "dataset": row,
        "given": given,
        "by": by,
        "chips": _chips(given, by),
        "may_write": may(actor, row.project, Act.WRITE),
        "export": reverse("api-items-export", args=[row.public_id]),
    }
    try:
        _check_key(by)
        found = items_of(row, _wanted(given, by))
        kinds = kinds_of(row, by)
    except ValidationFailed as refusal:
        faults = [fault.message for fault in refusal.fields]
        return render(request, "evaluations/dataset.html", {**context, "faults": faults}, status=422)
    filtered, paging = bool(_wanted(given, by)), Paging(request.GET, A_PAGE)
    rows = page_from(found, paging)
    pages = paging.counted(len(rows), found.count if filtered else lambda: kinds.total, "items")
    one = pages.total == 1
    words = "1 item" if one else pages.words
    if filtered:
        words += f" that match{'es' if one else ''}; {count_text(kinds.total)} in all"
    bars = _bars(kinds, given)
    context |= {
        "rows": [_row(item, by) for item in rows],
        "kinds": kinds,
        "bars": bars[:_MOST_BARS],
        "more_bars": bars[_MOST_BARS:],
        "choices": _choices(kinds, given),
        "keys": sorted({name for item in rows for name, value in item.metadata.items() if isinstance(value, str)}),
        "pages": pages,
        "words": words,
    }
    return render(request, "evaluations/dataset.html", context)


def _check_key(by: str) -> None:
    reason = unstorable_reason(by)
    if reason:
        raise ValidationFailed.one("by", "unstorable_text", f"This {reason}.")


def _wanted(given: Mapping[str, str], by: str) -> dict[str, str]:
    wanted = {"q": given["q"]} if "q" in given else {}
    return wanted | ({f"{METADATA_PREFIX}{by}": given["kind"]} if "kind" in given else {})


def _chips(given: Mapping[str, str], by: str) -> list[dict[str, str]]:
    words = {"q": "Text: “{}”", "kind": f"{by}: {{}}"}
    rest = {name: value for name, value in given.items() if name != "offset"}
    return [
        {"words": words[name].replace("{}", given[name]), "remove": address(rest, **{name: ""})}
        for name in words
        if name in given
    ]


def _row(item: Any, by: str) -> dict[str, Any]:
    asked = next((message["content"] for message in item.input if message["role"] == "user"), item.input[0]["content"])
    kind = item.metadata.get(by)
    return {
        "item": item,
        "question": one_line(asked) or "(empty)",
        "messages": len(item.input),
        "kind": kind if isinstance(kind, str) else "",
        "expected": _expected(item),
    }


def _expected(item: Any) -> str:
    if item.expected_output is not None:
        answer = item.expected_output
        return one_line(answer) if isinstance(answer, str) else shown(answer, _MOST_SHOWN)
    return "" if item.expected is None else shown(item.expected, _MOST_SHOWN)


def one_line(text: str) -> str:
    """The first line of `text` that says something, at most 120 characters of it."""
    line = next((line.strip() for line in text[:10_000].splitlines() if line.strip()), "")
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN - 1]}…"


def _bars(kinds: Kinds, given: Mapping[str, str]) -> list[dict[str, Any]]:
    """The kinds, most frequent first, each as long as its share of the largest, and its filter's address."""
    most = max(kinds.counts.values(), default=1)
    rest = {name: value for name, value in given.items() if name != "offset"}
    return [
        {
            "value": value,
            "count": count,
            "share": count / kinds.total,
            "length": f"{100 * count / most:.2f}%",
            "address": address(rest, kind=value),
            "current": given.get("kind") == value,
        }
        for value, count in sorted(kinds.counts.items(), key=lambda pair: (-pair[1], pair[0]))
        if value
    ]


def _choices(kinds: Kinds, given: Mapping[str, str]) -> list[dict[str, str]]:
    asked = given.get("kind", "")
    values = [value for value in kinds.counts if value]
    if asked and asked not in kinds.counts:
        values.append(asked)
    return [{"value": "", "label": "Any"}, *({"value": value, "label": one_line(value) or value} for value in values)]


@require_http_methods(["GET", "HEAD", "POST"])
def dataset_edit(request: HttpRequest, dataset_id: str) -> HttpResponse:
    """The form of the dataset's name and description; deleting it stands there too."""
    actor = actor_of(request)
    row = dataset_for(actor, dataset_id, Act.WRITE)
    posted = request.method == "POST"
    shown_first = {"name": row.name, "description": row.description}
    form = DatasetForm(request.POST) if posted else DatasetForm(initial=shown_first)
    if posted and form.is_valid():
        try:
            dataset_update(actor=actor, dataset=row, changes=form.cleaned_data)
        except Problem as problem:
            add_problem(form, problem, field="name")
            row = dataset_for(actor, dataset_id, Act.WRITE)
        else:
            toast(request, "Saved.")
            return redirect("dataset", row.public_id)
    names = list(evals_of(row).values_list("name", flat=True)[:100])
    context = {
        "dataset": row,
        "form": form,
        "evals": names,
        "item_count": item_count(row),
        "deletion": [{"name": "evals", "value": len(names)}],
        "may_delete": may(actor, row.project, Act.DELETE),
    }
    return render(request, "evaluations/dataset_edit.html", context, status=422 if form.errors else 200)


@require_POST
def dataset_remove(request: HttpRequest, dataset_id: str) -> HttpResponse:
    """The project's datasets, without this one. `evals` is how many the person was told that go with it."""
    actor = actor_of(request)
    row = dataset_for(actor, dataset_id, Act.DELETE)
    told = request.POST.get("evals", "")
    force = told not in {"", "0"} and told == str(evals_of(row)[:100].count())
    dataset_delete(actor=actor, dataset=row, force=force)
    toast(request, f"Deleted “{row.name}”.")
    return redirect("dataset-list", row.project.public_id)
