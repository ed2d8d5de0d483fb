"""The forms of the pages about people. What is allowed is decided by the services."""

from datetime import datetime, timedelta
from typing import Any

from django import forms

from accounts.actors import Role
from accounts.services.keys import NAME_LENGTH as KEY_NAME_LENGTH
from accounts.services.people import NAME_LENGTH, USERNAME_LENGTH
from foundation import times
from foundation.errors import Problem, ValidationFailed

_PASSWORD_LENGTH = 512
_EXPIRIES = (("never", "never"), ("7", "in 7 days"), ("30", "in 30 days"), ("90", "in 90 days"), ("365", "in a year"))


def add_problem(form: forms.Form, problem: Problem, *, field: str | None = None) -> None:
    """Put a service's refusal beside the fields it names; else at `field`, else above the form."""
    if isinstance(problem, ValidationFailed):
        for fault in problem.fields:
            form.add_error(fault.path if fault.path in form.fields else None, fault.message)
    else:
        form.add_error(field, problem.message)


def _password(label: str, autocomplete: str, **options: Any) -> forms.CharField:
    widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
    return forms.CharField(label=label, max_length=_PASSWORD_LENGTH, strip=False, widget=widget, **options)


class SignInForm(forms.Form):
    """A name and a password."""

    username = forms.CharField(
        label="Username",
        max_length=USERNAME_LENGTH,
        widget=forms.TextInput(
            attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false", "autofocus": True}
        ),
    )
    password = _password("Password", "current-password")


class NameForm(forms.Form):
    """The name that others see."""

    name = forms.CharField(
        label="Name",
        max_length=NAME_LENGTH,
        required=False,
        help_text="What others see beside your changes. Empty: your username.",
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class PasswordForm(forms.Form):
    """One's own password: the present one and the next."""

    current = _password("Present password", "current-password")
    new = _password(
        "New password",
        "new-password",
        help_text="At least 8 characters, not a common one. Other browsers and login tokens are signed out.",
    )


class KeyForm(forms.Form):
    """A new API key."""

    name = forms.CharField(
        label="Name",
        max_length=KEY_NAME_LENGTH,
        help_text="What it is for, such as the program that will use it.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(label="Role")
    expires = forms.ChoiceField(label="Expires", choices=_EXPIRIES, initial="90")

    def __init__(self, *args: Any, highest: Role, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - tells the type checker
        field.choices = [(role.value, role.value.capitalize()) for role in Role.up_to(highest)]
        field.initial = min(Role.EDITOR, highest).value
        field.help_text = f"What the key may do; at most your own role, {highest}."

    def expires_at(self) -> datetime | None:
        """The moment chosen, or None for never."""
        days = self.cleaned_data["expires"]
        return times.now() + timedelta(days=int(days)) if days != "never" else None


class PersonForm(forms.Form):
    """A new person."""

    username = forms.CharField(
        label="Username",
        max_length=USERNAME_LENGTH,
        help_text="Letters, digits and @ . + - _",
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    name = forms.CharField(
        label="Name", max_length=NAME_LENGTH, required=False, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(label="Role", choices=Role.choices(), initial=Role.VIEWER.value)
    password = _password(
        "First password", "new-password", help_text="Tell it to them; they can change it on their Account page."
    )


class RoleForm(forms.Form):
    """A role for somebody."""

    role = forms.ChoiceField(label="Role", choices=Role.choices())


class PasswordResetForm(forms.Form):
    """A password that an owner gives somebody."""

    password = _password(
        "New password", "new-password", help_text="Tell it to them. Their sessions and login tokens end now."
    )


class AuditFilterForm(forms.Form):
    """What the audit page is narrowed to; everything in the address."""

    actor = forms.CharField(label="Who", max_length=150, required=False, help_text="name or identifier")
    action = forms.CharField(label="Action", max_length=64, required=False, help_text="profile.updated")
    object = forms.CharField(label="Object", max_length=64, required=False, help_text="identifier")
