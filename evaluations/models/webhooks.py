"""Where a project wants to be told that a run ended, and what was sent there."""

from django.db import models

from accounts.models import Project
from evaluations.models.identified import Identified
from foundation.http.json_field import JsonTextField


class Webhook(Identified):
    """An address that is told of events of a project. Its signing secret is shown once and kept encrypted."""

    prefix = "hook"

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="webhooks")
    url = models.TextField()
    events = JsonTextField()
    """The names of the events that it is told of."""
    secret_encrypted = models.TextField(editable=False)
    active = models.BooleanField(default=True)

    class Meta(Identified.Meta):
        pass


class WebhookDelivery(Identified):
    """One event for one webhook: sent until it is taken, or given up."""

    prefix = "hkdel"

    class State(models.TextChoices):
        """Whether it arrived."""

        PENDING = "pending", "Waiting"
        DELIVERED = "delivered", "Delivered"
        FAILED = "failed", "Given up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=64)
    subject = models.CharField(max_length=64)
    """The identifier of what the event is about; the same event of the same thing is sent once."""
    payload = JsonTextField()
    state = models.CharField(max_length=16, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    """Not before this moment; moved on by whoever claims the delivery."""
    status = models.PositiveSmallIntegerField(null=True)
    """The last answer's HTTP status, null when there was none."""
    error = models.CharField(max_length=500, blank=True)
    delivered_at = models.DateTimeField(null=True)

    class Meta(Identified.Meta):
        constraints = (
            models.UniqueConstraint(fields=("webhook", "event", "subject"), name="evaluations_delivery_once"),
        )
        indexes = (models.Index(fields=("state", "next_at"), condition=models.Q(state="pending"), name="delivery_due"),)
