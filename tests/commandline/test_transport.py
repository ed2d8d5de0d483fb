"""The network for real: what is sent, and each way in which a server can fail to answer."""

import json
import socket
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from commandline.failures import Failure
from commandline.transport import Wanted, sender
from tests.config.running import ROOT, free_port
from tests.evaluations.outbound.stubs import answer, resetting, saying, saying_raw, serving


def plumbline(url: str, *words: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """The client as people start it, in a process of its own."""
    environment = {"PATH": "/usr/bin:/bin", "PLUMBLINE_BASE_URL": url, "PYTHONWARNINGS": "error", **variables}
    command = [sys.executable, "-m", "commandline", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=30, check=False)


def failed(url: str, seconds: float = 5) -> Failure:
    """The failure of asking there."""
    with pytest.raises(Failure) as caught:
        read_whole(url, seconds)
    return caught.value


def read_whole(url: str, seconds: float) -> None:
    with sender(seconds)(Wanted("GET", url)) as said:
        while said.read(1000):
            pass


def test_a_request_carries_its_method_body_and_token() -> None:
    with serving(saying(201, '{"id": "proj_1"}', [("Content-Type", "application/json")])) as stub:
        done = plumbline(stub.url(""), "create-project", "--name", "ä", PLUMBLINE_TOKEN="at_1")
        assert (done.returncode, done.stdout, done.stderr) == (0, b'{\n  "id": "proj_1"\n}\n', b"")
        sent = stub.last
    assert (sent.method, sent.target, sent.json()) == ("POST", "/api/v1/projects", {"name": "ä"})
    assert sent.headers["authorization"] == "Bearer at_1"
    assert sent.headers["content-type"] == "application/json"


def test_a_post_without_a_body_is_a_post() -> None:
    with serving(saying(200, "{}", [("Content-Type", "application/json")])) as stub:
        assert plumbline(stub.url(""), "cancel-eval-run", "eval_1", "evrun_1").returncode == 0
        assert stub.last.method == "POST"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with serving(saying(200, "{}")) as away, serving(saying(status, "", [("Location", away.url())])) as stub:
        done = plumbline(stub.url(""), "list-projects", PLUMBLINE_TOKEN="at_1")
        assert (done.returncode, json.loads(done.stderr)["error"]["code"]) == (1, "REDIRECTED")
        assert away.connections == 0


def test_nobody_listening_is_one_json_error() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    done = plumbline(url, "list-projects")
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, done.stdout, error["code"]) == (1, b"", "UNREACHABLE")
    assert url in error["message"]
    assert "PLUMBLINE_BASE_URL" in error["hint"]


def test_a_server_that_says_nothing_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        done = plumbline(url, "list-projects", PLUMBLINE_TIMEOUT="0.3")
    error = json.loads(done.stderr)["error"]
    assert (done.returncode, error["code"]) == (1, "UNREACHABLE")
    assert error["message"] == f"{url} did not answer within 0.3 s."


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "nan"])
def test_a_time_out_that_is_none_is_refused(seconds: str) -> None:
    done = plumbline("http://127.0.0.1:1", "list-projects", PLUMBLINE_TIMEOUT=seconds)
    assert (done.returncode, json.loads(done.stderr)["error"]["code"]) == (2, "USAGE")


@pytest.mark.parametrize(
    "handler",
    [
        resetting,
        saying_raw(b"SSH-2.0-server\r\n"),
        saying_raw(b""),
        saying_raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}"),
        saying_raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
    ],
    ids=["reset", "no HTTP", "closed", "too short", "bad chunk"],
)
def test_an_answer_that_breaks_off_is_an_error(handler: Any) -> None:
    with serving(handler) as stub:
        assert failed(stub.url()).code == "UNREACHABLE"


def test_a_silence_within_an_answer_is_an_error() -> None:
    pieces = (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{", b"}")
    with serving(saying_raw(*pieces, pause=1)) as stub:
        assert "did not answer within 0.2 s" in failed(stub.url(), 0.2).message


def test_an_unknown_host_is_an_error() -> None:
    assert failed("http://plumbline.invalid/").code == "UNREACHABLE"


def test_a_large_file_streams_through_unchanged() -> None:
    body = bytes(range(256)) * 20_000
    with serving(saying(200, body, [("Content-Type", "text/csv")])) as stub:
        done = plumbline(stub.url(""), "export-eval-run", "e", "r")
    assert (done.returncode, done.stdout == body) == (0, True)


def test_a_reader_who_has_read_enough_ends_it_quietly() -> None:
    with serving(saying(200, b"x" * 3_000_000, [("Content-Type", "text/csv")])) as stub:
        environment: Mapping[str, str] = {"PATH": "/usr/bin:/bin", "PLUMBLINE_BASE_URL": stub.url("")}
        script = f"{sys.executable} -m commandline export-eval-run e r | head -c 10"
        done = subprocess.run(
            ["sh", "-c", script], cwd=ROOT, env=environment, capture_output=True, timeout=30, check=False
        )
    assert (done.stdout, done.stderr) == (b"x" * 10, b"")


def test_a_refusal_over_the_network_is_the_servers_words() -> None:
    body = '{"error":{"code":"NAME_CONFLICT","message":"Taken.","hint":"","meta":{}}}'
    with serving(saying_raw(answer(409, body, [("Content-Type", "application/json")]))) as stub:
        done = plumbline(stub.url(""), "create-project", "--name", "x")
    assert (done.returncode, json.loads(done.stderr)["error"]["code"]) == (1, "NAME_CONFLICT")
