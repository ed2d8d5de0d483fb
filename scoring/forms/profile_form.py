"""PURE: the form of a whole profile: what was posted, the document it means, and its faults."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from foundation import strict_json
from foundation.errors import FieldError, ValidationFailed
from scoring.forms.cards import (
    PART,
    Card,
    card_as_fields,
    card_as_json,
    card_of,
    copied_card,
    fresh_card,
    json_text,
)
from scoring.forms.fields import head_fields
from scoring.forms.widgets import OMITTED, Unreadable, read_json, typed
from scoring.profile_documents import MAX_SCORERS, READ_ONLY, Profile, read_profile

_MOST_KEYS = 10_000
# Cards open by themselves when there are few of them.
OPEN_CARDS = 4


@dataclass(slots=True)
class Draft:
    """A profile while it is edited, with everything as it was typed.

    `as_json` says that the whole of it is edited as one JSON text. `version` is the stored version
    that the changes were begun on, None for a new profile.
    """

    values: dict[str, str] = field(default_factory=dict)
    cards: list[Card] = field(default_factory=list)
    as_json: bool = False
    text: str = ""
    version: int | None = None

    def next_key(self) -> int:
        """A key that no card has."""
        return max((card.key for card in self.cards), default=-1) + 1

    def ids(self) -> list[str]:
        """The scorers' ids as typed."""
        return [card.id for card in self.cards]

    def place(self, key: int) -> int | None:
        """Where the card with this key stands, or None."""
        return next((index for index, card in enumerate(self.cards) if card.key == key), None)


@dataclass(frozen=True, slots=True)
class Checked:
    """What a draft means: its document, and the profile that it makes, or None and the faults.

    `standing` are faults of scorers that are stored as they are: shown, but in nobody's way.
    """

    document: Any
    profile: Profile | None
    faults: tuple[FieldError, ...] = ()
    standing: tuple[FieldError, ...] = ()
    same_scorers: bool = False

    @property
    def shown(self) -> tuple[FieldError, ...]:
        """All of them, to be shown at their fields."""
        return (*self.faults, *self.standing)

    def body(self) -> dict[str, Any]:
        """What the service is asked to store; without the scorers when nothing about them changed."""
        document = self.profile.as_document() if self.profile else {}
        return {name: value for name, value in document.items() if name != "scorers" or not self.same_scorers}


def empty_draft() -> Draft:
    """What a new profile begins with."""
    return Draft({item.name: item.initial() for item in head_fields()})


def draft_of(document: Mapping[str, Any], version: int | None = None) -> Draft:
    """The draft that holds a stored document."""
    draft = empty_draft()
    draft.version = version
    draft.values |= {item.name: item.show(document[item.name]) for item in head_fields() if item.name in document}
    scorers = document.get("scorers")
    listed = scorers if isinstance(scorers, list) else []
    draft.cards = [card_of(key, scorer, opened=len(listed) <= OPEN_CARDS) for key, scorer in enumerate(listed)]
    return draft


def draft_from_post(post: Mapping[str, str]) -> Draft:
    """The draft as it was posted. Line ends are those of text files, not those that browsers send."""
    draft = Draft(version=whole_number(post.get("version", "")), as_json=post.get("view") == "json")
    if draft.as_json:
        draft.text = typed(post, "document")
        return draft
    draft.values = {item.name: typed(post, item.name) for item in head_fields()}
    draft.cards = [_posted_card(post, key) for key in _keys(post)]
    return draft


def whole_number(text: str) -> int | None:
    """The number that a name or a button holds, at most nine digits; None when it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def _keys(post: Mapping[str, str]) -> list[int]:
    """The cards' keys in order: as `order` says, and then those it does not name, from the lowest."""
    posted = {
        int(parts[1])
        for name in post
        if (parts := name.split("-", 2))[0] == "scorers" and len(parts) == 3 and whole_number(parts[1]) is not None
    }
    asked = [
        key for part in post.get("order", "").split(",") if (key := whole_number(part)) is not None and key in posted
    ]
    keys = list(dict.fromkeys([*asked, *sorted(posted)]))
    return keys[:_MOST_KEYS]


def _posted_card(post: Mapping[str, str], key: int) -> Card:
    prefix = f"scorers-{key}-"
    kind, opened = post.get(f"{prefix}type", ""), post.get(f"open-{key}", "1") != ""
    if post.get(f"{prefix}mode") == "json":
        return Card(key, kind, as_json=True, text=typed(post, f"{prefix}json"), open=opened)
    card = Card(key, kind, open=opened)
    if card.declared is None:
        # Nothing here can edit it but JSON, which then says that there is no such type.
        return Card(key, kind, as_json=True, text=json_text({"type": kind}), open=opened)
    for item in card.fields:
        card.values[item.name] = item.widget.collect(item, f"{prefix}{item.name}", post)
        names = [f"{item.name}-{part}" for part in item.widget.beside]
        card.values |= {name: typed(post, f"{prefix}{name}") for name in names}
    return card


def read_draft(draft: Draft) -> tuple[Any, list[FieldError]]:
    """The document as the API takes it, and what could not even be read, each at its path."""
    if draft.as_json:
        try:
            return read_json(draft.text), []
        except Unreadable as fault:
            return {}, [FieldError("", "malformed", str(fault))]
    document: dict[str, Any] = {}
    faults: list[FieldError] = []
    for item in head_fields():
        value = item.read(draft.values.get(item.name, ""))
        if value is not OMITTED:
            document[item.name] = value
    document["scorers"] = []
    for index, card in enumerate(draft.cards):
        scorer, unread = card.document()
        document["scorers"].append(scorer)
        path = f"scorers.{index}"
        faults += [
            FieldError(f"{path}.{fault.path}" if fault.path else path, fault.code, fault.message) for fault in unread
        ]
    return document, faults


