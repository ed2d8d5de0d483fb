"""The first page: how the profiles did lately, what failed most, what came in last."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.permissions import actor_of
from foundation.http.toasts import toast
from scoring.permissions import Act, may, permit
from scoring.queries import overview as figures
from scoring.queries.demo import demo_is_loaded
from scoring.services import demo


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """The figures; on a fresh instance, what to do first."""
    actor = permit(actor_of(request), Act.READ)
    newest = figures.newest_evaluations()
    context = {
        "newest": newest,
        "may_load_demo": may(actor, Act.WRITE_PROFILE),
        "base": request.build_absolute_uri("/").rstrip("/"),
    }
    if newest:
        failing, looked_at = figures.failing_most()
        context |= {
            "recent": figures.recent_by_profile(),
            "failing": failing,
            "looked_at": looked_at,
            "demo_loaded": demo_is_loaded(),
            "window_days": figures.WINDOW_DAYS,
            "newest_a_profile": figures.NEWEST_A_PROFILE,
            "most_profiles": figures.MOST_PROFILES,
        }
    return render(request, "scoring/overview.html", context)


@require_POST
def demo_load(request: HttpRequest) -> HttpResponse:
    """The demo's evaluations and profile, made."""
    count = demo.demo_load(actor=actor_of(request))
    words = f"Made {count} evaluations of the demo." if count else "The demo is here already."
    toast(request, words, address=reverse("overview"), words="Show")
    return redirect("overview")


@require_POST
def demo_remove(request: HttpRequest) -> HttpResponse:
    """The demo's evaluations and profile, gone; nothing else."""
    count = demo.demo_remove(actor=actor_of(request))
    toast(request, f"Removed {count} evaluations of the demo, and its profile.")
    return redirect("overview")
