"""What differs between two versions of a profile, in words."""

from typing import Any

import pytest

from scoring.differences import differences

KEYWORDS = {"id": "k", "name": "Keywords", "type": "KeywordContains", "keywords": ["a", "b"], "weight": 1}


def document(*scorers: dict[str, Any], **head: Any) -> dict[str, Any]:
    base = {"name": "Ours", "description": None, "compositeMethod": "weightedAvg", "passThreshold": 0.5}
    return {**base, **head, "scorers": list(scorers) or [KEYWORDS]}


def sentences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [change.sentence for change in differences(before, after)]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({"name": "Theirs"}, "name “Ours” → “Theirs”"),
        ({"description": "Why"}, "description set to “Why”"),
        ({"compositeMethod": "minimum"}, "method weighted average → minimum"),
        ({"passThreshold": 0.75}, "threshold 0.5 → 0.75"),
        ({"passThreshold": None}, "threshold 0.5 removed"),
        ({"passThreshold": 0}, "threshold 0.5 → 0"),
    ],
)
def test_the_head(head: dict[str, Any], expected: str) -> None:
    assert sentences(document(), document(**head)) == [expected]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"keywords": ["a", "b", "c"]}, ["keywords: “c” added"]),
        ({"keywords": ["b"]}, ["keywords: “a” removed"]),
        ({"keywords": ["b", "a"]}, ["keywords: put in another order"]),
        ({"keywords": ["c"]}, ["keywords: “a” removed", "keywords: “b” removed", "keywords: “c” added"]),
        ({"weight": 2.5}, ["weight 1 → 2.5"]),
        ({"required": True}, ["required off → on"]),
        ({"matchMode": "all"}, ["how many “any” → “all”"]),
        ({"description": "Why"}, ["description set to “Why”"]),
    ],
)
def test_the_settings_of_a_scorer(change: dict[str, Any], expected: list[str]) -> None:
    assert sentences(document(), document({**KEYWORDS, **change})) == [f"“Keywords”: {words}" for words in expected]


def test_a_renamed_scorer_is_the_same_scorer() -> None:
    found = differences(document(), document({**KEYWORDS, "name": "Words"}))
    assert [(change.path, change.kind, change.before, change.after) for change in found] == [
        ("scorers.k.name", "changed", "Keywords", "Words")
    ]


def test_scorers_added_removed_and_moved() -> None:
    one, two, three = ({"id": str(number), "type": "Contains", "value": "x"} for number in (1, 2, 3))
    found = differences(document(one, two), document(two, three, one))
    assert [(change.path, change.kind) for change in found] == [("scorers.3", "added"), ("scorers", "moved")]
    assert "Contains" in found[0].sentence
    found = differences(document(one, two), document(two))
    assert [(change.path, change.kind) for change in found] == [("scorers.1", "removed")]
    assert differences(document(one, two), document(one, two)) == []


def test_another_type_under_the_same_id() -> None:
    found = differences(
        document({"id": "s", "type": "Contains", "value": "x"}), document({"id": "s", "type": "ExactMatch"})
    )
    assert ("scorers.s.type", "changed") in [(change.path, change.kind) for change in found]
    assert ("scorers.s.value", "removed") in [(change.path, change.kind) for change in found]


def test_true_is_not_1() -> None:
    # No declared setting takes both, so this is a stored scorer whose type is gone.
    gone = {"id": "g", "type": "GoneType", "setting": 1}
    assert differences(document(gone), document({**gone, "setting": True}))
    assert differences(document(gone), document({**gone, "setting": 1.0})) == []
    nested = {**gone, "setting": {"a": [1, {"b": 0}]}}
    assert differences(document(nested), document({**gone, "setting": {"a": [1.0, {"b": 0}]}})) == []
    assert differences(document(nested), document({**gone, "setting": {"a": [1, {"b": False}]}}))


def test_what_an_older_version_left_out_is_its_default_and_no_change() -> None:
    old = {"name": "Ours", "scorers": [{"id": "k", "type": "KeywordContains", "keywords": ["a", "b"]}]}
    full = document(
        {**KEYWORDS, "name": "k", "matchMode": "any", "negate": False, "caseSensitive": False, "required": False}
    )
    assert differences(old, full) == []
    assert [change.path for change in differences(old, {**full, "passThreshold": None})] == ["passThreshold"]


def test_long_values_are_cut_in_the_sentence_and_whole_beside_it() -> None:
    long = "x" * 4000
    (change,) = differences(document(), document(description=long))
    assert len(change.sentence) < 200
    assert change.after == long
    assert change.as_dict() == {
        "path": "description",
        "kind": "added",
        "text": change.sentence,
        "before": None,
        "after": long,
    }
