"""The history at a million evaluations: the first page, filtered pages, deep pages, as HTML and as JSON."""

import argparse
import time
import urllib.parse

from bench.figures import line, milliseconds
from bench.servers import Site, databases, site

PAGES = {
    "first page": {},
    "one profile": {"profileId": "code-quality"},
    "one agent": {"agent": "agent-7"},
    "one task": {"taskId": "task-500"},
    "failed": {"passed": "false"},
    "errored": {"status": "errored"},
    "score from .95": {"minScore": "0.95"},
    "score .5 to .5001 (few)": {"minScore": "0.5", "maxScore": "0.5001"},
    "profile, failed, since": {"profileId": "task-efficiency", "passed": "false", "since": "2026-01-01"},
    "text that many hold": {"q": "parser"},
    "text that one holds": {"q": "needle-777777"},
    "text that none holds": {"q": "no such text at all"},
}


def measure(arguments: argparse.Namespace) -> None:
    """p50 and p95 of each page over 40 requests (10 with --quick)."""
    rows = min(arguments.rows, 50_000) if arguments.quick else arguments.rows
    for database in databases(arguments.database):
        with site(database) as place:
            began = time.perf_counter()
            place.run("-m", "bench.million", str(rows))
            print(f"{database}: {rows:,} evaluations in {time.perf_counter() - began:.0f} s", flush=True)
            place.serve()
            _measure_pages(place, 10 if arguments.quick else 40)


def _measure_pages(place: Site, rounds: int) -> None:
    for kind, path in (("page", "/history"), ("API", "/api/scoring/history")):
        for name, parameters in PAGES.items():
            _measure_one(place, f"{kind}: {name}", f"{path}?{urllib.parse.urlencode(parameters)}", rounds)
    _measure_one(place, "API: deep page", _deep(place), rounds)
    _measure_one(place, "page: charts of all", "/history/charts", max(3, rounds // 10))


def _measure_one(place: Site, label: str, path: str, rounds: int) -> None:
    connection = place.connect()
    status, body = place.get(path, connection)
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        place.get(path, connection)
        times.append(time.perf_counter() - began)
    line(f"{place.database}, {label}", *milliseconds(times), f"{len(body) / 1024:.0f} KiB", f"status {status}")


def _deep(place: Site) -> str:
    """The address of a page in the middle of the history."""
    connection = place.connect()
    connection.request("GET", "/api/scoring/history?limit=1&until=2026-06-01")
    response = connection.getresponse()
    response.read()
    link = response.getheader("Link") or ""
    return link.partition(">")[0].lstrip("<").replace("limit=1&", "").replace("until=2026-06-01&", "")
