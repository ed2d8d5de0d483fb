"""What a pipeline shows of a run and of the decision about it, as Markdown."""

from collections.abc import Iterator, Mapping
from typing import Any

from commandline.gate import Decision
from commandline.markdown import NOTHING, chance, figure, interval, name, points, share, table

Figures = Mapping[str, Any]


def summary(
    decision: Decision, run: Figures, evaluated: Figures, comparison: Figures | None, warnings: list[Any]
) -> str:
    """The whole text: the decision, the figures with what they are of, a table of scorers and one of kinds."""
    figures = run["aggregate_scores"]
    lines = [
        f"## {decision.word}: {name(evaluated['name'])}",
        "",
        decision.reason,
        "",
        *(_rates(run, figures) if figures else ()),
        *(_baseline(comparison) if comparison else ()),
        *(f"- Not judged alike: {name(warning.get('message', warning))}" for warning in warnings),
    ]
    if figures:
        lines += ["", *_scorers(figures, comparison)]
        groups = figures.get("grouping")
        if groups and groups["groups"]:
            lines += ["", *_kinds(groups, (comparison or {}).get("grouping"))]
    run_name = f" {name(run['name'])}" if run["name"] else ""
    return "\n".join([*lines, "", f"Run{run_name} {name(run['id'])}", ""])


def _rates(run: Figures, figures: Figures) -> Iterator[str]:
    scored, errored, total = figures["scored_item_count"], figures["errored_item_count"], run["item_count"]
    bounds = figures["pass_rate_interval"]
    range_words = f" (95 % interval {interval(bounds)})" if bounds else ""
    if figures["pass_rate"] is None:
        yield f"- Pass rate: none; {scored} of {total} items were scored"
    else:
        yield f"- Pass rate: **{share(figures['pass_rate'])}** of {scored} scored items{range_words}"
    yield f"- Errored: {errored} of {total} items, in no rate"
    if run["trials"] > 1:
        yield f"- Trials: {run['trials']} of each item; an item counts with the share of them that passed"


def _baseline(comparison: Figures) -> Iterator[str]:
    moved = comparison.get("flipped") or comparison.get("moved") or {"improved": 0, "regressed": 0}
    verdict = str(comparison["verdict"]).replace("_", " ")
    yield (
        f"- Against {name(comparison['run_id'])}: {verdict}; {points(comparison['pass_rate_delta'])} points over "
        f"{comparison['compared_item_count']} items scored in both (p {chance(comparison['p_value'])})"
    )
    yield f"- Flipped: {moved['improved']} improved, {moved['regressed']} regressed"
    others = ("added", "removed", "edited", "excluded")
    counted = [f"{comparison[f'{word}_item_count']} {word}" for word in others if comparison[f"{word}_item_count"]]
    if counted:
        yield f"- Not compared: {', '.join(counted)}"


def _scorers(figures: Figures, comparison: Figures | None) -> list[str]:
    against = (comparison or {}).get("scorers", {})
    heads = ["scorer", "mean", "pass rate", "scored", "errored", *(["points", "corrected p"] if comparison else ())]
    rows = []
    for key, entry in figures["scorers"].items():
        row = [name(key), figure(entry["mean"]), share(entry["pass_rate"])]
        row += [str(entry["scored_count"]), str(entry["errored_count"])]
        if comparison:
            change = against.get(key, {})
            row += [points(change.get("pass_rate_delta")), chance(change.get("p_value_holm"))]
        rows.append(row)
    return table(heads, rows)


def _kinds(grouping: Figures, against: Figures | None) -> list[str]:
    heads = [name(grouping["group_by"]), "pass rate", "95 % interval", "scored", "errored"]
    heads += ["points", "improved / regressed", "corrected p", "verdict"] if against else []
    rows = []
    for label, entry in grouping["groups"].items():
        row = [name(label), share(entry["pass_rate"]), interval(entry["pass_rate_interval"])]
        row += [str(entry["scored_item_count"]), str(entry["errored_item_count"])]
        rows.append([*row, *(_kind_change(against["groups"].get(label)) if against else ())])
    return table(heads, rows)


def _kind_change(change: Figures | None) -> list[str]:
    if change is None:
        return [NOTHING] * 4
    moved = change.get("flipped") or change.get("moved") or {"improved": 0, "regressed": 0}
    corrected = change.get("p_value_holm")
    return [
        points(change["pass_rate_delta"]),
        f"{moved['improved']} / {moved['regressed']}",
        chance(corrected),
        str(change["verdict"]).replace("_", " "),
    ]
