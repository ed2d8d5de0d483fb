"""Importing a file of items: a preview with every fault at its row and column, then all of it or nothing."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.permissions import actor_of
from evaluations.forms.imports import ImportForm, column_rows, read_form
from evaluations.importers import ImportOptions
from evaluations.permissions import Act
from evaluations.queries.datasets import dataset_for
from evaluations.services.item_imports import ImportReport, items_import
from evaluations.web.datasets import one_line
from foundation.errors import ValidationFailed
from foundation.http.toasts import toast
from scoring.kit.json_shown import shown

_FORMATS = (("", "As its name or beginning says"), ("csv", "CSV"), ("json", "JSON list"), ("jsonl", "JSON Lines"))
_MODES = (("append", "Add every row"), ("upsert", "Change items by key, add the others"))
_MOST_SHOWN = 120


@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest, dataset_id: str) -> HttpResponse:
    """The form; sent with `act=preview` what would happen, with `act=import` the dataset with the items."""
    actor = actor_of(request)
    dataset = dataset_for(actor, dataset_id, Act.WRITE)
    posted = request.POST.dict()
    context: dict[str, Any] = {"dataset": dataset, **_form_context(posted)}
    if request.method != "POST":
        return render(request, "evaluations/import.html", context)
    fragment = bool(getattr(request, "htmx", False))
    template = "evaluations/import_preview.html" if fragment else "evaluations/import.html"
    refusal = ""
    try:
        form = read_form(posted, request.FILES.get("file"))
        if posted.get("act") == "import":
            try:
                report = items_import(
                    actor=actor, dataset=dataset, stream=form.stream, options=form.options(preview=False)
                )
            except ValidationFailed as problem:
                refusal = f"{problem.message}"
            else:
                toast(request, _told(report))
                return redirect("dataset", dataset.public_id)
        report, options = _previewed(actor, dataset, form)
    except ValidationFailed as problem:
        return render(request, template, context | {"fault": problem.fields[0].message}, status=422)
    context |= _preview_context(report, options, refusal)
    if not fragment:
        context |= {"carried": form.carried, "carried_name": form.name, "again": bool(form.name and not form.carried)}
    return render(request, template, context, status=422 if refusal else 200)


def _previewed(actor: Any, dataset: Any, form: ImportForm) -> tuple[ImportReport, ImportOptions]:
    """What the import would do; columns chosen for another file before are forgotten."""
    options = form.options(preview=True)
    report = items_import(actor=actor, dataset=dataset, stream=form.stream, options=options)
    if any(fault.code == "unknown_column" for fault in report.faults):
        options = form.options(preview=True, mapped=False)
        report = items_import(actor=actor, dataset=dataset, stream=form.stream, options=options)
    return report, options


def _form_context(posted: Mapping[str, str]) -> dict[str, Any]:
    return {
        "text": posted.get("text", ""),
        "format": posted.get("format", ""),
        "mode": posted.get("mode", "append"),
        "trim": "trim" in posted,
        "allow_duplicates": "allow_duplicates" in posted,
        "formats": [{"value": value, "label": label} for value, label in _FORMATS],
        "modes": [{"value": value, "label": label} for value, label in _MODES],
    }


def _preview_context(report: ImportReport, options: ImportOptions, refusal: str) -> dict[str, Any]:
    only_copies = options.mode == "append" and report.row_count and report.duplicates == report.row_count
    return {
        "report": report,
        "refusal": refusal,
        "read_as": dict(_FORMATS)[options.format],
        "columns": column_rows(report.columns),
        "rows": [_row(row) for row in report.shown],
        "faults": report.faults,
        "more_faults": report.fault_count - len(report.faults),
        "writes": report.added + report.changed,
        "only_copies": only_copies and not options.allow_duplicates,
        "may_import": not report.fault_count
        and report.row_count
        and not (only_copies and not options.allow_duplicates),
    }


def _row(row: Any) -> dict[str, Any]:
    content = row.content
    if content is None:
        return {"line": row.line, "faults": row.faults}
    asked = next((said["content"] for said in content.input if said["role"] == "user"), content.input[0]["content"])
    answer = content.expected_output
    return {
        "line": row.line,
        "key": content.key or "",
        "question": one_line(asked) or "(empty)",
        "expected": ""
        if answer is None
        else one_line(answer)
        if isinstance(answer, str)
        else shown(answer, _MOST_SHOWN),
        "metadata": shown(content.metadata, _MOST_SHOWN) if content.metadata else "",
    }


def _told(report: ImportReport) -> str:
    counts = ((report.added, "added"), (report.changed, "changed"), (report.unchanged, "unchanged"))
    told = [f"{count:,} {word}" for count, word in counts if count]
    return f"Imported {report.row_count:,} rows: {', '.join(told)}."
