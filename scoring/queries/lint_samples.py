"""The samples that lint takes from what is stored."""

from dataclasses import dataclass

from scoring.history_filters import HistoryFilter, HistoryPage
from scoring.kit.observation import Observation
from scoring.queries.history import history_page
from scoring.queries.previews import observation_of_row


@dataclass(frozen=True, slots=True)
class StoredSamples:
    """Observations of stored evaluations, newest first, with the public ids of these."""

    observations: tuple[Observation, ...] = ()
    evaluation_ids: tuple[str, ...] = ()


def stored_samples(profile_id: str | None, count: int) -> StoredSamples:
    """The newest `count` evaluations of a profile, of any version; of every profile when `profile_id` is None."""
    if count == 0:
        return StoredSamples()
    rows = history_page(HistoryFilter(profile_id=profile_id), HistoryPage(limit=count)).rows
    return StoredSamples(tuple(observation_of_row(row) for row in rows), tuple(row.public_id for row in rows))
