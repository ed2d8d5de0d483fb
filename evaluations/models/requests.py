"""Requests that may be sent twice: what the first one answered."""

from django.conf import settings
from django.db import models

from foundation import times
from foundation.http.json_field import JsonTextField


class IdempotentRequest(models.Model):
    """The answer to a POST with an Idempotency-Key, kept for a day."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    route = models.CharField(max_length=255)
    key = models.CharField(max_length=255)
    body_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    """Null while the first request is still at work."""
    answer = JsonTextField(null=True)
    created_at = models.DateTimeField(default=times.now, db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "route", "key"), name="evaluations_request_once"),)

    def __str__(self) -> str:
        return f"{self.route} {self.key}"
