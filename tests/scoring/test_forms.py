"""Forms that are derived from declarations: fields, cards, drafts and what they mean."""

from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field as Setting

from scoring.forms.bound import Faults, bind_cards, bind_head, families
from scoring.forms.cards import card_as_fields, card_as_json, card_of, free_id, fresh_card
from scoring.forms.fields import CONTROLS, Field, head_fields, own_fields, scorer_fields
from scoring.forms.profile_form import (
    act_on_card,
    check_draft,
    draft_from_post,
    draft_of,
    empty_draft,
    read_draft,
    turn_to_form,
    turn_to_json,
)
from scoring.forms.widgets import OMITTED, Unreadable, read_json
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.profile_documents import MAX_SCORERS, read_profile

REGEX = {"id": "todo", "type": "RegexMatch", "pattern": r"\bTODO\b", "invert": True}
KEYWORDS = {"id": "words", "type": "KeywordContains", "keywords": ["fixed", "added"], "weight": 0.5}
COUNT = {"id": "count", "type": "OccurrenceRatio", "needles": ["\n", ".", "\\n", "\t\\"], "denominator": 4}
RANGE = {"id": "range", "type": "NumericRange", "valuePath": "length", "min": 1.5, "max": 3}


def stored(*scorers: dict[str, Any], **head: Any) -> dict[str, Any]:
    """A document as the store holds it."""
    return read_profile({"name": "Profile", "scorers": list(scorers or (REGEX, KEYWORDS)), **head}).as_document()


def posted(document: dict[str, Any], **changes: str) -> dict[str, str]:
    """What a browser sends for a document that nobody changed, but for `changes` (scorers_0_pattern=…)."""
    draft = draft_of(document, 1)
    post = {**draft.values, "version": "1", "view": "form", "order": ",".join(str(card.key) for card in draft.cards)}
    for card in draft.cards:
        prefix = f"scorers-{card.key}-"
        post[f"{prefix}type"] = card.kind
        if card.as_json:
            post |= {f"{prefix}mode": "json", f"{prefix}json": card.text}
        unchecked = {item.name for item in card.fields if item.kind == "checkbox" and card.values[item.name] != "true"}
        post |= {f"{prefix}{name}": text for name, text in card.values.items() if name not in unchecked}
    post = {name: text.replace("\n", "\r\n") for name, text in post.items()}
    return {**post, **{name.replace("_", "-"): text for name, text in changes.items()}}


def faults_of(post: dict[str, str], document: dict[str, Any] | None = None) -> dict[str, str]:
    return {fault.path: fault.message for fault in check_draft(draft_from_post(post), document).faults}


# Fields and widgets


def test_every_scorer_has_a_widget_for_each_of_its_settings() -> None:
    for declared in registry:
        names = {info.alias for info in declared.model_fields.values()} - {"type"}
        assert {field.name for field in scorer_fields(declared)} == names
        assert all(field.label and field.kind in CONTROLS for field in scorer_fields(declared))


@pytest.mark.parametrize("declared", list(registry), ids=lambda declared: declared.type_name())
def test_every_example_survives_its_form(declared: type[Scorer]) -> None:
    for example in declared.examples:
        document = stored({"id": "x", "type": declared.type_name(), "weight": 2, **example.settings})
        assert not draft_of(document).cards[0].as_json
        checked = check_draft(draft_from_post(posted(document)))
        assert checked.faults == ()
        assert checked.profile is not None
        assert checked.profile.as_document() == document


def test_the_kinds_of_fields() -> None:
    kinds = {field.name: field.kind for declared in registry for field in scorer_fields(declared)}
    assert kinds["pattern"] == "pattern"
    assert kinds["keywords"] == kinds["needles"] == "lines"
    assert kinds["matchMode"] == kinds["target"] == "segmented"
    assert kinds["caseSensitive"] == "checkbox"
    assert kinds["min"] == kinds["weight"] == "number"
    assert kinds["valuePath"] == "path"
    assert kinds["value"] == "textarea"
    assert {field.name: field.kind for field in head_fields()} == {
        "name": "text",
        "description": "textarea",
        "compositeMethod": "select",
        "passThreshold": "number",
    }


