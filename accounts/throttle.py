"""Failed sign-ins, counted per name and address by django-axes, and what is answered beyond the limit."""

from datetime import timedelta
from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_cool_off, get_failure_limit
from axes.models import AccessAttempt
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.addresses import attempt_address
from foundation import times
from foundation.errors import RateLimited
from foundation.http.pages import problem_page


def _refusal(request: HttpRequest, username: str) -> RateLimited:
    cool_off = get_cool_off(request) or timedelta(minutes=15)
    attempts = AccessAttempt.objects.filter(username=username, ip_address=attempt_address(request))
    last = attempts.order_by("-attempt_time").values_list("attempt_time", flat=True).first() or times.now()
    seconds = max(1, int((last + cool_off - times.now()).total_seconds()))
    minutes = -(-seconds // 60)
    return RateLimited(
        "Too many failed sign-ins with this name from this address.",
        hint=f"Wait {minutes} minute{'' if minutes == 1 else 's'}, then try again.",
        headers={"Retry-After": str(seconds)},
    )


def refuse_when_locked(request: HttpRequest, username: str) -> None:
    """Raise RateLimited when this name may not be tried from this address now."""
    if not AxesProxyHandler.is_allowed(request, {"username": username}):
        raise _refusal(request, username)


def refuse_when_beyond(request: HttpRequest, username: str) -> None:
    """Raise RateLimited when the try that just failed was one more than allowed.

    The last allowed one is still answered as a wrong password; django-axes on its own would
    refuse it already.
    """
    failures = getattr(request, "axes_failures_since_start", None)
    limit = get_failure_limit(request, {"username": username})
    request.axes_locked_out = False  # type: ignore[attr-defined]
    if failures is None or failures > limit:
        raise _refusal(request, username)


def forget(request: HttpRequest, username: str) -> None:
    """A right password wipes the failures of this name and address."""
    AxesProxyHandler.reset_attempts(ip_address=attempt_address(request), username=username)


def lockout_answer(
    request: HttpRequest, _response: HttpResponseBase | None, credentials: Any = None
) -> HttpResponseBase:
    """What django-axes answers by itself when its limit is reached elsewhere (the admin site)."""
    username = (credentials or {}).get("username") or request.POST.get("username", "")
    return problem_page(request, _refusal(request, username))
