"""PURE: the form of an observation: what was typed, the document that it means, and what its buttons do."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from foundation.errors import FieldError
from scoring.forms.observation_form.cells import Unshowable, json_text, same
from scoring.forms.observation_form.entries import (
    MOST_ROWS,
    FieldEntry,
    Part,
    RestEntry,
    RowFault,
    RowsEntry,
    own_names,
    put,
    value_at,
)
from scoring.forms.observation_form.parts import entries
from scoring.forms.widgets import Unreadable
from scoring.kit.paths import ABSENT

_FLAG: Final = "empty"
_DEEPEST: Final = 2


class CannotShow(Exception):
    """The form cannot hold this document; `paths` are the members at fault."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = sorted(paths)
        super().__init__(f"The form cannot show {', '.join(self.paths)}, so the observation stays JSON.")


@dataclass(slots=True)
class ObservationForm:
    """What is typed in the form. `texts` is by control, `rows` by list, `flags` the boxes that are ticked."""

    texts: dict[str, str] = field(default_factory=dict)
    rows: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    faults: dict[str, str] = field(default_factory=dict)
    """What is wrong, by control."""
    kept: dict[str, list[int]] = field(default_factory=dict)
    """Which row each item of a list was read from."""

    def read(self) -> dict[str, Any]:
        """The document that was typed; what cannot be read is left out of it and told in `faults`."""
        document: dict[str, Any] = {}
        self.faults = {}
        for entry in entries():
            value: Any = ABSENT
            if isinstance(entry, RowsEntry):
                value = self._read_rows(entry)
            elif isinstance(entry, FieldEntry):
                value = self._read_field(entry)
            if value is not ABSENT:
                put(document, entry.path, value)
        for entry in entries():
            if isinstance(entry, RestEntry):
                self._read_rest(entry, document)
        return document

    def _read_field(self, entry: FieldEntry) -> Any:
        try:
            value = entry.cell.read(self.texts.get(entry.id, ""))
        except Unreadable as fault:
            self.faults[entry.id] = str(fault)
            return ABSENT
        return entry.empty if value is ABSENT and entry.id in self.flags else value

    def _read_rows(self, entry: RowsEntry) -> Any:
        items, kept = [], []
        rows = self.rows.get(entry.id, [])
        for number, texts in enumerate(rows):
            if not any(text.strip() for text in texts.values()):
                continue
            item, faults = entry.read_row(texts)
            for cell, words in faults.items():
                self.faults[f"{entry.id}-{number}-{cell}"] = words
            kept.append(number)
            items.append(item)
        self.kept[entry.id] = kept
        if any(f"{entry.id}-{number}-" in control for number in kept for control in self.faults):
            return ABSENT
        try:
            return entry.to_value(items, entry.id in self.flags)
        except RowFault as fault:
            self.faults[f"{entry.id}-{kept[fault.place]}-{fault.cell}"] = fault.message
            return ABSENT

    def _read_rest(self, entry: RestEntry, document: dict[str, Any]) -> None:
        try:
            rest = entry.cell.read(self.texts.get(entry.id, ""))
        except Unreadable as fault:
            self.faults[entry.id] = str(fault)
            return
        if rest is ABSENT:
            return
        twice = sorted(rest.keys() & own_names(entries(), entry.path))
        if twice:
            self.faults[entry.id] = f"{', '.join(twice)} has a field of its own."
            return
        for name, value in rest.items():
            put(document, (*entry.path, name), value)

    def tell(self, faults: Iterable[FieldError]) -> list[FieldError]:
        """Put each fault of the document at its control; those that belong to none are given back."""
        left = []
        for fault in faults:
            control, inside = self._control_of(tuple(fault.path.split(".")))
            if control is None:
                left.append(fault)
                continue
            words = f"{inside}: {fault.message}" if inside else fault.message
            self.faults[control] = f"{self.faults[control]} {words}" if control in self.faults else words
        return left

    def _control_of(self, steps: tuple[str, ...]) -> tuple[str | None, str]:
        """The control at which a path is told, and what of the path is further inside."""
        for entry in entries():
            depth = len(entry.path)
            if isinstance(entry, RestEntry) or steps[:depth] != entry.path:
                continue
            if isinstance(entry, FieldEntry):
                return entry.id, ".".join(steps[depth:])
            return self._row_control(entry, steps[depth:])
        rests = [
            entry for entry in entries() if isinstance(entry, RestEntry) and steps[: len(entry.path)] == entry.path
        ]
        nearest = max(rests, key=lambda entry: len(entry.path), default=None)
        if nearest is None or not self.texts.get(nearest.id):
            return None, ""
        return nearest.id, ".".join(steps[len(nearest.path) :])

    def _row_control(self, entry: RowsEntry, steps: tuple[str, ...]) -> tuple[str, str]:
        kept = self.kept.get(entry.id, [])
        if not steps or not steps[0].isdigit() or int(steps[0]) >= len(kept):
            return entry.id, ".".join(steps)
        row, inside = kept[int(steps[0])], steps[1:]
        names = [cell.name for cell in entry.cells]
        if inside and inside[0] in names:
            return f"{entry.id}-{row}-{inside[0]}", ".".join(inside[1:])
        return f"{entry.id}-{row}-{names[0]}", ".".join(inside)


