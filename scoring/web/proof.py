"""The proof beside the editor: what the unsaved profile says of a text, or of stored evaluations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.http import HttpRequest

from foundation.errors import Problem, ValidationFailed
from foundation.figures import score_text
from scoring.evaluate_bodies import Answer, read_body
from scoring.history_filters import HistoryFilter, HistoryPage
from scoring.kit.text import utf16_length
from scoring.profile_documents import Profile
from scoring.queries.history import history_page
from scoring.queries.previews import Preview, PreviewSummary, preview_answer, preview_stored, preview_summary

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


@dataclass(slots=True)
class Proof:
    """What the panel shows: a refusal in words, the breakdown of a text, or rows of evaluations."""

    problem: str = ""
    hint: str = ""
    verdict: Any = None
    entries: Sequence[Mapping[str, Any]] = ()
    threshold: float | None = None
    action_spans: list[list[int]] = field(default_factory=list)
    output_spans: list[list[int]] = field(default_factory=list)
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
        )
        _keep(request, asked)
    else:
        asked = _kept(request, default)
    return asked if stored or asked.source != OWN else ProofInput(ALL, asked.count, asked.action, asked.output)


def _one_of(asked: str, allowed: Sequence[Any], default: Any) -> Any:
    return next((value for value in allowed if str(value) == asked), default)


def _keep(request: HttpRequest, asked: ProofInput) -> None:
    if len(asked.action) + len(asked.output) <= _KEPT and request.session.get(_SESSION_KEY) != asdict(asked):
        request.session[_SESSION_KEY] = asdict(asked)


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
        return Proof(problem=refusal.message, hint="Shorten the text.")
    except Problem as refusal:
        return Proof(problem=refusal.message, hint=refusal.hint)


def _of_text(profile: Profile, asked: ProofInput) -> Proof:
    if not asked.output and not asked.action:
        return Proof(sentence="Type or paste an output to see how this profile scores it.")
    body = read_body(Answer, {"output": asked.output, "action": asked.action or None})
    verdict = preview_answer(profile, body.observe()).verdict
    action_spans, output_spans = matched_spans(verdict.breakdown, asked.action, asked.output)
    return Proof(
        verdict=verdict,
        entries=verdict.breakdown,
        threshold=profile.pass_threshold,
        action_spans=action_spans,
        output_spans=output_spans,
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
