"""The state of the world before and after as a difference, each change beside what was asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.channels.recorded import Recorded, Value, Window, name_of, value_of
from scoring.kit.outcome import ErrorCode, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.state_allowed import AllowedChanges
from scoring.kit.state_delta import Change, Key, State, changed_rows, read_sides, state_delta
from scoring.kit.state_task import StateTask, read_task, same_end

_BOOKKEEPING = ("updated_at",)


@dataclass(frozen=True, slots=True)
class StateChange:
    """One change of a row or a field.

    `kind` is created, deleted, changed, added or removed (a field), or unchanged (it was to change);
    `standing` is asked, allowed, otherwise (it was to end in another way), unasked, missing, ignored, or
    empty where nobody said what was asked for. `wanted` is where it was to end, when it did not.
    """

    row: str
    field: str
    kind: str
    before: Value | None
    after: Value | None
    standing: str
    wanted: str = ""


@dataclass(frozen=True, slots=True)
class StateDifference:
    """The changes that are shown, in order of row and field, and the counts of all.

    `truth` says why there is nothing to hold them against, where there is not.
    """

    changes: tuple[StateChange, ...]
    window: Window
    counts: Mapping[str, int]
    rows_before: int
    rows_after: int
    ignored: tuple[str, ...]
    ignored_count: int
    truth: str


def state_difference_of(recorded: Recorded) -> StateDifference:
    """The difference. Raises Unmeasurable when the channel is null or malformed, or a side is missing."""
    channel = recorded.observation.channel("state")
    if not isinstance(channel, dict):
        raise Unmeasurable(ErrorCode.BAD_INPUT, "state must be an object with before and after.")
    before, after = read_sides(channel)
    ignored = _ignored(channel)
    everything = state_delta(before, after, ())
    counted = {key: change for key, change in everything.items() if key.field not in ignored}
    standings, missing, truth = _judged(recorded, counted, before, after)
    lines = sorted(
        [*everything, *(key for key in missing if key not in everything)],
        key=lambda key: (key.entity, key.id, key.field is not None, key.field or ""),
    )
    window = recorded.window("state", len(lines))
    shown = [
        _line(key, everything.get(key), standings, missing, channel=channel, ignored=ignored)
        for key in window.of(lines)
    ]
    return StateDifference(
        changes=tuple(shown),
        window=window,
        counts=_counts(counted),
        rows_before=sum(map(len, before.values())),
        rows_after=sum(map(len, after.values())),
        ignored=tuple(map(name_of, ignored)),
        ignored_count=len(everything) - len(counted),
        truth=truth,
    )


def _ignored(channel: Mapping[str, Any]) -> tuple[str, ...]:
    given = channel.get("ignore", _BOOKKEEPING)
    return tuple(field for field in given if isinstance(field, str)) if isinstance(given, list | tuple) else ()


def _counts(changes: Mapping[Key, Change]) -> dict[str, int]:
    """How many rows were created and deleted, and how many fields of other rows changed."""
    kinds = [change.kind for change in changes.values()]
    return {
        name: kinds.count(kind) for name, kind in (("created", "created"), ("deleted", "deleted"), ("changed", "field"))
    }


def _judged(
    recorded: Recorded, delta: Mapping[Key, Change], before: State, after: State
) -> tuple[dict[Key, str], dict[Key, Any], str]:
    """The standing of every change, what was to change and did not (or not so), and why nothing can be said."""
    if recorded.observation.ground_truth("state") is ABSENT:
        return {}, {}, "The case does not say what was to change (expected.state)."
    try:
        task = read_task(recorded.observation.ground_truth("state"))
        demands = task.demands()
        return _standings(task, demands, delta, before, after), _unmet(demands, delta), ""
    except Unmeasurable as reason:
        return {}, {}, reason.message


def _standings(
    task: StateTask, demands: Mapping[Key, Any], delta: Mapping[Key, Change], before: State, after: State
) -> dict[Key, str]:
    allowed = AllowedChanges(task.allowed, changed_rows(delta, before, after))
    standings = {}
    for key, change in delta.items():
        if key in demands:
            standings[key] = "asked" if _met(change, demands[key]) else "otherwise"
        else:
            standings[key] = "allowed" if allowed.cover(change) else "unasked"
    return standings


def _met(change: Change, wanted: Any) -> bool:
    return change.kind == wanted if change.key.field is None else same_end(change.after, wanted)


def _unmet(demands: Mapping[Key, Any], delta: Mapping[Key, Change]) -> dict[Key, Any]:
    return {key: wanted for key, wanted in demands.items() if key not in delta or not _met(delta[key], wanted)}


def _line(
    key: Key,
    change: Change | None,
    standings: Mapping[Key, str],
    missing: Mapping[Key, Any],
    *,
    channel: Mapping[str, Any],
    ignored: Sequence[str],
) -> StateChange:
    field = "" if key.field is None else name_of(key.field)
    row = f"{name_of(key.entity)}/{name_of(key.id)}"
    wanted = _wanted(key, missing[key]) if key in missing else ""
    if change is None:
        now = channel["after"].get(key.entity, {}).get(key.id, {}).get(key.field, ABSENT) if key.field else ABSENT
        side = None if now is ABSENT else _side(channel, "after", key, now)
        return StateChange(row, field, "unchanged", side, side, "missing", wanted)
    standing = "ignored" if key.field in ignored else standings.get(key, "")
    sides = {"before": change.before, "after": change.after}
    # What a created row holds stands in the lines of its fields.
    shown = {
        side: None if value is ABSENT or change.kind == "created" else _side(channel, side, key, value)
        for side, value in sides.items()
    }
    return StateChange(row, field, _kind(change), shown["before"], shown["after"], standing, wanted)


def _kind(change: Change) -> str:
    if change.key.field is None:
        return change.kind
    return "added" if change.before is ABSENT else "removed" if change.after is ABSENT else "changed"


def _wanted(key: Key, wanted: Any) -> str:
    if key.field is None:
        return str(wanted)
    return "no such field" if wanted is ABSENT else name_of(value_of(wanted, as_json=True).text)


def _side(channel: Mapping[str, Any], side: str, key: Key, value: Any) -> Value:
    steps = [key.entity, key.id] if key.field is None else [key.entity, key.id, key.field]
    return value_of(value, ("observation", "state", side, *steps), as_json=True)
