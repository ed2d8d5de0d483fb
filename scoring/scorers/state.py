"""The scorer of state changes: what the agent did to the world, not what it said it did."""

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from scoring.kit.json_values import fingerprint, shown
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Reading, Unmeasurable
from scoring.kit.paths import ABSENT
from scoring.kit.possible_scores import ZERO_OR_ONE
from scoring.kit.scorer import Example, Scorer
from scoring.kit.settings import bounded
from scoring.kit.state_allowed import AllowedChanges
from scoring.kit.state_delta import Change, Key, State, changed_rows, read_sides, read_state, state_delta
from scoring.kit.state_task import ReadBeforeWrite, StateTask, read_task, refuse_unsatisfiable, same_end
from scoring.kit.text import shortened
from scoring.kit.tool_calls import ToolCall, dispatched, tool_calls

_BOOKKEEPING = ("updated_at",)
_MOST_LISTED = 100
_READ_WORDS = (
    "get",
    "list",
    "read",
    "search",
    "find",
    "fetch",
    "query",
    "lookup",
    "show",
    "view",
    "describe",
    "check",
    "count",
)
# tickets.get, mcp__desk__get and desk/get are all get; getTicket, get-ticket and get_ticket begin with it.
_NAMESPACE = re.compile(r"[./:]|__")
_WORD_ENDS = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")
_TICKET = {"tickets": {"t1": {"status": "open", "updated_at": 1}}}
_CLOSED = {"tickets": {"t1": {"status": "closed", "updated_at": 2}}}
_CLOSE = {
    "required": [{"entity": "tickets", "id": "t1", "field": "status", "value": "closed"}],
    "allowed": [{"entity": "tickets", "id": "t1", "field": "status"}],
}


class StateChange(Scorer):
    """Whether exactly the requested changes were made: nothing missing, nothing else touched.

    Every required change must be among the changes, every change must be allowed, and the tool
    calls must keep to the criteria of the case (read before write, forbidden tools, a maximum of
    calls, no write after a refusal). A task that no attempt could pass is an error, not a failure.
    """

    reads: ClassVar = ("state", "expected.state", "tool_calls, where a criterion needs them")
    formula: ClassVar = (
        "1 if required ⊆ Δ and Δ ⊆ allowed and every criterion over the calls holds, else 0; "
        "Δ = after − before without ignored fields"
    )
    gives: ClassVar = (
        ErrorCode.MISSING_GROUND_TRUTH,
        ErrorCode.BAD_GROUND_TRUTH,
        ErrorCode.MISSING_INPUT,
        ErrorCode.BAD_INPUT,
        ErrorCode.LIMIT,
    )
    origin: ClassVar = "Scorer module, section 2; structured keys decided here"
    examples: ClassVar = (
        Example(
            "Closed, as asked; bookkeeping does not count",
            {},
            {"expected": {"state": _CLOSE}, "observation": {"state": {"before": _TICKET, "after": _CLOSED}}},
            score=1,
        ),
        Example(
            "Nothing was done",
            {},
            {"expected": {"state": _CLOSE}, "observation": {"state": {"before": _TICKET, "after": _TICKET}}},
            score=0,
        ),
        Example(
            "A task to refuse: nothing may change",
            {},
            {
                "expected": {"state": {"required": [], "allowed": []}},
                "observation": {"state": {"before": _TICKET, "after": _TICKET}},
            },
            score=1,
        ),
        Example(
            "It was closed before",
            {},
            {"expected": {"state": _CLOSE}, "observation": {"state": {"before": _CLOSED, "after": _CLOSED}}},
            error=ErrorCode.BAD_GROUND_TRUTH,
        ),
    )

    scale: ClassVar = ZERO_OR_ONE

    type: Literal["StateChange"] = "StateChange"
    ignore: Annotated[tuple[Annotated[str, bounded(1, 512)], ...], Field(max_length=64, strict=False)] | None = Field(
        default=None,
        title="Ignored fields",
        description=(
            "One a line: bookkeeping that no user sees. Empty ignores nothing; "
            "left out, the observation's own list, else updated_at."
        ),
        json_schema_extra={"x-widget": "lines"},
    )

    def score(self, observation: Observation) -> Reading:
        """1 or 0; the evidence lists every change, and each criterion with what broke it."""
        task = read_task(observation.ground_truth("state"))
        demands = task.demands()
        # A task that nobody can pass is told first, whatever was recorded.
        recorded = observation.channels.get("state")
        ignored = self._ignored(recorded)
        refuse_unsatisfiable(task, demands, _readable_before(recorded), ignored or ())
        before, after = self._sides(task, observation)
        if ignored is None:
            raise Unmeasurable(ErrorCode.BAD_INPUT, "state.ignore must be a list of field names.")
        delta = state_delta(before, after, ignored)
        faults = {
            "required_changes": _missing(demands, delta),
            "only_requested_changes": _unasked(task, delta, before, after),
        }
        if _reads_calls(task):
            faults |= _call_faults(task, tool_calls(observation))
        broken = [name for name, found in faults.items() if found]
        evidence = {
            "changes": [change.as_dict() for change in list(delta.values())[:_MOST_LISTED]],
            "changed": len(delta),
            "criteria": {name: {"passed": not found, "faults": found[:_MOST_LISTED]} for name, found in faults.items()},
        }
        if not broken:
            return Reading(1.0, f"{_counted(len(delta))}, all as asked.", evidence)
        return Reading(0.0, f"{_sentence(faults)}.", evidence)

    def _ignored(self, recorded: Any) -> Sequence[str] | None:
        """The ignored fields; None when the observation's own list is none."""
        if self.ignore is not None:
            return self.ignore
        ignored = recorded.get("ignore", _BOOKKEEPING) if isinstance(recorded, dict) else _BOOKKEEPING
        well_formed = isinstance(ignored, list | tuple) and all(isinstance(field, str) for field in ignored)
        return ignored if well_formed else None

    @staticmethod
    def _sides(task: StateTask, observation: Observation) -> tuple[State, State]:
        """The state before and after; Unmeasurable when it, or calls that a criterion needs, were not recorded."""
        recorded = observation.channel("state")
        if not isinstance(recorded, dict):
            raise Unmeasurable(ErrorCode.BAD_INPUT, "state must be an object with before and after.")
        if _reads_calls(task):
            observation.channel("tool_calls")
        return read_sides(recorded)


