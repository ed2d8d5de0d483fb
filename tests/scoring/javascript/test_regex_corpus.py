"""The engine answers what JavaScript answers, over the recorded corpus."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.javascript import InvalidPattern, PatternLimit, bounds, check, search

# Cases that cannot agree, each with its reason. There are none.
CANNOT_AGREE: dict[int, str] = {}


def text_of(case: dict[str, Any]) -> str:
    if "recipe" in case:
        return "".join(piece * count for piece, count in case["recipe"])
    text: str = case["text"]
    return text


def test_case(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    # Six texts of the corpus are longer than the room takes; the engine must be right on them too.
    monkeypatch.setattr(bounds, "TEXT_UNITS", 220_001)
    if case["id"] in CANNOT_AGREE:
        pytest.xfail(CANNOT_AGREE[case["id"]])
    pattern, flags, text = case["pattern"], case["flags"], text_of(case)
    expected = case.get("expect_node24", case["expect"])
    if expected == "invalid":
        with pytest.raises(InvalidPattern):
            check(pattern, flags)
        with pytest.raises(InvalidPattern):
            search(pattern, flags, text)
        return
    check(pattern, flags)
    if expected != "timeout-ok":
        assert (search(pattern, flags, text) is not None) is expected
        return
    try:
        found = search(pattern, flags, text) is not None
    except PatternLimit:
        return  # as good as an answer
    # Where no engine had an answer to record, the pattern ends in something the text lacks.
    assert found is bool(case["answer"])


def test_the_corpus_is_whole(corpus: list[dict[str, Any]]) -> None:
    assert len(corpus) == 475
    assert {case["id"] for case in corpus} >= set(CANNOT_AGREE)
