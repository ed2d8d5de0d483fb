"""Evidence about chunks: a ranking with its grades beside the ideal one, and what citations name."""

from typing import Any

from scoring.evidence.parts import (
    MOST_SHOWN,
    Left,
    Part,
    Source,
    beyond,
    is_count,
    is_objects,
    is_texts,
    number_in,
    taken,
)

_GROUPS = (
    ("good", "of relevant chunks", "good"),
    ("notRelevant", "of other chunks", ""),
    ("unknown", "not in the ledger", "bad"),
)


def ranking(left: Left, _: Source) -> Part | None:
    """The first ranks with their grades; where the scorer knows it, the ideal order beneath."""
    if not is_objects(left.get("ranks"), "rank", "id", "grade"):
        return None
    found = taken(left, "ranks", "retrieved", "relevant", "judged", "dcg", "idealDcg", "ideal", "missing")
    ideal = found["ideal"] if is_objects(found["ideal"], "id", "grade") else []
    missing = found["missing"] if is_texts(found["missing"]) else []
    judged = found["judged"] if isinstance(found["judged"], dict) else {}
    highest = max((number_in(item["grade"]) or 0 for item in [*found["ranks"], *ideal]), default=0)
    return Part(
        "ranking",
        {
            "ranks": [_place(item, highest) for item in found["ranks"][:MOST_SHOWN]],
            "more": beyond(found["ranks"]),
            "retrieved": found["retrieved"],
            "relevant": found["relevant"],
            "judged": judged.get("count"),
            "judged_of": judged.get("of"),
            "gain": number_in(found["dcg"]),
            "ideal_gain": number_in(found["idealDcg"]),
            "ideal": [_place(item, highest) for item in ideal[:MOST_SHOWN]],
            "ideal_more": beyond(ideal),
            "missing": missing[:MOST_SHOWN],
            "missing_more": beyond(missing),
        },
    )


def _place(item: dict[str, Any], highest: float) -> dict[str, Any]:
    """One chunk: `tint` is 0 for not relevant to 3 for the highest grade, None for one that was not judged."""
    grade = number_in(item["grade"])
    tint = None if grade is None else 0 if grade <= 0 else max(1, round(3 * grade / highest)) if highest else 0
    return {"id": str(item["id"]), "grade": grade, "tint": tint}


def citations(left: Left, _: Source) -> Part | None:
    """The cited numbers by what they name, and the relevant chunks that are cited and that are not."""
    numbers = {name: left.get(name) for name, _, _ in _GROUPS}
    if not all(isinstance(group, list) and all(map(is_count, group)) for group in numbers.values()):
        return None
    if not (is_texts(left.get("chunksCited")) and is_texts(left.get("chunksMissing"))):
        return None
    taken(left, *numbers)
    found = taken(left, "chunksCited", "chunksMissing", "relevant", "precision", "recall")
    return Part(
        "citations",
        {
            "groups": [(words, numbers[name] or [], tone) for name, words, tone in _GROUPS if numbers[name]],
            "cited": found["chunksCited"][:MOST_SHOWN],
            "missing": found["chunksMissing"][:MOST_SHOWN],
            "missing_more": beyond(found["chunksMissing"]),
            "relevant": found["relevant"],
            "precision": number_in(found["precision"]),
            "recall": number_in(found["recall"]),
        },
    )
