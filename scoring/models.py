"""Tables of scoring: profiles, their immutable versions, and the evaluations made with them."""

from django.conf import settings
from django.db import models

from foundation import times
from foundation.http.json_field import JsonTextField
from foundation.identifiers import new_identifier
from scoring.composites import METHOD_WORDS


def _new_profile_id() -> str:
    return new_identifier("prof")


def _new_evaluation_id() -> str:
    return new_identifier("eval")


def sort_key(name: str) -> str:
    """What a name is sorted and searched by: the same on every database, whatever its collation."""
    return name.casefold()


class Profile(models.Model):
    """A scoring profile. Its content is the version it points at; a change makes a new version.

    A deleted profile stays as a row, so that the evaluations made with it can still be read.
    """

    id = models.CharField(max_length=64, primary_key=True, default=_new_profile_id, editable=False)
    name = models.CharField(max_length=256)
    name_key = models.TextField(editable=False)
    built_in = models.BooleanField(default=False, editable=False)
    version = models.PositiveIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(default=times.now, editable=False)
    updated_at = models.DateTimeField(default=times.now, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = (models.CheckConstraint(name="profile_version_from_1", condition=models.Q(version__gte=1)),)
        indexes = (models.Index(fields=["-built_in", "name_key", "id"], name="profile_listed"),)

    def __str__(self) -> str:
        return self.name


class ProfileVersion(models.Model):
    """One version of a profile, which never changes once it is written."""

    profile = models.ForeignKey(Profile, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    document = JsonTextField()
    created_at = models.DateTimeField(default=times.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False)
    created_by_name = models.CharField(max_length=256, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(name="profile_version_once", fields=["profile", "number"]),)

    def __str__(self) -> str:
        return f"{self.profile_id} version {self.number}"


class Evaluation(models.Model):
    """What one version of a profile said of one output. Written once, never changed."""

    class Status(models.TextChoices):
        """Whether there is a score, and if not, why."""

        SCORED = "scored", "Scored"
        ERRORED = "errored", "Errored"
        MEASURED = "measured", "Measured"

    public_id = models.CharField(max_length=32, unique=True, default=_new_evaluation_id, editable=False)
    profile = models.ForeignKey(Profile, on_delete=models.PROTECT, related_name="evaluations", db_index=False)
    profile_version = models.PositiveIntegerField()
    profile_name = models.CharField(max_length=256)
    composite_method = models.CharField(max_length=16, choices=list(METHOD_WORDS.items()))
    pass_threshold = models.FloatField(null=True)
    status = models.CharField(max_length=16, choices=Status.choices)
    score = models.FloatField(null=True)
    passed = models.BooleanField(null=True)
    worst_scorer = models.CharField(max_length=256, blank=True)
    breakdown = JsonTextField()
    action = models.TextField(blank=True)
    output = models.TextField(blank=True)
    agent = models.CharField(max_length=128, null=True)  # noqa: DJ001 - not given is null in the API, "" is ""
    task_id = models.CharField(max_length=128, null=True)  # noqa: DJ001 - likewise
    metadata = JsonTextField()
    inputs = JsonTextField()
    """What else the request gave, by its name: object, expected, observation. Absent is not null."""
    search_text = models.TextField(editable=False)
    rescored_from = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, editable=False)
    created_at = models.DateTimeField(default=times.now, editable=False)
    created_by_name = models.CharField(max_length=256, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="evaluation_score_is_a_fraction",
                condition=models.Q(score__isnull=True) | models.Q(score__gte=0, score__lte=1),
            ),
            models.CheckConstraint(
                name="evaluation_scored_has_a_score",
                condition=models.Q(status="scored", score__isnull=False)
                | models.Q(~models.Q(status="scored"), score__isnull=True, passed__isnull=True),
            ),
        )
        # Each serves one filter of the history and its order; see docs/decisions/0005 for the plans.
        indexes = (
            models.Index(fields=["-created_at", "-id", "score"], name="evaluation_newest"),
            models.Index(
                fields=["profile", "-created_at", "-id", "score", "profile_version"], name="evaluation_by_profile"
            ),
            models.Index(fields=["agent", "-created_at", "-id", "score"], name="evaluation_by_agent"),
            models.Index(fields=["task_id", "-created_at", "-id"], name="evaluation_by_task"),
            models.Index(fields=["status", "passed", "-created_at", "-id"], name="evaluation_by_verdict"),
        )

    def __str__(self) -> str:
        return self.public_id
