"""PURE: drafts as templates show them: each field with its text and its fault, each card with its share."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from foundation.errors import FieldError
from foundation.figures import ABSENT, percent_text
from scoring.forms.cards import PART, Card
from scoring.forms.fields import Field, Option, beside_fields, head_fields, own_fields
from scoring.forms.logic_rules import RuleView, Seen, rule_view
from scoring.forms.profile_form import Draft
from scoring.forms.tables import Table, table_of
from scoring.forms.widgets import EMPTY_LIST
from scoring.kit.registry import registry
from scoring.kit.scorer import Scorer
from scoring.kit.text import shortened
from scoring.profile_documents import MAX_SCORERS
from scoring.reference import family

SeenFor = Callable[[type[Scorer]], Seen]
"""The observation that a scorer of a type is shown beside."""
_COUNTS = ("weight", "target", "passThreshold", "required")
_NAMES = ("name", "id")


@dataclass(frozen=True, slots=True)
class BoundField:
    """A field with what was typed into it and what is wrong with that."""

    field: Field
    id: str
    value: str
    error: str = ""
    parts: Mapping[str, "BoundField"] | None = None
    """What stands beside a control with parts, by name."""
    rows: Sequence["BoundRow"] = ()
    rule: RuleView | None = None

    @property
    def act_at(self) -> str:
        """What its buttons name it by: the card's key and the field."""
        return self.id.removeprefix("scorers-")

    @property
    def table(self) -> Table | None:
        """The table that was typed, or None while it is edited as JSON."""
        return table_of(self.value)

    @property
    def lines(self) -> str:
        """The lines of a list, without the mark of one that is empty on purpose."""
        return "" if self.empty else self.value

    @property
    def empty(self) -> bool:
        """Whether it is a list that is empty on purpose."""
        return self.value == EMPTY_LIST

    @property
    def chosen(self) -> list[str]:
        """The choices that are ticked."""
        return self.value.split("\n")

    @property
    def label(self) -> str:
        """The field's title."""
        return self.field.label

    @property
    def options(self) -> tuple[Option, ...]:
        """The choices, when it is one of several."""
        return self.field.options

    @property
    def described(self) -> str:
        """The ids of what describes it, for screen readers."""
        notes = (("help", self.field.help), ("error", self.error))
        return " ".join(f"{self.id}-{name}" for name, words in notes if words)

    @property
    def checked(self) -> bool:
        """Whether the checkbox is ticked."""
        return self.value == "true"

    @property
    def told(self) -> str:
        """The value for people who may only read it."""
        if self.field.kind == "checkbox":
            return "yes" if self.checked else "no"
        words = next((option.label for option in self.options if option.value == self.value), self.value)
        return self.field.widget.tell(self.field, words)


@dataclass(frozen=True, slots=True)
class BoundRow:
    """One row of a table: its place from 0, what it is called, and its cells by column."""

    number: int
    id: str
    words: str
    cells: Mapping[str, BoundField]

    @property
    def act_at(self) -> str:
        """What its buttons name it by: the card's key, the field and the row."""
        return self.id.removeprefix("scorers-")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in words, with the id of the control it stands at; "" when it stands at none."""

    target: str
    where: str
    message: str


@dataclass(slots=True)
class BoundCard:
    """One scorer's card. `name_fields`, `own` and `more` are its fields by the place they stand in."""

    card: Card
    number: int
    first: bool
    last: bool
    share: float | None
    weight: BoundField | None
    summary: str = ""
    name_fields: list[BoundField] = field(default_factory=list)
    own: list[BoundField] = field(default_factory=list)
    counting: list[BoundField] = field(default_factory=list)
    more: list[BoundField] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    full: bool = False

    @property
    def failing(self) -> bool:
        """Whether something is wrong with it."""
        return bool(self.errors) or any(item.error for item in self.all_fields)

    @property
    def all_fields(self) -> list[BoundField]:
        """Every field."""
        weight = [self.weight] if self.weight else []
        return [*self.name_fields, *self.own, *self.counting, *self.more, *weight]

    @property
    def opened(self) -> bool:
        """Whether the card shows its fields."""
        return self.card.open or self.failing

    @property
    def more_opened(self) -> bool:
        """Whether the rarely used fields show: when one is wrong or not at its default."""
        return any(item.error or item.value != item.field.initial() for item in self.more)

    @property
    def share_words(self) -> str:
        """Its share in words."""
        if self.share is None:
            return ABSENT
        return percent_text(self.share) if self.card.weight else "report only"

    @property
    def bar(self) -> str:
        """Its share as an SVG length."""
        return f"{100 * (self.share or 0):.2f}%"


