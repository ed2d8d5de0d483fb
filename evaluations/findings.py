"""PURE: a comparison document → the answer in words. It never says more than the numbers do.

Names of groups and scorers are other people's text: they are cut to one line and left to be escaped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluations.comparison.changes import ALPHA, BETTER, NO_CLEAR_DIFFERENCE, NOT_DECIDED, TOO_FEW_ITEMS, WORSE
from evaluations.statistics.paired import smallest_p
from evaluations.statistics.planning import DISCORDANT_SHARE, detectable_rate_change
from foundation.figures import count_text, probability_text, signed_text
from scoring.kit.text import shortened

VERDICT_WORDS: Mapping[str, str] = {
    BETTER: "Better",
    WORSE: "Worse",
    NO_CLEAR_DIFFERENCE: "No clear difference",
    TOO_FEW_ITEMS: "Too few items",
    NOT_DECIDED: "Not decided: errors",
}
"""How a verdict reads beside a number."""

_ORDER = (WORSE, NOT_DECIDED, BETTER)
_NAMED_AT_MOST = 5
_MOST_PLACES = 6
_FEWEST_FLIPS = next(flips for flips in range(1, 64) if smallest_p(flips) < ALPHA)

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement: `strong` is what it says, `rest` the numbers behind it. The verdict is a word of the contract."""

    verdict: str
    strong: str
    rest: str

    @property
    def text(self) -> str:
        """Both, as plain text."""
        return self.strong + self.rest


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer: `overall`, then each `parts` that moved (worst first), then `notes` on what was counted."""

    overall: Sentence
    parts: tuple[Sentence, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """The answer as plain text, without the notes."""
        return "; ".join(sentence.text for sentence in (self.overall, *self.parts)) + "."


@dataclass(frozen=True, slots=True)
class _Scale:
    """How a difference is written: 100 and one decimal for rates, 1 and three for scores."""

    factor: int
    places: int
    unit: str

    def number(self, value: float) -> str:
        """The signed number, with as many decimals as it needs to keep its sign."""
        texts = (signed_text(value * self.factor, places) for places in range(self.places, _MOST_PLACES + 1))
        rounded = signed_text(value * self.factor, self.places)
        return next((text for text in texts if value == 0 or not text[0].isdigit()), rounded)

    def span(self, interval: Mapping[str, float]) -> str:
        """Both ends of an interval."""
        return f"{self.number(interval['low'])} … {self.number(interval['high'])}"


_POINTS, _SCORE = _Scale(100, 1, "points"), _Scale(1, 3, "in the mean score")


def finding(comparison: Document) -> Finding:
    """The answer to a document of `evaluations.comparison.compare`.

    The overall verdict comes first, whatever it is; then the groups and scorers for which one can
    be given, by their corrected p values; those with no clear difference are not listed, since
    nothing is known of them.
    """
    groups = comparison.get("grouping", {}).get("groups", {})
    scorers = comparison["scorers"] if len(comparison["scorers"]) > 1 else {}
    parts = [*_parts(groups, "groups"), *_parts(scorers, "scorers")]
    return Finding(_overall(comparison), tuple(parts), tuple(_notes(comparison)))


def detection_words(cases: int, discordant_share: float = DISCORDANT_SHARE) -> str:
    """What a run can detect: "With 40 items: changes of 19 points or more".

    Four times in five, with p < .05, when one item in five changes its verdict, unless
    `discordant_share` says otherwise.
    """
    rate = detectable_rate_change(cases, discordant_share)
    if rate is None:
        return f"With {_items(cases)}: no change of any size"
    return f"With {_items(cases)}: changes of {_whole_points(rate)} or more"


def _whole_points(rate: float) -> str:
    points = f"{100 * rate:.0f}" if rate >= 0.01 else f"{100 * rate:.1f}"
    return f"{points} {'point' if points == '1' else 'points'}"


def _overall(comparison: Document) -> Sentence:
    verdict = comparison["verdict"]
    delta, scale = _delta(comparison)
    count = comparison["compared_item_count"]
    if delta is None:
        return Sentence(TOO_FEW_ITEMS, "Nothing to compare", ": no item was scored in both runs unedited")
    moved = comparison.get("flipped") or comparison.get("moved") or {}
    flips = moved.get("improved", 0) + moved.get("regressed", 0)
    if not flips:
        kind = "verdict flipped" if scale is _POINTS else "score moved"
        strong = {TOO_FEW_ITEMS: "Too few items to tell"}.get(verdict, "No clear difference")
        return Sentence(verdict, strong, f" overall: no {kind} over {_items(count, 'shared ')}")
    numbers = f"{_numbers(comparison)} over {_items(count, 'shared ')}"
    if verdict == TOO_FEW_ITEMS:
        word = "flipped" if scale is _POINTS else "moved"
        least = f"{flips} {word}, and fewer than {_FEWEST_FLIPS} cannot show a difference"
        return Sentence(verdict, "Too few items to tell", f" overall: {numbers}; {least}")
    if verdict == NOT_DECIDED:
        return Sentence(verdict, "Not decided", f" overall: {numbers}, but {_turned(comparison, scale)}")
    return Sentence(verdict, VERDICT_WORDS[verdict], f" overall: {numbers}")


def _parts(entries: Mapping[str, Document], kind: str) -> Iterator[Sentence]:
    """The entries with something to say, worst first; each verdict names five and counts the others."""
    for verdict in _ORDER:
        found = [(label, entry) for label, entry in entries.items() if entry.get("verdict") == verdict]
        found.sort(key=lambda pair: -abs(_delta(pair[1])[0] or 0))
        for label, entry in found[:_NAMED_AT_MOST]:
            yield _part(label, entry, verdict, kind)
        others = len(found) - _NAMED_AT_MOST
        if others > 0:
            word = {BETTER: "better", WORSE: "worse", NOT_DECIDED: "not decided"}[verdict]
            more = f"{others} more {kind if others > 1 else kind.removesuffix('s')}"
            yield Sentence(verdict, f"{more} {'are' if others > 1 else 'is'} {word}", " after correction")


def _part(label: str, entry: Document, verdict: str, kind: str) -> Sentence:
    _, scale = _delta(entry)
    name = shortened(label) or "(no name)"
    subject = name if kind == "groups" else f"scorer {name}"
    count = entry["compared_item_count"] if kind == "groups" else entry["compared_count"]
    numbers = f"{_numbers(entry)} after correction over {_items(count)}"
    if verdict == NOT_DECIDED:
        return Sentence(verdict, f"{subject} is not decided", f": {numbers}, but {_turned(entry, scale)}")
    return Sentence(verdict, f"{subject} is {verdict}", f": {numbers}")


def _delta(entry: Document) -> tuple[float | None, _Scale]:
    """What the verdict is about, and how it is written: scorers of passes and fails have points too."""
    if entry.get("compared_item_count") is not None:
        if entry["pass_rate_delta"] is not None:
            return entry["pass_rate_delta"], _POINTS
        return entry.get("score", {}).get("mean_delta"), _SCORE
    return entry["mean_delta"], _POINTS if entry.get("test") == "mcnemar_exact" else _SCORE


def _numbers(entry: Document) -> str:
    delta, scale = _delta(entry)
    interval = entry.get("delta_interval")
    p_value = entry["p_value_holm"] if "p_value_holm" in entry else entry["p_value"]
    parts = [
        f"{scale.number(delta or 0)} {scale.unit}",
        f" ({scale.span(interval)})" if interval else "",
        f", {_probability(p_value)}" if p_value is not None else "",
    ]
    return "".join(parts)


def _probability(p_value: float) -> str:
    """`p .031`; a p value just under the level never reads as the level itself."""
    text = probability_text(p_value)
    if p_value >= ALPHA or not text.endswith(".050"):
        return text
    digits = next((n for n in range(4, 17) if float(f"{p_value:.{n}f}") < ALPHA), 17)
    return text.removesuffix(".050") + f"{p_value:.{digits}f}".removeprefix("0")


def _turned(entry: Document, scale: _Scale) -> str:
    excluded = entry.get("excluded_item_count", entry.get("excluded_count", 0))
    bounds = scale.span(entry["delta_bounds"])
    return f"the {_items(excluded)} left out could turn it round ({bounds} {scale.unit} if all went one way)"


def _notes(comparison: Document) -> Iterator[str]:
    counts = [
        f"{count_text(comparison[member])} {words}"
        for member, words in (
            ("edited_item_count", "edited since"),
            ("added_item_count", "added"),
            ("removed_item_count", "removed"),
            ("excluded_item_count", "not scored in both runs"),
        )
        if comparison[member]
    ]
    if counts:
        yield f"Compared: {_items(comparison['compared_item_count'], 'shared ')}. Left out: {', '.join(counts)}."
    delta, scale = _delta(comparison)
    bounds = comparison.get("delta_bounds")
    if bounds and delta is not None and comparison["verdict"] != NOT_DECIDED:
        yield f"Had all that were not scored gone one way: {scale.span(bounds)} {scale.unit}."
    detectable = comparison.get("detectable_change")
    if detectable and comparison["verdict"] in {NO_CLEAR_DIFFERENCE, TOO_FEW_ITEMS}:
        words = detection_words(comparison["compared_item_count"], detectable["discordant_share"])
        yield f"{words} would be found four times in five."
    for member, words in (
        ("changed_scorers", "Scorers that were changed between the runs"),
        ("added_scorers", "Scorers that only the newer run has"),
        ("removed_scorers", "Scorers that only the baseline has"),
    ):
        if comparison.get(member):
            yield f"{words}: {_named(comparison[member])}."


def _named(keys: Sequence[str]) -> str:
    shown = ", ".join(shortened(key) for key in keys[:_NAMED_AT_MOST])
    return shown if len(keys) <= _NAMED_AT_MOST else f"{shown} and {len(keys) - _NAMED_AT_MOST} more"


def _items(count: int, kind: str = "") -> str:
    return f"{count_text(count)} {kind}{'item' if count == 1 else 'items'}"
