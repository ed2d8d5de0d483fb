"""About 150 ways to reach what is not public, and a listener that nothing reaches."""

import itertools
import socket
import time
from collections.abc import Iterator

import pytest

from evaluations.outbound.clock import SystemClock
from evaluations.outbound.connections import Limits
from evaluations.outbound.door import Door, Request
from evaluations.outbound.errors import BadAnswer, Blocked, InvalidUrl
from evaluations.outbound.policy import EgressPolicy
from tests.evaluations.outbound.stubs import Stub, local_door, saying, serving

# What names would give on a network that means ill. Every other name is asked of nobody.
NAMES = {
    "localhost": ["127.0.0.1"],
    "localhost.localdomain": ["127.0.0.1"],
    "127.0.0.1.nip.example": ["127.0.0.1"],
    "metadata.google.internal": ["169.254.169.254"],
    "mixed.example": ["8.8.8.8", "127.0.0.1"],
    "mixed6.example": ["2606:4700::1", "::1"],
    "six.example": ["::1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "nat64.example": ["64:ff9b::7f00:1"],
    "zone.example": ["fe80::1%eth0"],
    "db": ["10.0.0.7"],
    "redis.internal": ["172.16.3.4"],
    "cgnat.example": ["100.64.0.1"],
    "any.example": ["0.0.0.0"],
    "any6.example": ["::"],
    "empty.example": [],
}

FORMS = [
    "http://127.1:{port}/",
    "http://127.0.1:{port}/",
    "http://0x7f.1:{port}/",
    "http://0x7f000001:{port}/",
    "http://2130706433:{port}/",
    "http://017700000001:{port}/",
    "http://0177.0.0.1:{port}/",
    "http://0:{port}/",
    "http://127.0.0.01:{port}/",
    "http://00127.0.0.1:{port}/",
    "http://127.0.0.1.:{port}/",
    "http://①②⑦.0.0.1:{port}/",
    "http://127。0。0。1:{port}/",
    "http://127．0．0．1:{port}/",
    "http://１２７.0.0.1:{port}/",
    "http://0x7F.0x0.0x0.0x1:{port}/",
    "http://127.0.0.1:{port}/",
    "http://127.255.255.254:{port}/",
    "http://0.0.0.0:{port}/",
    "http://256.0.0.1:{port}/",
    "http://127.0.0.1.1:{port}/",
    "http://[::1]:{port}/",
    "http://[::]:{port}/",
    "http://[0:0:0:0:0:0:0:1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/",
    "http://[::ffff:7f00:1]:{port}/",
    "http://[::127.0.0.1]:{port}/",
    "http://[64:ff9b::7f00:1]:{port}/",
    "http://[64:ff9b:1::7f00:1]:{port}/",
    "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::80ff:fffe]:{port}/",
    "http://[fe80::1%25eth0]:{port}/",
    "http://[fe80::1%eth0]:{port}/",
    "http://[::1%251]:{port}/",
    "http://[fe80::1]:{port}/",
    "http://[fec0::1]:{port}/",
    "http://[fc00::1]:{port}/",
    "http://[fd00:ec2::254]/",
    "http://[ff02::1]:{port}/",
    "http://[100::1]/",
    "http://[2001:db8::1]/",
    "http://[::ffff:0:127.0.0.1]:{port}/",
    "http://[v1.127.0.0.1]:{port}/",
    "http://[127.0.0.1]:{port}/",
    "http://[]:{port}/",
    "http://[::1:{port}/",
    "http://::1:{port}/",
    "http://[[::1]]:{port}/",
    "http://[::1]x:{port}/",
    "http://localhost:{port}/",
    "http://LOCALHOST:{port}/",
    "http://localhost.:{port}/",
    "http://LocalHost.LocalDomain:{port}/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}/",
    "http://ｌｏｃａｌｈｏｓｔ:{port}/",
    "http://127.0.0.1.nip.example:{port}/",
    "http://metadata.google.internal/",
    "http://mixed.example:{port}/",
    "http://mixed6.example:{port}/",
    "http://six.example:{port}/",
    "http://mapped.example:{port}/",
    "http://nat64.example:{port}/",
    "http://zone.example:{port}/",
    "http://db:{port}/",
    "http://redis.internal:{port}/",
    "http://cgnat.example/",
    "http://any.example:{port}/",
    "http://any6.example:{port}/",
    "http://empty.example:{port}/",
    "http://unknown.example:{port}/",
    "https://localhost:{port}/",
    "https://127.0.0.1:{port}/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.170.2/",
    "http://168.63.129.16/",
    "http://100.100.100.200/",
    "http://192.0.0.192/",
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://192.168.255.255/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://198.18.0.1/",
    "http://198.51.100.1/",
    "http://203.0.113.1/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://224.0.0.1/",
    "http://239.255.255.255/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://0.1.2.3/",
    "http://user@127.0.0.1:{port}/",
    "http://user:pass@127.0.0.1:{port}/",
    "http://example.com@127.0.0.1:{port}/",
    "http://@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@example.com/",
    "http://example.com:80@127.0.0.1:{port}/",
    "http://example.com#@127.0.0.1:{port}/x@",
    "http://127.0.0.1:{port}#@example.com/",
    "http://127.0.0.1:{port}?@example.com/",
    "http:/127.0.0.1:{port}/",
    "http:127.0.0.1:{port}/",
    "http:///127.0.0.1:{port}/",
    "//127.0.0.1:{port}/",
    "/127.0.0.1",
    "127.0.0.1:{port}",
    "http://%31%32%37.0.0.1:{port}/",
    "http://127%2e0.0.1:{port}/",
    "http://localhost%00.example:{port}/",
    "http://localhost%2f.example:{port}/",
    "http://127.0.0.1%0a:{port}/",
    "http://127.0.0.1:0/",
    "http://127.0.0.1:65536/",
    "http://127.0.0.1:99999999/",
    "http://127.0.0.1:-1/",
    "http://127.0.0.1:+{port}/",
    "http://127.0.0.1:{port}x/",
    "http://127.0.0.1:0x50/",
    "http://127.0.0.1:{port}:{port}/",
    "http://127.0.0.1::{port}/",
    "http://127.0.0.1:/",
    "http://:{port}/",
    "http://.:{port}/",
    "http://..:{port}/",
    "http://-a.example:{port}/",
    "http://a..b:{port}/",
    "http://a,b:{port}/",
    "http://127.0.0.1,example.com:{port}/",
    "http://127.0.0.1;example.com:{port}/",
    "http://(127.0.0.1):{port}/",
    "http://$127.0.0.1:{port}/",
    "http://*:{port}/",
    "ftp://127.0.0.1:{port}/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "dict://127.0.0.1:{port}/",
    "ws://127.0.0.1:{port}/",
    "unix:///var/run/docker.sock",
    "data:text/plain,x",
    "javascript:alert(1)",
    "jar:http://127.0.0.1:{port}/!/",
    "ldap://127.0.0.1:{port}/",
    "http+unix://x/",
    "httpx://127.0.0.1/",
    "HTTP//127.0.0.1:{port}/",
    "view-source:http://127.0.0.1:{port}/",
    "mailto:a@b",
    "about:blank",
    "http://8.8.8.8:6379/",
    "http://8.8.8.8:25/",
    "http://8.8.8.8:22/",
    "https://8.8.8.8:5432/",
    "http://8.8.8.8:11211/",
    "http://8.8.8.8:2375/",
    "http://8.8.8.8:9200/",
]
SPACED = [
    " http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}/ ",
    "http:// 127.0.0.1:{port}/",
    "http://127.0.0.1\t:{port}/",
    "http://127.0.0.1:{port}/\r\nHost: x",
    "http://127.0.0.1:{port}\\@example.com/",
    "http:\\\\127.0.0.1:{port}\\",
    "http://example.com\\@127.0.0.1:{port}/",
    "http://127.0.0.1\x00.example:{port}/",
    "http://127.0.0.1\u2028:{port}/",
    "http://127.0.0.1\u200b:{port}/",
    "http://\ud800:{port}/",
    "ht\ntp://127.0.0.1:{port}/",
    "\ufeffhttp://127.0.0.1:{port}/",
    "http://" + "a" * 300 + ":{port}/",
    "http://" + "a." * 150 + ":{port}/",
    "http://127.0.0.1:{port}/" + "a" * 9_000,
    "",
    "http://",
    "https://",
]
HOSTILE = FORMS + SPACED


def names(host: str) -> list[str]:
    if host not in NAMES:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return NAMES[host]


@pytest.fixture(scope="module")
def canary() -> Iterator[Stub]:
    with serving(saying(200, "reached")) as stub:
        yield stub


def test_the_table_is_long_enough() -> None:
    assert len(set(HOSTILE)) >= 150


@pytest.mark.parametrize("template", HOSTILE)
def test_nothing_is_reached(template: str, canary: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    dialed: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, address: dialed.append(address))
    with pytest.raises((InvalidUrl, Blocked)) as raised:
        Door(EgressPolicy.of([]), resolver=names).fetch(Request(template.replace("{port}", str(canary.port))))
    assert raised.value.message.endswith(".")
    assert dialed == []
    assert canary.connections == 0


@pytest.mark.parametrize("template", SPACED)
def test_a_strange_form_stays_refused_where_loopback_is_allowed(template: str, canary: Stub) -> None:
    with pytest.raises((InvalidUrl, Blocked)):
        local_door(resolver=names).fetch(Request(template.replace("{port}", str(canary.port))))
    assert canary.connections == 0


def test_what_is_allowed_is_reached() -> None:
    with serving(saying(200, "reached")) as stub:
        door = Door(EgressPolicy.of([f"localhost:{stub.port}"]), resolver=names)
        assert door.fetch(Request(f"http://localhost:{stub.port}/")).body == b"reached"
        assert stub.last.headers["host"] == f"localhost:{stub.port}"


def test_a_name_is_resolved_once_so_that_a_second_answer_changes_nothing() -> None:
    """DNS rebinding: public at first, loopback from then on."""
    answers = itertools.chain([["8.8.8.8"]], itertools.repeat(["127.0.0.1"]))
    asked: list[str] = []

    def rebinding(host: str) -> list[str]:
        asked.append(host)
        return next(answers)

    dialed: list[tuple[str, int]] = []

    def connect(sock: socket.socket, address: tuple[str, int]) -> None:
        dialed.append(address)
        raise ConnectionRefusedError

    with serving(saying(200)) as canary, pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        door = Door(EgressPolicy.of([]), resolver=rebinding)
        for _ in range(3):
            with pytest.raises(Exception, match=r"rebind\.example"):
                door.fetch(Request(f"http://rebind.example:{canary.port}/"))
        assert dialed == [("8.8.8.8", canary.port)]
        assert asked == ["rebind.example"] * 3
        patch.undo()
        assert canary.connections == 0


def test_each_redirect_is_checked_like_the_first_address() -> None:
    with serving(saying(200, "secret")) as canary:
        targets = [
            canary.url(),
            f"http://localhost:{canary.port}/",
            "http://169.254.169.254/",
            f"//127.1:{canary.port}/",
            "file:///etc/passwd",
            f"http://a@127.0.0.1:{canary.port}/",
            f"http://[::ffff:127.0.0.1]:{canary.port}/",
        ]
        for target in targets:
            with serving(saying(302, headers=[("Location", target)])) as stub:
                door = Door(EgressPolicy.of([f"front.example:{stub.port}"]), resolver=_front)
                with pytest.raises((Blocked, BadAnswer)):
                    door.fetch(Request(f"http://front.example:{stub.port}/"))
                assert stub.connections == 1
        assert canary.connections == 0


def _front(host: str) -> list[str]:
    return ["127.0.0.1"] if host == "front.example" else names(host)


def test_a_name_server_that_is_silent_is_not_waited_for() -> None:
    door = Door(EgressPolicy.of([]), clock=SystemClock(), resolver=_silent)
    with pytest.raises(Blocked) as raised:
        door.fetch(Request("http://slow.example/", limits=Limits(connect_s=0.2)))
    assert raised.value.retryable
    assert "did not answer in time" in raised.value.operator_message


def _silent(host: str) -> list[str]:
    time.sleep(1)
    return ["8.8.8.8"]


def test_proxies_of_the_environment_play_no_part(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(saying(200, "direct")) as stub, serving(saying(200, "proxied")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        assert local_door().fetch(Request(stub.url())).body == b"direct"
        assert proxy.connections == 0
