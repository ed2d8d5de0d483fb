"""PURE: a breakdown made ready to be read: what each scorer added, and its evidence in parts.

A stored evaluation, a preview and a try all have the same breakdown; `breakdown_of` takes any of
them, and templates/scoring/breakdown.html shows what it gives.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.evidence.parts import Part
from scoring.evidence.reading import evidence_parts

_METHOD_NOTES = {
    "weightedAvg": "Weighted average: the bars add up to the composite.",
    "minimum": "Minimum: the lowest score is the composite.",
    "geometricMean": (
        "Geometric mean: the scores are multiplied, each to the power of its share, so the bars do not add up;"
        " one 0 makes it 0."
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One scorer, as templates/components/breakdown_row.html shows it."""

    id: str
    name: str
    type: str
    status: str
    weight: float
    score: float | None
    threshold: float | None
    passed: bool | None
    sentence: str
    required: bool
    decides: bool
    opened: bool
    code: str
    evidence: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The rows in profile order, and what the bars are measured against.

    `passed` of `counted` scorers passed, where those that could not measure count and those that
    only measured do not. `errored` are the names of those that could not measure, `blocking` of
    those among them that the composite needed.
    """

    method: str
    rows: tuple[Row, ...]
    total_weight: float
    largest_weight: float
    passed: int
    counted: int
    errored: tuple[str, ...]
    blocking: tuple[str, ...]

    @property
    def note(self) -> str:
        """How the composite comes from the rows."""
        if self.blocking:
            return "No composite: a scorer that counts could not measure, and an error is not a zero."
        return _METHOD_NOTES.get(self.method, "")


def breakdown_of(
    entries: Sequence[Mapping[str, Any]],
    *,
    method: str,
    action: str = "",
    output: str = "",
    thresholds: Mapping[str, float] | None = None,
    open_worst: bool = False,
) -> Breakdown:
    """The breakdown of `entries` (as the API answers them) over the texts that were scored.

    `thresholds` is the score from which each scorer passes, by its id, where it is known. With
    `open_worst` the row that cost the composite most stands open.
    """
    texts = {"action": action, "output": output, "combined": "\n".join(part for part in (action, output) if part)}
    shares = [entry["weight"] for entry in entries if entry["status"] != "measured"]
    scores = [entry["score"] for entry in entries if entry["weight"] > 0 and entry["score"] is not None]
    errors = [entry for entry in entries if entry["status"] == "error"]
    blocking = [entry for entry in errors if entry["weight"] > 0 or entry.get("required")]
    lowest = min(scores, default=None) if method == "minimum" and not blocking else None
    worst = _worst(entries) if open_worst else None
    rows = tuple(
        _row(entry, texts, thresholds or {}, decides=_decides(entry, lowest), opened=entry is worst)
        for entry in entries
    )
    return Breakdown(
        method=method,
        rows=rows,
        total_weight=sum(shares),
        largest_weight=max(shares, default=0),
        passed=sum(row.passed is True for row in rows),
        counted=sum(row.passed is not None or row.status == "error" for row in rows),
        errored=tuple(str(entry["scorerName"]) for entry in errors),
        blocking=tuple(str(entry["scorerName"]) for entry in blocking),
    )


def _decides(entry: Mapping[str, Any], lowest: float | None) -> bool:
    return lowest is not None and entry["weight"] > 0 and entry["score"] == lowest


def _worst(entries: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The entry that is most likely looked for: an error that counts, else the largest weighted loss."""
    for entry in entries:
        if entry["status"] == "error" and (entry["weight"] > 0 or entry.get("required")):
            return entry
    losses = [(entry["weight"] * (1 - entry["score"]), entry) for entry in entries if entry["score"] is not None]
    loss, worst = max(losses, key=lambda pair: pair[0], default=(0, None))
    return worst if loss > 0 else None


def _row(
    entry: Mapping[str, Any],
    texts: Mapping[str, str],
    thresholds: Mapping[str, float],
    *,
    decides: bool,
    opened: bool,
) -> Row:
    return Row(
        id=str(entry["scorerId"]),
        name=str(entry["scorerName"]),
        type=str(entry["type"]),
        status=str(entry["status"]),
        # What was only measured takes no part in the composite, whatever its weight.
        weight=0 if entry["status"] == "measured" else entry["weight"],
        score=entry["score"],
        threshold=thresholds.get(str(entry["scorerId"])),
        passed=entry["passed"],
        sentence=str(entry["explanation"]),
        required=entry.get("required") is True,
        decides=decides,
        opened=opened,
        code=str((entry.get("error") or {}).get("code", "")),
        evidence=tuple(evidence_parts(entry, texts)),
    )
