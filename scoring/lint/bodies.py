"""The body of a lint request, read strictly: a profile, and the samples to look at it with."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from scoring.evaluate_bodies import Answer
from scoring.kit.settings import Settings, bounded

MOST_OBSERVATIONS = 100
MOST_RECENT = 200
ProfileId = Annotated[str, bounded(1, 64)]


class LintItem(Answer):
    """One sample, as POST /api/scoring/evaluate/batch takes an item."""

    profile_id: ProfileId | None = Field(
        default=None, title="Profile", description="Ignored: every sample is scored with the profile of the request."
    )


class LintBody(Settings):
    """What POST /api/scoring/lint takes: an unsaved profile or a stored one, and samples if there are any."""

    profile: dict[str, Any] | None = Field(
        default=None,
        title="Profile",
        description="A profile as POST /api/scoring/profiles takes it; or else profileId.",
    )
    profile_id: ProfileId | None = Field(default=None, title="Profile's id", description="A stored profile.")
    version: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = Field(
        default=None, title="Version", description="One of its versions; the newest when left out."
    )
    observations: Annotated[list[LintItem], Field(max_length=MOST_OBSERVATIONS)] = Field(
        default_factory=list, title="Observations", description="Samples of answers, good and bad ones."
    )
    recent: Annotated[int, Field(ge=0, le=MOST_RECENT)] = Field(
        default=0,
        title="Recent",
        description="So many of the stored profile's newest evaluations are samples too, after the observations.",
    )

    @model_validator(mode="after")
    def _one_profile(self) -> Self:
        if self.profile is None and self.profile_id is None:
            raise PydanticCustomError("missing", "This is required, unless profileId is given.", {"field": "profile"})
        if self.profile is not None and self.profile_id is not None:
            raise PydanticCustomError("one_of", "Give profile or profileId, not both.", {"field": "profileId"})
        for name, given in (("version", self.version is not None), ("recent", self.recent > 0)):
            if given and self.profile_id is None:
                raise PydanticCustomError("needs_profile_id", "This goes with profileId.", {"field": name})
        return self
