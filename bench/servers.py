"""A real server to measure: gunicorn on a free port, over a fresh database that is gone afterwards."""

import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent
POSTGRESQL = os.environ.get("PLUMBLINE_TEST_POSTGRES", "postgres://postgres@127.0.0.1:5432/postgres")
JSON = {"Content-Type": "application/json"}


@dataclass
class Site:
    """An installation of its own: its environment, and once it runs, its port."""

    database: str
    environment: dict[str, str]
    port: int = 0
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, *words: str) -> None:
        """Run `python WORDS` in this installation's environment; raises when it fails."""
        subprocess.run([sys.executable, *words], cwd=ROOT, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def serve(self) -> None:
        """Start the web server and wait until it answers."""
        log = (Path(self.environment["PLUMBLINE_DATA"]) / "web.log").open("wb")
        process = subprocess.Popen(
            [sys.executable, "-m", "config.launch", "web"], cwd=ROOT, env=self.environment, stdout=log, stderr=log
        )
        self.processes.append(process)
        for _ in range(300):
            try:
                if self.get("/healthz")[0] == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the server does not answer")

    def connect(self) -> http.client.HTTPConnection:
        """A connection that stays open."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def get(self, path: str, connection: http.client.HTTPConnection | None = None) -> tuple[int, bytes]:
        """Status and body."""
        return answer(connection or self.connect(), "GET", path)

    def post(self, path: str, body: object, connection: http.client.HTTPConnection | None = None) -> tuple[int, bytes]:
        """Status and body."""
        return answer(connection or self.connect(), "POST", path, json.dumps(body).encode())


def answer(
    connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None = None
) -> tuple[int, bytes]:
    """Status and body of one request."""
    connection.request(method, path, body, JSON if body is not None else {})
    response = connection.getresponse()
    return response.status, response.read()


def databases(choice: str) -> list[str]:
    """The databases to measure; PostgreSQL only where it answers."""
    names = ["sqlite", "postgresql"] if choice == "both" else [choice]
    if "postgresql" in names:
        try:
            psycopg.connect(POSTGRESQL, connect_timeout=3).close()
        except psycopg.OperationalError as error:
            print(f"PostgreSQL left out: {str(error).splitlines()[0]}")
            names.remove("postgresql")
    return names


@contextmanager
def site(database: str) -> Iterator[Site]:
    """A migrated installation on `database` (sqlite or postgresql), not served yet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        name = f"plumbline_bench_{os.getpid()}"
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.local"}
        environment |= {"PLUMBLINE_DATA": folder, "PLUMBLINE_PORT": str(port)}
        environment.pop("PLUMBLINE_DATABASE_URL", None)
        if database == "postgresql":
            _administer(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", f"CREATE DATABASE {name}")
            environment["PLUMBLINE_DATABASE_URL"] = POSTGRESQL.rpartition("/")[0] + f"/{name}"
        place = Site(database, environment, port)
        try:
            place.run("manage.py", "migrate", "-v", "0")
            yield place
        finally:
            for process in place.processes:
                process.terminate()
                process.wait(20)
            if database == "postgresql":
                _administer(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _administer(*statements: str) -> None:
    with psycopg.connect(POSTGRESQL, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[call-overload]


def clients(place: Site, count: int, requests: int, body: object, path: str) -> tuple[float, list[float], int]:
    """Post `body` `requests` times from `count` clients: seconds in all, each time, how many failed."""

    def client(share: int) -> tuple[list[float], int]:
        connection, times, failed = place.connect(), [], 0
        for _ in range(share):
            began = time.perf_counter()
            status, _ = place.post(path, body, connection)
            times.append(time.perf_counter() - began)
            failed += status != 201
        return times, failed

    began = time.perf_counter()
    with ThreadPoolExecutor(count) as pool:
        results = list(pool.map(client, [requests // count] * count))
    seconds = time.perf_counter() - began
    return seconds, [moment for times, _ in results for moment in times], sum(failed for _, failed in results)
