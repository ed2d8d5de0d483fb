"""The answer in words says what the numbers say, and no more."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluations.comparison import ComparedRun, compare
from evaluations.findings import VERDICT_WORDS, detection_words, finding
from tests.evaluations.results import flips, measured, result, run


def comparison(verdict: str = "no_clear_difference", **members: Any) -> dict[str, Any]:
    """A document with the members that words are made of."""
    return {
        "run_id": "evrun_base",
        "compared_item_count": 100,
        "added_item_count": 0,
        "removed_item_count": 0,
        "edited_item_count": 0,
        "excluded_item_count": 0,
        "pass_rate_delta": 0.02,
        "delta_interval": {"low": -0.041, "high": 0.08, "level": 0.95},
        "flipped": {"improved": 12, "regressed": 10},
        "p_value": 0.61,
        "verdict": verdict,
        "scorers": {},
    } | members


def group(verdict: str, delta: float, p_value: float, **members: Any) -> dict[str, Any]:
    return comparison(verdict, pass_rate_delta=delta, delta_interval=None, p_value_holm=p_value, **members)


def scorer(verdict: str, delta: float, p_value: float, test: str = "sign_flip_exact") -> dict[str, Any]:
    return {
        "verdict": verdict,
        "mean_delta": delta,
        "delta_interval": None,
        "p_value": p_value / 2,
        "p_value_holm": p_value,
        "compared_count": 40,
        "excluded_count": 0,
        "test": test,
    }


def grouped(**groups: dict[str, Any]) -> dict[str, Any]:
    return {"group_by": "kind", "groups": groups, "ungrouped_item_count": 0}


ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "no clear difference, one kind worse": (
        comparison(
            grouping=grouped(
                refund=group("worse", -0.14, 0.004, compared_item_count=50),
                refusal=group("no_clear_difference", 0.08, 0.3),
            )
        ),
        (
            "No clear difference overall: +2.0 points (−4.1 … +8.0), p .61 over 100 shared items; "
            "refund is worse: −14.0 points, p .004 after correction over 50 items."
        ),
    ),
    "better": (
        comparison(
            "better",
            pass_rate_delta=0.1,
            p_value=0.0309,
            delta_interval={"low": 0.009, "high": 0.188, "level": 0.95},
        ),
        "Better overall: +10.0 points (+0.9 … +18.8), p .031 over 100 shared items.",
    ),
    "worse": (
        comparison("worse", pass_rate_delta=-0.1, p_value=0.0002, delta_interval=None),
        "Worse overall: −10.0 points, p < .001 over 100 shared items.",
    ),
    "too few": (
        comparison(
            "too_few_items",
            compared_item_count=4,
            pass_rate_delta=0.5,
            p_value=0.5,
            delta_interval=None,
            flipped={"improved": 2, "regressed": 0},
        ),
        (
            "Too few items to tell overall: +50.0 points, p .50 over 4 shared items; "
            "2 flipped, and fewer than 6 cannot show a difference."
        ),
    ),
    "one item": (
        comparison(
            "too_few_items",
            compared_item_count=1,
            pass_rate_delta=0.0,
            p_value=None,
            delta_interval=None,
            flipped={"improved": 0, "regressed": 0},
        ),
        "Too few items to tell overall: no verdict flipped over 1 shared item.",
    ),
    "nothing flipped": (
        comparison(pass_rate_delta=0.0, p_value=1.0, flipped={"improved": 0, "regressed": 0}),
        "No clear difference overall: no verdict flipped over 100 shared items.",
    ),
    "nothing shared": (
        comparison("too_few_items", compared_item_count=0, pass_rate_delta=None, p_value=None, delta_interval=None),
        "Nothing to compare: no item was scored in both runs unedited.",
    ),
    "not decided": (
        comparison(
            "not_decided",
            pass_rate_delta=0.1,
            p_value=0.03,
            delta_interval=None,
            excluded_item_count=12,
            delta_bounds={"low": -0.018, "high": 0.196},
        ),
        (
            "Not decided overall: +10.0 points, p .030 over 100 shared items, "
            "but the 12 items left out could turn it round (−1.8 … +19.6 points if all went one way)."
        ),
    ),
    "one kind and one scorer not decided": (
        comparison(
            grouping=grouped(
                a=group(
                    "not_decided",
                    0.1,
                    0.03,
                    excluded_item_count=1,
                    delta_bounds={"low": -0.01, "high": 0.2},
                )
            ),
            scorers={
                "s": scorer("not_decided", -0.2, 0.01)
                | {"excluded_count": 12, "delta_bounds": {"low": -0.4, "high": 0.05}},
                "other": scorer("no_clear_difference", 0.0, 1.0),
            },
        ),
        (
            "No clear difference overall: +2.0 points (−4.1 … +8.0), p .61 over 100 shared items; "
            "a is not decided: +10.0 points, p .030 after correction over 100 items, "
            "but the 1 item left out could turn it round (−1.0 … +20.0 points if all went one way); "
            "scorer s is not decided: −0.200 in the mean score, p .010 after correction over 40 items, "
            "but the 12 items left out could turn it round (−0.400 … +0.050 in the mean score if all went one way)."
        ),
    ),
    "scores": (
        comparison(
            "better",
            pass_rate_delta=None,
            score={"mean_delta": 0.0412},
            p_value=0.002,
            delta_interval={"low": 0.0119, "high": 0.0701, "level": 0.95},
            moved={"improved": 60, "regressed": 20},
            flipped={},
        ),
        "Better overall: +0.041 in the mean score (+0.012 … +0.070), p .002 over 100 shared items.",
    ),
    "scorers, the worst first, those without an answer left out": (
        comparison(
            scorers={
                "json_logic": scorer("better", 0.2, 0.01),
                "tone": scorer("no_clear_difference", 0.1, 0.4),
                "schema": scorer("worse", -0.25, 0.03, test="mcnemar_exact"),
                "ttft": {"mean_delta": None, "p_value": None, "value": {}},
            }
        ),
        (
            "No clear difference overall: +2.0 points (−4.1 … +8.0), p .61 over 100 shared items; "
            "scorer schema is worse: −25.0 points, p .030 after correction over 40 items; "
            "scorer json_logic is better: +0.200 in the mean score, p .010 after correction over 40 items."
        ),
    ),
    "the only scorer says what the items say": (
        comparison(scorers={"check": scorer("worse", -0.2, 0.01)}),
        "No clear difference overall: +2.0 points (−4.1 … +8.0), p .61 over 100 shared items.",
    ),
    "better, and one kind worse": (
        comparison("better", p_value=0.01, delta_interval=None, grouping=grouped(a=group("worse", -0.2, 0.02))),
        (
            "Better overall: +2.0 points, p .010 over 100 shared items; "
            "a is worse: −20.0 points, p .020 after correction over 100 items."
        ),
    ),
    "a kind with no name, and one with too much of it": (
        comparison(
            grouping=grouped(
                **{
                    "": group("worse", -0.3, 0.01),
                    "<b>x</b>\n" + "y" * 99: group("better", 0.2, 0.02),
                }
            )
        ),
        (
            "No clear difference overall: +2.0 points (−4.1 … +8.0), p .61 over 100 shared items; "
            "(no name) is worse: −30.0 points, p .010 after correction over 100 items; "
            f"<b>x</b> {'y' * 50}… is better: +20.0 points, p .020 after correction over 100 items."
        ),
    ),
}


@pytest.mark.parametrize(("document", "answer"), ANSWERS.values(), ids=ANSWERS.keys())
def test_the_answer_in_words(document: dict[str, Any], answer: str) -> None:
    assert finding(document).text.replace("\u00a0", " ") == answer


def test_what_is_said_stands_apart_from_its_numbers() -> None:
    found = finding(ANSWERS["no clear difference, one kind worse"][0])
    assert (found.overall.strong, found.overall.verdict) == ("No clear difference", "no_clear_difference")
    assert [(part.strong, part.verdict) for part in found.parts] == [("refund is worse", "worse")]


def test_many_kinds_are_counted_after_the_fifth() -> None:
    groups = {f"k{place}": group("worse", -place / 10, 0.01) for place in range(1, 9)}
    parts = finding(comparison(grouping=grouped(**groups))).parts
    assert [part.strong for part in parts] == [f"k{place} is worse" for place in (8, 7, 6, 5, 4)] + [
        "3 more groups are worse"
    ]
    del groups["k1"], groups["k2"]
    assert finding(comparison(grouping=grouped(**groups))).parts[-1].strong == "1 more group is worse"


@pytest.mark.parametrize(
    ("p_value", "words"),
    [
        (0.0499, "p .0499"),
        (0.04999, "p .04999"),
        (0.0495, "p .0495"),
        (0.049, "p .049"),
        (0.05, "p .050"),
        (1, "p 1.00"),
    ],
)
def test_a_p_value_never_reads_as_its_level_from_the_wrong_side(p_value: float, words: str) -> None:
    verdict = "better" if p_value < 0.05 else "no_clear_difference"
    assert f", {words} over" in finding(comparison(verdict, p_value=p_value)).text.replace("\u00a0", " ")


def test_a_small_difference_keeps_its_sign() -> None:
    text = finding(
        comparison(pass_rate_delta=-0.0002, delta_interval={"low": -0.02, "high": 0.00004, "level": 0.95})
    ).text
    assert "−0.02 points (−2.0 … +0.004)" in text


def test_notes_say_what_was_left_out_and_what_could_have_been_seen() -> None:
    notes = finding(
        comparison(
            edited_item_count=2,
            added_item_count=1,
            excluded_item_count=1_200,
            delta_bounds={"low": -0.9, "high": 0.93},
            detectable_change={"rate": 0.1238, "discordant_share": 0.2, "power": 0.8},
            changed_scorers=["a", "b"],
            removed_scorers=[f"s{place}" for place in range(7)],
        )
    ).notes
    assert notes == (
        "Compared: 100 shared items. Left out: 2 edited since, 1 added, 1,200 not scored in both runs.",
        "Had all that were not scored gone one way: −90.0 … +93.0 points.",
        "With 100 items: changes of 12 points or more would be found four times in five.",
        "Scorers that were changed between the runs: a, b.",
        "Scorers that only the baseline has: s0, s1, s2, s3, s4 and 2 more.",
    )
    assert finding(comparison("better", p_value=0.01, detectable_change={"discordant_share": 0.2})).notes == ()


@pytest.mark.parametrize(
    ("cases", "words"),
    [
        (40, "With 40 items: changes of 19 points or more"),
        (1, "With 1 item: no change of any size"),
        (5, "With 5 items: no change of any size"),
        (6, "With 6 items: changes of 86 points or more"),
        (1_000, "With 1,000 items: changes of 4 points or more"),
        (20_000, "With 20,000 items: changes of 0.9 points or more"),
    ],
)
def test_what_a_run_can_detect(cases: int, words: str) -> None:
    assert detection_words(cases) == words


def test_more_flips_make_it_harder_to_see() -> None:
    assert detection_words(100, 0.5) == "With 100 items: changes of 20 points or more"


sides = st.lists(st.tuples(st.sampled_from([True, False, None]), st.sampled_from([True, False, None])), max_size=30)


@given(sides, sides)
def test_the_words_follow_the_documents_of_real_runs(
    first: list[tuple[bool | None, bool | None]], second: list[tuple[bool | None, bool | None]]
) -> None:
    runs = [
        [
            result(f"{kind}{place:02}", pair[side], group=kind, said={"a": pair[side], "b": True})
            for kind, pairs in (("x", first), ("y", second))
            for place, pair in enumerate(pairs)
        ]
        for side in (0, 1)
    ]
    document = compare(ComparedRun("a", runs[0]), ComparedRun("b", runs[1]), group_by="kind")
    found = finding(document)
    assert found.overall.verdict == document["verdict"]
    said = {part.strong.removesuffix(" is worse") for part in found.parts if part.verdict == "worse"}
    entries = document["grouping"]["groups"] | {f"scorer {key}": entry for key, entry in document["scorers"].items()}
    assert said == {label for label, entry in entries.items() if entry["verdict"] == "worse"}
    for p_value in re.findall(r"\bp[\u00a0<]+(1\.00|\.\d+)", " ".join(part.text for part in found.parts)):
        assert float(p_value) <= 0.05


def test_real_runs_of_measurements_and_of_nothing_have_words() -> None:
    base, new = flips(70, 4, 14, 12)
    assert finding(compare(ComparedRun("a", run(base)), ComparedRun("b", run(new)))).overall.strong == "Better"
    assert finding(compare(ComparedRun("a", []), ComparedRun("b", []), group_by="k")).parts == ()
    timed = [
        [result(str(item), True, outcomes=[measured("t", 5.0), measured("u", time)]) for item in range(9)]
        for time in (1.0, 2.0)
    ]
    assert finding(compare(ComparedRun("a", timed[0]), ComparedRun("b", timed[1]))).parts == ()


def test_every_verdict_has_its_word() -> None:
    assert set(VERDICT_WORDS) == {"better", "worse", "no_clear_difference", "too_few_items", "not_decided"}
