"""The `plumbline` template library: figures, bars, verdicts and marked text, escaped by the template engine.

Filters print numbers and times; inclusion tags draw. Bars are SVG with lengths in percent, because the
content security policy refuses style attributes. Every template they render is in templates/components/.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django import template
from django.template.context import Context
from django.urls import NoReverseMatch, reverse

from foundation import figures, marks, scales, times

register = template.Library()
register.filter("score", figures.score_text)
register.filter("percent", figures.percent_text)
register.filter("signed", figures.signed_text)
register.filter("number", figures.number_text)
register.filter("count", figures.count_text)
register.filter("duration", figures.duration_text)
register.filter("moment", figures.moment_text)

# Each the name of an address, its words, its icon, and whether it is for owners only.
_RAIL: tuple[tuple[str, str, str, bool], ...] = (
    ("overview", "Overview", "overview", False),
    ("project-list", "Projects", "projects", False),
    ("profile-list", "Profiles", "profiles", False),
    ("history", "History", "history", False),
    ("scorer-list", "Scorers", "scorers", False),
    ("people", "People", "people", True),
    ("audit", "Audit", "audit", True),
    ("api-docs", "API docs", "api", False),
)
# What stands under a project's name: the address's name, words, icon, and the paths that belong to it besides.
_PROJECT_RAIL: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("project", "Evals and runs", "evals", ("/evals/",)),
    ("dataset-list", "Datasets", "datasets", ("/datasets/",)),
    ("agent-list", "Agents & tools", "agents", ("/agents/", "/providers/", "/tools/")),
)
# The word and the icon of each state.
_VERDICTS = {
    "passed": ("passed", "check"),
    "failed": ("failed", "cross"),
    "errored": ("errored", "warning"),
    "measured": ("measured", ""),
    "ungated": ("not gated", ""),
}
# Likewise of each judgement of a difference.
_DELTAS = {
    "better": ("better", "up"),
    "worse": ("worse", "down"),
    "none": ("no clear difference", ""),
    "few": ("too few items", ""),
    "undecided": ("not decided: errors", "warning"),
}
_SPARK_WIDTH, _SPARK_HEIGHT = 96, 24


def _length(share: float | None) -> str:
    """An SVG length for a share of the drawing: `82.35%`."""
    return f"{100 * scales.within(share):.2f}%"


@register.inclusion_tag("components/icon.html")
def icon(name: str, size: str = "") -> dict[str, str]:
    """An icon of the sprite, hidden from screen readers: words stand beside it. `size="small"` is 12 px."""
    return {"name": name, "size": size}


@register.inclusion_tag("components/rail_links.html", takes_context=True)
def rail_links(context: Context) -> dict[str, object]:
    """The rail's links that exist and that the actor may use; the one of this section marked as current."""
    request, actor = context.get("request"), context.get("actor")
    path = getattr(request, "path", "")
    links = []
    for name, words, symbol, owners_only in _RAIL:
        if owners_only and getattr(actor, "role", None) != "owner":
            continue
        try:
            address = reverse(name)
        except NoReverseMatch:
            continue
        here = path == address
        inside = address != "/" and path.startswith(address.rstrip("/") + "/")
        current = "page" if here else ("true" if inside else "")
        links.append(
            {
                "address": address,
                "words": words,
                "icon": symbol,
                "current": current,
                "apart": name in {"people", "api-docs"},
            }
        )
    inner = _project_links(context, path)
    if any(link["current"] for link in inner):
        links = [{**link, "current": "" if link["current"] == "true" else link["current"]} for link in links]
    return {"links": links, "project": _project(context), "project_links": inner}


def _project(context: Context) -> Any:
    """The project that the page is about: its own, or that of its eval or dataset."""
    holders = (context.get("eval"), context.get("dataset"))
    return context.get("project") or next((holder.project for holder in holders if holder), None)


def _project_links(context: Context, path: str) -> list[dict[str, str]]:
    """The links of the project that the page is about; none on pages that are about no project."""
    project = getattr(_project(context), "public_id", "")
    links = []
    for name, words, symbol, prefixes in _PROJECT_RAIL:
        try:
            address = reverse(name, args=[project])
        except NoReverseMatch:
            continue
        current = "page" if path == address else ("true" if path.startswith((f"{address}/", *prefixes)) else "")
        links.append({"address": address, "words": words, "icon": symbol, "current": current})
    if len([link for link in links if link["current"]]) > 1:
        # A list inside the project is not also the project's first page.
        links[0]["current"] = ""
    return links


