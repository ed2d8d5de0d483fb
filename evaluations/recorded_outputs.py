"""PURE: answers that were recorded elsewhere, read and matched to the items of a dataset."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foundation.errors import FieldError, ValidationFailed
from foundation.text import unstorable_reason
from scoring.kit.json_values import canonical_text
from scoring.kit.observation_document import document_faults

_MEMBERS = frozenset({"item_id", "item_key", "observation", "output", "object", "error"})
_MOST_FAULTS = 100
_LONGEST_CAUSE = 2000


@dataclass(frozen=True, slots=True)
class ItemAt:
    """What an item is known by, and its ground truth, which no answer may contradict."""

    public_id: str
    key: str | None
    expected: Any


@dataclass(frozen=True, slots=True)
class Recorded:
    """One answer: its observation document, or the error that stands for it."""

    item_id: str
    trial: int
    document: Mapping[str, Any]


def read_outputs(raw: Sequence[Any], items: Iterable[ItemAt], trials: int) -> dict[tuple[str, int], Mapping[str, Any]]:
    """The answers by (item's identifier, trial): `{observation}` or `{error}`.

    Each of `raw` names its item by item_id or item_key and holds an observation, an output, an
    object or an error. The n-th answer to an item is its n-th trial. Raises ValidationFailed with
    the path of each fault, 100 at most.
    """
    known = list(items)
    by_id = {item.public_id: item for item in known}
    by_key = {item.key: item for item in known if item.key is not None}
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    faults: list[FieldError] = []
    counts: dict[str, int] = {}
    for index, entry in enumerate(raw):
        try:
            item = _item(entry, by_id, by_key)
            trial = counts.get(item.public_id, 0)
            if trial >= trials:
                message = (
                    f"This item has {trials} answer{'s' if trials > 1 else ''} already; a run has that many trials."
                )
                raise ValidationFailed.one("", "too_many", message)
            found[item.public_id, trial] = _answer(entry, item)
            counts[item.public_id] = trial + 1
        except ValidationFailed as error:
            faults.extend(error.under(f"outputs.{index}").fields)
        if len(faults) >= _MOST_FAULTS:
            break
    if faults:
        raise ValidationFailed(faults)
    return found


def _item(entry: Any, by_id: Mapping[str, ItemAt], by_key: Mapping[str, ItemAt]) -> ItemAt:
    if not isinstance(entry, dict):
        raise ValidationFailed.one("", "dict_type", "Must be an object.")
    unknown = sorted(set(entry) - _MEMBERS)
    if unknown:
        raise ValidationFailed(FieldError(name, "extra_forbidden", "There is no such field here.") for name in unknown)
    named = [name for name in ("item_id", "item_key") if entry.get(name) is not None]
    if len(named) != 1:
        raise ValidationFailed.one("item_id", "one_of", "Name the item by item_id or by item_key.")
    (name,) = named
    known = by_id if name == "item_id" else by_key
    item = known.get(entry[name]) if isinstance(entry[name], str) else None
    if item is None:
        raise ValidationFailed.one(name, "unknown", "The dataset has no such item.")
    return item


def _answer(entry: Mapping[str, Any], item: ItemAt) -> Mapping[str, Any]:
    if entry.get("error") is not None:
        return {"error": _error(entry["error"])}
    if "observation" in entry:
        if "output" in entry or "object" in entry:
            raise ValidationFailed.one("observation", "one_of", "Give an observation, or output and object, not both.")
        return {"observation": _observation(entry["observation"], item)}
    if "output" not in entry and "object" not in entry:
        raise ValidationFailed.one("output", "missing", "Give an observation, an output, an object or an error.")
    answer = {}
    if "output" in entry:
        answer["text"] = entry["output"]
    if "object" in entry:
        answer["object"] = entry["object"]
    document = {"output": answer}
    faults = list(document_faults(document))
    if faults:
        # The caller wrote `output`, not `output.text`.
        raise ValidationFailed(FieldError("output", fault.code, fault.message) for fault in faults)
    return {"observation": document}


def _error(raw: Any) -> dict[str, str]:
    message = raw.get("message") if isinstance(raw, dict) else raw
    if not isinstance(message, str) or not message.strip() or unstorable_reason(message):
        raise ValidationFailed.one("error", "string_type", "Must be a sentence, or an object with a message.")
    return {"code": "subject_failed", "message": message[:_LONGEST_CAUSE]}


def _observation(document: Any, item: ItemAt) -> dict[str, Any]:
    if not isinstance(document, dict):
        raise ValidationFailed.one("observation", "dict_type", "Must be an object.")
    faults = list(document_faults(document))
    if faults:
        raise ValidationFailed(
            FieldError(f"observation.{fault.path}".rstrip("."), fault.code, fault.message) for fault in faults
        )
    if "expected" in document and not _same(document["expected"], item.expected):
        message = "The ground truth is the dataset's; this one differs from the item's own."
        raise ValidationFailed.one("observation.expected", "different_expected", message)
    return {name: value for name, value in document.items() if name != "expected"}


def _same(given: Any, expected: Any) -> bool:
    return expected is not None and canonical_text(given) == canonical_text(expected)
