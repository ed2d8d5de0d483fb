"""The owners' page about what was done."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts import queries
from accounts.actors import Role
from accounts.forms import AuditFilterForm
from accounts.permissions import actor_of, require
from foundation.errors import FieldError, ValidationFailed


@require_safe
def audit(request: HttpRequest) -> HttpResponse:
    """The audit log, newest first, narrowed to what the address says."""
    require(actor_of(request), Role.OWNER)
    form = AuditFilterForm(request.GET)
    if not form.is_valid():
        faults = [FieldError(name, "invalid", str(messages[0])) for name, messages in form.errors.items()]
        raise ValidationFailed(faults)
    narrowed = {name: value for name, value in form.cleaned_data.items() if value}
    chips = [
        {
            "words": f"{form[name].label}: {value}",
            "remove": "?" + urlencode({other: kept for other, kept in narrowed.items() if other != name}),
        }
        for name, value in narrowed.items()
    ]
    page = queries.audit_page(
        actor=form.cleaned_data["actor"],
        action=form.cleaned_data["action"],
        object_id=form.cleaned_data["object"],
        cursor=request.GET.get("cursor", ""),
    )
    context = {
        "form": form,
        "chips": chips,
        "entries": page.entries,
        "older": "?" + urlencode({**narrowed, "cursor": page.older}) if page.older else "",
        "newest": "?" + urlencode(narrowed) if "cursor" in request.GET else "",
    }
    return render(request, "accounts/audit.html", context)
