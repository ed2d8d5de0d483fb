"""Cursors, times, identifiers and storable text."""

import base64
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.cursors import decode_cursor, encode_cursor
from foundation.errors import ValidationFailed
from foundation.identifiers import new_identifier
from foundation.text import unstorable_reason
from foundation.times import iso, now, parse_iso


@given(st.datetimes(timezones=st.just(UTC)), st.integers(0, 2**63 - 1))
@settings(derandomize=True)
def test_a_cursor_is_the_place_it_was_made_of(moment: datetime, key: int) -> None:
    cursor = encode_cursor(moment, key)
    assert decode_cursor(cursor) == (moment, key)
    assert cursor.isascii()
    assert cursor.replace("-", "").replace("_", "").isalnum()


def _coded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "!!!!",
        "\u00e9",
        "AAAA",
        "a" * 65,
        "a" * 5000,
        _coded("1"),
        _coded("1.2.3"),
        _coded("x.1"),
        _coded("1.x"),
        _coded("1.-1"),
        _coded(f"1.{2**63}"),
        _coded(f"{10**18 * 300}.1"),
        _coded("1e3.1"),
        _coded("\u0661.1"),
        _coded("."),
        "MS4x\n",
        "MS 4x",
    ],
)
def test_anything_else_is_no_cursor(cursor: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        decode_cursor(cursor)
    assert [fault.path for fault in caught.value.fields] == ["cursor"]


@given(st.text(max_size=70))
@settings(derandomize=True)
def test_a_made_up_cursor_is_never_a_fault(cursor: str) -> None:
    with suppress(ValidationFailed):
        decode_cursor(cursor)


def test_times_are_utc_with_milliseconds() -> None:
    moment = datetime(2026, 3, 21, 16, 0, 0, 7_999, tzinfo=timezone(timedelta(hours=2)))
    assert iso(moment) == "2026-03-21T14:00:00.007Z"
    assert iso(datetime(2026, 3, 21, tzinfo=UTC)) == "2026-03-21T00:00:00.000Z"
    assert now().microsecond % 1000 == 0
    assert parse_iso(iso(now())) <= now()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-21", "2026-03-21T00:00:00.000Z"),
        ("2026-03-21T14:00", "2026-03-21T14:00:00.000Z"),
        ("2026-03-21T14:00:00Z", "2026-03-21T14:00:00.000Z"),
        ("2026-03-21T16:00:00.5+02:00", "2026-03-21T14:00:00.500Z"),
        ("2026-03-21 14:00:00", "2026-03-21T14:00:00.000Z"),
    ],
)
def test_times_read(text: str, expected: str) -> None:
    assert iso(parse_iso(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "yesterday",
        "2026-13-01",
        "2026-02-30",
        "21.03.2026",
        "0001-01-01T00:00+14:00",
        "9999-12-31T23:59-14:00",
        "0",
    ],
)
def test_times_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the type is the promise
        parse_iso(text)


def test_identifiers() -> None:
    made = {new_identifier("eval") for _ in range(1000)}
    assert len(made) == 1000
    assert all(len(item) == len("eval_") + 16 and item[5:].isalnum() and item.isascii() for item in made)


@pytest.mark.parametrize("text", ["\x00", "a\x00", "\ud800", "x\udfff", "\udc00\ud800"])
def test_text_that_cannot_be_stored(text: str) -> None:
    assert unstorable_reason(text)


@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00")))
@settings(derandomize=True)
def test_all_other_text_can_be(text: str) -> None:
    assert unstorable_reason(text) is None