def _readable_before(recorded: Any) -> State | None:
    try:
        return read_state(recorded, "before") if isinstance(recorded, dict) else None
    except Unmeasurable:
        return None


def _counted(changes: int) -> str:
    return "Nothing changed" if not changes else f"{changes} change{'' if changes == 1 else 's'}"


def _sentence(faults: Mapping[str, Sequence[str]]) -> str:
    told = [fault for found in faults.values() for fault in found]
    shown = "; ".join(told[:3])
    more = f"; {len(told) - 3} more" if len(told) > 3 else ""
    return shown + more


def _missing(demands: Mapping[Key, Any], delta: Mapping[Key, Change]) -> list[str]:
    """What had to change and did not, or not to what was asked."""
    faults = []
    for key, wanted in sorted(demands.items(), key=lambda pair: (pair[0].entity, pair[0].id, pair[0].field or "")):
        change = delta.get(key)
        if change is None:
            faults.append(f"{key} was not {wanted}" if key.field is None else f"{key} was not {_to(wanted)}")
        elif key.field is None:
            if change.kind != wanted:
                faults.append(f"{key} was {change.kind}, not {wanted}")
        elif not same_end(change.after, wanted):
            both = change.after is not ABSENT and wanted is not ABSENT
            faults.append(f"{key} was {_to(change.after)}, not {'to ' + shown(wanted) if both else _to(wanted)}")
    return faults


def _to(end: Any) -> str:
    return "removed" if end is ABSENT else f"changed to {shown(end)}"


def _unasked(task: StateTask, delta: Mapping[Key, Change], before: State, after: State) -> list[str]:
    """What changed and was not allowed to."""
    allowed = AllowedChanges(task.allowed, changed_rows(delta, before, after))
    faults = []
    refused_rows = set()
    for key, change in delta.items():
        if (key.entity, key.id) in refused_rows or allowed.cover(change):
            continue
        if key.field is None:
            # A row that may not be made says all there is to say of its fields.
            refused_rows.add((key.entity, key.id))
        faults.append(f"{key} {'changed' if key.field else 'was ' + change.kind} but was not asked for")
    return faults


def _reads_calls(task: StateTask) -> bool:
    return bool(
        task.read_before_write or task.forbidden_tools or task.max_calls is not None or task.no_write_after_deny
    )


def _call_faults(task: StateTask, calls: Sequence[ToolCall]) -> dict[str, list[str]]:
    sent = dispatched(calls)
    faults: dict[str, list[str]] = {}
    rule = task.read_before_write if isinstance(task.read_before_write, ReadBeforeWrite) else ReadBeforeWrite()
    if task.read_before_write:
        faults["read_before_write"] = list(_unread_writes(sent, rule))
    if task.forbidden_tools:
        used = sorted({call.name for call in sent} & set(task.forbidden_tools))
        faults["forbidden_tools"] = [f"the forbidden tool {shortened(name)} was called" for name in used]
    if task.max_calls is not None:
        over = len(sent) > task.max_calls
        faults["max_calls"] = (
            [f"{len(sent)} tool calls were made, at most {task.max_calls} are allowed"] if over else []
        )
    if task.no_write_after_deny:
        faults["no_write_after_deny"] = list(_writes_after_deny(calls, rule))
    return faults


def _is_read(name: str, rule: ReadBeforeWrite) -> bool:
    """By the case's own lists; else a tool reads when its name begins with a word of reading."""
    if name in rule.read_tools or name in rule.write_tools:
        return name in rule.read_tools
    own = _NAMESPACE.split(name)[-1]
    return _WORD_ENDS.split(own)[0].lower() in _READ_WORDS


def _unread_writes(calls: Sequence[ToolCall], rule: ReadBeforeWrite) -> Iterator[str]:
    """Writes of an id that no earlier read came back with. A read is what came back, not what was asked."""
    seen: set[Hashable] = set()
    for call in calls:
        if call.failed:
            continue
        if _is_read(call.name, rule):
            seen.update(_ids(call.result))
        elif (
            isinstance(call.arguments, dict)
            and "id" in call.arguments
            and fingerprint(call.arguments["id"]) not in seen
        ):
            yield f"{call.shown_name} wrote {shown(call.arguments['id'])} without reading it first"


def _ids(value: Any) -> Iterator[Hashable]:
    """Every text or number under a member named id, at any depth."""
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, dict):
            if not isinstance(item.get("id"), dict | list | bool | None):
                yield fingerprint(item["id"])
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


def _writes_after_deny(calls: Sequence[ToolCall], rule: ReadBeforeWrite) -> Iterator[str]:
    denied: str | None = None
    for call in calls:
        if call.verdict == "deny":
            denied = call.shown_name
        elif denied is not None and call.verdict == "allow" and not _is_read(call.name, rule):
            yield f"{call.shown_name} wrote after {denied} was refused"
