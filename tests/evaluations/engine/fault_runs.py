"""The run that faults happen to: its model, how it is killed, and what it must be afterwards."""

import json
import random
import socket
import threading
import time

from tests.config.running import until
from tests.evaluations.engine.installation import Installation, all_results, make_eval
from tests.evaluations.outbound.stubs import Received, Stub, answer

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
