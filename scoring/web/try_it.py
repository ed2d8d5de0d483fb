"""Try a profile on an answer: its breakdown at once, and the evaluation stored on demand."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.permissions import actor_of
from foundation import strict_json
from foundation.errors import FieldError, Problem, ValidationFailed
from foundation.http.toasts import toast
from scoring.breakdowns import breakdown_of
from scoring.evaluate_bodies import EvaluateBody, read_body
from scoring.evaluator import Verdict
from scoring.forms.answer_form import AnswerForm
from scoring.permissions import Act, may, permit
from scoring.queries.previews import preview_answer
from scoring.queries.profiles import ProfileAt, profile_at
from scoring.services.evaluations import evaluation_create
from scoring.web.profile_pages import profile_tabs


@require_http_methods(["GET", "HEAD", "POST"])
def try_it(request: HttpRequest, profile_id: str) -> HttpResponse:
    """The form of an answer with its breakdown beside it; `act=save` stores the evaluation and opens it."""
    actor = permit(actor_of(request), Act.PREVIEW)
    at = profile_at(profile_id)
    form = AnswerForm(request.POST if request.method == "POST" else {})
    context: dict[str, Any] = {
        "profile": at,
        "tabs": profile_tabs(at, "try"),
        "may_evaluate": may(actor, Act.EVALUATE),
    }
    saving = request.POST.get("act") == "save"
    if saving:
        permit(actor, Act.EVALUATE)
    if request.method == "POST" and (saving or not form.blank):
        try:
            body = _body(form, profile_id)
            if saving:
                stored = evaluation_create(actor=actor, body=body)
                toast(request, f"Stored the evaluation with version {stored.profile_version} of the profile.")
                return redirect("evaluation", stored.public_id)
            context |= _verdict(at, preview_answer(at.content, body.observe()).verdict, body)
        except Problem as problem:
            context |= {"problem": problem, "status": problem.status}
            faults = problem.fields if isinstance(problem, ValidationFailed) else ()
            form.tell(faults)
    context |= {"form": form, "fields": form.bound(), "general": form.general}
    fragment = bool(getattr(request, "htmx", False))
    status = 422 if saving and "problem" in context else 200
    template = "scoring/try_result.html" if fragment else "scoring/profile_try.html"
    return render(request, template, context, status=status)


def _body(form: AnswerForm, profile_id: str) -> EvaluateBody:
    """The body as the API takes it; ValidationFailed with the faults of all fields at once."""
    document, unread = form.document()
    faults: list[FieldError] = list(unread)
    body = None
    try:
        strict_json.check_text(document)
        body = read_body(EvaluateBody, {"profileId": profile_id, **document})
    except ValidationFailed as refusal:
        seen = {fault.path for fault in unread}
        faults += [fault for fault in refusal.fields if fault.path not in seen]
    if faults or body is None:
        raise ValidationFailed(faults)
    return body


def _verdict(at: ProfileAt, verdict: Verdict, body: EvaluateBody) -> Mapping[str, Any]:
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
