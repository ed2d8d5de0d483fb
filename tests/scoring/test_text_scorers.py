"""The scorers of text: a pattern, keywords, a piece, an exact answer."""

from typing import Any

import pytest

from foundation.errors import ValidationFailed
from scoring import javascript
from scoring.kit.normalizers import NORMALIZERS
from tests.scoring.cases import facts, observation, outcome, scorer


@pytest.mark.parametrize("case", facts("exact-match")["cases"], ids=lambda case: case["id"])
def test_exact_answers(case: dict[str, Any]) -> None:
    found = outcome("ExactMatch", case["settings"], **case["observation"])
    assert (found.score, found.error_code) == (case.get("score"), case.get("error"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        " **a** ",
        "\u201ca\u201d.",
        "((a))",
        "...a...",
        "-5",
        ".5",
        "**",
        "*a",
        "_",
        "`" * 9,
        "\u00bfqu\u00e9?",
        "1,000.",
    ],
)
@pytest.mark.parametrize("name", NORMALIZERS)
def test_a_normal_form_is_its_own(name: str, text: str) -> None:
    once = NORMALIZERS[name](text)
    assert NORMALIZERS[name](once) == once


# What the regex facts ask, as far as a pattern of the scorer's own serves: found anywhere, case counts.
@pytest.mark.parametrize(
    ("settings", "output", "score"),
    [
        ({"pattern": "FNV-1a"}, " Chained FNV-1a 64. ", 1),
        ({"pattern": "fnv-1a"}, "FNV-1a", 0),
        ({"pattern": "fnv-1a", "flags": "i"}, "FNV-1a", 1),
        ({"pattern": "b", "flags": "g"}, "abc", 1),
        ({"pattern": "b", "flags": "y"}, "abc", 0),
        ({"pattern": "a", "flags": "gy"}, "abc", 1),
        ({"pattern": "^b", "flags": "m"}, "a\nb", 1),
        ({"pattern": "a.b"}, "a\nb", 0),
        ({"pattern": "a.b", "flags": "s"}, "a\nb", 1),
        ({"pattern": "^.$"}, "\U0001f600", 0),
        ({"pattern": "^.$", "flags": "u"}, "\U0001f600", 1),
        ({"pattern": "x", "invert": True}, "abc", 1),
        ({"pattern": "x", "invert": True}, "x", 0),
        ({"pattern": "x", "scoreOnMatch": 0.25, "scoreOnMiss": 0.75}, "x", 0.25),
        ({"pattern": "x", "scoreOnMatch": 0.25, "scoreOnMiss": 0.75}, "y", 0.75),
        ({"pattern": "x", "scoreOnMatch": 0.25, "scoreOnMiss": 0.75, "invert": True}, "x", 0.75),
        ({"pattern": "$"}, "", 1),
        ({"pattern": "(?<=\\$)\\d+"}, "$42", 1),
        ({"pattern": "\\bcaf\u00e9\\b"}, "caf\u00e9", 0),
    ],
)
def test_patterns(settings: dict[str, Any], output: str, score: float) -> None:
    assert outcome("RegexMatch", settings, output=output).score == score
    assert outcome("RegexMatch", settings, output=output).score == score


def test_the_place_of_a_match_is_in_utf_16() -> None:
    found = outcome("RegexMatch", {"pattern": "b+"}, output="\U0001f600bb")
    assert found.evidence["span"] == [2, 4]
    assert '"bb" at 2' in found.explanation
    assert outcome("RegexMatch", {"pattern": "b*"}, output="").evidence["span"] == [0, 0]


