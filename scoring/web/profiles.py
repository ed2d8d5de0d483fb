"""The list of profiles, and what is done with one as a whole: duplicate, delete, import, export."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.permissions import actor_of
from foundation import exact_json, strict_json
from foundation.errors import FieldError, Problem, ValidationFailed
from foundation.http.toasts import toast
from foundation.text import unstorable_reason
from scoring.composites import METHOD_WORDS
from scoring.forms.profile_form import check_draft, draft_of
from scoring.permissions import Act, may, permit
from scoring.queries.documents import profile_document
from scoring.queries.profiles import ProfileAt, Use, profile_at, profile_uses, profiles_listed
from scoring.services.profiles import profile_delete, profile_duplicate, profile_import

MAX_IMPORT = 1024 * 1024
_LONGEST_SEARCH = 200
_UNUSED = Use(0, 0, 0, None)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list."""

    profile: ProfileAt
    use: Use

    @property
    def method(self) -> str:
        """How its scores become one, in words."""
        return METHOD_WORDS[self.profile.content.composite_method]


_SORTS: Mapping[str, Callable[[Row], Any]] = {
    "name": lambda row: row.profile.row.name_key,
    "method": lambda row: row.method,
    "scorers": lambda row: len(row.profile.content.scorers),
    "threshold": lambda row: row.profile.content.pass_threshold or 0,
    "evaluations": lambda row: row.use.evaluations,
    "mean": lambda row: -1 if row.use.mean is None else row.use.mean,
    "updated": lambda row: row.profile.version.created_at,
}


@require_GET
def profile_list(request: HttpRequest) -> HttpResponse:
    """Every profile with its use in the last 30 days; `?q=` searches, `?sort=` sorts."""
    actor = permit(actor_of(request), Act.READ)
    search, sort = request.GET.get("q", "").strip()[:_LONGEST_SEARCH], request.GET.get("sort", "")
    uses = profile_uses()
    found = [] if unstorable_reason(search) else profiles_listed(search)
    rows = [Row(profile, uses.get(profile.row.pk, _UNUSED)) for profile in found]
    key = _SORTS.get(sort.removeprefix("-"))
    if key is not None:
        rows.sort(key=key, reverse=sort.startswith("-"))
    context = {
        "rows": rows,
        "search": search,
        "sort": sort if key else "",
        "may_write": may(actor, Act.WRITE_PROFILE),
    }
    return render(request, "scoring/profile_list.html", context)


@require_POST
def duplicate(request: HttpRequest, profile_id: str) -> HttpResponse:
    """A copy of the profile, or of the version that `version` names, opened in the editor."""
    number = request.POST.get("version", "")
    version = int(number) if number.isascii() and number.isdigit() and len(number) <= 9 else None
    copy = profile_duplicate(actor=actor_of(request), profile_id=profile_id, number=version)
    toast(request, f"Duplicated as “{copy.content.name}”.")
    return redirect("profile", copy.row.pk)


@require_POST
def delete(request: HttpRequest, profile_id: str) -> HttpResponse:
    """The list, without the profile."""
    at = profile_at(profile_id)
    profile_delete(actor=actor_of(request), profile_id=profile_id)
    toast(request, f"Deleted “{at.content.name}”. The evaluations made with it stay.")
    return redirect("profile-list")


@require_GET
def export(request: HttpRequest, profile_id: str) -> HttpResponse:
    """The profile as the API answers it, as a file; `?version=` exports one as it was."""
    permit(actor_of(request), Act.READ)
    number = request.GET.get("version", "")
    at = profile_at(profile_id, int(number) if number.isascii() and number.isdigit() and len(number) <= 9 else None)
    body = exact_json.dumps(profile_document(at), indent=2) + "\n"
    name = slugify(at.content.name)[:80] or at.row.pk
    return HttpResponse(
        body.encode(),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}-v{at.version.number}.json"'},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """The form that takes an exported profile, as a file or as text."""
    actor = permit(actor_of(request), Act.WRITE_PROFILE)
    if request.method != "POST":
        return render(request, "scoring/profile_import.html", {"text": "", "faults": []})
    text = request.POST.get("document", "")
    try:
        data = _sent(request, text)
        imported = profile_import(actor=actor, body=strict_json.loads(data))
    except Problem as problem:
        if isinstance(problem, ValidationFailed):
            faults = problem.fields
        else:
            faults = (FieldError("", problem.code, problem.message.replace("The body", "The document")),)
        context = {"text": text, "faults": faults}
        return render(request, "scoring/profile_import.html", context, status=422)
    _tell(request, imported)
    return redirect("profile", imported.row.pk)


def _sent(request: HttpRequest, text: str) -> bytes | str:
    file = request.FILES.get("file")
    if file is None:
        if not text.strip():
            raise ValidationFailed.one("", "missing", "Choose a file, or paste the document.")
        data: bytes | str = text
    elif (file.size or 0) > MAX_IMPORT:
        raise ValidationFailed.one("", "too_large", f"The file must have at most 1 MB; this has {file.size:,} bytes.")
    else:
        data = file.read().removeprefix(b"\xef\xbb\xbf")
    if len(data.encode() if isinstance(data, str) else data) > MAX_IMPORT:
        raise ValidationFailed.one("", "too_large", "The document must have at most 1 MB.")
    return data


def _tell(request: HttpRequest, imported: ProfileAt) -> None:
    """What was imported, and which of its scorers cannot run as they are."""
    faults = check_draft(draft_of(imported.content.as_document())).faults
    failing = {fault.path.split(".")[1] for fault in faults if fault.path.startswith("scorers.")}
    if not failing:
        toast(request, f"Imported “{imported.content.name}”.")
        return
    names = [scorer.name for index, scorer in enumerate(imported.content.scorers) if str(index) in failing]
    which = ", ".join(f"“{name[:60]}”" for name in names[:3]) + (
        f" and {len(names) - 3} more" if len(names) > 3 else ""
    )
    words = "scorer cannot run" if len(names) == 1 else "scorers cannot run"
    toast(request, f"Imported “{imported.content.name}”. {len(names)} {words} as they are: {which}.", level=30)
