"""The ground truth of a state task: what must change, what may, and what the calls must keep to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from scoring.kit.json_values import json_equal
from scoring.kit.numbers import whole_number
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.state_allowed import Allowed, AllowedChanges, Name, Strict
from scoring.kit.state_delta import Change, Key, State

_MOST = 1_000


class Required(Strict):
    """One change that must have happened: a field with its value (or gone), or a row made or removed."""

    entity: Name
    id: Name
    field: Name | None = None
    value: Any = None
    absent: bool = False
    created: bool = False
    deleted: bool = False
    fields: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _says_one_thing(self) -> "Required":
        row = self.created or self.deleted
        if row == (self.field is not None) or (self.created and self.deleted):
            raise ValueError("name a field, or say created or deleted")
        if not row and self.absent == ("value" in self.model_fields_set):
            raise ValueError("give the field's value, or absent: true")
        if self.fields and not self.created:
            raise ValueError("fields belong to a created row")
        return self

    def demands(self) -> dict[Key, Any]:
        """Each key with the value it must end at; ABSENT for gone, ROW keys map to created or deleted."""
        if self.field is not None:
            return {Key(self.entity, self.id, self.field): ABSENT if self.absent else self.value}
        row: dict[Key, Any] = {Key(self.entity, self.id): "created" if self.created else "deleted"}
        return row | {Key(self.entity, self.id, name): value for name, value in self.fields.items()}


class ReadBeforeWrite(Strict):
    """Which tools read and which write, where their names do not tell."""

    read_tools: tuple[Name, ...] = Field(default=(), strict=False)
    write_tools: tuple[Name, ...] = Field(default=(), strict=False)


def _whole(value: Any) -> Any:
    """3.0 is the whole number 3."""
    number = whole_number(value)
    return value if number is None else number


class StateTask(Strict):
    """`expected.state`: the changes that must and may happen, and criteria over the calls."""

    required: list[Required] = Field(default_factory=list, max_length=_MOST)
    allowed: list[Allowed] = Field(default_factory=list, max_length=_MOST)
    read_before_write: bool | ReadBeforeWrite = False
    forbidden_tools: list[Name] = Field(default_factory=list, max_length=_MOST)
    max_calls: Annotated[int, Field(ge=0), BeforeValidator(_whole)] | None = None
    no_write_after_deny: bool = False

    def demands(self) -> dict[Key, Any]:
        """Every key that must change, with where it must end. Raises Unmeasurable when two exclude each other."""
        demands: dict[Key, Any] = {}
        for required in self.required:
            for key, wanted in required.demands().items():
                if key in demands and not same_end(demands[key], wanted):
                    raise _unsatisfiable(key, "must end in two ways at once")
                demands[key] = wanted
        for key in demands:
            if key.field is not None and demands.get(Key(key.entity, key.id)) == "deleted":
                raise _unsatisfiable(key, "must change and its row must be deleted")
        return demands


def same_end(left: Any, right: Any) -> bool:
    """Whether two ends of a change are the same; ABSENT is only itself."""
    return left is right or (left is not ABSENT and right is not ABSENT and json_equal(left, right))


def _unsatisfiable(key: Key, fault: str) -> Unmeasurable:
    return Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, f"No attempt could pass: {key} {fault}.")


Criterion = Literal[
    "required_changes",
    "only_requested_changes",
    "read_before_write",
    "forbidden_tools",
    "max_calls",
    "no_write_after_deny",
]


def read_task(raw: Any) -> StateTask:
    """The task in `expected.state`. Raises Unmeasurable: missing_ground_truth, or bad_ground_truth with the path."""
    if raw is ABSENT:
        raise Unmeasurable(ErrorCode.MISSING_GROUND_TRUTH, "The case has no expected.state.")
    if not isinstance(raw, dict) or not raw.keys() & {"required", "allowed"}:
        raise Unmeasurable(
            ErrorCode.BAD_GROUND_TRUTH,
            "expected.state must be an object with required and allowed; two empty lists mean: change nothing.",
        )
    try:
        return StateTask.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = ".".join(["expected.state", *(str(step) for step in first["loc"])])
        raise Unmeasurable(ErrorCode.BAD_GROUND_TRUTH, f"{path}: {first['msg']}.") from error


def refuse_unsatisfiable(
    task: StateTask, demands: Mapping[Key, Any], before: State | None, ignored: Sequence[str]
) -> None:
    """Raise Unmeasurable (bad_ground_truth) when no attempt could pass.

    That is: a required change that is not allowed, that is ignored, that already holds before the
    run, or that makes a row which is there or removes one which is not. Without `before` (not
    recorded, or malformed) only what is so whatever it was.
    """
    allowed = AllowedChanges(task.allowed, None if before is None else _rows_at_the_end(demands, before))
    for key, wanted in demands.items():
        row = None if before is None else before.get(key.entity, {}).get(key.id)
        fault = _ignored_or_held(key, wanted, row, ignored, known=before is not None) or next(
            (
                words
                for changes, words in _ways(key, wanted, row, known=before is not None)
                if not any(map(allowed.cover, changes))
            ),
            None,
        )
        if fault:
            raise _unsatisfiable(key, fault)


def _ignored_or_held(
    key: Key, wanted: Any, row: Mapping[str, Any] | None, ignored: Sequence[str], *, known: bool
) -> str | None:
    """What is wrong with a demand whatever is allowed."""
    if key.field is None:
        if known and (row is None) != (wanted == "created"):
            return (
                "must be created and is there before the run"
                if wanted == "created"
                else "must be deleted and is not there before the run"
            )
        return None
    if key.field in ignored:
        return "must change and is ignored"
    if known and same_end((row or {}).get(key.field, ABSENT), wanted):
        return "must change to what it already is before the run"
    return None


def _ways(key: Key, wanted: Any, row: Mapping[str, Any] | None, *, known: bool) -> Iterator[tuple[list[Change], str]]:
    """Changes of which one must be allowed, with the fault when none is."""
    fault = "must change and may not: it is required and not allowed"
    if key.field is None:
        yield [Change(key, wanted)], fault
        return
    kinds = ["field", "created_field"] if not known else ["created_field"] if row is None else ["field"]
    yield [Change(key, kind) for kind in kinds], fault
    if known and row is None:
        yield (
            [Change(Key(key.entity, key.id), "created")],
            "must change in a row that is not there before the run and may not be created",
        )


def _rows_at_the_end(demands: Mapping[Key, Any], before: State) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows that demands speak of, as they would be if everything required had happened."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for key, wanted in demands.items():
        row = rows.setdefault((key.entity, key.id), dict(before.get(key.entity, {}).get(key.id, {})))
        if key.field is not None and wanted is not ABSENT:
            row[key.field] = wanted
    return rows
