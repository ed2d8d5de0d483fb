"""The gate: from a run to an exit status, and to a summary in which a name is only a name."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commandline import markdown
from commandline.transport import Wanted
from tests.commandline.fakes import Desk, FakeAnswer, Screen, answering, refusing

KIND_HEADS = (
    *("kind", "pass rate", "95 % interval", "scored", "errored"),
    *("points", "improved / regressed", "corrected p", "verdict"),
)
GATE = ("gate", "--eval-id", "eval_1", "--run-id", "evrun_2")
EVAL = {"id": "eval_1", "name": "refund-triage", "pass_threshold": 0.75, "min_coverage": 0.9}


def figures(rate: float | None = 0.8, scored: int = 10, errored: int = 0, **members: Any) -> dict[str, Any]:
    entry = {"mean": rate, "pass_rate": rate, "scored_count": scored, "errored_count": errored}
    interval = None if rate is None else {"low": 0.49, "high": 0.943, "level": 0.95}
    return {
        "scorers": {"output_schema": entry},
        "pass_rate": rate,
        "pass_rate_interval": interval,
        "scored_item_count": scored,
        "errored_item_count": errored,
        "coverage": scored / (scored + errored) if scored + errored else None,
        **members,
    }


def compared(verdict: str = "no_clear_difference", delta: float | None = 0.0, **members: Any) -> dict[str, Any]:
    counts = {f"{word}_item_count": 0 for word in ("added", "removed", "edited", "excluded")}
    return {
        "run_id": "evrun_1",
        "compared_item_count": 10,
        **counts,
        "pass_rate_delta": delta,
        "flipped": {"improved": 2, "regressed": 1},
        "p_value": 0.25,
        "verdict": verdict,
        "scorers": {"output_schema": {"pass_rate_delta": 0.1, "p_value": 0.25, "p_value_holm": 0.5}},
        **members,
    }


def run_of(aggregates: Any, *, passed: bool | None = True, status: str = "completed", **members: Any) -> dict[str, Any]:
    total = aggregates["scored_item_count"] + aggregates["errored_item_count"] if aggregates else 4
    return {
        "id": "evrun_2",
        "name": "",
        "status": status,
        "passed": passed,
        "trials": 1,
        "item_count": total,
        "result_count": total,
        "completed_count": total,
        "errored_count": 0,
        "error": None,
        "aggregate_scores": aggregates,
        **members,
    }


def gate(
    run: Any, *words: str, evaluated: Mapping[str, Any] = EVAL, desk: Desk | None = None, **compare: Any
) -> Screen:
    def reply(wanted: Wanted) -> FakeAnswer:
        path = wanted.url.removeprefix("http://localhost:3001/api/v1/evals/eval_1")
        known = {"": evaluated, "/runs/evrun_2": run, "/compare?run=evrun_2&baseline=evrun_0": compare or None}
        found = known.get(path)
        return refusing(404, "RESOURCE_NOT_FOUND") if found is None else answering(found)

    return (desk or Desk()).run(*GATE, *words, reply=reply)


def said(screen: Screen) -> str:
    """The sentence below the summary's head."""
    assert screen.stderr == ""
    return screen.text.splitlines()[2]


@pytest.mark.parametrize(
    ("run", "words", "status", "sentence"),
    [
        (run_of(figures()), (), 0, "The pass rate reaches the threshold."),
        (run_of(figures(), passed=None), (), 0, "The eval has no threshold."),
        (run_of(figures(0.5), passed=False), (), 1, "50.0 % of the items passed; the eval asks for 75.0 %."),
        (run_of(None, status="canceled", passed=None), (), 2, "The run is canceled."),
        (run_of(None, status="failed", passed=None, error={"message": "Why."}), (), 2, "The run is failed. Why."),
        (run_of(figures(None, 0, 4), passed=False), (), 2, "None of 4 items was scored."),
        (run_of(figures(1, 8, 2), passed=False), (), 2, "Only 80.0 % could be scored; the eval asks for 90.0 %."),
        (run_of(figures(), passed=True), ("--require-verdict",), 2, "There is no baseline to compare with."),
        (run_of(figures(), passed=True), ("--no-worse-than", "0.1"), 2, "There is no baseline to compare with."),
    ],
)
def test_a_run_by_itself(run: Any, words: tuple[str, ...], status: int, sentence: str) -> None:
    screen = gate(run, *words)
    assert (screen.status, said(screen)) == (status, sentence)
    assert screen.text.startswith(f"## {('Passed', 'Failed', 'Not decided')[status]}: refund\\-triage\n")