@dataclass(frozen=True, slots=True)
class Family:
    """The scorers of one family, for the list they are added from."""

    name: str
    types: list[tuple[str, str]]


class Faults:
    """The faults of a draft, sorted to the controls they belong to."""

    def __init__(self, draft: Draft, faults: Iterable[FieldError]) -> None:
        self.draft = draft
        self.all: list[Fault] = []
        self._at: dict[str, list[str]] = {}
        self.cards: dict[int, list[str]] = {}
        self.general: list[str] = []
        for fault in faults:
            self._take(fault)

    def at(self, control: str) -> str:
        """What is wrong at a control, in one text."""
        return " ".join(dict.fromkeys(self._at.get(control, [])))

    def _take(self, fault: FieldError) -> None:
        if self.draft.as_json:
            self.general.append(f"{fault.path}: {fault.message}" if fault.path else fault.message)
            self.all.append(Fault("document", fault.path or "JSON", fault.message))
            return
        steps = fault.path.split(".")
        heads = {item.name: item for item in head_fields()}
        if steps[0] in heads:
            self._put(steps[0], heads[steps[0]].label, fault.message)
        elif steps[0] == "scorers" and len(steps) > 1 and steps[1].isdigit():
            self._take_card(int(steps[1]), steps[2:], fault.message)
        else:
            words = fault.message
            if fault.path == "scorers" and not self.draft.cards:
                words = "Add at least one scorer."
            self.general.append(words)
            self.all.append(Fault("add-scorer" if fault.path == "scorers" else "", "Scorers", words))

    def _put(self, control: str, where: str, message: str) -> None:
        self._at.setdefault(control, []).append(message)
        self.all.append(Fault(control, where, message))

    def _take_card(self, place: int, steps: Sequence[str], message: str) -> None:
        if place >= len(self.draft.cards):
            self.general.append(message)
            return
        card = self.draft.cards[place]
        fields = {item.name: item for item in card.fields}
        if steps and steps[0] in fields:
            item = fields[steps[0]]
            part, words = _part_and_words(item, card.values.get(item.name, ""), steps[1:], message)
            control = f"scorers-{card.key}-{item.name}"
            self._put(f"{control}-{part}" if part else control, f"{shortened(card.title)}: {item.label}", words)
            return
        words = f"{'.'.join(steps)}: {message}" if steps else message
        self.cards.setdefault(card.key, []).append(words)
        target = f"scorers-{card.key}-json" if card.as_json else f"card-{card.key}"
        self.all.append(Fault(target, shortened(card.title), words))


def _part_and_words(item: Field, text: str, steps: Sequence[str], message: str) -> tuple[str, str]:
    """The part of a control that a fault stands at ("" for the whole), and the message with the place within it."""
    if not steps:
        return "", message
    if steps[0].startswith(PART):
        return ".".join(steps).removeprefix(PART), message
    part = item.widget.place(item, text, steps)
    if part:
        return part, message
    place = _line(text, steps[0]) if item.kind in {"lines", "choices"} else ".".join(steps)
    return "", f"{place}: {message}"


def _line(text: str, step: str) -> str:
    """Which line of a list is meant, when the step is the place of one."""
    lines = [line for line in text.split("\n") if line]
    if not step.isdigit() or int(step) >= len(lines):
        return step
    return f"“{shortened(lines[int(step)], 30)}”" if lines[int(step)].strip() else f"Entry {int(step) + 1}"


def bind_head(draft: Draft, faults: Faults) -> dict[str, BoundField]:
    """The fields of the profile itself, by name."""
    return {
        item.name: BoundField(item, item.name, draft.values.get(item.name, ""), faults.at(item.name))
        for item in head_fields()
    }


