"""Who may do what with profiles and evaluations. Pages, the API and tasks all ask here."""

from collections.abc import Mapping
from enum import StrEnum

from accounts.actors import Actor, Role
from accounts.permissions import require
from foundation.errors import Problem


class Act(StrEnum):
    """What can be done here."""

    READ = "read"
    PREVIEW = "preview"
    EVALUATE = "evaluate"
    WRITE_PROFILE = "write_profile"
    DELETE_PROFILE = "delete_profile"


LEAST_ROLE: Mapping[Act, Role] = {
    Act.READ: Role.VIEWER,
    Act.PREVIEW: Role.VIEWER,
    Act.EVALUATE: Role.REVIEWER,
    Act.WRITE_PROFILE: Role.EDITOR,
    Act.DELETE_PROFILE: Role.OWNER,
}


def permit(actor: Actor | None, act: Act) -> Actor:
    """The actor, who may do this; raises Unauthorized or Forbidden otherwise."""
    return require(actor, LEAST_ROLE[act])


def may(actor: Actor | None, act: Act) -> bool:
    """Whether the actor may do this: what pages ask before they offer it."""
    return actor is not None and actor.may(LEAST_ROLE[act])


class BuiltInProfile(Problem):
    """A built-in profile is part of the product: nobody changes or deletes it, not even an owner."""

    status = 403
    code = "BUILT_IN_PROFILE"
    default_message = "Built-in profiles cannot be changed or deleted."
    default_hint = "Duplicate it and change the copy."


def refuse_built_in(*, built_in: bool) -> None:
    """The one guard of the built-in profiles, asked by every write of API, pages and admin."""
    if built_in:
        raise BuiltInProfile
