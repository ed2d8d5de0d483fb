"""100,000 items imported by upload and exported again: seconds, and how much the server's memory rose."""

import argparse
import http.client
import json
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import line
from bench.servers import Site, databases, site

_WORDS = "the parcel arrived broken please refund what was paid for this order or send another one soon"


def measure(arguments: argparse.Namespace) -> None:
    """Import and export of JSON Lines and CSV on each database (5,000 rows with --quick)."""
    rows = 5_000 if arguments.quick else 100_000
    for database in databases(arguments.database):
        for kind, media_type in (("jsonl", "application/x-ndjson"), ("csv", "text/csv")):
            with site(database) as place:
                place.serve()
                _measure_one(place, kind, media_type, rows)


def _measure_one(place: Site, kind: str, media_type: str, rows: int) -> None:
    _, project = place.post("/api/v1/projects", {"name": "bench"})
    _, made = place.post("/api/v1/datasets", {"project_id": json.loads(project)["id"], "name": "bench"})
    items = f"/api/v1/datasets/{json.loads(made)['id']}/items"
    data = "".join(_jsonl(rows) if kind == "jsonl" else _csv(rows)).encode()
    place.get(f"{items}/export")
    before = _peak(place)
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=300)
    connection.request("POST", f"{items}/import?format={kind}", data, {"Content-Type": media_type})
    response = connection.getresponse()
    response.read()
    seconds, rise = time.perf_counter() - began, _peak(place) - before
    size = f"{len(data) / 2**20:.0f} MiB, status {response.status}"
    line(f"{place.database}, import {kind}, {rows:,} rows", f"{seconds:.1f} s", f"+{rise / 1024:.0f} MiB", size)
    before = _peak(place)
    began = time.perf_counter()
    connection.request("GET", f"{items}/export?format={kind}")
    exported = len(connection.getresponse().read())
    seconds, rise = time.perf_counter() - began, _peak(place) - before
    line(
        f"{place.database}, export {kind}", f"{seconds:.1f} s", f"+{rise / 1024:.0f} MiB", f"{exported / 2**20:.0f} MiB"
    )


def _peak(place: Site) -> int:
    return memory_peak(place.processes[-1].pid)


def memory_peak(pid: int) -> int:
    """The most memory that the process or one of its descendants ever had, in KiB."""
    return max(_status(member, "VmHWM") for member in _family(pid))


def _family(pid: int) -> Iterator[int]:
    """The process and its descendants."""
    yield pid
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = stat.read_text().rpartition(")")[2].split()[1]
        except OSError:  # it ended meanwhile
            continue
        if int(parent) == pid:
            yield from _family(int(stat.parent.name))


def _status(pid: int, name: str) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return next((int(row.split()[1]) for row in text.splitlines() if row.startswith(f"{name}:")), 0)


def _question(number: int) -> str:
    return f"Order {number}: {_WORDS}, {_WORDS}"


def _jsonl(rows: int) -> Iterator[str]:
    for number in range(rows):
        metadata = {"kind": f"kind {number % 40}", "order_total": number % 97, "note": _WORDS}
        item = {"key": f"case-{number}", "input": _question(number), "expected_output": "refund", "metadata": metadata}
        yield json.dumps(item) + "\n"


def _csv(rows: int) -> Iterator[str]:
    yield "key,question,answer,kind,order_total,note\r\n"
    for number in range(rows):
        yield f'case-{number},"{_question(number)}",refund,kind {number % 40},{number % 97},"{_WORDS}"\r\n'
