"""The proof beside the editor: what the unsaved profile says of a text, or of stored evaluations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.http import HttpRequest

from foundation.errors import Problem, ValidationFailed
from foundation.figures import score_text
from scoring.forms.answer_form import DOCUMENT, answer_of
from scoring.forms.logic_rules import Seen
from scoring.forms.observation_form.cells import json_text
from scoring.forms.observation_form.examples import is_starting_point, starting_point
from scoring.history_filters import HistoryFilter, HistoryPage
from scoring.kit.observation import Observation
from scoring.kit.scorer import Scorer
from scoring.kit.text import utf16_length
from scoring.profile_documents import Profile
from scoring.queries.history import history_page
from scoring.queries.previews import (
    Preview,
    PreviewSummary,
    observation_of_row,
    preview_answer,
    preview_stored,
    preview_summary,
)
from scoring.reference import example_observation

TEXT, OWN, ALL = "text", "profile", "all"
COUNTS = (10, 25, 50)
_KEPT = 20_000
_SESSION_KEY = "proof"


@dataclass(frozen=True, slots=True)
class ProofInput:
    """What the profile is tried on: a text, or the last `count` evaluations of this profile or of all."""

    source: str = TEXT
    count: int = 10
    action: str = ""
    output: str = ""
    observation: str = ""
    """The observation document as typed, in which the ground truth and the other channels stand."""
    example: str = ""
    """The example that is chosen in the list."""
    loaded: bool = False
    """Whether the example was just put into the observation, and the page does not show it yet."""
    kept: bool = False
    """Whether it was not, because something else is typed there."""

    @property
    def given(self) -> bool:
        """Whether there is an answer to look at."""
        return bool(self.output or self.action or self.observation.strip())


@dataclass(slots=True)
class Proof:
    """What the panel shows: a refusal in words, the breakdown of a text, or rows of evaluations."""

    problem: str = ""
    hint: str = ""
    fault: str = ""
    """What is wrong with the observation."""
    verdict: Any = None
    entries: Sequence[Mapping[str, Any]] = ()
    threshold: float | None = None
    action_spans: list[list[int]] = field(default_factory=list)
    output_spans: list[list[int]] = field(default_factory=list)
    output: str = ""
    """The text that was scored."""
    rows: list[Preview] = field(default_factory=list)
    summary: PreviewSummary | None = None
    sentence: str = ""


def proof_input(request: HttpRequest, *, stored: bool) -> ProofInput:
    """What was asked for, else what was used last in this session; a profile never saved has no evaluations."""
    default = ProofInput(source=OWN if stored else ALL)
    post = request.POST
    if request.method == "POST" and "proof-source" in post:
        asked = ProofInput(
            source=_one_of(post["proof-source"], (TEXT, OWN, ALL), default.source),
            count=_one_of(post.get("proof-count", ""), COUNTS, default.count),
            action=post.get("proof-action", "").replace("\r\n", "\n"),
            output=post.get("proof-output", "").replace("\r\n", "\n"),
            observation=post.get("proof-observation", "").replace("\r\n", "\n"),
            example=post.get("proof-example", ""),
        )
        if request.GET.get("proof") == "example":
            asked = _with_example(asked, htmx=bool(getattr(request, "htmx", False)))
        _keep(request, asked)
    else:
        asked = _kept(request, default)
    return asked if stored or asked.source != OWN else replace(asked, source=ALL)


def _with_example(asked: ProofInput, *, htmx: bool) -> ProofInput:
    """The chosen example in place of the observation, unless that is somebody's own."""
    point = starting_point(asked.example)
    if point is None:
        return asked
    if asked.observation.strip() and not is_starting_point(asked.observation):
        return replace(asked, kept=True, loaded=htmx)
    return replace(asked, source=TEXT, observation=json_text(dict(point.document)), loaded=htmx)


def _one_of(asked: str, allowed: Sequence[Any], default: Any) -> Any:
    return next((value for value in allowed if str(value) == asked), default)


def _keep(request: HttpRequest, asked: ProofInput) -> None:
    kept = asdict(replace(asked, loaded=False, kept=False))
    typed = len(asked.action) + len(asked.output) + len(asked.observation)
    if typed <= _KEPT and request.session.get(_SESSION_KEY) != kept:
        request.session[_SESSION_KEY] = kept


def _kept(request: HttpRequest, default: ProofInput) -> ProofInput:
    try:
        return ProofInput(**request.session.get(_SESSION_KEY) or asdict(default))
    except TypeError:
        return default


def prove(profile: Profile | None, asked: ProofInput, profile_id: str | None) -> Proof:
    """The proof of a profile; of None, which has faults, that there is none. Never raises a refusal."""
    if profile is None:
        return Proof(problem="No proof yet: the profile is not valid.", hint="The faults stand at their fields.")
    try:
        if asked.source == TEXT:
            return _of_text(profile, asked)
        return _of_evaluations(profile, asked, profile_id)
    except ValidationFailed as refusal:
        return _refused(refusal)
    except Problem as refusal:
        return Proof(problem=refusal.message, hint=refusal.hint)


