"""What search and check answer, and how they refuse."""

from __future__ import annotations

import pickle
import re

import pytest

from scoring.javascript import (
    EngineFailed,
    InvalidPattern,
    JavaScriptError,
    Match,
    PatternLimit,
    PoolBusy,
    bounds,
    check,
    configure,
    pool_status,
    search,
)

SMILE = "\U0001f600"


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "expected"),
    [
        ("b", "", "abc", Match(1, 2, ())),
        ("x", "", "abc", None),
        ("", "", "", Match(0, 0, ())),
        ("a(b)?(c)", "", "xac", Match(1, 3, (None, (2, 3)))),
        ("(a)|(b)", "d", "b", Match(0, 1, (None, (0, 1)))),
        ("(?<year>\\d{4})", "u", "in 2026", Match(3, 7, ((3, 7),))),
        # g keeps no state from call to call, y must match where the text starts
        ("a", "g", "a", Match(0, 1, ())),
        ("b", "y", "ab", None),
        ("b", "gy", "ab", None),
        # positions are code units: a character beyond the BMP counts two, unless taken apart
        (".", "", SMILE, Match(0, 1, ())),
        (".", "u", SMILE, Match(0, 2, ())),
        ("b", "", SMILE + "b", Match(2, 3, ())),
        ("(.)b", "v", f"{SMILE}{SMILE}b", Match(2, 5, ((2, 4),))),
        ("\\ude00", "", SMILE, Match(1, 2, ())),
        ("\\ude00", "u", SMILE, None),
        ("\\u{1f600}$", "u", "x" + SMILE, Match(1, 3, ())),
        # lone surrogates, in the text and in the pattern
        ("\\ud83d", "u", "a\ud83d", Match(1, 2, ())),
        ("\ud83d", "u", "a\ud83d", Match(1, 2, ())),
        ("\ud83d", "", SMILE, Match(0, 1, ())),
        ("\ud83d", "u", SMILE, None),
        ("\ud83d\\ude00", "u", "\ud83d", None),
        ("\ud83d\\ude00", "", SMILE, Match(0, 2, ())),
        ("\\\ud83d", "", "\ud83d", Match(0, 1, ())),
        ("\\\\\ud83d", "", "\\\ud83d", Match(0, 2, ())),
        ("[\ud800-\udfff]", "", SMILE, Match(0, 1, ())),
        ("\ud83d\ude00", "u", SMILE, Match(0, 2, ())),
        ("a\0b", "", "xa\0b", Match(1, 4, ())),
        # what Python's re would answer otherwise
        ("a$", "", "a\n", None),
        ("\\d", "", "\u0663", None),
        ("^.$", "", "\u2028", None),
    ],
)
def test_search(pattern: str, flags: str, text: str, expected: Match | None) -> None:
    assert search(pattern, flags, text) == expected


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [("(", ""), ("[", "u"), ("a{2,1}", ""), ("\\p{Foo}", "u"), ("(?<=", ""), ("\\\ud83d", "u")],
)
def test_an_invalid_pattern_is_told_in_one_sentence(pattern: str, flags: str) -> None:
    with pytest.raises(InvalidPattern, match=r"^Invalid regular expression: \w.+") as checked:
        check(pattern, flags)
    assert "\n" not in str(checked.value)
    assert "ecmaregex" not in str(checked.value)
    with pytest.raises(InvalidPattern, match=re.escape(str(checked.value))):
        search(pattern, flags, "text")


def test_the_place_of_the_error_is_told() -> None:
    with pytest.raises(InvalidPattern, match=r"unterminated group \(at character 2\)$"):
        check("a(", "")


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ("x", "The flag 'x' is unknown; the flags are d, g, i, m, s, u, v, y"),
        ("I", "The flag 'I' is unknown; the flags are d, g, i, m, s, u, v, y"),
        ("\ud800", r"The flag '\ud800' is unknown; the flags are d, g, i, m, s, u, v, y"),
        ("gig", 'The flag "g" is given twice'),
        ("uv", 'The flags "u" and "v" cannot be used together'),
        ("vgu", 'The flags "u" and "v" cannot be used together'),
    ],
)
def test_flags_are_refused_before_a_worker_is_asked(flags: str, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.javascript.evaluation._current_pool", None)
    with pytest.raises(InvalidPattern, match=f"^{re.escape(sentence)}$"):
        check("a", flags)
    with pytest.raises(InvalidPattern, match=f"^{re.escape(sentence)}$"):
        search("a", flags, "a")


@pytest.mark.parametrize("flags", ["", "d", "g", "i", "m", "s", "u", "v", "y", "dgimsuy", "yvsmigd"])
def test_valid_flags(flags: str) -> None:
    check("a", flags)
    assert search("a", flags, "a") == Match(0, 1, ())


@pytest.mark.parametrize("character", ["a", "\u00e9", "\u2028", "\ud83d"])
def test_lengths_to_the_bound(character: str) -> None:
    check(character * 256, "")
    found = search(f"{re.escape(character)}$", "", character * 110_001)
    assert found == Match(110_000, 110_001, ())
    with pytest.raises(ValueError, match=r"^The pattern is longer than 256 UTF-16 code units$"):
        search(character * 257, "", "")
    with pytest.raises(ValueError, match=r"^The pattern is longer than 256 UTF-16 code units$"):
        check(character * 257, "")
    with pytest.raises(ValueError, match=r"^The text is longer than 110,001 UTF-16 code units$"):
        search("a", "", character * 110_002)


def test_lengths_are_code_units() -> None:
    assert search("\\u{1f600}$", "u", SMILE * 55_000) == Match(109_998, 110_000, ())
    check(SMILE * 128, "u")
    with pytest.raises(ValueError, match="text"):
        search("a", "", SMILE * 55_001)
    with pytest.raises(ValueError, match="pattern"):
        check(SMILE * 129, "u")
    assert bounds.utf16_length(f"a{SMILE}\ud800") == 4
    assert bounds.utf16_length("abc") == 3


def test_many_groups() -> None:
    found = search("()" * 128, "", "a")
    assert found == Match(0, 0, ((0, 0),) * 128)


def test_limits_are_told_apart() -> None:
    with pytest.raises(PatternLimit, match=r"^Regex evaluation exceeded the 100 ms limit$") as time:
        search(r"(a*)*\1b", "", "a" * 30_000)
    assert time.value.kind == "time"
    with pytest.raises(PatternLimit, match="memory") as memory:
        search("((((((((((a|b))))))))))*\\1x", "", "ab" * 55_000)
    assert memory.value.kind == "memory"
    large = r"\p{RGI_Emoji}" * 17
    with pytest.raises(PatternLimit, match="too large") as too_large:
        search(large, "v", "")
    assert too_large.value.kind == "too_large"
    with pytest.raises(InvalidPattern, match=r"^The regular expression is too large to compile$"):
        check(large, "v")


@pytest.mark.parametrize(
    "error",
    [PatternLimit("memory"), PoolBusy(3), InvalidPattern("so"), EngineFailed("so")],
    ids=lambda error: type(error).__name__,
)
def test_errors_survive_pickling(error: JavaScriptError) -> None:
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(ValueError, match="'perl' is unknown; there are corvus, node"):
        configure(engine="perl")
    assert pool_status().engine == "corvus"
