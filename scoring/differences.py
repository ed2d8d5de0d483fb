"""PURE: what differs between two versions of a profile, in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from foundation import exact_json
from scoring.composites import METHOD_WORDS
from scoring.kit.numbers import plain
from scoring.kit.registry import registry
from scoring.kit.text import shortened
from scoring.profile_documents import load_profile

_HEAD = {"name": "name", "description": "description", "compositeMethod": "method", "passThreshold": "threshold"}
_LONG = 80


@dataclass(frozen=True, slots=True)
class Difference:
    """One change. `path` is where (`scorers.<id>.weight`), `sentence` what, for people.

    `before` and `after` are the two values, None where there is none; `kind` is added, removed,
    changed or moved.
    """

    path: str
    kind: str
    sentence: str
    before: Any = None
    after: Any = None

    def as_dict(self) -> dict[str, Any]:
        """The members, as the versions list them."""
        return {"path": self.path, "kind": self.kind, "text": self.sentence, "before": self.before, "after": self.after}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """What changed from one stored document to the other; empty when they say the same.

    What an older version of the product left out is compared as the default that it stands for.
    """
    before, after = load_profile(before).as_document(), load_profile(after).as_document()
    found = [
        difference
        for member, word in _HEAD.items()
        if (difference := _value(member, word, before.get(member), after.get(member))) is not None
    ]
    return [*found, *_scorers(before.get("scorers", []), after.get("scorers", []))]


def _scorers(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    old = {str(scorer.get("id")): scorer for scorer in before}
    new = {str(scorer.get("id")): scorer for scorer in after}
    for key, scorer in old.items():
        if key not in new:
            yield Difference(f"scorers.{key}", "removed", f"scorer {_title(scorer)} removed", before=dict(scorer))
    for key, scorer in new.items():
        if key not in old:
            yield Difference(
                f"scorers.{key}", "added", f"scorer {_title(scorer)} added ({scorer.get('type')})", after=dict(scorer)
            )
        else:
            yield from _settings(key, old[key], scorer)
    kept_before = [key for key in old if key in new]
    kept_after = [key for key in new if key in old]
    if kept_before != kept_after:
        yield Difference("scorers", "moved", "scorers put in another order", kept_before, kept_after)


def _title(scorer: Mapping[str, Any]) -> str:
    return f"“{shortened(str(scorer.get('name') or scorer.get('id')))}”"


def _settings(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Difference]:
    for member in dict.fromkeys([*before, *after]):
        old, new = before.get(member), after.get(member)
        if _same(old, new):
            continue
        path, word = f"scorers.{key}.{member}", f"{_title(after)}: {label(str(after.get('type')), member)}"
        if isinstance(old, list) and isinstance(new, list) and all(isinstance(item, str) for item in [*old, *new]):
            yield from _list(path, word, old, new)
        elif (difference := _value(path, word, old, new)) is not None:
            yield difference


def label(kind: str, member: str) -> str:
    """The title of a setting, as its form shows it, in small letters; the member's name if unknown."""
    declared = registry.find(kind)
    for name, info in declared.model_fields.items() if declared else ():
        if member in (name, info.alias) and info.title:
            return info.title[0].lower() + info.title[1:]
    return member


def _list(path: str, word: str, before: list[str], after: list[str]) -> Iterator[Difference]:
    for item in before:
        if item not in after:
            yield Difference(path, "removed", f"{word}: {_shown(item)} removed", before=item)
    for item in after:
        if item not in before:
            yield Difference(path, "added", f"{word}: {_shown(item)} added", after=item)
    if before != after and set(before) == set(after):
        yield Difference(path, "moved", f"{word}: put in another order", before, after)


def _value(path: str, word: str, before: Any, after: Any) -> Difference | None:
    if _same(before, after):
        return None
    if before is None:
        return Difference(path, "added", f"{word} set to {_shown(after)}", before, after)
    if after is None:
        return Difference(path, "removed", f"{word} {_shown(before)} removed", before, after)
    return Difference(path, "changed", f"{word} {_shown(before)} → {_shown(after)}", before, after)


def _same(before: Any, after: Any) -> bool:
    """Whether two JSON values say the same: 1 is 1.0, and neither is true."""
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(_same(value, after[name]) for name, value in before.items())
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(_same, before, after))
    return bool(before == after)


def _shown(value: Any) -> str:
    match value:
        case bool():
            return "on" if value else "off"
        case int() | float() | Decimal():
            return plain(float(value))
        case str() if value in METHOD_WORDS:
            return METHOD_WORDS[value].lower()
        case str():
            return f"“{shortened(value, _LONG)}”"
    return shortened(exact_json.dumps(value, spaced=True), _LONG)
