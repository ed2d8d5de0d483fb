"""Structured answers: JSON Schema of every draft, and objects compared with the expected one."""

import copy
import json
import time
from decimal import Decimal
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from foundation.errors import ValidationFailed
from scoring.kit.json_schema import Violation, compiled
from scoring.kit.json_schema.drafts import DRAFTS
from scoring.kit.json_schema.formats import FORMATS
from scoring.kit.json_text import NotJson, parse, without_fence
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Outcome, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.subsequences import longest_common_subsequence
from scoring.profile_documents import load_scorers, read_profile
from tests.scoring.cases import outcome, scorer

S = {"type": "object", "required": ["ok"], "properties": {"ok": {"type": "boolean"}}}
DRAFT7 = "http://json-schema.org/draft-07/schema#"
DRAFT4 = "http://json-schema.org/draft-04/schema#"
DRAFT3 = "http://json-schema.org/draft-03/schema#"
DRAFT2019 = "https://json-schema.org/draft/2019-09/schema"


def by(schema: Any, **given_: Any) -> Outcome:
    return outcome("OutputSchema", {"schema": schema}, **given_)


def faults(kind: str, **document: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(ValidationFailed) as caught:
        scorer(kind, **document)
    return [(fault.path.removeprefix("scorers.0."), fault.code, fault.message) for fault in caught.value.fields]


def violations(schema: Any, value: Any) -> list[tuple[str, str, str]]:
    evidence = by(schema, object=value).evidence["violations"]
    return [(found["path"], found["keyword"], found["message"]) for found in evidence]


# --- the facts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "schema", "text", "score", "said"),
    [
        ("H01", S, '{"ok":true}', 1, "valid"),
        ("H02", S, '{"ok":"yes"}', 0, "$.ok: expected boolean, got string"),
        ("H03", S, "{}", 0, '$: missing required "ok"'),
        ("H04", S, "sorry, no", 0, "not JSON"),
        ("H05", S, '```json\n{"ok":true}\n```', 0, "not JSON"),
        ("H06", {"type": "integer"}, "3.0", 1, "valid"),
        ("H08", {"type": "string", "pattern": "[0-9]{3}"}, '"ab123cd"', 1, "valid"),
        ("H10", {"type": "number"}, "NaN", 0, "NaN is no JSON value"),
    ],
)
def test_the_facts(fact: str, schema: Any, text: str, score: float, said: str) -> None:
    found = by(schema, output=text)
    assert (found.score, found.error_code) == (score, None), fact
    assert said in found.explanation


def test_h11_a_schema_that_is_none_is_refused_when_it_is_saved() -> None:
    assert faults("OutputSchema", schema={"type": 12}) == [
        (
            "schema.type",
            "invalid_schema",
            "12 is no type; the types are array, boolean, integer, null, number, object and string.",
        )
    ]


def test_h12_a_format_is_asserted_or_refused_never_ignored() -> None:
    email = {"type": "string", "format": "email"}
    assert [by(email, object=text).score for text in ("a@b.org", "a.b.org", "a@", "@b")] == [1, 0, 0, 0]
    assert faults("OutputSchema", schema={"format": "e-mail"})[0][:2] == ("schema.format", "invalid_schema")


# --- which schema, which answer ------------------------------------------------------------------


def test_booleans_are_schemas() -> None:
    for value in (None, 0, "", [], {"a": [1]}):
        assert by(True, object=value).score == 1
        assert by(False, object=value).score == 0
    assert by(False, object=1).evidence["violations"] == [
        {"path": "$", "keyword": "false", "message": "nothing is allowed here"}
    ]
    assert by({"properties": {"a": False}}, object={"a": 1}).evidence["violations"][0]["path"] == "$.a"


def test_the_schema_of_the_case() -> None:
    assert outcome("OutputSchema", {}, object=1, expected={"schema": {"type": "string"}}).score == 0
    assert outcome("OutputSchema", {}, object=1, expected={"schema": True}).score == 1
    for expected in ({}, {"answer": "x"}, "x"):
        assert outcome("OutputSchema", {}, object=1, expected=expected).error_code == ErrorCode.MISSING_GROUND_TRUTH
    for schema in ({"type": "objekt"}, {"$ref": "#/$defs/a"}, [], "object", None, {"pattern": "("}):
        found = outcome("OutputSchema", {}, object=1, expected={"schema": schema})
        assert found.error_code == ErrorCode.BAD_GROUND_TRUTH, schema
        assert found.explanation.startswith("expected.schema cannot be used: ")
    # The scorer's own goes before the case's.
    assert outcome("OutputSchema", {"schema": True}, object=1, expected={"schema": False}).score == 1


def test_the_object_goes_before_the_text_unless_one_is_asked_for() -> None:
    both = {"output": "1", "object": "a"}
    integer = {"schema": {"type": "integer"}}
    assert outcome("OutputSchema", integer, **both).score == 0
    assert outcome("OutputSchema", {**integer, "source": "text"}, **both).score == 1
    assert outcome("OutputSchema", {**integer, "source": "object"}, **both).score == 0
    assert outcome("OutputSchema", {**integer, "source": "object"}, output="1").error_code == ErrorCode.MISSING_INPUT
    assert outcome("OutputSchema", {**integer, "source": "text"}, object=1).error_code == ErrorCode.MISSING_INPUT
    assert outcome("OutputSchema", {**integer, "target": "action"}, action="2", **both).score == 1
    # Null was recorded: it is a value.
    assert outcome("OutputSchema", {"schema": {"type": "null"}}, object=None, output="1").score == 1


def test_a_completed_agent_without_an_object_is_a_wrong_answer() -> None:
    finished = {"observation": {"outcome": {"status": "completed"}, "output": {"text": "{}"}}}
    found = outcome("OutputSchema", {"schema": True, "source": "object"}, **finished)
    assert (found.score, "without an object" in found.explanation) == (0, True)
    assert outcome("OutputSchema", {"schema": {"type": "object"}}, **finished).score == 1


# --- what is JSON --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "{",
            '{"a":1}x',
            "1 2",
            '{"a":1,"a":2}',
            '{"b":{"a":1,"a":1}}',
            "Infinity",
            "-Infinity",
            "[NaN]",
            "'a'",
            "{a:1}",
        ),
        *(
            "[1,]",
            "01",
            "+1",
            ".5",
            "1.",
            "\ufeff{}",
            "\u00a01",
            "// a\n1",
            "True",
            "None",
            '"\n"',
            '"\\x"',
            "nul",
            "```\n1\n```",
        ),
    ],
)
def test_what_is_no_json(text: str) -> None:
    with pytest.raises(NotJson):
        parse(text)
    assert by(True, output=text).score == 0


@pytest.mark.parametrize(
    "text", ["0", " 1 ", "\t[\n]\r", '"\\u00e9"', "-0.0", "1e5", '{"":0}', "null", '"\\ud83d"', "1E+2"]
)
def test_what_is_json(text: str) -> None:
    assert parse(text) == json.loads(text)