@pytest.mark.parametrize(
    ("comparison", "passed", "words", "status", "sentence"),
    [
        (compared(), None, (), 0, "The eval has no threshold. The run is not worse than its baseline."),
        (compared("better", 0.2), True, ("--require-verdict",), 0, "The pass rate reaches the threshold."),
        (compared("worse", -0.4), None, (), 1, "The run is worse than its baseline."),
        (compared("worse", -0.4), True, (), 1, "The run is worse than its baseline."),
        (compared("too_few_items", -0.3), True, (), 0, "The pass rate reaches the threshold."),
        (compared("too_few_items"), True, ("--require-verdict",), 2, "The comparison with the baseline says: too few"),
        (
            compared("not_decided"),
            True,
            ("--require-verdict",),
            2,
            "The comparison with the baseline says: not decided.",
        ),
        (compared(delta=-0.1), True, ("--no-worse-than", "0.1"), 0, "The pass rate reaches the threshold."),
        (compared(delta=-0.11), True, ("--no-worse-than", "0.1"), 1, "The pass rate moved by −11.0 points; 10.0 less"),
        (compared(delta=None), True, ("--no-worse-than", "0"), 2, "No item was judged in both runs."),
        (compared("too_few_items", 0.3), False, ("--require-verdict",), 2, "The comparison with the baseline says"),
        (compared("better", 0.3), False, (), 1, "80.0 % of the items passed"),
    ],
)
def test_a_run_with_a_baseline(
    comparison: Any, passed: bool | None, words: tuple[str, ...], status: int, sentence: str
) -> None:
    screen = gate(run_of(figures(baseline=comparison), passed=passed), *words)
    assert (screen.status, said(screen).startswith(sentence)) == (status, True), said(screen)


def test_a_rate_just_below_the_threshold_is_not_shown_as_reaching_it() -> None:
    screen = gate(run_of(figures(0.74999), passed=False))
    assert said(screen) == "0.74999 of the items passed; the eval asks for 0.75."


def test_another_baseline_is_compared_by_the_server() -> None:
    answer = {"comparison": compared("worse", -0.5, run_id="evrun_0"), "warnings": [{"message": "Other scorers."}]}
    screen = gate(run_of(figures(baseline=compared())), "--baseline-run-id", "evrun_0", **answer)
    assert (screen.status, said(screen)) == (1, "The run is worse than its baseline.")
    assert "- Against evrun\\_0: worse; −50.0 points over 10 items scored in both (p 0.250)" in screen.text
    assert "- Not judged alike: Other scorers\\." in screen.text


def test_what_cannot_be_asked_is_not_decided() -> None:
    screen = gate(run_of(figures()), "--baseline-run-id", "evrun_0")
    assert (screen.status, screen.stdout, screen.error["code"]) == (2, b"", "RESOURCE_NOT_FOUND")
    late = gate(run_of(None, status="running", passed=None), "--timeout", "1")
    assert (late.status, late.stdout, late.error["code"]) == (2, b"", "TIMED_OUT")


@pytest.mark.parametrize("words", [("--no-worse-than", "2"), ("--no-worse-than=-0.1",), ("--no-worse-than", "nan")])
def test_a_share_that_is_none_is_refused(words: tuple[str, ...]) -> None:
    screen = gate(run_of(figures()), *words)
    assert (screen.status, screen.wanted, screen.error["code"]) == (2, [], "USAGE")


