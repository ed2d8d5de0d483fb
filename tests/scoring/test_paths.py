"""Paths into JSON."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.kit.paths import ABSENT, resolve

_NAMES = st.sampled_from(["a", "b", "0", "1", "2", "01", "", "length", "__proto__", "constructor", "x y", "\u00e9"])
_DOCUMENTS = st.recursive(
    st.none() | st.integers(0, 9) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=4),
    max_leaves=12,
)


def reference(document: Any, steps: list[str]) -> Any:
    """The same, written another way: by recursion and exceptions."""
    if not steps:
        return document
    step, *rest = steps
    if step in ("__proto__", "constructor", "prototype"):
        return ABSENT
    if isinstance(document, list) and step in [str(index) for index in range(len(document))]:
        return reference(document[int(step)], rest)
    if isinstance(document, dict) and step in document:
        return reference(document[step], rest)
    return ABSENT


@given(_DOCUMENTS, st.lists(_NAMES, min_size=1, max_size=4))
@settings(derandomize=True, max_examples=400)
def test_a_path_leads_where_its_steps_lead(document: Any, steps: list[str]) -> None:
    assert resolve(document, ".".join(steps)) is reference(document, ".".join(steps).split("."))


def _places(value: Any, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [(path, value)] if path else []
    for name, child in inner:
        found += _places(child, (*path, str(name)))
    return found


@given(_DOCUMENTS)
@settings(derandomize=True)
def test_every_place_has_a_path_unless_javascript_owns_the_name(document: Any) -> None:
    for steps, value in _places(document):
        if not {"__proto__", "constructor"} & set(steps):
            assert resolve(document, ".".join(steps)) is value


@pytest.mark.parametrize("path", ["0", "00", "-1", "1.5", "9" * 400, "\u0660", "length", "a", " 0", "0 ", "1e0"])
def test_text_has_no_members_and_lists_only_indexes(path: str) -> None:
    assert resolve("text", path) is ABSENT
    assert resolve(7, path) is ABSENT
    assert resolve(None, path) is ABSENT
    assert (resolve([5], path) == 5) is (path == "0")


def test_absent_is_neither_null_nor_true() -> None:
    assert resolve({"a": None}, "a") is None
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"
