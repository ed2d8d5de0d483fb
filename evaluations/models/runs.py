"""Runs, and their results: the rows are the truth, whatever happens to messages and processes."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from evaluations.models.agents import AgentVersion
from evaluations.models.datasets import DatasetItem
from evaluations.models.evals import Eval
from evaluations.models.identified import Identified
from foundation.http.json_field import JsonTextField


class Run(Identified):
    """One pass of an eval over its dataset, with everything it depends on frozen at its start."""

    prefix = "evrun"

    class Status(models.TextChoices):
        """Where the run stands; the last three are final."""

        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        COMPLETED = "completed", "Completed"
        FAILED = "failed", "Failed"
        CANCELED = "canceled", "Canceled"

    class Source(models.TextChoices):
        """Where the answers come from."""

        AGENT = "agent", "The agent"
        RECORDED = "recorded", "Recorded outputs"
        RESCORE = "rescore", "An earlier run"

    eval = models.ForeignKey(Eval, on_delete=models.CASCADE, related_name="runs")
    name = models.CharField(max_length=256, blank=True)
    status = models.CharField(max_length=16, choices=Status.choices, default=Status.QUEUED)
    source = models.CharField(max_length=16, choices=Source.choices)
    rescore_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    baseline_run = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    agent_version = models.ForeignKey(AgentVersion, on_delete=models.SET_NULL, null=True, related_name="runs")
    trials = models.PositiveSmallIntegerField(default=1)
    metadata = JsonTextField(default=dict)
    specification = JsonTextField()
    """What was frozen: the agent's version, the scorers with their identities, thresholds, labels."""
    item_count = models.PositiveIntegerField()
    """Items, each counted once whatever the trials."""
    aggregates = JsonTextField(null=True)
    """The aggregate document, written once when the run is settled."""
    passed = models.BooleanField(null=True)
    pass_rate = models.FloatField(null=True)
    error = JsonTextField(null=True)
    """`{code, message}` of a failed run."""
    woken_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False)
    created_by_name = models.CharField(max_length=256, blank=True)

    class Meta(Identified.Meta):
        indexes = (
            models.Index(fields=("eval", "-created_at", "-id"), name="run_of_eval"),
            models.Index(fields=("status", "id"), condition=Q(status__in=("queued", "running")), name="run_open"),
        )


class Result(Identified):
    """One item in one trial of a run: its frozen question, the answer, and what the scorers said.

    The row is written when the run starts, and claimed by a worker under a lease: `owner` is the
    worker's token, and only the worker that still holds it may store anything.
    """

    prefix = "evres"

    class State(models.TextChoices):
        """How far the work on it is. `done` is final and says nothing about the verdict."""

        PENDING = "pending", "Waiting"
        CLAIMED = "claimed", "Being answered"
        GENERATED = "generated", "Answered, not scored yet"
        DONE = "done", "Done"
        CANCELED = "canceled", "Canceled"

    class Status(models.TextChoices):
        """What came of it, once it is done."""

        SCORED = "scored", "Scored"
        MEASURED = "measured", "Measured"
        ERRORED = "errored", "Errored"
        SKIPPED = "skipped", "Skipped"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="results")
    item = models.ForeignKey(DatasetItem, on_delete=models.SET_NULL, null=True, related_name="results")
    item_public_id = models.CharField(max_length=32)
    """The item's identifier, which outlives the item: what results of two runs are matched by."""
    item_key = models.CharField(max_length=256, null=True)  # noqa: DJ001 - null as in the item
    position = models.PositiveIntegerField()
    """From 0, in the dataset's order at the start."""
    trial = models.PositiveSmallIntegerField(default=0)
    content_hash = models.CharField(max_length=64)
    frozen = JsonTextField()
    """`{input, expected_output, expected, metadata, scorers}` of the item at the start."""
    group = models.CharField(max_length=256, null=True)  # noqa: DJ001 - null is "in no group", "" is a group
    recorded = JsonTextField(null=True)
    """What was sent in for this item instead of asking an agent; null otherwise."""

    state = models.CharField(max_length=16, choices=State.choices, default=State.PENDING)
    owner = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True)
    next_at = models.DateTimeField(null=True)
    """Not to be claimed before this moment, after a provider asked to wait."""
    attempts = models.PositiveSmallIntegerField(default=0)

    observation = JsonTextField(null=True)
    """The observation document, without `expected`, which stands in `frozen`."""
    status = models.CharField(max_length=16, choices=Status.choices, blank=True)
    scores = JsonTextField(default=list)
    """One entry a scorer, in the eval's order, with explanation and evidence."""
    outcomes = JsonTextField(default=list)
    """The same without words: `[key, status, score, passed, value, unit]` a scorer, which is what aggregates read."""
    failed_scorers = models.TextField(blank=True)
    """`\\nKEY\\n` of each scorer that did not pass, for the filter; likewise below."""
    errored_scorers = models.TextField(blank=True)
    score = models.FloatField(null=True)
    passed = models.BooleanField(null=True)
    error = JsonTextField(null=True)
    """`{code, message, scorer?, raw?}` of an errored result."""
    timing = JsonTextField(null=True)
    usage = JsonTextField(null=True)
    search_text = models.TextField(blank=True, editable=False)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("position", "trial")
        constraints = (
            models.UniqueConstraint(fields=("run", "position", "trial"), name="evaluations_result_once"),
            models.CheckConstraint(
                name="evaluations_result_score_is_a_fraction",
                condition=Q(score__isnull=True) | Q(score__gte=0, score__lte=1),
            ),
            models.CheckConstraint(
                name="evaluations_result_error_has_no_verdict",
                condition=~Q(status="errored") | Q(passed__isnull=True, score__isnull=True),
            ),
        )
        indexes = (
            # Rows that are done were tried, so those that nobody tried yet stand before them.
            models.Index(fields=("run", "attempts", "position", "trial"), name="result_claimable"),
            models.Index(fields=("run", "state"), name="result_by_state"),
            models.Index(fields=("run", "item_public_id"), name="result_of_item"),
        )


OPEN_RUN = (Run.Status.QUEUED, Run.Status.RUNNING)
"""The statuses of a run that has not ended."""
OPEN_RESULT = (Result.State.PENDING, Result.State.CLAIMED, Result.State.GENERATED)
"""The states of a result that is still to be worked on."""
