"""`python -m config.launch up` with real processes: what it starts, refuses, restarts and leaves."""

import contextlib
import json
import os
import signal
import socket
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from tests.config.running import Running, environment, free_port, launch, running, until
from tests.requirements import REDIS, need

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("installation") / "data") as up:
        up.wait_until_ready()
        yield up


def refusal(result: object) -> str:
    """The one line on standard error of a command that was refused."""
    assert result.returncode == 1, result.stderr
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_it_prints_the_address_at_which_it_answers(server: Running) -> None:
    assert f"Plumbline is ready: http://127.0.0.1:{server.port}/" in server.output
    assert server.get("/") == (200, b"hello")
    assert until(lambda: server.get("/healthz")[1] == b'{"status": "ok", "database": "ok", "worker": "ok"}')


def test_status_says_that_both_live(server: Running) -> None:
    assert until(lambda: launch(server.variables, "status", "worker").returncode == 0)
    result = launch(server.variables, "status")
    assert result.returncode == 0
    assert result.stdout.startswith("web: answers")
    assert "worker: alive" in result.stdout


def test_a_second_up_on_the_same_folder_is_refused(server: Running) -> None:
    line = refusal(launch({**server.variables, "PLUMBLINE_PORT": str(free_port())}, "up"))
    assert f"already running on the data folder {server.folder} (process {server.process.pid})" in line
    assert server.get("/")[0] == 200


def test_a_port_in_use_is_refused(server: Running, tmp_path: Path) -> None:
    line = refusal(launch({**server.variables, "PLUMBLINE_DATA": str(tmp_path)}, "up"))
    assert line == (
        f"plumbline: Port {server.port} on 127.0.0.1 is in use by another program. Set PLUMBLINE_PORT to a free one."
    )


def test_a_backup_taken_while_it_runs_is_whole(server: Running, tmp_path: Path) -> None:
    target = tmp_path / "copy.sqlite3"
    assert launch(server.variables, "backup", str(target)).returncode == 0
    assert target.stat().st_mode & 0o077 == 0
    with contextlib.closing(sqlite3.connect(target)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT count(*) FROM operations_periodicjob").fetchone()[0] >= 4
    assert "exists already" in refusal(launch(server.variables, "backup", str(target)))


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_child_that_is_killed_is_started_again(server: Running, name: str) -> None:
    assert until(lambda: server.leader(name) is not None)
    before = set(server.processes(name))
    os.kill(server.leader(name), signal.SIGKILL)
    assert until(lambda: not before & set(server.processes(name)), 10), "the old processes are still there"
    assert until(lambda: server.leader(name) is not None, 10), server.output
    assert f"the {name} process ended by signal 9; it starts again" in server.output
    # Browsers wait for the new server instead of being refused.
    assert server.get("/") == (200, b"hello")


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"PLUMBLINE_PORT": "70000"}, "PLUMBLINE_PORT is '70000'; it must be a whole number from 1 to 65535."),
        ({"PLUMBLINE_PORT": "http"}, "PLUMBLINE_PORT is 'http'"),
        ({"PLUMBLINE_WEB_WORKERS": "0"}, "PLUMBLINE_WEB_WORKERS is '0'"),
        ({"PLUMBLINE_WEB_THREADS": "many"}, "PLUMBLINE_WEB_THREADS is 'many'"),
        ({"PLUMBLINE_LOG_LEVEL": "LOUD"}, "PLUMBLINE_LOG_LEVEL is 'LOUD'; it must be one of"),
        ({"PLUMBLINE_DATABASE_URL": "foo"}, "PLUMBLINE_DATABASE_URL is not a database's address"),
        ({"PLUMBLINE_DATABASE_URL_FILE": "/nowhere"}, "PLUMBLINE_DATABASE_URL_FILE names /nowhere"),
        ({"PLUMBLINE_BIND": "0.0.0.0"}, "PLUMBLINE_BIND is 0.0.0.0, which other machines reach"),
        ({"PLUMBLINE_BIND": "192.0.2.1"}, "PLUMBLINE_BIND is 192.0.2.1, which other machines reach"),
        ({"PLUMBLINE_BIND": "::"}, "PLUMBLINE_BIND is ::, which other machines reach"),
        ({"DJANGO_SETTINGS_MODULE": "config.settings.absent"}, "The settings module config.settings.absent"),
        ({"DJANGO_SETTINGS_MODULE": "config.settings.production"}, "PLUMBLINE_SECRET_KEY is not set"),
    ],
    ids=lambda value: next(iter(value)) + "=" + next(iter(value.values())) if isinstance(value, dict) else "",
)
def test_a_wrong_value_is_one_clear_line(tmp_path: Path, variables: dict[str, str], words: str) -> None:
    assert words in refusal(launch({**environment(tmp_path, free_port()), **variables}, "up"))


def test_a_folder_that_cannot_be_written_to_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("not a folder")
    line = refusal(launch(environment(file / "data", free_port()), "up"))
    assert f"The data folder {file / 'data'} cannot be written to (Not a directory). Set PLUMBLINE_DATA" in line


