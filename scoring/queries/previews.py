"""What an unsaved profile would say: of one answer, or of evaluations already stored. Stores nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scoring.evaluate_bodies import stored_observation
from scoring.evaluator import ERRORED, Verdict, evaluate
from scoring.kit.observation import Observation
from scoring.models import Evaluation
from scoring.profile_documents import Profile


@dataclass(frozen=True, slots=True)
class Preview:
    """A would-be verdict, and the stored evaluation that it would replace in thought, if any."""

    verdict: Verdict
    stored: Evaluation | None = None

    @property
    def flips(self) -> bool:
        """Whether the verdict of the stored evaluation would change."""
        return self.stored is not None and self.stored.passed != self.verdict.passed

    @property
    def change(self) -> float | None:
        """New score minus old; None when either has none."""
        if self.stored is None or self.stored.score is None or self.verdict.score is None:
            return None
        return self.verdict.score - self.stored.score

    def as_document(self) -> dict[str, Any]:
        """The preview as `/api/scoring/preview` answers it."""
        document: dict[str, Any] = {
            "status": self.verdict.status,
            "score": self.verdict.score,
            "passed": self.verdict.passed,
            "breakdown": list(self.verdict.breakdown),
        }
        if self.stored is None:
            return document
        before = {"status": self.stored.status, "score": self.stored.score, "passed": self.stored.passed}
        return {"evaluationId": self.stored.public_id, **document, "previous": before, "flips": self.flips}


def preview_answer(profile: Profile, observation: Observation) -> Preview:
    """What the profile would say of one answer."""
    return Preview(evaluate(profile, observation))


def preview_stored(profile: Profile, rows: Sequence[Evaluation]) -> list[Preview]:
    """What the profile would say of stored evaluations, in the order given."""
    return [Preview(evaluate(profile, observation_of_row(row)), row) for row in rows]


@dataclass(frozen=True, slots=True)
class PreviewSummary:
    """Previews of stored evaluations in figures.

    `flips` are verdicts that turn round; `compared` how many have a score before and after, over
    which `before` and `after` are the means; `errored` could not be measured with the new profile.
    """

    count: int
    flips: int
    compared: int
    errored: int
    before: float | None
    after: float | None


def preview_summary(previews: Sequence[Preview]) -> PreviewSummary:
    """What the previews say together."""
    pairs = [
        (preview.stored.score, preview.verdict.score)
        for preview in previews
        if preview.stored is not None and preview.stored.score is not None and preview.verdict.score is not None
    ]
    return PreviewSummary(
        count=len(previews),
        flips=sum(preview.flips for preview in previews),
        compared=len(pairs),
        errored=sum(preview.verdict.status == ERRORED for preview in previews),
        before=sum(old for old, _ in pairs) / len(pairs) if pairs else None,
        after=sum(new for _, new in pairs) / len(pairs) if pairs else None,
    )


def observation_of_row(row: Evaluation) -> Observation:
    """The observation that a stored evaluation was made of."""
    return stored_observation(action=row.action, output=row.output, metadata=row.metadata, inputs=row.inputs)
