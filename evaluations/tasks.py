"""What Celery runs of the evaluations."""

from celery import shared_task

from evaluations import jobs
from evaluations.engine.working import work_on_run

# Well within the tasks' time limit; what is left is taken up by the next message.
_SECONDS = 200.0


@shared_task(name=jobs.WORK_ON_RUN)
def work_on_run_task(run_id: int) -> None:
    """Work on the run, and ring again when something is left that can be done now."""
    if not work_on_run(run_id, seconds=_SECONDS):
        jobs.wake(run_id)
