"""The page about oneself: name, password, API keys."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts import queries, services
from accounts.actors import Actor, Role
from accounts.forms import KeyForm, NameForm, PasswordForm, add_problem
from accounts.permissions import actor_of, require
from foundation import times
from foundation.errors import Problem


def _page(
    request: HttpRequest,
    actor: Actor,
    *,
    status: int = 200,
    new_secret: str = "",
    **bound: forms.Form,
) -> HttpResponse:
    person = queries.person_of(actor)
    now = times.now()
    context: dict[str, Any] = {
        "person": person,
        "keys": [(key, key.expired(now)) for key in queries.own_keys(actor)],
        "new_secret": new_secret,
        "name_form": NameForm(initial={"name": person.name}, auto_id="name-%s"),
        "password_form": PasswordForm(auto_id="password-%s"),
        "key_form": KeyForm(highest=actor.role, auto_id="key-%s"),
        **bound,
    }
    return render(request, "accounts/account.html", context, status=status)


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """The page."""
    return _page(request, require(actor_of(request), Role.VIEWER))


@require_POST
def rename(request: HttpRequest) -> HttpResponse:
    """A new name."""
    actor = require(actor_of(request), Role.VIEWER)
    form = NameForm(request.POST, auto_id="name-%s")
    if form.is_valid():
        try:
            services.user_rename(actor=actor, user=queries.person_of(actor), name=form.cleaned_data["name"])
        except Problem as problem:
            add_problem(form, problem, field="name")
        else:
            messages.success(request, "Your name is saved.")
            return redirect("account")
    return _page(request, actor, status=422, name_form=form)


@sensitive_post_parameters()
@never_cache
@require_POST
def change_password(request: HttpRequest) -> HttpResponse:
    """A new password; this browser stays signed in, others do not."""
    actor = require(actor_of(request), Role.VIEWER)
    form = PasswordForm(request.POST, auto_id="password-%s")
    if form.is_valid():
        try:
            user = services.user_password_change(actor=actor, user=queries.person_of(actor), **form.cleaned_data)
        except Problem as problem:
            add_problem(form, problem)
        else:
            update_session_auth_hash(request, user)
            messages.success(request, "Your password is changed. Other browsers and login tokens are signed out.")
            return redirect("account")
    return _page(request, actor, status=422, password_form=form)


@never_cache
@require_POST
def create_key(request: HttpRequest) -> HttpResponse:
    """A new key. Its secret stands on this answer only: nothing keeps it, so there is no redirect."""
    actor = require(actor_of(request), Role.VIEWER)
    form = KeyForm(request.POST, highest=actor.role, auto_id="key-%s")
    if form.is_valid():
        try:
            _, secret = services.key_create(
                actor=actor,
                name=form.cleaned_data["name"],
                role=Role(form.cleaned_data["role"]),
                expires_at=form.expires_at(),
            )
        except Problem as problem:
            add_problem(form, problem)
        else:
            return _page(request, actor, status=201, new_secret=secret)
    return _page(request, actor, status=422, key_form=form)


@require_POST
def revoke_key(request: HttpRequest, key_id: str) -> HttpResponse:
    """The key stops working."""
    actor = require(actor_of(request), Role.VIEWER)
    key = queries.own_key(actor, key_id)
    services.key_revoke(actor=actor, key=key)
    messages.success(request, f'The API key "{key.name}" is revoked.')
    return redirect("account")
