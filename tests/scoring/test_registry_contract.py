"""What every scorer keeps to, those of tomorrow too: the tests run over the registry."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic.alias_generators import to_camel

from foundation.errors import ValidationFailed
from scoring.kit.outcome import Outcome, Reading
from scoring.kit.registry import Registry, registry
from scoring.kit.scorer import Example, Scorer
from scoring.kit.spelling import snake_case
from scoring.kit.text import utf16_length
from scoring.profile_documents import load_scorers, read_scorer
from tests.scoring.cases import observation

SCORERS = list(registry)
every_scorer = pytest.mark.parametrize("declared", SCORERS, ids=lambda declared: declared.__name__)
EXAMPLES = [(declared, example) for declared in SCORERS for example in declared.examples]
every_example = pytest.mark.parametrize(
    ("declared", "example"), EXAMPLES, ids=[f"{declared.__name__}: {example.title}" for declared, example in EXAMPLES]
)


def document(declared: type[Scorer], settings: Any = None) -> dict[str, Any]:
    """A scorer's document with the settings of its first example, or others."""
    chosen = declared.examples[0].settings if settings is None else settings
    return {"id": "s", "type": declared.type_name(), **copy.deepcopy(dict(chosen))}


def run(declared: type[Scorer], example: Example) -> Outcome:
    return read_scorer(document(declared, example.settings), "").outcome(observation(**dict(example.observation)))


def as_bytes(outcome: Outcome) -> bytes:
    return json.dumps(
        [outcome.status, outcome.score, outcome.passed, outcome.explanation, dict(outcome.evidence)]
    ).encode()


def test_the_scorers_of_this_release_are_there() -> None:
    names = {declared.type_name() for declared in SCORERS}
    assert {"RegexMatch", "KeywordContains", "NumericRange", "OccurrenceRatio", "ExactMatch", "Contains"} <= names


@every_scorer
def test_a_scorer_says_what_it_is(declared: type[Scorer]) -> None:
    assert declared.summary().endswith(".")
    assert declared.summary()[0].isupper()
    assert len(declared.summary()) <= 120
    assert declared.version >= 1
    assert declared.formula
    assert declared.reads
    assert declared.origin
    assert declared.type_name() == declared.__name__
    assert declared.advanced <= set(declared.own_fields())
    assert snake_case(declared.__name__).replace("_", "").isalnum()


@every_scorer
def test_a_scorer_has_three_examples_of_which_one_errs(declared: type[Scorer]) -> None:
    assert len(declared.examples) >= 3
    assert any(example.error for example in declared.examples)
    assert any(example.error is None for example in declared.examples)
    assert len({example.title for example in declared.examples}) == len(declared.examples)
    for example in declared.examples:
        answers = [answer for answer in (example.score, example.error, example.value) if answer is not None]
        assert answers, example.title
        assert example.error is None or len(answers) == 1, example.title


@every_example
def test_an_example_gives_what_it_says(declared: type[Scorer], example: Example) -> None:
    outcome = run(declared, example)
    assert outcome.explanation
    if example.error is not None:
        assert (outcome.status, outcome.error_code) == ("error", example.error)
        assert example.error in declared.gives
        assert (outcome.score, outcome.passed) == (None, None)
        return
    assert outcome.error_code is None
    if example.score is not None:
        assert outcome.status == "scored"
        assert outcome.score == pytest.approx(example.score, abs=1e-9)
        assert 0 <= (outcome.score or 0) <= 1
    if example.value is not None:
        assert outcome.value == pytest.approx(example.value, abs=1e-9)
        assert outcome.unit


@every_example
def test_the_same_input_gives_the_same_bytes(declared: type[Scorer], example: Example) -> None:
    assert as_bytes(run(declared, example)) == as_bytes(run(declared, example))


@every_example
def test_a_score_turned_round(declared: type[Scorer], example: Example) -> None:
    if example.score is None:
        return
    turned = Example("turned", {**example.settings, "negate": True, "passThreshold": 0.25}, example.observation)
    outcome = run(declared, turned)
    assert outcome.score == pytest.approx(1 - example.score, abs=1e-9)
    assert outcome.passed is ((outcome.score or 0) >= 0.25)
    assert outcome.explanation.startswith("Negated: ")


@every_example
def test_a_document_comes_back_as_it_was_read(declared: type[Scorer], example: Example) -> None:
    scorer = read_scorer(document(declared, example.settings), "")
    written = scorer.as_document()
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert read_scorer(written, "") == scorer
    assert read_scorer(written, "").as_document() == written
    assert load_scorers([written]) == (scorer,)
    assert all(value is not None for value in written.values())


