"""The versions of a profile: the list, one of them, what differs between two, and restoring one."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.permissions import actor_of
from foundation.errors import ValidationFailed
from foundation.http.toasts import toast
from scoring.differences import differences
from scoring.permissions import Act, may, permit
from scoring.queries.profiles import profile_at, versions_page
from scoring.services.profiles import profile_restore
from scoring.web.profile_pages import change_rows, profile_tabs, read_page

_A_PAGE = 50


def _number(text: str, name: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise ValidationFailed.one(name, "invalid_parameter", "Must be the number of a version.")
    return int(text)


@require_GET
def version_list(request: HttpRequest, profile_id: str) -> HttpResponse:
    """The versions, newest first, with what each changed; `?before=` goes on from there."""
    actor = permit(actor_of(request), Act.READ)
    at = profile_at(profile_id)
    before = _number(request.GET.get("before", ""), "before")
    listed = versions_page(profile_id, before=before, limit=_A_PAGE)
    rows = [{"version": item.version, "changes": change_rows(item.changes)} for item in listed]
    context = {
        "profile": at,
        "rows": rows,
        "older": listed[-1].version.number if listed and listed[-1].version.number > 1 else None,
        "before": before,
        "tabs": profile_tabs(at, "versions"),
        "may_restore": may(actor, Act.WRITE_PROFILE) and not at.row.built_in,
        "may_write": may(actor, Act.WRITE_PROFILE),
    }
    return render(request, "scoring/profile_versions.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def version(request: HttpRequest, profile_id: str, number: int) -> HttpResponse:
    """One version to read, also of a profile that was deleted: evaluations made with it point here."""
    actor = permit(actor_of(request), Act.READ)
    at = profile_at(profile_id, number, deleted=True)
    gone = at.row.deleted_at is not None
    may_restore = may(actor, Act.WRITE_PROFILE) and not at.row.built_in and not at.is_newest and not gone
    return read_page(request, actor, at, one_version=True, gone=gone, may_restore=may_restore, tabs=[])


@require_GET
def difference(request: HttpRequest, profile_id: str) -> HttpResponse:
    """What differs between two versions, in words; the newest and the one before it unless said otherwise."""
    permit(actor_of(request), Act.READ)
    newest = profile_at(profile_id)
    last = newest.row.version
    after = _number(request.GET.get("to", ""), "to") or last
    before = _number(request.GET.get("from", ""), "from") or max(1, after - 1)
    old, new = profile_at(profile_id, before), profile_at(profile_id, after)
    context = {
        "profile": newest,
        "old": old,
        "new": new,
        "changes": change_rows(differences(old.version.document, new.version.document)),
        "tabs": profile_tabs(newest, "versions"),
    }
    return render(request, "scoring/profile_difference.html", context)


@require_POST
def restore(request: HttpRequest, profile_id: str, number: int) -> HttpResponse:
    """The profile with the content of a past version, as its newest."""
    if_match = _number(request.POST.get("current", ""), "current")
    restored = profile_restore(actor=actor_of(request), profile_id=profile_id, number=number, if_match=if_match)
    toast(request, f"Restored version {number} as version {restored.version.number}.")
    return redirect("profile", restored.row.pk)