def test_numbers_keep_their_value() -> None:
    assert parse("0.1") == 0.1
    assert isinstance(parse("0.1"), float)
    assert parse("0.1000000000000000055511151231257827") == Decimal("0.1000000000000000055511151231257827")
    assert parse("1e-400") == Decimal("1e-400")
    assert parse("9007199254740993") == 9007199254740993
    assert violations({"maximum": 9007199254740992}, 9007199254740993)
    assert by({"multipleOf": 0.1}, output="0.3").score == 1
    assert by({"multipleOf": 0.01}, output="4.35").score == 1
    assert by({"multipleOf": 0.1}, output="0.35").score == 0
    assert by({"const": 0.1}, output="0.10000000000000000001").score == 0
    assert by({"type": "integer"}, output="1e2").score == by({"type": "integer"}, output="1" + "0" * 300).score == 1
    assert by({"type": "integer"}, output="1.00000000000000000000001").score == 0
    for text in ("1" * 401, "1e401", "1e-401", "1e99999999999999999999", "0." + "1" * 400):
        assert by(True, output=text).error_code == ErrorCode.LIMIT, text[:30]


def test_how_long_and_how_deep() -> None:
    assert by(True, output="[" * 128 + "]" * 128).score == 1
    assert by(True, output="[" * 129 + "]" * 129).error_code == ErrorCode.LIMIT
    assert by(True, output="[" * 90_000).error_code == ErrorCode.LIMIT
    assert parse('"' + "a" * (1_048_576 - 2) + '"')
    for text in ('"' + "a" * (1_048_576 - 1) + '"', '"' + "é" * 524_288 + '"'):
        with pytest.raises(Unmeasurable) as caught:
            parse(text)
        assert caught.value.code == ErrorCode.LIMIT
    deep: Any = 1
    for _ in range(129):
        deep = [deep]
    assert scorer("OutputSchema", schema=True).outcome(Observation(object=deep)).error_code == ErrorCode.LIMIT
    assert scorer("OutputSchema", schema=True).outcome(Observation(object=deep[0])).score == 1
    assert (
        scorer("OutputSchema", schema=True).outcome(Observation(object=["a" * 1_048_576])).error_code == ErrorCode.LIMIT
    )


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("```json\n1\n```", "1"),
        ("Here:\n```\n{\n}\n```\nand\n```\n2\n```", "{\n}"),
        ("~~~\n1\n~~~", "1"),
        ("````\n```\n````", "```"),
        ("```\n1", "1"),
        ("  ```json\n1\n  ```  ", "1"),
        ("no fence", "no fence"),
        ("a ```b``` c", "a ```b``` c"),
        ("```a`b\n1", "```a`b\n1"),
        ("``\n1\n``", "``\n1\n``"),
        ("```\n```", ""),
        ("", ""),
    ],
)
def test_the_first_code_block(text: str, held: str) -> None:
    assert without_fence(text) == held


def test_a_fence_is_read_only_when_it_is_asked_for() -> None:
    text = 'Sure!\n```json\n{"ok": true}\n```\nDone.'
    assert outcome("OutputSchema", {"schema": S}, output=text).score == 0
    assert outcome("OutputSchema", {"schema": S, "extract": "fence"}, output=text).score == 1
    assert outcome("OutputSchema", {"schema": S, "extract": "fence"}, output='{"ok": true}').score == 1


# --- what the violations say ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "value", "keyword", "message"),
    [
        ({"type": ["string", "null"]}, 1, "type", "expected string or null, got number"),
        ({"type": "integer"}, 1.5, "type", "expected integer, got 1.5"),
        ({"type": "integer"}, True, "type", "expected integer, got boolean"),
        ({"type": "number"}, True, "type", "expected number, got boolean"),
        ({"type": "object"}, [], "type", "expected object, got array"),
        ({"enum": ["a", 1, None]}, True, "enum", 'expected one of "a", 1, null; got true'),
        ({"enum": [[1]]}, [True], "enum", "expected one of [1]; got [true]"),
        ({"const": {"a": 1}}, {"a": 2}, "const", 'expected {"a": 1}, got {"a": 2}'),
        ({"const": False}, 0, "const", "expected false, got 0"),
        ({"minimum": 3}, 2, "minimum", "expected at least 3, got 2"),
        ({"maximum": 3}, 3.5, "maximum", "expected at most 3, got 3.5"),
        ({"exclusiveMinimum": 3}, 3, "exclusiveMinimum", "expected more than 3, got 3"),
        ({"exclusiveMaximum": 3}, 3.0, "exclusiveMaximum", "expected less than 3, got 3.0"),
        ({"multipleOf": 2}, 3, "multipleOf", "expected a multiple of 2, got 3"),
        ({"minLength": 2}, "é", "minLength", "expected at least 2 characters, got 1"),
        ({"maxLength": 1}, "\U0001f600a", "maxLength", "expected at most 1 character, got 2"),
        ({"pattern": "^\\d$"}, "\u0663", "pattern", '"\u0663" does not match the pattern "^\\\\d$"'),
        ({"format": "date"}, "2026-02-30", "format", '"2026-02-30" is no date'),
        ({"minItems": 1}, [], "minItems", "expected at least 1 item, got 0"),
        ({"maxItems": 0}, [1], "maxItems", "expected at most 0 items, got 1"),
        ({"uniqueItems": True}, [1, True, 1.0], "uniqueItems", "items 0 and 2 are the same"),
        ({"minProperties": 2}, {"a": 1}, "minProperties", "expected at least 2 members, got 1"),
        (
            {"additionalProperties": False},
            {"b": 1, "a": 2},
            "additionalProperties",
            'has members that are not allowed: "a", "b"',
        ),
        (
            {"unevaluatedProperties": False},
            {"a": 2},
            "unevaluatedProperties",
            'has members that no schema speaks of: "a"',
        ),
        ({"prefixItems": [True], "items": False}, [1, 2], "items", "expected at most 1 item, got 2"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "dependentRequired", 'missing "b", which "a" requires'),
        (
            {"propertyNames": {"maxLength": 1}},
            {"ab": 1},
            "propertyNames",
            'the name "ab": expected at most 1 character, got 2',
        ),
        ({"contains": {"type": "string"}}, [1], "contains", "expected at least 1 of its items to fit contains, got 0"),
        (
            {"contains": True, "maxContains": 1},
            [1, 2],
            "contains",
            "expected at most 1 of its items to fit contains, got 2",
        ),
        ({"not": {"type": "string"}}, "a", "not", "is of the form that not rules out"),
        ({"oneOf": [True, {"type": "string"}]}, "a", "oneOf", "fits 2 forms of oneOf (0, 1) and must fit exactly one"),
        (
            {"anyOf": [{"type": "string"}, {"required": ["a", "b"]}]},
            {},
            "anyOf",
            "fits none of the 2 forms of anyOf; the nearest: expected string, got object",
        ),
        (
            {"anyOf": [{"properties": {"a": {"const": 1}}}]},
            {"a": 2},
            "anyOf",
            "fits none of the 1 forms of anyOf; the nearest: $.a: expected 1, got 2",
        ),
    ],
)
def test_what_is_said_of_a_violation(schema: Any, value: Any, keyword: str, message: str) -> None:
    assert violations(schema, value) == [("$", keyword, message)]


