"""PURE: observations to begin with: the examples of scorers, and the help desk of docs/examples."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from scoring.forms.observation_form.cells import json_text
from scoring.kit.registry import registry
from scoring.kit.scorer import Example

HELP_DESK = Path(__file__).resolve().parents[3] / "docs" / "examples" / "helpdesk.json"


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """An observation that the form can be filled with. `beside` holds action, metadata, agent and taskId as given."""

    id: str
    group: str
    title: str
    document: Mapping[str, Any]
    beside: Mapping[str, Any] = field(default_factory=dict)


def example_groups(types: Iterable[str]) -> list[tuple[str, list[StartingPoint]]]:
    """The starting points by group, as a list to choose from shows them."""
    return [(name, list(points)) for name, points in groupby(starting_points(types), key=lambda point: point.group)]


def starting_point(wanted: str) -> StartingPoint | None:
    """The starting point with this id, whatever scorers a profile has; None when there is none."""
    kind = wanted.partition(".")[0]
    return next((point for point in starting_points([kind]) if point.id == wanted), None)


def starting_points(types: Iterable[str]) -> list[StartingPoint]:
    """The examples of these scorer types, in their order, and then the help desk's attempts."""
    found = [point for kind in dict.fromkeys(types) for point in _of_type(kind)]
    return [*found, *help_desk()]


def is_starting_point(text: str) -> bool:
    """Whether a text is an example's document just as it is filled in, so that replacing it loses nothing."""
    kinds = (declared.type_name() or "" for declared in registry)
    return any(json_text(dict(point.document)) == text for point in starting_points(kinds))


@cache
def _of_type(kind: str) -> tuple[StartingPoint, ...]:
    declared = registry.find(kind)
    if declared is None:
        return ()
    name = declared.type_name() or ""
    return tuple(
        StartingPoint(f"{name}.{number}", name, example.title, _document(example), _beside(example.observation))
        for number, example in enumerate(declared.examples, start=1)
    )


def _document(example: Example) -> dict[str, Any]:
    """The whole document of an example in its short form."""
    given = example.observation
    document = dict(given.get("observation") or {})
    answer = {name: given[key] for key, name in (("output", "text"), ("object", "object")) if key in given}
    if answer:
        document["output"] = {**document.get("output", {}), **answer}
    if "expected" in given:
        expected = given["expected"]
        document["expected"] = {"answer": expected} if isinstance(expected, str) else expected
    return document


def _beside(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in ("action", "metadata", "agent", "taskId") if name in given}


@cache
def help_desk() -> tuple[StartingPoint, ...]:
    """The attempts at the help desk's tasks; none where the documents are not installed."""
    if not HELP_DESK.is_file():
        return ()
    attempts = json.loads(HELP_DESK.read_text(encoding="utf-8"))["attempts"]
    return tuple(
        StartingPoint(
            f"helpdesk.{attempt['id']}",
            "Help desk",
            f"{attempt['task']}: {attempt['title']}",
            attempt["body"]["observation"],
            _beside(attempt["body"]),
        )
        for attempt in attempts
    )
