"""The gallery of components with its hard cases, and the answers its htmx parts ask for. For tests alone."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from foundation import errors, times
from foundation.http.pages import problem_page
from foundation.http.toasts import toast

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7|add:7 }}"
LONG_NAME = (
    "Refund answers that mention the order number, the amount and the date, in the customer's own language, " * 2
)
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitän" * 240
OUTPUT = (
    "I updated [the file](/src/app.py) and ran the tests 🎉.\nTODO: check the lint. "
    + HOSTILE
    + " "
    + "All fine. " * 80
)
COLUMNS = [{"words": "When", "number": False}, {"words": "Score", "number": True}]


class GalleryForm(forms.Form):
    """One field of each kind, bound with mistakes."""

    name = forms.CharField(help_text="What people call it.", max_length=20)
    description = forms.CharField(widget=forms.Textarea, required=False)
    method = forms.ChoiceField(choices=[("a", "Weighted average"), ("b", "Minimum")], widget=forms.RadioSelect)
    role = forms.ChoiceField(choices=[("viewer", "Viewer"), ("owner", "Owner")])
    active = forms.BooleanField(help_text="Whether they may sign in.")
    secret = forms.CharField(widget=forms.HiddenInput, required=False)


def _plot(kind: str, points: int) -> dict[str, Any]:
    scores = [0.5 + 0.4 * ((7 * place) % 11) / 11 for place in range(points)]
    if kind == "bar":
        names = ["mentions-verification", "<b>bold</b> &amp; co", "balanced-length", HOSTILE]
        data = [{"type": "bar", "orientation": "h", "x": scores[:4], "y": names, "name": "mean"}]
        return {
            "data": data,
            "layout": {"meta": {"grid": "x"}, "xaxis": {"range": [0, 1], "title": {"text": "Mean score"}}},
        }
    days = [f"2026-03-{1 + place % 28:02}T{place % 24:02}:00" for place in range(points)]
    marks = {"mode": "lines+markers", "type": "scatter", "x": sorted(days), "y": scores, "name": "Code Quality"}
    return {"data": [marks], "layout": {"yaxis": {"range": [0, 1.05], "title": {"text": "Score"}}}}


def _evaluations(*, only_errors: bool) -> list[dict[str, Any]]:
    now = times.now()
    cases: list[tuple[str, float | None, bool | None, str]] = [
        ("Code Quality", 0.955, True, "completed"),
        (HOSTILE, 0.49996, False, "completed"),
        (LONG_NAME, None, None, "errored"),
        ("Reported only", 1.0, None, "completed"),
        (LONG_WORD, 0.0, False, "completed"),
    ]
    if only_errors:
        cases = [(name, None, None, "errored") for name, *_ in cases]
    return [
        {
            "name": name,
            "moment": now - timedelta(hours=9**place / 60),
            "agent": "support-agent" if place % 2 else HOSTILE,
            "score": score,
            "threshold": 0.5,
            "status": status,
            "passed": passed,
            "worst": "avoids-todo",
            "output": OUTPUT,
        }
        for place, (name, score, passed, status) in enumerate(cases)
    ]


def _kinds() -> list[dict[str, Any]]:
    tints = ["", "better-1", "worse-1", "better-2", "worse-3", "", "worse-2", "better-3"]
    kinds = []
    for place in range(40):
        cells = [
            {
                "words": f"{'▲ +' if 'better' in tint else '▼ −' if tint else ''}{place % 9}.{column}",
                "tint": tint,
                "significant": tint == "worse-3",
            }
            for column in range(8)
            for tint in [tints[(place * 3 + column) % 8]]
        ]
        if place % 9 == 4:
            cells[2] = {"words": "errored", "tint": "errored", "significant": False}
        kinds.append({"name": LONG_NAME if place == 3 else f"kind-{place:02}", "cells": cells})
    return kinds


def _breakdown() -> list[dict[str, Any]]:
    def row(name: str, weight: float, score: float | None, sentence: str, **rest: Any) -> dict[str, Any]:
        passed = None if score is None else score >= 1
        status = "error" if score is None else "scored"
        return {
            "id": name,
            "name": name,
            "type": "KeywordContains",
            "weight": weight,
            "score": score,
            "threshold": 1.0,
            "passed": passed,
            "status": status,
            "sentence": sentence,
            **rest,
        }

    return [
        row("mentions-verification", 0.4, 1.0, "Found “test” and “lint”; one of five was enough.", required=True),
        row("balanced-length", 0.3, 0.85, "33 words, 7 under the least of 40."),
        row(LONG_NAME, 0.2, 0.0, HOSTILE),
        row("reads-metadata", 0.1, None, "There is no number at metadata.price: the evaluation was sent without it."),
        row("report-only", 0.0, 0.5, "Half of the needles were found."),
    ]


_FIXED: dict[str, Any] = {
    "actor": SimpleNamespace(name="Ada " + "of Somewhere Long " * 4, role="owner", via="session"),
    "title": "Components",
    "lede": "Every part with its hard cases.",
    "hostile": HOSTILE,
    "long_name": LONG_NAME,
    "long_word": LONG_WORD,
    "options": [
        {"value": "a", "label": "Weighted average"},
        {"value": "b", "label": "Minimum"},
        {"value": "c", "label": "Geometric mean"},
    ],
    "chips": [
        {"words": "Verdict: failed", "remove": "?"},
        {"words": f"Text: {HOSTILE}", "remove": "?"},
        {"words": LONG_NAME, "remove": "?"},
    ],
    "tabs": [
        {"words": "Form", "address": "?", "current": True},
        {"words": "JSON", "address": "?tab=json"},
        {"words": "Versions", "address": "?tab=versions", "count": 1234},
    ],
    "rates": [
        {"value": 0.82, "count": 41, "total": 50, "errored": 9, "low": 0.692, "high": 0.902, "large": True},
        {"value": 1.0, "count": 3, "total": 3, "errored": 0, "low": 0.44, "high": 1.0, "large": False},
        {"value": None, "count": 0, "total": 50, "errored": 50, "low": None, "high": None, "large": False},
    ],
    "deltas": [
        {"points": 4.0, "verdict": "better", "p": 0.012},
        {"points": -14.0, "verdict": "worse", "p": 0.0001},
        {"points": 2.0, "verdict": "none", "p": 0.61},
        {"points": None, "verdict": "few", "p": None},
        {"points": None, "verdict": "undecided", "p": None},
    ],
    "spark_values": [0.6, 0.7, None, 0.65, 0.8, 0.9, 0.85],
    "scorer_names": [f"scorer-{place}" for place in range(8)],
    "output": OUTPUT,
    "spans": [[2, 9], [48, 53], [50, 56], [5000, 5001]],
    "before": "The refund was sent on Monday to the old card. " + "It takes a few days. " * 40,
    "after": "The refund of $20 was sent on Tuesday to the card. " + "It takes a few days. " * 40,
    "found": ["test", "lint"],
    "missing": ["verified", HOSTILE, LONG_WORD[:300]],
    "violations": [{"path": "items.0.price", "message": "is not a number"}, {"path": "", "message": HOSTILE}],
    "changes": [
        {"kind": "removed", "words": "keyword “fixed”"},
        {"kind": "added", "words": HOSTILE},
        {"kind": "changed", "words": "weight .4 → .3"},
    ],
    "line_plot": _plot("line", 60),
    "bar_plot": _plot("bar", 4),
    "empty_plot": _plot("line", 0),
    "columns": COLUMNS,
    "plot_rows": [["1 Mar", "0.871 · 41 of 50"], ["2 Mar", "0.902 · 48 of 50"]],
    "no_rows": [],
    "tones": ["info", "good", "bad", "warn", "err"],
    "pieces": [("Counts ", False), ("needles", True), (f" in the target. {HOSTILE}", False)],
    "pairs": [("Agent", "support-agent"), ("Task", HOSTILE), ("Profile", LONG_NAME)],
}


def gallery_context(*, only_errors: bool = False) -> dict[str, Any]:
    """Everything the gallery shows."""
    return {
        **_FIXED,
        "evaluations": _evaluations(only_errors=only_errors),
        "kinds": _kinds(),
        "breakdown": _breakdown(),
        "form": GalleryForm({"name": "far too long a name for this field", "active": ""}),
    }


@login_not_required
def gallery(request: HttpRequest, key: str = "") -> HttpResponse:
    """The gallery; `?toasts` shows messages, `?errors` a table of errors alone, `?long` long headings."""
    if "toasts" in request.GET:
        toast(request, "Saved version 3.", address="/profiles", words="Open")
        toast(request, HOSTILE, level=messages.ERROR)
        toast(request, "Copied.")
    context = gallery_context(only_errors="errors" in request.GET)
    if "long" in request.GET:
        context |= {"title": LONG_NAME, "lede": LONG_WORD[:300]}
    if "local" in request.GET:
        context["local_mode"] = True
    return render(request, "components/gallery.html", context)


@login_not_required
def folded_whole(request: HttpRequest) -> HttpResponse:
    """The whole of the folded text."""
    return render(request, "components/folded_whole.html", {"text": LONG_WORD + " THE END"})


@login_not_required
def refused(request: HttpRequest) -> HttpResponse:
    """A refusal, as a page or a fragment."""
    return problem_page(request, errors.NotFound("That evaluation is gone. " + HOSTILE))  # type: ignore[return-value]


@login_not_required
def fault(request: HttpRequest) -> HttpResponse:
    """A fault of ours."""
    raise RuntimeError


@login_not_required
def unprocessable(request: HttpRequest) -> HttpResponse:
    """What a refused form answers."""
    return HttpResponse("<p>The form again</p>", status=422)


@login_not_required
def done(request: HttpRequest) -> HttpResponse:
    """A fragment that shows a message."""
    messages.success(request, "Done by htmx.")
    return render(request, "components/toasts_partial.html")


@login_not_required
def signed_out(request: HttpRequest) -> HttpResponse:
    """The base page as somebody sees it who is not signed in."""
    return render(request, "base.html", {"actor": None, "local_mode": False})


urlpatterns = [
    path("", gallery, name="overview"),
    path("profiles", gallery, name="profile-list"),
    path("profiles/<str:key>", gallery),
    path("history", gallery, name="history"),
    path("people", gallery, name="people"),
    path("account", gallery, name="account"),
    path("sign-in", signed_out, name="sign-in"),
    path("sign-out", gallery, name="sign-out"),
    path("folded", folded_whole),
    path("refused", refused),
    path("fault", fault),
    path("unprocessable", unprocessable),
    path("done", done),
    path("delete", gallery),
]
handler404 = "foundation.http.pages.page_not_found"
handler500 = "foundation.http.pages.server_error"
