"""Every match, as JavaScript's matchAll finds them, by both engines and under the same bounds."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from scoring.javascript import (
    InvalidPattern,
    Match,
    PatternLimit,
    bounds,
    configure,
    evaluation,
    protocol,
    search,
    search_all,
)
from scoring.kit import patterns
from scoring.kit.outcome import ErrorCode, Unmeasurable

if TYPE_CHECKING:
    from collections.abc import Iterator

SMILE = "\U0001f600"
CASES: list[tuple[str, str, str, list[tuple[int, int]]]] = [
    ("b", "", "abab", [(1, 2), (3, 4)]),
    ("x", "", "abab", []),
    ("a+", "", "aaba", [(0, 2), (3, 4)]),
    # what was matched before can be looked back at, and is not matched again
    ("(?<=a)b", "", "abbab", [(1, 2), (4, 5)]),
    ("(?<=(?:^|,)\\d*)\\d", "", "12,3", [(0, 1), (1, 2), (3, 4)]),
    ("aa", "", "aaaaa", [(0, 2), (2, 4)]),
    ("\\bab", "", "abab", [(0, 2)]),
    ("^a", "", "aaa", [(0, 1)]),
    ("^a", "m", "a\na", [(0, 1), (2, 3)]),
    # an empty match is followed by the next character
    ("", "", "ab", [(0, 0), (1, 1), (2, 2)]),
    ("", "", "", [(0, 0)]),
    ("a*", "", "baac", [(0, 0), (1, 3), (3, 3), (4, 4)]),
    ("$", "m", "a\nb", [(1, 1), (3, 3)]),
    ("(?=a)", "", "aba", [(0, 0), (2, 2)]),
    # which is a whole one with u and v, half of one without
    ("", "", SMILE, [(0, 0), (1, 1), (2, 2)]),
    ("", "u", SMILE + "a", [(0, 0), (2, 2), (3, 3)]),
    ("", "v", SMILE, [(0, 0), (2, 2)]),
    ("", "u", "\ud83d" + "a" + "\ude00", [(0, 0), (1, 1), (2, 2), (3, 3)]),
    (".", "", SMILE, [(0, 1), (1, 2)]),
    (".", "u", SMILE * 2, [(0, 2), (2, 4)]),
    ("\\ude00", "", SMILE + "\ude00", [(1, 2), (2, 3)]),
    ("\\ude00", "u", SMILE + "\ude00", [(2, 3)]),
    # sticky: each begins where the last one ended
    ("a", "y", "aaba", [(0, 1), (1, 2)]),
    ("b", "y", "ab", []),
    ("a?", "y", "ab", [(0, 1), (1, 1), (2, 2)]),
    ("a", "gy", "aab", [(0, 1), (1, 2)]),
    ("a", "g", "aa", [(0, 1), (1, 2)]),
    ("a", "dgimsuy", "aA", [(0, 1), (1, 2)]),
]


@pytest.fixture(params=["corvus", "node"], autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each test once with either engine behind the pool."""
    if request.param == "node":
        request.getfixturevalue("node")
    configure(engine=request.param)
    yield request.param
    configure()


@pytest.mark.parametrize(("pattern", "flags", "text", "expected"), CASES)
def test_every_match(pattern: str, flags: str, text: str, expected: list[tuple[int, int]]) -> None:
    assert [(match.start, match.end) for match in search_all(pattern, flags, text)] == expected


@pytest.mark.parametrize(("pattern", "flags", "text", "expected"), CASES)
def test_the_first_is_what_a_search_finds(pattern: str, flags: str, text: str, expected: list[tuple[int, int]]) -> None:
    assert search(pattern, flags, text) == next(iter(search_all(pattern, flags, text)), None)


def test_the_groups_of_each_match() -> None:
    assert search_all("(a)|(b)", "", "ab") == [Match(0, 1, ((0, 1), None)), Match(1, 2, (None, (1, 2)))]
    assert search_all("(?<year>\\d{4})-(\\d\\d)", "u", "2026-01 and 2027-02") == [
        Match(0, 7, ((0, 4), (5, 7))),
        Match(12, 19, ((12, 16), (17, 19))),
    ]