@register.filter
def toast_link(message: Any) -> dict[str, str] | None:
    """The link of a message made by `foundation.http.toasts.toast`: {"address", "words"}, or None."""
    try:
        link = json.loads(message.extra_tags or "null")
    except ValueError:
        return None
    return link if isinstance(link, dict) and {"address", "words"} <= link.keys() else None


@register.filter
def iso(moment: datetime) -> str:
    """`2026-03-21T14:00:00.000Z`, for attributes."""
    return times.iso(moment)


@register.inclusion_tag("components/ago.html")
def ago(moment: datetime | None) -> dict[str, object]:
    """`<time>5 min ago</time>` with the exact moment as its title; a dash for None."""
    return {"moment": moment, "words": figures.ago_text(moment, times.now()) if moment else figures.ABSENT}


@register.inclusion_tag("components/rate.html")
def rate(  # noqa: PLR0917 - a tag in a table reads best with its figures in a row
    value: float | None,
    count: int,
    total: int,
    errored: int = 0,
    low: float | None = None,
    high: float | None = None,
    *,
    large: bool = False,
    counts: str = "",
) -> dict[str, object]:
    """A rate with its denominator, its errored count and, when `low` and `high` are given, its interval.

    `counts` are other words for the denominator, where it is not so many of so many.
    """
    interval = value is not None and low is not None and high is not None
    return {
        "value": value,
        "count": count,
        "total": total,
        "errored": errored,
        "counts": counts,
        "large": large,
        "low": low,
        "high": high,
        "bar": {"from": _length(low), "to": _length(high), "point": _length(value)} if interval else None,
    }


@register.inclusion_tag("components/delta.html")
def delta(points: float | None, verdict: str, p: float | None = None) -> dict[str, object]:
    """A change in percentage points with its word: verdict is better, worse, none, few or undecided."""
    words, symbol = _DELTAS[verdict]
    return {"points": points, "verdict": verdict, "words": words, "icon": symbol, "p": figures.probability_text(p)}


@register.inclusion_tag("components/score.html")
def score_bar(
    score: float | None,
    threshold: float | None = None,
    status: str = "scored",
    *,
    wide: bool = False,
    figure: bool = True,
) -> dict[str, object]:
    """A score in [0, 1] as figure and bar, the threshold as a tick; hatched, with the word, when errored."""
    return {
        "score": score,
        "threshold": threshold,
        "errored": status in {"error", "errored"},
        "wide": wide,
        "figure": figure,
        "fill": _length(score),
        "tick": None if threshold is None else _length(threshold),
    }


@register.inclusion_tag("components/verdict.html")
def verdict(
    passed: bool | None,  # noqa: FBT001 - the stored verdict, handed on as it is
    status: str = "scored",
    *,
    large: bool = False,
) -> dict[str, object]:
    """The word and sign: passed, failed, errored (status error or errored), measured, or not gated (None)."""
    if status in {"error", "errored"}:
        state = "errored"
    elif status == "measured":
        state = "measured"
    else:
        state = {True: "passed", False: "failed", None: "ungated"}[passed]
    words, symbol = _VERDICTS[state]
    return {"state": state, "words": words, "icon": symbol, "large": large}


@register.inclusion_tag("components/contribution.html")
def contribution(
    weight: float,
    total_weight: float,
    largest_weight: float,
    score: float | None,
    method: str = "weightedAvg",
    *,
    decides: bool = False,
) -> dict[str, object]:
    """What one scorer adds to the composite.

    For weightedAvg the slot is as long as the scorer's share and the fill as long as what it adds, on one
    scale for all rows, so that the fills add up to the composite. For the other methods the bar is the score,
    and `decides` marks the lowest of a minimum.
    """
    share = weight / total_weight if total_weight else 0.0
    additive = method == "weightedAvg"
    slot = (weight / largest_weight if largest_weight else 0.0) if additive else 1.0
    return {
        "report_only": weight == 0,
        "additive": additive,
        "errored": score is None,
        "decides": decides,
        "share": share,
        "adds": None if score is None else share * score,
        "slot": _length(slot),
        "fill": _length(slot * (score or 0.0)),
    }


