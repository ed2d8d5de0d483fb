"""A JSON list read item by item: the same as reading it whole, wherever the stream is cut."""

import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation import json_stream
from foundation.errors import MalformedJson, Problem, TooLarge, ValidationFailed
from foundation.json_stream import list_items

LIST = '[{"a":"\\"],{\\\\"}, "[\\u00e9\\ud83d\\ude00", [1,[2,{"]":"}"}]] ,null,-1.5e3,"\u00e9\U0001f600\\\\" ]'


class Dripping:
    """A stream that gives `size` bytes at a time, whatever is asked for."""

    def __init__(self, data: bytes, size: int) -> None:
        self.source, self.size = io.BytesIO(data), size

    def read(self, size: int, /) -> bytes:
        return self.source.read(self.size)


def items(data: bytes, *, size: int = 65_536, limit: int = 10_000_000, item_limit: int = 1_000_000) -> list[Any]:
    return list(list_items(Dripping(data, size), limit=limit, item_limit=item_limit))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 16, 1000])
def test_the_items_wherever_the_stream_is_cut(size: int) -> None:
    assert items(LIST.encode(), size=size) == json.loads(LIST)


def test_cut_once_at_every_byte() -> None:
    data = LIST.encode()
    for cut in range(len(data) + 1):
        stream = iter([data[:cut], data[cut:]] if cut not in (0, len(data)) else [data])

        class Cut:
            def read(self, size: int, /, parts: Any = stream) -> bytes:
                return next(parts, b"")

        assert list(list_items(Cut(), limit=10_000, item_limit=1_000)) == json.loads(LIST), cut


def test_torn_at_every_byte() -> None:
    data = LIST.encode()
    for end in range(len(data)):
        for size in (1, 65_536):
            with pytest.raises(MalformedJson):
                items(data[:end], size=size)


@pytest.mark.parametrize("text", ["[]", " [ ] ", "\n[\t]\r\n"])
def test_an_empty_list(text: str) -> None:
    assert items(text.encode()) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{}",
        '{"a":[1]}',
        "1",
        '"[1]"',
        "null",
        "[1]x",
        "[1] [2]",
        "[1],",
        "[1]]",
        "x[1]",
        "[1",
        "[1,]",
        "[,1]",
        "[,]",
        "[1,,2]",
        "[1}",
        "[}",
        "[{]]",
        '["a]',
        '["a\\"]',
        "[\\]",
        '[\\"a"]',
        "\\[1]",
        "\ufeff[1]",
        "[1 2]",
        "[tru]",
        "[NaN]",
        '[{"a":1,"a":1}]',
    ],
)
@pytest.mark.parametrize("size", [1, 65_536])
def test_not_one_list(text: str, size: int) -> None:
    with pytest.raises(MalformedJson):
        items(text.encode(), size=size)


@pytest.mark.parametrize("data", [b'["\xff"]', b'["\xf0\x9f\x98"]', b'["\xed\xa0\x80"]'])
def test_not_utf_8(data: bytes) -> None:
    with pytest.raises(MalformedJson):
        items(data)


def test_an_item_too_large_is_refused_before_it_is_whole() -> None:
    endless = b'[1, "' + b"a" * 3_000_000
    with pytest.raises(TooLarge, match="Item 1"):
        items(endless)
    with pytest.raises(TooLarge, match="Item 0"):
        items(b"[" + b" " * 3_000_000)


def test_a_body_too_large_is_refused_before_it_is_read_to_its_end() -> None:
    class Endless:
        given = 0

        def read(self, size: int, /) -> bytes:
            self.given += size
            return (b"[" if self.given == size else b" ").ljust(size)

    stream = Endless()
    with pytest.raises(TooLarge) as caught:
        list(list_items(stream, limit=300_000, item_limit=1_000_000))
    assert stream.given < 500_000
    assert caught.value.meta == {"limitBytes": 300_000}


def test_text_that_cannot_be_stored_is_the_fault_of_its_item_alone() -> None:
    found = items(rb'[{"a":"\u0000"}, {"a":"x"}, "\ud800"]')
    assert isinstance(found[0], ValidationFailed)
    assert [fault.path for fault in found[0].fields] == ["a"]
    assert found[1] == {"a": "x"}
    assert isinstance(found[2], ValidationFailed)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.text(st.sampled_from('ab\\"[]{},: \n\u00e9\U0001f600')),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('a"]}\\,', max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(_VALUES, max_size=6), st.integers(1, 12), st.booleans(), st.sampled_from([None, 1, "\t"]))
@settings(max_examples=120, deadline=None, derandomize=True)
def test_any_list_cut_into_pieces_of_any_size(value: list[Any], size: int, ascii_only: bool, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert items(text.encode(), size=size) == json.loads(text)


@given(st.text('[]{},"\\ 1a:', max_size=12), st.integers(1, 5))
@settings(max_examples=600, deadline=None, derandomize=True)
def test_any_text_is_a_list_here_when_it_is_one_to_json(text: str, size: int) -> None:
    try:
        expected = json.loads(text, object_pairs_hook=_no_repeats)
    except ValueError:
        expected = None
    try:
        found: Any = items(text.encode(), size=size)
    except Problem:
        found = None
    assert found == (expected if isinstance(expected, list) else None)


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError
    return dict(pairs)


def test_the_chunk_asked_for_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Asked(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            asked.append(size or 0)
            return super().read(size)

    monkeypatch.setattr(json_stream, "_CHUNK", 7)
    assert list(list_items(Asked(LIST.encode()), limit=10_000, item_limit=1_000)) == json.loads(LIST)
    assert set(asked) == {7}