def field(kind: str, **more: Any) -> Field:
    options = {"default": None, "has_default": False, "nullable": False, **more}
    return Field(name="x", kind=kind, label="X", help="", **options)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-0.5", -0.5),
        (" 60 ", 60),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("", ""),
        ("abc", "abc"),
        ("1,5", "1,5"),
        ("٣", "٣"),
    ],
)
def test_a_number_is_read_or_left_as_it_is(text: str, value: Any) -> None:
    assert field("number").read(text) == value
    assert type(field("number").read(text)) is type(value)


def test_an_empty_number_is_null_where_null_is_allowed() -> None:
    assert field("number", nullable=True).read("  ") is None


def test_an_empty_text_means_the_default_only_where_empty_is_not_allowed() -> None:
    assert field("text", has_default=True, least_length=1).read("") is OMITTED
    assert field("text", has_default=True).read("") == ""
    assert field("text", least_length=1).read("") == ""
    assert field("text", nullable=True).read("") is None


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1))
def test_lines_with_escapes_come_back(items: list[str]) -> None:
    lines = field("lines", escapes=True)
    assert lines.read(lines.show(items)) == items
    assert lines.keeps(items)


@pytest.mark.parametrize("items", [["a\nb"], [""], ["a\rb"], ["a", ""]])
def test_lines_that_the_control_would_change_are_not_kept(items: list[str]) -> None:
    assert not field("lines").keeps(items)


def test_json_says_what_is_wrong() -> None:
    with pytest.raises(Unreadable, match=r"not valid JSON.*line 1"):
        read_json("{a}")
    with pytest.raises(Unreadable, match="twice"):
        read_json('{"a": 1, "a": 2}')
    with pytest.raises(Unreadable, match="required"):
        read_json(" ")


# A scorer that is declared elsewhere


class TestDeclaredElsewhere:
    """A scorer declared in a test gets its form, and its values reach the document."""

    @pytest.fixture
    def declared(self) -> Any:
        with registry.forgetting_additions():

            class CountedVowels(Scorer):
                """Whether there are enough vowels."""

                advanced: ClassVar = frozenset({"note"})
                type: Literal["CountedVowels"] = "CountedVowels"
                least: Annotated[int, Setting(ge=2, le=9)] = Setting(title="At least", description="How many.")
                letters: Annotated[tuple[str, ...], Setting(min_length=1, strict=False)] = Setting(
                    default=("a", "e"), title="Letters"
                )
                mode: Literal["any", "each"] = Setting(default="any", title="Mode")
                note: str | None = Setting(default=None, title="Note")
                nested: dict[str, int] = Setting(default_factory=dict, title="Nested", description="Anything.")

            yield CountedVowels

    def test_its_fields_have_title_help_and_bounds(self, declared: type[Scorer]) -> None:
        fields = {field.name: field for field in own_fields(declared) if field.name != "type"}
        assert list(fields) == ["least", "letters", "mode", "note", "nested"]
        assert (fields["least"].kind, fields["least"].low, fields["least"].high) == ("number", 2, 9)
        assert fields["least"].help == "How many. 2 to 9."
        assert [field.kind for field in fields.values()] == ["number", "lines", "segmented", "text", "pairs"]
        assert fields["note"].advanced
        assert not fields["mode"].advanced

    def test_it_is_offered_under_its_family_with_its_sentence(self, declared: type[Scorer]) -> None:
        offered = {kind: summary for family in families() for kind, summary in family.types}
        assert offered["CountedVowels"] == "Whether there are enough vowels."

    def test_a_fresh_card_is_filled_in_and_means_a_document(self, declared: type[Scorer]) -> None:
        draft = empty_draft()
        draft.values["name"] = "Vowels"
        key = act_on_card(draft, "add", "CountedVowels")
        card = draft.cards[0]
        assert (key, card.id, card.values["letters"], card.values["mode"]) == (0, "counted-vowels", "a\ne", "any")
        card.values |= {"least": "3", "letters": "o\nu\n", "mode": "each", "nested": '{"deep": 1}'}
        document, faults = read_draft(draft)
        assert faults == []
        scorer = document["scorers"][0]
        assert {name: scorer[name] for name in ("least", "letters", "mode", "note", "nested")} == {
            "least": 3,
            "letters": ["o", "u"],
            "mode": "each",
            "note": None,
            "nested": {"deep": 1},
        }
        assert check_draft(draft).profile is not None

    @pytest.mark.parametrize(
        ("typed", "message"),
        [
            ({"least": "1"}, "Must be at least 2."),
            ({"least": "many"}, "Must be a whole number."),
            ({"nested": "{"}, "This is not valid JSON"),
            ({"letters": ""}, "Must have at least 1 of them."),
            ({"mode": "none"}, "Must be one of 'any' or 'each'."),
        ],
    )
    def test_its_faults_stand_at_its_fields(self, typed: dict[str, str], message: str, declared: type[Scorer]) -> None:
        draft = empty_draft()
        draft.values["name"] = "Vowels"
        act_on_card(draft, "add", "CountedVowels")
        draft.cards[0].values |= {"least": "3", **typed}
        faults = Faults(draft, check_draft(draft).faults)
        (name,) = typed
        assert faults.at(f"scorers-0-{name}").startswith(message)
        assert len(faults.all) == 1


