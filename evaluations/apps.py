"""The Django app of the evaluations."""

from django.apps import AppConfig


class EvaluationsConfig(AppConfig):
    """Named, so that its tables are `evaluations_…`."""

    name = "evaluations"