def _refused(refusal: ValidationFailed) -> Proof:
    """What is wrong with the observation is told at it; the rest is about the text."""
    told = [
        f"{inside}: {fault.message}" if inside else fault.message
        for fault in refusal.fields
        for name, _, inside in [fault.path.partition(".")]
        if name == DOCUMENT
    ]
    if told:
        words = " ".join(told)
        return Proof(problem=f"The observation is not valid. {words}", hint="Mend it, or empty it.", fault=words)
    return Proof(problem=refusal.message, hint="Shorten the text.")


def _of_text(profile: Profile, asked: ProofInput) -> Proof:
    if not asked.given:
        return Proof(sentence="Type or paste an output to see how this profile scores it.")
    observation = answer_of(asked.output, asked.action, asked.observation).observe()
    output = observation.output if isinstance(observation.output, str) else ""
    verdict = preview_answer(profile, observation).verdict
    action_spans, output_spans = matched_spans(verdict.breakdown, asked.action, output)
    return Proof(
        verdict=verdict,
        entries=verdict.breakdown,
        threshold=profile.pass_threshold,
        action_spans=action_spans,
        output_spans=output_spans,
        output=output,
    )


def _of_evaluations(profile: Profile, asked: ProofInput, profile_id: str | None) -> Proof:
    wanted = HistoryFilter(profile_id=profile_id if asked.source == OWN else None)
    stored = history_page(wanted, HistoryPage(limit=asked.count)).rows
    if not stored:
        whose = "This profile has" if asked.source == OWN else "There are"
        return Proof(sentence=f"{whose} no evaluations yet. Try it on a text.")
    rows = preview_stored(profile, stored)
    summary = preview_summary(rows)
    rows.sort(key=lambda row: (not row.flips, -abs(row.change or 0)))
    return Proof(rows=rows, summary=summary, sentence=_sentence(summary), threshold=profile.pass_threshold)


def _sentence(summary: PreviewSummary) -> str:
    """The summary in words: 3 of 25 verdicts flip; mean 0.710 → 0.640 over 24 scored, 1 errored."""
    flips = "verdict flips" if summary.count == 1 else "verdicts flip"
    said = f"{summary.flips or 'None'} of {summary.count} {flips}"
    errored = f", {summary.errored} errored" if summary.errored else ""
    if not summary.compared:
        return f"{said}; no mean over 0 scored{errored}."
    return (
        f"{said}; mean {score_text(summary.before)} → {score_text(summary.after)} "
        f"over {summary.compared} scored{errored}."
    )


def observed(asked: ProofInput, profile_id: str | None) -> Seen | None:
    """The answer that the proof looks at, the newest of several; None when there is none."""
    if asked.source == TEXT:
        if not asked.given:
            return None
        try:
            body = answer_of(asked.output, asked.action, asked.observation)
        except ValidationFailed:
            return None
        return Seen(body.observe(), "The text of the proof.")
    wanted = HistoryFilter(profile_id=profile_id if asked.source == OWN else None)
    stored = history_page(wanted, HistoryPage(limit=1)).rows
    if not stored:
        return None
    whose = "this profile" if asked.source == OWN else "all profiles"
    return Seen(observation_of_row(stored[0]), f"The newest evaluation of {whose}.")


def sample_of(declared: type[Scorer]) -> Seen:
    """The first example of a scorer's declaration, for want of an answer to look at."""
    example = next(iter(declared.examples), None)
    if example is None:
        return Seen(Observation(), "Nothing was recorded.")
    return Seen(example_observation(example), f"“{example.title}”, an example: the proof holds no answer.")


def matched_spans(
    breakdown: Iterable[Mapping[str, Any]], action: str, output: str
) -> tuple[list[list[int]], list[list[int]]]:
    """The places that scorers found, in the action and in the output, as UTF-16 [start, end]."""
    in_action: list[list[int]] = []
    in_output: list[list[int]] = []
    # The combined text is the action, a line feed and the output, without an empty part.
    offset = utf16_length(action) + 1 if action and output else 0
    for entry in breakdown:
        evidence = entry["evidence"]
        spans = evidence.get("spans") or ([evidence["span"]] if evidence.get("span") else [])
        target = evidence.get("target", "output")
        for start, end in spans:
            if target == "action" or (target == "combined" and not output):
                in_action.append([start, end])
            elif target == "output" or not offset:
                in_output.append([start, end])
            else:
                in_action += [[start, min(end, offset - 1)]] if start < offset - 1 else []
                in_output += [[max(0, start - offset), end - offset]] if end > offset else []
    return in_action, in_output
