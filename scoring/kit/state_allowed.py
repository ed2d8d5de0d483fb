"""What a state task allows: every change asked about in one step, however long the list of what may change."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scoring.kit.json_values import Catalogue
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.state_delta import Change

ANY = "*"
Name = Annotated[str, Field(min_length=1, max_length=512)]
_MOST_STEPS = 1_000_000
Row = Mapping[str, Any]
Rows = Mapping[tuple[str, str], Row]


class Strict(BaseModel):
    """What every part of a task shares: frozen, strict, no unknown members."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Allowed(Strict):
    """What may change: a field, `*` for every field of a row, a row made or removed; id `*` with `where`."""

    entity: Name
    id: Name
    field: Name | None = None
    created: bool = False
    deleted: bool = False
    fields: dict[str, Any] = Field(default_factory=dict)
    where: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_one_thing(self) -> "Allowed":
        if self.field is None and not (self.created or self.deleted):
            raise ValueError("name a field (or * for the row), or say created or deleted")
        return self


class _Leave:
    """What may happen to one row: the union of the entries that speak of it."""

    def __init__(self, entries: Sequence[Allowed]) -> None:
        self.fields = {entry.field for entry in entries if entry.field is not None}
        self.created = any(entry.created for entry in entries)
        self.deleted = any(entry.deleted for entry in entries)
        # Leave to make a row is leave to fill it: with the fields named, or with any.
        self.filled = any(entry.created and not entry.fields for entry in entries)
        self.filled_fields = {name for entry in entries if entry.created for name in entry.fields}

    def covers(self, change: Change) -> bool:
        if change.kind == "created":
            return self.created
        if change.kind == "deleted":
            return self.deleted
        if self.fields & {ANY, change.key.field}:
            return True
        return change.kind == "created_field" and (self.filled or change.key.field in self.filled_fields)


class AllowedChanges:
    """The allowed entries of a task over some rows.

    `rows` gives each row that an entry with id `*` and `where` is tested against: as it is after
    the run (before it, if deleted). Without `rows` nothing is known of them, and `where` holds.
    """

    def __init__(self, entries: Sequence[Allowed], rows: Rows | None) -> None:
        self._rows = rows
        self._named: dict[tuple[str, str], list[Allowed]] = defaultdict(list)
        self._anywhere: dict[str, list[tuple[Allowed, dict[str, int]]]] = defaultdict(list)
        self._catalogue = Catalogue()
        self._leaves: dict[tuple[str, str], _Leave] = {}
        self._steps = 0
        for entry in entries:
            if entry.id == ANY:
                where = {name: self._catalogue.number(value) for name, value in entry.where.items()}
                self._anywhere[entry.entity].append((entry, where))
            else:
                self._named[entry.entity, entry.id].append(entry)

    def cover(self, change: Change) -> bool:
        """Whether the change is allowed. Raises Unmeasurable (limit) when telling would take too long."""
        row = (change.key.entity, change.key.id)
        if row not in self._leaves:
            self._leaves[row] = _Leave([*self._named.get(row, ()), *self._holding(row)])
        return self._leaves[row].covers(change)

    def _holding(self, row: tuple[str, str]) -> list[Allowed]:
        """The entries for any id whose `where` holds for this row."""
        entries = self._anywhere.get(row[0], [])
        if not entries:
            return []
        self._steps += sum(1 + len(where) for _, where in entries)
        if self._steps > _MOST_STEPS:
            raise Unmeasurable(
                ErrorCode.LIMIT,
                f"Too many rows changed to test each against the {len(entries):,} allowed entries with id *.",
            )
        if self._rows is None:
            return [entry for entry, _ in entries]
        asked = {name for _, where in entries for name in where}
        fields = self._rows.get(row, {})
        held = {name: self._catalogue.number(fields[name]) for name in asked & fields.keys()}
        return [entry for entry, where in entries if all(held.get(name) == number for name, number in where.items())]
