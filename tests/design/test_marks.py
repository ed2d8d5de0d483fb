"""Marked text: nothing is lost, nothing is moved, and hostile sizes end in time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.marks import Piece, mark_spans, utf16_to_index, word_difference


def spelled(pieces: list[Piece]) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces]


def test_spans_count_utf16_units_as_javascript_does() -> None:
    text = "a🎉b🎉c"
    assert spelled(mark_spans(text, [[3, 4]])) == [("plain", "a🎉"), ("marked", "b"), ("plain", "🎉c")]


def test_overlapping_and_touching_spans_become_one_and_bad_ones_are_dropped() -> None:
    pieces = mark_spans("0123456789", [[4, 6], [1, 3], [3, 5], [7, 7], [90, 99], [8, 2]])
    assert spelled(pieces) == [("plain", "0"), ("marked", "12345"), ("plain", "6789")]


def test_context_keeps_what_stands_beside_a_mark() -> None:
    text = "x" * 500 + "HIT" + "y" * 500
    pieces = mark_spans(text, [[500, 503]], context=10)
    assert spelled(pieces) == [
        ("elided", ""),
        ("plain", "x" * 10),
        ("marked", "HIT"),
        ("plain", "y" * 10),
        ("elided", ""),
    ]
    assert [piece.length for piece in pieces if piece.kind == "elided"] == [490, 490]


def test_without_a_mark_the_beginning_is_shown() -> None:
    assert spelled(mark_spans("z" * 1000, [], context=10)) == [("plain", "z" * 20), ("elided", "")]


def test_an_offset_within_a_surrogate_pair_falls_on_its_character() -> None:
    assert utf16_to_index("🎉a", [0, 1, 2, 3, 99]) == {0: 0, 1: 0, 2: 1, 3: 2, 99: 2}


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(-5, 130), st.integers(-5, 130)), max_size=6))
def test_marking_loses_no_character(text: str, spans: list[tuple[int, int]]) -> None:
    assert "".join(piece.text for piece in mark_spans(text, spans)) == text


def test_words_are_told_apart() -> None:
    assert spelled(word_difference("sent on Monday now", "sent on Tuesday now")) == [
        ("plain", "sent on "),
        ("removed", "Monday"),
        ("added", "Tuesday"),
        ("plain", " now"),
    ]


@given(st.text("ab \n.", max_size=80), st.text("ab \n.", max_size=80))
def test_a_difference_tells_both_texts_whole(before: str, after: str) -> None:
    pieces = word_difference(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before
    assert "".join(piece.text for piece in pieces if piece.kind != "removed") == after


def test_unchanged_stretches_are_folded_and_counted() -> None:
    same = "word " * 100
    pieces = word_difference(f"old {same}tail", f"new {same}tail", context=10)
    assert [piece.kind for piece in pieces] == ["removed", "added", "plain", "elided"]
    assert pieces[2].text == " word word"
    assert pieces[3].length == len(f" {same}tail") - 10


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a b " * 25_000, "b a c " * 16_000),
        (" ".join(str(place) for place in range(20_000)), " ".join(str(place) for place in range(20_000, 0, -1))),
        ("a\n" * 40_000, "b\na\n" * 20_000),
        ("x" * 100_000, "y" * 100_000),
    ],
)
def test_the_largest_texts_are_compared_in_bounded_time(before: str, after: str) -> None:
    start = time.process_time()
    pieces = word_difference(before, after)
    assert time.process_time() - start < 1.5
    assert "".join(piece.text for piece in pieces if piece.kind != "added") == before


def test_the_longest_output_is_marked_in_bounded_time() -> None:
    start = time.process_time()
    mark_spans("🎉a" * 50_000, [[place, place + 1] for place in range(0, 100_000, 2)])
    assert time.process_time() - start < 1.5