def test_violations_are_in_order_at_their_places_and_counted() -> None:
    schema = {"items": {"properties": {"price": {"type": "number"}, "a b": {"minimum": 1}}, "required": ["price"]}}
    value = [{"price": "x"}] * 11 + [{"a b": 0}]
    found = by(schema, object=value)
    assert [violation["path"] for violation in found.evidence["violations"]] == [
        *(f"$[{index}].price" for index in range(11)),
        "$[11]",
        '$[11]["a b"]',
    ]
    assert found.evidence["violationCount"] == 13
    assert found.explanation == (
        "13 violations of the schema: $[0].price: expected number, got string; "
        "$[1].price: expected number, got string; $[2].price: expected number, got string; and 10 more."
    )
    many = by({"items": False}, object=[1] * 60)
    assert many.evidence["violationCount"] == 1
    many = by({"items": {"type": "string"}}, object=[1] * 60)
    assert (len(many.evidence["violations"]), many.evidence["violationCount"]) == (50, 60)


def test_what_is_shown_of_a_huge_value_is_short() -> None:
    value = {"x" * 5_000: ["y" * 5_000, "\ud800"] * 100}
    for schema in (
        {"type": "string"},
        {"const": 1},
        {"additionalProperties": False},
        {"anyOf": [{"const": 2}]},
        {"enum": [{}]},
    ):
        found = scorer("OutputSchema", schema=schema).outcome(Observation(object=value))
        assert found.score == 0
        assert len(json.dumps(found.evidence)) < 6_000 or schema == {"additionalProperties": False}
        found.explanation.encode()
        json.dumps(found.evidence, ensure_ascii=False).encode()


# --- what is refused -----------------------------------------------------------------------------


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels - 1):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "path", "said"),
    [
        ({"type": "objekt"}, "schema.type", '"objekt" is no type'),
        ({"properties": {"a": {"type": "nope"}}}, "schema.properties.a.type", "no type"),
        ({"minLength": -1}, "schema.minLength", "Must be at least 0"),
        ({"required": "a"}, "schema.required", "Must be array; this is string"),
        ({"required": ["a", "a"]}, "schema.required", ""),
        ({"enum": 1}, "schema.enum", "Must be array"),
        ({"multipleOf": 0}, "schema.multipleOf", "Must be more than 0"),
        ({"allOf": []}, "schema.allOf", "at least 1"),
        ({"items": [{}]}, "schema.items", ""),
        ({"$ref": "#/$defs/a"}, "schema.$ref", "leads nowhere"),
        ({"$ref": "#a"}, "schema.$ref", "leads nowhere"),
        ({"$ref": "other.json"}, "schema.$ref", "leads nowhere"),
        ({"$ref": "http://127.0.0.1:9/schema"}, "schema.$ref", "nothing is fetched"),
        ({"$ref": "file:///etc/hostname"}, "schema.$ref", "nothing is fetched"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "schema.$ref", "leads nowhere"),
        ({"$ref": "http://[x"}, "schema.$ref", ""),
        ({"properties": {"a": {"$dynamicRef": "#n"}}}, "schema.properties.a.$dynamicRef", "leads nowhere"),
        ({"$ref": "#/x", "x": {"type": "nope"}}, "schema.$ref.type", ""),
        ({"$ref": "#/x", "x": 5}, "schema.$ref", "no schema"),
        ({"$ref": 5}, "schema.$ref", "Must be string"),
        ({"pattern": "("}, "schema.pattern", "Invalid regular expression"),
        ({"pattern": "(?P<a>b)"}, "schema.pattern", "Invalid regular expression"),
        ({"pattern": "a" * 257}, "schema.pattern", "longer than 256"),
        ({"patternProperties": {"[": {}}}, "schema.patternProperties.[", "Invalid regular expression"),
        ({"$ref": "#/x", "x": {"pattern": "("}}, "schema.$ref.pattern", "Invalid regular expression"),
        ({"$schema": "http://example.org/schema"}, "schema.$schema", "no known draft"),
        ({"$schema": 5}, "schema.$schema", "no known draft"),
        ({"properties": {"a": {"$schema": DRAFT7}}}, "schema.properties.a.$schema", "All of a schema is of one draft"),
        ({"format": "int32"}, "schema.format", "cannot be checked"),
        ({"contentEncoding": "base64"}, "schema.contentEncoding", "not checked"),
        ({"dependencies": {}}, "schema.dependencies", "has no dependencies"),
        ({"additionalItems": False}, "schema.additionalItems", "has no additionalItems"),
        ({"divisibleBy": 2}, "schema.divisibleBy", "has no divisibleBy"),
        ({"$schema": DRAFT7, "prefixItems": [{}]}, "schema.prefixItems", "has no prefixItems"),
        ({"$schema": DRAFT4, "const": 1}, "schema.const", "has no const"),
        ({"$schema": DRAFT7, "unevaluatedProperties": False}, "schema.unevaluatedProperties", "has no unevaluated"),
        ({"requird": ["a"]}, "schema.requird", 'Did you mean "required"?'),
        ({"propertys": {}}, "schema.propertys", 'Did you mean "properties"?'),
        ({"\0never": True}, "schema", ""),
        (nested(34), "schema", "at most 32 levels"),
        ({"description": "é" * 32_768}, "schema", "at most 65,536 bytes"),
        ({"anyOf": [True] * 2_500}, "schema", "at most 2,500"),
        ({"anyOf": [{"pattern": f"a{index}"} for index in range(201)]}, "schema", "at most 200 different patterns"),
    ],
)
def test_what_is_refused_when_it_is_saved(schema: Any, path: str, said: str) -> None:
    found = faults("OutputSchema", schema=schema)
    assert len(found) == 1
    assert found[0][0].startswith(path), found
    assert found[0][1] == "invalid_schema"
    assert said in found[0][2]


@pytest.mark.parametrize("schema", [[], "object", 1])
def test_other_json_is_no_schema(schema: Any) -> None:
    assert {path for path, _, _ in faults("OutputSchema", schema=schema)} == {"schema"}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        nested(32),
        {
            "x-origin": 1,
            "example": 3,
            "nullable": True,
            "title": "T",
            "default": {"type": "nope"},
            "examples": [{"$ref": "x"}],
        },
        {"enum": [{"type": "nope"}], "const": {"$ref": "#/nowhere"}},
        {"$defs": {"a": {"$anchor": "here", "type": "string"}}, "$ref": "#here"},
        {"$id": "https://example.org/root", "$defs": {"a": {"$id": "child", "type": "string"}}, "$ref": "child"},
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema#",
            "definitions": {"a": {}},
            "$ref": "#/definitions/a",
        },
        {"$schema": DRAFT7.rstrip("#"), "items": [{}], "additionalItems": False, "dependencies": {"a": ["b"]}},
        {
            "$schema": DRAFT3,
            "properties": {"a": {"required": True, "type": ["string", {"type": "integer"}]}},
            "extends": {},
        },
        {"$schema": DRAFT4, "minimum": 1, "exclusiveMinimum": True, "id": "http://example.org/x"},
        {"$schema": DRAFT2019, "$recursiveAnchor": True, "items": {"$recursiveRef": "#"}, "unevaluatedItems": False},
        {"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}, "minContains": 0, "contains": True},
        {"description": "a" * 65_000},
        {"pattern": "(?<year>\\p{L})\\k<year>$"},
    ],
)
def test_what_is_taken(schema: Any) -> None:
    before = copy.deepcopy(schema)
    taken = scorer("OutputSchema", schema=schema)
    assert taken.as_document()["schema"] == before == schema
    assert taken.outcome(Observation(object=[1])).status in {"scored", "error"}


