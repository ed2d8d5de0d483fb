"""An item's document: what is in its hash, what a search finds, and that both readers agree."""

import hashlib
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.item_documents import MAX_ITEM_BYTES, ItemContent, changed_item, item_from, read_item, read_item_text
from foundation import exact_json
from foundation.errors import ValidationFailed
from scoring.kit.json_values import canonical_text

ASKED = [{"role": "user", "content": "x"}]
TEXT = st.text(max_size=10)
VALUES = st.none() | st.booleans() | st.integers(-(10**19), 10**19) | st.floats(allow_nan=False, allow_infinity=False)


@given(TEXT, VALUES | TEXT, st.none() | st.dictionaries(TEXT, VALUES | TEXT, max_size=2))
def test_the_hash_is_of_the_canonical_text(question: str, output: Any, expected: Any) -> None:
    asked = [{"role": "user", "content": question}]
    text = canonical_text([asked, output, expected])
    item = ItemContent(input=asked, expected_output=output, expected=expected, key="k")
    assert item.content_hash() == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1, 1.0, True), (1, Decimal("1.00"), True), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), (1, True, False),
     ("1", 1, False), (None, "", False), ([], {}, False), (9007199254740992, 9007199254740993, False)],
)  # fmt: skip
def test_values_that_are_the_same_json_have_the_same_hash(one: Any, other: Any, same: bool) -> None:
    for member in ("expected_output", "expected"):
        first, second = (ItemContent(input=ASKED, **{member: {"v": value}}) for value in (one, other))
        assert (first.content_hash() == second.content_hash()) == same
    labels = [ItemContent(input=ASKED, metadata={"v": value}).labels_hash() for value in (one, other)]
    assert (labels[0] == labels[1]) == same


def test_input_output_and_ground_truth_cannot_be_mistaken_for_one_another() -> None:
    hashes = {
        ItemContent(input=ASKED, expected_output={"answer": "x"}).content_hash(),
        ItemContent(input=ASKED, expected={"answer": "x"}).content_hash(),
        ItemContent(input=[*ASKED, {"role": "assistant", "content": "x"}]).content_hash(),
        ItemContent(input=[{"role": "system", "content": "x"}]).content_hash(),
        ItemContent(input=ASKED).content_hash(),
    }
    assert len(hashes) == 5


def test_the_text_is_the_document() -> None:
    body = {"input": ASKED, "metadata": {"n": Decimal("0.10000000000000000001")}, "key": "k"}
    item, text = read_item_text(body)
    assert text.startswith('{"key":"k","input":[')
    assert item_from(exact_json.loads(text)) == item == read_item(body)


def test_a_search_finds_every_part_in_any_case() -> None:
    item = ItemContent(
        input=[{"role": "system", "content": "SYSTEM"}, *ASKED], expected_output={"a": "Straße"},
        metadata={"Kind": "Refund"}, key="KEY-1", expected={"answer": "É"},
    )  # fmt: skip
    for part in ("system", "strasse", "kind", "refund", "key-1", "é"):
        assert part in item.search_text()
    assert ItemContent(input=ASKED).search_text() == "x"


@pytest.mark.parametrize(("length", "fits"), [(MAX_ITEM_BYTES - 200, True), (MAX_ITEM_BYTES, False)])
def test_an_item_has_a_largest_size(length: int, fits: bool) -> None:
    body = {"input": ASKED, "expected_output": "x" * length}
    if fits:
        assert read_item(body).expected_output
        return
    with pytest.raises(ValidationFailed, match="1,000,000 bytes"):
        read_item(body)


def test_metadata_is_measured_in_bytes() -> None:
    assert read_item({"input": ASKED, "metadata": {"k": "é" * 31_990}})
    with pytest.raises(ValidationFailed, match="metadata: Must be at most 64,000 bytes as JSON; this is 64,010"):
        read_item({"input": ASKED, "metadata": {"k": "é" * 32_001}})


def test_a_change_leaves_what_it_does_not_name() -> None:
    stored = ItemContent(
        input=ASKED, expected_output=1, metadata={"a": 1}, key="k", expected={"answer": "y"}, scorers=["s"]
    )
    assert changed_item(stored, {}) == stored
    assert changed_item(stored, {"expected": None, "scorers": None}) == ItemContent(
        input=ASKED, expected_output=1, metadata={"a": 1}, key="k"
    )
