"""One row for each periodic job: when it is due, and how it went the last time."""

from django.db import models
from django.db.models.functions import Now


class PeriodicJob(models.Model):
    """The state that all workers share; the times are the database's own.

    Whoever moves `due_at` into the future has claimed the job: see services.job_claim.
    """

    name = models.CharField(max_length=64, primary_key=True)
    due_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    # Empty when the last run went well, else its error in 500 characters.
    error = models.CharField(max_length=500, default="")

    def __str__(self) -> str:
        return self.name
