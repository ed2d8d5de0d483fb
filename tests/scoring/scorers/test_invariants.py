"""What holds for every scorer there is, whatever it is given; a scorer of tomorrow is tested by being declared."""

import copy
import json
import random
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.errors import ValidationFailed
from scoring.kit.outcome import Outcome
from scoring.kit.registry import registry
from scoring.kit.samples import observation_of
from scoring.kit.scorer import Scorer
from scoring.profile_documents import read_scorer
from tests.scoring.cases import scorer
from tests.scoring.scorers.test_facts import ATTEMPTS, TODAY
from tests.scoring.scorers.test_facts import given as given_by

SCORERS = list(registry)
FEW = settings(max_examples=20, deadline=None, derandomize=True)
RETRIEVAL = ["HitAtK", "MRR", "NDCG", "PrecisionAtK", "RecallAtK", "AveragePrecision"]
CITATIONS = ["CitationPrecision", "CitationRecall", "CitationF1"]
EXACT_DOUBLES = 2**53

# Few names and values, so that what is recorded and what is expected meet.
NAMES = st.sampled_from(["a", "b", "c", "id", "status", "t1"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.sampled_from([0.5, -1.25, 2.0, 1e300, 5e-324]),
    NAMES,
    st.text(max_size=6),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["", "a [1] and [2, 3]", "1,242.00", '{"a": 1}', "the fox", "\u00df\u0300" * 9, "[1](x)"]),
)
CALL = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "arguments": st.dictionaries(NAMES, SCALARS, max_size=2),
        "verdict": st.sampled_from(["allow", "deny", "held"]),
        "error": st.sampled_from([None, "HTTP 404", {"message": "x"}]),
        "result": VALUES,
    },
)
WORLD = st.dictionaries(
    NAMES, st.dictionaries(NAMES, st.dictionaries(NAMES, SCALARS, max_size=3), max_size=2), max_size=2
)
PLACE = {"entity": NAMES, "id": st.one_of(NAMES, st.just("*"))}
TASK = st.fixed_dictionaries(
    {
        "required": st.lists(st.fixed_dictionaries({**PLACE, "field": NAMES, "value": SCALARS}), max_size=2),
        "allowed": st.lists(
            st.fixed_dictionaries(
                {**PLACE, "field": st.one_of(NAMES, st.just("*"))},
                optional={
                    "created": st.booleans(),
                    "deleted": st.booleans(),
                    "where": st.dictionaries(NAMES, SCALARS, max_size=1),
                },
            ),
            max_size=4,
        ),
    },
    optional={
        "read_before_write": st.booleans(),
        "forbidden_tools": st.lists(NAMES, max_size=2),
        "max_calls": st.integers(0, 3),
        "no_write_after_deny": st.booleans(),
    },
)
CHANNELS: dict[str, st.SearchStrategy[Any]] = {
    "retrieval": st.fixed_dictionaries({"chunks": st.lists(st.fixed_dictionaries({"id": NAMES}), max_size=6)}),
    "citations": st.fixed_dictionaries(
        {"ledger": st.lists(st.fixed_dictionaries({"n": st.integers(1, 4), "chunk_id": NAMES}), max_size=4)}
    ),
    "tool_calls": st.lists(CALL, max_size=4),
    "stream": st.fixed_dictionaries(
        {},
        optional={
            "start": st.integers(0, 3),
            "end": st.integers(0, 60),
            "events": st.lists(st.floats(0, 50), max_size=4).map(
                lambda times: [{"t": time, "kind": "text", "tokens": 2} for time in sorted(times)]
            ),
        },
    ),
    "state": st.fixed_dictionaries({"before": WORLD, "after": WORLD}, optional={"ignore": st.lists(NAMES, max_size=2)}),
    "usage": st.fixed_dictionaries(
        {},
        optional={
            "input_tokens": st.integers(0, 900),
            "output_tokens": st.integers(0, 9),
            "cost": st.just({"amount": "0.01", "currency": "USD"}),
        },
    ),
}
TRUTH: dict[str, st.SearchStrategy[Any]] = {
    "answer": st.one_of(TEXTS, st.lists(TEXTS, max_size=3)),
    "chunks": st.one_of(
        st.dictionaries(NAMES, st.sampled_from([-1, 0, 0.5, 1, 2, 30, 31]), max_size=4), st.lists(NAMES, max_size=3)
    ),
    "tool": NAMES,
    "tool_calls": st.lists(CALL, max_size=4),
    "state": TASK,
    "object": VALUES,
}


