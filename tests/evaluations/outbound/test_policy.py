"""What the operator allows, and what no list opens by the way."""

import pytest

from evaluations.outbound.errors import Blocked
from evaluations.outbound.locations import parse_url
from evaluations.outbound.networks import plain_address
from evaluations.outbound.policy import EgressPolicy


def allowed(policy: EgressPolicy, url: str, address: str | None = None) -> bool:
    location = parse_url(url)
    try:
        policy.check(location, plain_address(address) if address else location.address or plain_address("8.8.8.8"))
    except Blocked:
        return False
    return True


@pytest.mark.parametrize(
    ("word", "url", "address", "expected"),
    [
        ("ollama", "http://ollama:11434/", "10.0.0.5", True),
        ("ollama", "http://other:11434/", "10.0.0.5", False),
        ("OLLAMA.", "http://ollama/", "10.0.0.5", True),
        ("ollama:11434", "http://ollama:11434/", "10.0.0.5", True),
        ("ollama:11434", "http://ollama:80/", "10.0.0.5", False),
        ("*.internal", "http://a.internal/", "10.0.0.5", True),
        ("*.internal", "http://a.b.internal/", "10.0.0.5", True),
        ("*.internal", "http://internal/", "10.0.0.5", False),
        ("*.internal", "http://ainternal/", "10.0.0.5", False),
        ("*.internal:81", "http://a.internal:81/", "10.0.0.5", True),
        ("*.internal:81", "http://a.internal:82/", "10.0.0.5", False),
        ("10.0.0.0/8", "http://anything/", "10.9.9.9", True),
        ("10.0.0.0/8", "http://anything/", "11.0.0.1", True),
        ("10.0.0.0/8", "http://anything/", "192.168.0.1", False),
        ("10.0.0.5", "http://10.0.0.5/", None, True),
        ("10.0.0.5:81", "http://10.0.0.5:80/", None, False),
        ("[::1]:11434", "http://[::1]:11434/", None, True),
        ("::1", "http://[::1]/", None, True),
        ("fc00::/7", "http://[fd00::1]/", None, True),
        # Metadata addresses are opened one by one.
        ("169.254.0.0/16", "http://169.254.169.254/", None, False),
        ("0.0.0.0/0", "http://169.254.169.254/", None, False),
        ("metadata.example", "http://metadata.example/", "169.254.169.254", False),
        ("169.254.169.254", "http://169.254.169.254/", None, True),
        ("169.254.169.254/32", "http://metadata.example/", "169.254.169.254", True),
        ("fc00::/7", "http://[fd00:ec2::254]/", None, False),
        # A translator's network does not open what lies behind it.
        ("64:ff9b::/96", "http://[64:ff9b::808:808]/", None, True),
        ("64:ff9b::/96", "http://[64:ff9b::a00:1]/", None, False),
        ("64:ff9b::/96", "http://[64:ff9b::a9fe:a9fe]/", None, False),
        # Ports of other services are opened as host:port.
        ("10.0.0.0/8", "http://10.0.0.5:6379/", None, False),
        ("10.0.0.5:6379", "http://10.0.0.5:6379/", None, True),
        ("ollama", "http://ollama:22/", "10.0.0.5", False),
        ("other", "http://example.com:25/", "8.8.8.8", False),
        ("example.com:25", "http://example.com:25/", "8.8.8.8", True),
    ],
)
def test_a_word_of_the_list(word: str, url: str, address: str | None, expected: bool) -> None:
    assert allowed(EgressPolicy.of([word]), url, address) is expected


@pytest.mark.parametrize(
    "word", ["", "a b", "http://x", "10.0.0.0/99", "10.0.0.1/8", "x:99999", "x:", "*", "a*b", "@", "*.1"]
)
def test_a_word_that_allows_nothing_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="nothing that can be allowed"):
        EgressPolicy.of([word])


def test_local_mode_allows_loopback_and_nothing_else() -> None:
    policy = EgressPolicy.of([], local_mode=True, own_ports=[8000])
    assert allowed(policy, "http://localhost:11434/", "127.0.0.1")
    assert allowed(policy, "http://[::1]:11434/")
    assert not allowed(policy, "http://0.0.0.0:11434/")
    assert not allowed(policy, "http://10.0.0.1/")
    assert not allowed(EgressPolicy.of([]), "http://localhost:11434/", "127.0.0.1")


def test_the_servers_own_ports_are_opened_one_by_one_and_stay_open_elsewhere() -> None:
    policy = EgressPolicy.of([], local_mode=True, own_ports=[8000])
    assert not allowed(policy, "http://localhost:8000/", "127.0.0.1")
    assert allowed(policy, "http://example.com:8000/", "8.8.8.8")
    named = EgressPolicy.of(["localhost:8000"], local_mode=True, own_ports=[8000])
    assert allowed(named, "http://localhost:8000/", "127.0.0.1")


def test_a_refusal_names_the_variable_and_tells_members_no_addresses() -> None:
    policy = EgressPolicy.of([])
    with pytest.raises(Blocked) as raised:
        policy.check(parse_url("http://db.internal:8080/"), plain_address("10.7.7.7"))
    refusal = raised.value
    assert "PLUMBLINE_EGRESS_ALLOW" in refusal.message
    assert "db.internal:8080" in refusal.message
    assert "10.7.7.7" not in str(refusal.as_dict())
    assert "10.7.7.7" in refusal.operator_message
    unresolved = policy.unresolved(parse_url("http://db.internal:8080/"), "no such name", retryable=False)
    assert unresolved.as_dict() == refusal.as_dict()


def test_a_written_address_is_told_what_it_is() -> None:
    with pytest.raises(Blocked, match="a private address"):
        EgressPolicy.of([]).check(parse_url("http://10.0.0.1/"), plain_address("10.0.0.1"))
