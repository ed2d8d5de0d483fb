"""Running the periodic jobs, each by one worker at a time, however many workers there are."""

import logging
from collections.abc import Sequence

from django.db.models.functions import Now

from config.operations.jobs import JOBS, Job
from config.operations.models import PeriodicJob

logger = logging.getLogger(__name__)
_ERROR_LENGTH = 500


def due_jobs_run(*, jobs: Sequence[Job] = JOBS) -> list[str]:
    """The names of the jobs that were due and that this call ran.

    A job that raises is logged, its error kept in its row, and the others still run.
    """
    states = dict(PeriodicJob.objects.values_list("name", "due_at"))
    missing = [PeriodicJob(name=job.name) for job in jobs if job.name not in states]
    if missing:
        PeriodicJob.objects.bulk_create(missing, ignore_conflicts=True)
    due = set(PeriodicJob.objects.filter(due_at__lte=Now()).values_list("name", flat=True))
    ran = [job for job in jobs if job.name in due and job_claim(job=job)]
    for job in ran:
        _run(job)
    return [job.name for job in ran]


def job_claim(*, job: Job) -> bool:
    """Whether the caller, and nobody else, is to run `job` now.

    One statement both asks and takes, with the database's clock: of two workers one wins.
    """
    due = PeriodicJob.objects.filter(name=job.name, due_at__lte=Now())
    return due.update(due_at=Now() + job.every, started_at=Now()) == 1


def _run(job: Job) -> None:
    error = ""
    try:
        job.run()
    except Exception as fault:
        logger.exception("the periodic job %s failed", job.name)
        error = f"{type(fault).__name__}: {fault}"[:_ERROR_LENGTH]
    PeriodicJob.objects.filter(name=job.name).update(finished_at=Now(), error=error)