def test_a_database_that_is_none_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "plumbline.sqlite3").write_bytes(b"this is no database, and longer than its header is. " * 40)
    line = refusal(launch(environment(tmp_path, free_port()), "up"))
    assert "The database cannot be brought up to date: file is not a database" in line


def test_a_web_server_that_cannot_load_stops_the_start(tmp_path: Path) -> None:
    variables = environment(tmp_path, free_port(), PLUMBLINE_TEST_FAULT="web")
    result = launch(variables, "up")
    assert result.returncode == 1
    assert "The web server ended before it answered" in result.stderr.splitlines()[-1]


def test_an_unknown_command_lists_the_known_ones(tmp_path: Path) -> None:
    result = launch(environment(tmp_path, free_port()), "fly")
    assert result.returncode == 2
    assert "backup" in result.stderr


def test_one_ctrl_c_stops_all_and_a_second_start_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with running(folder) as first:
        first.wait_until_ready()
        key = (folder / "secret-key").read_bytes()
        with contextlib.closing(sqlite3.connect(folder / "plumbline.sqlite3", timeout=20)) as database, database:
            database.execute("INSERT INTO operations_periodicjob (name, error) VALUES ('kept', 'x')")
        first.process.send_signal(signal.SIGINT)
        assert first.process.wait(20) == 0, first.output
        assert first.processes() == {}
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", first.port)) != 0
    with running(folder) as second:
        second.wait_until_ready()
        assert (folder / "secret-key").read_bytes() == key
        with contextlib.closing(sqlite3.connect(folder / "plumbline.sqlite3", timeout=20)) as database:
            assert database.execute("SELECT error FROM operations_periodicjob WHERE name = 'kept'").fetchone() == ("x",)


def test_a_second_start_takes_less_than_five_seconds(tmp_path: Path) -> None:
    for _ in range(2):
        with running(tmp_path / "data") as up:
            seconds = up.wait_until_ready()
    # On a machine that is busy with other things the clock on the wall says nothing about us.
    assert seconds < 5 * max(1, os.getloadavg()[0] / (os.cpu_count() or 1))


def test_make_up_serves_the_real_pages_with_the_built_in_profiles(tmp_path: Path) -> None:
    folder, port = tmp_path / "data", free_port()
    variables = environment(folder, port, DJANGO_SETTINGS_MODULE="config.settings.local")
    up = Running(folder, port, variables, ["make", "up", f"VENV={sys.prefix}"])
    try:
        up.wait_until_ready()
        assert up.get("/")[0] == 200
        status, body = up.get("/api/scoring/profiles")
        assert status == 200
        assert len(json.loads(body)) == 3
        assert "Traceback" not in up.output
        assert "Warning" not in up.output
    finally:
        up.end()


def test_nothing_outlives_a_supervisor_that_was_killed(tmp_path: Path) -> None:
    with running(tmp_path / "data") as up:
        up.wait_until_ready()
        assert until(lambda: up.leader("worker") is not None)
        assert len(up.processes()) >= 4
        up.process.kill()
        up.process.wait()
        assert until(lambda: up.processes() == {}, 10), up.processes()
        # And the folder and the port are free again at once.
        again = Running(up.folder, up.port, up.variables)
        try:
            again.wait_until_ready(times=2)
        finally:
            again.end()


def test_with_a_broker_the_beats_travel_through_it(tmp_path: Path) -> None:
    need("redis")
    with redis.Redis.from_url(REDIS) as client:
        client.flushdb()
    with running(tmp_path / "data", PLUMBLINE_BROKER_URL=REDIS) as up:
        up.wait_until_ready()
        assert launch(up.variables, "status", "worker").returncode == 1
        assert until(lambda: launch(up.variables, "status", "worker").returncode == 0, 30), up.output
        assert {"web", "worker", "beat"} <= {name for name in ("web", "worker", "beat") if up.leader(name)}
        up.process.kill()
        up.process.wait()
        assert until(lambda: up.processes() == {}, 20), up.processes()


def test_beat_needs_a_broker(tmp_path: Path) -> None:
    assert "PLUMBLINE_BROKER_URL is not set" in refusal(launch(environment(tmp_path, free_port()), "beat"))


def test_a_stop_while_it_prepares_leaves_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "data") as up:
        assert until(lambda: bool(up.processes("prepare")))
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait(20) == 0, up.output
        assert up.processes() == {}


def test_it_ends_with_the_make_that_started_it(tmp_path: Path) -> None:
    folder, port = tmp_path / "data", free_port()
    makefile = tmp_path / "Makefile"
    makefile.write_text("up:\n\t@$(PYTHON) -m config.launch up\n")
    command = ["make", "-f", str(makefile), "up", f"PYTHON={sys.executable}"]
    up = Running(folder, port, environment(folder, port), command)
    try:
        up.wait_until_ready()
        up.process.kill()
        up.process.wait()
        assert until(lambda: up.processes() == {}, 15), up.processes()
    finally:
        up.end()