def test_the_limit_ends_the_search() -> None:
    assert [match.start for match in search_all("a", "", "a" * 5, 2)] == [0, 1]
    assert len(search_all("a", "", "a" * 3_000)) == 1_000
    assert len(search_all("a", "", "a" * 1_000)) == 1_000
    assert len(search_all("", "", "a" * 110_001, 1_001)) == 1_001
    for limit in (0, -1, 1_002):
        with pytest.raises(ValueError, match=r"^The limit of matches must be from 1 to 1,001$"):
            search_all("a", "", "a", limit)


def test_as_many_groups_as_fit_in_a_pattern() -> None:
    found = search_all("()" * 128, "", "a" * 300, 200)
    assert len(found) == 200
    assert found[199] == Match(199, 199, ((199, 199),) * 128)
    # So much that it takes many reads; the most there can be is still a frame.
    assert 4 + 8 * 129 * bounds.MOST_MATCHES <= protocol.LARGEST_PAYLOAD


def test_the_time_is_for_all_matches_together() -> None:
    slow, text = r"(?:(x+)*\1y|a)", "x" * 15 + "a"
    assert len(search_all(slow, "", text)) == 1
    with pytest.raises(PatternLimit) as caught:
        search_all(slow, "", text * 900)
    assert caught.value.kind == "time"


def test_the_same_refusals_as_a_search() -> None:
    with pytest.raises(InvalidPattern, match=r"^Invalid regular expression: \w") as one:
        search("(", "", "a")
    with pytest.raises(InvalidPattern) as every:
        search_all("(", "", "a")
    assert str(one.value) == str(every.value)
    with pytest.raises(InvalidPattern, match="given twice"):
        search_all("a", "gg", "a")
    with pytest.raises(ValueError, match="text is longer"):
        search_all("a", "", "a" * 110_002)


def test_it_agrees_with_node_itself(node: str, corpus: list[dict[str, Any]]) -> None:
    """The short cases of the corpus, against a Node that is not a worker."""
    chosen = [case for case in corpus if case["expect"] in (True, False) and len(case.get("text", "a" * 200)) < 200]
    asked = [[case["pattern"], case["flags"], case["text"]] for case in chosen]
    script = (
        "const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(asked.map(([p, f, t]) => { try {"
        " return [...t.matchAll(new RegExp(p, f.includes('g') ? f : f + 'g'))]"
        "  .slice(0, 1000).map((m) => [m.index, m.index + m[0].length]); } catch { return null; } })));"
    )
    answered = json.loads(
        subprocess.run([node, "-e", script], input=json.dumps(asked), capture_output=True, text=True, check=True).stdout
    )
    compared = 0
    for case, expected in zip(chosen, answered, strict=True):
        if expected is None or bool(expected) is not case["expect"] or "expect_node24" in case:
            continue  # versions of Node differ
        try:
            found = search_all(case["pattern"], case["flags"], case["text"])
        except PatternLimit:
            continue  # tables of emoji take their time to compile
        assert [[match.start, match.end] for match in found] == expected, case["id"]
        compared += 1
    assert compared > 300


def test_in_a_scorer_too_many_are_a_limit() -> None:
    assert len(patterns.matches("a", "", "a" * 1_000, every=True)) == 1_000
    assert [match.start for match in patterns.matches("a", "", "ba", every=False)] == [1]
    assert patterns.matches("x", "", "ba", every=False) == patterns.matches("x", "", "ba", every=True) == []
    with pytest.raises(Unmeasurable, match="more than 1,000 times") as caught:
        patterns.matches("a", "", "a" * 1_001, every=True)
    assert caught.value.code == ErrorCode.LIMIT


@pytest.fixture(scope="module", autouse=True)
def _leave_no_workers() -> Iterator[None]:
    yield
    evaluation._process.close()
