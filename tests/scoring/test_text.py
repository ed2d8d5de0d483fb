"""Text as the contract counts it, and places in it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.kit.text import (
    SearchedText,
    code_point_offset,
    line_count,
    listed,
    occurrences,
    shortened,
    trim,
    utf16_length,
    word_count,
)
from tests.scoring.cases import facts

_TEXT = st.text(st.characters(blacklist_categories=["Cs"]), max_size=60)
_MIXED = st.text("aAsSß\u0130iı\u0131éÉeE\u0301ﬁΣςσ😀𐐀𐐨 _-1", max_size=25)


@pytest.mark.parametrize(("text", "units", "words", "lines"), facts("text-counts")["cases"], ids=ascii)
def test_counts(text: str, units: int, words: int, lines: int) -> None:
    assert (utf16_length(text), word_count(text), line_count(text)) == (units, words, lines)


@given(_TEXT)
@settings(derandomize=True)
def test_lengths_are_utf_16_code_units(text: str) -> None:
    assert utf16_length(text) == len(text.encode("utf-16-le")) // 2


@given(_TEXT, st.data())
@settings(derandomize=True)
def test_a_code_unit_is_in_the_character_found_for_it(text: str, data: st.DataObject) -> None:
    units = utf16_length(text)
    offset = data.draw(st.integers(0, units + 2))
    index = code_point_offset(text, offset)
    if offset >= units:
        assert index == len(text)
    else:
        assert utf16_length(text[:index]) <= offset < utf16_length(text[: index + 1])


@given(_TEXT)
@settings(derandomize=True)
def test_words_are_what_javascript_would_split(text: str) -> None:
    spaces = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
    plain = "".join(" " if character in spaces else character for character in text)
    assert word_count(text) == len([word for word in plain.split(" ") if word])
    assert trim(text) == text.strip(spaces)


def _piece(text: str, span: list[int]) -> str:
    data = text.encode("utf-16-le")
    return data[span[0] * 2 : span[1] * 2].decode("utf-16-le")


@given(_MIXED, _MIXED.filter(bool))
@settings(derandomize=True, max_examples=300)
def test_a_place_holds_what_was_looked_for(text: str, needle: str) -> None:
    exact = SearchedText(text, case_sensitive=True)
    spans = list(exact.every(needle))
    assert [_piece(text, span) for span in spans] == [needle] * text.count(needle)
    assert (exact.first(needle) is None) is (needle not in text)
    assert spans[:1] == ([exact.first(needle)] if spans else [])


@given(_MIXED, _MIXED.filter(bool))
@settings(derandomize=True, max_examples=300)
def test_a_place_holds_it_whatever_the_case(text: str, needle: str) -> None:
    folded = SearchedText(text, case_sensitive=False)
    spans = list(folded.every(needle))
    assert len(spans) == text.casefold().count(needle.casefold())
    for span in spans:
        assert needle.casefold() in _piece(text, span).casefold()
        assert 0 <= span[0] < span[1] <= utf16_length(text)
    assert all(before[0] <= after[0] for before, after in pairwise(spans))
    if needle in text:
        assert spans


@pytest.mark.parametrize(
    ("text", "needle", "span"),
    [
        ("Stra\u00dfe", "SS", [4, 5]),
        ("\U0001f600Stra\u00dfe!", "ass", [5, 7]),
        ("\u0130stanbul", "STAN", [1, 5]),
        ("\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2", "\u03a3", [0, 1]),
        ("A\U0001f600b", "B", [3, 4]),
        ("no", "x", None),
    ],
)
def test_places_are_utf_16_as_javascript_counts(text: str, needle: str, span: list[int] | None) -> None:
    assert SearchedText(text, case_sensitive=False).first(needle) == span


def test_occurrences_do_not_overlap() -> None:
    assert list(occurrences("aaaaa", "aa")) == [0, 2]
    assert list(occurrences("aXa aXa", "aXa")) == [0, 4]
    assert list(occurrences("just_just just", "just", whole_word=True)) == [10]
    assert list(occurrences("aaa aa", "aa", whole_word=True)) == [4]


def test_text_in_sentences_is_short() -> None:
    assert shortened("a" * 100_000, 10) == "a" * 9 + "\u2026"
    assert shortened(" a\n\n b ") == "a b"
    assert listed(["a", "b", "c"], 2) == '"a", "b" and 1 more'
    assert listed(["a"]) == '"a"'