@every_example
def test_both_spellings_are_one(declared: type[Scorer], example: Example) -> None:
    camel = {to_camel(snake_case(name)): value for name, value in example.settings.items()}
    snake = {snake_case(name): value for name, value in example.settings.items()}
    other = {"id": "s", "type": snake_case(declared.__name__), **snake}
    assert read_scorer(other, "") == read_scorer({"id": "s", "type": declared.__name__, **camel}, "")
    assert read_scorer(other, "").as_document()["type"] == declared.__name__


@every_scorer
def test_a_setting_in_both_spellings_is_refused(declared: type[Scorer]) -> None:
    with pytest.raises(ValidationFailed) as caught:
        read_scorer({**document(declared), "passThreshold": 0.5, "pass_threshold": 0.6}, "scorers.3")
    assert [fault.path for fault in caught.value.fields] == ["scorers.3.pass_threshold"]


@every_scorer
def test_each_setting_is_described(declared: type[Scorer]) -> None:
    schema = declared.model_json_schema(by_alias=True)
    assert schema["additionalProperties"] is False
    for name, info in declared.model_fields.items():
        property_ = schema["properties"][info.alias]
        if name == "type":
            continue
        assert property_["title"], name
        # A word that Python or pydantic keeps for itself has another name inside.
        assert info.alias == to_camel(name) or (name, info.alias) == ("json_schema", "schema")
        if name in declared.own_fields():
            assert info.description or info.title, name