def bind_cards(draft: Draft, faults: Faults, seen: SeenFor | None = None) -> list[BoundCard]:
    """The cards in order, each with its share of all weights. `seen` gives what stands beside a rule."""
    weights = [card.weight for card in draft.cards]
    total = sum(weight for weight in weights if weight) or None
    return [
        _bind_card(
            card,
            faults,
            seen,
            BoundCard(
                card=card,
                number=index + 1,
                first=index == 0,
                last=index == len(draft.cards) - 1,
                share=None if weight is None or total is None else weight / total,
                weight=None,
                summary=card.declared.summary() if card.declared else "",
                errors=faults.cards.get(card.key, []),
                full=len(draft.cards) >= MAX_SCORERS,
            ),
        )
        for index, (card, weight) in enumerate(zip(draft.cards, weights, strict=True))
    ]


def _bind_card(card: Card, faults: Faults, seen: SeenFor | None, bound: BoundCard) -> BoundCard:
    own = {item.name for item in own_fields(card.declared)} if card.declared and not card.as_json else set()
    for item in card.fields:
        shown = _bind_field(card, item, faults)
        if item.widget.control == "logic" and seen is not None and card.declared:
            shown = replace(shown, rule=rule_view(shown.value, seen(card.declared)))
        if item.name == "weight":
            bound.weight = shown
        elif item.advanced:
            bound.more.append(shown)
        elif item.name in own:
            bound.own.append(shown)
        elif item.name in _NAMES:
            bound.name_fields.append(shown)
        else:
            bound.counting.append(shown)
    bound.name_fields.sort(key=lambda shown: _NAMES.index(shown.field.name))
    bound.counting.sort(key=lambda shown: _COUNTS.index(shown.field.name) if shown.field.name in _COUNTS else 99)
    return bound


def _bind_field(card: Card, item: Field, faults: Faults) -> BoundField:
    control = f"scorers-{card.key}-{item.name}"

    def part(cell: Field, name: str, text: str) -> BoundField:
        said = card.said.get(f"{item.name}-{name}", "")
        return BoundField(
            cell, f"{control}-{name}", text, " ".join(filter(None, [faults.at(f"{control}-{name}"), said]))
        )

    text = card.values.get(item.name, "")
    table = table_of(text) if item.widget.control == "table" else None
    beside = (
        {
            name: part(
                cell, name, card.values.get(f"{item.name}-{name}", "") or (table.beside.get(name, "") if table else "")
            )
            for name, cell in beside_fields().items()
        }
        if item.widget.beside
        else {}
    )
    rows = [
        BoundRow(
            number,
            f"{control}-{number}",
            f"Row {number + 1}",
            {name: part(cell, f"{number}-{name}", row.get(name, "")) for name, cell in item.columns.items()},
        )
        for number, row in enumerate(table.rows if table else ())
    ]
    error = " ".join(filter(None, [faults.at(control), card.said.get(item.name, "")]))
    return BoundField(item, control, text, error, beside, rows)


def families() -> list[Family]:
    """Every scorer type, grouped by family, each with its sentence."""
    types = sorted(registry, key=lambda declared: (family(declared), declared.type_name() or ""))
    return [
        Family(name.replace("_", " ").capitalize(), [(item.type_name() or "", item.summary()) for item in group])
        for name, group in groupby(types, key=family)
    ]


def told_pairs(card: BoundCard) -> Iterator[tuple[str, str]]:
    """(title, value) of each setting that a reader should see: its own, and what differs from the default."""
    for shown in card.all_fields:
        if shown.field.name == "name":
            continue
        changed = shown.value != shown.field.initial()
        if shown.field.name in {"id", "weight"} or (shown in card.own and shown.value) or changed:
            yield shown.label, shown.told


def read_only(draft: Draft, faults: Iterable[FieldError] = ()) -> list[Mapping[str, Any]]:
    """The cards for people who may only read them."""
    return [
        {"bound": card, "pairs": list(told_pairs(card)), "key": card.card.key}
        for card in bind_cards(draft, Faults(draft, faults))
    ]