@pytest.mark.parametrize("pattern", ["(", "[a-z", "([a-z`", "*a", "a{2,1}", "(?<a>.)(?<a>.)", "\\"])
def test_a_pattern_that_does_not_compile_is_refused(pattern: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        scorer("RegexMatch", pattern=pattern)
    fault = caught.value.fields[0].as_dict()
    assert (fault["path"], fault["code"], fault["scorerId"]) == ("scorers.0.pattern", "invalid_pattern", "s")
    assert "expression" in fault["message"]


@pytest.mark.parametrize("flags", ["uv", "gg", "x", "I", "g i", "dgimsuvy", "\u00efi", "gimsuyg"])
def test_flags_that_do_not_go_together_are_refused(flags: str) -> None:
    with pytest.raises(ValidationFailed):
        scorer("RegexMatch", pattern="a", flags=flags)


@pytest.mark.parametrize("flags", ["", "d", "g", "i", "m", "s", "u", "v", "y", "dgimsuy", "dgimsvy", "yg"])
def test_flags_that_do(flags: str) -> None:
    assert outcome("RegexMatch", {"pattern": "a", "flags": flags}, output="a").score == 1


@pytest.mark.parametrize("pattern", ["a" * 256, "\U0001f600" * 128])
def test_a_pattern_has_256_code_units_at_most(pattern: str) -> None:
    assert outcome("RegexMatch", {"pattern": pattern}, output=pattern).score == 1
    with pytest.raises(ValidationFailed):
        scorer("RegexMatch", pattern=pattern + "a")


@pytest.mark.parametrize("text", ["a" * 100_000, "\U0001f600" * 50_000])
def test_the_longest_text_there_is(text: str) -> None:
    found = outcome("RegexMatch", {"pattern": "!$", "target": "combined"}, output=text, action="b" * 9_999 + "!")
    assert (found.score, found.error_code) == (0, None)


def test_a_pattern_that_takes_for_ever_says_so() -> None:
    found = outcome("RegexMatch", {"pattern": r"(a*)*\1b"}, output="a" * 64)
    assert (found.status, found.error_code) == ("error", "limit")
    assert found.explanation == "Regex evaluation exceeded the 100 ms limit"


@pytest.mark.parametrize(
    ("raised", "code"),
    [(javascript.EngineFailed("it fell over"), "scorer_failed"), (javascript.InvalidPattern("no pattern"), "config")],
)
def test_what_befalls_the_engine(raised: Exception, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def search(pattern: str, flags: str, text: str) -> None:
        raise raised

    wanted = scorer("RegexMatch", pattern="a")
    monkeypatch.setattr(javascript, "search", search)
    found = wanted.outcome(observation(output="a"))
    assert (found.status, found.error_code, found.explanation) == ("error", code, str(raised))


@pytest.mark.parametrize(
    ("settings", "output", "score"),
    [
        ({"keywords": ["fixed", "added"]}, "ADDED it", 1),
        ({"keywords": ["fixed", "added"]}, "prefixed", 1),
        ({"keywords": ["fixed"], "caseSensitive": True}, "Fixed", 0),
        ({"keywords": ["not run"]}, "NOT RUN", 1),
        ({"keywords": ["not run"]}, "not  run", 0),
        ({"keywords": ["a", "b"], "matchMode": "all"}, "ab", 1),
        ({"keywords": ["a", "c"], "matchMode": "all"}, "ab", 0),
        ({"keywords": ["a", "c"], "matchMode": "all", "partialCredit": True}, "ab", 0.5),
        ({"keywords": ["a", "c"], "matchMode": "any", "partialCredit": True}, "ab", 1),
        ({"keywords": ["x", "y"], "matchMode": "any", "partialCredit": True}, "ab", 0),
        ({"keywords": ["a", "a", "a", "c"], "matchMode": "all", "partialCredit": True}, "a", 0.5),
        ({"keywords": [".*"]}, "anything", 0),
        ({"keywords": ["stra\u00dfe"]}, "STRASSE", 1),
        ({"keywords": [" a"]}, "a", 0),
        ({"keywords": ["\U0001f600"]}, "ok \U0001f600", 1),
        ({"keywords": ["1,000", "in stock"], "matchMode": "all"}, "price 1,000, in stock", 1),
        ({"keywords": ["1,000", "in stock"], "matchMode": "any", "caseSensitive": True}, "price 1,000, in stock", 1),
    ],
)
def test_keywords(settings: dict[str, Any], output: str, score: float) -> None:
    assert outcome("KeywordContains", settings, output=output).score == score


def test_what_is_missing_is_said() -> None:
    found = outcome(
        "KeywordContains",
        {"keywords": ["alpha", "beta", "gamma"], "matchMode": "all", "partialCredit": True},
        output="\U0001f600alpha only",
    )
    assert found.score == pytest.approx(1 / 3)
    assert found.passed is False
    assert found.explanation == '1 of 3 keywords were found; missing: "beta", "gamma".'
    assert dict(found.evidence) == {
        "found": ["alpha"],
        "missing": ["beta", "gamma"],
        "spans": [[2, 7]],
        "target": "output",
    }


@pytest.mark.parametrize("keywords", [["refund", " "], [""], ["\t\n"], ["\u3000"], ["a", "\u2003"]])
def test_a_blank_keyword_is_refused(keywords: list[str]) -> None:
    with pytest.raises(ValidationFailed) as caught:
        scorer("KeywordContains", keywords=keywords)
    assert [fault.path for fault in caught.value.fields] == [f"scorers.0.keywords.{len(keywords) - 1}"]


def test_an_empty_list_of_keywords_is_refused() -> None:
    with pytest.raises(ValidationFailed) as caught:
        scorer("KeywordContains", keywords=[])
    assert [fault.path for fault in caught.value.fields] == ["scorers.0.keywords"]


@pytest.mark.parametrize(
    ("settings", "output", "score"),
    [
        ({"value": "World"}, "Goodbye world", 1),
        ({"value": "World", "caseSensitive": True}, "Goodbye world", 0),
        ({"value": "a.c"}, "abc", 0),
        ({"value": "\n"}, "a\nb", 1),
        ({"value": "x"}, "", 0),
    ],
)
def test_a_piece_of_text(settings: dict[str, Any], output: str, score: float) -> None:
    assert outcome("Contains", settings, output=output).score == score


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("RegexMatch", {"pattern": "a"}),
        ("KeywordContains", {"keywords": ["a"]}),
        ("Contains", {"value": "a"}),
        ("OccurrenceRatio", {"needles": ["a"]}),
    ],
)
def test_the_target_is_what_is_read(kind: str, settings: dict[str, Any]) -> None:
    for target, expected in (("output", 0), ("action", 1), ("combined", 1)):
        assert outcome(kind, {**settings, "target": target}, output="b", action="a").score == expected
    assert outcome(kind, {**settings, "target": "action"}, output="a").score == 0
    nothing_recorded = outcome(kind, settings, object={})
    assert (nothing_recorded.status, nothing_recorded.error_code) == ("error", "missing_input")


def test_action_and_output_are_joined_by_a_line_feed_without_an_empty_part() -> None:
    for given, expected in (
        ({"action": "a", "output": "b"}, 1),
        ({"action": "", "output": "b"}, 0),
        ({"action": "a", "output": ""}, 0),
    ):
        assert outcome("Contains", {"value": "\n", "target": "combined"}, **given).score == expected
    assert outcome("RegexMatch", {"pattern": "^a\nb$", "target": "combined"}, action="a", output="b").score == 1
