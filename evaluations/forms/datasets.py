"""The forms of the pages of datasets. What is allowed is decided by the services."""

from django import forms

from evaluations.forms.fields import MOST_TEXT, LongText, name_field


class DatasetForm(forms.Form):
    """A dataset's name and what it is for."""

    name = name_field()
    description = LongText(
        label="Description", required=False, max_length=MOST_TEXT, rows=2, help_text="Where its cases come from."
    )
