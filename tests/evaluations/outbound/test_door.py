"""Calls through the door: what is sent, and how little of a bad answer is needed to give up."""

import gzip
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from evaluations.outbound.clock import SystemClock
from evaluations.outbound.connections import Limits
from evaluations.outbound.door import Door, Request
from evaluations.outbound.errors import (
    BadAnswer,
    Canceled,
    OutboundError,
    RequestFault,
    TimedOut,
    TooLarge,
    Unreachable,
)
from evaluations.outbound.policy import EgressPolicy
from tests.evaluations.outbound.stubs import (
    Handler,
    answer,
    local_door,
    resetting,
    saying,
    saying_in_turn,
    saying_raw,
    serving,
)

SHORT = Limits(connect_s=1, read_s=0.3, total_s=0.6, body_bytes=10_000)
HEAD = b"HTTP/1.1 200 OK\r\n"


def _both(host: str) -> list[str]:
    return ["::1", "127.0.0.1"]


def _loopback(host: str) -> list[str]:
    return ["127.0.0.1"]


def failure(handler: Handler, limits: Limits = SHORT) -> OutboundError:
    with serving(handler) as stub, pytest.raises(OutboundError) as raised:
        local_door().fetch(Request(stub.url(), limits=limits))
    return raised.value


def test_what_is_sent() -> None:
    with serving(saying(201, b"\x00done", [("X-A", "1"), ("x-a", "2")])) as stub:
        got = local_door().fetch(Request(stub.url("/a?b=c"), "POST", [("X-Key", "k")], b"body", secrets=("k",)))
        received = stub.last
    assert (received.method, received.target, received.body) == ("POST", "/a?b=c", b"body")
    assert received.headers == {
        "host": f"127.0.0.1:{stub.port}",
        "user-agent": "Plumbline",
        "accept-encoding": "identity",
        "connection": "close",
        "content-length": "4",
        "x-key": "k",
    }
    assert (got.status, got.headers["x-a"], got.text()) == (201, "2", "\ufffddone")
    assert 0 <= got.timing["first_byte_ms"] <= got.timing["total_ms"]


@pytest.mark.parametrize("status", [204, 304, 404, 500])
def test_every_status_is_an_answer(status: int) -> None:
    with serving(saying_raw(f"HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n".encode())) as stub:
        assert local_door().fetch(Request(stub.url())).status == status


def test_json_is_read_strictly() -> None:
    bodies = ['{"a": NaN}', '{"a": 1, "a": 2}', '"\\ud800"', "[" * 70 + "]" * 70, "", "<html>", b"\xff"]
    for body in bodies:
        with serving(saying(200, body)) as stub, pytest.raises(BadAnswer, match="not JSON that can be used"):
            local_door().fetch(Request(stub.url())).json()
    with serving(saying(200, '{"a": [1]}')) as stub:
        assert local_door().fetch(Request(stub.url())).json() == {"a": [1]}


def test_a_byte_at_a_time_ends_at_the_total() -> None:
    started = time.monotonic()
    error = failure(saying_raw(HEAD + b"Content-Length: 100\r\n\r\n", *[b"x"] * 30, pause=0.1))
    assert isinstance(error, TimedOut)
    assert error.stage == "total"
    assert time.monotonic() - started < 1.5
    assert set(error.raw or "") == {"x"}


def test_dripping_headers_end_at_the_total() -> None:
    error = failure(saying_raw(HEAD, *[b"X-A: b\r\n"] * 30, pause=0.1))
    assert isinstance(error, TimedOut)
    assert error.stage == "total"


def test_silence_ends_before_the_total() -> None:
    error = failure(saying_raw(HEAD + b"Content-Length: 9\r\n\r\nx", b"y", pause=0.45))
    assert isinstance(error, TimedOut)
    assert (error.stage, error.retryable) == ("read", False)


def test_compressed_answers_are_refused_unread() -> None:
    bomb = gzip.compress(b"\0" * 20_000_000)
    for name in ("gzip", "GZIP", "br", "deflate", "zstd", "identity, gzip"):
        error = failure(saying(200, bomb, [("Content-Encoding", name)]), Limits())
        assert isinstance(error, BadAnswer)
        assert "compressed" in error.message
    with serving(saying(200, b"plain", [("Content-Encoding", "identity")])) as stub:
        assert local_door().fetch(Request(stub.url())).body == b"plain"