def test_an_imported_schema_that_cannot_be_used_errs_alone() -> None:
    """Field case F9."""
    scorers = [
        {"id": "good", "type": "Contains", "value": "a"},
        {"id": "bad", "type": "OutputSchema", "schema": {"type": "objekt"}},
        {"id": "rule", "type": "JsonLogic", "expression": {"equals": [1, 1]}},
        {"id": "regex", "type": "RegexMatch", "pattern": "([a-z"},
    ]
    profile = read_profile({"name": "P", "scorers": scorers}, keep_unusable=True)
    for held in (profile.scorers, load_scorers([item.as_document() for item in profile.scorers])):
        outcomes = [item.outcome(Observation(output="a")) for item in held]
        assert [found.error_code for found in outcomes] == [None, *[ErrorCode.CONFIG] * 3]
        assert outcomes[0].score == 1
        assert "objekt" in outcomes[1].explanation
        assert "equals" in outcomes[2].explanation


def test_a_stored_schema_is_not_looked_through_again_until_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.scorers.structure.compiled", None)
    (loaded,) = load_scorers([{"id": "s", "type": "OutputSchema", "schema": {"type": "string", "title": "never seen"}}])
    assert loaded.as_document()["schema"] == {"type": "string", "title": "never seen"}


def test_a_validator_is_built_once() -> None:
    schema = {"type": "string", "title": "built once"}
    assert compiled(schema) is compiled(copy.deepcopy(schema))
    assert compiled({"const": 1}) is not compiled({"const": True})


# --- drafts --------------------------------------------------------------------------------------


def test_what_differs_between_drafts() -> None:
    assert by({"type": "integer"}, object=1.0).score == 1
    assert by({"$schema": DRAFT4, "type": "integer"}, object=1.0).score == 0
    assert by({"$schema": DRAFT4, "minimum": 1, "exclusiveMinimum": True}, object=1).score == 0
    assert by({"$schema": DRAFT4, "maximum": 1, "exclusiveMaximum": True}, object=1).score == 0
    assert by({"$schema": DRAFT4, "maximum": 1, "exclusiveMaximum": False}, object=1).score == 1
    assert by({"$schema": DRAFT7, "items": [{"type": "string"}], "additionalItems": False}, object=["a", 1]).score == 0
    assert by({"$schema": DRAFT7, "items": {"type": "string"}, "additionalItems": False}, object=["a", "b"]).score == 1
    assert (
        by(
            {"$schema": DRAFT7, "dependencies": {"a": ["b"], "c": {"required": ["d"]}}}, object={"a": 1, "c": 1}
        ).evidence["violationCount"]
        == 2
    )
    # Up to draft 7 what stands beside a $ref is not looked at.
    beside = {"definitions": {"a": {}}, "$ref": "#/definitions/a", "type": "string"}
    assert by({"$schema": DRAFT7, **beside}, object=1).score == 1
    assert by(beside, object=1).score == 0
    draft3 = {
        "$schema": DRAFT3,
        "properties": {"a": {"required": True}, "b": {"type": [{"minimum": 3}, "string"]}},
        "disallow": ["array"],
    }
    assert [by(draft3, object=value).score for value in ({"a": 1}, {}, [], {"a": 1, "b": 2}, {"a": 1, "b": 3})] == [
        1,
        0,
        0,
        0,
        1,
    ]
    assert by({"$schema": DRAFT3, "divisibleBy": 0.1, "extends": [{"maximum": 1}]}, object=0.3).score == 1
    assert by({"$schema": DRAFT3, "divisibleBy": 0.1, "extends": [{"maximum": 1}]}, object=1.2).score == 0
    # contains counts as seen from 2020-12 on.
    seen = {"contains": {"type": "string"}, "unevaluatedItems": False}
    assert by(seen, object=["a"]).score == 1
    assert by({"$schema": DRAFT2019, **seen}, object=["a"]).score == 0


def test_recursion_through_anchors() -> None:
    for draft, schema in (
        (DRAFT2019, {"$recursiveAnchor": True, "type": ["array", "string"], "items": {"$recursiveRef": "#"}}),
        (
            "https://json-schema.org/draft/2020-12/schema",
            {"$dynamicAnchor": "n", "type": ["array", "string"], "items": {"$dynamicRef": "#n"}},
        ),
    ):
        assert by({"$schema": draft, **schema}, object=["a", ["b", []]]).score == 1
        assert violations({"$schema": draft, **schema}, ["a", ["b", [1]]]) == [
            ("$[1][1][0]", "type", "expected array or string, got number")
        ]


def test_what_no_schema_speaks_of() -> None:
    schema = {
        "properties": {"a": True},
        "patternProperties": {"^x\\d": True},
        "allOf": [{"properties": {"b": True}}],
        "anyOf": [{"properties": {"c": {"const": 1}}, "required": ["c"]}, True],
        "if": {"properties": {"kind": {"const": "k"}}, "required": ["kind"]},
        "then": {"properties": {"t": True}},
        "else": {"properties": {"e": True}},
        "dependentSchemas": {"a": {"properties": {"d": True}}},
        "$ref": "#/$defs/r",
        "$defs": {"r": {"properties": {"r": True}}},
        "unevaluatedProperties": False,
    }
    for value in ({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "r": 1, "x1": 1}, {"kind": "k", "t": 1}, {}):
        assert by(schema, object=value).score == 1, value
    for value in ({"c": 2}, {"d": 1}, {"t": 1}, {"kind": "k", "e": 1}, {"x": 1}):
        assert by(schema, object=value).score == 0, value
    items = {
        "prefixItems": [True],
        "anyOf": [{"prefixItems": [True, {"const": 1}]}, True],
        "unevaluatedItems": {"type": "string"},
    }
    assert by(items, object=[0, 1, "a"]).score == 1
    assert violations(items, [0, 2, "a"]) == [("$[1]", "type", "expected string, got number")]
    assert by({"allOf": [{"unevaluatedProperties": True}], "unevaluatedProperties": False}, object={"a": 1}).score == 1
    assert by({"allOf": [{"additionalProperties": True}], "unevaluatedProperties": False}, object={"a": 1}).score == 1


# --- patterns and formats ------------------------------------------------------------------------


