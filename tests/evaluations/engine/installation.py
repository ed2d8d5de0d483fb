"""A whole installation in processes of its own: web server, workers, a database that outlives them."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import redis

from tests.config.running import ROOT, Running, environment, free_port
from tests.requirements import POSTGRES, REDIS

# A database of its own: other tests beside these use the one that is named.
BROKER = REDIS.rpartition("/")[0] + "/14"
MODEL_KEY = "sk-canary-0123456789"


class Installation:
    """`up`, ready; `api` speaks to it as the owner of the local mode."""

    def __init__(self, up: Running) -> None:
        self.up = up
        self._started: list[subprocess.Popen[bytes]] = []
        self.base = f"http://127.0.0.1:{up.port}/api/v1"

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer that must be a good one."""
        request = urllib.request.Request(  # noqa: S310 - of our own making
            self.base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return json.loads(answer.read() or b"null")

    def workers(self) -> list[int]:
        """The living worker processes, their children among them."""
        return sorted(number for number in self.up.processes("worker"))

    def start_worker(self) -> None:
        """One more worker, beside the one that `up` starts again after a longer and longer pause."""
        command = [sys.executable, "-m", "config.launch", "worker"]
        worker = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.up.variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._started.append(worker)

    def end_workers(self) -> None:
        """End those that were started here."""
        for worker in self._started:
            worker.kill()
            worker.wait()

    def kill_workers(self) -> int:
        """How many processes were killed with SIGKILL: every worker there is."""
        victims = self.workers()
        for number in victims:
            os.kill(number, signal.SIGKILL)
        return len(victims)


@contextmanager
def installation(folder: Path, **variables: str) -> Iterator[Installation]:
    """A fresh one under the real local settings; it is ended, whatever happened."""
    port = free_port()
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings.local", "PLUMBLINE_LOG_LEVEL": "ERROR", **variables}
    up = Running(folder, port, environment(folder, port, **settings))
    there = Installation(up)
    try:
        up.wait_until_ready()
        yield there
    finally:
        there.end_workers()
        up.end()


@contextmanager
def scaled_out(folder: Path, name: str, **variables: str) -> Iterator[Installation]:
    """The same on a fresh PostgreSQL database, woken by Celery through Redis."""
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        server.execute(f'CREATE DATABASE "{name}"')
    address = POSTGRES.rsplit("/", 1)[0] + f"/{name}"
    with redis.Redis.from_url(BROKER) as client:
        client.flushdb()
    try:
        with installation(folder, PLUMBLINE_DATABASE_URL=address, PLUMBLINE_BROKER_URL=BROKER, **variables) as running:
            yield running
    finally:
        with psycopg.connect(POSTGRES, autocommit=True) as server:
            server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def make_eval(there: Installation, model_url: str, count: int) -> str:
    """The identifier of an eval of `count` items, whose agent is at `model_url`."""
    project = there.api("POST", "/projects", {"name": "faults"})["id"]
    provider = there.api(
        "POST",
        "/ai-providers",
        {"project_id": project, "name": "stub", "provider": "openai_compatible", "default_model": "m",
         "base_url": model_url, "api_key": MODEL_KEY},
    )["id"]  # fmt: skip
    agent = there.api("POST", "/agents", {"project_id": project, "ai_provider_id": provider, "name": "echo"})["id"]
    dataset = there.api("POST", "/datasets", {"project_id": project, "name": "cases"})["id"]
    rows = [{"key": f"k{number}", "input": f"question {number}"} for number in range(count)]
    there.api("POST", f"/datasets/{dataset}/items/import", {"rows": rows})
    scorers = [{"type": "contains", "name": "even", "value": "even"}]
    body = {"project_id": project, "name": "e", "dataset_id": dataset, "agent_id": agent, "scorers": scorers}
    return str(there.api("POST", "/evals", body)["id"])


def all_results(there: Installation, eval_id: str, run_id: str) -> list[dict[str, Any]]:
    """Every result of a run, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        page = there.api("GET", f"/evals/{eval_id}/runs/{run_id}/results?limit=100&offset={len(found)}")
        found += page["data"]
        if len(found) >= page["total"]:
            return found