def test_a_long_answer_is_refused_by_its_length_and_by_its_bytes() -> None:
    assert isinstance(failure(saying_raw(HEAD + b"Content-Length: 20000000\r\n\r\n")), TooLarge)
    endless = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    assert isinstance(failure(saying_raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[endless] * 20)), TooLarge)
    assert isinstance(failure(saying_raw(HEAD + b"\r\n", b"x" * 20_000)), TooLarge)
    with serving(saying(200, b"x" * 10_000)) as stub:
        assert len(local_door().fetch(Request(stub.url(), limits=SHORT)).body) == 10_000


def test_twenty_megabytes_are_too_many() -> None:
    with serving(saying(200, b"x" * 20_000_000)) as stub, pytest.raises(TooLarge, match="10,000,000"):
        local_door().fetch(Request(stub.url()))


@pytest.mark.parametrize(
    "filler", [b"X-A: " + b"y" * 70_000 + b"\r\n", b"X-A: " + b"y" * 200_000 + b"\r\n", b"X: y\r\n" * 20_000]
)
def test_large_headers_are_refused(filler: bytes) -> None:
    error = failure(saying_raw(HEAD + filler + b"\r\n"), Limits(total_s=5))
    assert isinstance(error, TooLarge)
    assert "headers" in error.message


def test_informational_answers_without_end_are_not_read_for_ever() -> None:
    error = failure(saying_raw(*[b"HTTP/1.1 100 Continue\r\n\r\n" * 2_000] * 20), Limits(body_bytes=10_000, total_s=5))
    assert isinstance(error, TooLarge)


def test_one_byte_chunks_are_read_in_their_time() -> None:
    body = HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 10_000 + b"0\r\n\r\n"
    with serving(saying_raw(body)) as stub:
        assert local_door().fetch(Request(stub.url())).body == b"x" * 10_000


def test_connections_that_end_without_an_answer_may_be_made_again() -> None:
    for handler in (resetting, saying_raw(), saying_raw(b"")):
        error = failure(handler)
        assert isinstance(error, Unreachable)
        assert error.retryable


@pytest.mark.parametrize(
    "pieces", [[HEAD + b"Content-Length: 9\r\n\r\nabc"], [HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab"], [HEAD]]
)
def test_connections_that_end_within_an_answer_are_bad_answers(pieces: list[bytes]) -> None:
    error = failure(saying_raw(*pieces))
    assert isinstance(error, BadAnswer)
    assert "broke" in error.message
    assert not error.retryable


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\xff" * 50,
        b"SSH-2.0-OpenSSH_9\r\n\r\n",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        HEAD + b"no colon\r\n\r\n",
    ],
)
def test_what_is_no_http_is_a_bad_answer(data: bytes) -> None:
    error = failure(saying_raw(data))
    assert isinstance(error, BadAnswer)
    assert "no HTTP" in error.message


def test_a_port_where_nobody_listens() -> None:
    with serving(saying(200)) as stub:
        url = stub.url()
    with pytest.raises(Unreachable, match="cannot be connected to"):
        local_door().fetch(Request(url))


def test_the_second_address_is_tried_when_the_first_does_not_answer() -> None:
    with serving(saying(200, "second")) as stub:
        door = local_door(resolver=_both)
        assert door.fetch(Request(f"http://both.example:{stub.port}/")).body == b"second"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_get_follows_redirects_and_leaves_credentials_behind(status: int) -> None:
    with serving(saying(200, "there")) as other:
        moved = saying(status, headers=[("Location", other.url("/x"))])
        near = saying(status, headers=[("Location", "/near")])
        with serving(saying_in_turn(near, moved)) as stub:
            got = local_door().fetch(Request(stub.url(), headers=[("Authorization", "k"), ("X-Other", "k")]))
            assert got.body == b"there"
            assert [received.headers["authorization"] for received in stub.requests] == ["k", "k"]
        assert {"authorization", "x-other"} & set(other.last.headers) == set()
        assert other.last.target == "/x"