def test_patterns_are_javascripts_and_bounded() -> None:
    assert by({"pattern": "^\\d+$"}, object="\u0663").score == 0
    assert by({"pattern": "^a$"}, object="a\n").score == 0
    assert by({"pattern": "^.$"}, object="\U0001f600").score == 1
    assert by({"pattern": "^\\p{Lu}"}, object="\u00c9").score == 1
    assert by({"patternProperties": {"^\\d": {"type": "string"}}}, object={"\u0663": 1}).score == 1
    assert (
        by({"patternProperties": {"^\\d$": {}}, "additionalProperties": False}, object={"\u0663": 1, "2": 1}).score == 0
    )
    assert by({"patternProperties": {"^\\d$": {}}, "unevaluatedProperties": False}, object={"\u0663": 1}).score == 0
    for schema, value in (
        ({"pattern": "^(a*)*\\1b$"}, "a" * 30_000),
        ({"patternProperties": {"^(a*)*\\1b$": {}}}, {"a" * 30_000: 1}),
        ({"patternProperties": {"^(a*)*\\1b$": {}}, "additionalProperties": {"type": "string"}}, {"a" * 30_000: 1}),
        ({"allOf": [{"patternProperties": {"^(a*)*\\1b$": {}}}], "unevaluatedProperties": False}, {"a" * 30_000: 1}),
        (
            {
                "$schema": DRAFT7,
                "allOf": [{"$ref": "#/definitions/p"}],
                "definitions": {"p": {"pattern": "^(a*)*\\1b$"}},
            },
            "a" * 30_000,
        ),
    ):
        started = time.monotonic()
        found = scorer("OutputSchema", schema=schema).outcome(Observation(object=value))
        assert found.error_code == ErrorCode.LIMIT
        assert time.monotonic() - started < 5
    assert (
        scorer("OutputSchema", schema={"pattern": "a"}).outcome(Observation(object="b" * 110_002)).error_code
        == ErrorCode.LIMIT
    )
    assert by({"pattern": "a"}, object=1).score == 1


GOOD_AND_BAD: dict[str, tuple[list[str], list[str]]] = {
    "date": (["2026-02-28", "2024-02-29"], ["2026-02-30", "20260101", "2026-1-1", "\u0661963-06-19", "2026-W01-1"]),
    "time": (
        ["12:00:00Z", "23:59:60Z", "01:29:60+01:30", "12:00:00.123+02:00"],
        ["12:00:00", "24:00:00Z", "23:59:61Z", "22:59:60Z", "12:00:00+24:00"],
    ),
    "date-time": (
        ["2026-01-01T00:00:00Z", "1998-12-31T23:59:60z", "2026-01-01t00:00:00.5+05:30"],
        ["2026-01-01 00:00:00Z", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z"],
    ),
    "duration": (["P1Y2M3DT4H5M6S", "PT36H", "P4W", "PT0S"], ["P", "PT", "P1", "P1YT", "P1W2D", "P2D1Y", "1D", ""]),
    "email": (
        ["a@b.co", "a.b+c@ex-ample.org", '"a b"@x.org', "a@[127.0.0.1]", "a@[IPv6:::1]"],
        ["a", "@b", "a@", "a..b@c.d", ".a@b.c", "a@b..c", "a@-b", "a b@c"],
    ),
    "idn-email": (["\uc2e4\ub840@\uc2e4\ub840.\ud14c\uc2a4\ud2b8"], ["a", "a@\uc2e4 \ub840"]),
    "hostname": (["a", "a.b-c.org", "1.2"], ["-a", "a-", "a_b", "a..b", "a.", "", "a" * 64]),
    "idn-hostname": (["\uc2e4\ub840.\ud14c\uc2a4\ud2b8", "a.b"], ["-\uc2e4\ub840", "\uc2e4 \ub840", "\u0301a", ""]),
    "ipv4": (
        ["1.2.3.4", "255.255.255.255", "0.0.0.0"],
        ["1.2.3", "1.2.3.04", "256.1.1.1", "1.2.3.4.", "1.2.3.4.5", "\uff11.2.3.4"],
    ),
    "ipv6": (["::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4"], ["1", "::1%eth0", ":::", "1.2.3.4"]),
    "uri": (
        ["http://a.b/c?d#e", "urn:a:b", "mailto:a@b.c", "http://[::1]:80/x", "http://a/%20"],
        ["a/b", "//h", "http://a b", "\\\\x", "http://a/%2", "1http://a", "http://a:b:c/"],
    ),
    "uri-reference": (["/a", "a/b", "#x", "?q", "//h/x", ""], ["\\a", "a:b c", " ", "\u00e9"]),
    "iri": (["http://\u0192\u00f8\u00f8.\u00dfår/?\u2202#\u00f4"], ["/a", "http://a b"]),
    "iri-reference": (["/\u00e9"], ["\u00e9 \\"]),
    "uri-template": (["http://x/{a}{?b,c*}{/d:3}", "a", "{+a.b}"], ["{", "{}", "{a", "a b", "{a,}", "}"]),
    "uuid": (
        ["2EB8AA08-AA98-11EA-B4AA-73B441D16380"],
        ["2EB8AA08-AA98-11EA-B4AA-73B441D1638", "2EB8AA08AA9811EAB4AA73B441D16380"],
    ),
    "json-pointer": (["", "/a~0b/~1", "/"], ["a", "/~", "/~2"]),
    "relative-json-pointer": (["0", "1/a", "2#"], ["01", "-1", "#", "0a"]),
    "regex": (["^a$", "(?<y>\\p{L})", ""], ["(", "a**", "(?P<a>b)"]),
}


@pytest.mark.parametrize("name", GOOD_AND_BAD)
def test_formats(name: str) -> None:
    good, bad = GOOD_AND_BAD[name]
    for text in good:
        assert by({"format": name}, object=text).score == 1, text
    for text in bad:
        assert violations({"format": name}, text)[0][1] == "format", text
    assert by({"format": name}, object=1).score == 1


def test_every_format_is_tried_and_takes_no_time() -> None:
    assert set(GOOD_AND_BAD) == {*FORMATS, "regex"}
    pieces = ("a", "a.", "1", "/", "~0", "%20", "{a}", "{a,", "9:", "-", '\\"', "@", "::", "\u00e9", "1Y")
    for question in FORMATS.values():
        started = time.process_time()
        for piece in pieces:
            question("http://" + piece * 20_000 + "\0")
            question(piece * 20_000 + " ")
        assert time.process_time() - started < 2


# --- bounds --------------------------------------------------------------------------------------

_FIVE = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": "string"}, "b": {"minimum": 0}, "c": {"enum": [1]}, "d": {"items": {}}, "e": {}},
    "additionalProperties": False,
}
_DOUBLING: dict[str, Any] = {"$defs": {"d30": {"type": "string"}}, "$ref": "#/$defs/d0"}
for _level in range(30):
    _DOUBLING["$defs"][f"d{_level}"] = {"anyOf": [{"$ref": f"#/$defs/d{_level + 1}"}] * 2}
WORST: list[tuple[Any, Any]] = [
    ({"$ref": "#"}, 1),
    ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, 1),
    ({"allOf": [{"$ref": "#"}, {"$ref": "#"}]}, 1),
    ({"unevaluatedProperties": False, "$ref": "#"}, {"a": 1}),
    ({"unevaluatedItems": False, "anyOf": [{"$ref": "#"}]}, [1]),
    ({"not": {"$ref": "#"}}, 1),
    (_DOUBLING, 1),
    ({"items": _FIVE}, [{"a": 1, "b": -1, "c": 2, "d": 1, "x": 1}] * 8_000),
    ({"items": {"type": "integer"}}, ["x"] * 100_000),
    ({"items": {"properties": {f"p{index}": False for index in range(2_400)}}}, [{"p0": 1}] * 30_000),
    ({"items": {"enum": list(range(9_000))}}, list(range(9_000, 90_000))),
    ({"items": {"multipleOf": 0.3}}, [0.7] * 40_000),
    (
        {"items": {"anyOf": [{"type": "array", "items": {"type": "null"}}, {"type": "object", "required": ["a"]}]}},
        [[1], {"b": 1}] * 20_000,
    ),
    ({"anyOf": [False] * 2_400}, "x" * 1_000_000),
    ({"uniqueItems": True}, [[index, {"a": index}] for index in range(40_000)]),
    ({"items": {"pattern": "^a\\d+$"}}, [f"a{index}" for index in range(30_000)]),
]


