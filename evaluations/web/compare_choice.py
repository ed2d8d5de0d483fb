"""Which two runs the address asks to compare, and what else of the page it asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from accounts.actors import Actor
from evaluations.queries.comparisons import completed_runs
from evaluations.queries.flips import KINDS
from evaluations.queries.runs import run_for
from foundation.errors import NotFound
from foundation.figures import date_text, percent_text

MOST_OFFERED = 100
MOST_RUNS = 6
_LONGEST = 300
_LARGEST_PAGE = 1_000_000
_PARAMETERS = ("run", "baseline", "accept", "kind", "tab", "page", "flip", "charts")


@dataclass(frozen=True, slots=True)
class Choice:
    """What is asked for. The runs are None while there is nothing to compare or a `faults` says what is wrong.

    `kind` narrows the table and the flips to one kind of item; `others` are further runs for the matrix.
    """

    given: Mapping[str, str]
    candidate: Any = None
    baseline: Any = None
    others: Sequence[Any] = ()
    accepted: bool = False
    kind: str | None = None
    tab: str | None = None
    page: int = 1
    flip: str | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    with_ids: Sequence[str] = ()

    def address(self, **changes: str | None) -> str:
        """`?…` of this page with some parameters changed; those that are None are left out."""
        merged = {**self.given, **changes}
        pairs = [(name, value) for name in _PARAMETERS if (value := merged.get(name)) is not None]
        return "?" + urlencode([*pairs, *(("with", run_id) for run_id in self.with_ids)])


def read_choice(actor: Actor | None, row: Any, parameters: QueryDict) -> Choice:
    """The choice that an address makes. What is wrong with it is in `faults`, by parameter."""
    given = {name: str(parameters[name]) for name in _PARAMETERS if name in parameters}
    with_ids = tuple(dict.fromkeys(run_id for run_id in parameters.getlist("with") if run_id))
    faults: dict[str, str] = {}
    runs = {name: _run(actor, row, given, name, faults) for name in ("run", "baseline")}
    if runs["run"] is not None and runs["run"] == runs["baseline"]:
        faults["baseline"] = "A run cannot be compared with itself; choose another one."
    others = [_other(actor, row, run_id, faults) for run_id in with_ids[: MOST_RUNS - 2]]
    if len(with_ids) > MOST_RUNS - 2:
        faults["with"] = f"At most {MOST_RUNS} runs can stand side by side."
    page = given.get("page", "1")
    number = int(page) if page.isascii() and page.isdigit() and len(page) < len(str(_LARGEST_PAGE)) else 0
    if number < 1:
        faults["page"] = "Must be a whole number from 1."
    if given.get("tab", KINDS[0]) not in KINDS:
        faults["tab"] = f"Must be one of {', '.join(KINDS)}."
    if any(len(value) > _LONGEST or "\0" in value for value in given.values()):
        faults["address"] = f"No part of the address may have more than {_LONGEST} characters, or a zero byte."
    return Choice(
        given=given,
        candidate=runs["run"],
        baseline=runs["baseline"],
        others=[other for other in others if other is not None],
        accepted=given.get("accept") == "1",
        kind=given.get("kind"),
        tab=given.get("tab"),
        page=max(number, 1),
        flip=given.get("flip"),
        faults=faults,
        with_ids=with_ids[: MOST_RUNS - 2],
    )


def with_defaults(row: Any, choice: Choice) -> Choice:
    """The choice with the runs that the address leaves open: the newest run, against its baseline or the one before.

    Its runs stay None when the eval has too few completed runs.
    """
    newest = list(completed_runs(row).select_related("baseline_run")[:MOST_OFFERED])
    candidate = choice.candidate or next((run for run in newest if run != choice.baseline), None)
    if candidate is None:
        return choice
    baseline = choice.baseline
    if baseline is None:
        earlier = [run for run in newest if (run.created_at, run.pk) < (candidate.created_at, candidate.pk)]
        wanted = [candidate.baseline_run, row.baseline_run, *earlier, *newest]
        baseline = next((run for run in wanted if run and run != candidate and run.status == "completed"), None)
    if baseline is None:
        return choice
    given = {**choice.given, "run": candidate.public_id, "baseline": baseline.public_id}
    return replace(choice, given=given, candidate=candidate, baseline=baseline)


def fields(row: Any, choice: Choice) -> list[dict[str, Any]]:
    """The parameters of components/input.html for both selects."""
    known = list(completed_runs(row)[:MOST_OFFERED])
    labels = {run.public_id: run_words(run) for run in known}
    for run in (choice.candidate, choice.baseline):
        if run is not None:
            labels.setdefault(run.public_id, run_words(run))
    return [
        _field(choice, labels, "run", "Candidate"),
        _field(choice, labels, "baseline", "Baseline"),
    ]


def addable(row: Any, choice: Choice) -> list[dict[str, str]]:
    """The options of runs that may still stand beside the two; empty when there are six, or no other."""
    if len(choice.others) >= MOST_RUNS - 2:
        return []
    shown = {choice.candidate, choice.baseline, *choice.others}
    offered = [run for run in completed_runs(row)[:MOST_OFFERED] if run not in shown]
    return [{"value": run.public_id, "label": run_words(run)} for run in offered]


def chips(choice: Choice) -> list[dict[str, str]]:
    """What the page is narrowed to or shows beside, each with the address without it."""
    found = []
    if choice.kind is not None:
        found.append({"words": f"Kind: {choice.kind}", "remove": choice.address(kind=None, page=None, flip=None)})
    for run in choice.others:
        rest = tuple(run_id for run_id in choice.with_ids if run_id != run.public_id)
        found.append({"words": f"Beside: {run_words(run)}", "remove": replace(choice, with_ids=rest).address()})
    return found


def run_words(run: Any) -> str:
    """A run in a line: `nightly · v3 · 82.0 % · 21 Mar 2026 14:00`."""
    name = run.name or run.public_id
    version = [f"v{run.agent_version.number}"] if run.agent_version else []
    rate = [percent_text(run.pass_rate)] if run.pass_rate is not None else []
    shown = name if len(name) <= 48 else f"{name[:47]}…"
    return " · ".join([shown, *version, *rate, f"{date_text(run.created_at)} {run.created_at:%H:%M}"])


def _field(choice: Choice, labels: Mapping[str, str], name: str, label: str) -> dict[str, Any]:
    asked = choice.given.get(name, "")
    options = [{"value": run_id, "label": words} for run_id, words in labels.items()]
    if asked not in labels:
        # What was asked for stays chosen, whatever is wrong with it.
        options.insert(0, {"value": asked, "label": asked[:48] or "Choose a run"})
    common = {"kind": "select", "id": f"compare-{name}", "name": name, "label": label, "options": options}
    return {**common, "value": asked, "error": choice.faults.get(name, "")}


def _run(actor: Actor | None, row: Any, given: Mapping[str, str], name: str, faults: dict[str, str]) -> Any:
    if name not in given:
        return None
    run, fault = _found(actor, row, given[name])
    if fault:
        faults[name] = fault
    return run


def _other(actor: Actor | None, row: Any, run_id: str, faults: dict[str, str]) -> Any:
    run, fault = _found(actor, row, run_id)
    if fault:
        faults["with"] = fault
    return run


def _found(actor: Actor | None, row: Any, run_id: str) -> tuple[Any, str]:
    try:
        run = run_for(actor, row.public_id, run_id)
    except NotFound:
        return None, "This eval has no run with this identifier."
    if run.status != "completed":
        return None, f"This run is {run.status}, not completed."
    return run, ""
