"""Which items of two runs can be compared: those in both, unedited between them, and scored on both sides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evaluations.run_results import SCORED, ItemFigures, RunResult, item_figures


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One side. `identities` names what each scorer was (a hash of its settings), by its key."""

    run_id: str
    results: Iterable[RunResult]
    identities: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pair:
    """An item as it was in the baseline and as it is now."""

    base: ItemFigures
    new: ItemFigures

    @property
    def compared(self) -> bool:
        """Whether it was scored on both sides."""
        return self.base.status == self.new.status == SCORED


@dataclass(slots=True)
class Paired:
    """The items of two runs, or of one group of them. `pairs` are in both and unedited, by identifier."""

    pairs: list[Pair] = field(default_factory=list)
    added: int = 0
    removed: int = 0
    edited: int = 0


def paired(baseline: Iterable[RunResult], candidate: Iterable[RunResult]) -> tuple[Paired, dict[str, Paired], int]:
    """All items, the items of each group, and how many of the compared ones are in no group.

    An item's group is the one it has in the candidate; a removed item's the one that it had.
    """
    before = {item.item: item for item in item_figures(baseline)}
    after = {item.item: item for item in item_figures(candidate)}
    whole, groups = Paired(), dict[str, Paired]()
    # The order decides which draw meets which item, and must not depend on the dataset's.
    for key in sorted(before.keys() | after.keys()):
        base, new = before.get(key), after.get(key)
        label = new.group if new is not None else base.group if base is not None else None
        scopes = [whole]
        if label is not None:
            scopes.append(groups.setdefault(label, Paired()))
        for scope in scopes:
            _enter(scope, base, new)
    ungrouped = sum(pair.compared for pair in whole.pairs if pair.new.group is None)
    return whole, {label: groups[label] for label in sorted(groups)}, ungrouped


def _enter(scope: Paired, base: ItemFigures | None, new: ItemFigures | None) -> None:
    if base is None or new is None:
        scope.added += base is None
        scope.removed += new is None
    elif base.content_hash != new.content_hash:
        scope.edited += 1
    else:
        scope.pairs.append(Pair(base, new))
