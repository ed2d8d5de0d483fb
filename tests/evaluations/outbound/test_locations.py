"""URLs are read once and strictly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.outbound.errors import InvalidUrl
from evaluations.outbound.locations import parse_url, url_fault


@pytest.mark.parametrize(
    ("url", "scheme", "host", "port", "target"),
    [
        ("http://example.com", "http", "example.com", 80, "/"),
        ("HTTPS://Example.COM./a?b=c#d", "https", "example.com", 443, "/a?b=c"),
        ("https://example.com:8443/a%20b", "https", "example.com", 8443, "/a%20b"),
        ("http://example.com?x={y}", "http", "example.com", 80, "/?x=%7By%7D"),
        ("http://my_service:8080/", "http", "my_service", 8080, "/"),
        ("http://bücher.de/ä?ö", "http", "xn--bcher-kva.de", 80, "/%C3%A4?%C3%B6"),
        ("http://[2606:4700::0:1]:81/", "http", "2606:4700::1", 81, "/"),
        ("http://[::ffff:8.8.8.8]/", "http", "8.8.8.8", 80, "/"),
        ("http://①.①.①.①/", "http", "1.1.1.1", 80, "/"),
        ("http://example.com/a@b", "http", "example.com", 80, "/a@b"),
    ],
)
def test_plain_forms_are_read(url: str, scheme: str, host: str, port: int, target: str) -> None:
    location = parse_url(url)
    assert (location.scheme, location.host, location.port, location.target) == (scheme, host, port, target)
    assert parse_url(location.url) == location


def test_what_the_connection_sends() -> None:
    assert parse_url("http://[::1]:81/x").display == "[::1]:81"
    assert parse_url("https://a.b/").host_header == "a.b"
    assert parse_url("https://a.b:80/").host_header == "a.b:80"


@pytest.mark.parametrize("value", [None, 7, "", "example.com", "http://", "x" * 8_001])
def test_a_form_is_told_what_is_wrong(value: object) -> None:
    assert (url_fault(value) or "").endswith(".")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        *(
            (f"http://{host}/", "four decimal numbers")
            for host in ("127.1", "0x7f.1", "2130706433", "017700000001", "0", "127.0.0.01", "a.0x7f", "example.1")
        ),
        ("http://a@b/", "name or password"),
        ("http://a:b@c/", "name or password"),
        ("ftp://a/", "and no other scheme"),
        ("a/b", "begin with http"),
        ("http://[fe80::1%25eth0]/", "zone"),
        ("http://[1.2.3.4]/", "not an IPv6 address"),
        ("http://%31/", "escapes"),
        ("http://a:0/", "1 to 65535"),
        ("http://a b/", "white space"),
        ("http://a:/", "host or host:port"),
        ("http://a..b/", "not a host name"),
        ("http://\u00ad/", "not a host name"),
    ],
)
def test_a_strange_form_is_refused_for_what_it_is(url: str, words: str) -> None:
    with pytest.raises(InvalidUrl, match=words):
        parse_url(url)


def test_a_form_is_told_nothing_about_what_is_right() -> None:
    assert url_fault("https://example.com/score") is None


@given(st.text(max_size=60).map("http://{}".format) | st.text(max_size=60))
def test_anything_is_read_or_refused_and_what_is_read_stays_the_same(url: str) -> None:
    try:
        location = parse_url(url)
    except InvalidUrl:
        return
    assert parse_url(location.url) == location
    assert location.host.isascii()
    assert location.target.isascii()
    assert not set("\r\n \t\x00") & set(location.url)
