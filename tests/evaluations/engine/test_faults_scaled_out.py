"""The same faults on PostgreSQL with Celery and Redis, whose data may be lost at any moment."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.evaluations.engine.fault_runs import ITEMS, Model, ended, killed_again_and_again, whole
from tests.evaluations.engine.installation import BROKER, make_eval, scaled_out
from tests.evaluations.outbound.stubs import Stub, serving
from tests.requirements import need

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
]


@pytest.fixture
def model() -> Iterator[tuple[Model, Stub]]:
    said = Model(0.05)
    with serving(said) as stub:
        yield said, stub


def test_celery_workers_are_killed_in_the_middle_of_a_run(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    need("postgres"), need("redis")
    with scaled_out(tmp_path / "data", "plumbline_faults_kill", PLUMBLINE_LEASE_SECONDS="3") as there:
        killed_again_and_again(there, *model)


def test_a_broker_that_forgets_everything_loses_nothing(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    need("postgres"), need("redis")
    _, stub = model
    with (
        scaled_out(tmp_path / "data", "plumbline_faults_flush", PLUMBLINE_LEASE_SECONDS="3") as there,
        redis.Redis.from_url(BROKER) as client,
    ):
        eval_id = make_eval(there, stub.url("").rstrip("/"), ITEMS)
        run_id = there.api("POST", f"/evals/{eval_id}/runs", {})["id"]
        for _ in range(5):
            client.flushdb()
            there.kill_workers()
            client.flushdb()
            there.start_worker()
            time.sleep(1)
        assert ended(there, eval_id, run_id)
        whole(there, eval_id, run_id)
