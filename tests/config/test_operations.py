"""The periodic jobs, and what is said of the worker that runs them."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.test import RequestFactory

from config.launch.worker import work_until
from config.operations import health as health_module
from config.operations.health import health
from config.operations.jobs import HEARTBEAT, JOBS, Job, clear_sessions, tend_database
from config.operations.models import PeriodicJob
from config.operations.queries import worker_state
from config.operations.services import due_jobs_run, job_claim
from config.operations.tasks import run_due_jobs

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


def move_back(name: str, by: timedelta) -> None:
    """Let that much time pass, as far as the job knows."""
    for field in ("due_at", "started_at", "finished_at"):
        value = PeriodicJob.objects.values_list(field, flat=True).get(name=name)
        PeriodicJob.objects.filter(name=name).update(**{field: value - by})


@pytest.fixture
def calls() -> list[str]:
    return []


@pytest.fixture
def hourly(calls: list[str]) -> Job:
    return Job("hourly", HOUR, lambda: calls.append("hourly"))


def test_a_job_runs_once_an_interval(calls: list[str], hourly: Job) -> None:
    assert due_jobs_run(jobs=[hourly]) == ["hourly"]
    assert due_jobs_run(jobs=[hourly]) == []
    move_back("hourly", HOUR - timedelta(seconds=5))
    assert due_jobs_run(jobs=[hourly]) == []
    move_back("hourly", timedelta(seconds=6))
    assert due_jobs_run(jobs=[hourly]) == ["hourly"]
    assert calls == ["hourly", "hourly"]


def test_what_fails_is_kept_and_the_others_run(calls: list[str], hourly: Job, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("x" * 600)

    due_jobs_run(jobs=[Job("failing", HOUR, fail), hourly])
    row = PeriodicJob.objects.get(name="failing")
    assert row.error.startswith("ValueError: xxx")
    assert len(row.error) == 500
    assert row.finished_at is not None
    assert calls == ["hourly"]
    assert "the periodic job failing failed" in caplog.text
    move_back("failing", 2 * HOUR)
    due_jobs_run(jobs=[Job("failing", HOUR, lambda: None)])
    assert PeriodicJob.objects.get(name="failing").error == ""


def test_a_look_that_finds_nothing_due_is_two_queries(
    hourly: Job, django_assert_num_queries: Callable[[int], object]
) -> None:
    due_jobs_run(jobs=[hourly])
    with django_assert_num_queries(2):
        due_jobs_run(jobs=[hourly])


@pytest.mark.django_db(transaction=True)
def test_of_eight_workers_at_once_one_claims(hourly: Job) -> None:
    PeriodicJob.objects.create(name="hourly")
    start, claims = threading.Barrier(8), []

    def claim() -> None:
        start.wait()
        try:
            claims.append(job_claim(job=hourly))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claims) == [False] * 7 + [True]


@pytest.mark.django_db(transaction=True)
def test_the_table_of_jobs_runs_without_a_fault() -> None:
    assert due_jobs_run() == [job.name for job in JOBS]
    assert set(PeriodicJob.objects.values_list("name", "error")) == {(job.name, "") for job in JOBS}
    assert len({job.name for job in JOBS}) == len(JOBS)


def test_the_celery_task_runs_the_same() -> None:
    run_due_jobs()
    assert PeriodicJob.objects.filter(name=HEARTBEAT, finished_at__isnull=False).exists()


def test_expired_sessions_go_and_others_stay() -> None:
    for seconds in (-5, 5000):
        session = SessionStore()
        session.set_expiry(seconds)
        session.save()
    clear_sessions()
    assert Session.objects.count() == 1
    assert Session.objects.filter(expire_date__gt=Now()).count() == 1


@pytest.mark.django_db(transaction=True)
def test_tending_the_database_is_for_sqlite(django_assert_num_queries: Callable[[int], object]) -> None:
    with django_assert_num_queries(2 if connection.vendor == "sqlite" else 0):
        tend_database()


def test_a_worker_is_silent_until_it_beats_and_a_minute_after() -> None:
    assert (worker_state().alive, worker_state().last_seen) == (False, None)
    due_jobs_run()
    state = worker_state()
    assert state.alive
    assert state.last_seen is not None
    move_back(HEARTBEAT, timedelta(seconds=55))
    assert worker_state().alive
    move_back(HEARTBEAT, timedelta(seconds=6))
    assert not worker_state().alive


def test_health_without_a_worker_and_with_one() -> None:
    request = RequestFactory().get("/healthz")
    assert health(request).content == b'{"status": "degraded", "database": "ok", "worker": "silent"}'
    assert health(request).status_code == 200
    due_jobs_run()
    answer = health(request)
    assert answer.content == b'{"status": "ok", "database": "ok", "worker": "ok"}'
    assert "no-store" in answer.headers["Cache-Control"]


def test_health_without_a_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("password authentication failed for user plumbline")

    monkeypatch.setattr(health_module, "worker_state", fail)
    answer = health(RequestFactory().get("/healthz"))
    assert answer.status_code == 503
    assert answer.content == b'{"status": "unavailable", "database": "unavailable", "worker": "unknown"}'


def test_health_takes_no_writes() -> None:
    assert health(RequestFactory().post("/healthz")).status_code == 405


def test_the_loop_goes_on_after_a_fault_of_the_database(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stop, rounds = threading.Event(), []

    def run_due() -> list[str]:
        rounds.append(1)
        if len(rounds) == 1:
            raise OperationalError("database is locked")
        stop.set()
        return []

    monkeypatch.setattr("config.operations.services.due_jobs_run", run_due)
    monkeypatch.setattr("config.launch.worker._PAUSE_AFTER_FAULT_SECONDS", 0.01)
    monkeypatch.setattr("config.launch.worker.connection.close", lambda: None)
    work_until(stop)
    assert len(rounds) == 2
    assert "the database does not answer" in caplog.text