# Drafts


def test_what_nobody_changed_means_the_same() -> None:
    document = stored(REGEX, KEYWORDS, COUNT, RANGE, description="Two\nlines", passThreshold=None)
    checked = check_draft(draft_from_post(posted(document)), document)
    assert checked.profile is not None
    assert checked.profile.as_document() == document
    assert checked.same_scorers
    assert "scorers" not in checked.body()


def test_the_order_is_what_order_says() -> None:
    post = posted(stored(REGEX, KEYWORDS, COUNT), order="2,0")
    assert [card.id for card in draft_from_post(post).cards] == ["count", "todo", "words"]
    del post["order"]
    assert [card.id for card in draft_from_post(post).cards] == ["todo", "words", "count"]


@pytest.mark.parametrize(
    ("change", "path", "message"),
    [
        ({"scorers_0_pattern": "("}, "scorers.0.pattern", "Invalid regular expression"),
        ({"scorers_0_pattern": ""}, "scorers.0.pattern", "Must not be empty."),
        ({"scorers_0_weight": "heavy"}, "scorers.0.weight", "Must be a number."),
        ({"scorers_0_weight": ""}, "scorers.0.weight", "Must be a number."),
        ({"scorers_0_passThreshold": "0"}, "scorers.0.passThreshold", "Must be more than 0."),
        ({"scorers_1_keywords": "a\r\n \r\nb"}, "scorers.1.keywords.1", "Must hold more than white space."),
        ({"scorers_1_keywords": ""}, "scorers.1.keywords", "Must have at least 1 of them."),
        ({"scorers_1_id": "todo"}, "scorers.1.id", 'The id "todo" is taken'),
        ({"scorers_1_target": "both"}, "scorers.1.target", "Must be one of"),
        ({"name": "  "}, "name", "Must not be empty."),
        ({"name": "a\x00b"}, "name", "The text contains a NUL"),
        ({"passThreshold": "2"}, "passThreshold", "Must be at most 1."),
        ({"compositeMethod": "average"}, "compositeMethod", "Must be one of"),
    ],
)
def test_a_fault_names_its_field(change: dict[str, str], path: str, message: str) -> None:
    document = stored()
    faults = faults_of(posted(document, **change), document)
    assert list(faults) == [path]
    assert faults[path].startswith(message)


