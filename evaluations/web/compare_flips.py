"""The flips of a comparison as rows, and one of them opened: both answers, what differs, both runs' reasons."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import reverse

from evaluations.queries.flips import (
    CHANGED_TEXT,
    IMPROVED,
    KINDS,
    NEWLY_ERRORED,
    PAGE_SIZE,
    REGRESSED,
    Flip,
    flip_counts,
    flip_for,
    flip_page,
    flip_total,
)
from evaluations.web.compare_choice import Choice
from foundation.figures import count_text
from foundation.marks import Piece, word_difference
from scoring.kit.text import shortened

_WORDS = {
    REGRESSED: ("Regressed", "No item passed before and fails now."),
    IMPROVED: ("Improved", "No item failed before and passes now."),
    NEWLY_ERRORED: ("Newly errored", "No item that could be judged before is errored now."),
    CHANGED_TEXT: ("Changed text", "No item kept its verdict with another answer."),
}
_CONTEXT = 160
# A word difference takes time that grows with the square of its length.
_MOST_COMPARED = 6_000
_MOST_NAMED = 3
_MOST_SHOWN = 160


def flips_context(row: Any, choice: Choice) -> dict[str, Any]:
    """What evaluations/compare_flips.html needs: tabs with counts, one page of rows, the opened one.

    Without a tab in the address it is the first that holds anything; the page's first flip stands open.
    """
    counts = flip_counts(choice.candidate, choice.baseline)
    tab = choice.tab or next((kind for kind in KINDS if counts[kind]), KINDS[0])
    total = counts[tab]
    if choice.kind is not None:
        total = flip_total(choice.candidate, choice.baseline, tab, choice.kind)
    found = flip_page(choice.candidate, choice.baseline, tab, choice.page, choice.kind)
    first = (choice.page - 1) * PAGE_SIZE + 1
    opened = choice.flip or (found[0].after.public_id if found else None)
    whole = None
    if opened is not None:
        whole = opened_flip(row, choice, opened)
    return {
        "tabs": list(_tabs(choice, counts, tab)),
        "flips": [_row(row, choice, flip, opened) for flip in found],
        "opened": whole,
        "flips_empty": _WORDS[tab][1],
        "flips_beyond": choice.page > 1 and not found,
        "first_page": choice.address(page=None, flip=None) + "#flips",
        "flips_words": f"{count_text(first)} to {count_text(first + len(found) - 1)} of {count_text(total)}"
        if found
        else "",
        "newer": choice.address(page=_page(choice.page - 1), flip=None) + "#flips" if choice.page > 1 else "",
        "older": choice.address(page=str(choice.page + 1), flip=None) + "#flips"
        if first + len(found) - 1 < total and found
        else "",
    }


def opened_flip(row: Any, choice: Choice, result_id: str) -> dict[str, Any]:
    """What evaluations/compare_flip.html needs of one pair of results. NotFound when there is no such pair."""
    flip = flip_for(choice.candidate, choice.baseline, result_id)
    before, after = answer_text(flip.before), answer_text(flip.after)
    pieces = word_difference(before[:_MOST_COMPARED], after[:_MOST_COMPARED], _CONTEXT)
    sides = (
        ("Baseline", choice.baseline, flip.before, _without(pieces, "added"), before),
        ("Candidate", choice.candidate, flip.after, _without(pieces, "removed"), after),
    )
    return {
        "id": result_id,
        "name": _name(flip.after),
        "question": question_of(flip.after),
        "same": before == after,
        "eval": row,
        "sides": [
            {
                "words": words,
                "result": result,
                "pieces": shown,
                "left_out": max(0, len(text) - _MOST_COMPARED),
                "error": (result.error or {}).get("message", ""),
                "run": run,
            }
            for words, run, result, shown, text in sides
        ],
        "reasons": list(_reasons(flip)),
    }


def answer_text(result: Any) -> str:
    """What was answered: its text, its structured form, or both one under the other."""
    output: Mapping[str, Any] = (result.observation or {}).get("output") or {}
    structured = output.get("object")
    parts = [output.get("text") or ""]
    if structured is not None:
        parts.append(json.dumps(structured, ensure_ascii=False, indent=1, default=str))
    return "\n".join(part for part in parts if part)


def question_of(result: Any) -> str:
    """The question as it was asked: what each message of it says, one under the other."""
    asked = result.frozen.get("input")
    messages = asked if isinstance(asked, list) else [{"content": asked}]
    texts = (message.get("content") for message in messages if isinstance(message, dict))
    return "\n".join(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for text in texts)


def _tabs(choice: Choice, counts: Mapping[str, int], current: str) -> Iterator[dict[str, Any]]:
    for kind in KINDS:
        yield {
            "words": _WORDS[kind][0],
            "address": choice.address(tab=kind, page=None, flip=None) + "#flips",
            "current": kind == current,
            "count": counts[kind],
        }


def _page(number: int) -> str | None:
    return str(number) if number > 1 else None


def _row(row: Any, choice: Choice, flip: Flip, opened: str | None) -> dict[str, Any]:
    after = flip.after
    fragment = reverse("compare-flip", args=[row.public_id])
    return {
        "id": after.public_id,
        "key": _name(after),
        "trial": after.trial + 1 if choice.candidate.trials > 1 else None,
        "group": after.group,
        "line": shortened(question_of(after), _MOST_SHOWN),
        "before": flip.before,
        "after": after,
        "turned": _turned(flip),
        "open": after.public_id == opened,
        "address": choice.address(flip=after.public_id) + f"#flip-{after.public_id}",
        "fragment": fragment + choice.address(flip=after.public_id),
    }


def _name(result: Any) -> str:
    """The item's key, or its place in the dataset."""
    return result.item_key or f"item {result.position + 1}"


def _turned(flip: Flip) -> str:
    """The scorers that say something else now, by key: `tone, refund-amount and 2 more`."""
    before = {outcome[0]: tuple(outcome[1:4]) for outcome in flip.before.outcomes}
    keys = [outcome[0] for outcome in flip.after.outcomes if before.get(outcome[0]) != tuple(outcome[1:4])]
    shown = ", ".join(shortened(key) for key in keys[:_MOST_NAMED])
    return shown if len(keys) <= _MOST_NAMED else f"{shown} and {len(keys) - _MOST_NAMED} more"


def _without(pieces: list[Piece], kind: str) -> list[Piece]:
    return [piece for piece in pieces if piece.kind != kind]


def _reasons(flip: Flip) -> Iterator[dict[str, Any]]:
    """Each scorer with what it said of either answer; those that changed their verdict come first."""
    before = {entry["scorer"]: entry for entry in flip.before.scores}
    after = {entry["scorer"]: entry for entry in flip.after.scores}
    keys = [*after, *(key for key in before if key not in after)]
    changed = {key for key in keys if _said(before.get(key)) != _said(after.get(key))}
    for key in sorted(keys, key=lambda key: key not in changed):
        yield {"key": key, "changed": key in changed, "sides": [before.get(key), after.get(key)]}


def _said(entry: Mapping[str, Any] | None) -> Any:
    return None if entry is None else (entry.get("status"), entry.get("passed"), entry.get("score"))
