"""One event posted: what is sent, what counts as taken, and that receivers can check who sent it."""

import hashlib
import hmac
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from evaluations.outbound.door import Door
from evaluations.outbound.policy import EgressPolicy
from evaluations.outbound.webhooks import LIMITS, Posted, post_event, signature
from foundation import strict_json
from tests.evaluations.outbound.stubs import Received, answer, local_door, saying, saying_raw, serving

SECRET = "whsec_of_a_test"
PAYLOAD = {"id": "hkdel_1", "run": {"name": "Straße <b>", "pass_rate": 0.1}}
DOCUMENT = Path(__file__).parents[3] / "docs" / "api.md"


def post(url: str, door: Door | None = None) -> Posted:
    return post_event(
        door or local_door(), url=url, secret=SECRET, event="ping", delivery_id="hkdel_1", payload=PAYLOAD
    )


def documented_check() -> Any:
    """The function that docs/api.md gives to receivers."""
    blocks = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    [source] = [block for block in blocks if "def is_genuine" in block]
    names: dict[str, Any] = {}
    exec(compile(source, str(DOCUMENT), "exec"), names)  # noqa: S102 - our own document
    return names["is_genuine"]


def test_what_is_sent_is_signed_json_and_the_document_s_check_takes_it() -> None:
    with serving(saying(204)) as stub:
        assert post(stub.url("/hook?a=b")) == Posted(204)
    sent = stub.last
    assert (sent.method, sent.target, strict_json.loads(sent.body)) == ("POST", "/hook?a=b", PAYLOAD)
    assert sent.headers["content-type"] == "application/json"
    assert (sent.headers["plumbline-event"], sent.headers["plumbline-delivery"]) == ("ping", "hkdel_1")
    given = sent.headers["plumbline-signature"]
    moment = re.fullmatch(r"t=(\d{10}),v1=[0-9a-f]{64}", given)
    assert moment is not None
    is_genuine = documented_check()
    assert is_genuine(SECRET, given, sent.body)
    assert not is_genuine(SECRET, given, sent.body + b" ")
    assert not is_genuine("whsec_of_another", given, sent.body)
    assert not is_genuine(SECRET, signature(SECRET, int(moment[1]) - 301, sent.body), sent.body)
    assert SECRET not in repr(sent)


def test_the_signature_is_the_one_that_is_promised() -> None:
    mac = hmac.new(b"whsec_x", b'1700000000.{"a":1}', hashlib.sha256).hexdigest()
    assert signature("whsec_x", 1_700_000_000, b'{"a":1}') == f"t=1700000000,v1={mac}"


@pytest.mark.parametrize(("status", "taken"), [(200, True), (299, True), (404, False), (500, False), (410, False)])
def test_a_status_of_success_takes_it_and_no_other(status: int, taken: bool) -> None:
    with serving(saying(status, "whatever")) as stub:
        posted = post(stub.url())
    assert (posted.status, posted.error == "") == (status, taken)
    assert taken or posted.error.startswith(f"127.0.0.1:{stub.port} answered with status {status}")


def test_a_redirect_is_not_followed() -> None:
    with serving(saying(200)) as other, serving(saying(307, "", [("Location", other.url())])) as stub:
        posted = post(stub.url())
    assert (posted.status, other.connections) == (307, 0)
    assert posted.error.endswith("redirects are not followed.")


def test_an_answer_that_is_too_large_or_echoes_the_secret_is_not_kept() -> None:
    def echo(connection: socket.socket, received: Received) -> None:
        connection.sendall(answer(200, b"x" * (LIMITS.body_bytes + 1)))

    with serving(echo) as stub:
        assert post(stub.url()) == Posted(None, f"The answer of 127.0.0.1:{stub.port} is larger than 100,000 bytes.")
    with serving(saying(500, SECRET)) as stub:
        assert SECRET not in post(stub.url()).error
    with serving(saying_raw(b"no http\r\n\r\n")) as stub:
        assert post(stub.url()).status is None


def test_an_address_that_may_not_be_called_is_not_called() -> None:
    with serving(saying(200)) as stub:
        posted = post(stub.url(), Door(EgressPolicy.of([])))
        assert (posted.status, stub.connections) == (None, 0)
    assert posted.error.startswith(f"127.0.0.1:{stub.port} may not be called")
    assert "PLUMBLINE_EGRESS_ALLOW" in posted.error
