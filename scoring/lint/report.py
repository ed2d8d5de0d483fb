"""The whole check of a profile: the samples scored, the findings in order, and what they rest on."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.evaluator import outcomes
from scoring.kit.observation import Observation
from scoring.kit.outcome import ErrorCode, Outcome
from scoring.lint.findings import Finding
from scoring.lint.samples import FEWEST, Sample, sample_findings
from scoring.lint.settings import possible_scores, settings_findings
from scoring.lint.verdict import verdict_findings
from scoring.profile_documents import Profile

MOST_SECONDS = 20.0
"""How long samples are scored; those that are left then are skipped."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One scorer, and how many samples it passed, failed, measured without a score, and could not measure."""

    scorer_id: str
    passed: int
    failed: int
    measured: int
    errored: int

    @property
    def told_apart(self) -> bool:
        """Whether it both passed and failed at least once."""
        return self.passed > 0 and self.failed > 0

    def as_document(self) -> dict[str, Any]:
        """As `/api/scoring/lint` answers it."""
        return {
            "scorerId": self.scorer_id,
            "passed": self.passed,
            "failed": self.failed,
            "measured": self.measured,
            "errored": self.errored,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What was found, and what that rests on.

    `samples` were scored. Skipped were `unfinished` ones, whose agent did not finish, and those
    `out_of_time`. The findings come certain ones first, then in profile order; those of the whole
    profile before all others.
    """

    findings: tuple[Finding, ...]
    checked: tuple[Checked, ...]
    samples: int
    unfinished: int = 0
    out_of_time: int = 0

    def as_document(self) -> dict[str, Any]:
        """The report as `/api/scoring/lint` answers it."""
        return {
            "findings": [finding.as_document() for finding in self.findings],
            "samples": self.samples,
            "skipped": {"unfinished": self.unfinished, "outOfTime": self.out_of_time},
            "checked": [checked.as_document() for checked in self.checked],
        }

    @property
    def sentence(self) -> str:
        """The report in one sentence."""
        scorers, samples = _counted(len(self.checked), "scorer"), _counted(self.samples, "sample")
        if self.findings:
            mend = _counted(len(self.findings), "thing")
            return f"{mend} to look at in {scorers}, by {'the settings alone' if not self.samples else samples}."
        each = "the one scorer" if len(self.checked) == 1 else f"each of the {scorers}"
        if self.samples and all(checked.told_apart for checked in self.checked):
            return f"Nothing to mend: {each} both passed and failed at least once in {samples}."
        if self.samples < FEWEST:
            return f"Nothing to mend in the settings of {scorers}. What a scorer really does shows in {FEWEST} samples."
        seen = sum(checked.told_apart for checked in self.checked)
        return f"Nothing to mend; {seen} of {scorers} both passed and failed at least once in {samples}."

    @property
    def left_out(self) -> str:
        """What was skipped, in a sentence; "" when nothing was."""
        parts = []
        if self.unfinished:
            parts.append(f"{self.unfinished} skipped: the agent did not finish")
        if self.out_of_time:
            parts.append(f"{self.out_of_time} skipped: scoring all took longer than {MOST_SECONDS:g} s")
        return f"{'; '.join(parts)}." if parts else ""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def lint(
    profile: Profile, observations: Sequence[Observation], *, clock: Callable[[], float] = time.monotonic
) -> Report:
    """The report on `profile`; without observations it says what the settings show.

    Raises RegexCapacity when a regex finds no place to wait in.
    """
    possible = possible_scores(profile)
    certain = [*verdict_findings(profile, possible), *settings_findings(profile, possible)]
    samples, rows, unfinished = _scored(profile, observations, clock)
    known = {(finding.scorer_id, finding.code) for finding in certain}
    shown = [
        finding
        for finding in sample_findings(profile, samples, rows)
        if not known & {(finding.scorer_id, finding.code), (finding.scorer_id, "always_errs")}
    ]
    return Report(
        findings=tuple(sorted([*certain, *shown], key=_order(profile))),
        checked=tuple(
            _checked(scorer.id, [row[index] for row in rows]) for index, scorer in enumerate(profile.scorers)
        ),
        samples=len(samples),
        unfinished=unfinished,
        out_of_time=len(observations) - len(samples) - unfinished,
    )


def _scored(
    profile: Profile, observations: Sequence[Observation], clock: Callable[[], float]
) -> tuple[list[Sample], list[list[Outcome]], int]:
    """The samples that were scored, the outcomes of each, and how many agents did not finish."""
    samples: list[Sample] = []
    rows: list[list[Outcome]] = []
    unfinished = 0
    end = clock() + MOST_SECONDS
    for place, observation in enumerate(observations):
        if clock() > end:
            break
        row = outcomes(profile, observation)
        if row and all(outcome.error_code == ErrorCode.SUBJECT_FAILED for outcome in row):
            unfinished += 1
            continue
        samples.append((place, observation))
        rows.append(row)
    return samples, rows, unfinished


def _checked(scorer_id: str, outcomes_of_it: Sequence[Outcome]) -> Checked:
    return Checked(
        scorer_id,
        passed=sum(outcome.passed is True for outcome in outcomes_of_it),
        failed=sum(outcome.passed is False for outcome in outcomes_of_it),
        measured=sum(outcome.status == "measured" for outcome in outcomes_of_it),
        errored=sum(outcome.status == "error" for outcome in outcomes_of_it),
    )


def _order(profile: Profile) -> Callable[[Finding], tuple[bool, int]]:
    """Those of the whole profile first, then certain ones, each in profile order."""
    places = {scorer.id: index for index, scorer in enumerate(profile.scorers)}
    return lambda finding: (
        finding.scorer_id is not None and not finding.certain,
        places[finding.scorer_id] if finding.scorer_id is not None else -1,
    )
