"""Which addresses are not public."""

import pytest

from evaluations.outbound.networks import embedded_addresses, is_metadata, plain_address, reason_not_public

NOT_PUBLIC = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:100.64.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::808:808",
    "64:ff9b:1::7f00:1",
    "100::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
    "1234::1",
    "4000::1",
    "8000::1",
    "e000::1",
    "::2",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.1.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.1.1",
    "192.169.0.1",
    "198.17.1.1",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450::1",
    "2001:4860:4860::8888",
    "2001:200::1",
    "::ffff:8.8.8.8",
]


@pytest.mark.parametrize("text", NOT_PUBLIC)
def test_it_is_not_public(text: str) -> None:
    assert reason_not_public(plain_address(text))


@pytest.mark.parametrize("text", PUBLIC)
def test_it_is_public(text: str) -> None:
    assert reason_not_public(plain_address(text)) is None


@pytest.mark.parametrize(
    "text",
    [
        "169.254.169.254",
        "169.254.170.2",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "fd00:ec2::254",
        "fe80::1%2",
    ],
)
def test_clouds_answer_there(text: str) -> None:
    assert is_metadata(plain_address(text))
    assert not is_metadata(plain_address("10.0.0.1"))


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("64:ff9b::a9fe:a9fe", "169.254.169.254"),
        ("64:ff9b:1::7f00:1", "127.0.0.1"),
        ("2002:7f00:1::", "127.0.0.1"),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "192.0.2.45"),
        ("::10.0.0.1", "10.0.0.1"),
    ],
)
def test_what_a_translator_would_reach(text: str, inner: str) -> None:
    assert plain_address(inner) in embedded_addresses(plain_address(text))


def test_nothing_is_inside_a_plain_address() -> None:
    assert embedded_addresses(plain_address("2606:4700::1")) == []
    assert embedded_addresses(plain_address("1.1.1.1")) == []
    assert embedded_addresses(plain_address("::1")) == []
