"""Evidence about documents: what breaks a schema, what differs, what a rule read, what changed in the world."""

from collections.abc import Iterator
from typing import Any

from scoring.evidence.parts import MOST_SHOWN, Left, Part, Source, beyond, is_objects, is_texts, taken, written

_CRITERIA = {
    "required_changes": "Everything asked for was done",
    "only_requested_changes": "Nothing else was changed",
    "read_before_write": "Read before it was written",
    "forbidden_tools": "No forbidden tool was called",
    "max_calls": "No more calls than allowed",
    "no_write_after_deny": "No write after a refusal",
}


def violations(left: Left, _: Source) -> Part | None:
    """What breaks a rule, each at its path."""
    if not is_objects(left.get("violations"), "message"):
        return None
    listed, total = taken(left, "violations", "violationCount").values()
    if not listed:
        return None
    return Part("violations", {"violations": listed[:MOST_SHOWN], "more": beyond(listed, total)})


def differences(left: Left, _: Source) -> Part | None:
    """Where two documents differ, and how many leaves match."""
    if not is_objects(left.get("differences"), "path", "kind"):
        return None
    found = taken(left, "matched", "expected", "extra", "differences", "differenceCount")
    listed = found["differences"]
    rows = [
        {
            "path": item["path"],
            "kind": item["kind"],
            "expected": _side(item, "expected"),
            "given": _side(item, "actual"),
        }
        for item in listed[:MOST_SHOWN]
    ]
    counts = {name: found[name] for name in ("matched", "expected", "extra")}
    return Part("differences", {**counts, "rows": rows, "more": beyond(listed, found["differenceCount"])})


def _side(item: dict[str, Any], name: str) -> str | None:
    return written(item[name]) if name in item else None


def rule(left: Left, _: Source) -> Part | None:
    """The value of a rule, and what its variables held."""
    if "value" not in left or not is_objects(left.get("variables"), "path"):
        return None
    value, variables = taken(left, "value", "variables").values()
    rows = [(str(item["path"]), written(item["value"]) if "value" in item else None) for item in variables]
    return Part("rule", {"value": written(value), "variables": rows})


def criteria(left: Left, _: Source) -> Part | None:
    """Each criterion of a task, with what broke it."""
    found = left.get("criteria")
    if not isinstance(found, dict) or not all(
        isinstance(item, dict) and is_texts(item.get("faults")) for item in found.values()
    ):
        return None
    del left["criteria"]
    return Part("criteria", {"rows": list(_criteria(found))})


def _criteria(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, item in found.items():
        faults = item["faults"]
        yield {
            "name": name,
            "words": _CRITERIA.get(name, name.replace("_", " ")),
            "passed": not faults,
            "faults": faults[:MOST_SHOWN],
            "more": beyond(faults),
        }


def state_changes(left: Left, _: Source) -> Part | None:
    """What changed in the world, before and after."""
    if not is_objects(left.get("changes"), "entity", "id", "kind"):
        return None
    changes, total = taken(left, "changes", "changed").values()
    if not changes:
        return None
    return Part(
        "state_changes", {"rows": [_change(item) for item in changes[:MOST_SHOWN]], "more": beyond(changes, total)}
    )


def _change(item: dict[str, Any]) -> dict[str, Any]:
    place = f"{item['entity']}/{item['id']}" + (f".{item['field']}" if "field" in item else "")
    # The fields of a row just made have lines of their own.
    sides = {side: _side(item, side) if item["kind"] != "created" else None for side in ("before", "after")}
    return {"place": place, "kind": item["kind"], **sides}
