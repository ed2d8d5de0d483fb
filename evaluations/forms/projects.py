"""The form of a new project."""

from django import forms

from evaluations.forms.fields import MOST_TEXT, LongText, name_field


class ProjectForm(forms.Form):
    """A project's name and what it is about."""

    name = name_field()
    description = LongText(label="Description", required=False, max_length=MOST_TEXT, rows=3)
