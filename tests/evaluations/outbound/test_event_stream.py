"""Server-sent events, however the bytes are cut."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.outbound.providers.event_stream import Event, EventReader


def read(*pieces: bytes) -> list[Event]:
    reader = EventReader()
    events = [event for piece in pieces for event in reader.feed(piece)]
    return [*events, *reader.finish()]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\n", [Event("message", "a")]),
        (b"data:a\r\n\r\n", [Event("message", "a")]),
        (b"data:  a\r\rdata: b\r\r", [Event("message", " a"), Event("message", "b")]),
        (b"data: a\r\ndata: b\r\n\r\n", [Event("message", "a\nb")]),
        (b"event: ping\ndata: a\ndata: b\n\n", [Event("ping", "a\nb")]),
        (b"event: ping\n\ndata: a\n\n", [Event("message", "a")]),
        (b": comment\nid: 1\nretry: 5\nother\ndata\n\n", [Event("message", "")]),
        (b"\xef\xbb\xbfdata: a\n\n", [Event("message", "a")]),
        (b"data: a", [Event("message", "a")]),
        (b"data: a\n", [Event("message", "a")]),
        (b"data: \xe2\x80\xa8a\n\n", [Event("message", "\u2028a")]),
        (b"", []),
        (b"\n\n\n", []),
    ],
)
def test_a_stream(stream: bytes, events: list[Event]) -> None:
    assert read(stream) == events
    assert read(*[stream[index : index + 1] for index in range(len(stream))]) == events


def test_an_event_is_given_out_as_soon_as_it_is_complete() -> None:
    reader = EventReader()
    assert list(reader.feed(b"data: a\r\r")) == []
    assert list(reader.feed(b"d")) == [Event("message", "a")]
    assert list(reader.feed(b"ata: b\n\nda")) == [Event("message", "b")]


def test_other_than_utf8_is_refused() -> None:
    with pytest.raises(UnicodeDecodeError):
        read(b"data: \xff\n\n")


TEXTS = st.lists(st.text(max_size=20), max_size=6)
CUTS = st.lists(st.integers(0, 400), max_size=12)


@given(TEXTS, CUTS, st.sampled_from(["\n", "\r\n", "\r"]))
def test_cuts_change_nothing(texts: list[str], cuts: list[int], line_end: str) -> None:
    stream = "".join(f"data: {json.dumps(text)}{line_end}{line_end}" for text in texts).encode()
    places = sorted({0, *(cut for cut in cuts if cut < len(stream)), len(stream)})
    pieces = [stream[start:end] for start, end in pairwise(places)]
    assert [json.loads(event.data) for event in read(*pieces)] == texts


@given(st.binary(max_size=200), CUTS)
def test_any_bytes_are_read_alike_or_refused(stream: bytes, cuts: list[int]) -> None:
    places = sorted({0, *(cut for cut in cuts if cut < len(stream)), len(stream)})
    pieces = [stream[start:end] for start, end in pairwise(places)]
    try:
        whole = read(stream)
    except UnicodeDecodeError:
        return
    assert read(*pieces) == whole
