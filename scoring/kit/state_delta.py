"""What changed between two recorded states of the world: rows made and removed, fields changed.

A state is entity → id → field → JSON. Absent and null are two things: a field that went from
absent to null has changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from foundation import exact_json
from scoring.kit.json_values import json_equal
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.text import shortened

_LONGEST_SIDE = 1_000
State = Mapping[str, Mapping[str, Mapping[str, Any]]]
ROW = None
"""Stands for the field of a key that means the row itself: created or deleted."""


class Key(NamedTuple):
    """What changed: a field of a row, or (field None) the row as a whole."""

    entity: str
    id: str
    field: str | None = ROW

    def __str__(self) -> str:
        row = f"{shortened(self.entity)}/{shortened(self.id)}"
        return row if self.field is None else f"{row}.{shortened(self.field)}"


@dataclass(frozen=True, slots=True)
class Change:
    """One changed key. `kind` is created, deleted, field, or created_field (of a row just made).

    `after` is ABSENT where a field went away.
    """

    key: Key
    kind: str
    before: Any = ABSENT
    after: Any = ABSENT

    def as_dict(self) -> dict[str, Any]:
        """The change as evidence; a side that is absent is left out, a large one is text cut with an ellipsis."""
        sides = {"before": self.before, "after": self.after}
        place = {"entity": self.key.entity, "id": self.key.id}
        field = {} if self.key.field is None else {"field": self.key.field}
        return {
            **place,
            **field,
            "kind": self.kind,
            **{name: _kept(value) for name, value in sides.items() if value is not ABSENT},
        }


def _kept(value: Any) -> Any:
    written = exact_json.dumps(value, spaced=True)
    return value if len(written) <= _LONGEST_SIDE else shortened(written, 200)


def read_state(recorded: Mapping[str, Any], side: str) -> State:
    """`state.before` or `state.after`; Unmeasurable when it is absent (missing_input) or malformed."""
    state = recorded.get(side, ABSENT)
    if state is ABSENT:
        raise Unmeasurable(ErrorCode.MISSING_INPUT, f"The observation did not record state.{side}.")
    rows = state.values() if isinstance(state, dict) else [None]
    if not all(isinstance(entity, dict) and all(isinstance(row, dict) for row in entity.values()) for entity in rows):
        raise Unmeasurable(ErrorCode.BAD_INPUT, f"state.{side} must be entity → id → field → value.")
    return state  # type: ignore[no-any-return]


def read_sides(recorded: Mapping[str, Any]) -> tuple[State, State]:
    """`state.before` and `state.after`; what is absent is told before what is malformed."""
    for side in ("before", "after"):
        if side not in recorded:
            raise Unmeasurable(ErrorCode.MISSING_INPUT, f"The observation did not record state.{side}.")
    return read_state(recorded, "before"), read_state(recorded, "after")


def state_delta(before: State, after: State, ignored: Sequence[str]) -> dict[Key, Change]:
    """Every change by its key, in order of key. A created row gives its own key and one for each field."""
    return {
        change.key: change
        for change in sorted(_changes(before, after, set(ignored)), key=lambda change: _order(change.key))
    }


def _order(key: Key) -> tuple[str, str, str]:
    return (key.entity, key.id, key.field or "")


def changed_rows(delta: Mapping[Key, Change], before: State, after: State) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The rows that changes speak of, as they are after the run; before it, where they were deleted."""
    return {
        (entity, row): after.get(entity, {}).get(row, before.get(entity, {}).get(row, {})) for entity, row, _ in delta
    }


def _changes(before: State, after: State, ignored: set[str]) -> Iterator[Change]:
    for entity in {*before, *after}:
        old_rows, new_rows = before.get(entity, {}), after.get(entity, {})
        for row in {*old_rows, *new_rows}:
            if row not in new_rows:
                yield Change(Key(entity, row), "deleted", before=dict(old_rows[row]))
            elif row not in old_rows:
                yield Change(Key(entity, row), "created", after=dict(new_rows[row]))
                yield from _fields(entity, row, {}, new_rows[row], ignored, kind="created_field")
            else:
                yield from _fields(entity, row, old_rows[row], new_rows[row], ignored)


def _fields(
    entity: str, row: str, old: Mapping[str, Any], new: Mapping[str, Any], ignored: set[str], *, kind: str = "field"
) -> Iterator[Change]:
    for field in {*old, *new} - ignored:
        before, after = old.get(field, ABSENT), new.get(field, ABSENT)
        if before is ABSENT or after is ABSENT or not json_equal(before, after):
            yield Change(Key(entity, row, field), kind, before, after)
