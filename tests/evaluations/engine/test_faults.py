"""Faults with real processes on SQLite: workers killed, a cancel in the middle, a polite end, many writers.

After each of them every item has one result, nothing is lost and nothing stands twice.
"""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.config.running import until
from tests.evaluations.engine.fault_runs import ITEMS, Model, ended, killed_again_and_again, whole
from tests.evaluations.engine.installation import MODEL_KEY, all_results, installation, make_eval
from tests.evaluations.outbound.stubs import Stub, serving

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
]


@pytest.fixture
def model() -> Iterator[tuple[Model, Stub]]:
    said = Model(0.05)
    with serving(said) as stub:
        yield said, stub


def test_embedded_workers_are_killed_in_the_middle_of_a_run(tmp_path: Path, model: tuple[Model, Stub]) -> None:
    with installation(tmp_path / "data", PLUMBLINE_LEASE_SECONDS="3") as there:
        killed_again_and_again(there, *model)


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
