"""Each scorer's mean, with how many it could measure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from foundation.figures import count_text, score_text
from scoring.charts.points import Figure, Tally, column, distinct

MOST_SCORERS = 40
MOST_DRAWN = 12
_ERROR_SIGN = " \u26a0"


@dataclass(slots=True)
class ScorerTallies:
    """Each scorer's scores, taken from breakdowns one by one, the newest first."""

    tallies: dict[tuple[str, str], Tally] = field(default_factory=dict)
    names: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    evaluations: int = 0
    entries: int = 0

    def add(self, profile_id: str, profile_name: str, breakdown: Iterable[Mapping[str, Any]]) -> None:
        """Take in one evaluation's breakdown."""
        self.evaluations += 1
        for entry in breakdown:
            self.entries += 1
            key = (profile_id, str(entry.get("scorerId")))
            if key not in self.tallies:
                self.tallies[key] = Tally()
                self.names[key] = (str(entry.get("scorerName")), profile_name)
            self.tallies[key].add(entry.get("score"), errored=entry.get("status") == "error")


def by_scorer(scorers: ScorerTallies, total: int) -> Figure:
    """Each scorer's mean, the lowest first: of more than forty, those with most evaluations.

    The twelve lowest are drawn; the table has all forty.

    `total` is how many evaluations the other figures cover: said when these cover fewer.
    """
    frequent = sorted(scorers.tallies, key=lambda key: -scorers.tallies[key].total)[:MOST_SCORERS]
    several = len({profile_id for profile_id, _ in frequent}) > 1
    labels = distinct(
        [
            (f"{name} · {profile}" if several else name, scorer_id)
            for (_, scorer_id), (name, profile) in ((key, scorers.names[key]) for key in frequent)
        ]
    )
    rows = [(label, scorers.tallies[key]) for label, key in zip(labels, frequent, strict=True)]
    rows.sort(key=lambda row: (row[1].mean is None, row[1].mean or 0.0, -row[1].total, row[0]))
    return Figure(
        id="score-by-scorer",
        title="Mean score by scorer",
        note=_scorers_note(scorers, total),
        plot={"data": [_dots(rows[:MOST_DRAWN])], "layout": _dots_layout()},
        columns=[column("Scorer"), *(column(words, number=True) for words in ("Mean", "Scored", "Errored", "All"))],
        rows=[
            [label, score_text(tally.mean), *map(count_text, (tally.scored, tally.errored, tally.total))]
            for label, tally in rows
        ],
    )


def _dots(rows: Sequence[tuple[str, Tally]]) -> dict[str, Any]:
    """A dot a scorer; beside it, on the side with more room, how many the mean is over."""
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [tally.mean for _, tally in rows],
        "y": [label for label, _ in rows],
        "text": [f" {tally.scored:,}/{tally.total:,}{_ERROR_SIGN if tally.errored else ''} " for _, tally in rows],
        "textposition": ["middle left" if (tally.mean or 0) > 0.6 else "middle right" for _, tally in rows],
        "textfont": {"color": "var:muted", "size": 11},
        "customdata": [f"{label}: {tally.words}" for label, tally in rows],
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {"color": "var:accent", "size": 9},
        "cliponaxis": False,
    }


def _dots_layout() -> dict[str, Any]:
    return {
        "meta": {"grid": "x"},
        "xaxis": {"range": [-0.03, 1.2], "tickvals": [0, 0.5, 1], "title": {"text": "Mean score"}},
        "yaxis": {"type": "category", "autorange": "reversed"},
    }


def _scorers_note(scorers: ScorerTallies, total: int) -> str:
    drawn = f"The {MOST_DRAWN} lowest" if len(scorers.tallies) > MOST_DRAWN else "The lowest first"
    notes = [f"{drawn}. Beside each mean, how many of how many scored; {_ERROR_SIGN.strip()} where some errored."]
    if scorers.evaluations < total:
        notes.append(f"Over the newest {count_text(scorers.evaluations)} of these {count_text(total)} evaluations.")
    if len(scorers.tallies) > MOST_SCORERS:
        notes.append(f"Of the {MOST_SCORERS} most used of {count_text(len(scorers.tallies))} scorers.")
    return " ".join(notes)
