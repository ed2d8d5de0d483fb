"""Faults with real processes: workers killed, the broker's data lost, the same wake-up twice, a cancel in the middle.

After each of them every item has one result, nothing is lost and nothing stands twice.
"""

import json
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.config.running import until
from tests.evaluations.engine.installation import (
    MODEL_KEY,
    Installation,
    all_results,
    installation,
    make_eval,
    scaled_out,
)
from tests.evaluations.outbound.stubs import Received, Stub, answer, serving
from tests.requirements import REDIS, need

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
]
ITEMS = 300
KILLS = 20


class Model:
    """Says whether the question's number is even, after a pause, and counts how often each was asked."""

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.asked: dict[str, int] = {}
        self._lock = threading.Lock()

    def __call__(self, connection: socket.socket, received: Received) -> None:
        question = received.json()["messages"][-1]["content"]
        with self._lock:
            self.asked[question] = self.asked.get(question, 0) + 1
        time.sleep(self.pause)
        said = "even" if int(question.split()[-1]) % 2 == 0 else "odd"
        message = {"role": "assistant", "content": said}
        body = {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
        connection.sendall(answer(200, json.dumps(body), [("Content-Type", "application/json")]))

    @property
    def calls(self) -> int:
        return sum(self.asked.values())


@pytest.fixture
def model() -> Iterator[tuple[Model, Stub]]:
    said = Model(0.05)
    with serving(said) as stub:
        yield said, stub


def whole(there: Installation, eval_id: str, run_id: str) -> None:
    """Assert that the run ended as it would have without a fault."""
    run = there.api("GET", f"/evals/{eval_id}/runs/{run_id}")
    assert (run["status"], run["completed_count"], run["errored_count"]) == ("completed", ITEMS, 0)
    results = all_results(there, eval_id, run_id)
    assert [result["item_key"] for result in results] == [f"k{number}" for number in range(ITEMS)]
    assert [result["passed"] for result in results] == [number % 2 == 0 for number in range(ITEMS)]
    assert run["aggregate_scores"]["pass_rate"] == 0.5


def ended(there: Installation, eval_id: str, run_id: str, seconds: float = 150) -> bool:
    return until(
        lambda: there.api("GET", f"/evals/{eval_id}/runs/{run_id}")["status"] not in {"queued", "running"}, seconds
    )


def killed_again_and_again(there: Installation, model: Model, stub: Stub) -> None:
    eval_id = make_eval(there, stub.url("").rstrip("/"), ITEMS)
    run_id = there.api("POST", f"/evals/{eval_id}/runs", {})["id"]
    chance, kills = random.Random(7), 0
    for _ in range(KILLS):
        there.start_worker()
        asked = model.calls
        # Killed in the middle of its work, or before it had begun.
        until(lambda asked=asked: model.calls > asked, chance.choice((0.5, 6)))
        time.sleep(chance.uniform(0, 0.3))
        kills += there.kill_workers() > 0
    there.start_worker()
    assert kills == KILLS
    assert ended(there, eval_id, run_id)
    whole(there, eval_id, run_id)
    # An answer that was stored is not asked for again; what was in flight at a kill may be.
    assert ITEMS <= model.calls <= ITEMS + KILLS * 16
    assert set(model.asked) == {f"question {number}" for number in range(ITEMS)}


def test_embedded_workers_are_killed_in_the_middle_of_a_run(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    with installation(tmp_path / "data", PLUMBLINE_LEASE_SECONDS="3") as there:
        killed_again_and_again(there, *model)


def test_celery_workers_are_killed_in_the_middle_of_a_run(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    need("postgres"), need("redis")
    with scaled_out(tmp_path / "data", "plumbline_faults_kill", PLUMBLINE_LEASE_SECONDS="3") as there:
        killed_again_and_again(there, *model)


def test_a_broker_that_forgets_everything_loses_nothing(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    need("postgres"), need("redis")
    _, stub = model
    with (
        scaled_out(tmp_path / "data", "plumbline_faults_flush", PLUMBLINE_LEASE_SECONDS="3") as there,
        redis.Redis.from_url(REDIS) as client,
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


def test_a_cancel_takes_hold_at_once(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    said, stub = model
    with installation(tmp_path / "data") as there:
        eval_id = make_eval(there, stub.url("").rstrip("/"), ITEMS)
        run_id = there.api("POST", f"/evals/{eval_id}/runs", {})["id"]
        assert until(lambda: said.calls > ITEMS // 5, 60)
        there.api("POST", f"/evals/{eval_id}/runs/{run_id}/cancel")
        at_cancel = said.calls
        time.sleep(3)
        assert said.calls <= at_cancel + 16
        run = there.api("GET", f"/evals/{eval_id}/runs/{run_id}")
        done, total = run["completed_count"], run["result_count"]
        assert (run["status"], run["passed"], total) == ("canceled", None, ITEMS)
        assert 0 < done < ITEMS
        states = [result["status"] for result in all_results(there, eval_id, run_id)]
        assert (states.count("scored"), states.count("canceled")) == (done, ITEMS - done)


def test_workers_that_end_politely_hand_over(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    said, stub = model
    with installation(tmp_path / "data") as there:
        eval_id = make_eval(there, stub.url("").rstrip("/"), ITEMS)
        run_id = there.api("POST", f"/evals/{eval_id}/runs", {})["id"]
        assert until(lambda: said.calls > ITEMS // 5, 60)
        there.up.process.send_signal(15)
        assert there.up.process.wait(30) == 0
        before = said.calls
    with installation(tmp_path / "data") as there:
        started = time.monotonic()
        assert until(lambda: said.calls > before, 10)
        # Nothing waits for a lease to run out.
        assert time.monotonic() - started < 10
        assert ended(there, eval_id, run_id)
        whole(there, eval_id, run_id)
        assert said.calls <= ITEMS + 16


def test_many_writers_and_a_run_share_the_sqlite_file(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    _, stub = model
    with installation(tmp_path / "data") as there:
        eval_id = make_eval(there, stub.url("").rstrip("/"), ITEMS)
        project = there.api("GET", f"/evals/{eval_id}")["project_id"]
        run_id = there.api("POST", f"/evals/{eval_id}/runs", {})["id"]
        faults: list[Exception] = []

        def write(number: int) -> None:
            try:
                for turn in range(15):
                    dataset = there.api("POST", "/datasets", {"project_id": project, "name": f"{number}-{turn}"})
                    body = {"input": [{"role": "user", "content": "x"}], "key": "k"}
                    there.api("POST", f"/datasets/{dataset['id']}/items", body)
            except Exception as error:  # noqa: BLE001 - whatever it was, the test says so
                faults.append(error)

        writers = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert faults == []
        assert ended(there, eval_id, run_id)
        whole(there, eval_id, run_id)


def test_a_secret_stands_nowhere_in_the_data_or_the_log(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    _, stub = model
    folder = tmp_path / "data"
    with installation(folder, PLUMBLINE_LOG_LEVEL="DEBUG") as there:
        eval_id = make_eval(there, stub.url("").rstrip("/"), 3)
        run_id = there.api("POST", f"/evals/{eval_id}/runs", {})["id"]
        assert ended(there, eval_id, run_id)
        assert stub.last.headers["authorization"] == f"Bearer {MODEL_KEY}"
        texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
        texts.append(there.up.output.encode())
        texts.append(json.dumps(all_results(there, eval_id, run_id)).encode())
    assert all(MODEL_KEY.encode() not in text for text in texts)
