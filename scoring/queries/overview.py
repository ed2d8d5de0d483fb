"""Figures of the overview: bounded reads from the newest end of the indexes, whatever the number of rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import F, OuterRef, Subquery

from foundation import times
from foundation.figures import score_text
from foundation.intervals import wilson
from scoring.history_filters import HistoryFilter, HistoryPage
from scoring.models import Evaluation, Profile
from scoring.queries.history import history_page

WINDOW_DAYS = 30
MOST_PROFILES = 10
NEWEST_A_PROFILE = 100
SPARK_LENGTH = 20
NEWEST_LISTED = 10
NEWEST_LOOKED_AT = 200
MOST_FAILURES = 8
_DOWN_TO_DATE = ("-created_at", "-id")


@dataclass(frozen=True, slots=True)
class Recent:
    """A profile's newest evaluations of the last 30 days, at most 100.

    `mean` is over the scored ones; `pass_rate` over those with a verdict, `low` and `high` its 95 %
    interval. All None when there is nothing to say it of. `spark` is oldest first, None for no score.
    """

    profile: Profile
    newest: datetime
    total: int
    scored: int
    errored: int
    mean: float | None
    passed: int
    gated: int
    spark: Sequence[float | None]
    capped: bool

    @property
    def pass_rate(self) -> float | None:
        """The share that passed of those with a verdict."""
        return self.passed / self.gated if self.gated else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson interval of the pass rate."""
        return wilson(self.passed, self.gated)

    @property
    def spark_words(self) -> str:
        """The last scores, for those who do not see the line."""
        return "Scores, oldest first: " + ", ".join(score_text(score) for score in self.spark)

    @property
    def errored_share(self) -> float:
        """The share that could not be measured."""
        return self.errored / self.total if self.total else 0.0


def recent_by_profile(now: datetime | None = None) -> list[Recent]:
    """The ten profiles that were used last, the last used first.

    One query, and one for each of them: a union of limited queries is not to be had on SQLite.
    """
    since = (now or times.now()) - timedelta(days=WINDOW_DAYS)
    newest = Evaluation.objects.filter(profile=OuterRef("pk")).order_by(*_DOWN_TO_DATE).values("created_at")[:1]
    profiles = list(
        Profile.objects.filter(deleted_at=None)
        .annotate(newest=Subquery(newest))
        .filter(newest__gte=since)
        .order_by(F("newest").desc(), "id")[:MOST_PROFILES]
    )
    return [_recent(profile, _newest_of(profile.pk, since)) for profile in profiles]


Row = tuple[datetime, str, float | None, bool | None]


def _newest_of(profile_id: str, since: datetime) -> list[Row]:
    """(moment, status, score, verdict) of a profile's newest evaluations, one more than is counted."""
    rows = Evaluation.objects.filter(profile_id=profile_id, created_at__gte=since).order_by(*_DOWN_TO_DATE)
    return list(rows.values_list("created_at", "status", "score", "passed")[: NEWEST_A_PROFILE + 1])


def _recent(profile: Profile, rows: Sequence[Row]) -> Recent:
    counted = rows[:NEWEST_A_PROFILE]
    scores = [score for _, _, score, _ in counted if score is not None]
    verdicts = [passed for *_, passed in counted if passed is not None]
    return Recent(
        profile=profile,
        newest=rows[0][0],
        total=len(counted),
        scored=len(scores),
        errored=sum(status == Evaluation.Status.ERRORED for _, status, _, _ in counted),
        mean=sum(scores) / len(scores) if scores else None,
        passed=sum(verdicts),
        gated=len(verdicts),
        spark=[score for _, _, score, _ in reversed(counted[:SPARK_LENGTH])],
        capped=len(rows) > NEWEST_A_PROFILE,
    )


def newest_evaluations() -> list[Evaluation]:
    """The ten newest evaluations, with the columns that a table shows. One query."""
    return history_page(HistoryFilter(), HistoryPage(limit=NEWEST_LISTED), listed=True).rows


@dataclass(slots=True)
class ScorerFailures:
    """How one scorer of a profile did among the newest evaluations."""

    profile_id: str
    profile_name: str
    scorer_id: str
    name: str = ""
    type: str = ""
    failed: int = 0
    errored: int = 0
    total: int = 0
    newest_failure: str = field(default="")
    """The public id of the newest evaluation in which it failed or erred."""

    @property
    def measured(self) -> int:
        """In how many it gave a verdict."""
        return self.total - self.errored

    @property
    def failed_share(self) -> float | None:
        """The share that failed of those it measured."""
        return self.failed / self.measured if self.measured else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson interval of that share."""
        return wilson(self.failed, self.measured)


def failing_most() -> tuple[list[ScorerFailures], int]:
    """The scorers that failed or erred most among the newest 200 evaluations, and how many those are.

    One query; a scorer that never did is left out, and so is one that counts for nothing (weight 0).
    """
    rows = list(
        Evaluation.objects.order_by(*_DOWN_TO_DATE).values_list("public_id", "profile_id", "profile_name", "breakdown")[
            :NEWEST_LOOKED_AT
        ]
    )
    found: dict[tuple[str, str], ScorerFailures] = {}
    for public_id, profile_id, profile_name, breakdown in rows:
        for entry in breakdown:
            if entry["weight"] == 0 and not entry.get("required"):
                continue
            key = (profile_id, str(entry["scorerId"]))
            failures = found.setdefault(key, ScorerFailures(profile_id, profile_name, key[1]))
            _count(failures, entry, public_id)
    troubled = [failures for failures in found.values() if failures.failed or failures.errored]
    troubled.sort(key=lambda failures: (-(failures.failed + failures.errored), failures.total, failures.name))
    return troubled[:MOST_FAILURES], len(rows)


def _count(failures: ScorerFailures, entry: dict[str, object], public_id: str) -> None:
    failures.name = failures.name or str(entry["scorerName"])
    failures.type = failures.type or str(entry["type"])
    failures.total += 1
    failed, errored = entry["passed"] is False, entry["status"] == "error"
    failures.failed += failed
    failures.errored += errored
    if (failed or errored) and not failures.newest_failure:
        failures.newest_failure = public_id