@register.inclusion_tag("components/marked_text.html")
def marked_text(text: str, spans: Iterable[Sequence[int]] = (), context: int | None = 300) -> dict[str, object]:
    """`text` with its matched [start, end) spans (UTF-16 code units) marked, and `context` characters around each."""
    return {"pieces": marks.mark_spans(text or "", spans or (), context)}


@register.inclusion_tag("components/marked_text.html")
def word_diff(before: str, after: str, context: int | None = 200) -> dict[str, object]:
    """`after` with what was inserted underlined and what was deleted struck, long unchanged stretches folded."""
    return {"pieces": marks.word_difference(before or "", after or "", context)}


@register.inclusion_tag("components/scale.html")
def number_scale(
    value: float,
    low: float | None = None,
    high: float | None = None,
    falloff: float | None = None,
    unit: str = "",
) -> dict[str, object]:
    """A number against the range it should be in, drawn on a line, with the same said in words for screen readers."""
    scale = scales.range_scale(value, low, high, falloff)
    inside = (low is None or value >= low) and (high is None or value <= high)
    bounds = [
        {"x": _length(place), "anchor": scale.anchor(place), "words": figures.number_text(bound)}
        for place, bound in ((scale.low, low), (scale.high, high))
        if place is not None
    ]
    if scale.bounds_together:
        middle = (scale.range_start + scale.range_end) / 2
        words = f"{figures.number_text(low)} to {figures.number_text(high)}"
        bounds = [{"x": _length(middle), "anchor": scale.anchor(middle), "words": words}]
    return {
        "value": value,
        "low": low,
        "high": high,
        "unit": unit,
        "inside": inside,
        "beyond": scale.beyond,
        "bounds": bounds,
        "place": _length(scale.value),
        "anchor": scale.anchor(scale.value),
        "range": {"from": _length(scale.range_start), "to": _length(scale.range_end)},
        "falloff": {"from": _length(scale.falloff_start), "to": _length(scale.falloff_end)} if falloff else None,
    }


@register.inclusion_tag("components/folded.html")
def folded(text: str | None, address: str = "", limit: int = 600) -> dict[str, object]:
    """Text as it is, cut after `limit` characters with "Show all", which fetches `address` in place."""
    whole = text or ""
    cut = len(whole) > limit
    return {
        "head": whole[:limit] if cut else whole,
        "rest": whole[limit:] if cut else "",
        "left_out": len(whole) - limit if cut else 0,
        "address": address,
    }


@register.inclusion_tag("components/progress.html")
def progress(done: int, total: int, errored: int = 0, note: str = "") -> dict[str, object]:
    """A bar of how much of long work is done, its errored part hatched, and the counts."""
    of = total or 1
    return {
        "done": done,
        "total": total,
        "errored": errored,
        "note": note,
        "fill": _length(done / of),
        "error_start": _length((done - errored) / of),
        "error_length": _length(errored / of),
    }


@register.inclusion_tag("components/spark.html")
def spark(values: Sequence[float | None], words: str = "") -> dict[str, object]:
    """A line of the last values in [0, 1], the newest with a dot; `words` says for screen readers what it shows."""
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    step = _SPARK_WIDTH / max(1, len(values) - 1)
    points = [(place * step, (1 - scales.within(value)) * _SPARK_HEIGHT) for place, value in known]
    return {
        "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in points),
        "last": {"x": f"{points[-1][0]:.1f}", "y": f"{points[-1][1]:.1f}"} if points else None,
        "words": words,
    }


@register.inclusion_tag("components/sort_header.html", takes_context=True)
def sort_header(
    context: Context, words: str, key: str, current: str = "", *, number: bool = False
) -> dict[str, object]:
    """A `<th>` whose link sorts by `key` (ascending, then `-key`), keeping every other filter of the address.

    `current` is the order the view applied; it resets the cursor.
    """
    query = context["request"].GET.copy()
    query["sort"] = f"-{key}" if current == key else key
    query.pop("cursor", None)
    order = {key: "ascending", f"-{key}": "descending"}.get(current, "")
    return {"words": words, "address": f"?{query.urlencode()}", "order": order, "number": number}


@register.filter
def sentence_list(items: Iterable[object]) -> str:
    """`a, b and c`."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


@register.filter
def entry(mapping: Mapping[Any, Any], key: object) -> object:
    """`mapping[key]`, or None: for keys that are not template names."""
    return mapping.get(key)
