"""Try a profile on an answer: its breakdown at once, and the evaluation stored on demand."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.actors import Actor
from accounts.permissions import actor_of
from foundation.errors import Problem
from foundation.http.toasts import toast
from scoring.breakdowns import breakdown_of
from scoring.evaluate_bodies import EvaluateBody
from scoring.evaluator import Verdict
from scoring.forms.answer_form import AnswerForm
from scoring.forms.observation_form.bound import bind_parts
from scoring.forms.observation_form.examples import StartingPoint, example_groups, starting_points
from scoring.forms.observation_form.form import act_on_rows
from scoring.forms.observation_form.parts import ACTION, METADATA, PARTS, parts_read
from scoring.permissions import Act, may, permit
from scoring.queries.previews import preview_answer
from scoring.queries.profiles import ProfileAt, profile_at
from scoring.services.evaluations import evaluation_create
from scoring.web.profile_pages import profile_tabs

_ROW_ACTS = {"add", "remove", "up", "down"}


class _Trying:
    """One request to the page: who, which profile, and the form as it stands."""

    def __init__(self, request: HttpRequest, actor: Actor, at: ProfileAt) -> None:
        self.request, self.actor, self.at = request, actor, at
        post = request.POST if request.method == "POST" else {}
        self.form = AnswerForm(post, as_json=request.GET.get("view") == "json")
        self.points = starting_points(scorer.type for scorer in at.content.scorers)
        self.focus = ""
        self.refused = False
        self.replacing: StartingPoint | None = None
        self.result: dict[str, Any] = {}

    def point(self, wanted: str) -> StartingPoint | None:
        return next((point for point in self.points if point.id == wanted), None)

    def score(self) -> None:
        """The breakdown of what is typed, or why there is none."""
        if self.form.blank:
            return
        try:
            body = self.form.body(self.at.row.pk)
            verdict = preview_answer(self.at.content, body.observe()).verdict
            self.result = _verdict(self.at, verdict, body)
        except Problem as problem:
            self.result = {"problem": problem}

    def answer(self) -> HttpResponse:
        """The page; for htmx the form and the result, or for typing the result alone."""
        live = self.request.POST.get("act") == "check"
        template = "scoring/profile_try.html"
        if getattr(self.request, "htmx", False):
            template = "scoring/observation_form/live.html" if live else "scoring/observation_form/form.html"
        return render(self.request, template, self._context(), status=422 if self.refused else 200)

    def _context(self) -> dict[str, Any]:
        read = parts_read(self.at.content.scorers)
        titles = {part.name: part.title for part in PARTS} | {ACTION: "Action", METADATA: "Metadata"}
        return {
            "profile": self.at,
            "tabs": profile_tabs(self.at, "try"),
            "address": reverse("profile-try", args=[self.at.row.pk]),
            "may_evaluate": may(self.actor, Act.EVALUATE),
            "form": self.form,
            "parts": [] if self.form.as_json else bind_parts(self.form.observation, read),
            "reads": [_lower(words) for name, words in titles.items() if name in read],
            "fields": self.form.bound(),
            "faults": self.form.faults(),
            "general": self.form.general,
            "beside_opened": METADATA in read
            or any(self.form.values[name] for name in ("metadata", "agent", "taskId")),
            "groups": example_groups(scorer.type for scorer in self.at.content.scorers),
            "chosen": self.request.POST.get("example") or self.request.GET.get("example"),
            "replacing": self.replacing,
            "focus": self.focus,
            **self.result,
        }


def _lower(title: str) -> str:
    return title[0].lower() + title[1:]


@require_http_methods(["GET", "HEAD", "POST"])
def try_it(request: HttpRequest, profile_id: str) -> HttpResponse:
    """The form of an answer with its breakdown below; `act=save` stores the evaluation and opens it."""
    trying = _Trying(request, permit(actor_of(request), Act.PREVIEW), profile_at(profile_id))
    if request.method != "POST":
        point = trying.point(request.GET.get("example", ""))
        if point:
            trying.form.fill(point)
    else:
        act, _, argument = request.POST.get("act", "check").partition(":")
        if act == "save":
            return _save(trying)
        _act(trying, act, argument)
    trying.score()
    return trying.answer()


def _act(trying: _Trying, act: str, argument: str) -> None:
    """What a button says, done to the form."""
    if act in _ROW_ACTS:
        trying.focus = act_on_rows(trying.form.observation, act, argument)
    elif act == "view":
        trying.refused = not (trying.form.turn_to_json() if argument == "json" else trying.form.turn_to_form())
        trying.focus = f"view-{'json' if trying.form.as_json else 'form'}"
    elif act in {"example", "replace"}:
        point = trying.point(argument or trying.request.POST.get("example", ""))
        if point is None:
            return
        unchanged = trying.form.empty or any(trying.form.holds(other) for other in trying.points)
        if act == "replace" or unchanged:
            trying.form.fill(point)
        else:
            trying.replacing, trying.focus = point, "replace"


def _save(trying: _Trying) -> HttpResponse:
    """The stored evaluation's page, or the form again with its faults."""
    permit(trying.actor, Act.EVALUATE)
    try:
        stored = evaluation_create(actor=trying.actor, body=trying.form.body(trying.at.row.pk))
    except Problem as problem:
        trying.result, trying.refused = {"problem": problem}, True
        return trying.answer()
    toast(trying.request, f"Stored the evaluation with version {stored.profile_version} of the profile.")
    return redirect("evaluation", stored.public_id)


def _verdict(at: ProfileAt, verdict: Verdict, body: EvaluateBody) -> dict[str, Any]:
    observed = body.observe()
    breakdown = breakdown_of(
        verdict.breakdown,
        method=at.content.composite_method,
        action=observed.action,
        output=observed.output if isinstance(observed.output, str) else "",
        thresholds={scorer.id: getattr(scorer, "pass_threshold", 1) for scorer in at.content.scorers},
        open_worst=True,
    )
    return {"verdict": verdict, "breakdown": breakdown, "threshold": at.content.pass_threshold}
