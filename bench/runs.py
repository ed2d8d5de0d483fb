"""Runs from start to settled, over HTTP with a worker of its own: results a second, growth, and the worker's memory."""

import argparse
import contextlib
import http.server
import json
import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from bench.figures import line
from bench.imports import memory_peak
from bench.servers import ROOT, Site, databases, site

_PURE = [
    {"type": "keyword_contains", "keywords": ["refund", "order"]},
    {"type": "regex_match", "pattern": r"order \d+"},
    {"type": "output_schema", "schema": {"type": "object", "required": ["amount"],
                                         "properties": {"amount": {"type": "number", "minimum": 0}}}},
]  # fmt: skip
_LOGIC = {"type": "json_logic", "expression": {"==": [{"var": "object.kind"}, {"var": "item.metadata.kind"}]}}


def measure(arguments: argparse.Namespace) -> None:
    """Recorded outputs with three pure scorers, and with schema, logic and a tool on loopback, on each database."""
    sizes = (200, 1_000) if arguments.quick else (1_000, 10_000)
    for database in databases(arguments.database):
        with site(database) as place, _scorer_service() as address, _worker(place) as worker:
            place.serve()
            rates = []
            for size in sizes:
                rates.append(_timed(place, worker, size, _PURE, "three pure scorers"))
                tool = {"type": "tool", "url": address}
                _timed(place, worker, size, [_PURE[2], _LOGIC, tool], "schema, logic, tool")
            exponent = math.log((sizes[1] / rates[1]) / (sizes[0] / rates[0])) / math.log(sizes[1] / sizes[0])
            line(f"{database}, growth of the time", f"n^{exponent:.2f}")


def _timed(place: Site, worker: int, size: int, scorers: list[Any], label: str) -> float:
    eval_id, outputs = _eval(place, size, scorers)
    began = time.perf_counter()
    _, data = place.post(f"/api/v1/evals/{eval_id}/runs", {"outputs": outputs})
    run_id = json.loads(data)["id"]
    started = time.perf_counter() - began
    while True:
        run = json.loads(place.get(f"/api/v1/evals/{eval_id}/runs/{run_id}")[1])
        if run["status"] not in {"queued", "running"}:
            break
        time.sleep(0.05)
    seconds = time.perf_counter() - began
    if (run["status"], run["completed_count"]) != ("completed", size):
        raise SystemExit(f"the run ended {run['status']} with {run['completed_count']} of {size} results")
    memory = f"{memory_peak(worker) / 1024:.0f} MiB"
    line(
        f"{place.database}, {size:,} items, {label}", f"{size / seconds:.0f} items/s", f"start {started:.2f} s", memory
    )
    return size / seconds


def _eval(place: Site, size: int, scorers: list[Any]) -> tuple[str, list[Any]]:
    project = _made(place, "/api/v1/projects", {"name": "bench"})
    dataset = _made(place, "/api/v1/datasets", {"project_id": project, "name": "cases"})
    rows = [
        {"key": f"k{number}", "input": f"order {number}, a refund please", "metadata": {"kind": f"kind {number % 40}"}}
        for number in range(size)
    ]
    place.post(f"/api/v1/datasets/{dataset}/items/import", {"rows": rows})
    for scorer in scorers:
        if scorer["type"] == "tool":
            body = {"project_id": project, "name": "policy", "type": "http", "execute": {"url": scorer["url"]}}
            scorers = [
                *scorers[:-1],
                {"type": "tool", "name": "policy", "tool_id": _made(place, "/api/v1/tools", body)},
            ]
    body = {"project_id": project, "name": "e", "dataset_id": dataset, "scorers": scorers, "group_by": "kind"}
    outputs = [
        {"item_key": f"k{number}", "output": f"a refund for order {number} was granted " * 4,
         "object": {"amount": number, "kind": f"kind {number % 40}"}}
        for number in range(size)
    ]  # fmt: skip
    return _made(place, "/api/v1/evals", body), outputs


def _made(place: Site, path: str, body: object) -> str:
    status, data = place.post(path, body)
    if status != 201:
        raise SystemExit(f"{path} answered {status}: {data[:300]!r}")
    return str(json.loads(data)["id"])


@contextlib.contextmanager
def _worker(place: Site) -> Iterator[int]:
    """The process id of a worker on the site's database."""
    command = [sys.executable, "-m", "config.launch", "worker"]
    process = subprocess.Popen(command, cwd=ROOT, env=place.environment)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(20)


@contextlib.contextmanager
def _scorer_service() -> Iterator[str]:
    """The address of a tool that passes everything at once."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            body = b'{"score": 1, "passed": true}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
