"""What the tests of the controls with parts share: fields, values, and what a browser sends of a draft."""

from typing import Any

from hypothesis import strategies as st

from scoring.forms.bound import Faults, bind_cards
from scoring.forms.cards import Card, card_of, fresh_card
from scoring.forms.fields import Field, scorer_fields
from scoring.forms.profile_form import Draft, check_draft, draft_from_post, empty_draft
from scoring.kit.registry import registry

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | names
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=8
)


def the_field(kind: str, name: str) -> Field:
    declared = registry.find(kind)
    assert declared is not None
    return next(item for item in scorer_fields(declared) if item.name == name)


SCHEMA = the_field("OutputSchema", "schema")
PAIRS = the_field("ToolTrajectory", "toolArguments")
KINDS = the_field("ITL", "kinds")


def posted(draft: Draft) -> dict[str, str]:
    """What a browser sends of a draft's cards: every part under the name that its control has on the page."""
    post = {"name": "Profile", "compositeMethod": "weightedAvg", "view": "form"}
    for card in bind_cards(draft, Faults(draft, ())):
        prefix = f"scorers-{card.card.key}-"
        post[f"{prefix}type"] = card.card.kind
        for shown in card.all_fields:
            if shown.field.widget.control == "table" and shown.table is not None:
                post[f"{shown.id}-rows"] = str(len(shown.rows))
                parts = [cell for row in shown.rows for cell in row.cells.values()] + list((shown.parts or {}).values())
                post |= {cell.id: cell.value for cell in parts if cell.value}
            elif shown.field.widget.control == "choices":
                post[f"{shown.id}-order"] = shown.value
                post |= {
                    f"{shown.id}-{option.value}": "true" for option in shown.options if option.value in shown.chosen
                }
            else:
                post[shown.id] = shown.lines
                post |= {f"{shown.id}-empty": "true"} if shown.empty else {}
    return {name: text.replace("\n", "\r\n") for name, text in post.items()}


def through_the_form(document: dict[str, Any]) -> Any:
    """The document of a scorer after it was shown, sent and read."""
    draft = empty_draft()
    draft.cards = [card_of(0, document)]
    assert not draft.cards[0].as_json
    again = draft_from_post(posted(draft))
    assert again.cards[0].values == {**draft.cards[0].values, **again.cards[0].values}
    return again.cards[0].document()[0]


def drafted(*cards: Card) -> Draft:
    draft = empty_draft()
    draft.values["name"] = "Profile"
    draft.cards = list(cards)
    return draft


def faults_of(draft: Draft) -> dict[str, str]:
    return {fault.target: fault.message for fault in Faults(draft, check_draft(draft).faults).all}


def added(kind: str, **texts: str) -> Card:
    card = fresh_card(0, kind, ())
    assert card is not None
    card.values |= texts
    return card
