"""PURE: a breakdown made ready to be read: what each scorer added, and its evidence in parts.

A stored evaluation, a preview and a try all have the same breakdown; `breakdown_of` takes any of
them, and templates/scoring/breakdown.html shows what it gives.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.kit.numbers import as_number

MOST_PLACES = 30
_CONTEXT = 120
_METHOD_NOTES = {
    "weightedAvg": "Weighted average: the bars add up to the composite.",
    "minimum": "Minimum: the lowest score is the composite.",
    "geometricMean": (
        "Geometric mean: the scores are multiplied, each to the power of its share, so the bars do not add up;"
        " one 0 makes it 0."
    ),
}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a scorer's evidence; templates/scoring/evidence/<kind>.html draws it from `data`."""

    kind: str
    data: Mapping[str, Any]

    @property
    def template(self) -> str:
        """The template that draws it."""
        return f"scoring/evidence/{self.kind}.html"


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


def evidence_parts(entry: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[Part]:
    """The evidence of one entry in parts: what is known is drawn, whatever else there is listed."""
    evidence = entry.get("evidence")
    left = dict(evidence) if isinstance(evidence, dict) else {"evidence": evidence} if evidence else {}
    for read in (_range, _keywords, _counts, _comparison, _violations, _places):
        part = read(left, texts)
        if part is not None:
            yield part
    if isinstance(left.get("found"), bool):
        left.pop("found")  # the sentence says it
    if entry.get("value") is not None and as_number(entry["value"]) is not None:
        left = {"measured": f"{entry['value']:g} {entry.get('unit') or ''}".strip(), **left}
    if left:
        yield Part("document", {"members": members_of(left)})


def _range(left: dict[str, Any], _: Mapping[str, str]) -> Part | None:
    """A number against its range, drawn."""
    value, low, high = (_number(left.get(name)) for name in ("value", "min", "max"))
    if value is None or (low is None and high is None):
        return None
    data = {"value": value, "low": low, "high": high, "falloff": _number(left.get("falloff"))}
    data |= {"path": left.get("path", ""), "source": left.get("source", "")}
    for name in ("value", "min", "max", "falloff", "path", "source"):
        left.pop(name, None)
    return Part("range", data)


def _number(value: Any) -> float | None:
    return None if isinstance(value, str) else as_number(value)


def _keywords(left: dict[str, Any], _: Mapping[str, str]) -> Part | None:
    """Words found and words missing."""
    found, missing = left.get("found"), left.get("missing")
    if not (_is_texts(found) and _is_texts(missing)):
        return None
    del left["found"], left["missing"]
    return Part("keywords", {"found": found, "missing": missing})


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _counts(left: dict[str, Any], _: Mapping[str, str]) -> Part | None:
    """How often each text occurred, and what that was divided by."""
    counts = left.get("counts")
    if not isinstance(counts, dict) or not all(_number(count) is not None for count in counts.values()):
        return None
    rows = [(json.dumps(needle, ensure_ascii=False)[1:-1], count) for needle, count in counts.items()]
    data = {"rows": rows, "count": left.get("count"), "denominator": _number(left.get("denominator"))}
    for name in ("counts", "count", "denominator"):
        left.pop(name, None)
    return Part("counts", data)


def _comparison(left: dict[str, Any], _: Mapping[str, str]) -> Part | None:
    """Both sides of a comparison as they were compared."""
    if not isinstance(left.get("compared"), str) or not _is_texts(left.get("expected")):
        return None
    return Part("comparison", {"compared": left.pop("compared"), "expected": left.pop("expected")})


def _violations(left: dict[str, Any], _: Mapping[str, str]) -> Part | None:
    """What breaks a rule, each at its path."""
    violations = left.get("violations")
    if not isinstance(violations, list) or not all(isinstance(item, dict) and "message" in item for item in violations):
        return None
    return Part("violations", {"violations": left.pop("violations")})


def _places(left: dict[str, Any], texts: Mapping[str, str]) -> Part | None:
    """The matched places, marked in the text they were found in."""
    spans = left.get("spans", [left["span"]] if "span" in left else None)
    target = left.get("target")
    if not isinstance(spans, list) or not all(_is_span(span) for span in spans):
        return None
    for name in ("spans", "span", "target"):
        left.pop(name, None)
    text = texts.get(target) if isinstance(target, str) else None
    if not spans or not text:
        return None
    shown = sorted(spans)[:MOST_PLACES]
    data = {"text": text, "spans": shown, "context": _CONTEXT, "target": target, "shown": len(shown)}
    return Part("places", {**data, "places": len(spans)})


def _is_span(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(offset, int) and not isinstance(offset, bool) and offset >= 0 for offset in value)
    )


def members_of(document: Mapping[str, Any]) -> list[tuple[str, str, bool]]:
    """(name, text, whether it is a block) of each member: scalars on a line, everything else as indented JSON."""
    return [(name, *_member(value)) for name, value in document.items()]


def _member(value: Any) -> tuple[str, bool]:
    if isinstance(value, str):
        return value, "\n" in value or len(value) > 200
    if isinstance(value, dict | list) and value:
        return json.dumps(value, ensure_ascii=False, indent=2), True
    return json.dumps(value, ensure_ascii=False), False