@pytest.mark.parametrize(("schema", "value"), WORST, ids=range(len(WORST)))
def test_the_worst_is_a_limit_in_less_than_a_second(schema: Any, value: Any) -> None:
    ready = scorer("OutputSchema", schema=schema)
    started = time.process_time()
    found = ready.outcome(Observation(object=value))
    assert found.error_code == ErrorCode.LIMIT
    assert found == ready.outcome(Observation(object=value))
    assert (time.process_time() - started) / 2 < 1


LARGE: list[tuple[Any, Any]] = [
    ({"items": _FIVE}, [{"a": "x", "b": 1, "c": 1, "d": [1], "e": 1}] * 8_000),
    ({"items": {"type": "integer"}}, list(range(100_000))),
    ({"items": {"properties": {f"p{index}": True for index in range(2_400)}}}, [{}] * 30_000),
    ({"items": {"enum": list(range(9_000))}}, list(range(9_000))),
    ({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"anyOf": [{"type": "null"}, {"maximum": 1}]}}}, [1] * 50_000),
]


@pytest.mark.parametrize(("schema", "value"), LARGE, ids=range(len(LARGE)))
def test_a_large_answer_that_is_valid_is_scored_in_a_fraction_of_a_second(schema: Any, value: Any) -> None:
    ready = scorer("OutputSchema", schema=schema)
    started = time.process_time()
    assert ready.outcome(Observation(object=value)).score == 1
    assert time.process_time() - started < 0.5


def test_what_is_wrong_in_a_large_answer_is_found_and_all_of_it() -> None:
    value = [{"a": 1 if index % 3 else "x", "b": -1, "c": 2} for index in range(5_000)]
    started = time.process_time()
    found = by({"items": _FIVE}, object=value)
    assert (found.score, found.evidence["violationCount"]) == (0, 13_333)
    assert time.process_time() - started < 1


def test_a_schema_that_refers_to_itself_ends_at_the_same_depth_whoever_asks() -> None:
    def deeper(levels: int) -> Outcome:
        return deeper(levels - 1) if levels else by({"$ref": "#"}, object=1)

    assert deeper(0) == deeper(150)
    assert deeper(0).explanation == "Schemas apply inside each other more than 200 levels deep."


def test_a_deep_answer_by_a_schema_that_refers_to_itself() -> None:
    tree = {
        "$defs": {"n": {"required": ["v"], "properties": {"c": {"items": {"$ref": "#/$defs/n"}}}}},
        "$ref": "#/$defs/n",
    }
    value: dict[str, Any] = {}
    for _ in range(62):
        value = {"v": 1, "c": [value]}
    found = by(tree, output=json.dumps(value))
    assert (found.score, found.evidence["violationCount"]) == (0, 1)
    assert found.evidence["violations"][0]["path"] == "$" + ".c[0]" * 62


# --- against the package itself ------------------------------------------------------------------

_NAMES = st.sampled_from(["a", "b", "c"])
_SCALARS = st.sampled_from([None, True, False, 0, 1, 2, 1.5, "", "a", "bb"])
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3), max_leaves=8
)
_TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])


def _schemas(draft: str) -> st.SearchStrategy[Any]:
    latest = draft == "https://json-schema.org/draft/2020-12/schema"
    newer = latest or draft == DRAFT2019

    def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        some = st.lists(inner, min_size=1, max_size=3)
        optional = {
            "type": _TYPES | st.lists(_TYPES, min_size=1, max_size=2, unique=True),
            "enum": st.lists(_VALUES, min_size=1, max_size=3),
            "const": _VALUES,
            "minimum": st.integers(0, 2),
            "exclusiveMaximum": st.integers(0, 2),
            "multipleOf": st.sampled_from([0.5, 1, 2]),
            "minLength": st.integers(0, 2),
            "maxItems": st.integers(0, 2),
            "minProperties": st.integers(0, 2),
            "required": st.lists(_NAMES, max_size=2, unique=True),
            "properties": st.dictionaries(_NAMES, inner, max_size=2),
            "additionalProperties": inner,
            "propertyNames": inner,
            "contains": inner,
            "allOf": some,
            "anyOf": some,
            "oneOf": some,
            "not": inner,
            "if": inner,
            "then": inner,
            "else": inner,
            "items": inner if latest else inner | some,
        }
        if newer:
            optional |= {
                "dependentSchemas": st.dictionaries(_NAMES, inner, max_size=1),
                "dependentRequired": st.dictionaries(_NAMES, st.lists(_NAMES, max_size=1), max_size=1),
                "unevaluatedProperties": inner,
                "minContains": st.integers(0, 1),
                "maxContains": st.integers(1, 2),
            }
        optional |= {"prefixItems": some} if latest else {"additionalItems": inner}
        chosen = st.lists(st.sampled_from(sorted(optional)), max_size=4, unique=True)
        return chosen.flatmap(lambda names: st.fixed_dictionaries({name: optional[name] for name in names}))

    return st.recursive(st.booleans() | st.just({}), keywords, max_leaves=6)


@pytest.mark.parametrize("draft", [DRAFT7, DRAFT2019, "https://json-schema.org/draft/2020-12/schema"])
def test_what_is_valid_is_what_the_package_says(draft: str) -> None:
    stock = DRAFTS[draft.rstrip("#")].meta_validator

    @given(_schemas(draft), _VALUES)
    @settings(max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    def agrees(schema: Any, value: Any) -> None:
        named = {"$schema": draft, **schema} if isinstance(schema, dict) else schema
        found = scorer("OutputSchema", schema=named).outcome(Observation(object=value))
        assert found.score == float(stock(named).is_valid(value)), (named, value)
        assert (found.score == 1) is (found.evidence["violationCount"] == 0)

    agrees()


_NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([2**53, 2**53 + 1, 1e22, 1.2345678901234567e19, 12345678901234567100, 0.1, Decimal("0.1") / 3]),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-10, max_value=10, places=25),
)
_SHAPES: list[dict[str, Any]] = [
    {"items": {"pattern": "^a"}, "maxItems": 2},
    {"properties": {"a": {"$ref": "#/$defs/b"}, "b": {"format": "date"}}, "$defs": {"b": {"type": "string"}}},
    {"items": {"$ref": "#"}, "minItems": 1},
    {"properties": {"a": {"$ref": "#"}}, "additionalProperties": {"type": "integer"}},
    {"properties": {"a": {"$id": "urn:x", "items": {"$ref": "#/$defs/c"}, "$defs": {"c": {"const": 1}}}}},
    {"patternProperties": {"^a": {"type": "null"}}, "additionalProperties": False},
    {"properties": {"a": True, "b": {"unevaluatedProperties": False, "properties": {"a": True}}}},
    {"allOf": [{"$ref": "#/$defs/none"}], "$defs": {"none": {"not": {"uniqueItems": True}}}},
]


