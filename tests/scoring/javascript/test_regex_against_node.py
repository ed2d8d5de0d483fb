"""Both engines side by side: generated patterns and texts, and Node over the corpus."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoring.javascript.pool import Pool, Settings
from scoring.javascript.protocol import Operation, Request, Status, read_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

ATOMS = [
    *"abAB1_ .^$", "\u017f", "\u212a", "\U0001f600", "\ud83d", "\ude00", r"\d", r"\W", r"\s", r"\b", r"\B",
    r"\1", r"\2", r"\k<n>", r"\x41", r"\u0061", r"\u{1f600}", r"\ud83d", r"\ude00", r"\0", r"\cA", r"\c",
    r"\-", r"\/", r"\p{L}", r"\P{Lu}", r"\p{Emoji}", "[a-c]", "[^b]", "[]", "[^]", r"[\w-\d]", "[b-a]",
    "[a--b]", "[[a-z]&&[aeiou]]", r"[\q{ab|c}]", "{", "}", "]", "a{1}", "{2}", "-",
]  # fmt: skip
GROUPS = ["({})", "(?:{})", "(?<n>{})", "(?={})", "(?!{})", "(?<={})", "(?<!{})", "{}|a", "({}", "{})"]
QUANTIFIERS = ["", "", "", "*", "+", "?", "*?", "{0,2}", "{2}", "{1,}?"]

atoms = st.builds("{}{}".format, st.sampled_from(ATOMS), st.sampled_from(QUANTIFIERS))
patterns = st.recursive(
    st.lists(atoms, max_size=4).map("".join),
    lambda inner: st.lists(
        st.builds(
            lambda group, inside, quantifier: group.replace("{}", inside) + quantifier,
            st.sampled_from(GROUPS), inner, st.sampled_from(QUANTIFIERS),
        ),
        min_size=1, max_size=3,
    ).map("".join),
    max_leaves=5,
).filter(lambda pattern: len(pattern) <= 100)  # fmt: skip
flags = st.sets(st.sampled_from("dgimsuvy"), max_size=4).map(sorted).map("".join)
flags = flags.filter(lambda text: not {"u", "v"} <= set(text))
texts = st.text(st.sampled_from([*"abABcC1_ \n-{}]", "\u017f", "\u212a", "\U0001f600", "\ud83d", "\ude00"]))
any_texts = st.lists(st.integers(0, 0xFFFF)).map(lambda units: "".join(map(chr, units)))


@pytest.fixture(scope="module")
def engines(node: str) -> Iterator[tuple[Pool, Pool]]:
    """The engine in use and the oracle."""
    both = Pool(Settings(workers=1)), Pool(Settings(engine="node", executable=node, workers=1))
    yield both
    for pool in both:
        pool.close()


def answer(pool: Pool, pattern: str, flags: str, text: str) -> object:
    """Return the spans, None, "invalid", or "limit" when there was no answer."""
    encoded = (part.encode("utf-16-le", "surrogatepass") for part in (pattern, text))
    pattern_bytes, text_bytes = encoded
    request = Request(Operation.SEARCH, pattern_bytes, flags.encode(), text_bytes)
    outcome = pool.evaluate(request)
    if outcome.status is Status.MATCH:
        return read_spans(outcome.payload)
    if outcome.status is Status.NO_MATCH:
        return None
    assert outcome.status is not Status.FAILED, outcome.message
    return "invalid" if outcome.status is Status.INVALID else "limit"


def compare(engines: tuple[Pool, Pool], pattern: str, flags: str, text: str) -> None:
    mine, oracle = (answer(pool, pattern, flags, text) for pool in engines)
    if "limit" in {mine if isinstance(mine, str) else "", oracle if isinstance(oracle, str) else ""}:
        return
    if mine != oracle and oracle == "invalid" and pattern.count("(?<n>") > 1:
        return  # a name in two alternatives is ES2025; older versions of Node refuse it
    if mine != oracle and "i" in flags and "v" in flags and re.search(r"\\[pP]\{|\[\^", pattern):
        return  # versions of V8 fold complements differently; the corpus has the right answers
    assert mine == oracle


thorough = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@thorough
@given(pattern=patterns, flags=flags, text=texts)
def test_generated_patterns(engines: tuple[Pool, Pool], pattern: str, flags: str, text: str) -> None:
    compare(engines, pattern, flags, text)


@settings(thorough, max_examples=150)
@given(pattern=st.sampled_from([*ATOMS, "(.)(.)", "(.)+", r"\S+(\s)"]), flags=flags, text=any_texts)
def test_any_text(engines: tuple[Pool, Pool], pattern: str, flags: str, text: str) -> None:
    compare(engines, pattern, flags, text)


@settings(thorough, max_examples=150)
@given(units=st.lists(st.sampled_from("a\\[]-^(?:)\ud83d\ude00u{}1"), max_size=8), flags=flags, text=texts)
def test_surrogates_in_patterns(engines: tuple[Pool, Pool], units: list[str], flags: str, text: str) -> None:
    compare(engines, "".join(units), flags, text)


def test_the_corpus_in_node(engines: tuple[Pool, Pool], node: str, corpus: list[dict[str, Any]]) -> None:
    """The oracle itself, through the same frames: its version tells which answers it gives."""
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    newer = int(version.lstrip("v").split(".")[0]) >= 24
    differing = []
    for case in corpus:
        if case["cat"] == "flag-invalid" or case["expect"] == "timeout-ok":
            continue
        text = case.get("text") or "".join(piece * count for piece, count in case.get("recipe", []))
        for _ in range(3):  # V8's clock runs while it compiles, which on a busy machine takes long
            got = answer(engines[1], case["pattern"], case["flags"], text)
            if got != "limit":
                break
        found = got if isinstance(got, str) else got is not None
        expected = {case["expect"], case.get("expect_node24", case["expect"])}
        if found not in ({case.get("expect_node24", case["expect"])} if newer else expected):
            differing.append((case["id"], found))
    assert not differing
