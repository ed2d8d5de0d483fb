"""The Celery settings that Plumbline's promises rest on, written out a second time."""

import json
import subprocess
import sys

import pytest

from config.celery import app, pinned_settings
from tests.config.running import ROOT, environment


def test_what_is_pinned_whatever_the_broker() -> None:
    pinned = pinned_settings("redis://127.0.0.1:6379/0")
    assert pinned["task_ignore_result"] is True
    assert pinned["task_acks_late"] is True
    assert pinned["task_reject_on_worker_lost"] is True
    assert pinned["worker_prefetch_multiplier"] == 1
    assert (pinned["task_time_limit"], pinned["task_soft_time_limit"]) == (300, 270)
    assert (pinned["worker_max_tasks_per_child"], pinned["worker_max_memory_per_child"]) == (200, 400_000)
    assert pinned["worker_soft_shutdown_timeout"] == 10
    assert pinned["worker_cancel_long_running_tasks_on_connection_loss"] is True
    assert pinned["visibility_timeout"] == 90
    assert pinned["result_backend_transport_options"] == {"visibility_timeout": 90}
    assert "result_backend" not in pinned


def test_what_redis_needs_to_give_a_lost_message_back_soon() -> None:
    options = pinned_settings("redis://127.0.0.1:6379/0")["broker_transport_options"]
    assert 60 <= options["visibility_timeout"] <= 120
    assert options["unacked_restore_interval"] == 5
    assert options["unacked_restore_throttle"] == 1
    assert options["socket_keepalive"] is True
    assert options["health_check_interval"] == 25


@pytest.mark.parametrize("url", ["amqp://guest@127.0.0.1//", "amqps://broker/plumbline", "pyamqp://broker//"])
def test_what_rabbitmq_needs(url: str) -> None:
    pinned = pinned_settings(url)
    assert pinned["task_default_queue_type"] == "quorum"
    assert pinned["broker_transport_options"] == {"confirm_publish": True}


def test_the_application_has_them_and_knows_the_tasks() -> None:
    app.autodiscover_tasks(force=True)
    assert "operations.run_due_jobs" in app.tasks
    for name, value in pinned_settings("").items():
        assert getattr(app.conf, name) == value, name
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert scheduled <= set(app.tasks)


def test_the_web_server_sends_to_our_broker(tmp_path_factory: pytest.TempPathFactory) -> None:
    program = (
        "import django, json; django.setup(); from config.operations.tasks import run_due_jobs;"
        "print(json.dumps([run_due_jobs.app.conf.broker_url, run_due_jobs.app.conf.task_acks_late]))"
    )
    variables = environment(tmp_path_factory.mktemp("data"), 1, PLUMBLINE_BROKER_URL="redis://broker.invalid/3")
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(result.stdout) == ["redis://broker.invalid/3", True]