def _violations_without_quick_checks(schema: Any, value: Any) -> list[Violation]:
    slow = compiled(schema)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slow, "_checks", {})
        return slow.violations(value)


@given(st.sampled_from(_SHAPES) | _schemas("https://json-schema.org/draft/2020-12/schema"), _VALUES)
@settings(max_examples=250, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_quick_checks_change_nothing(schema: Any, value: Any) -> None:
    assert compiled(schema).violations(value) == _violations_without_quick_checks(schema, value)


@given(
    st.sampled_from(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const"]),
    _NUMBERS,
    _NUMBERS,
)
@example("minimum", 1.2345678901234567e19, 12345678901234567100)
@example("exclusiveMaximum", 1.2345678901234567e19, 12345678901234567100)
@example("maximum", 0.1, Decimal("0.1000000000000000055511151231257827"))
@settings(max_examples=250, derandomize=True, deadline=None)
def test_numbers_are_compared_exactly_with_and_without_the_quick_checks(keyword: str, bound: Any, value: Any) -> None:
    assume(keyword != "multipleOf" or bound > 0)
    first, second = (Fraction(Decimal(repr(n)) if isinstance(n, float) else n) for n in (value, bound))
    valid = {
        "minimum": first >= second,
        "maximum": first <= second,
        "exclusiveMinimum": first > second,
        "exclusiveMaximum": first < second,
        "multipleOf": keyword != "multipleOf" or (first / second).denominator == 1,
        "const": first == second,
    }[keyword]
    schema = {keyword: bound, "type": "number"}
    assert (compiled(schema).violations(value) == []) is valid
    assert compiled(schema).violations(value) == _violations_without_quick_checks(schema, value)


def test_the_package_is_the_one_that_was_read() -> None:
    """Keywords are given to it by name; a version that names or calls them otherwise must be looked at."""
    assert version("jsonschema").startswith("4.")
    keywords = {keyword for draft in DRAFTS.values() for keyword in draft.meta_validator.VALIDATORS}
    assert keywords == {
        *("$dynamicRef", "$recursiveRef", "$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "const"),
        *("contains", "dependencies", "dependentRequired", "dependentSchemas", "disallow", "divisibleBy", "enum"),
        *("exclusiveMaximum", "exclusiveMinimum", "extends", "format", "if", "items", "maxItems", "maxLength"),
        *(
            "maxProperties",
            "maximum",
            "minItems",
            "minLength",
            "minProperties",
            "minimum",
            "multipleOf",
            "not",
            "oneOf",
        ),
        *("pattern", "patternProperties", "prefixItems", "properties", "propertyNames", "required", "type"),
        *("unevaluatedItems", "unevaluatedProperties", "uniqueItems"),
    }


# --- JsonMatch -----------------------------------------------------------------------------------


def match(expected: Any, actual: Any, **chosen: Any) -> Outcome:
    return scorer("JsonMatch", **chosen).outcome(Observation(object=actual, expected={"object": expected}))


@pytest.mark.parametrize(
    ("expected", "actual", "score"),
    [
        ({}, {}, 1),
        ([], [], 1),
        ({}, [], 0),
        ({"a": 1}, {"a": 1.0}, 1),
        ({"a": 1}, {"a": True}, 0),
        ({"a": 0}, {"a": False}, 0),
        ({"a": None}, {}, 0),
        ({}, {"a": None}, 0),
        ({"a": None}, {"a": None}, 1),
        ({"a": "1"}, {"a": 1}, 0),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 1),
        ([1, 2], [2, 1], 0),
        ([1, 2], [1, 2, 3], 0),
        ([1, 2], [1], 0),
        (9007199254740992, 9007199254740993, 0),
        (0.1, Decimal("0.1"), 1),
        (0.1, Decimal("0.10000000000000000001"), 0),
        (None, None, 1),
        ("a", "a", 1),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 2}]}}, 1),
    ],
)
def test_the_same_object(expected: Any, actual: Any, score: float) -> None:
    assert match(expected, actual).score == score
    assert match(actual, expected).score == score
    assert match(expected, actual, lists="set").score == (1 if (expected, actual) == ([1, 2], [2, 1]) else score)


@pytest.mark.parametrize(
    ("expected", "actual", "ordered", "sets"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, 1, 1),
        ({"a": 1, "b": 2}, {"a": 1}, 0, 0),
        ({"a": {}}, {"a": {"b": 1}}, 1, 1),
        ({"a": {}}, {"a": []}, 0, 0),
        ({"a": []}, {"a": [1]}, 1, 1),
        ([1, 3], [0, 1, 2, 3], 1, 1),
        ([3, 1], [0, 1, 2, 3], 0, 1),
        ([1, 1], [1], 0, 1),
        ([{"a": 1}], [{"b": 2}, {"a": 1, "b": 2}], 1, 1),
        ([{}, {"a": 1}], [{"a": 1}, {"a": 1, "b": 2}], 1, 1),
        ([{"a": 1}, {"b": 1}], [{"a": 1, "b": 1}], 0, 1),
        ([[1], [2]], [[0, 1], [2, 3]], 1, 1),
        ({"a": None}, {"b": 1}, 0, 0),
    ],
)
def test_a_subset(expected: Any, actual: Any, ordered: float, sets: float) -> None:
    assert match(expected, actual, mode="subset").score == ordered
    assert match(expected, actual, mode="subset", lists="set").score == sets


def test_lists_as_sets() -> None:
    assert match([1, 2, 2], [2, 1], lists="set").score == 1
    assert match([1, 2], [1, 2, 3], lists="set").score == 0
    assert match([[1, 2], [3]], [[3, 3], [2, 1]], lists="set").score == 1
    assert match([{"a": [1, 2]}], [{"a": [2, 1]}], lists="set").score == 1
    assert match([1, True], [True, 1], lists="set").score == 1
    assert match([1], [True], lists="set").score == 0


@pytest.mark.parametrize(
    ("expected", "actual", "settings_", "score"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {}, 1 / 2),
        ({"a": 1, "b": 2}, {"a": 1}, {}, 1 / 2),
        ({"a": 1, "b": 2}, {}, {}, 0),
        ({"a": {"b": 1, "c": [1, 2]}, "d": None}, {"a": {"b": 1, "c": [1, 3]}, "d": None}, {}, 3 / 4),
        # Extra leaves in an exact comparison keep it under 1, however many match.
        ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, {}, 2 / 3),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3, "c": 3}, {}, 1 / 2),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, {"mode": "subset"}, 1),
        ({"a": 1, "b": 2}, {"a": 1, "c": 3}, {"mode": "subset"}, 1 / 2),
        ([1, 2, 3], [1, 2], {}, 2 / 3),
        ([1, 2, 3, 4], [2, 3, 4], {"mode": "subset"}, 3 / 4),
        ([1, 2, 3], [3, 2, 9], {"lists": "set"}, 2 / 3),
        ([{"a": 1, "b": 2}, {"a": 3}], [{"a": 3}, {"a": 1, "b": 9}], {"lists": "set"}, 2 / 3),
        ([{"a": 1, "b": 2}, {"a": 3}], [0, {"a": 1, "b": 9}, {"a": 3}], {"mode": "subset"}, 2 / 3),
        ([[1, 2], [2, 1], 5], [[1, 2]], {"lists": "set"}, 2 / 3),
        ({}, {"a": 1}, {}, 0),
        ({"a": {}, "b": 1}, {"a": {}, "b": 2}, {}, 1 / 2),
    ],
)
def test_partial_credit(expected: Any, actual: Any, settings_: dict[str, Any], score: float) -> None:
    found = match(expected, actual, partialCredit=True, **settings_)
    assert found.score == pytest.approx(score)
    assert match(expected, actual, **settings_).score == (1 if score == 1 else 0)


