"""The sign-in page, and signing out."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import services
from accounts.forms import SignInForm, add_problem
from accounts.permissions import actor_of
from foundation.errors import Problem


def _destination(request: HttpRequest) -> str:
    """Where the person wanted to go, when that is a page of this site; else the first page."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    inside = wanted.startswith("/") and url_has_allowed_host_and_scheme(wanted, None)
    return wanted if inside else resolve_url(settings.LOGIN_REDIRECT_URL)


@sensitive_post_parameters("password")
@never_cache
@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """The form; or, once it is filled in rightly, the page the person wanted."""
    destination = _destination(request)
    if request.method != "POST":
        actor = actor_of(request)
        if actor is not None and actor.via == "session":
            return HttpResponseRedirect(destination)
        return render(request, "accounts/sign_in.html", {"form": SignInForm(), "next": destination})
    form = SignInForm(request.POST)
    status, wait = 422, ""
    if form.is_valid():
        try:
            services.session_start(request=request, **form.cleaned_data)
        except Problem as problem:
            add_problem(form, problem)
            form.add_error(None, problem.hint)
            status, wait = problem.status, problem.headers.get("Retry-After", "")
        else:
            return HttpResponseRedirect(destination)
    context = {"form": form, "next": destination}
    response = render(request, "accounts/sign_in.html", context, status=status)
    if wait:
        response["Retry-After"] = wait
    return response


@login_not_required
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """The session ends; in local mode there is none, and nothing happens."""
    actor = actor_of(request)
    if actor is not None and actor.via == "session":
        services.session_end(request=request, actor=actor)
    return redirect("sign-in")
