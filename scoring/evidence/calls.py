"""Evidence of tool use: failures, one tool's calls, the calls made beside the ones expected."""

from collections import Counter
from collections.abc import Sequence

from scoring.evidence.parts import MOST_SHOWN, Left, Part, Source, beyond, is_count, is_objects, is_texts, taken


def failures(left: Left, _: Source) -> Part | None:
    """How many of the dispatched calls succeeded, and how each of the others failed."""
    if not (is_count(left.get("dispatched")) and is_objects(left.get("failures"), "name", "error")):
        return None
    found = taken(left, "dispatched", "succeeded", "failures")
    failed = found["dispatched"] - found["succeeded"] if is_count(found["succeeded"]) else len(found["failures"])
    more = beyond(found["failures"], failed)
    return Part("failures", {**found, "failures": found["failures"][:MOST_SHOWN], "failed": failed, "more": more})


def one_tool(left: Left, _: Source) -> Part | None:
    """What became of the calls of one tool."""
    if not isinstance(left.get("tool"), str) or not all(
        is_count(left.get(name)) for name in ("calls", "dispatched", "succeeded")
    ):
        return None
    return Part("one_tool", taken(left, "tool", "calls", "dispatched", "succeeded"))


def sequences(left: Left, _: Source) -> Part | None:
    """Both sequences of calls, with what is missing in one and not expected in the other marked."""
    if not all(is_texts(left.get(name)) for name in ("actual", "expected", "missing", "extra")):
        return None
    found = taken(left, "actual", "expected", "missing", "extra")
    return Part(
        "sequences",
        {
            "actual": _marked(found["actual"], found["extra"])[:MOST_SHOWN],
            "actual_more": beyond(found["actual"]),
            "expected": _marked(found["expected"], found["missing"])[:MOST_SHOWN],
            "expected_more": beyond(found["expected"]),
        },
    )


def _marked(names: Sequence[str], marked: Sequence[str]) -> list[tuple[str, bool]]:
    """Each name with whether it is one of the marked; of the same name the last ones are."""
    left = Counter(marked)
    pairs: list[tuple[str, bool]] = []
    for name in reversed(names):
        pairs.append((name, left[name] > 0))
        left[name] -= 1
    return pairs[::-1]


def pairs(left: Left, _: Source) -> Part | None:
    """How many calls found a partner on the other side, and which did not."""
    counted = all(is_count(left.get(name)) for name in ("matched", "actual", "expected"))
    if not counted or not all(is_texts(left.get(name)) for name in ("missing", "extra")):
        return None
    found = taken(left, "matched", "actual", "expected", "missing", "extra")
    return Part(
        "pairs",
        {
            **found,
            "missing": found["missing"][:MOST_SHOWN],
            "missing_more": beyond(found["missing"], found["expected"] - found["matched"]),
            "extra": found["extra"][:MOST_SHOWN],
            "extra_more": beyond(found["extra"], found["actual"] - found["matched"]),
        },
    )