def test_faults_are_shown_at_their_controls_whatever_the_order() -> None:
    post = posted(stored(), scorers_1_keywords="fixed\r\n ", order="1,0", scorers_0_pattern="(", name="")
    draft = draft_from_post(post)
    faults = Faults(draft, check_draft(draft).faults)
    assert faults.at("scorers-1-keywords") == "Entry 2: Must hold more than white space."
    assert faults.at("scorers-0-pattern").startswith("Invalid")
    assert faults.at("name") == "Must not be empty."
    assert {fault.target for fault in faults.all} == {"scorers-1-keywords", "scorers-0-pattern", "name"}
    cards = bind_cards(draft, faults)
    assert [card.failing for card in cards] == [True, True]
    assert bind_head(draft, faults)["name"].error == "Must not be empty."


def test_nothing_typed_is_lost_by_being_wrong() -> None:
    post = posted(stored(), scorers_0_weight="heavy", scorers_0_pattern="(", passThreshold="half")
    draft = draft_from_post(post)
    assert (draft.cards[0].values["weight"], draft.cards[0].values["pattern"]) == ("heavy", "(")
    assert draft.values["passThreshold"] == "half"


def test_a_profile_without_scorers_is_told_so() -> None:
    draft = empty_draft()
    draft.values["name"] = "Empty"
    faults = Faults(draft, check_draft(draft).faults)
    assert faults.general == ["Add at least one scorer."]


@pytest.mark.parametrize("value", ["a\nb", "a\rb"])
def test_what_the_form_cannot_show_is_edited_as_json(value: str) -> None:
    card = card_of(0, {**KEYWORDS, "keywords": [value]})
    assert card.as_json
    assert "as JSON" in card.note
    assert card.document()[0]["keywords"] == [value]


def test_a_stored_scorer_of_no_type_keeps_its_json() -> None:
    legacy = {"id": "old", "type": "CustomExpression", "expression": "output.length"}
    card = card_of(0, legacy)
    assert (card.as_json, card.document()[0], card.title) == (True, legacy, "old")
    document = {**stored(), "scorers": [legacy]}
    renamed = check_draft(draft_from_post(posted(document, name="Renamed")), document)
    assert renamed.profile is not None
    assert renamed.body()["name"] == "Renamed"
    assert "scorers" not in renamed.body()
    assert [fault.path for fault in renamed.standing] == ["scorers.0.type"]
    edited = posted(document)
    edited["scorers-0-json"] = '{"id": "old", "type": "CustomExpression"}'
    assert list(faults_of(edited, document)) == ["scorers.0.type"]
    draft = draft_from_post(edited)
    faults = Faults(draft, check_draft(draft, document).faults)
    assert "OccurrenceRatio" in faults.cards[0][0]
    assert faults.all[0].target == "scorers-0-json"


def test_a_card_turns_to_json_and_back() -> None:
    document = stored(REGEX, KEYWORDS)
    draft = draft_of(document)
    assert act_on_card(draft, "as-json", "1") == 1
    assert draft.cards[1].as_json
    assert '"keywords"' in draft.cards[1].text
    assert check_draft(draft).profile.as_document() == document  # type: ignore[union-attr]
    act_on_card(draft, "as-fields", "1")
    assert not draft.cards[1].as_json
    assert draft.cards[1].values["keywords"] == "fixed\nadded"


@pytest.mark.parametrize(
    ("text", "note"),
    [("{", "not valid JSON"), ('{"type": "Nope"}', ""), ('{"type": "Contains", "value": "a", "more": 1}', "as JSON")],
)
def test_json_that_does_not_fit_stays_json(text: str, note: str) -> None:
    card = card_as_json(card_of(0, REGEX))
    card.text = text
    turned = card_as_fields(card)
    assert turned.as_json
    assert note in turned.note


def test_json_in_either_spelling_becomes_fields() -> None:
    card = card_as_json(card_of(0, REGEX))
    card.text = '{"id": "n", "type": "numeric_range", "value_path": "length", "max": 4}'
    turned = card_as_fields(card)
    assert (turned.kind, turned.values["valuePath"], turned.values["max"]) == ("NumericRange", "length", "4")