def form_from_post(post: Mapping[str, str]) -> ObservationForm:
    """The form as it was posted."""
    form = ObservationForm()
    for entry in entries():
        if f"{entry.id}-{_FLAG}" in post:
            form.flags.add(entry.id)
        if isinstance(entry, RowsEntry):
            form.rows[entry.id] = [
                {cell.name: _lines(post.get(f"{entry.id}-{number}-{cell.name}", "")) for cell in entry.cells}
                for number in _row_numbers(entry, post)
            ]
        else:
            form.texts[entry.id] = _lines(post.get(entry.id, ""))
    return form


def _row_numbers(entry: RowsEntry, post: Mapping[str, str]) -> list[int]:
    names = {cell.name for cell in entry.cells}
    found = set()
    for control in post:
        number, _, cell = control.removeprefix(f"{entry.id}-").partition("-")
        if control.startswith(f"{entry.id}-") and cell in names and number.isascii() and number.isdigit():
            found.add(int(number[:9]))
    return sorted(found)[:MOST_ROWS]


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def form_of(document: Any) -> ObservationForm:
    """The form that means exactly this document; CannotShow names what it cannot hold."""
    form = ObservationForm()
    failed: set[str] = set()
    for entry in entries():
        value = value_at(document, entry.path)
        try:
            if isinstance(entry, RestEntry):
                form.texts[entry.id] = _rest_text(entry, value)
            elif isinstance(entry, RowsEntry):
                rows, flag = ([], False) if value is ABSENT else entry.show(value)
                form.rows[entry.id] = rows
                form.flags |= {entry.id} if flag else set()
            else:
                empty = entry.empty is not ABSENT and value is not ABSENT and same(value, entry.empty)
                form.texts[entry.id] = "" if empty else entry.cell.show(value)
                form.flags |= {entry.id} if empty else set()
        except Unshowable:
            failed.add(".".join(entry.path))
    again = form.read()
    if failed or not same(again, document):
        raise CannotShow(failed or _differing(again, document) or {"the whole of it"})
    return form


def _rest_text(entry: RestEntry, value: Any) -> str:
    if not isinstance(value, dict):
        return ""
    own = own_names(entries(), entry.path)
    rest = {name: member for name, member in value.items() if name not in own}
    return json_text(rest) if rest else ""


def _differing(left: Any, right: Any, path: tuple[str, ...] = ()) -> set[str]:
    """The members, at most two steps down, in which two documents differ."""
    if len(path) == _DEEPEST or not isinstance(left, dict) or not isinstance(right, dict):
        return {".".join(path)} if path else set()
    found: set[str] = set()
    for name in {*left, *right}:
        mine, theirs = left.get(name, ABSENT), right.get(name, ABSENT)
        if mine is ABSENT or theirs is ABSENT:
            found.add(".".join((*path, name)))
        elif not same(mine, theirs):
            found |= _differing(mine, theirs, (*path, name))
    return found


# What the buttons of a row do. Each gives the control to go on with.


def act_on_rows(form: ObservationForm, act: str, argument: str) -> str:
    """Add, remove or move a row: `add` with the list, the others with `list:row`. "" when there is no such row."""
    name, _, number = argument.partition(":")
    entry = next((item for item in entries() if isinstance(item, RowsEntry) and item.id == name), None)
    if entry is None:
        return ""
    rows = form.rows.setdefault(name, [])
    if act == "add":
        if len(rows) < MOST_ROWS:
            rows.append({cell.name: "" for cell in entry.cells})
        return f"{name}-{len(rows) - 1}-{entry.cells[0].name}"
    place = int(number) if number.isascii() and number.isdigit() and len(number) < 9 else len(rows)
    if place >= len(rows):
        return ""
    if act == "remove":
        del rows[place]
        return f"{name}-{min(place, len(rows) - 1)}-remove" if rows else f"{name}-add"
    target = place + {"up": -1, "down": 1}.get(act, 0)
    if not 0 <= target < len(rows):
        return f"{name}-{place}-{act}"
    rows.insert(target, rows.pop(place))
    last = {"up": 0, "down": len(rows) - 1}.get(act)
    other = {"up": "down", "down": "up"}.get(act, act)
    return f"{name}-{target}-{other if target == last else act}"


def part_filled(form: ObservationForm, part: Part) -> bool:
    """Whether anything stands in a part: a row counts that is still blank."""
    return any(form.texts.get(entry.id) or form.rows.get(entry.id) or entry.id in form.flags for entry in part.entries)