def check_draft(draft: Draft, stored: Mapping[str, Any] | None = None) -> Checked:
    """The document with the profile it makes, or with every fault at its path.

    With `stored` (the document the draft was made from), scorers that are still the same need not
    work: a profile with a scorer that no longer does can still be renamed.
    """
    document, unread = read_draft(draft)
    try:
        strict_json.check_text(document)
        profile = read_profile(document)
    except ValidationFailed as refusal:
        seen = [fault.path.split(f".{PART}")[0] for fault in unread]
        faults = [*unread, *(fault for fault in refusal.fields if not any(_within(fault.path, path) for path in seen))]
    else:
        same = stored is not None and profile.as_document()["scorers"] == stored.get("scorers")
        return Checked(document, profile if not unread else None, tuple(unread), same_scorers=same)
    if stored is None or unread or not _same_scorers(document, stored):
        return Checked(document, None, tuple(faults))
    return _check_head(document, stored, faults)


def _within(path: str, other: str) -> bool:
    return other in ("", path) or path.startswith(f"{other}.")


def _same_scorers(document: Any, stored: Mapping[str, Any]) -> bool:
    mine = document.get("scorers") if isinstance(document, dict) else None
    return mine is not None and without_nulls(mine) == without_nulls(stored.get("scorers"))


def _check_head(document: Mapping[str, Any], stored: Mapping[str, Any], faults: Sequence[FieldError]) -> Checked:
    head = {name: value for name, value in document.items() if name != "scorers"}
    standing = tuple(fault for fault in faults if _within(fault.path, "scorers"))
    try:
        strict_json.check_text(head)
        profile = read_profile(head, base={"scorers": stored.get("scorers", [])})
    except ValidationFailed as refusal:
        return Checked(document, None, refusal.fields, standing, same_scorers=True)
    return Checked(document, profile, (), standing, same_scorers=True)


def without_nulls(scorers: Any) -> Any:
    """Scorers as they are stored: without the settings that are null."""
    if not isinstance(scorers, list):
        return scorers
    return [
        {name: value for name, value in scorer.items() if value is not None} if isinstance(scorer, dict) else scorer
        for scorer in scorers
    ]


# What the buttons of a card do, by the first word of their value. Each takes the draft and the key it names.


def _remove(draft: Draft, key: int) -> int | None:
    place = draft.place(key)
    if place is None:
        return None
    del draft.cards[place]
    left = draft.cards[place : place + 1] or draft.cards[-1:]
    return left[0].key if left else None


def _duplicate(draft: Draft, key: int) -> int | None:
    place = draft.place(key)
    if place is None or len(draft.cards) >= MAX_SCORERS:
        return None
    copy = copied_card(draft.cards[place], draft.next_key(), draft.ids())
    draft.cards.insert(place + 1, copy)
    return copy.key


def _move(step: int) -> Callable[[Draft, int], int | None]:
    def act(draft: Draft, key: int) -> int | None:
        place = draft.place(key)
        if place is None or not 0 <= place + step < len(draft.cards):
            return None
        draft.cards.insert(place + step, draft.cards.pop(place))
        return key

    return act


def _turn(change: Callable[[Card], Card]) -> Callable[[Draft, int], int | None]:
    def act(draft: Draft, key: int) -> int | None:
        place = draft.place(key)
        if place is None:
            return None
        draft.cards[place] = replace(change(draft.cards[place]), open=True)
        return key

    return act


CARD_ACTS: Mapping[str, Callable[[Draft, int], int | None]] = {
    "remove": _remove,
    "duplicate": _duplicate,
    "move-up": _move(-1),
    "move-down": _move(1),
    "as-json": _turn(card_as_json),
    "as-fields": _turn(card_as_fields),
}


def act_on_card(draft: Draft, act: str, argument: str) -> int | None:
    """Do to `draft` what a card's button says; the key of the card to go on with, None for none."""
    if act == "add":
        card = fresh_card(draft.next_key(), argument, draft.ids()) if len(draft.cards) < MAX_SCORERS else None
        if card is not None:
            draft.cards.append(card)
        return card.key if card else None
    key = whole_number(argument)
    return CARD_ACTS[act](draft, key) if act in CARD_ACTS and key is not None else None


def turn_to_json(draft: Draft) -> Draft:
    """The draft as one JSON text; what could not be read stays as the text it was."""
    if draft.as_json:
        return draft
    document, _ = read_draft(draft)
    shown = {**document, "scorers": without_nulls(document["scorers"])}
    return Draft(as_json=True, text=json_text(shown), version=draft.version)


def turn_to_form(draft: Draft) -> tuple[Draft, Sequence[FieldError]]:
    """The draft as a form, or as it was with the reason why the form cannot show it."""
    if not draft.as_json:
        return draft, ()
    document, faults = read_draft(draft)
    if faults:
        return draft, faults
    if not isinstance(document, dict) or not isinstance(document.get("scorers", []), list):
        return draft, [FieldError("", "dict_type", "A profile must be an object with a list of scorers.")]
    known = {item.name: item for item in head_fields()}
    for name, value in document.items():
        if name not in {"scorers", *READ_ONLY} and (name not in known or not known[name].keeps(value)):
            return draft, [FieldError(name, "form_cannot_show", "The form cannot show this.")]
    return draft_of(document, draft.version), ()
