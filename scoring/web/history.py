"""The history: evaluations found by filters, and the charts of exactly those."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.permissions import actor_of
from foundation.figures import count_text
from scoring.charts.distribution import distribution
from scoring.charts.over_time import over_time
from scoring.charts.points import summary
from scoring.charts.scorers import by_scorer
from scoring.forms.history import HistoryForm, address, chips, fields, read_form
from scoring.history_filters import HistoryFilter, read_history
from scoring.permissions import Act, permit
from scoring.queries.figures import history_figures
from scoring.queries.history import COUNT_CAP
from scoring.queries.listing import HistoryListing, history_listing, profile_choices


@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """One page of the evaluations that the address means; with `charts=1` the charts above them."""
    permit(actor_of(request), Act.READ)
    given = request.GET.dict()
    if any(value == "" for value in given.values()):
        # A form sends its empty fields too; the address without them is the one to pass on.
        return redirect(reverse("history") + address(given))
    form = read_form(given)
    profiles = profile_choices(deleted=True)
    context: dict[str, Any] = {
        "form": form,
        "fields": fields(form, profiles),
        "chips": chips(form, profiles),
        "failures": _failures_address(form),
    }
    if form.wanted is None or form.page is None:
        return render(request, "scoring/history.html", context, status=422)
    listing = history_listing(form.wanted, form.page)
    context |= {
        "rows": [_row(row, form) for row in listing.rows],
        "count_words": _count_words(listing),
        "older": address(form.given, cursor=listing.older_cursor) if listing.older_cursor else "",
        "newer": address(form.given, cursor=listing.newer_cursor) if listing.has_newer else "",
        "query": address(form.active),
        "with_charts": address(form.given, charts="1"),
        "charts_wait": "cursor" not in given,
    }
    if "charts" in given:
        context |= charts_context(form.wanted)
    return render(request, "scoring/history.html", context)


@require_safe
def charts(request: HttpRequest) -> HttpResponse:
    """The charts alone, which the page fetches once it stands."""
    permit(actor_of(request), Act.READ)
    wanted, _ = read_history(request.GET.dict())
    return render(request, "scoring/history_charts.html", charts_context(wanted))


def charts_context(wanted: HistoryFilter) -> dict[str, Any]:
    """What scoring/history_charts.html needs."""
    figures = history_figures(wanted)
    points = figures.points
    return {
        "figures": [
            over_time(points, by_agent=wanted.profile_id is not None),
            distribution(points),
            by_scorer(figures.scorers, len(points)),
        ],
        "summary": summary(points),
        "more": figures.more,
        "looked_at": figures.looked_at,
    }


def _failures_address(form: HistoryForm) -> str:
    """Only failures; or, when that is what is shown, everything again."""
    return address(form.active, passed=None if form.given.get("passed") == "false" else "false")


def _row(row: Any, form: HistoryForm) -> dict[str, Any]:
    start: str = row.output_start or ""
    lines = (line for line in start.splitlines() if line.strip())
    return {
        "evaluation": row,
        "line": next(lines, "").strip(),
        "address": reverse("evaluation", args=[row.public_id]) + (address(form.active) if form.active else ""),
        "failed": row.passed is False or row.status == "errored",
    }


def _count_words(listing: HistoryListing) -> str:
    shown = len(listing.rows)
    if listing.count is None:
        return f"{count_text(shown)} evaluations; the text is too common to count them all"
    return f"{count_text(shown)} of {count_text(listing.count, COUNT_CAP)} evaluations"
