"""PURE: which part of an item each column of a file goes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluations.item_cells import JSON_SUFFIX

MAX_COLUMNS = 200
_WHOLE = ("input", "expected_output", "metadata", "expected", "scorers", "key")
_INSIDE = ("metadata", "expected")
# By the name a column has, in lower case with _ for spaces and hyphens; the first that is there is taken.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "input": ("input", "messages", "question", "prompt", "query"),
    "expected_output": ("expected_output", "expected_answer", "answer", "reference", "ideal", "target"),
    "metadata": ("metadata",),
    "expected": ("expected",),
    "scorers": ("scorers",),
    "key": ("key", "id"),
}
# What the API adds to an item that it lists: no content, so such a document is imported without it.
_OURS = frozenset({"id", "dataset_id", "position", "content_hash", "created_at", "updated_at"})


@dataclass(frozen=True, slots=True)
class Target:
    """Where a column goes: a part of the item, or a member inside one; `json` when cells hold JSON."""

    part: str
    member: str | None = None
    json: bool = False

    @property
    def place(self) -> str:
        """The path in the item."""
        return self.part if self.member is None else f"{self.part}.{self.member}"

    def __str__(self) -> str:
        return f"{self.place}{JSON_SUFFIX}" if self.json else self.place


def target_fault(text: str) -> str | None:
    """Why `text` names no part of an item, or None when it does."""
    if _target(text) is not None:
        return None
    return f"{text[:64]!r} is no part of an item: take {', '.join(_WHOLE)}, metadata.NAME or expected.NAME."


def _target(text: str) -> Target | None:
    name, as_json = (text.removesuffix(JSON_SUFFIX), True) if text.endswith(JSON_SUFFIX) else (text, False)
    if name in _WHOLE:
        return Target(name, None, as_json)
    part, dot, member = name.partition(".")
    return Target(part, member, as_json) if dot and member and part in _INSIDE else None


def targets_of(names: Sequence[str], mapping: Mapping[str, str | None]) -> dict[str, Target | None]:
    """Where each of the columns `names` goes, None for nowhere.

    `mapping` decides where it names a column. Else the name decides (`question` is the input), and
    a column whose name says nothing, or what another column says better, becomes a member of the
    metadata: nothing that stands in a file is lost unasked.
    """
    chosen: dict[str, Target | None] = {}
    for name in names:
        if name in mapping:
            wanted = mapping[name]
            chosen[name] = None if wanted is None else _target(wanted)
    taken = {target for target in chosen.values() if target is not None}
    open_names = [name for name in names if name not in chosen]
    if {"dataset_id", "content_hash"} <= set(open_names):
        chosen |= dict.fromkeys(_OURS & set(open_names))
        open_names = [name for name in open_names if name not in _OURS]
    for target, name in _found(open_names).items():
        if target not in taken:
            chosen[name] = target
    return {name: chosen[name] if name in chosen else Target("metadata", name) for name in names}


def _found(names: Sequence[str]) -> dict[Target, str]:
    """The best column for each target that a column's own name says."""
    spelled: dict[str, str] = {}
    found: dict[Target, str] = {}
    for name in names:
        target = _target(name)
        if target is not None and (target.member is not None or target.json):
            found[target] = name
        spelled.setdefault(name.strip().casefold().replace(" ", "_").replace("-", "_"), name)
    for part, spellings in _NAMES.items():
        best = next((spelled[spelling] for spelling in spellings if spelling in spelled), None)
        if best is not None:
            found[Target(part)] = best
    return found


def column_of(path: str, targets: Mapping[str, Target | None]) -> tuple[str, str]:
    """The column that a fault at `path` of an item comes from, and the path inside it; ("", path) for none."""
    best = ("", "")
    for name, target in targets.items():
        if target is None:
            continue
        inside = path == target.place or path.startswith(f"{target.place}.")
        if inside and len(target.place) > len(best[0]):
            best = (target.place, name)
    place, name = best
    return (name, path[len(place) + 1 :]) if name else ("", path)
