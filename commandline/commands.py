"""What this client does beyond single operations: waiting for a run, and deciding by one."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commandline.answers import indented, picked
from commandline.client import Client, segment
from commandline.failures import FAILED, Failure
from commandline.flags import PICK, Given
from commandline.gate import UNDECIDED, Rules, decide, share_of
from commandline.operations import Field, Operation
from commandline.runs import ended_run, seconds_of
from commandline.summary import summary
from commandline.terminal import Terminal

_EVAL = Field("eval_id", "option", required=True, description="The id of the eval.")
_TIMEOUT = Field(
    "timeout", "option", frozenset({"number"}), description="Seconds to wait for the end of the run.", default=600
)


@dataclass(frozen=True, slots=True)
class Command:
    """A command of this client: how it is written, and what it does, to its exit status."""

    operation: Operation
    run: Callable[[Client, Given, Terminal], int]


def _wait(client: Client, given: Given, here: Terminal) -> int:
    text = _ended(client, given, here, "eval_run_id")
    path = given.text(PICK.name)
    here.write(indented(text) if path is None else picked(text, path))
    run = json.loads(text)
    if run["status"] != "completed":
        error = run.get("error") or {}
        raise Failure("RUN_NOT_COMPLETED", f"The run is {run['status']}. {error.get('message', '')}".strip())
    return 0


def _gate(client: Client, given: Given, here: Terminal) -> int:
    rules = Rules(share_of(given.text("no_worse_than")), given.text("require_verdict") == "true")
    try:
        status, text = _decision(client, given, here, rules)
    except Failure as failure:
        if failure.status != FAILED:
            raise
        # A run that cannot be read is not a run that failed.
        here.stderr.write(failure.document() + "\n")
        return UNDECIDED
    here.write(text)
    _add_to_summary(here, text)
    return status


def _decision(client: Client, given: Given, here: Terminal, rules: Rules) -> tuple[int, str]:
    run = json.loads(_ended(client, given, here, "run_id"))
    path = f"/api/v1/evals/{segment(given.text('eval_id') or '')}"
    evaluated = client.document(path)
    warnings: list[Any] = []
    comparison = (run["aggregate_scores"] or {}).get("baseline")
    baseline = given.text("baseline_run_id")
    if baseline is not None and run["status"] == "completed":
        found = client.document(f"{path}/compare", {"run": run["id"], "baseline": baseline})
        comparison, warnings = found["comparison"], found["warnings"]
    decision = decide(run, evaluated, comparison, rules)
    return decision.status, summary(decision, run, evaluated, comparison, warnings)


def _add_to_summary(here: Terminal, text: str) -> None:
    name = here.environment.get("GITHUB_STEP_SUMMARY")
    if not name:
        return
    try:
        with Path(name).open("a", encoding="utf-8") as file:
            file.write(text + "\n")
    except OSError as error:
        here.stderr.write(Failure("SUMMARY_NOT_WRITTEN", f"GITHUB_STEP_SUMMARY: {error}").document() + "\n")


def _ended(client: Client, given: Given, here: Terminal, run_field: str) -> str:
    path = f"/api/v1/evals/{segment(given.text('eval_id') or '')}/runs/{segment(given.text(run_field) or '')}"
    return ended_run(client, path, seconds=seconds_of(given.text("timeout")), clock=here.clock, shown=here.stderr)


_WAIT = Operation(
    name="wait-eval-run",
    method="",
    path="",
    summary="Wait until a run has ended, and get it.",
    description="Exit status 0 when it completed, 1 when it was canceled, failed, or had not ended in time.",
    fields=(_EVAL, Field("eval_run_id", "option", required=True, description="The id of the run."), _TIMEOUT),
)
_GATE = Operation(
    name="gate",
    method="",
    path="",
    summary="Decide by a run whether a change may pass.",
    description=(
        "Waits for the run, and prints a summary in Markdown, which is also added to the file that GITHUB_STEP_SUMMARY "
        "names. Exit status 0: it passed, or has no threshold and is not worse than its baseline; 1: it failed, or is "
        "worse; 2: that could not be decided."
    ),
    fields=(
        _EVAL,
        Field("run_id", "option", required=True, description="The id of the run."),
        Field("baseline_run_id", "option", description="The run to compare with, instead of the run's own baseline."),
        Field(
            "no_worse_than",
            "option",
            frozenset({"number"}),
            description="How far the pass rate may lie below the baseline's, as a share: 0.02.",
        ),
        Field(
            "require_verdict",
            "option",
            frozenset({"boolean"}),
            description="When the comparison cannot tell, as with too few items, the gate does not decide either.",
        ),
        _TIMEOUT,
    ),
)
COMMANDS = {command.operation.name: command for command in (Command(_WAIT, _wait), Command(_GATE, _gate))}