@every_scorer
@pytest.mark.parametrize("name", ["typo", "keyword", "list", "str", "int", "a[0]", "", "a.b", "\u00e9", "__class__"])
def test_an_unknown_setting_is_named(declared: type[Scorer], name: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        read_scorer({**document(declared), name: 1}, "scorers.7")
    assert [(fault.path, fault.code) for fault in caught.value.fields] == [
        (f"scorers.7.{name}".rstrip("."), "extra_forbidden")
    ]
    assert caught.value.fields[0].as_dict()["scorerId"] == "s"


def _bounds(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a value, without the null that it may also be."""
    options = [option for option in schema.get("anyOf", [schema]) if option.get("type") != "null"]
    return options[0] if len(options) == 1 else {}


def _attacks(schema: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
    """(value, whether it is allowed) at and beyond each bound of a schema."""
    bounds = _bounds(schema)
    kind = bounds.get("type")
    if kind == "number":
        yield from ((value, False) for value in ("1", True, [], {}))
        if "minimum" in bounds:
            yield from ((bounds["minimum"], True), (bounds["minimum"] - 1e-9, False))
        if "maximum" in bounds:
            yield from ((bounds["maximum"], True), (bounds["maximum"] * (1 + 1e-12), False))
        if "exclusiveMinimum" in bounds:
            yield from ((bounds["exclusiveMinimum"], False), (bounds["exclusiveMinimum"] + 1e-9, True))
    elif kind == "boolean":
        yield from ((value, False) for value in (0, 1, "true", "", None, []))
        yield from ((True, True), (False, True))
    elif kind == "string":
        yield from ((value, False) for value in (1, True, [], {}))
        if "enum" in bounds:
            yield from ((value, True) for value in bounds["enum"])
            yield "no such choice", False
        elif "maxLength" in bounds and "pattern" not in bounds.get("x-widget", ""):
            yield from ((text, True) for text in _texts(bounds["maxLength"]))
            yield from ((text + "a", False) for text in _texts(bounds["maxLength"]))
            yield "", bounds.get("minLength", 0) == 0
    elif kind == "array":
        item = _bounds(bounds["items"])
        high = bounds["maxItems"]
        yield from ((value, False) for value in ("a", {}, 1, [1], [None]))
        if "enum" in item:
            yield item["enum"][:high], True
            yield ["no such choice"], False
            yield [item["enum"][0]] * (high + 1), False
            return
        yield [f"item {index}" for index in range(high)], True
        yield [f"item {index}" for index in range(high + 1)], False
        yield [], bounds.get("minItems", 0) == 0
        if item.get("type") == "string":
            yield [_texts(item["maxLength"])[1]] * high, True
            yield ["a", _texts(item["maxLength"])[1] + "a"], False
            yield [""], item.get("minLength", 0) == 0


def _texts(length: int) -> list[str]:
    """Two texts of so many UTF-16 code units, the second of characters that take two each."""
    texts = ["a" * length, "\U0001f600" * (length // 2) + "a" * (length % 2)]
    assert [utf16_length(text) for text in texts] == [length, length]
    return texts


ATTACKS = [
    (declared, name, value, allowed)
    for declared in SCORERS
    for name, schema in declared.model_json_schema(by_alias=True)["properties"].items()
    if name not in ("type", "flags")
    for value, allowed in _attacks(schema)
]


@pytest.mark.parametrize(
    ("declared", "name", "value", "allowed"),
    ATTACKS,
    ids=[
        f"{declared.__name__}.{name}={str(value)[:20]}{'' if allowed else ' refused'}"
        for declared, name, value, allowed in ATTACKS
    ],
)
def test_each_bound_is_met_at_its_edge(declared: type[Scorer], name: str, value: Any, allowed: bool) -> None:
    body = {**document(declared), name: value}
    try:
        scorer = read_scorer(body, "scorers.0")
    except ValidationFailed as refusal:
        paths = [fault.path for fault in refusal.fields]
        assert all(path.startswith("scorers.0") for path in paths)
        # What is allowed by itself may still not go with the example's other settings.
        own = [path for path in paths if path == f"scorers.0.{name}" or path.startswith(f"scorers.0.{name}.")]
        about_the_whole = all(
            fault.code in {"range_empty", "invalid_pattern", "zero_without_limit", "zero_within_limit"}
            for fault in refusal.fields
        )
        assert (not allowed and own) or (allowed and about_the_whole), refusal.fields  # noqa: PT017
    else:
        assert allowed, f"{name}={value!r:.60} was let through as {getattr(scorer, snake_case(name))!r:.60}"


@every_scorer
def test_what_every_scorer_takes(declared: type[Scorer]) -> None:
    base = document(declared)
    scorer = read_scorer(base, "")
    assert (scorer.weight, scorer.required, scorer.pass_threshold, scorer.target) == (1, False, 1, "output")
    assert scorer.name == "s"
    assert read_scorer({**base, "name": None}, "").name == "s"
    assert read_scorer({**base, "name": "N", "weight": 0, "description": None}, "").as_document()["name"] == "N"
    for wrong in (
        {"id": None},
        {"id": " \u3000"},
        {"name": "\t"},
        {"target": "input"},
        {"passThreshold": 0},
        {"passThreshold": 1.0000001},
    ):
        with pytest.raises(ValidationFailed) as caught:
            read_scorer({**base, **wrong}, "scorers.0")
        assert [fault.path for fault in caught.value.fields] == [f"scorers.0.{next(iter(wrong))}"]
    without_id = {name: value for name, value in base.items() if name != "id"}
    with pytest.raises(ValidationFailed) as caught:
        read_scorer(without_id, "scorers.0")
    assert [(fault.path, fault.code) for fault in caught.value.fields] == [("scorers.0.id", "missing")]


class Wild(Scorer):
    """Gives whatever it is told to, to see what becomes of it."""

    def score(self, observation: Any) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("given", [float("nan"), float("inf"), -float("inf"), 1.7, -0.1, 1.0000000001])
def test_a_score_that_is_none_is_an_error_that_names_it(given: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Wild, "score", lambda _self, _observation: Reading(given, "So it is."))
    outcome = Wild(id="w", type="Wild").outcome(observation())
    assert (outcome.status, outcome.score, outcome.passed, outcome.error_code) == ("error", None, None, "scorer_failed")
    assert str(given) in outcome.explanation


@pytest.mark.parametrize(
    "crash",
    [KeyError("x"), ZeroDivisionError(), TypeError(), IndexError(), RecursionError(), UnicodeError(), AttributeError()],
)
def test_a_crash_is_an_error_without_its_details(
    crash: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def score(self: Scorer, observation: Any) -> Any:
        raise crash

    monkeypatch.setattr(Wild, "score", score)
    outcome = Wild(id="w", type="Wild", weight=2).outcome(observation())
    assert (outcome.status, outcome.error_code) == ("error", "scorer_failed")
    assert "Traceback" not in outcome.explanation
    assert type(crash).__name__ in caplog.text


def test_two_scorers_of_one_type_are_refused() -> None:
    own = Registry()
    own.add(SCORERS[0])
    own.add(SCORERS[0])
    assert len(own) == 1
    other = type("Other", (), {"type_name": classmethod(lambda _cls: SCORERS[0].type_name()), "__qualname__": "Other"})
    with pytest.raises(ValueError, match="both of type"):
        own.add(other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pascal", "snake"),
    [
        ("RegexMatch", "regex_match"),
        ("TTFT", "ttft"),
        ("ToolCallF1", "tool_call_f1"),
        ("HitAtK", "hit_at_k"),
        ("MRR", "mrr"),
        ("TokenF1", "token_f1"),
        ("RougeL", "rouge_l"),
        ("JsonLogic", "json_logic"),
    ],
)
def test_the_change_of_spelling(pascal: str, snake: str) -> None:
    assert snake_case(pascal) == snake


def test_a_type_is_found_in_either_spelling_and_no_other() -> None:
    assert registry.find("RegexMatch") is registry.find("regex_match") is not None
    for wrong in ("regexMatch", "Regex_Match", "regexmatch", "", "REGEXMATCH", "CustomExpression"):
        assert registry.find(wrong) is None