def test_what_is_ignored() -> None:
    expected = {"items": [{"id": 1, "n": "a"}, {"id": 2, "n": "b"}], "at": 1}
    actual = {"items": [{"id": 8, "n": "a"}, {"n": "b"}], "at": 2, "more": 1}
    assert match(expected, actual).score == 0
    assert match(expected, actual, ignore=["items.*.id", "at", "more"]).score == 1
    assert match(expected, actual, ignore=["items.*.id", "at"]).score == 0
    assert match(expected, actual, ignore=["items", "at", "*"]).score == 1
    assert match({"a": [1, 2]}, {"a": [9, 2]}, ignore=["a.0"]).score == 1
    assert match({"a": 1}, {"a": 1}, ignore=["a.b.c", "x"]).score == 1
    assert match({"a": {"b": 1}}, {"a": {"b": 2}}, ignore=["b"]).score == 0
    assert match({"a": {"*": 1, "b": 1}}, {"a": {"*": 2, "b": 1}}, ignore=["a.*"]).score == 1


def test_the_differences() -> None:
    found = match({"a": 1, "b": [1, 2, 3], "c": None, "x y": 1}, {"a": True, "b": [1, 9], "d": [5], "x y": 1})
    assert found.evidence["differences"] == [
        {"path": "$.a", "kind": "different", "expected": 1, "actual": True},
        {"path": "$.b[1]", "kind": "different", "expected": 2, "actual": 9},
        {"path": "$.b[2]", "kind": "missing", "expected": 3},
        {"path": "$.c", "kind": "missing", "expected": None},
        {"path": "$.d", "kind": "extra", "actual": "[5]"},
    ]
    assert (found.evidence["matched"], found.evidence["expected"], found.evidence["extra"]) == (2, 6, 1)
    assert found.explanation == "2 of 6 expected values match; $.a: expected 1, got true; and 4 differences more."
    many = match(list(range(60)), [])
    assert (len(many.evidence["differences"]), many.evidence["differenceCount"]) == (50, 60)
    assert [entry["path"] for entry in many.evidence["differences"]][:11] == [f"$[{index}]" for index in range(11)]
    assert match([1], [1]).explanation == "The object is the expected one (1 value)."


def test_what_errs_and_what_is_a_wrong_answer() -> None:
    assert outcome("JsonMatch", {}, object={}, expected={"answer": "x"}).error_code == ErrorCode.MISSING_GROUND_TRUTH
    assert outcome("JsonMatch", {}, object={}).error_code == ErrorCode.MISSING_GROUND_TRUTH
    assert scorer("JsonMatch").outcome(Observation(expected={"object": {}})).error_code == ErrorCode.MISSING_INPUT
    assert outcome("JsonMatch", {}, output="sorry", expected={"object": {}}).score == 0
    assert outcome("JsonMatch", {}, output='{"a":1,"a":1}', expected={"object": {"a": 1}}).score == 0
    assert outcome("JsonMatch", {}, output='{"a":1}', expected={"object": {"a": 1}}).score == 1
    assert outcome("JsonMatch", {}, output='{"a":1}', object={"a": 2}, expected={"object": {"a": 1}}).score == 0
    for expected, ignore in (({}, []), ([], []), ({"a": 1}, ["a"])):
        assert match(expected, {"a": 1}, mode="subset", ignore=ignore).error_code == ErrorCode.BAD_GROUND_TRUTH
    assert match({"a": 1}, {"a": 2}, ignore=["a"]).score == 1


def test_a_comparison_has_its_bounds() -> None:
    rows = [{"id": index, "name": f"n{index}"} for index in range(4_000)]
    worst = [
        (list(range(100_000)), [index + 1 for index in range(100_000)], {}),
        ([-1] * 2_000, list(range(2_000)), {"mode": "subset"}),
        (rows, [{**row, "name": "x"} for row in rows], {"lists": "set"}),
        (rows, [{**row, "name": "x"} for row in rows], {"lists": "set", "mode": "subset"}),
    ]
    for expected, actual, chosen in worst:
        started = time.process_time()
        assert match(expected, actual, **chosen).error_code == ErrorCode.LIMIT
        assert time.process_time() - started < 1.5
    started = time.process_time()
    assert match(rows, rows[::-1], lists="set").score == 1
    assert match(rows, rows, mode="subset").score == 1
    deep, other = 1, 2
    for _ in range(100):
        deep, other = [deep, 0], [other, 0]  # type: ignore[assignment]
    for chosen in ({}, {"mode": "subset"}, {"lists": "set"}, {"mode": "subset", "lists": "set"}):
        assert match(deep, other, partialCredit=True, **chosen).score == pytest.approx(100 / 101, abs=0.01)
    assert time.process_time() - started < 2


@given(_VALUES, _VALUES, st.sampled_from(["exact", "subset"]), st.sampled_from(["ordered", "set"]), st.booleans())
@settings(max_examples=400, derandomize=True, deadline=None)
def test_every_comparison_gives_a_score(expected: Any, actual: Any, mode: str, lists: str, partial: bool) -> None:
    chosen = {"mode": mode, "lists": lists, "partialCredit": partial}
    itself = match(expected, expected, **chosen)
    assert itself.score == 1 or (mode == "subset" and itself.error_code == ErrorCode.BAD_GROUND_TRUTH)
    found = match(expected, actual, **chosen)
    if found.error_code is not None:
        assert found.error_code == ErrorCode.BAD_GROUND_TRUTH
        return
    assert found.score is not None
    assert 0 <= found.score <= 1
    assert (found.score == 1) is (found.evidence["differenceCount"] == 0)
    json.dumps(found.evidence, allow_nan=False)
    if match(expected, actual, mode="exact", lists=lists).score == 1:
        assert found.score == 1
    if lists == "set" and isinstance(actual, list):
        assert match(expected, [*actual[::-1], *actual], **chosen).score == pytest.approx(found.score)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=7), st.lists(st.integers(0, 3), max_size=7))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_of_a_list_within_another_as_much_as_can_be_is_found(expected: list[int], actual: list[int]) -> None:
    found = match(expected, actual, mode="subset", partialCredit=True)
    longest = longest_common_subsequence([str(item) for item in expected], [str(item) for item in actual])
    assert found.score == pytest.approx(longest / len(expected))


def test_absent_is_not_shown_as_a_value() -> None:
    assert ABSENT not in match({"a": 1}, {}).evidence["differences"][0].values()
