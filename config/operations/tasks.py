"""What Celery runs of the operations."""

from celery import shared_task

from config.operations import services


@shared_task(name="operations.run_due_jobs")
def run_due_jobs() -> None:
    """Run the periodic jobs that are due."""
    services.due_jobs_run()
