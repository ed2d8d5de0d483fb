"""The owners' page about everybody."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import queries, services
from accounts.actors import Role
from accounts.forms import PasswordResetForm, PersonForm, RoleForm, add_problem
from accounts.permissions import actor_of, require
from foundation.errors import Problem


def _page(request: HttpRequest, *, status: int = 200, form: PersonForm | None = None) -> HttpResponse:
    context = {"people": queries.people(), "roles": Role.choices(), "form": form or PersonForm()}
    return render(request, "accounts/people.html", context, status=status)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def people(request: HttpRequest) -> HttpResponse:
    """Everybody, and the form that adds somebody."""
    actor = require(actor_of(request), Role.OWNER)
    if request.method != "POST":
        return _page(request)
    form = PersonForm(request.POST)
    if form.is_valid():
        data = {**form.cleaned_data, "role": Role(form.cleaned_data["role"])}
        try:
            user = services.user_create(actor=actor, **data)
        except Problem as problem:
            add_problem(form, problem, field="username")
        else:
            messages.success(request, f"{user.username} can sign in now.")
            return redirect("people")
    return _page(request, status=422, form=form)


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def person(request: HttpRequest, user_id: str) -> HttpResponse:
    """One person, and the form that gives them a new password."""
    actor = require(actor_of(request), Role.OWNER)
    somebody = queries.person(user_id)
    form = PasswordResetForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.user_password_reset(actor=actor, user=somebody, password=form.cleaned_data["password"])
        except Problem as problem:
            add_problem(form, problem)
        else:
            messages.success(request, f"{somebody.username} has a new password.")
            return redirect("person", user_id=somebody.public_id)
    context = {"person": somebody, "form": form, "roles": Role.choices()}
    return render(request, "accounts/person.html", context, status=422 if form.errors else 200)


@require_POST
def change_role(request: HttpRequest, user_id: str) -> HttpResponse:
    """A new role for somebody."""
    actor = require(actor_of(request), Role.OWNER)
    form = RoleForm(request.POST)
    somebody = queries.person(user_id)
    if not form.is_valid():
        messages.error(request, "Choose one of the four roles.")
        return redirect("people")
    user = services.user_role_change(actor=actor, user=somebody, role=Role(form.cleaned_data["role"]))
    messages.success(request, f"{user.username} has the role {user.role} now.")
    return redirect("people")


@require_POST
def deactivate(request: HttpRequest, user_id: str) -> HttpResponse:
    """Somebody cannot sign in any more."""
    actor = require(actor_of(request), Role.OWNER)
    user = services.user_deactivate(actor=actor, user=queries.person(user_id))
    messages.success(request, f"{user.username} is deactivated; their sessions, tokens and keys stopped.")
    return redirect("people")


@require_POST
def activate(request: HttpRequest, user_id: str) -> HttpResponse:
    """Somebody can sign in again."""
    actor = require(actor_of(request), Role.OWNER)
    user = services.user_activate(actor=actor, user=queries.person(user_id))
    messages.success(request, f"{user.username} can sign in again.")
    return redirect("people")
