"""The controls with parts: tables, choices, rules. What goes in comes out again, whatever was typed."""

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field as Setting

from scoring.forms.cards import card_of
from scoring.forms.field_acts import read_examples
from scoring.forms.fields import CONTROLS, beside_fields, own_fields, scorer_fields
from scoring.forms.logic_rules import Seen, rule_view
from scoring.forms.logic_words import OPERATOR_GROUPS, VARIABLE_WORDS
from scoring.forms.profile_form import check_draft, draft_from_post
from scoring.forms.tables import MOST_ROWS, Table, gathered, table_of
from scoring.forms.widgets import Unreadable
from scoring.kit.json_logic import OPERATORS, check_rule, variables_of
from scoring.kit.observation import Observation
from scoring.kit.registry import registry
from scoring.kit.samples import observation_of
from scoring.kit.scorer import Scorer
from scoring.profile_documents import read_profile
from tests.scoring.widget_forms import (
    KINDS,
    PAIRS,
    SCHEMA,
    added,
    drafted,
    faults_of,
    names,
    posted,
    through_the_form,
    values,
)

# Settings that are edited as bare JSON, each with its reason. There is none.
BARE_JSON: dict[str, str] = {}

# Every setting of every scorer


@pytest.mark.parametrize("declared", list(registry), ids=lambda declared: declared.type_name())
def test_no_setting_is_a_bare_json_box(declared: type[Scorer]) -> None:
    bare = {f"{declared.type_name()}.{item.name}" for item in scorer_fields(declared) if item.kind == "json"}
    assert bare <= BARE_JSON.keys()
    assert all(item.kind in CONTROLS for item in scorer_fields(declared))


@pytest.mark.parametrize("declared", list(registry), ids=lambda declared: declared.type_name())
def test_defaults_and_examples_come_back_from_the_form(declared: type[Scorer]) -> None:
    for settings in ({}, *(example.settings for example in declared.examples)):
        card = card_of(0, {"id": "x", "type": declared.type_name(), **settings})
        draft = drafted(card)
        sent = draft_from_post(posted(draft))
        assert sent.cards[0].document() == card.document()
        assert {name: sent.cards[0].values[name] for name in card.values} == card.values
        profile = check_draft(sent).profile
        if profile is not None:
            whole = read_profile(
                {"name": "Profile", "scorers": [{"id": "x", "type": declared.type_name(), **settings}]}
            )
            assert profile.as_document()["scorers"] == whole.as_document()["scorers"]
            stored = profile.as_document()["scorers"][0]
            assert through_the_form(stored).items() >= stored.items()
        else:
            assert settings == {}, "an example that is no profile"


# Tables


@given(st.lists(st.dictionaries(st.sampled_from(["key", "value"]), names)), st.dictionaries(names, names, max_size=2))
def test_a_table_is_kept_as_its_text(rows: list[dict[str, str]], beside: dict[str, str]) -> None:
    table = Table(tuple(rows), beside)
    assert table_of(table.text) == table or (not rows and not any(beside.values()))


@pytest.mark.parametrize(
    "text",
    ["rows:", "rows:[]", "rows:[[1], {}]", 'rows:[[{"a": 1}], {}]', "rows:[[], 1]", "{}", "rows", "rows:" + "[" * 9999],
)
def test_a_text_that_is_no_table_is_none(text: str) -> None:
    assert table_of(text) is None
    with pytest.raises(Unreadable):
        SCHEMA.read(text) if text != "{}" else SCHEMA.read("{")


@pytest.mark.parametrize("count", ["-1", "x", "", "²"])
def test_a_count_of_rows_that_is_none_makes_no_table(count: str) -> None:
    assert gathered("c", {"c-rows": count, "c-0-key": "a"}, ("key",)) == ""


def test_no_more_rows_are_read_than_a_table_may_have() -> None:
    table = table_of(gathered("c", {"c-rows": "9999", "c-0-key": "a"}, ("key",)))
    assert table is not None
    assert (len(table.rows), table.full) == (MOST_ROWS, True)
    assert table.with_row({}) == table


# Pairs


@given(st.dictionaries(names, st.sampled_from(["exact", "superset", "subset", "ignore"]), max_size=5))
def test_pairs_come_back(pairs: dict[str, str]) -> None:
    assert PAIRS.keeps(pairs)
    assert (table_of(PAIRS.show(pairs)) is None) == ("" in pairs)


def test_rows_are_refused_where_they_are_wrong_and_a_blank_one_is_nothing() -> None:
    rows = ({"key": "a", "value": "exact"}, {"key": "a", "value": "ignore"}, {"key": "", "value": "ignore"})
    with pytest.raises(Unreadable) as refusal:
        PAIRS.read(Table(rows).text)
    assert list(refusal.value.faults) == ["1-key", "2-key"]
    assert PAIRS.read(Table((rows[0], {"key": "", "value": "exact"})).text) == {"a": "exact"}


def test_a_fault_stands_in_its_row() -> None:
    rows = ({"key": "a", "value": "exact"}, {"key": "b.c", "value": "most"}, {"key": "x" * 300, "value": "exact"})
    card = added("ToolTrajectory", toolArguments=Table(rows).text)
    faults = faults_of(drafted(card))
    assert set(faults) == {"scorers-0-toolArguments-1-value", "scorers-0-toolArguments-2-key"}
    assert faults["scorers-0-toolArguments-1-value"].startswith("Must be one of")