def test_the_whole_profile_turns_to_json_and_back() -> None:
    document = stored(REGEX, COUNT, description=None)
    text = turn_to_json(draft_of(document, 3))
    assert (text.as_json, text.version) == (True, 3)
    back, faults = turn_to_form(draft_from_post({"view": "json", "document": text.text, "version": "3"}))
    assert (list(faults), back.as_json, back.version) == ([], False, 3)
    assert check_draft(back).profile.as_document() == document  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"name": 5, "scorers": []}', '{"name": "a", "scorer": []}', '{"scorers": 1}']
)
def test_json_that_is_no_profile_stays_json_with_a_reason(text: str) -> None:
    draft, faults = turn_to_form(draft_from_post({"view": "json", "document": text}))
    assert draft.as_json
    assert draft.text == text
    assert len(faults) == 1


def test_an_exported_document_is_taken_back_as_json() -> None:
    scorer = '{"id": "a", "type": "Contains", "value": "x"}'
    text = f'{{"id": "prof_1", "version": 3, "builtIn": false, "name": "A", "scorers": [{scorer}]}}'
    draft, faults = turn_to_form(draft_from_post({"view": "json", "document": text}))
    assert (draft.as_json, list(faults)) == (False, [])


# Buttons of the cards


def ids(draft: Any) -> list[str]:
    return [card.id for card in draft.cards]


def test_cards_move_are_copied_and_go() -> None:
    draft = draft_of(stored(REGEX, KEYWORDS, COUNT))
    assert act_on_card(draft, "move-up", "2") == 2
    assert ids(draft) == ["todo", "count", "words"]
    assert act_on_card(draft, "move-down", "0") == 0
    assert ids(draft) == ["count", "todo", "words"]
    assert act_on_card(draft, "move-up", "2") is None
    assert act_on_card(draft, "duplicate", "0") == 3
    assert ids(draft) == ["count", "todo", "todo-2", "words"]
    assert act_on_card(draft, "remove", "2") == 0
    assert ids(draft) == ["todo", "todo-2", "words"]
    assert act_on_card(draft, "remove", "1") == 3
    assert ids(draft) == ["todo", "todo-2"]


@pytest.mark.parametrize("act", ["remove:9", "remove:", "remove:x", "add:Nope", "explode:1", "move-up:-1"])
def test_a_button_that_does_not_exist_changes_nothing(act: str) -> None:
    draft = draft_of(stored())
    verb, _, argument = act.partition(":")
    assert act_on_card(draft, verb, argument) is None
    assert ids(draft) == ["todo", "words"]


def test_there_are_never_more_cards_than_a_profile_may_have() -> None:
    draft = draft_of(stored(*({**REGEX, "id": f"r{number}"} for number in range(MAX_SCORERS))))
    assert act_on_card(draft, "add", "Contains") is None
    assert act_on_card(draft, "duplicate", "0") is None
    assert len(draft.cards) == MAX_SCORERS


def test_new_ids_are_free() -> None:
    assert free_id("a", ["a", "a-2"]) == "a-3"
    card = fresh_card(0, "RegexMatch", ["regex-match"])
    assert card is not None
    assert card.id == "regex-match-2"


def test_shares_are_of_all_weights() -> None:
    draft = draft_from_post(posted(stored(REGEX, KEYWORDS, COUNT), scorers_2_weight="0", scorers_0_weight="1.5"))
    cards = bind_cards(draft, Faults(draft, ()))
    assert [card.share for card in cards] == [0.75, 0.25, 0]
    assert [card.share_words for card in cards] == ["75.0\u00a0%", "25.0\u00a0%", "report only"]
    draft.cards[0].values["weight"] = "heavy"
    assert bind_cards(draft, Faults(draft, ()))[0].share_words == "–"


def test_a_card_says_what_is_set() -> None:
    assert card_of(0, REGEX).words() == "Pattern “\\bTODO\\b” · Invert"
    many = card_of(0, {**KEYWORDS, "keywords": ["a", "b", "c", "d"], "required": True})
    assert many.words() == "Required · Keywords “a”, “b”, “c” and 1 more"
