"""PURE: the events of a stream as lines: `120 text 3` is 3 tokens of text after 120 ms."""

from decimal import Decimal
from typing import Any

from foundation import exact_json
from scoring.forms.widgets import Unreadable, read_json
from scoring.kit.paths import ABSENT

_MEMBERS = ("t", "kind", "tokens")
_NO_KIND = "-"


def show_events(events: Any) -> str:
    """The events line by line; "" when they cannot be written so, which reads as none."""
    if not isinstance(events, list):
        return ""
    lines = [_line(event) for event in events]
    return "" if None in lines else "\n".join(line for line in lines if line)


def _line(event: Any) -> str | None:
    if not isinstance(event, dict) or not event.keys() <= set(_MEMBERS) or "t" not in event:
        return None
    moment, kind, tokens = (event.get(name, ABSENT) for name in _MEMBERS)
    named = isinstance(kind, str) and kind.split() == [kind] and kind != _NO_KIND and _number(kind) is None
    if not (kind is ABSENT or named) or not all(_is_number(value) or value is ABSENT for value in (moment, tokens)):
        return None
    words = [exact_json.dumps(moment)]
    if named or tokens is not ABSENT:
        words.append(kind if named else _NO_KIND)
    return " ".join([*words, *([] if tokens is ABSENT else [exact_json.dumps(tokens)])])


def read_events(text: str) -> Any:
    """The events that the lines mean, ABSENT for none; Unreadable names the first line that means nothing."""
    lines = [(number, line.split()) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    return [_event(number, words) for number, words in lines] or ABSENT


def _event(number: int, words: list[str]) -> dict[str, Any]:
    moment, kind, tokens = (*words, "", "")[:3] if len(words) <= len(_MEMBERS) else ("", "", "")
    if not tokens and _number(kind) is not None:
        kind, tokens = "", kind
    event = {"t": _number(moment), "kind": kind, "tokens": _number(tokens)}
    if event["t"] is None or (tokens and event["tokens"] is None):
        raise Unreadable(f"Line {number}: write the time, the kind and the tokens, such as 120 text 3.")
    left_out = {"kind"} if kind in {"", _NO_KIND} else set()
    return {name: value for name, value in event.items() if name not in left_out and value is not None}


def _number(word: str) -> Any:
    try:
        value = read_json(word)
    except Unreadable:
        return None
    return value if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)