def test_rows_of_numbers_and_of_yes_and_no() -> None:
    with registry.forgetting_additions():

        class Prices(Scorer):
            """Whether the prices are right."""

            type: Literal["Prices"] = "Prices"
            limits: dict[str, Annotated[float, Setting(ge=0)]] = Setting(default_factory=dict, title="Limits")
            asked: dict[str, bool] = Setting(default_factory=dict, title="Asked")
            deep: dict[str, list[str]] = Setting(default_factory=dict, title="Deep")
            maybe: bool | None = Setting(default=None, title="Maybe")

        kinds = {item.name: item.kind for item in own_fields(Prices)}
        assert kinds == {"limits": "pairs", "asked": "pairs", "deep": "json", "maybe": "segmented"}
        document = {"id": "p", "type": "Prices", "limits": {"a": 1.5, "b": 2}, "asked": {"a": True}, "maybe": False}
        assert through_the_form(document).items() >= document.items()
        card = card_of(0, {**document, "limits": {"a": -1}})
        card.values["limits"] = card.values["limits"].replace("-1", "many")
        assert faults_of(drafted(card)) == {"scorers-0-limits-0-value": "Must be a number."}


# Choices and lists


@given(st.lists(st.sampled_from(["text", "reasoning", "tool_call"]), unique=True, min_size=1))
def test_choices_keep_their_order(kinds: list[str]) -> None:
    assert through_the_form({"id": "x", "type": "ITL", "kinds": kinds})["kinds"] == kinds


def test_what_is_ticked_and_unticked_is_what_is_read() -> None:
    post = {"k-order": "tool_call\ntext", "k-text": "true", "k-reasoning": "true", "k-odd": "true"}
    assert KINDS.read(KINDS.widget.collect(KINDS, "k", post)) == ["text", "reasoning"]
    assert faults_of(drafted(added("ITL", kinds=""))) == {"scorers-0-kinds": "Must have at least 1 of them."}


@pytest.mark.parametrize("ignored", [None, [], ["updated_at"]])
def test_no_list_is_not_an_empty_list(ignored: Any) -> None:
    document = {"id": "x", "type": "StateChange", "ignore": ignored}
    assert through_the_form(document)["ignore"] == ignored


# Rules


def test_every_operator_is_listed_with_a_rule_that_works() -> None:
    listed = [operator for group in OPERATOR_GROUPS for operator in group.operators]
    assert sorted(operator.name for operator in listed) == sorted(OPERATORS)
    for operator in listed:
        rule = read_examples(operator.example)[0]
        check_rule(rule)
        assert operator.name in rule


def test_the_variables_are_those_a_rule_can_see() -> None:
    everything = observation_of(output="o", object={}, expected={}, document={"input": "i", "case_id": "c"})
    data = variables_of(everything)
    assert {path.split(".")[0] for path in VARIABLE_WORDS} == data.keys()
    assert {path.removeprefix("item.") for path in VARIABLE_WORDS if path.startswith("item.")} == data["item"].keys()


ANSWER = observation_of(output="Hi", object={"total": 12, "items": [{"price": 5}], "a.b": 1}, metadata={"agent": "x"})


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ('{"==": [{"var": "object.total"}, 12]}', "yes", "object.total is 12, as expected."),
        ('{">": [{"var": "object.total"}, 20]}', "no", "object.total is 12, which is not over 20."),
        ('{"+": [{"var": "object.items"}, 1]}', "error", "number"),
        ('{"=": [1, 1]}', "none", "="),
        ('{"and": [{"=": [1, 1]}]}', "none", "At and.0"),
        ("{", "none", "not valid JSON"),
        ("3", "none", "A rule is an object"),
        ("", "none", "Type a rule"),
    ],
)
def test_the_value_of_a_rule_stands_beside_it(text: str, verdict: str, words: str) -> None:
    view = rule_view(text, Seen(ANSWER, "An answer."))
    assert view.verdict == verdict
    assert words in view.sentence


def test_the_data_of_a_rule_stands_beside_it() -> None:
    shown = {variable.path: variable for variable in rule_view("", Seen(ANSWER, "An answer.")).variables}
    assert shown["object.items.0.price"].value == "5"
    assert shown["object.items.length"].value == "1"
    assert shown["object.total"].rule == '{"var": "object.total"}'
    assert shown["item.metadata.agent"].value == '"x"'
    assert (shown["input"].recorded, shown["output"].value) == (False, '"Hi"')
    assert "object.a.b" not in shown
    for variable in shown.values():
        run = rule_view(variable.rule, Seen(ANSWER, ""))
        assert run.verdict != "error"
        assert not variable.recorded or run.value.startswith(variable.value[:60])


@given(values, st.text(max_size=30))
def test_nothing_breaks_what_stands_beside_a_rule(object_: Any, text: str) -> None:
    view = rule_view(text, Seen(Observation(object=object_), ""))
    assert len(view.variables) <= 60 + len(VARIABLE_WORDS)


def test_a_fault_of_a_rule_names_its_path() -> None:
    faults = faults_of(drafted(added("JsonLogic", expression='{"and": [{"=": [1, 1]}]}')))
    assert list(faults) == ["scorers-0-expression"]
    assert faults["scorers-0-expression"].startswith("and.0.=: ")


def test_parts_that_are_no_value_have_their_fields() -> None:
    assert set(SCHEMA.widget.beside) <= beside_fields().keys()
