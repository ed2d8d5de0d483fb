"""What is asked of an agent again and again: a dataset and the scorers that judge the answers."""

from django.db import models
from django.db.models import Q

from accounts.models import Project
from evaluations.models.agents import Agent
from evaluations.models.datasets import Dataset
from evaluations.models.identified import Identified, name_is_unique
from foundation.http.json_field import JsonTextField
from scoring.models import Profile


class Eval(Identified):
    """A dataset, the scorers or the profile that judge each answer, and when a run passes."""

    prefix = "eval"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="evals")
    name = models.CharField(max_length=256)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="evals")
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="evals")
    """Null when runs bring their outputs."""
    profile = models.ForeignKey(Profile, on_delete=models.PROTECT, null=True, related_name="evals")
    scorers = JsonTextField(null=True)
    """The scorers as the API takes them; null exactly when there is a profile."""
    pass_threshold = models.FloatField(null=True)
    group_by = models.CharField(max_length=255, null=True)  # noqa: DJ001 - null is "not grouped" in the API
    min_coverage = models.FloatField(default=0.9)
    baseline_run = models.ForeignKey("Run", on_delete=models.SET_NULL, null=True, related_name="+")
    """What new runs are compared with when they name no other run."""

    class Meta(Identified.Meta):
        constraints = (
            name_is_unique("eval"),
            models.CheckConstraint(
                name="evaluations_eval_profile_or_scorers",
                condition=Q(profile__isnull=True, scorers__isnull=False)
                | Q(profile__isnull=False, scorers__isnull=True),
            ),
            models.CheckConstraint(
                name="evaluations_eval_fractions",
                condition=Q(Q(pass_threshold__isnull=True) | Q(pass_threshold__gte=0, pass_threshold__lte=1))
                & Q(min_coverage__gte=0, min_coverage__lte=1),
            ),
        )