def test_the_summary_has_every_figure_with_what_it_is_of() -> None:
    group = {"scorers": {}, "pass_rate": 0.5, "pass_rate_interval": {"low": 0.0945, "high": 0.9055}}
    group |= {"scored_item_count": 2, "errored_item_count": 1}
    change = compared("too_few_items", 0.5, p_value_holm=1.0)
    grouping = {"group_by": "kind", "groups": {"refund": group, "": group}, "ungrouped_item_count": 0}
    changes = {"group_by": "kind", "groups": {"refund": change}, "ungrouped_item_count": 0}
    comparison = compared(edited_item_count=2, excluded_item_count=1, grouping=changes)
    run = run_of(figures(0.8, 10, 1, baseline=comparison, grouping=grouping), trials=3, name="nightly")
    assert gate(run).text.splitlines() == [
        "## Passed: refund\\-triage",
        "",
        "The pass rate reaches the threshold. The run is not worse than its baseline.",
        "",
        "- Pass rate: **80.0 %** of 10 scored items (95 % interval 49.0 % to 94.3 %)",
        "- Errored: 1 of 11 items, in no rate",
        "- Trials: 3 of each item; an item counts with the share of them that passed",
        "- Against evrun\\_1: no clear difference; 0.0 points over 10 items scored in both (p 0.250)",
        "- Flipped: 2 improved, 1 regressed",
        "- Not compared: 2 edited, 1 excluded",
        "",
        "| scorer | mean | pass rate | scored | errored | points | corrected p |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| output\\_schema | 0.800 | 80.0 % | 10 | 1 | +10.0 | 0.500 |",
        "",
        f"| {' | '.join(KIND_HEADS)} |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        "| refund | 50.0 % | 9.4 % to 90.5 % | 2 | 1 | +50.0 | 2 / 1 | 1.000 | too few items |",
        "| *(empty)* | 50.0 % | 9.4 % to 90.5 % | 2 | 1 | – | – | – | – |",
        "",
        "Run nightly evrun\\_2",
        "",
    ]


def test_the_summary_is_added_to_the_file_of_the_pipeline(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("Before.\n")
    screen = gate(run_of(figures()), desk=Desk({"GITHUB_STEP_SUMMARY": str(file)}))
    assert file.read_text() == f"Before.\n{screen.text}"


def test_a_file_that_cannot_be_written_does_not_change_the_decision(tmp_path: Path) -> None:
    screen = gate(run_of(figures()), desk=Desk({"GITHUB_STEP_SUMMARY": str(tmp_path)}))
    assert (screen.status, json.loads(screen.stderr)["error"]["code"]) == (0, "SUMMARY_NOT_WRITTEN")


HOSTILE = "x | y\n# Passed <img src=x onerror=a> [a](http://b) `c` **d** ![e](f) \u202e\x1b[31m"


def test_a_hostile_name_is_only_a_name() -> None:
    entry = {"mean": 1.0, "pass_rate": 1.0, "scored_count": 1, "errored_count": 0}
    text = gate(run_of(figures(scorers={HOSTILE: entry}), name=HOSTILE), evaluated={**EVAL, "name": HOSTILE}).text
    assert text.count("\n#") == 0
    assert len({line.count("|") - line.count("\\|") for line in text.splitlines() if line.startswith("|")}) == 1
    assert "\x1b" not in text
    assert "\u202e" not in text


@given(st.text())
def test_no_name_is_markup(text: str) -> None:
    shown = markdown.name(text)
    assert "\n" not in shown
    if shown != "*(empty)*":
        # Each mark that could mean something stands behind a backslash of its own.
        assert re.fullmatch(r"(?:[^!-/:-@\[-`{-~]|\\[!-/:-@\[-`{-~])+", shown)
        plain = re.sub(r"\\(.)", r"\1", shown)
        assert len(plain) <= 120
        assert plain in " ".join(text.split()) or plain.endswith("…") or not text.isprintable()


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0, "0.0 %"), (1, "100.0 %"), (0.9999, "> 99.9 %"), (0.0001, "< 0.1 %"), (0.8, "80.0 %")],
)
def test_all_and_nothing_are_said_of_nothing_else(value: float | None, shown: str) -> None:
    assert markdown.share(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "–"), (0, "0.0"), (0.5, "+50.0"), (-0.125, "−12.5"), (-0.0001, "−0.01")]
)
def test_differences_have_their_sign(value: float | None, shown: str) -> None:
    assert markdown.points(value) == shown
