"""Labelled cases: datasets, their items, and what was edited."""

from django.conf import settings
from django.db import models

from accounts.models import Project
from evaluations.models.identified import Identified, name_is_unique
from foundation import times
from foundation.http.json_field import JsonTextField


class Dataset(Identified):
    """A named list of items in an order."""

    prefix = "dset"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="datasets")
    name = models.CharField(max_length=256)
    description = models.TextField(blank=True)

    class Meta(Identified.Meta):
        constraints = (name_is_unique("dataset"),)


class DatasetItem(Identified):
    """One case: what the agent is asked, what it should answer, and what people noted about it."""

    prefix = "dsit"

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="items")
    position = models.BigIntegerField()
    """The order in the dataset: ascending, with gaps where items were deleted."""
    key = models.CharField(max_length=256, null=True)  # noqa: DJ001 - several items may have none, and no two the same
    input = JsonTextField()
    """A non-empty list of `{role, content}`."""
    expected_output = JsonTextField(null=True)
    metadata = JsonTextField(default=dict)
    expected = JsonTextField(null=True)
    """The structured ground truth (`scoring.kit.observation_document`), null when there is none."""
    scorers = JsonTextField(null=True)
    """The keys of the scorers that apply to it; null for all."""
    content_hash = models.CharField(max_length=64)
    """SHA-256 of input and expectation: two runs are compared on items where it is the same."""
    search_text = models.TextField(editable=False)

    class Meta:
        ordering = ("position", "id")
        constraints = (
            models.UniqueConstraint(fields=("dataset", "key"), name="evaluations_item_key_once"),
            models.UniqueConstraint(fields=("dataset", "position"), name="evaluations_item_position_once"),
        )


class ItemRevision(models.Model):
    """What an item was before an edit: its content then, and who changed it."""

    item = models.ForeignKey(DatasetItem, on_delete=models.CASCADE, related_name="revisions")
    content = JsonTextField()
    created_at = models.DateTimeField(default=times.now, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False)
    created_by_name = models.CharField(max_length=256, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"item {self.item_id} before {times.iso(self.created_at)}"