def perhaps(members: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Each member as it should be, or absent, or anything."""
    return st.fixed_dictionaries(
        {}, optional={name: st.one_of(good, good, good, VALUES) for name, good in members.items()}
    )


RECORDED = st.fixed_dictionaries(
    {"document": perhaps(CHANNELS), "expected": perhaps(TRUTH)},
    optional={"output": TEXTS, "object": VALUES, "action": TEXTS},
)


def read(declared: type[Scorer], chosen: Any) -> Scorer:
    return read_scorer({"id": "s", "type": declared.type_name(), **copy.deepcopy(dict(chosen))}, "")


def as_bytes(found: Outcome) -> bytes:
    """Everything an outcome says. NaN and infinity are refused."""
    parts = [
        found.status,
        found.score,
        found.passed,
        found.explanation,
        dict(found.evidence),
        found.value,
        found.unit,
        found.error_code,
    ]
    return json.dumps(parts, allow_nan=False).encode()


def verdict(found: Outcome) -> tuple[Any, ...]:
    """What may not change where nothing that matters did."""
    return (found.status, found.score, found.passed, found.value, found.unit, found.error_code)


@pytest.mark.parametrize("declared", SCORERS, ids=lambda declared: declared.__name__)
def test_whatever_is_recorded_there_is_one_lawful_outcome(declared: type[Scorer]) -> None:
    scorers = [read(declared, example.settings) for example in declared.examples[:3]]
    again = [read(declared, example.settings) for example in declared.examples[:3]]

    @FEW
    @given(RECORDED)
    def check(recorded: dict[str, Any]) -> None:
        before = copy.deepcopy(recorded)
        for one, other in zip(scorers, again, strict=True):
            found = one.outcome(observation_of(**recorded))
            assert found.explanation
            assert len(found.explanation) < 1_500
            if found.status == "error":
                assert found.error_code in declared.gives, (found.error_code, found.explanation)
                assert (found.score, found.passed) == (None, None)
            elif found.status == "scored":
                assert found.score is not None
                assert 0 <= found.score <= 1
                assert found.passed is (found.score >= one.pass_threshold)
            else:
                assert (found.status, found.score) == ("measured", None)
                assert found.value is not None
            assert as_bytes(other.outcome(observation_of(**copy.deepcopy(recorded)))) == as_bytes(found)
        assert recorded == before

    check()


def numbers_as(value: Any, write: Callable[[int | float], Any]) -> Any:
    """`value` with every number written in another way."""
    if isinstance(value, dict):
        return {name: numbers_as(member, write) for name, member in value.items()}
    if isinstance(value, list):
        return [numbers_as(item, write) for item in value]
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > EXACT_DOUBLES:
        return value
    return write(value)


WAYS: dict[str, Callable[[int | float], Any]] = {
    "5.0": float,
    "exact": lambda number: Decimal(repr(number)),
    "5.00": lambda number: Decimal(repr(number)) + Decimal("0.00"),
    "5e0": lambda number: Decimal(repr(number)).normalize(),
    "whole": lambda number: int(number) if number == int(number) else number,
}


@pytest.mark.parametrize("way", WAYS)
def test_how_a_number_is_written_changes_nothing(way: str) -> None:
    compared = 0
    for row in TODAY:
        if row.get("refused"):
            continue
        body = given_by(row)
        parts = {
            "document": body.get("observation"),
            **{name: body[name] for name in ("output", "expected") if name in body},
        }
        one = scorer(row["type"], **row["settings"])
        rewritten = numbers_as(copy.deepcopy(parts), WAYS[way])
        assert verdict(one.outcome(observation_of(**rewritten))) == verdict(one.outcome(observation_of(**parts))), row[
            "id"
        ]
        compared += rewritten != parts or json.dumps(rewritten, default=str) != json.dumps(parts)
    assert compared >= (1 if way == "whole" else 20)


@pytest.mark.parametrize("way", WAYS)
def test_how_a_number_is_written_changes_nothing_in_the_examples(way: str) -> None:
    for declared in SCORERS:
        for example in declared.examples:
            parts = dict(example.observation)
            parts = {"document": parts.pop("observation", None), **parts}
            one = read(declared, example.settings)
            rewritten = numbers_as(copy.deepcopy(parts), WAYS[way])
            assert verdict(one.outcome(observation_of(**rewritten))) == verdict(one.outcome(observation_of(**parts))), (
                declared,
                example.title,
            )


def retrieval_of(ids: list[str], grades: Any) -> dict[str, Any]:
    return {"document": {"retrieval": {"chunks": [{"id": chunk} for chunk in ids]}}, "expected": {"chunks": grades}}


RANKED = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=10, unique=True)
GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0, 0.5, 1, 2, 3]), max_size=4).map(
    lambda grades: {**grades, "a": 2}
)


@pytest.mark.parametrize("kind", RETRIEVAL)
@FEW
@given(RANKED, GRADES, st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_order_beyond_the_cut_and_repeats_change_nothing(
    kind: str, ids: list[str], grades: Any, k: int, dice: random.Random
) -> None:
    cut = (
        k
        if kind not in {"MRR", "AveragePrecision"}
        else max(index for index, chunk in enumerate([*ids, "a"], 1) if grades.get(chunk, 0) > 0)
    )
    one = scorer(kind, **({"k": k} if cut == k and kind not in {"MRR", "AveragePrecision"} else {}))
    plain = one.outcome(observation_of(**retrieval_of(ids, grades)))
    head, tail = ids[:cut], ids[cut:]
    dice.shuffle(tail)
    assert verdict(one.outcome(observation_of(**retrieval_of(head + tail, grades)))) == verdict(plain)
    repeated = list(ids)
    for _ in range(3):
        place = dice.randint(1, len(repeated))
        repeated.insert(place, dice.choice(repeated[:place]))
    found = one.outcome(observation_of(**retrieval_of(repeated, grades)))
    assert as_bytes(found) == as_bytes(plain)


def renamed(value: Any, names: dict[str, str]) -> Any:
    """`value` with each text and member name that is in `names` replaced."""
    if isinstance(value, dict):
        return {names.get(name, name): renamed(member, names) for name, member in value.items()}
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    return names.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=lambda attempt: attempt["id"])
def test_the_names_of_rows_mean_nothing(attempt: dict[str, Any]) -> None:
    names = dict(
        zip(
            ["i1", "i2", "i3", "t1", "t2", "t3", "t4", "t5"],
            ["9", "row.1", "\U0001f600", "a b", "t1.x", "T", "*x", "0"],
            strict=True,
        )
    )
    one = scorer("StateChange")
    recorded = attempt["body"]["observation"]
    plain = one.outcome(observation_of(document=recorded))
    other = one.outcome(observation_of(document=renamed(recorded, names)))
    assert verdict(other) == verdict(plain)
    assert {name: criterion["passed"] for name, criterion in other.evidence["criteria"].items()} == {
        name: criterion["passed"] for name, criterion in plain.evidence["criteria"].items()
    }


@pytest.mark.parametrize("kind", [*RETRIEVAL, *CITATIONS, "ToolSuccess", "ToolCalled", "ToolTrajectory", "ToolCallF1"])
@FEW
@given(
    st.fixed_dictionaries(
        {
            "document": st.fixed_dictionaries(
                {name: CHANNELS[name] for name in ("retrieval", "citations", "tool_calls")}
            ),
            "expected": st.fixed_dictionaries({name: TRUTH[name] for name in ("chunks", "tool", "tool_calls")}),
            "output": TEXTS,
        }
    )
)
def test_the_names_of_chunks_and_tools_mean_nothing(kind: str, recorded: dict[str, Any]) -> None:
    one = scorer(kind)
    # None is the name of a member of the document.
    names = {"a": "Z", "b": "chunk/2", "c": "\u00e9", "t1": "0"}
    other = {
        **recorded,
        "document": renamed(recorded["document"], names),
        "expected": renamed(recorded["expected"], names),
    }
    assert verdict(one.outcome(observation_of(**other))) == verdict(one.outcome(observation_of(**recorded)))


@FEW
@given(
    st.fixed_dictionaries({name: CHANNELS[name] for name in ("tool_calls", "citations", "state")}),
    st.fixed_dictionaries({name: TRUTH[name] for name in ("chunks", "tool_calls", "state")}),
    st.randoms(use_true_random=False),
)
def test_an_order_that_means_nothing_changes_nothing(document: Any, expected: Any, dice: random.Random) -> None:
    kinds = {"CitationF1": {}, "StateChange": {}, "ToolCallF1": {"arguments": "superset"}}
    other = copy.deepcopy({"document": document, "expected": expected})
    for listed in (
        other["document"]["citations"]["ledger"],
        other["expected"]["state"]["required"],
        other["expected"]["state"]["allowed"],
    ):
        dice.shuffle(listed)
    other["document"]["state"] = reordered(other["document"]["state"], dice)
    for kind, chosen in kinds.items():
        if kind == "ToolCallF1":
            dice.shuffle(other["document"]["tool_calls"])
            dice.shuffle(other["expected"]["tool_calls"])
        one = scorer(kind, **chosen)
        plain = one.outcome(observation_of(output="[1][2, 3]", document=document, expected=expected))
        assert verdict(one.outcome(observation_of(output="[3][2][1]", **other))) == verdict(plain)


def reordered(value: Any, dice: random.Random) -> Any:
    """The same objects with their members in another order."""
    if not isinstance(value, dict):
        return value
    members = [(name, reordered(member, dice)) for name, member in value.items()]
    dice.shuffle(members)
    return dict(members)


def _maps() -> Iterator[tuple[type[Scorer], str, dict[str, Any]]]:
    for declared in SCORERS:
        for name, schema in declared.model_json_schema(by_alias=True)["properties"].items():
            if schema.get("type") == "object" and "maxProperties" in schema:
                yield declared, name, schema


@pytest.mark.parametrize(
    ("declared", "name", "schema"),
    list(_maps()),
    ids=lambda value: value if isinstance(value, str) else getattr(value, "__name__", ""),
)
def test_a_setting_that_is_a_map_is_bounded_too(declared: type[Scorer], name: str, schema: dict[str, Any]) -> None:
    choice = schema["additionalProperties"]["enum"][0]
    most, longest = schema["maxProperties"], schema["propertyNames"]["maxLength"]
    base = dict(declared.examples[0].settings)
    for allowed in ({}, {"f": choice}, {"a" * longest: choice}, {f"f{number}": choice for number in range(most)}):
        assert read(declared, {**base, name: allowed})
    for wrong in (
        None,
        [],
        "f",
        {"f": "no such choice"},
        {"f": None},
        {"f": 1},
        {"": choice},
        {"a" * (longest + 1): choice},
        {f"f{number}": choice for number in range(most + 1)},
    ):
        with pytest.raises(ValidationFailed):
            read(declared, {**base, name: wrong})


def test_there_are_maps_and_every_family_is_here() -> None:
    assert [declared.__name__ for declared, _, _ in _maps()][:2] == ["ToolCallF1", "ToolTrajectory"]
    assert {*RETRIEVAL, *CITATIONS} <= {declared.type_name() for declared in SCORERS}