def test_a_post_is_never_sent_on() -> None:
    with serving(saying(200)) as other, serving(saying(307, headers=[("Location", other.url())])) as stub:
        assert local_door().fetch(Request(stub.url(), "POST", body=b"x")).status == 307
        assert other.connections == 0


def test_redirects_end() -> None:
    with serving(saying(302, headers=[("Location", "/again")])) as stub:
        with pytest.raises(BadAnswer, match="more than 3 times"):
            local_door().fetch(Request(stub.url()))
        assert stub.connections == 4


def test_the_total_counts_all_redirects_together() -> None:
    def slow(connection: object, received: object) -> None:
        time.sleep(0.25)
        connection.sendall(answer(302, headers=[("Location", "/again")]))  # type: ignore[attr-defined]

    error = failure(slow)
    assert isinstance(error, TimedOut)
    assert error.stage == "total"


@pytest.mark.parametrize(
    "header",
    [
        ("Host", "x"),
        ("content-length", "3"),
        ("Transfer-Encoding", "chunked"),
        ("Accept-Encoding", "gzip"),
        ("Proxy-Authorization", "x"),
        ("X-A", "a\r\nX-B: c"),
        ("X-A", "\x00"),
        ("X A", "b"),
        ("", "b"),
        ("X-A", " b"),
        ("X-A", "\ud800"),
        ("X-A", "b" * 20_000),
    ],
)
def test_headers_that_may_not_be_sent(header: tuple[str, str]) -> None:
    with serving(saying(200)) as stub:
        with pytest.raises(RequestFault):
            local_door().fetch(Request(stub.url(), headers=[header]))
        assert stub.connections == 0


def test_a_canceled_call_ends_at_once() -> None:
    cancel = threading.Event()
    with serving(saying_raw(HEAD, b"\r\n", pause=1)) as stub:
        door = local_door().with_clock(SystemClock(cancel))
        threading.Timer(0.1, cancel.set).start()
        started = time.monotonic()
        with pytest.raises(Canceled):
            door.fetch(Request(stub.url()))
        assert time.monotonic() - started < 0.8


def test_secrets_are_cut_out_of_what_is_kept() -> None:
    with serving(saying_raw(HEAD + b"Content-Length: 99\r\n\r\nthe key is hunter22!")) as stub:
        with pytest.raises(BadAnswer) as raised:
            local_door().fetch(Request(stub.url(), secrets=("hunter22",)))
        assert raised.value.raw == "the key is •••!"
        assert "hunter22" not in repr(Request("http://a/", secrets=("hunter22",)))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=secure.example"
    )
    names = ["-addext", "subjectAltName=DNS:secure.example"]
    subprocess.run([*command.split(), *names, "-keyout", path, "-out", f"{path}.crt"], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


def test_tls_keeps_the_name_and_checks_the_certificate(certificate: Path) -> None:
    seen: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.sni_callback = lambda _, name, __: seen.append(name)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]

    def serve() -> None:
        for _ in range(3):
            raw, _address = listener.accept()
            try:
                with context.wrap_socket(raw, server_side=True) as connection:
                    connection.recv(65_536)
                    connection.sendall(answer(200, "sealed"))
            except OSError:
                raw.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    trusting = ssl.create_default_context(cafile=str(certificate))
    door = local_door(resolver=_loopback, tls=trusting)
    assert door.fetch(Request(f"https://secure.example:{port}/")).body == b"sealed"
    assert seen == ["secure.example"]
    with pytest.raises(Unreachable, match="certificate") as raised:
        door.fetch(Request(f"https://other.example:{port}/"))
    assert not raised.value.retryable
    with pytest.raises(Unreachable, match="certificate"):
        Door(EgressPolicy.of([], local_mode=True), resolver=_loopback).fetch(Request(f"https://secure.example:{port}/"))
    thread.join(5)
    listener.close()


def test_a_server_without_tls() -> None:
    def handler(connection: object, received: object) -> None:
        return

    with serving(handler) as stub, pytest.raises((Unreachable, TimedOut)):
        local_door().fetch(Request(f"https://127.0.0.1:{stub.port}/", limits=Limits(connect_s=0.5)))
