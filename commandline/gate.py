"""Whether a change may pass: the decision about one run, for a pipeline."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from commandline.failures import misused
from commandline.markdown import points, share

PASSED, FAILED, UNDECIDED = 0, 1, 2
WORSE = "worse"
DECIDED = ("better", WORSE, "no_clear_difference")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the pipeline asks beside the eval's own threshold.

    `no_worse_than` is how far, as a share, the pass rate may lie below the baseline's; with
    `require_verdict` a comparison that could not be decided decides nothing.
    """

    no_worse_than: float | None = None
    require_verdict: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """`status` is the exit status: 0 passed, 1 failed, 2 could not be decided. `reason` is one sentence."""

    status: int
    reason: str

    @property
    def word(self) -> str:
        """The decision in a word or two."""
        return ("Passed", "Failed", "Not decided")[self.status]


def share_of(text: str | None) -> float | None:
    """The share of a --no-worse-than. Raises Failure for what is no number from 0 to 1."""
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise misused(f"--no-worse-than is {text!r}; it is a share from 0 to 1, such as 0.02.")
    return value


def decide(
    run: Mapping[str, Any], evaluated: Mapping[str, Any], comparison: Mapping[str, Any] | None, rules: Rules
) -> Decision:
    """The decision about an ended run of the eval `evaluated`; `comparison` is with its baseline, None without one.

    What could not be measured well enough is not decided, even if it looks like a failure; then a
    comparison that is worse fails whatever the threshold says.
    """
    return (
        _unfinished(run, evaluated)
        or _compared(comparison, rules)
        or _threshold(run, evaluated)
        or Decision(PASSED, _why_passed(run, comparison))
    )


def _unfinished(run: Mapping[str, Any], evaluated: Mapping[str, Any]) -> Decision | None:
    figures = run["aggregate_scores"]
    if run["status"] != "completed" or figures is None:
        error = run.get("error") or {}
        return Decision(UNDECIDED, f"The run is {run['status']}. {error.get('message', '')}".strip())
    if not figures["scored_item_count"]:
        return Decision(UNDECIDED, f"None of {run['item_count']} items was scored.")
    coverage, least = figures["coverage"], evaluated["min_coverage"]
    if coverage is not None and coverage < least:
        return Decision(UNDECIDED, f"Only {share(coverage)} could be scored; the eval asks for {share(least)}.")
    return None


def _compared(comparison: Mapping[str, Any] | None, rules: Rules) -> Decision | None:
    if comparison is None:
        if rules.require_verdict or rules.no_worse_than is not None:
            return Decision(UNDECIDED, "There is no baseline to compare with.")
        return None
    if comparison["verdict"] == WORSE:
        return Decision(FAILED, "The run is worse than its baseline.")
    delta = comparison["pass_rate_delta"]
    if rules.no_worse_than is not None:
        if delta is None:
            return Decision(UNDECIDED, "No item was judged in both runs.")
        if delta < -rules.no_worse_than:
            allowed = points(rules.no_worse_than).removeprefix("+")
            return Decision(FAILED, f"The pass rate moved by {points(delta)} points; {allowed} less were allowed.")
    if rules.require_verdict and comparison["verdict"] not in DECIDED:
        words = str(comparison["verdict"]).replace("_", " ")
        return Decision(UNDECIDED, f"The comparison with the baseline says: {words}.")
    return None


def _threshold(run: Mapping[str, Any], evaluated: Mapping[str, Any]) -> Decision | None:
    if run["passed"] is not False:
        return None
    # The eval may have been given another threshold since; the run was judged by its own.
    asked = evaluated["pass_threshold"]
    reached = run["aggregate_scores"]["pass_rate"]
    if asked is None:
        return Decision(FAILED, f"{share(reached)} of the items passed, less than was asked when the run began.")
    # Rounded, a rate just below could look as if it reached what was asked.
    written = share if share(reached) != share(asked) else "{:.6g}".format
    return Decision(FAILED, f"{written(reached)} of the items passed; the eval asks for {written(asked)}.")


def _why_passed(run: Mapping[str, Any], comparison: Mapping[str, Any] | None) -> str:
    reached = "The pass rate reaches the threshold." if run["passed"] else "The eval has no threshold."
    return reached if comparison is None else f"{reached} The run is not worse than its baseline."
